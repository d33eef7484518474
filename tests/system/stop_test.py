"""Stopping: what was received is answered, idle connections go, deadlines hold, a second signal ends at once."""
import signal
import time
import unittest

from support import suite
from support.load import Load
from support.node import Node, SITE, default_config
from support.suite import eventually
from support.wire import Closed, Wire, fetch, request

MISBEHAVING = SITE + """
  [[http.site.route]]
  path = "/slow"
  actor = "slow"
  face = "http"
"""


def misbehaving(limits="", cluster=""):
    return Node(default_config(limits, site=MISBEHAVING) + cluster, program=suite.MISBEHAVING_NODE)


class Stop(unittest.TestCase):
    def test_both_signals_and_drain_end_an_idle_node(self):
        for end in (lambda node: node.signal(signal.SIGTERM), lambda node: node.signal(signal.SIGINT),
                    lambda node: node.ctl("drain", "n1")):
            with Node() as node:
                end(node)
                self.assertEqual(node.wait(), 0)
                self.assertEqual(node.process.stdout.read(), b"")

    def test_under_load_every_request_is_answered(self):
        with Node() as node, Load(node.port(), clients=6) as load, \
                Load(node.port(), "/greet?name=Ada", clients=4) as actor:
            eventually(lambda: load.count > 100 and actor.count > 20, "the load runs")
            started = time.monotonic()
            self.assertEqual(node.stop(40), 0)
            self.assertLess(time.monotonic() - started, 30)
            for some in (load, actor):
                some.stop()
                self.assertEqual(some.lost, [])
                self.assertEqual(list(some.answered), [200])

    def test_what_is_in_flight_is_finished_and_says_close(self):
        with misbehaving() as node:
            with Wire(node.port()) as slow, Wire(node.port()) as half, Wire(node.port()) as idle:
                idle.get("/hello")
                slow.send(request("/slow?ms=1500"))
                half.send(b"POST /test/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
                eventually(lambda: node.ask("slow", {"method": "get"})["started"] == 1, "the request has arrived")
                node.signal(signal.SIGTERM)
                self.assertTrue(idle.at_end())
                eventually(lambda: fetch(node.port(), "/hello").closes, "new responses announce the end")
                half.send(b"cd")
                answer = half.response()
                self.assertEqual((answer.body, answer.closes), (b"abcd", True))
                answer = slow.response()
                self.assertEqual((answer.body, answer.closes), (b"slow\n", True))
                self.assertTrue(slow.at_end())
            self.assertEqual(node.wait(), 0)

    def test_readiness_goes_first(self):
        with misbehaving() as node, Wire(node.admin_port) as admin, Wire(node.port()) as slow:
            self.assertEqual(admin.get("/readyz", host="localhost").status, 200)
            slow.send(request("/slow?ms=1500"))
            eventually(lambda: node.ask("slow", {"method": "get"})["started"] == 1, "the request has arrived")
            node.signal(signal.SIGTERM)
            eventually(lambda: admin.get("/readyz", host="localhost").status == 503, "it is not ready any more")
            self.assertEqual(admin.get("/healthz", host="localhost").status, 200)
            self.assertEqual(node.ctl_json("status")["state"], "draining")
            self.assertEqual(slow.response().status, 200)
            self.assertEqual(node.wait(), 0)

    def test_the_drain_deadline_cuts_what_is_left(self):
        with misbehaving('drain_deadline = "3s"') as node, Wire(node.port()) as slow:
            slow.send(request("/slow?ms=59000"))
            eventually(lambda: node.ask("slow", {"method": "get"})["started"] == 1, "the request has arrived")
            started = time.monotonic()
            node.signal(signal.SIGTERM)
            with self.assertRaises(Closed):
                slow.response()
            self.assertGreater(time.monotonic() - started, 2.5)
            self.assertEqual(node.wait(), 0)
            self.assertLess(time.monotonic() - started, 20)

    def test_a_second_signal_ends_at_once(self):
        with misbehaving() as node, Wire(node.port()) as slow:
            slow.send(request("/slow?ms=59000"))
            eventually(lambda: node.ask("slow", {"method": "get"})["started"] == 1, "the request has arrived")
            node.signal(signal.SIGTERM)
            eventually(lambda: "shutdown: draining" in node.log(), "the drain has begun")
            started = time.monotonic()
            node.signal(signal.SIGTERM)
            self.assertEqual(node.wait(), 1)
            self.assertLess(time.monotonic() - started, 5)
            self.assertIn("second signal", node.log())

    def test_an_actor_that_ignores_the_stop_is_killed(self):
        with misbehaving() as node:
            self.assertEqual(node.ask("stubborn", {}), "no")
            started = time.monotonic()
            self.assertEqual(node.stop(), 0)
            self.assertLess(time.monotonic() - started, 15)
            self.assertRegex(node.log(), r"misbehaving/stubborn.*ignored the request to end")

    def test_the_hard_deadline_ends_it_and_says_who_is_left(self):
        cluster = '[shutdown]\nphase_timeout = "1s"\nhard_deadline = "6s"\n'
        with misbehaving(cluster=cluster) as node:
            node.ctl("send", "blocker", '{"method": "block"}')
            started = time.monotonic()
            node.signal(signal.SIGTERM)
            self.assertEqual(node.wait(), 1)
            self.assertGreater(time.monotonic() - started, 5)
            self.assertLess(time.monotonic() - started, 20)
            self.assertIn("hard deadline", node.log())
            self.assertRegex(node.log().split("hard deadline", 1)[1], r"blocker")


if __name__ == "__main__":
    suite.main()
