"""What connections cost: memory, descriptors, CPU time; what happens when descriptors run out."""
import re
import resource
import shutil
import subprocess
import time
import unittest

from support import suite
from support.node import Node, default_config
from support.suite import eventually
from support.wire import ControlWire, Wire, fetch, request

HARD_LIMIT = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def raise_own_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (HARD_LIMIT, HARD_LIMIT))


class Memory(unittest.TestCase):
    @unittest.skipIf(suite.SANITIZED, "sanitizers have costs of their own")
    def test_10000_idle_connections_cost_8_kib_each(self):
        raise_own_limit()
        count = min(9_900, HARD_LIMIT // 2 - 200)
        data = request("/hello")
        with Node(default_config('keepalive_idle = "5m"')) as node:
            def connect(number):
                wires = []
                for _ in range(number):
                    wires.append(Wire(node.port()).send(data))
                for wire in wires:
                    self.assertEqual(wire.response().status, 200)
                return wires
            for wire in connect(100):
                wire.close()
            eventually(lambda: node.ctl_json("status")["connections"] == 0, "the first ones are gone")
            descriptors, before = node.descriptors(), node.rss_kib()
            wires = []
            while len(wires) < count:
                wires += connect(min(500, count - len(wires)))
            self.assertEqual(node.ctl_json("status")["connections"], count)
            each = (node.rss_kib() - before) / count
            print(f"{count} idle connections: {each:.2f} KiB each")
            self.assertLessEqual(each, 8)
            idle = node.cpu_seconds()
            started = time.monotonic()
            self.assertEqual(wires[0].get("/hello").status, 200)
            eventually(lambda: time.monotonic() - started > 1, "a second has passed")
            self.assertLess(node.cpu_seconds() - idle, 0.3 * (time.monotonic() - started))
            for wire in wires:
                wire.close()
            eventually(lambda: node.descriptors() <= descriptors, "all descriptors are free again")
            self.assertEqual(node.ctl_json("status")["connections"], 0)
            self.assertEqual(node.stop(), 0)

    @unittest.skipUnless(shutil.which("wrk"), "needs wrk")
    def test_1024_connections_of_wrk_without_an_error_in_30_mib(self):
        with Node() as node:
            peak = 0
            url = f"http://127.0.0.1:{node.port()}/hello"
            with subprocess.Popen(["wrk", "-t1", "-c1024", "-d5s", "--timeout", "10s", url], stdout=subprocess.PIPE,
                                  text=True) as wrk:
                while wrk.poll() is None:
                    peak = max(peak, node.rss_kib())
                    time.sleep(suite.POLL)  # a sample now and then
                out = wrk.stdout.read()
            self.assertEqual(wrk.returncode, 0)
            self.assertNotRegex(out, "Socket errors|Non-2xx")
            self.assertGreater(int(re.search(r"(\d+) requests in", out).group(1)), 1024)
            peak = max(peak, node.status_kib("VmHWM"))
            print(f"1024 connections: {peak / 1024:.1f} MiB")
            if not suite.SANITIZED:
                self.assertLessEqual(peak, 30 * 1024)
            self.assertEqual(node.stop(), 0)


@unittest.skipIf(suite.SANITIZED, "sanitizers open files of their own")
class Descriptors(unittest.TestCase):
    def test_half_of_the_descriptors_go_to_connections(self):
        with Node(descriptors=80) as node:
            self.assertIn("max_connections lowered", node.log())
            wires = [Wire(node.port()).send(request("/hello")) for _ in range(60)]
            eventually(lambda: node.ctl_json("status")["connections"] == 40, "as many as there may be")
            for wire in wires:
                self.assertEqual(wire.response().status, 200)
                wire.close()
            eventually(lambda: node.ctl_json("status")["connections"] == 0, "all are gone")

    def test_without_any_accepting_pauses_and_resumes(self):
        with Node() as node, ControlWire(node.control) as control:
            control.get("/healthz", host="localhost")
            resource.prlimit(node.pid, resource.RLIMIT_NOFILE, (node.descriptors() + 5, HARD_LIMIT))
            wires = [Wire(node.port()).send(request("/hello")) for _ in range(30)]

            def pauses():
                text = control.get("/metrics", host="localhost").body.decode()
                return float(re.search(r'caf_http_accept_pauses_total\{cause="descriptors"\} (\S+)', text).group(1))
            eventually(lambda: pauses() > 0, "accepting has paused")
            before, spent, started = pauses(), node.cpu_seconds(), time.monotonic()
            eventually(lambda: time.monotonic() - started > 2, "two seconds have passed")
            self.assertLess(node.cpu_seconds() - spent, 0.3)
            self.assertLess(pauses() - before, 10 * (time.monotonic() - started) + 5)  # one per 100 ms
            self.assertEqual(control.get("/readyz", host="localhost").status, 200)
            for wire in wires:
                self.assertEqual(wire.response().status, 200)
                wire.close()
            self.assertEqual(fetch(node.port(), "/hello").status, 200)
            self.assertEqual(node.ctl_json("status")["state"], "serving")
            self.assertEqual(node.stop(), 0)


class Idle(unittest.TestCase):
    def test_an_idle_node_costs_next_to_nothing(self):
        with Node() as node:
            fetch(node.port(), "/hello")
            spent, started = node.cpu_seconds(), time.monotonic()
            eventually(lambda: time.monotonic() - started > 2, "two seconds have passed")
            self.assertLess(node.cpu_seconds() - spent, 0.02 * (time.monotonic() - started) + 0.02)


if __name__ == "__main__":
    suite.main()
