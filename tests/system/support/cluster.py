"""Several nodes with one cluster file in one folder."""
import os
import pathlib
import shutil
import tempfile

from support import suite
from support.node import Node, SITE, free_port
from support.suite import eventually


class Cluster:
    """Names of nodes to their roles; nodes start when asked for. Use as a context manager."""

    def __init__(self, roles, cluster="", extra="", site=SITE, hosts=None, program=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-cluster-"))
        self.roles = roles
        self.hosts = hosts or {}
        self.ports = {name: free_port() for name in roles}
        self.cluster = cluster
        self.extra = extra
        self.site = site
        self.program = program
        self.nodes = {}
        self.secret = self.folder / "cluster.key"
        self.secret.write_text("0123456789abcdef0123456789abcdef\n")
        os.chmod(self.secret, 0o600)

    def host(self, name):
        return self.hosts.get(name, "127.0.0.1")

    def config(self):
        secret = "" if "[cluster.tls]" in self.cluster else 'secret_file = "cluster.key"\n'
        head, separator, tables = self.cluster.partition("[")
        text = f'[cluster]\nname = "test"\ndata_dir = "var"\n{secret}{head}\n{separator}{tables}\n'
        for name, roles in self.roles.items():
            listed = ", ".join(f'"{role}"' for role in roles)
            text += (f'\n[[node]]\nname = "{name}"\nlink = "{self.host(name)}:{self.ports[name]}"\n'
                     f'admin = "127.0.0.1:0"\nroles = [{listed}]\n')
        return text + f'\n[http]\nlisten = ["127.0.0.1:0"]\n{self.extra}\n' + self.site

    def start(self, *names, program=None, args=(), prefix=()):
        for name in names or self.roles:
            if name in self.nodes:
                self.nodes[name].close()
            self.nodes[name] = Node(self.config(), name=name, folder=self.folder, args=args,
                                    program=program or self.program, prefix=prefix)
        return self

    def __getitem__(self, name):
        return self.nodes[name]

    def members(self, seen_by):
        """Node name -> entry of its life that is not gone, as `seen_by` knows them."""
        return {entry["node"]: entry for entry in self[seen_by].ctl_json("nodes")
                if entry["state"] not in ("left", "down")}

    def together(self, names=None, timeout=suite.PATIENCE):
        """Waits until each of the nodes sees all of them up and linked."""
        names = list(names or self.nodes)

        def good(name):
            members = self.members(name)
            return all(other in members and members[other]["state"] == "up" and
                       (other == name or members[other]["linked"]) for other in names)

        eventually(lambda: all(good(name) for name in names), f"{names} see each other", timeout)
        return self

    def close(self):
        for node in self.nodes.values():
            node.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
