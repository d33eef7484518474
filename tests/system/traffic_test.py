"""Much at once: long messages both ways while heartbeats hold, a peer that takes nothing, asks by the million."""
import os
import signal
import subprocess
import sys
import time
import unittest

from support import suite
from support.breaker import Breaker
from support.cluster import Cluster
from support.suite import eventually

# The contract's 1,000,000; fewer in an ordinary run.
ASKS = int(os.environ.get("CAF_APP_CLUSTER_ASKS", "100000"))

BREAKS = int(os.environ.get("CAF_APP_CLUSTER_BREAKS", "10"))

# The contract's 30 s; a short dose in an ordinary run.
BUSY_SECONDS = float(os.environ.get("CAF_APP_CLUSTER_BUSY_SECONDS", "4"))

MEGABYTE = 1 << 20


class Traffic(unittest.TestCase):
    def start(self, cluster=""):
        self.cluster = Cluster({"a": [], "b": []}, cluster=cluster, program=suite.CLUSTER_NODE)
        self.addCleanup(self.cluster.close)
        self.cluster.start().together()
        for one, other in (("a", "b"), ("b", "a")):
            eventually(lambda: any(x["name"] == f"probe-{other}" for x in self.cluster[one].ctl_json("names")),
                       "probes know each other")

    def probe(self, node, method, **params):
        return self.cluster[node].ask("here", {"method": method, "params": params})

    def finish(self, node, timeout=3 * suite.PATIENCE):
        eventually(lambda: self.probe(node, "loaded")["done"], "all asks have ended", timeout)
        return self.probe(node, "loaded")

    def test_long_messages_both_ways_do_not_delay_heartbeats(self):
        self.start()
        for node, other in (("a", "b"), ("b", "a")):
            self.probe(node, "load", target=f"probe-{other}", in_flight=4, total=100, size=1 << 20, timeout_ms=60000)
        for node in "ab":
            self.assertEqual(self.finish(node)["good"], 100)
        for node in "ab":
            self.assertEqual(self.cluster[node].metric("caf_cluster_links_lost_total"), 0)
            self.assertNotIn("suspect", self.cluster[node].log())

    def test_busy_cores_and_long_messages_are_no_death(self):
        self.start()
        burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        for burner in burners:
            self.addCleanup(burner.wait)
            self.addCleanup(burner.kill)
        for node, other in (("a", "b"), ("b", "a")):
            self.probe(node, "watch", **{"from": f"probe-{other}", "count": 100})
            self.probe(node, "load", target=f"probe-{other}", in_flight=4, total=10_000_000, size=MEGABYTE,
                       timeout_ms=60000)
        began = time.monotonic()
        while time.monotonic() < began + BUSY_SECONDS or any(
                self.probe(node, "loaded")["good"] < 100 for node in "ab"):
            time.sleep(0.2)
            self.assertLess(time.monotonic(), began + BUSY_SECONDS + 2 * suite.PATIENCE, "100 MB each way")
        for node in "ab":
            self.assertEqual(self.probe(node, "loaded")["errors"], {})
            self.assertEqual(self.cluster[node].metric("caf_cluster_links_lost_total"), 0)
            self.assertEqual(set(self.probe(node, "downs")), {"watching", "twice"})
            self.assertNotRegex(self.cluster[node].log(), r"node \S+ lost")  # names may be, while they meet
            self.probe(node, "load", target="here", in_flight=1, total=1)  # ends the other load

    def test_messages_around_max_frame(self):
        self.start('max_frame = "64KiB"\nlink_buffer = "1MiB"')
        self.probe("a", "load", target="probe-b", in_flight=1, total=3, size=60000)
        self.assertEqual(self.finish("a")["good"], 3)
        self.probe("a", "load", target="probe-b", in_flight=1, total=3, size=66000)
        self.assertEqual(self.finish("a")["errors"], {"malformed message": 3})
        self.assertEqual(self.cluster["a"].metric("caf_cluster_links_lost_total"), 0)

    def test_a_peer_that_takes_nothing_costs_a_bounded_amount_and_is_cut(self):
        self.start('link_buffer = "32MiB"\nacceptable_pause = "1m"\nstall_timeout = "2s"')
        self.cluster["b"].signal(signal.SIGSTOP)
        before = self.cluster["a"].rss_kib()
        self.probe("a", "load", target="probe-b", in_flight=200, total=200, size=1 << 20, timeout_ms=60000)
        errors = self.finish("a")["errors"]
        self.assertGreater(errors["too much waits for the target's node already"], 100)
        self.assertLess(self.cluster["a"].rss_kib() - before, 160 * 1024)
        self.assertIn("takes nothing", self.cluster["a"].log())
        self.cluster["b"].signal(signal.SIGCONT)
        self.cluster.together()

    def test_broken_links_answer_every_ask_and_watches_survive_them(self):
        self.cluster = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(self.cluster.close)
        with Breaker(self.cluster.ports["b"]) as breaker:
            self.cluster.start("b")
            listens = self.cluster.ports["b"]
            self.cluster.ports["b"] = breaker.port  # what the dialler reads
            self.cluster.start("a")
            self.cluster.ports["b"] = listens
            self.cluster.together()
            eventually(lambda: any(x["name"] == "probe-b" for x in self.cluster["a"].ctl_json("names")), "b is known")
            self.probe("a", "watch", **{"from": "probe-b", "count": 100})
            self.probe("a", "load", target="probe-b", in_flight=64, total=10_000_000, timeout_ms=2000, pause_ms=1)
            for broken in range(BREAKS):
                good = self.probe("a", "loaded")["good"]
                eventually(lambda: self.probe("a", "loaded")["good"] > good + 100, "asks are answered")
                self.assertEqual(breaker.break_all(), 1)
                eventually(lambda: self.cluster["a"].metric("caf_cluster_links_up_total") == broken + 2, "it is back")
            self.probe("a", "load", target="probe-b", in_flight=1, total=1)
            self.finish("a")
            eventually(lambda: self.cluster["a"].metric("caf_cluster_pending_requests") == 0, "nothing is pending")
            downs = self.probe("a", "downs")
            self.assertEqual((downs["watching"], downs["twice"], len(downs)), (100, 0, 2))

    def test_many_asks_with_timeouts_and_dead_targets_leave_nothing(self):
        self.start()
        load = {"target": "probe-b", "in_flight": 64, "timeout_ms": 5000, "mute_every": 700, "dead_every": 500}
        self.probe("a", "load", **load, total=ASKS // 5)
        self.finish("a")
        before = self.cluster["a"].rss_kib()
        self.probe("a", "load", **load, total=ASKS)
        result = self.finish("a", 600)
        self.assertEqual(set(result["errors"]), {"deadline passed", "no such process"})
        self.assertEqual(result["good"] + sum(result["errors"].values()), ASKS)
        eventually(lambda: self.cluster["a"].metric("caf_cluster_pending_requests") == 0, "nothing is pending")
        self.assertLess(self.cluster["a"].rss_kib(), before * 1.05 + 1024)


if __name__ == "__main__":
    suite.main()
