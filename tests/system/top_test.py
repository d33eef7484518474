"""`caf-ctl top`: in a pipe, on a terminal, and how it leaves the terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from support import suite
from support.cluster import Cluster
from support.node import Node, default_config
from support.suite import eventually
from support.wire import Wire


class Terminal:
    """`top` on a terminal of our own."""

    def __init__(self, command, rows=24, columns=80):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        self.process = subprocess.Popen(command, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        start_new_session=True)

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            self.output += os.read(self.master, 65536)
        return self.output.decode(errors="replace")

    def screen(self):
        """Lines of the last frame that is whole."""
        frames = self.read().split("\x1b[H")
        return [re.sub(r"\x1b\[\w", "", line) for line in frames[-2].replace("\r", "").split("\n")] if len(frames) > 2 else []

    def ended(self):
        self.read()  # or it might wait for room
        return self.process.poll() is not None

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Top(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config())
        cls.command = [suite.CTL, "--config", cls.node.file, "top"]

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def test_once_prints_a_snapshot_with_rates(self):
        with subprocess.Popen([*self.command, "--once"], stdout=subprocess.PIPE, text=True) as top:
            with Wire(self.node.port()) as wire:
                until = time.monotonic() + 1.5
                while time.monotonic() < until:
                    wire.get("/hello")
                    time.sleep(0.002)
            text = top.stdout.read()
            self.assertEqual(top.wait(suite.PATIENCE), 0)
        self.assertNotIn("\x1b", text)
        heading, row = text.splitlines()[2:4]
        self.assertEqual(heading.split()[:4], ["NODE", "STATE", "REQ/S", "P99"])
        self.assertEqual(row.split()[:2], ["n1", "serving"])
        self.assertRegex(row.split()[2], r"^\d+(\.\d)?k?$")
        self.assertRegex(row.split()[3], r"^\d+(\.\d)?ms$")

    def test_in_a_pipe_snapshots_follow_until_the_reader_goes(self):
        top = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        try:
            lines = [top.stdout.readline() for _ in range(10)]
            self.assertEqual(len([line for line in lines if line.startswith("NODE")]), 2)
            self.assertNotIn("\x1b", "".join(lines))
            top.stdout.close()
            self.assertEqual(top.wait(suite.PATIENCE), 0)
        finally:
            top.kill()
            top.wait()

    def test_a_terminal_is_given_back_as_it_was(self):
        for end in (signal.SIGINT, signal.SIGTERM, "q"):
            with Terminal(self.command) as top:
                eventually(lambda: any("serving" in line for line in top.screen()), "it shows the node")
                if end == "q":
                    os.write(top.master, b"q")
                else:
                    top.process.send_signal(end)
                eventually(top.ended, f"{end} ends it")
                self.assertEqual(top.process.returncode, 0)
                self.assertTrue(top.read().startswith("\x1b[?1049h\x1b[?25l"))
                self.assertTrue(top.read().endswith("\x1b[?25h\x1b[?1049l"))
                self.assertEqual(termios.tcgetattr(top.slave), top.before)

    def test_sizes(self):
        for rows, columns in ((24, 80), (24, 40), (5, 20), (2, 10)):
            with Terminal(self.command, rows, columns) as top:
                lines = eventually(top.screen, "a frame is whole")
                self.assertLessEqual(len(lines), rows)
                self.assertLessEqual(max(map(len, lines)), columns)

    def test_nobody_is_there(self):
        done = subprocess.run([suite.CTL, "--admin", "http://127.0.0.1:1", "top", "--once"], capture_output=True, text=True,
                              timeout=suite.PATIENCE)
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot reach", done.stderr)


class Several(unittest.TestCase):
    def test_each_node_has_a_line_and_a_dead_one_is_told(self):
        with Cluster({"a": ["http", "demo"], "b": ["demo"], "c": ["demo"]}) as cluster:
            cluster.start().together()

            def rows():
                done = subprocess.run([suite.CTL, "--config", cluster["a"].file, "--node", "a", "top", "--once"],
                                      capture_output=True, text=True, timeout=suite.PATIENCE, check=True)
                return {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[3:]}
            self.assertEqual(rows(), {"a": "serving", "b": "serving", "c": "serving"})
            cluster["c"].signal(signal.SIGKILL)
            eventually(lambda: rows()["c"] in ("suspect", "lost", "down"), "its end is seen")


if __name__ == "__main__":
    suite.main()
