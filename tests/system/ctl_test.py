"""caf-ctl: every command over the control socket and over an admin URL, its output, its exit statuses."""
import json
import shutil
import subprocess
import unittest

from support import suite
from support.node import CLUSTER, Node, default_config
from support.suite import eventually
from support.wire import fetch

TOKEN = "0123456789abcdef"
OTHER = """
[[node]]
name = "n2"
roles = []
[admin]
token = "%s"
""" % TOKEN


def ctl(*args):
    return subprocess.run([suite.CTL, *map(str, args)], capture_output=True, text=True, timeout=2 * suite.PATIENCE)


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(cluster=CLUSTER + OTHER))
        cls.addClassCleanup(cls.node.close)

    def json(self, *args):
        return json.loads(self.node.ctl("--json", *args).stdout)

    def refused(self, *args, status=1):
        done = self.node.ctl(*args, check=False)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertTrue(done.stderr)
        return done.stderr

    def test_status(self):
        status = self.json("status")
        self.assertEqual((status["node"], status["state"], status["pid"]), ("n1", "serving", self.node.pid))
        self.assertEqual(status["addresses"], self.node.addresses)
        self.assertRegex(self.node.ctl("status").stdout, r"(?m)^state +serving$")

    def test_nodes(self):
        self.assertIn("n1", [node["node"] for node in self.json("nodes")])

    def test_names(self):
        names = {entry["name"]: entry["actor"] for entry in self.json("names")}
        self.assertLessEqual({"registry", "greeter", "counter", "ticker", "admin.n1"}, set(names))
        self.assertRegex(self.node.ctl("names").stdout,
                         r"(?m)^name +actor +held_ms\n(.*\n)*greeter +%d +\d+$" % names["greeter"])

    def test_groups(self):
        groups = {entry["group"]: entry for entry in self.json("groups")}
        self.assertEqual(len(groups["ticks"]["members"]), 2)
        self.assertIn("ticks", self.node.ctl("groups").stdout)

    def test_tree_and_actors(self):
        paths = [entry["path"] for entry in self.json("tree")]
        self.assertLessEqual({"root", "root/registry", "root/loops/loop-0", "root/demo/greeter", "root/http/listener",
                              "root/admin"}, set(paths))
        self.assertEqual(len(paths), len(set(paths)))
        for entry in self.json("tree"):
            self.assertLessEqual({"path", "kind", "state", "actor", "restarts", "uptime_ms", "last_end"}, set(entry))
        self.assertRegex(self.node.ctl("tree").stdout, r"(?m)^    greeter +running")
        self.assertIn("root/demo/greeter", self.node.ctl("actors").stdout)

    def test_ask(self):
        self.assertEqual(self.json("ask", "greeter", '{"name": "Ada"}'), {"greeting": "Hello, Ada!"})
        self.assertEqual(set(self.json("ask", "ticker")), set(self.json("ask", "ticker", '{"method": "get"}')))  # it goes on
        self.assertIn("nobody", self.refused("ask", "nobody", "{}"))
        self.assertIn("sing", self.refused("ask", "greeter", '{"method": "sing"}'))
        self.assertEqual(json.loads(self.refused("--json", "ask", "nobody", "{}"))["code"], "not_found")
        self.assertIn("no JSON", self.refused("ask", "greeter", "{", status=2))

    def test_send(self):
        before = self.json("ask", "counter", '{"method": "get"}')["value"]
        self.assertEqual(self.json("send", "counter", '{"method": "add"}'), {"sent": True})
        eventually(lambda: self.json("ask", "counter", '{"method": "get"}')["value"] == before + 1, "it arrived")
        self.refused("send", "nobody", "{}")

    def test_publish(self):
        self.assertEqual(self.json("publish", "ticks", '{"method": "tick"}'), {"members": 2})
        self.assertEqual(self.json("publish", "nothing", "{}"), {"members": 0})

    def test_watch_and_kill(self):
        actor = {entry["name"]: entry["actor"] for entry in self.json("names")}["listener-2"]
        with subprocess.Popen([suite.CTL, "--config", self.node.file, "--node", "n1", "watch", "listener-2"],
                              stdout=subprocess.PIPE, text=True) as watch:
            self.assertEqual(json.loads(watch.stdout.readline()), {"event": "watching", "actor": actor})
            self.assertEqual(self.json("kill", "listener-2"), {"killed": actor})
            event = json.loads(watch.stdout.readline())
            self.assertIn(event["event"], ("down", "changed"))
            self.assertEqual(watch.wait(suite.PATIENCE), 0)
        self.refused("watch", "nobody")
        self.refused("kill", "nobody")
        self.refused("kill", "http/listener/n1:1")

    def test_metrics(self):
        fetch(self.node.port(), "/hello")
        text = self.node.ctl("metrics").stdout
        self.assertIn("# TYPE caf_http_requests_total counter", text)
        hello = 'caf_http_requests_total{site="*",route="/hello",code_class="2xx"}'
        self.assertGreaterEqual(self.node.metrics()[hello], 1)
        self.assertEqual(fetch(self.node.admin_port, "/metrics", f"Authorization: Bearer {TOKEN}", host="localhost")
                         .field("content-type"), "text/plain; version=0.0.4; charset=utf-8")

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_promtool_accepts_the_metrics(self):
        for path in ("/hello", "/nothing", "/greet"):
            fetch(self.node.port(), path)
        done = subprocess.run(["promtool", "check", "metrics"], input=self.node.ctl("metrics").stdout,
                              capture_output=True, text=True, timeout=suite.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_the_admin_url(self):
        url = f"http://127.0.0.1:{self.node.admin_port}"
        done = ctl("--admin", url, "--token", TOKEN, "--json", "status")
        self.assertEqual((done.returncode, json.loads(done.stdout)["node"]), (0, "n1"))
        self.assertEqual(ctl("--admin", url + "/", "--token", TOKEN, "ask", "greeter", "{}").returncode, 0)
        for token in ([], ["--token", TOKEN[:-1]], ["--token", TOKEN + "0"]):
            done = ctl("--admin", url, *token, "status")
            self.assertEqual(done.returncode, 1)
            self.assertIn("token", done.stderr)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(fetch(self.node.admin_port, path, host="localhost").status, 200)
        self.assertEqual(fetch(self.node.admin_port, "/v1/status", host="localhost").status, 401)

    def test_usage(self):
        for args in ([], ["status"], ["--config", self.node.file], ["--config", self.node.file, "stats"],
                     ["--config", self.node.file, "ask"], ["--config", "/nonexistent", "status"],
                     ["--config", self.node.file, "status"],  # which of the two nodes?
                     ["--config", self.node.file, "--node", "n3", "status"]):
            with self.subTest(args):
                done = ctl(*args)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr)
        self.assertEqual(ctl("--help").returncode, 0)

    def test_an_unknown_command_is_named_with_the_nearest_one(self):
        for args, named, hint in ((["stats"], "stats", 'did you mean "status"?'),
                                  (["--config", self.node.file, "descisions"], "descisions", '"decisions"?'),
                                  (["--json", "tere", "--node", "n1"], "tere", '"tree"?'),
                                  (["frobnicate"], "frobnicate", "--help lists")):
            with self.subTest(args):
                done = ctl(*args)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f'there is no command "{named}"', done.stderr)
                self.assertIn(hint, done.stderr)

    def test_versions(self):
        for program in (suite.CTL, suite.NODE):
            done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=suite.PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^{program.name} \d+\.\d+\.\d+\n$")

    def test_unreachable(self):
        for args in (["--config", self.node.file, "--node", "n2"], ["--admin", "http://127.0.0.1:1"]):
            done = ctl(*args, "status")
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("cannot reach", done.stderr)


class Guards(unittest.TestCase):
    def test_without_a_token_a_strange_host_is_refused(self):
        with Node() as node:
            self.assertEqual(fetch(node.admin_port, "/v1/status", host=f"127.0.0.1:{node.admin_port}").status, 200)
            self.assertEqual(fetch(node.admin_port, "/v1/status", host="evil.example").status, 421)
            self.assertEqual(fetch(node.admin_port, "/v1/drain", "Content-Type: text/plain", method="POST",
                                   host="localhost", body=b"{}").status, 415)
            self.assertEqual(node.ctl_json("status")["state"], "serving")

    def test_reload_and_drain(self):
        with Node() as node:
            self.assertEqual(node.ctl_json("reload"), {"reloaded": True})
            self.assertEqual(node.ctl_json("drain", "n1"), {"draining": True})
            self.assertEqual(node.wait(), 0)
            self.assertEqual(node.ctl("status", check=False).returncode, 3)


if __name__ == "__main__":
    suite.main()
