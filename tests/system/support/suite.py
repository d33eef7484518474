"""Where the executables are, how long to wait, and the entry point of every test file."""
import os
import pathlib
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("CAF_APP_BIN", ROOT / "build" / "release")).resolve()
SANITIZED = bool(os.environ.get("CAF_APP_SANITIZE"))

NODE = BUILD / "nodes" / "caf-node"
CTL = BUILD / "nodes" / "caf-ctl"
MISBEHAVING_NODE = BUILD / "tests" / "system" / "misbehaving-node"
BASP_CLIENT = BUILD / "tests" / "system" / "basp-client"
CLUSTER_NODE = BUILD / "tests" / "system" / "cluster-node"

# Of what has to happen soon: generous, because machines that run tests are busy. Nothing waits that long unless it
# fails.
PATIENCE = 30.0

POLL = 0.01


def eventually(probe, what, timeout=PATIENCE):
    """Asks `probe` again and again until it returns something true. Returns that."""
    deadline = time.monotonic() + timeout
    while True:
        result = probe()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"after {timeout} s still not: {what}")
        time.sleep(POLL)


def main():
    """Runs the tests of the file, or those whose name contains a word of the command line."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    filters = [part for word in words for part in ("-k", word)]
    unittest.main(module="__main__", argv=[sys.argv[0], "-v", *options, *filters], buffer=False)
