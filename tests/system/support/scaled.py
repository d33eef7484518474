"""A node that scales: its file, what it has decided, and load for it."""
import json
import pathlib
import re
import socket
import subprocess
import threading
import time

from support import suite
from support.node import Node, SITE, http_section, one_node
from support.suite import eventually
from support.wire import Closed, Wire, request

# Shorter than in production, so that a test sees a shrink within seconds.
QUICK = {"quiet_window": '"2s"', "down_cooldown": '"500ms"', "warmup": '"500ms"', "rebalance_window": '"500ms"',
         "max_instances": "3"}


def scaled_config(scaler=None, limits='keepalive_idle = "3s"\n', extra="", listen=("127.0.0.1:0",),
                  site=SITE):
    keys = {**QUICK, **(scaler or {})}
    section = "[scaler]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
    return one_node("http", "scaler") + section + http_section(listen, extra, limits) + site


class Scaled(Node):
    """The node of scaled_config(), with what its scaler says."""

    def __init__(self, scaler=None, site=SITE, program=None, **more):
        super().__init__(scaled_config(scaler, site=site, **more), program=program)

    def state(self):
        with Wire(self.admin_port) as wire:
            return json.loads(wire.get("/v1/scaler", host="localhost").body)

    def instances(self, state="ready"):
        return [x["name"] for x in self.state().get("instances", []) if x["state"] == state]

    def count(self):
        return len(self.instances())

    def wait_count(self, count, timeout=suite.PATIENCE):
        """Until so many are ready and no other exists."""
        def settled():
            all_of_them = self.state().get("instances", [])
            return len(all_of_them) == count and all(x["state"] == "ready" for x in all_of_them)
        try:
            eventually(settled, f"{count} instances", timeout)
        except AssertionError as why:
            raise AssertionError(f"{why}\n{self.state()}\n{self.log()[-3000:]}\n" +
                                 "\n".join(map(str, self.decisions()[-15:]))) from why

    def decisions(self):
        return [json.loads(line) for line in self.ctl("--json", "decisions").stdout.splitlines()]

    def scale(self, count):
        self.ctl("scale", str(count))

    def instance_pids(self):
        """Name -> pid of the extra instances."""
        result = {}
        for task in pathlib.Path(f"/proc/{self.pid}/task").glob("*/children"):
            for pid in task.read_text().split():
                try:
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
                except OSError:
                    continue
                if "--instance" in words:
                    result[words[words.index("--instance") + 1]] = int(pid)
        return result

    def queues(self):
        """Of each socket that listens at the web address: the connections that wait to be accepted."""
        port = f":{self.port():04X}"
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()
        return [int(line.split()[4].partition(":")[2], 16) for line in lines
                if line.split()[1].endswith(port) and line.split()[3] == "0A"]

    def listeners(self):
        return len(self.queues())

    def queued(self):
        return sum(self.queues())


def wrk(port, path, connections, seconds, threads=1):
    """Runs wrk. Returns requests per second, errors of sockets, and responses that were no success."""
    done = subprocess.run(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s",
                           f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, timeout=seconds + 60)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))
    sockets = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", done.stdout)
    errors = sum(map(int, sockets.groups())) if sockets else 0
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
    return rate, errors, int(bad.group(1)) if bad else 0


class FreshLoad:
    """A connection per request, at a rate. failed: whatever was not a 200."""

    def __init__(self, port, rate, path="/hello", threads=4):
        self.port = port
        self.pause = threads / rate
        self.data = request(path, "Connection: close")
        self.count = 0
        self.failed = []
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(threads)]

    def run(self):
        due = time.monotonic()
        while not self.stopped.is_set():
            due += self.pause
            time.sleep(max(due - time.monotonic(), 0))
            try:
                with Wire(self.port) as wire:
                    if wire.send(self.data).response().status != 200:
                        self.failed.append("status")
            except (Closed, OSError, socket.timeout) as why:
                self.failed.append(repr(why))
            self.count += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join(suite.PATIENCE)
