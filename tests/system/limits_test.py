"""Limits at one below, at, and one above; deadlines of slow and silent clients."""
import select
import socket
import time
import unittest

from support import suite
from support.node import Node, default_config
from support.suite import eventually
from support.wire import Closed, Wire, fetch, request

ONE_SECOND = "\n".join(f'{key} = "1s"' for key in ("first_byte_timeout", "header_timeout", "body_timeout",
                                                   "keepalive_idle", "send_timeout"))
EARLY = 0.8  # a deadline of one second, less what clocks and timer grains may differ by
LATE = 12.0  # of a busy machine; the next longer default is 10 s away from it


def drip(wire, data, pause):
    """Sends byte after byte with pauses until the server says something. Returns what is left."""
    for at in range(len(data)):
        try:
            wire.send(data[at:at + 1])
        except OSError:
            return data[at:]
        if select.select([wire.socket], [], [], pause)[0]:
            return data[at + 1:]
    return b""


class Sizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config('max_header_bytes = "1KiB"\nmax_target = "300B"\nmax_headers = 10\n'
                                       'max_body = "2KiB"\nlinger = "100ms"'))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def check(self, data, status):
        with Wire(self.port) as wire:
            answer = wire.send(data).response()
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.closes, status != 200)

    def test_bytes_of_a_head(self):
        empty = len(request("/hello", "X: "))
        for size, status in ((1023, 200), (1024, 200), (1025, 431)):
            self.check(request("/hello", "X: " + "y" * (size - empty)), status)

    def test_bytes_of_a_target(self):
        for size, status in ((299, 200), (300, 200), (301, 414)):
            self.check(request("/hello?" + "x" * (size - 7)), status)

    def test_fields_of_a_head(self):
        for count, status in ((9, 200), (10, 200), (11, 431)):
            self.check(request("/hello", *["X: y"] * (count - 1)), status)

    def test_bytes_of_a_body(self):
        for size, status in ((2047, 200), (2048, 200), (2049, 413)):
            self.check(request("/test/echo", method="POST", body=b"x" * size), status)


class Counts(unittest.TestCase):
    def test_the_101st_field_is_refused_before_the_head_ends(self):
        with Node() as node, Wire(node.port()) as wire:
            answer = wire.send(request("/hello", *["X: y"] * 100)[:-2]).response()
            self.assertEqual((answer.status, answer.closes), (431, True))

    def test_requests_of_a_connection(self):
        with Node(default_config("keepalive_requests = 3")) as node, Wire(node.port()) as wire:
            self.assertEqual([wire.get("/hello").closes for _ in range(3)], [False, False, True])
            self.assertTrue(wire.at_end())

    def test_the_age_of_a_connection(self):
        limits = 'connection_max_age = "1s"\nkeepalive_requests = 1000000' # a fast box makes 10000 within it
        with Node(default_config(limits)) as node, Wire(node.port()) as wire:
            started = time.monotonic()
            while not wire.has_ended() and not wire.get("/hello").closes:
                self.assertLess(time.monotonic() - started, LATE)
            self.assertGreater(time.monotonic() - started, 0.7)  # 10 % less is allowed

    def test_connections_of_an_address(self):
        with Node(default_config("max_per_ip = 3")) as node:
            wires = [Wire(node.port()) for _ in range(3)]
            for wire in wires:
                self.assertEqual(wire.get("/hello").status, 200)
            with Wire(node.port()) as surplus:
                self.assertTrue(surplus.at_end())
            self.assertEqual(node.metrics()['caf_http_rejected_total{reason="per_ip"}'], 1)
            wires.pop().close()

            def served():
                try:
                    return fetch(node.port(), "/hello").status == 200
                except (Closed, OSError):
                    return False
            eventually(served, "its place is free again")
            for wire in wires:
                self.assertEqual(wire.get("/hello").status, 200)
                wire.close()

    def test_connections_of_an_instance(self):
        with Node(default_config("max_connections = 4")) as node:
            wires = [Wire(node.port()) for _ in range(4)]
            for wire in wires:
                self.assertEqual(wire.get("/hello").status, 200)
            eventually(lambda: node.metric("caf_http_accept_pauses_total") >= 1, "accepting has paused")
            with Wire(node.port()) as waiting:
                waiting.send(request("/hello"))
                self.assertFalse(select.select([waiting.socket], [], [], 0.5)[0])
                self.assertEqual(node.ctl_json("status")["connections"], 4)
                wires.pop().close()
                self.assertEqual(waiting.response().status, 200)
            for wire in wires:
                wire.close()


class Deadlines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(ONE_SECOND))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def setUp(self):
        self.started = time.monotonic()

    def check_time(self, least=EARLY, most=LATE):
        self.assertGreater(time.monotonic() - self.started, least)
        self.assertLess(time.monotonic() - self.started, most)

    def rejections(self, reason):
        return self.node.metrics().get(f'caf_http_rejected_total{{reason="{reason}"}}', 0)

    def test_a_silent_connection_is_cut(self):
        with Wire(self.port) as wire:
            self.assertTrue(wire.at_end())
        self.check_time()

    def test_an_idle_connection_is_cut(self):
        with Wire(self.port) as wire:
            self.assertEqual(wire.get("/hello").status, 200)
            self.assertTrue(wire.at_end())
        self.check_time()

    def test_a_head_of_one_byte_per_second_is_cut_at_its_deadline(self):
        with Wire(self.port) as wire:
            left = drip(wire, request("/hello"), 1.0)
            self.assertGreater(len(left), 20)
            answer = wire.response()
            self.assertEqual((answer.status, answer.closes), (408, True))
        self.check_time()

    def test_progress_does_not_extend_the_deadline_of_a_head(self):
        with Wire(self.port) as wire:
            drip(wire, request("/hello", *["X: y"] * 50), 0.05)
            self.assertEqual(wire.response().status, 408)
        self.check_time()

    def test_a_body_without_progress_is_refused(self):
        with Wire(self.port) as wire:
            wire.send(request("/test/echo", "Content-Length: 5", method="POST") + b"hel")
            answer = wire.response()
            self.assertEqual((answer.status, answer.closes), (408, True))
        self.check_time()

    def test_a_body_below_the_rate_is_refused(self):
        with Wire(self.port) as wire:
            wire.send(request("/test/echo", "Content-Length: 100000", method="POST"))
            left = drip(wire, b"x" * 200, 0.1)
            self.assertGreater(len(left), 20)
            self.assertEqual(wire.response().status, 408)
        self.check_time(least=4.5, most=20)  # the rate counts after five seconds

    def test_a_client_that_does_not_read_is_cut(self):
        before = self.rejections("slow_reader")
        with Wire(self.port) as wire:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.send(request("/test/echo", method="POST", body=b"x" * 9_000_000))
            eventually(lambda: self.rejections("slow_reader") == before + 1, "it was cut")
        self.check_time()

    def test_a_client_that_reads_slowly_is_served(self):
        body = b"x" * 8_000_000
        with Wire(self.port) as wire:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            wire.send(request("/test/echo", method="POST", body=body))
            while len(wire.buffer) < len(body):
                select.select([], [], [wire.socket], 0.03)  # slower than the deadline, but not idle
                for _ in range(4):
                    wire.more()
            self.check_time()
            self.assertEqual(wire.response().body, body)


if __name__ == "__main__":
    suite.main()
