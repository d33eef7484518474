"""Kills under load: what was killed comes back with its name, nothing else notices, and too many kills escalate."""
import json
import time
import unittest

from support import suite
from support.load import Load
from support.node import Node
from support.suite import eventually
from support.wire import Closed, ControlWire, Wire, fetch


class Kills(unittest.TestCase):
    """Three kills per node: its root allows no more within five seconds."""

    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.close)
        self.port = self.node.port()

    def kill(self, name, path=None):
        """Kills, and waits until its successor runs. Returns the entry of that."""
        path = path or name
        before = self.node.tree()[path]
        killed = self.node.ctl_json("kill", name)["killed"]
        self.assertEqual(killed, before["actor"])

        def successor():
            entry = self.node.tree().get(path)
            return entry if entry and entry["state"] == "running" and entry["actor"] != killed else None
        after = eventually(successor, f"{path} runs again")
        self.assertEqual(after["restarts"], before["restarts"] + 1)
        self.assertIn("kill", after["last_end"])
        return after

    def members(self, group):
        return next((x["members"] for x in self.node.ctl_json("groups") if x["group"] == group), [])

    def served(self, path="/hello"):
        try:
            return fetch(self.port, path, timeout=5).status == 200
        except (Closed, OSError):
            return False

    def assert_untouched(self, load):
        before = load.count
        eventually(lambda: load.count > before + 10, "the load goes on")
        self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))

    def test_a_connection(self):
        listener = f"http/listener/n1:{self.port}/loop-0"
        with Load(self.port, clients=2) as load:
            names = set()

            def fresh(prefix=listener + "/conn-"):
                return {path for path in self.node.tree() if path.startswith(prefix)}
            eventually(lambda: len(fresh()) == 2, "the load is connected")
            names = fresh()
            with Wire(self.port) as first:
                first.get("/hello")
                mine, = fresh() - names
                with Wire(self.port) as second:
                    second.get("/hello")
                    self.node.ctl("kill", mine)
                    self.assertTrue(first.at_end())
                    self.assertEqual(second.get("/hello").status, 200)
            eventually(lambda: mine not in self.node.tree(), "it is gone from the tree")
            self.assert_untouched(load)
        self.assertEqual(self.node.metric("caf_http_connection_crashes_total"), 1)

    def test_a_listener(self):
        for path in (f"http/listener/n1:{self.port}/loop-0", f"http/listener/n1:{self.port}", "http/listener"):
            with Wire(self.port) as wire, Load(self.port, clients=2) as load:
                wire.get("/hello")
                self.kill(path)
                self.assertTrue(wire.at_end())  # its connections go with it
                before = load.count
                eventually(lambda: load.count > before + 10, "clients connected again")
                self.assertEqual(load.refused, 0)  # the port was open all the time
                self.assertLessEqual(len(load.lost), 2)
            self.assertTrue(self.served())

    def test_greeter(self):
        with Load(self.port) as load, Load(self.port, "/greet?name=Ada", clients=2) as greeted:
            eventually(lambda: greeted.count > 10, "it is asked")
            self.kill("greeter", "demo/greeter")
            eventually(lambda: self.served("/greet?name=Ada"), "it answers again")
            before = greeted.answered[200]
            eventually(lambda: greeted.answered[200] > before + 10, "its clients go on")
            self.assertEqual((greeted.lost, greeted.refused), ([], 0))
            self.assertLessEqual(set(greeted.answered), {200, 502, 503})
            self.assert_untouched(load)
        self.assertEqual(self.node.ask("greeter", {"name": "Ada"}), {"greeting": "Hello, Ada!"})

    def test_the_registry(self):
        with Load(self.port, "/greet?name=Ada") as load:
            eventually(lambda: load.count > 10, "it runs")
            self.kill("registry")
            self.assert_untouched(load)
        names = {entry["name"] for entry in self.node.ctl_json("names")}
        self.assertLessEqual({"registry", "greeter", "counter", "ticker", "admin.n1"}, names)

    def test_the_web_tier(self):
        with Load(self.port) as load:
            eventually(lambda: load.count > 10, "it runs")
            self.kill("http")
            before = load.count
            eventually(lambda: load.count > before + 10, "it serves again")
            self.assertEqual(load.refused, 0)
        self.assertEqual(self.node.stop(), 0)

    def test_admin_and_loops(self):
        with Load(self.port) as load, Load(self.port, "/greet?name=Ada", clients=2) as actor:
            self.kill("admin.n1", "admin/admin.n1")
            eventually(lambda: self.node.ctl("status", check=False).returncode == 0, "caf-ctl works again")
            self.kill("loops/loop-0")
            self.kill("loops")
            before = self.node.tree()["admin"]["actor"]
            self.node.ctl("kill", "admin", check=False)  # it may be gone before it has answered
            eventually(lambda: self.node.ctl("status", check=False).returncode == 0
                       and self.node.tree()["admin"]["actor"] != before, "the admin interface is back")
            self.assert_untouched(load)
            self.assert_untouched(actor)
        self.assertEqual(self.node.stop(), 0)

    def test_the_demo_supervisor(self):
        members = self.members("ticks")
        self.kill("demo")
        eventually(lambda: self.served("/greet?name=Ada"), "its children are back")
        self.assertEqual(self.node.ask("counter", {"method": "get"}), {"value": 0})
        eventually(lambda: len(self.members("ticks")) == 2, "members have joined again")
        self.assertFalse(set(members) & set(self.members("ticks")))

    def test_a_crash_loses_the_state_and_nothing_else(self):
        for value in (1, 2):
            self.assertEqual(self.node.ask("counter", {"method": "add"}), {"value": value})
        done = self.node.ctl("ask", "counter", '{"method": "crash"}', check=False)
        self.assertEqual(done.returncode, 1)
        eventually(lambda: self.node.tree()["demo/counter"]["restarts"] == 1, "it was restarted")
        self.assertEqual(self.node.ask("counter", {"method": "get"}), {"value": 0})


