#!/usr/bin/env python3
"""The commands of actors/eval/README.md, run as they stand there, give what stands below them."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import suite
from support.evaluator import Evaluator

README = suite.ROOT / "actors" / "eval" / "README.md"
BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$|^<!-- (restart) -->$", re.M | re.S)


class Shell:
    """A bash that goes on: what one block sets is there in the next."""

    def __init__(self, folder, address):
        self.process = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, cwd=folder, text=True)
        self.run(f"EVAL={address}")

    def run(self, commands):
        self.process.stdin.write(f"{commands}\necho; echo =end=\n")
        self.process.stdin.flush()
        output = ""
        for line in self.process.stdout:
            if line == "=end=\n":
                return output
            output += line
        raise AssertionError(f"bash ended: {output}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Readme(unittest.TestCase):
    def test_the_walk_through(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as name:
            folder = pathlib.Path(name)
            (folder / "actors").symlink_to(suite.ROOT / "actors")
            node = Evaluator("allow_local = true", folder=name)
            self.addCleanup(lambda: node.close())
            shell = Shell(name, f"http://127.0.0.1:{node.port()}/v0")
            self.addCleanup(shell.close)
            output, checked, restarts = "", 0, 0
            for kind, text, restart in BLOCK.findall(README.read_text()):
                if kind == "sh":
                    output = shell.run(text)
                elif kind == "json":
                    self.assertIn(text.strip(), output)
                    checked += 1
                elif restart:
                    node.stop()
                    node.close()
                    node = Evaluator("allow_local = true", folder=name)
                    shell.run(f"EVAL=http://127.0.0.1:{node.port()}/v0")
                    restarts += 1
            self.assertEqual((checked, restarts), (8, 1))


if __name__ == "__main__":
    suite.main()
