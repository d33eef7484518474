"""The life of web instances: orders, retirements that lose no request, what breaks and is repaired."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

from support import suite
from support.load import Load
from support.node import SITE
from support.origin import Origin, route, upstream
from support.scaled import FreshLoad, Scaled
from support.suite import eventually
from support.up import exists, stopped
from support.wire import Closed, Wire, fetch, request


class Orders(unittest.TestCase):
    def test_an_order_wins_and_is_checked(self):
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            self.assertEqual(node.listeners(), 3)
            self.assertEqual(node.state()["pinned"], 3)
            eventually(lambda: re.search(r"hold +3 -> 3 .*  pinned at 3(  x \d+ until \S+)?\n$",
                                         node.ctl("decisions").stdout), "the log says why nothing moves")
            self.assertRegex(node.log(), r" scaler#\d+: grow .*reason=pinned")
            self.assertNotIn("scheduled_actor", node.log())
            for bad, status in (("0", 2), ("4", 1), ("x", 2)):
                self.assertEqual(node.ctl("scale", bad, check=False).returncode, status)
            node.scale("auto")
            node.wait_count(1)
            self.assertIsNone(node.state()["pinned"])


class Shrinking(unittest.TestCase):
    """CAF_APP_CYCLES=50 makes it the long run: so many cycles, under 500 fresh connections per second and 64 that are
    kept alive."""

    def cycles(self, count):
        long = int(os.environ.get("CAF_APP_CYCLES", "0"))
        with Scaled() as node, FreshLoad(node.port(), 500 if long else 250) as fresh, \
                Load(node.port(), "/hello", clients=64 if long else 16) as kept:
            for _ in range(long or count):
                node.scale(3)
                node.wait_count(3)
                node.scale(1)
                node.wait_count(1)
            fresh.__exit__()
            kept.stop()
            self.assertGreater(fresh.count, 200)
            self.assertEqual(fresh.failed, [])
            self.assertEqual((kept.lost, kept.refused, list(kept.answered)), ([], 0, [200]))
            self.assertNotIn("steer_failed", [d["reason"] for d in node.decisions()])
            print(f"{long or count} cycles, {fresh.count} fresh connections, {kept.answered[200]} kept-alive requests")

    def test_cycles_under_load_lose_nothing(self):
        self.cycles(2)

    def test_a_retirement_is_taken_back(self):
        with Scaled() as node, FreshLoad(node.port(), 100) as fresh:
            node.scale(2)
            node.wait_count(2)
            pid = node.instance_pids()["n1.2"]
            for pause in (0, 0.5, 1.5):  # before it steers, while it does (1.0 s), while its listeners look around (2 s more)
                node.scale(1)
                eventually(lambda: node.instances("draining") == ["n1.2"], "it leaves")
                time.sleep(pause)
                node.scale(2)
                node.wait_count(2, 5)
                self.assertEqual(node.instance_pids()["n1.2"], pid)
            self.assertEqual(node.listeners(), 2)

            def both_get_connections():
                with contextlib.ExitStack() as stack:
                    for _ in range(16):
                        stack.enter_context(Wire(node.port())).get("/hello")
                    counts = {x["name"]: x["connections"] for x in node.state()["instances"]}
                    return min(counts.values()) >= 2
            eventually(both_get_connections, "connections come to it again")
            node.scale(1)
            node.wait_count(1)
            fresh.__exit__()
            self.assertEqual(fresh.failed, [])

    def test_requests_that_are_open_at_the_deadline_are_cut_and_counted(self):
        go_on = threading.Event()

        def late(connection, _):
            go_on.wait(suite.PATIENCE)
            return connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
        origin = Origin({"*": late})
        self.addCleanup(origin.close)
        self.addCleanup(go_on.set)
        site = upstream("api", [f"http://127.0.0.1:{origin.port}"]) + SITE + route("/api", 'proxy = "api"')
        with Scaled({"retire_deadline": '"5s"'}, site=site) as node, contextlib.ExitStack() as stack:
            node.scale(2)
            node.wait_count(2)
            wires = [stack.enter_context(Wire(node.port())).send(request("/api")) for _ in range(16)]

            def open_requests(*instance):
                return sum(value for key, value in node.metrics().items()
                           if key.startswith("caf_http_requests_in_flight") and all(name in key for name in instance))
            eventually(lambda: open_requests() == len(wires), "all are open")
            cut = open_requests('instance="n1.2"')
            self.assertGreaterEqual(cut, 2)
            node.scale(1)
            node.wait_count(1)
            name = 'caf_scaler_cut_requests_total{target="web/n1"}'
            eventually(lambda: node.metrics().get(name) == cut, "all of the second's are counted")
            eventually(lambda: sum(wire.has_ended() for wire in wires) == cut, "they have ended")
            go_on.set()
            answered = [wire.response().body for wire in wires if not wire.has_ended()]
            self.assertEqual(answered, [b"late"] * (len(wires) - int(cut)))

    def test_the_same_when_closing_sockets_hand_over_their_queue(self):
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            self.skipTest("no right to make a network namespace")
        script = "ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_migrate_req && exec \"$@\""
        done = subprocess.run(["unshare", "-n", "sh", "-c", script, "sh", sys.executable, "-B", __file__,
                               "cycles_under_load", "fresh_connections"], capture_output=True, text=True, timeout=3600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout, end="")


class Faults(unittest.TestCase):
    def test_a_killed_instance_takes_its_connections_only_and_is_replaced(self):
        with Scaled() as node:
            node.scale(2)
            node.wait_count(2)
            pid = node.instance_pids()["n1.2"]
            with contextlib.ExitStack() as stack:
                wires = [stack.enter_context(Wire(node.port())) for _ in range(24)]
                for wire in wires:
                    self.assertEqual(wire.get("/hello").status, 200)

                def connections():
                    return {x["name"]: x["connections"] for x in node.state()["instances"]}
                eventually(lambda: sum(connections().values()) == 24, "all connections are seen")
                before = connections()
                os.kill(pid, signal.SIGKILL)
                eventually(lambda: not exists(pid), "it has ended, and its sockets with it")
                for _ in range(20):
                    self.assertEqual(fetch(node.port(), "/hello").status, 200)
                lost = 0
                for wire in wires:
                    try:
                        self.assertEqual(wire.get("/hello").status, 200)
                    except (Closed, OSError):
                        lost += 1
                self.assertEqual(lost, before["n1.2"])
            eventually(lambda: node.instance_pids().get("n1.2") not in (None, pid), "it runs again")
            node.wait_count(2)
            self.assertEqual(node.state()["wanted"], 2)

    def test_a_kill_costs_fresh_connections_only_what_waits_in_the_queue_of_the_killed(self):
        with open("/proc/sys/net/ipv4/tcp_migrate_req", encoding="ascii") as sysctl:
            handed_over = sysctl.read().strip() == "1"
        with Scaled() as node, contextlib.ExitStack() as stack:
            node.scale(2)
            node.wait_count(2)
            pid = node.instance_pids()["n1.2"]
            os.kill(pid, signal.SIGSTOP)
            eventually(lambda: stopped(pid), "it accepts no more")
            wires = [stack.enter_context(Wire(node.port())).send(request("/hello")) for _ in range(40)]
            eventually(lambda: node.queued() + sum(wire.readable() for wire in wires) == 40, "all answered or queued")
            queued = node.queued()
            self.assertGreater(queued, 0)
            os.kill(pid, signal.SIGKILL)
            eventually(lambda: not exists(pid), "it has ended, and its sockets with it")
            lost = 0
            for wire in wires:
                try:
                    self.assertEqual(wire.response().status, 200)
                except (Closed, OSError):
                    lost += 1
            self.assertEqual(lost, 0 if handed_over else queued)
            node.wait_count(2)

    def test_killing_scaler_and_launcher_changes_nothing(self):
        with Scaled() as node:
            node.scale(2)
            node.wait_count(2)
            pids = node.instance_pids()
            before = node.tree()
            for name in ("scaler.web.n1", "launcher"):
                node.ctl("kill", name)
                eventually(lambda: fetch(node.port(), "/hello").status == 200, "it serves")
            eventually(lambda: node.tree()["launcher"]["actor"] != before["launcher"]["actor"], "it is there again")
            eventually(lambda: node.state()["wanted"] == 2, "the count is known again", 6)
            self.assertEqual(node.instance_pids(), pids)
            node.wait_count(2)
            node.scale(1)
            node.wait_count(1)
            self.assertFalse(exists(pids["n1.2"]))

    def test_a_frozen_instance_is_missing_and_recovers(self):
        with Scaled() as node:
            node.scale(2)
            node.wait_count(2)
            node.scale("auto")
            pid = node.instance_pids()["n1.2"]
            os.kill(pid, signal.SIGSTOP)
            eventually(lambda: node.state()["verdict"] == "unknown", "its samples are missing")
            time.sleep(3)
            self.assertEqual(len(node.instance_pids()), 1)
            os.kill(pid, signal.SIGCONT)
            eventually(lambda: node.state()["verdict"] != "unknown", "it is back")
            node.wait_count(1)

    def test_the_end_of_the_node_ends_all(self):
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            pids = list(node.instance_pids().values())
            self.assertEqual(node.stop(), 0)
            self.assertEqual([pid for pid in pids if exists(pid)], [])
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            pids = list(node.instance_pids().values())
            node.signal(signal.SIGKILL)
            node.wait()
            eventually(lambda: not [pid for pid in pids if exists(pid)], "all are gone", 1 if not suite.SANITIZED else 5)

    def test_an_instance_alone_is_told_what_it_needs(self):
        with Scaled() as node:
            for name in ("n1", "n1.x", "other.2", "n1.02"):
                done = subprocess.run(
                    [suite.NODE, "--config", node.file, "--name", "n1", "--instance", name],
                    capture_output=True, text=True, timeout=suite.PATIENCE)
                self.assertEqual(done.returncode, 2)
                self.assertIn("expected \"n1.<number>\"", done.stderr)


if __name__ == "__main__":
    suite.main()
