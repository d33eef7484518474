"""Cuts that drop packets and tell nobody, between nodes in network namespaces of their own."""
import time
import unittest

from support import netns, suite
from support.cluster import Cluster
from support.suite import eventually


@unittest.skipUnless(netns.usable(), "network namespaces cannot be made here")
class Partition(unittest.TestCase):
    def setUp(self):
        self.net = netns.Net(["a", "b", "c"])
        self.addCleanup(self.net.close)
        self.cluster = Cluster({"a": [], "b": [], "c": []}, cluster="insecure = true", hosts=self.net.hosts,
                               program=suite.CLUSTER_NODE)
        self.addCleanup(self.cluster.close)
        for name in ("a", "b", "c"):
            self.cluster.start(name, prefix=self.net.exec(name))
        self.cluster.together()

    def holder(self, seen_by, name="prize"):
        return next((entry.get("node") for entry in self.cluster[seen_by].ctl_json("names")
                     if entry["name"] == name), None)

    def agreed(self, names):
        seen = {self.holder(name) for name in names}
        return seen.pop() if len(seen) == 1 else None

    def probe(self, node, method, **params):
        return self.cluster[node].ask("here", {"method": method, "params": params})

    def test_the_side_of_one_gives_its_names_up_and_one_holder_is_left_after_the_heal(self):
        alone = eventually(lambda: self.agreed("abc"), "all agree on the holder")
        others = [name for name in "abc" if name != alone]
        self.probe(others[0], "watch", **{"from": f"probe-{alone}", "count": 10})
        eventually(lambda: self.probe(others[0], "downs").get("watching") == 10, "all are watched")
        began = time.monotonic()
        self.net.split([alone], others)
        eventually(lambda: self.probe(others[0], "downs").get("noconnection") == 10, "the watches ended")
        self.assertLess(time.monotonic() - began, 6.5)
        eventually(lambda: self.agreed(others) in others, "the majority has granted the name again")
        eventually(lambda: self.holder(alone) is None, "the side of one gave it up")
        lost = self.cluster[alone].ask("prize-here", {"method": "lost"})
        self.assertEqual(lost, ["prize"])
        before = self.cluster[alone].pid
        self.net.heal()
        self.cluster.together()
        eventually(lambda: self.agreed("abc") in others, "one holder is left")
        self.assertEqual(self.probe(others[0], "downs")["twice"], 0)
        self.assertTrue(self.cluster[alone].alive() and self.cluster[alone].pid == before)

    def test_a_cut_in_one_direction_is_noticed_on_both_sides(self):
        eventually(lambda: self.agreed("abc"), "all agree on the holder")
        eventually(lambda: self.holder("a", "probe-b") == "b" and self.holder("b", "probe-a") == "a", "probes are known")
        for watcher, watched in (("a", "b"), ("b", "a")):
            self.probe(watcher, "watch", **{"from": f"probe-{watched}", "count": 10})
            eventually(lambda: self.probe(watcher, "downs").get("watching") == 10, "all are watched")
        self.net.cut("a", "b")
        for watcher in "ab":
            eventually(lambda: self.probe(watcher, "downs").get("noconnection") == 10, f"{watcher} noticed", 12)
        self.net.heal()
        self.cluster.together()

    def test_a_partial_cut_leaves_one_holder(self):
        eventually(lambda: self.agreed("abc"), "all agree on the holder")
        self.net.split(["a"], ["b"])
        eventually(lambda: not self.cluster.members("a").get("b", {}).get("linked"), "a lost b")
        time.sleep(2)
        holders = [name for name in "abc" if self.holder(name) == name]
        self.assertLessEqual(len(holders), 1)
        self.net.heal()
        self.cluster.together()
        eventually(lambda: self.agreed("abc"), "all agree again")

    def test_names_lead_to_their_holders_again_after_a_partial_cut(self):
        coordinator = next(name for name, entry in self.cluster.members("a").items() if entry["coordinator"])
        pair = [name for name in "abc" if name != coordinator]  # nobody declares either of them down
        for node, other in (pair, reversed(pair)):
            eventually(lambda: self.holder(node, f"probe-{other}") == other, "probes are known")
        self.net.split(pair[:1], pair[1:])
        for node, other in (pair, reversed(pair)):
            eventually(lambda: self.cluster.members(node)[other]["health"] == "lost", f"{node} gave {other} up")
        self.net.heal()
        self.cluster.together()
        for node, other in (pair, reversed(pair)):
            eventually(lambda: self.cluster[node].ctl("ask", f"probe-{other}", '{"method": "downs"}',
                                                      check=False).returncode == 0, f"{node} reaches {other} by name")


@unittest.skipUnless(netns.usable(), "network namespaces cannot be made here")
class TwoNodes(unittest.TestCase):
    """Without a majority each side of a split goes on alone."""

    def setUp(self):
        self.net = netns.Net(["a", "b"])
        self.addCleanup(self.net.close)
        self.cluster = Cluster({"a": [], "b": []}, cluster="insecure = true", hosts=self.net.hosts,
                               program=suite.CLUSTER_NODE)
        self.addCleanup(self.cluster.close)
        for name in "ab":
            self.cluster.start(name, prefix=self.net.exec(name))
        self.cluster.together()

    def holder(self, seen_by):
        return next((entry.get("node") for entry in self.cluster[seen_by].ctl_json("names")
                     if entry["name"] == "prize"), None)

    def crowd(self, seen_by):
        """Nodes that have a member of the group."""
        for entry in self.cluster[seen_by].ctl_json("groups"):
            if entry["group"] == "crowd":
                return {node for node, members in entry.get("remote", {}).items() if members} | \
                    ({seen_by} if entry["members"] else set())
        return set()

    def test_names_clash_after_a_heal_and_groups_come_back(self):
        eventually(lambda: self.holder("a") == self.holder("b") and self.holder("a"), "one holder")
        eventually(lambda: all(self.crowd(name) == {"a", "b"} for name in "ab"), "the group spans both")
        self.net.split(["a"], ["b"])
        eventually(lambda: (self.holder("a"), self.holder("b")) == ("a", "b"), "each side has a holder")
        eventually(lambda: self.crowd("a") == {"a"} and self.crowd("b") == {"b"}, "members of the other side are gone")
        self.net.heal()
        self.cluster.together()
        winner = eventually(lambda: self.holder("a") if self.holder("a") == self.holder("b") else None, "one is left")
        loser = "b" if winner == "a" else "a"
        eventually(lambda: self.cluster[loser].ask("prize-here", {"method": "lost"}) == ["prize"], "the other is told")
        self.assertEqual(self.cluster[winner].ask("prize-here", {"method": "lost"}), [])
        eventually(lambda: all(self.crowd(name) == {"a", "b"} for name in "ab"), "the group spans both again")


if __name__ == "__main__":
    suite.main()
