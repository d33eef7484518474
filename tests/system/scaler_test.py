"""The number of web instances follows the load, and no request is lost when it changes."""
import contextlib
import os
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
from support.scaled import FreshLoad, Scaled, wrk
from support.suite import eventually
from support.up import exists
from support.wire import Closed, Wire, fetch


class Background:
    """Runs a function on a thread. result: what it returned."""

    def __init__(self, call, *args):
        self.result = None

        def run():
            self.result = call(*args)
        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def wait(self):
        self.thread.join(2 * suite.PATIENCE)
        return self.result


class Growth(unittest.TestCase):
    def test_a_blocked_loop_gets_help_and_the_quiet_one_goes_again(self):
        with Scaled() as node:
            node.wait_count(1)
            alone = wrk(node.port(), "/test/block?ms=2", 8, 1)
            load = Background(wrk, node.port(), "/test/block?ms=2", 64, 9)
            started = time.monotonic()
            eventually(lambda: node.count() >= 2, "a second instance serves", 10)
            self.assertLess(time.monotonic() - started, 4)
            node.wait_count(3)
            rate, errors, bad = load.wait()
            self.assertEqual((errors, bad), (0, 0))
            self.assertEqual((alone[1], alone[2]), (0, 0))
            whole = wrk(node.port(), "/test/block?ms=2", 64, 2)
            self.assertEqual((whole[1], whole[2]), (0, 0))
            self.assertGreater(whole[0], 2.2 * alone[0])
            for name, pid in node.instance_pids().items():
                with open(f"/proc/{pid}/status") as status:
                    rss = int(next(line for line in status if line.startswith("VmRSS")).split()[1])
                if not suite.SANITIZED:
                    self.assertLess(rss, 30 * 1024, name)
            node.wait_count(1, 25)
            self.assertEqual(node.listeners(), 1)
            actions = [d["action"] for d in node.decisions() if d["applied"] and d["action"] in ("grow", "shrink")]
            self.assertEqual(actions, ["grow", "grow", "shrink", "shrink"])
            for decision in node.decisions():
                self.assertTrue(decision["reason"] and decision["inputs"])
            self.assertEqual(node.metrics()['caf_scaler_instances{state="ready",target="web/n1"}'], 1)

    def test_a_sweep_of_connections_is_followed_up_and_back(self):
        with Scaled() as node:
            node.wait_count(1)
            rates = {}
            for connections, seconds in ((1, 2), (8, 4), (64, 4), (1024, 4)):
                rates[connections], *bad = wrk(node.port(), "/test/block?ms=2", connections, seconds)
                self.assertEqual(bad, [0, 0], connections)
            self.assertEqual(node.count(), 3)
            for _ in range(3):  # the machine may be busy with others: then none of the three gets its time
                if rates[1024] > 2.5 * rates[1]:
                    break
                again, *bad = wrk(node.port(), "/test/block?ms=2", 1024, 3)
                self.assertEqual(bad, [0, 0])
                rates[1024] = max(rates[1024], again)
            print({connections: round(rate) for connections, rate in rates.items()})
            self.assertGreater(rates[1024], 2.5 * rates[1])
            node.wait_count(1, 25)

    def test_a_burst_has_help_within_a_second(self):
        with Scaled() as node:
            took = []
            while len(took) < 3 and (not took or min(took) > 1.0):  # the machine may be busy with others
                node.wait_count(1)
                load = Background(wrk, node.port(), "/test/block?ms=2", 256, 4)
                started = time.monotonic()
                eventually(lambda: node.count() >= 2, "a second instance serves", 10)
                took.append(time.monotonic() - started)
                self.assertEqual(load.wait()[1:], (0, 0))
            print("second instance after", ", ".join(f"{seconds:.2f} s" for seconds in took))
            self.assertLess(min(took), 1.0 if not suite.SANITIZED else 5)

    def test_an_order_wins_and_is_checked(self):
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            self.assertEqual(node.listeners(), 3)
            self.assertEqual(node.state()["pinned"], 3)
            for bad, status in (("0", 2), ("4", 1), ("x", 2)):
                self.assertEqual(node.ctl("scale", bad, check=False).returncode, status)
            node.scale("auto")
            node.wait_count(1)
            self.assertIsNone(node.state()["pinned"])

    def test_a_dry_run_decides_and_does_nothing(self):
        with Scaled({"dry_run": "true"}) as node:
            self.assertEqual(wrk(node.port(), "/test/block?ms=2", 64, 3)[1:], (0, 0))
            self.assertEqual(node.count(), 1)
            wished = [d for d in node.decisions() if d["action"] == "grow"]
            self.assertTrue(wished)
            self.assertFalse([d for d in wished if d["applied"]])


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
            for pause in (0, 0.5, 1.5):  # before it steers, while it does, while its listeners look around
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

    def test_the_same_when_closing_sockets_hand_over_their_queue(self):
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            self.skipTest("no right to make a network namespace")
        script = "ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_migrate_req && exec \"$@\""
        done = subprocess.run(["unshare", "-n", "sh", "-c", script, "sh", sys.executable, "-B", __file__,
                               "cycles_under_load"], capture_output=True, text=True, timeout=3600)
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
                eventually(lambda: node.listeners() == 1, "its socket is gone")
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


class Others(unittest.TestCase):
    def test_requests_that_wait_for_others_start_nobody(self):
        slow = SITE + '''
  [[http.site.route]]
  path = "/slow"
  actor = "slow"
  face = "http"
'''
        with Scaled(site=slow, program=suite.MISBEHAVING_NODE) as node, \
                Load(node.port(), "/slow?ms=50", clients=32) as load:
            eventually(lambda: node.state()["verdict"] == "slow_upstream", "it is seen who is slow")
            time.sleep(2)
            self.assertEqual(node.count(), 1)
            load.stop()
            self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))
            self.assertFalse([d for d in node.decisions() if d["action"] == "grow"])


    def test_a_slow_upstream_at_full_queue_starts_nobody_and_refuses_early(self):
        def slow(connection, _):
            time.sleep(0.05)
            return connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow")
        origin = Origin({"*": slow})
        self.addCleanup(origin.close)
        site = upstream("api", [f"http://127.0.0.1:{origin.port}"],
                        'max_conns = 2\nqueue = 8\nqueue_timeout = "5s"') + SITE + route("/api", 'proxy = "api"')
        with Scaled(site=site) as node, Load(node.port(), "/api", clients=24) as load:
            eventually(lambda: node.state()["verdict"] == "upstream_bound", "it is seen who is full")
            took = []
            while len(took) < 10:
                started = time.monotonic()
                if fetch(node.port(), "/api").status == 503:
                    took.append(time.monotonic() - started)
            self.assertLess(sorted(took)[5], 0.5)
            time.sleep(2)
            self.assertEqual(node.count(), 1)
            load.stop()
            self.assertEqual((load.lost, load.refused), ([], 0))
            self.assertEqual(set(load.answered), {200, 503})
            self.assertFalse([d for d in node.decisions() if d["action"] == "grow"])


class Balance(unittest.TestCase):
    def test_sticky_connections_are_spread(self):
        with Scaled({"quiet_window": '"30s"', "max_instances": "2"}) as node, \
                Load(node.port(), "/test/block?ms=2", clients=8) as load:
            node.wait_count(2)

            def spread():
                counts = [x["connections"] for x in node.state()["instances"]]
                return len(counts) == 2 and min(counts) >= 2
            eventually(spread, "both have connections", 8)
            load.stop()
            self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))


if __name__ == "__main__":
    suite.main()
