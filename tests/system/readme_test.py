"""The commands of README.md, line by line as they stand there, on the nodes of nodes/config/demo.toml."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import suite
from support.node import free_port
from support.suite import eventually

CONFIG = "nodes/config/demo.toml"
PORTS = ("7101", "7102", "7103", "7901", "7902", "7903", "8080")


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-readme-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.ports = {port: str(free_port()) for port in PORTS}
        (self.folder / CONFIG).parent.mkdir(parents=True)
        (self.folder / CONFIG).write_text(self.here((suite.ROOT / CONFIG).read_text()))
        (self.folder / "build").mkdir()
        (self.folder / "build" / "release").symlink_to(suite.BUILD)

    def here(self, text):
        """The same with ports that are free."""
        return re.sub(r"\b(" + "|".join(PORTS) + r")\b", lambda found: self.ports[found.group(1)], text)

    def blocks(self):
        chapter = (suite.ROOT / "README.md").read_text().partition("\n## Try it\n")[2].partition("\n## ")[0]
        return [self.here(text).splitlines() for text in re.findall(r"^```sh\n(.*?)^```$", chapter, re.M | re.S)]

    def run_line(self, line, prelude):
        """What bash makes of it. `ctl top` and `ctl watch` go on until they are interrupted."""
        lasting = re.match(r"ctl (top|watch)\b", line)
        process = subprocess.Popen(["bash", "-c", f"shopt -s expand_aliases\n{prelude}\n{line}"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            if lasting:
                first = process.stdout.readline()
                os.killpg(process.pid, signal.SIGINT)
                process.communicate(timeout=suite.PATIENCE)
                return 0, first, ""
            out, err = process.communicate(timeout=suite.PATIENCE)
            return process.returncode, out, err
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def good(self, command, alias):
        """The output; nothing if the node does not know yet what another one has: it is known to all a moment later."""
        status, out, err = self.run_line(command, alias)
        if "not found" in err or re.match(r"HTTP/1.1 50[34]", out):
            return None
        self.assertEqual(status, 0, err)
        return out

    def test_every_line_of_the_first_walk(self):
        (start,), lines = self.blocks()
        up = subprocess.Popen(["bash", "-c", "exec " + start], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(up.stdout.close)
        self.addCleanup(up.wait, suite.PATIENCE)
        self.addCleanup(up.terminate)
        self.assertEqual({up.stdout.readline().split()[:2][1] for _ in range(3)}, {"edge-1", "app-1", "app-2"})
        alias, said = "", {}
        for line in lines:
            command = line.partition(" #")[0].strip()
            if command.startswith("alias"):
                alias = command
            elif command:
                with self.subTest(command):
                    out = eventually(lambda: self.good(command, alias), command)
                    said[command] = out
        told = "\n".join(said.values())
        for text in ("Hello, World!", "Hello, Ada!", '"value":1', "# TYPE caf_http_requests_total", "listener", '"killed"',
                     '"remote_nodes"', '"reloaded":true', '"pinned":3', "hold", '"event":"watching"', '"draining":true'):
            self.assertTrue(text in told, text)
        self.assertEqual(up.wait(suite.PATIENCE), 0)


if __name__ == "__main__":
    suite.main()
