"""A node as a process: its cluster file, its life, what the kernel says about it, and caf-ctl beside it."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from support import suite
from support.suite import eventually
from support.wire import Closed, ControlWire

TICKS = os.sysconf("SC_CLK_TCK")


def one_node(*roles):
    """The sections of a cluster file that say who there is: the node n1."""
    return f"""
[cluster]
name = "test"
data_dir = "var"

[[node]]
name = "n1"
admin = "127.0.0.1:0"
roles = {json.dumps(roles)}
"""


CLUSTER = one_node("http", "demo")

SITE = """
[[http.site]]
host = "*"
  [[http.site.route]]
  path = "/hello"
  respond = { body = "Hello, World!" }
  [[http.site.route]]
  path = "/greet"
  actor = "greeter"
  [[http.site.route]]
  path = "/greet.txt"
  actor = "greeter"
  face = "http"
  [[http.site.route]]
  path = "/counter"
  actor = "counter"
"""


def http_section(listen=("127.0.0.1:0",), extra="", limits=""):
    addresses = ", ".join(f'"{address}"' for address in listen)
    return f"[http]\nlisten = [{addresses}]\ntest_hooks = true\n{extra}\n[http.limits]\n{limits}\n"


def default_config(limits="", extra="", site=SITE, cluster=CLUSTER, listen=("127.0.0.1:0",)):
    return cluster + http_section(listen, extra, limits) + site


def free_port():
    """A port that nobody listens at; the next one to bind it without SO_REUSEADDR may still be somebody else."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Node:
    """Starts in the constructor and waits for `ready`. Use as a context manager: what is left is killed."""

    def __init__(self, config=None, args=(), name="n1", program=None, descriptors=None, folder=None, ready=True,
                 prefix=()):
        self.name = name
        self.own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="caf-app-"))
        self.file = self.folder / "cluster.toml"
        self.write(config or default_config())
        self.log_file = self.folder / f"{name}.log"
        self.log_handle = open(self.log_file, "wb")
        limit = None
        if descriptors:
            def limit():
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        self.process = subprocess.Popen(
            [*prefix, program or suite.NODE, "--config", self.file, "--name", name, *args],
            stdout=subprocess.PIPE, stderr=self.log_handle, preexec_fn=limit)
        self.ready = ""
        if ready:
            try:
                self.wait_ready()
            except BaseException:
                self.close()
                raise

    def write(self, config):
        self.file.write_text(config)

    def wait_ready(self):
        self.ready = self.process.stdout.readline().decode()
        if not self.ready.startswith("ready "):
            raise AssertionError(f"no ready line but {self.ready!r}; log:\n{self.log()}")
        self.addresses = self.ready.split()[2:]

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        return self.log_file.read_text(errors="replace")

    # -- addresses -------------------------------------------------------------------

    def port(self, index=0):
        return int(self.tcp_addresses()[index].rsplit(":", 1)[1])

    def tcp_addresses(self):
        return [address for address in self.addresses if not address.startswith("unix:")]

    @property
    def admin_port(self):
        """Of the admin listener, which comes after those of the web tier."""
        return self.port(-1)

    @property
    def control(self):
        return self.folder / "var" / self.name / "control.sock"

    # -- what the kernel knows ---------------------------------------------------------

    def status_kib(self, key):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"^{key}:\s+(\d+)", text, re.M).group(1))

    def rss_kib(self):
        return self.status_kib("VmRSS")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    # -- caf-ctl -----------------------------------------------------------------------

    def ctl(self, *args, check=True):
        """Runs caf-ctl over the control socket. Returns the finished process, whose streams are text."""
        done = subprocess.run([suite.CTL, "--config", self.file, "--node", self.name, *args],
                              capture_output=True, text=True, timeout=2 * suite.PATIENCE)
        if check and done.returncode != 0:
            raise AssertionError(f"caf-ctl {args} gave {done.returncode}: {done.stderr}{done.stdout}")
        return done

    # What tests ask again and again they ask the control socket: a process of caf-ctl for each look would keep a core
    # busy. That caf-ctl says the same is what ctl_test.py is for.

    def look(self, path, body=None):
        """What the control socket answers, as text."""
        data = b"" if body is None else json.dumps(body).encode()
        fields = ["Content-Type: application/json"] if data else []
        try:
            with ControlWire(self.control) as wire:
                answer = wire.get(path, *fields, method="POST" if data else "GET", host="localhost", body=data)
        except (Closed, OSError) as why:
            raise AssertionError(f"{self.name} does not answer {path}: {why}") from why
        if answer.status != 200:
            raise AssertionError(f"{path} gave {answer.status}: {answer.body.decode()}")
        return answer.body.decode()

    def ctl_json(self, *args):
        if len(args) == 1 and args[0] in ("status", "nodes", "names", "groups", "tree", "actors"):
            return json.loads(self.look(f"/v1/{args[0]}"))
        return json.loads(self.ctl("--json", *args).stdout)

    def ask(self, name, body):
        return json.loads(self.look("/v1/ask", {"name": name, "body": body}))

    def tree(self):
        """Path below the root -> entry."""
        return {entry["path"].removeprefix("root/"): entry for entry in self.ctl_json("tree")}

    def metrics(self):
        """Name with labels, as printed -> value."""
        result = {}
        for line in self.look("/metrics").splitlines():
            if line and not line.startswith("#"):
                key, value = line.rsplit(" ", 1)
                result[key] = float(value)
        return result

    def metric(self, name):
        """Sum over all labels; 0 without such a line."""
        return sum(value for key, value in self.metrics().items() if key.split("{")[0] == name)

    # -- ends --------------------------------------------------------------------------

    def signal(self, number):
        os.kill(self.pid, number)

    def wait(self, timeout=suite.PATIENCE):
        """Exit status."""
        return self.process.wait(timeout)

    def stop(self, timeout=suite.PATIENCE):
        """SIGTERM, then the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait(timeout)

    def alive(self):
        return self.process.poll() is None

    def close(self):
        if self.alive():
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log_handle.close()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run_node(config, args=(), name="n1", timeout=suite.PATIENCE):
    """Runs a node that is expected to end by itself. Returns the finished process, whose streams are text."""
    with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
        file = pathlib.Path(folder) / "cluster.toml"
        file.write_text(config)
        return subprocess.run([suite.NODE, "--config", file, "--name", name, *args],
                              capture_output=True, text=True, timeout=timeout)


def wait_gone(node, timeout=suite.PATIENCE):
    return eventually(lambda: not node.alive(), "the node has ended", timeout)


def now():
    return time.monotonic()