class Intensity(unittest.TestCase):
    """Three restarts within five seconds are allowed; delays are 0, 100 ms, 200 ms, give or take a tenth."""

    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.close)
        self.control = ControlWire(self.node.control)
        self.addCleanup(self.control.close)

    def get(self, path):
        return json.loads(self.control.get(path, host="localhost").body)

    def entry(self, path):
        return {entry["path"]: entry for entry in self.get("/v1/tree")}.get("root/" + path)

    def holder(self, name):
        return next((entry["actor"] for entry in self.get("/v1/names") if entry["name"] == name), None)

    def kill(self, name):
        """Returns the actor that was killed, and how long its successor took to hold the name."""
        actor = eventually(lambda: self.holder(name), f"{name} is there")
        started = time.monotonic()
        answer = self.control.get("/v1/kill", "Content-Type: application/json", method="POST", host="localhost",
                                  body=json.dumps({"name": name}).encode())
        self.assertEqual(json.loads(answer.body), {"killed": actor})
        eventually(lambda: self.holder(name) not in (None, actor), f"{name} is back")
        return actor, time.monotonic() - started

    def test_backoff_then_escalation(self):
        demo = self.entry("demo")["actor"]
        began = time.monotonic()
        for restarts, least in ((1, 0), (2, 0.09), (3, 0.18)):
            _, took = self.kill("counter")
            self.assertGreaterEqual(took, least)
            self.assertEqual(self.entry("demo/counter")["restarts"], restarts)
            self.assertEqual(self.entry("demo")["actor"], demo)
        greeter = self.holder("greeter")
        self.kill("counter")
        self.assertLess(time.monotonic() - began, 5)  # else the fourth was allowed, and this test says nothing
        after = self.entry("demo")
        self.assertNotEqual(after["actor"], demo)
        self.assertEqual((after["restarts"], self.entry("demo/counter")["restarts"]), (1, 0))
        self.assertIn("more than 3", after["last_end"])
        eventually(lambda: self.holder("greeter") not in (None, greeter), "its siblings were restarted with it")
        self.assertIn("demo/counter", self.node.log())  # restarts are logged with their path
        self.assertIn("gave up", self.node.log())

    def test_kills_that_are_far_apart_never_escalate(self):
        demo = self.entry("demo")["actor"]
        times = []
        for restarts in range(1, 6):
            while len(times) >= 3 and time.monotonic() - times[-3] < 5.5:
                time.sleep(0.05)  # the distance is what is tested
            times.append(time.monotonic())
            self.kill("counter")
            self.assertEqual(self.entry("demo/counter")["restarts"], restarts)
        self.assertEqual(self.entry("demo")["actor"], demo)

    def test_what_never_stops_ends_the_node(self):
        while self.node.alive():
            try:
                self.kill("counter")
            except (Closed, OSError, AssertionError):
                break
        self.assertEqual(self.node.wait(), 1)
        self.assertIn("the root supervisor gave up", self.node.log())


if __name__ == "__main__":
    suite.main()
