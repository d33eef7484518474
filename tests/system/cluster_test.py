"""Nodes as one cluster: names, groups, asks and HTTP routes reach across; nodes come and go."""
import json
import socket
import subprocess
import unittest

from support import suite
from support.cluster import Cluster
from support.node import free_port
from support.suite import eventually
from support.wire import fetch


class TwoNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster({"app-1": ["demo"], "edge-1": ["http"]})
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.start().together()
        cls.edge = cls.cluster["edge-1"]
        eventually(lambda: cls.holder("edge-1", "ticker") == "app-1", "names have spread")

    @classmethod
    def holder(cls, seen_by, name):
        for entry in cls.cluster[seen_by].ctl_json("names"):
            if entry["name"] == name:
                return entry.get("node")
        return None

    def test_ask_reaches_an_actor_of_another_node(self):
        self.assertEqual(self.edge.ask("greeter", {"name": "Ada"}), {"greeting": "Hello, Ada!"})

    def test_an_http_route_reaches_an_actor_of_another_node(self):
        self.assertEqual(json.loads(fetch(self.edge.port(), "/greet?name=Bob").body), {"greeting": "Hello, Bob!"})
        self.assertEqual(fetch(self.edge.port(), "/greet.txt?name=Bob").body, b"Hello, Bob!\n")

    def test_names_tell_where_they_are(self):
        entries = {entry["name"]: entry for entry in self.edge.ctl_json("names")}
        self.assertEqual((entries["greeter"]["node"], entries["greeter"]["epoch"] > 0), ("app-1", True))
        self.assertNotIn("node", entries["registry"])

    def test_send_and_publish_reach_across(self):
        def heard():
            return self.edge.ask("listener-1", {"method": "get"})["heard"]
        before = heard()
        self.assertEqual(json.loads(self.edge.ctl("publish", "ticks", '{"method": "tick"}').stdout),
                         {"members": 0, "remote_nodes": 1})
        eventually(lambda: heard() > before, "the member got it")
        self.edge.ctl("send", "counter", '{"method": "add"}')
        eventually(lambda: self.edge.ask("counter", {"method": "get"})["value"] > 0, "the counter got it")

    def test_a_node_is_steered_through_another(self):
        app = self.cluster["app-1"]
        hidden = app.control.with_name("hidden")
        app.control.rename(hidden)  # as if it were on another machine
        self.addCleanup(hidden.rename, app.control)
        self.assertEqual(json.loads(app.ctl("--json", "status").stdout)["node"], "app-1")
        self.assertIn("demo", app.ctl("tree").stdout)
        self.assertEqual(self.edge.ctl_json("status")["node"], "edge-1")

    def test_a_kill_reaches_the_holder_on_another_node(self):
        self.edge.ask("counter", {"method": "add"})
        before = self.cluster["app-1"].tree()["demo/counter"]["actor"]
        self.assertEqual(self.edge.ctl_json("kill", "counter"), {"killed": before})
        eventually(lambda: self.edge.ctl("ask", "counter", '{"method": "get"}', check=False).stdout.strip() == '{"value":0}',
                   "it was started again")

    def test_groups_tell_of_other_nodes(self):
        groups = {entry["group"]: entry for entry in self.edge.ctl_json("groups")}
        self.assertEqual((groups["ticks"]["members"], len(groups["ticks"]["remote"]["app-1"])), ([], 2))


class Gateway(unittest.TestCase):
    def test_a_plain_caf_program_reaches_named_actors_of_any_node(self):
        port = free_port()
        with Cluster({"app-1": ["demo"], "edge-1": ["http"]}) as cluster:
            cluster.start("app-1")
            cluster.cluster = f'basp_gateway = "127.0.0.1:{port}"'
            cluster.start("edge-1").together()
            eventually(lambda: any(x["name"] == "greeter" for x in cluster["edge-1"].ctl_json("names")), "it is known")

            def ask(name):
                return subprocess.run([suite.BASP_CLIENT, str(port), name, '{"name": "BASP"}'], capture_output=True,
                                      text=True, timeout=suite.PATIENCE)
            self.assertEqual(json.loads(ask("greeter").stdout), {"greeting": "Hello, BASP!"})
            self.assertIn("not found", ask("nobody").stderr)
            self.assertEqual(cluster["edge-1"].stop(), 0)


class Addresses(unittest.TestCase):
    """What may stand in `link` beside a numeric address."""

    def test_nodes_meet_at_the_name_of_a_host(self):
        with Cluster({"a": ["demo"], "b": []}, hosts={"a": "localhost", "b": "localhost"}) as cluster:
            cluster.start("a", "b").together()
            eventually(lambda: any(x["name"] == "greeter" for x in cluster["b"].ctl_json("names")), "names spread")
            self.assertEqual(cluster["b"].ask("greeter", {"name": "Ada"}), {"greeting": "Hello, Ada!"})
            self.assertEqual(cluster.members("b")["a"]["address"], f"localhost:{cluster.ports['a']}")

    def test_a_name_that_leads_nowhere_is_refused_unless_the_node_listens_elsewhere(self):
        with Cluster({"a": []}, cluster="insecure = true\n", hosts={"a": "no-such-host.invalid"}) as cluster:
            file = cluster.folder / "cluster.toml"
            file.write_text(cluster.config())
            line = cluster.config()[:cluster.config().index("link = ")].count("\n") + 1
            for args in ([], ["--check"]):
                done = subprocess.run([suite.NODE, "--config", file, "--name", "a", *args], capture_output=True, text=True,
                                      timeout=suite.PATIENCE)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"cluster\.toml:{line}:8: link no-such-host\.invalid:\d+: this node listens "
                                              r"at the address of that name, but .*; expected .* link_listen")
            plain = cluster.config()
            cluster.config = lambda: plain.replace("link = ", f'link_listen = "127.0.0.1:{cluster.ports["a"]}"\nlink = ')
            cluster.start("a")
            socket.create_connection(("127.0.0.1", cluster.ports["a"]), timeout=suite.PATIENCE).close()


class Leaving(unittest.TestCase):
    def test_a_name_moves_when_its_node_leaves_or_dies(self):
        with Cluster({"app-1": ["demo"], "app-2": ["demo"], "edge-1": ["http"]}) as cluster:
            cluster.start("app-1", "edge-1").together()
            edge = cluster["edge-1"]
            eventually(lambda: self.where(edge) == "app-1", "the first holds the name")
            cluster.start("app-2").together()
            self.assertEqual(self.where(edge), "app-1")
            self.assertEqual(cluster["app-1"].stop(), 0)
            eventually(lambda: self.where(edge) == "app-2", "it moved when its node left")
            self.assertEqual(edge.ask("greeter", {"name": "Ada"}), {"greeting": "Hello, Ada!"})
            cluster.start("app-1").together(["app-1", "app-2", "edge-1"])
            cluster["app-2"].process.kill()
            eventually(lambda: self.where(edge) == "app-1", "it moved when its node died")

    def where(self, node):
        return next((entry.get("node") for entry in node.ctl_json("names") if entry["name"] == "greeter"), None)


if __name__ == "__main__":
    suite.main()
