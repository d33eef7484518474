"""HTTP/1.1 as a client sees it: methods, bodies, Expect, pipelining, and clients that go away in the middle."""
import re
import unittest

from support import suite
from support.node import Node, SITE, default_config
from support.suite import eventually
from support.wire import Wire, chunked, fetch, request

MISBEHAVING = SITE + """
  [[http.site.route]]
  path = "/slow"
  actor = "slow"
  face = "http"
  [[http.site.route]]
  path = "/mixed"
  actor = "slow"
  face = "http"
"""
DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT"


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(site=MISBEHAVING), program=suite.MISBEHAVING_NODE)
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def slow(self):
        return self.node.ask("slow", {"method": "get"})

    # -- methods -----------------------------------------------------------------------

    def test_a_fixed_answer(self):
        answer = fetch(self.port, "/hello")
        self.assertEqual((answer.status, answer.body), (200, b"Hello, World!"))
        self.assertEqual(answer.field("content-type"), "text/plain")
        self.assertEqual(answer.field("server"), "caf_app")
        self.assertTrue(re.fullmatch(DATE, answer.field("date")), answer.field("date"))
        self.assertIsNone(answer.field("connection"))

    def test_head_has_the_fields_of_get(self):
        with Wire(self.port) as wire:
            got, head = wire.get("/hello"), wire.get("/hello", method="HEAD")
            self.assertEqual(head.status, 200)
            without_date = [[pair for pair in answer.fields if pair[0] != "date"] for answer in (got, head)]
            self.assertEqual(*without_date)
            self.assertEqual(wire.get("/hello").body, b"Hello, World!")  # no body was left behind
            self.assertEqual(wire.get("/greet.txt?name=Ada", method="HEAD").field("content-length"), "12")
            self.assertEqual(wire.get("/nothing", method="HEAD").status, 404)

    def test_options_and_405_list_the_methods(self):
        for path, method, status in (("/hello", "OPTIONS", 204), ("*", "OPTIONS", 204), ("/hello", "POST", 405),
                                     ("/test/echo", "GET", 405)):
            with self.subTest(f"{method} {path}"):
                answer = fetch(self.port, path, method=method)
                self.assertEqual(answer.status, status)
                allowed = set(answer.field("allow").split(", "))
                self.assertIn("GET" if path != "/test/echo" else "POST", allowed)
                self.assertNotIn(method if status == 405 else "TRACE", allowed)
                if status == 204:
                    self.assertIsNone(answer.field("content-length"))

    def test_http_1_0(self):
        with Wire(self.port) as wire:
            wire.send(b"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            answer = wire.response()
            self.assertEqual((answer.status, answer.field("connection")), (200, "keep-alive"))
            wire.send(b"GET /greet?name=Ada HTTP/1.0\r\n\r\n")
            answer = wire.response()
            self.assertEqual((answer.status, answer.closes), (200, True))
            self.assertTrue(wire.at_end())

    # -- bodies ------------------------------------------------------------------------

    def test_echo_of_chunks(self):
        with Wire(self.port) as wire:
            for body, size in ((b"hello", 2), (b"", 1), (bytes(range(256)) * 300, 4096)):
                wire.send(request("/test/echo", "Transfer-Encoding: chunked", "Content-Type: x/y", method="POST"))
                wire.send(chunked(body, size))
                answer = wire.response()
                self.assertEqual((answer.status, answer.body, answer.field("content-type")), (200, body, "x/y"))

    def test_echo_of_9_mib(self):
        body = bytes(range(256)) * (9 * 4096)
        with Wire(self.port) as wire:
            wire.send(request("/test/echo", "Transfer-Encoding: chunked", method="POST"))
            wire.send(chunked(body, 65521))
            self.assertEqual(wire.response().body, body)
            answer = wire.get("/test/echo", method="POST", body=body)
            self.assertEqual(answer.body, body)

    def test_a_large_upload_reads_its_early_413(self):
        with Wire(self.port) as wire:
            wire.send(b"POST /test/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20971520\r\n\r\n")
            answer = wire.response()
            self.assertEqual((answer.status, answer.closes), (413, True))
            wire.send(b"x" * 100_000)  # is read away
            self.assertTrue(wire.at_end())

    def test_expect_gets_its_100_before_the_body(self):
        with Wire(self.port) as wire:
            wire.send(request("/test/echo", "Expect: 100-continue", "Content-Length: 5", method="POST"))
            self.assertEqual(wire.response().raw, b"HTTP/1.1 100 Continue\r\n\r\n")
            answer = wire.send(b"hello").response()
            self.assertEqual((answer.status, answer.body), (200, b"hello"))

    def test_expect_of_a_refused_request_gets_no_100(self):
        with Wire(self.port) as wire:
            wire.send(request("/test/echo", "Expect: 100-continue", "Content-Length: 20971520", method="POST"))
            answer = wire.response()
            self.assertEqual((answer.status, answer.closes), (413, True))
            self.assertTrue(wire.at_end())

    # -- pipelining --------------------------------------------------------------------

    def test_50_pipelined_requests_of_mixed_speed_are_answered_in_order(self):
        kinds = [
            (lambda i: request("/hello"), lambda i, answer: answer.body == b"Hello, World!"),
            (lambda i: request("/test/echo", method="POST", body=b"%d" % i),
             lambda i, answer: answer.body == b"%d" % i),
            (lambda i: request(f"/slow?ms={i * 7 % 40}"), lambda i, answer: answer.body == b"slow\n"),
            (lambda i: request(f"/greet.txt?name={i}"), lambda i, answer: answer.body == b"Hello, %d!\n" % i),
            (lambda i: request(f"/test/block?ms={i % 3}"), lambda i, answer: answer.body == b"blocked\n"),
            (lambda i: request("/nothing"), lambda i, answer: answer.status == 404),
        ]
        with Wire(self.port) as wire:
            wire.send(b"".join(kinds[i % len(kinds)][0](i) for i in range(50)))
            for i in range(50):
                self.assertTrue(kinds[i % len(kinds)][1](i, wire.response()), i)

    def test_what_is_pipelined_behind_close_is_not_served(self):
        started = self.slow()["started"]
        with Wire(self.port) as wire:
            wire.send(request("/hello", "Connection: close") + request("/slow?ms=1"))
            self.assertTrue(wire.response().closes)
            self.assertTrue(wire.at_end())
        self.assertEqual(self.slow()["started"], started)

    # -- clients that go away ----------------------------------------------------------

    def test_a_client_that_finished_sending_gets_its_answer(self):
        with Wire(self.port) as wire:
            wire.send(request("/hello") + request("/slow?ms=200") + request("/hello")).finish()
            self.assertEqual(wire.response().body, b"Hello, World!")
            self.assertEqual(wire.response().body, b"slow\n")
            self.assertEqual(wire.response().body, b"Hello, World!")
            self.assertTrue(wire.at_end())

    def test_a_half_closed_client_is_probed_and_served(self):
        with Wire(self.port) as wire:
            wire.send(request("/slow?ms=2500")).finish()
            self.assertEqual(wire.response().status, 100)
            self.assertEqual(wire.response().body, b"slow\n")
            self.assertTrue(wire.at_end())

    def test_a_client_that_is_gone_cancels_its_request(self):
        for name, leave in (("FIN, then RST to the probe", Wire.close), ("RST", Wire.reset)):
            with self.subTest(name):
                before = self.slow()
                wire = Wire(self.port)
                wire.send(request("/slow?ms=50000"))
                eventually(lambda: self.slow()["started"] == before["started"] + 1, "the request has arrived")
                leave(wire)
                eventually(lambda: self.slow()["cancelled"] == before["cancelled"] + 1, "it was cancelled")

    def test_a_request_that_ends_in_the_middle_is_not_answered(self):
        for data in (b"GET /hel", request("/hello")[:-2],
                     request("/test/echo", "Content-Length: 5", method="POST") + b"hi",
                     request("/test/echo", "Transfer-Encoding: chunked", method="POST") + b"5\r\nhe"):
            with self.subTest(data), Wire(self.port) as wire:
                wire.send(data).finish()
                self.assertTrue(wire.at_end())

    def test_resets_at_any_point_hurt_nobody_else(self):
        whole = request("/hello") + request("/test/echo", method="POST", body=b"x" * 500) + request("/slow?ms=5")
        with Wire(self.port) as other:
            for at in range(1, len(whole), 9):
                wire = Wire(self.port)
                wire.send(whole[:at]).reset()
                if at % 90 == 1:
                    self.assertEqual(other.get("/hello").status, 200)
            self.assertEqual(other.get("/hello").status, 200)
        eventually(lambda: self.node.ctl_json("status")["connections"] == 0, "no connection is left")
        self.assertEqual(self.node.metric("caf_http_connection_crashes_total"), 0)

    def test_input_behind_the_last_response_is_read_away(self):
        with Wire(self.port) as wire:
            wire.send(request("/hello", "Connection: close") + b"x" * 200_000)
            self.assertEqual(wire.response().status, 200)  # without lingering an RST could have eaten it
            self.assertTrue(wire.at_end())


if __name__ == "__main__":
    suite.main()
