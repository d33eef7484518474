"""Many clients of TLS and HTTP/2 that are slow, silent or gone: what they cost, and what others notice."""
import resource
import ssl
import time
import unittest

from support import h2, suite
from support.h2 import DATA, END_HEADERS, HEADERS, INITIAL_WINDOW, get, settings
from support.suite import eventually
from support.tls import TlsWire, client_context, wrapper
from support.wire import request
from tls_test import WithNode, config

# What a witness may wait at the 99th percentile, in seconds. Typical are 0.2 to 0.5 ms.
P99_MAX = 0.05


class Crowds(WithNode):
    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        super().setUpClass()
        cls.context = client_context()
        cls.context_h2 = client_context(alpn=("h2",))
        for _ in range(50):
            with TlsWire(cls.port, cls.context) as wire:
                wire.get("/hello")
        cls.settle()

    @classmethod
    def make_config(cls):
        return config(cls.pair, extra="h2c = true", tls="max_handshakes = 1000", limits='keepalive_idle = "5m"')

    @classmethod
    def settle(cls):
        eventually(lambda: cls.node.ctl_json("status")["connections"] == 0, "nobody is left")

    def h2(self, **options):
        return h2.H2(self.port, wrap=wrapper(self.context_h2), **options)

    def latencies(self, seconds):
        """Of a witness of each protocol, sorted."""
        times = []
        with TlsWire(self.port, self.context) as first, self.h2() as second:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for ask in (lambda: first.get("/hello").status, lambda: second.fetch().status):
                    began = time.monotonic()
                    self.assertEqual(ask(), 200)
                    times.append(time.monotonic() - began)
        return sorted(times)

    def judge(self, what, wires):
        times = self.latencies(1)
        p99 = times[len(times) * 99 // 100]
        print(f"{len(wires)} {what}: p50 {times[len(times) // 2] * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms")
        if not suite.SANITIZED:
            self.assertLess(p99, P99_MAX)

    def test_slow_clients_hurt_nobody(self):
        wires = []
        for i in range(60):
            wires.append(TlsWire(self.port, self.context).send(b"GET /hello HTTP/1.1\r\nHo"))
            wires.append(TlsWire(self.port, self.context).send(
                b"POST /test/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc"))
            wires.append(TlsWire(self.port, self.context).send(request("/big") * 20))  # and reads nothing
            wire = self.h2(entries=settings(INITIAL_WINDOW=1), window=0)
            wire.request("/big")
            wire.request("/test/echo", method="POST", end=False)
            wire.send(h2.frame(HEADERS, 0, 101, get()[:5]))  # a head that does not go on
            wires.append(wire)
        self.judge("slow clients", wires)
        for wire in wires:
            wire.reset()
        self.settle()

    def test_2000_idle_connections_and_what_they_leave(self):
        descriptors, before = self.node.descriptors(), self.node.rss_kib()
        wires = []
        for i in range(1000):
            wires.append(TlsWire(self.port, self.context).send(request("/hello")))
            wires.append(self.h2())
            wires[-1].request()
        for i in range(0, 2000, 2):
            self.assertEqual(wires[i].response().status, 200)
            self.assertEqual(wires[i + 1].answer(1).status, 200)
        each = (self.node.rss_kib() - before) / len(wires)
        self.judge("idle connections", wires)
        print(f"{each:.1f} KiB each")
        for wire in wires:
            wire.close()
        self.settle()
        eventually(lambda: self.node.descriptors() <= descriptors, "all descriptors are free again")
        if not suite.SANITIZED:
            self.assertLess(each, 64)
            again = self.node.rss_kib()
            for wire in [TlsWire(self.port, self.context) for _ in range(1000)]:
                wire.close()
            self.settle()
            self.assertLess(self.node.rss_kib() - again, 4096)  # what came back is used again

    def test_500_clients_that_reset(self):
        def round_of_resets():
            for i in range(500):
                if i % 2:
                    wire = self.h2()
                    for _ in range(5):
                        wire.request("/big")
                    wire.send(h2.frame(HEADERS, END_HEADERS, 11, get("/test/echo", method="POST")) +
                              h2.frame(DATA, 0, 11, bytes(10_000)))
                else:
                    wire = TlsWire(self.port, self.context).send(request("/big") * 5)
                wire.reset()
            self.settle()
        round_of_resets()
        descriptors, before = self.node.descriptors(), self.node.rss_kib()
        round_of_resets()
        self.assertLessEqual(self.node.descriptors(), descriptors)
        grown = self.node.rss_kib() - before
        print(f"RSS grew by {grown} KiB in 500 resets")
        if not suite.SANITIZED:
            self.assertLess(grown, 4096)
        self.assertEqual(self.metric("caf_http_connection_crashes_total"), 0)

    def test_handshakes_that_nobody_finishes(self):
        wires = []
        for _ in range(300):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = self.context.wrap_bio(incoming, outgoing, server_hostname="localhost")
            with self.assertRaises(ssl.SSLWantReadError):
                client.do_handshake()
            wires.append(h2.Wire(self.port).send(outgoing.read()[:-1]))
        self.judge("half handshakes", wires)
        for wire in wires:
            wire.reset()
        self.settle()

if __name__ == "__main__":
    suite.main()
