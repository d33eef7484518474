"""The number of web instances follows the load, in time. What happens to instances is scaler_life_test.py's."""
import threading
import time
import unittest

from support import suite
from support.load import Load
from support.node import SITE
from support.origin import Origin, route, upstream
from support.scaled import Scaled, wrk
from support.suite import eventually
from support.wire import fetch


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
    def test_a_sweep_of_connections_is_followed_up_and_back(self):
        with Scaled() as node:
            node.wait_count(1)
            rates = {}
            rates[1], *bad = wrk(node.port(), "/test/block?ms=2", 1, 2)
            self.assertEqual(bad, [0, 0])
            load = Background(wrk, node.port(), "/test/block?ms=2", 64, 6)
            started = time.monotonic()
            eventually(lambda: node.count() >= 2, "a second instance serves", 10)
            self.assertLess(time.monotonic() - started, 4)
            node.wait_count(3)
            self.assertEqual(load.wait()[1:], (0, 0))
            for _ in range(4):  # the machine may be busy with others: then none of the three gets its time
                again, *bad = wrk(node.port(), "/test/block?ms=2", 1024, 3)
                self.assertEqual(bad, [0, 0])
                rates[1024] = max(rates.get(1024, 0), again)
                if rates[1024] > 2.5 * rates[1]:
                    break
            print({connections: round(rate) for connections, rate in rates.items()})
            self.assertGreater(rates[1024], 2.5 * rates[1])
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
            metrics = node.metrics()
            self.assertEqual(metrics['caf_scaler_instances{state="ready",target="web/n1"}'], 1)
            ages = {key: age for key, age in metrics.items() if key.startswith("caf_scaler_sample_age_seconds")}
            self.assertEqual(list(ages), ['caf_scaler_sample_age_seconds{instance="n1"}'])
            self.assertLess(max(ages.values()), 2)

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

    def test_a_dry_run_decides_and_does_nothing(self):
        with Scaled({"dry_run": "true"}) as node:
            self.assertEqual(wrk(node.port(), "/test/block?ms=2", 64, 3)[1:], (0, 0))
            self.assertEqual(node.count(), 1)
            wished = [d for d in node.decisions() if d["action"] == "grow"]
            self.assertTrue(wished)
            self.assertFalse([d for d in wished if d["applied"]])


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
        with Scaled({"quiet_window": '"30s"', "max_instances": "2", "rebalance_window": '"2s"'}) as node, \
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
