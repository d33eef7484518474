"""What a cluster does when nodes die, freeze or restart: watches end once, asks end in time, names find a holder."""
import signal
import time
import unittest

from support import suite
from support.cluster import Cluster
from support.suite import eventually

WATCHED = 1000


def probe(cluster, name, method, **params):
    return cluster[name].ask("here", {"method": method, "params": params})


def known(cluster, seen_by, name):
    return any(entry["name"] == name for entry in cluster[seen_by].ctl_json("names"))


def watching(cluster, watcher, watched, count=WATCHED):
    """`watcher` watches `count` actors of `watched`."""
    eventually(lambda: known(cluster, watcher, f"probe-{watched}"), "the probe is known")
    before = probe(cluster, watcher, "downs").get("watching", 0)
    probe(cluster, watcher, "watch", **{"from": f"probe-{watched}", "count": count})
    eventually(lambda: probe(cluster, watcher, "downs").get("watching", 0) == before + count, "all are watched")


def downs(cluster, watcher):
    """Reason -> count, without the books of the probe itself."""
    return {reason: count for reason, count in probe(cluster, watcher, "downs").items()
            if reason not in ("watching", "twice")}


class Ends(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(self.cluster.close)
        self.cluster.start().together()

    def test_kill_gives_each_watch_one_down_within_three_seconds(self):
        watching(self.cluster, "a", "b")
        self.cluster["b"].process.kill()
        began = time.monotonic()
        eventually(lambda: sum(downs(self.cluster, "a").values()) == WATCHED, "all watches ended")
        self.assertLess(time.monotonic() - began, 3.5)  # with the time of caf-ctl itself
        self.assertEqual((list(downs(self.cluster, "a")), probe(self.cluster, "a", "downs")["twice"]),
                         (["noconnection"], 0))
        self.assertEqual(len(self.cluster.members("a")), 2)  # of two nodes nobody may declare the other down

    def test_an_announced_leave_is_told_as_such(self):
        watching(self.cluster, "a", "b", 10)
        self.assertEqual(self.cluster["b"].stop(), 0)
        eventually(lambda: sum(downs(self.cluster, "a").values()) == 10, "all watches ended")
        self.assertEqual(list(downs(self.cluster, "a")), ["the target's node has left the cluster"])
        states = [entry["state"] for entry in self.cluster["a"].ctl_json("nodes")]
        self.assertEqual(sorted(states), ["left", "up"])

    def test_a_frozen_node_is_lost_within_six_seconds_and_comes_back(self):
        watching(self.cluster, "a", "b")
        self.cluster["b"].signal(signal.SIGSTOP)
        began = time.monotonic()
        eventually(lambda: sum(downs(self.cluster, "a").values()) == WATCHED, "all watches ended")
        self.assertLess(time.monotonic() - began, 6.5)
        time.sleep(max(0.0, began + 10 - time.monotonic()))
        self.cluster["b"].signal(signal.SIGCONT)
        self.cluster.together()
        self.assertEqual(sum(downs(self.cluster, "a").values()), WATCHED)
        watching(self.cluster, "a", "b", 10)

    def test_a_node_restarts_on_the_same_address(self):
        for _ in range(3):
            self.cluster.start("b").together()
            eventually(lambda: known(self.cluster, "a", "probe-b"), "its name is found again")
            watching(self.cluster, "a", "b", 10)
            eventually(lambda: {entry["health"] for entry in self.cluster["a"].ctl_json("nodes")} <=
                       {"self", "reachable", "gone"}, "the life before was given up")
            eventually(lambda: len(self.crowd("a").get("b", [])) == 1, "its member of the group is known again")
        self.assertEqual(probe(self.cluster, "a", "downs")["twice"], 0)

    def crowd(self, seen_by):
        """Other node -> its members of the group."""
        return next((entry.get("remote", {}) for entry in self.cluster[seen_by].ctl_json("groups")
                     if entry["group"] == "crowd"), {})

    def test_asks_end_in_time_whatever_happens(self):
        eventually(lambda: known(self.cluster, "a", "probe-b"), "the probe is known")
        for signal_number in (signal.SIGKILL, signal.SIGTERM):
            probe(self.cluster, "a", "load", target="probe-b", in_flight=64, total=1_000_000, timeout_ms=1000,
                  mute_every=100, dead_every=150)
            eventually(lambda: probe(self.cluster, "a", "loaded")["good"] > 100, "asks are answered")
            self.cluster["b"].signal(signal_number)
            self.cluster["b"].wait()
            errors = probe(self.cluster, "a", "loaded")["errors"]
            self.assertEqual(set(errors) - {"deadline passed", "no such process", "noconnection", "not found",
                                            "the target's node has left the cluster",
                                            "the target failed after it had taken the message"}, set())
            self.cluster.start("b").together()
            eventually(lambda: known(self.cluster, "a", "probe-b"), "its name is found again")
        probe(self.cluster, "a", "load", target="probe-b", in_flight=1, total=1)
        eventually(lambda: probe(self.cluster, "a", "loaded")["done"], "all asks have ended")


class Names(unittest.TestCase):
    def test_three_nodes_have_one_holder_and_lose_no_name_when_one_dies(self):
        with Cluster({"a": [], "b": [], "c": []}, program=suite.CLUSTER_NODE) as cluster:
            cluster.start().together()
            for _ in range(2):
                holder = eventually(lambda: self.agreed(cluster), "all agree on one holder")
                cluster[holder].process.kill()
                others = [name for name in cluster.nodes if name != holder]
                eventually(lambda: self.agreed(cluster, others) not in (None, holder), "another one holds it")
                cluster.start(holder).together()

    @staticmethod
    def agreed(cluster, names=None):
        """The node that holds `prize` as all nodes say, else None."""
        seen = {next((entry.get("node") for entry in cluster[name].ctl_json("names") if entry["name"] == "prize"),
                     None) for name in names or cluster.nodes}
        return seen.pop() if len(seen) == 1 else None


if __name__ == "__main__":
    suite.main()
