"""Nodes in network namespaces of their own, joined by a router whose roads can be cut: what is cut is dropped, and
nobody is told."""
import os
import shutil
import subprocess


def usable():
    """Whether namespaces can be made here: root, iproute2, and a kernel that lets us."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        return False
    name = f"caf-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return False
    routed = subprocess.run(["ip", "netns", "exec", name, "ip", "rule", "add", "from", "10.1.1.1", "to", "10.1.1.2",
                             "blackhole"], capture_output=True).returncode == 0
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return routed


class Net:
    """One namespace per name. Use as a context manager."""

    def __init__(self, names):
        self.prefix = f"caf-{os.getpid()}"
        self.hub = f"{self.prefix}-hub"
        self.hosts = {name: f"10.77.{i}.2" for i, name in enumerate(names, 1)}
        self.cuts = []
        try:
            self.build(names)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def ip(*args):
        subprocess.run(["ip", *args], check=True, capture_output=True, timeout=10)

    def inside(self, namespace, *args):
        self.ip("netns", "exec", namespace, "ip", *args)

    def space(self, name):
        return f"{self.prefix}-{name}"

    def build(self, names):
        self.ip("netns", "add", self.hub)
        subprocess.run(["ip", "netns", "exec", self.hub, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"],
                       check=True, timeout=10)
        for i, name in enumerate(names, 1):
            space = self.space(name)
            self.ip("netns", "add", space)
            self.ip("link", "add", f"v{i}", "netns", self.hub, "type", "veth", "peer", "name", "eth0", "netns", space)
            self.inside(self.hub, "addr", "add", f"10.77.{i}.1/24", "dev", f"v{i}")
            self.inside(self.hub, "link", "set", f"v{i}", "up")
            self.inside(space, "addr", "add", f"10.77.{i}.2/24", "dev", "eth0")
            self.inside(space, "link", "set", "lo", "up")
            self.inside(space, "link", "set", "eth0", "up")
            self.inside(space, "route", "add", "default", "via", f"10.77.{i}.1")

    def exec(self, name):
        """What to put before a command, so that it runs where `name` lives."""
        return ("ip", "netns", "exec", self.space(name))

    def cut(self, source, target):
        """Drops what `source` sends to `target`."""
        rule = ("from", self.hosts[source], "to", self.hosts[target], "blackhole")
        self.inside(self.hub, "rule", "add", *rule)
        self.cuts.append(rule)

    def split(self, some, others):
        for one in some:
            for other in others:
                self.cut(one, other)
                self.cut(other, one)

    def heal(self):
        for rule in self.cuts:
            self.inside(self.hub, "rule", "del", *rule)
        self.cuts = []

    def close(self):
        for name in [*map(self.space, self.hosts), self.hub]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
