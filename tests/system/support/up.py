"""`caf-ctl up` as a process: the nodes of a file, their processes, and what it prints."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

from support import suite
from support.node import http_section, SITE
from support.suite import eventually


def nodes_config(names=("a", "b", "c"), roles='"http", "demo"', extra="", listen=True):
    text = f'[cluster]\nname = "test"\ndata_dir = "var"\nsecret_file = "var/cluster.key"\n{extra}\n'
    for name in names:
        text += f'[[node]]\nname = "{name}"\nroles = [{roles}]\n'
    return text + (http_section() + SITE if listen else "")


def children(pid):
    """Direct children of a process."""
    text = "".join(path.read_text() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(word) for word in text.split()]


def exists(pid):
    """Whether a process runs; one that only waits to be reaped does not. As long as any thread is left, its sockets are
    open, although the first one may be gone."""
    proc = pathlib.Path(f"/proc/{pid}")
    try:
        return (proc / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" or len(list((proc / "task").iterdir())) > 1
    except OSError:
        return False


def stopped(pid):
    """Whether a signal has stopped every thread of a process."""
    stats = [path.read_text() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(text.rsplit(")", 1)[1].split()[0] == "T" for text in stats)


class Up:
    """Use as a context manager: what is left is killed."""

    def __init__(self, config, args=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-"))
        self.file = self.folder / "cluster.toml"
        self.file.write_text(config)
        self.error_file = self.folder / "up.log"
        self.errors = open(self.error_file, "wb")
        self.process = subprocess.Popen([suite.CTL, "--config", self.file, "up", *args],
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.ready = {}  # name -> addresses, of its last start
        self.readies = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            self.ready[words[1]] = words[2:]
            self.readies.append(words[1])

    def wait_ready(self, *names, times=1):
        eventually(lambda: all(self.readies.count(name) >= times for name in names), f"{names} are ready")
        return self

    def log(self):
        return self.error_file.read_text(errors="replace")

    def port(self, name):
        return int(self.ready[name][0].rsplit(":", 1)[1])

    def pid_of(self, name):
        """Of the process of a node."""
        for pid in children(self.process.pid):
            try:
                arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            except OSError:
                continue
            if name in arguments:
                return pid
        return None

    def ctl(self, *args, node=None, check=True):
        where = ["--node", node] if node else []
        done = subprocess.run([suite.CTL, "--config", self.file, *where, *args], capture_output=True, text=True,
                              timeout=2 * suite.PATIENCE)
        if check and done.returncode != 0:
            raise AssertionError(f"caf-ctl {args} gave {done.returncode}: {done.stderr}{done.stdout}\n{self.log()}")
        return done

    def ctl_json(self, *args, node=None):
        return json.loads(self.ctl("--json", *args, node=node).stdout)

    def signal(self, number):
        os.kill(self.process.pid, number)

    def stop(self, timeout=suite.PATIENCE):
        self.signal(signal.SIGINT)
        return self.process.wait(timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        left = children(self.process.pid) if self.process.poll() is None else []
        self.process.kill()
        self.process.wait()
        for pid in left:
            eventually(lambda pid=pid: not exists(pid), f"the child {pid} is gone")
        self.reader.join(suite.PATIENCE)
        self.process.stdout.close()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)
