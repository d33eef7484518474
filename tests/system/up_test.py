"""caf-ctl up and down: nodes as child processes that are supervised, stop in order and leave nothing behind."""
import os
import signal
import socket
import stat
import time
import unittest

from support import suite
from support.node import free_port
from support.suite import eventually
from support.up import Up, children, exists, nodes_config
from support.wire import fetch

GONE = 1.0 if not suite.SANITIZED else 5.0  # seconds that a child may outlive its parent


class UpTest(unittest.TestCase):
    def test_starts_all_nodes_and_a_signal_stops_them_in_order(self):
        with Up(nodes_config()) as up:
            up.wait_ready("a", "b", "c")
            self.assertEqual(sorted(up.ready), ["a", "b", "c"])
            for name in up.ready:
                self.assertEqual(fetch(up.port(name), "/hello").body, b"Hello, World!")
            pids = children(up.process.pid)
            self.assertEqual(len(pids), 3)
            for pid in pids:
                self.assertEqual(os.getpgid(pid), pid)
            self.assertEqual(up.stop(), 0)
            self.assertFalse([pid for pid in pids if exists(pid)])
            for name in up.ready:
                self.assertRegex(up.log(), rf"(?m)^\[{name}\] .*shutdown: draining connections")

    def test_makes_the_secret_once_and_for_its_owner_only(self):
        with Up(nodes_config(("a",), listen=False, roles='"demo"')) as up:
            up.wait_ready("a")
            secret = up.folder / "var" / "cluster.key"
            self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
            text = secret.read_text()
            self.assertRegex(text, r"^[0-9a-f]{64}$")
            self.assertEqual(up.stop(), 0)
            self.assertEqual(secret.read_text(), text)

    def test_a_killed_node_is_started_again_and_a_drained_one_is_not(self):
        with Up(nodes_config(("a", "b"))) as up:
            up.wait_ready("a", "b")
            first = up.pid_of("a")
            os.kill(first, signal.SIGKILL)
            up.wait_ready("a", times=2)
            self.assertNotEqual(up.pid_of("a"), first)
            self.assertEqual(fetch(up.port("a"), "/hello").status, 200)
            self.assertRegex(up.log(), r'a node has failed and is started again node=a '
                                       r'reason="a ended with signal 9 \(SIGKILL\)" after=\d+m?s\n')
            self.assertNotIn("root/launcher", up.log())
            up.ctl("drain", "b")
            eventually(lambda: len(children(up.process.pid)) == 1, "b has ended")
            self.assertIn('a node has stopped node=b end="exit status 0"', up.log())
            self.assertEqual(up.readies.count("b"), 1)
            up.ctl("drain", "a")
            self.assertEqual(up.process.wait(suite.PATIENCE), 0)

    def test_kill_of_the_parent_leaves_no_child(self):
        with Up(nodes_config()) as up:
            up.wait_ready("a", "b", "c")
            pids = children(up.process.pid)
            os.kill(pids[0], signal.SIGSTOP)
            up.signal(signal.SIGKILL)
            up.process.wait()
            time.sleep(GONE)
            self.assertEqual([pid for pid in pids if exists(pid)], [])

    def test_a_frozen_node_is_killed_when_its_time_is_over(self):
        config = nodes_config(("a", "b"), listen=False, roles='"demo"')
        config += '[shutdown]\nphase_timeout = "500ms"\nhard_deadline = "1s"\n'
        with Up(config) as up:
            up.wait_ready("a", "b")
            pids = children(up.process.pid)
            frozen = up.pid_of("a")
            os.kill(frozen, signal.SIGSTOP)
            started = time.monotonic()
            self.assertEqual(up.stop(), 0)
            self.assertLess(time.monotonic() - started, 10)
            self.assertEqual([pid for pid in pids if exists(pid)], [])

    def test_a_node_that_cannot_start_is_given_up_and_told(self):
        taken = free_port()
        config = nodes_config(("a",), roles='"http"').replace("127.0.0.1:0", f"127.0.0.1:{taken}")
        with socket.create_server(("127.0.0.1", taken)), Up(config) as up:
            self.assertEqual(up.process.wait(suite.PATIENCE), 1)
            self.assertIn("given up", up.log())
            self.assertRegex(up.log(), r"(?m)^\[a\] caf-node: .*in use")

    def test_down_drains_all_and_says_who_does_not_run(self):
        with Up(nodes_config(("a", "b"), listen=False, roles='"demo"')) as up:
            up.wait_ready("a", "b")
            said = up.ctl("down").stdout
            self.assertTrue(said.startswith("a drains\nb drains\n"), said)
            self.assertRegex(said, r"(?m)^a has stopped$")
            self.assertRegex(said, r"(?m)^b has stopped$")
            self.assertEqual(up.process.wait(suite.PATIENCE), 0)
            said = up.ctl("down").stdout
            self.assertRegex(said, r"(?m)^a does not run$")

    def test_bad_usage(self):
        with Up(nodes_config(("a",)).replace('[[node]]', '[[node]]\nnope = 1')) as up:
            self.assertEqual(up.process.wait(suite.PATIENCE), 2)
            self.assertIn("nope", up.log())
        with Up('[cluster]\nname = "x"\nsecret_file = "x.key"\ninsecure = true\n[[node]]\nname = "far"\nlink = "192.0.2.1:7000"\n') as up:
            self.assertEqual(up.process.wait(suite.PATIENCE), 2)
            self.assertIn("no node", up.log())


if __name__ == "__main__":
    suite.main()
