"""Routes to named actors: both faces, every failure with its status, deadlines, cancellation, restarts."""
import json
import unittest

from support import suite
from support.node import Node, SITE, default_config
from support.suite import eventually
from support.wire import Wire, fetch, request

ROUTES = SITE + """
  [[http.site.route]]
  path = "/slow"
  actor = "slow"
  face = "http"
  timeout = "20s"
  [[http.site.route]]
  path = "/json"
  actor = "odd"
  timeout = "2s"
  [[http.site.route]]
  path = "/odd"
  actor = "odd"
  face = "http"
  headers = { x-route = "odd" }
  [[http.site.route]]
  path = "/nobody"
  actor = "nobody"
"""
JSON = "Content-Type: application/json"


class Actors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(site=ROUTES), program=suite.MISBEHAVING_NODE)
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def post(self, path, body=b"{}", *fields):
        return fetch(self.port, path, *(fields or (JSON,)), method="POST", body=body)

    def slow(self):
        return self.node.ask("slow", {"method": "get"})

    def test_the_json_face(self):
        answer = fetch(self.port, "/greet?name=Ada+L%2e&x=y")
        self.assertEqual((answer.status, answer.field("content-type")), (200, "application/json"))
        self.assertEqual(json.loads(answer.body), {"greeting": "Hello, Ada L.!"})
        self.assertEqual(json.loads(self.post("/greet", b'{"name": "Bob"}').body), {"greeting": "Hello, Bob!"})
        self.assertEqual(json.loads(self.post("/json/a/b", b"[1, 2]").body), [1, 2])
        self.assertEqual(json.loads(self.post("/json", b'"x"', "Content-Type: x/y+json; charset=utf-8").body), "x")
        self.assertEqual(json.loads(fetch(self.port, "/json?a=%22&b").body), {"a": '"', "b": ""})

    def test_the_http_face(self):
        answer = fetch(self.port, "/greet.txt?name=Ada")
        self.assertEqual((answer.status, answer.body), (200, b"Hello, Ada!\n"))
        answer = self.post("/odd", b"any bytes \0\xff", "Content-Type: x/y")
        self.assertEqual((answer.status, answer.body, answer.field("x-route")), (200, b"any bytes \0\xff", "odd"))
        answer = fetch(self.port, "/odd/teapot")
        self.assertEqual((answer.status, answer.body, answer.field("x-pot")), (418, b"short\n", "tea"))
        self.assertEqual((answer.field("content-length"), answer.closes), ("6", False))
        self.assertEqual(fetch(self.port, "/odd/no-content").status, 204)

    def test_what_is_wrong_with_a_request(self):
        self.assertEqual(self.post("/json", b"{").status, 400)
        self.assertEqual(self.post("/json", b"{} {}").status, 400)
        self.assertEqual(self.post("/json", b"a=b", "Content-Type: application/x-www-form-urlencoded").status, 415)
        self.assertEqual(self.post("/json", b"{}", "X: y").status, 415)
        self.assertEqual(fetch(self.port, "/json?a=%ff").status, 400)
        self.assertEqual(self.post("/json", b"{}", JSON, "Request-Timeout: soon").status, 400)
        self.assertEqual(self.post("/json", b'"' + b"x" * 1_048_575 + b'"').status, 413)

    def test_errors_of_an_actor(self):
        for method, status, code in (("invalid_argument", 400, "invalid_argument"), ("denied", 403, "denied"),
                                     ("not_found", 404, "not_found"), ("conflict", 409, "conflict"),
                                     ("io_failed", 500, "error")):
            with self.subTest(method):
                answer = self.post(f"/json/{method}")
                self.assertEqual((answer.status, answer.field("content-type")), (status, "application/json"))
                body = json.loads(answer.body)
                self.assertEqual((body["code"], sorted(body)), (code, ["code", "error"]))
                self.assertIn("as asked for", body["error"])

    def test_actors_that_fail(self):
        for path in ("/json/number", "/odd/status-199", "/odd/status-700", "/odd/line-break", "/odd/name"):
            with self.subTest(path):
                answer = self.post(path)
                self.assertEqual((answer.status, answer.closes), (502, False))

    def test_actors_that_die_are_found_again_at_once(self):
        for method in ("quit", "throw"):
            with self.subTest(method):
                self.assertEqual(self.post(f"/json/{method}").status, 502)
                eventually(lambda: fetch(self.port, "/json").status == 200, "it is found again")

    def test_a_name_that_nobody_holds(self):
        answer = fetch(self.port, "/nobody")
        self.assertEqual((answer.status, answer.field("retry-after"), answer.closes), (503, "1", False))

    def test_deadlines(self):
        self.assertEqual(self.post("/json/mute").status, 504)  # of the route
        self.assertEqual(fetch(self.port, "/slow?ms=50000", "Request-Timeout: 200ms").status, 504)
        self.assertEqual(fetch(self.port, "/slow?ms=1", "Request-Timeout: 20s").status, 200)

    def test_a_client_that_leaves_cancels_and_a_late_reply_hurts_nobody(self):
        before = self.slow()
        gone, late = Wire(self.port), Wire(self.port)
        gone.send(request("/slow?ms=50000"))
        late.send(request("/slow?ms=300", "Request-Timeout: 100ms"))
        self.assertEqual(late.response().status, 504)
        eventually(lambda: self.slow()["started"] == before["started"] + 2, "both have arrived")
        gone.reset()
        eventually(lambda: self.slow()["cancelled"] > before["cancelled"], "it was cancelled")
        eventually(lambda: self.slow()["answered"] + self.slow()["cancelled"]
                   >= before["answered"] + before["cancelled"] + 2, "nothing is left")
        self.assertEqual(late.get("/hello").status, 200)
        late.close()

    def test_many_at_once_each_get_their_own_answer(self):
        wires = [Wire(self.port) for _ in range(100)]
        for _ in range(3):
            for i, wire in enumerate(wires):
                wire.send(request("/json", JSON, method="POST", body=b"%d" % i) + request(f"/slow?ms={i % 50}")
                          + request(f"/greet.txt?name={i}"))
            for i, wire in enumerate(wires):
                self.assertEqual(wire.response().body, b"%d" % i)
                self.assertEqual(wire.response().body, b"slow\n")
                self.assertEqual(wire.response().body, b"Hello, %d!\n" % i)
        for wire in wires:
            wire.close()

    def test_outcomes_are_counted(self):
        key = 'caf_http_actor_requests_total{route="/nobody",outcome="no_such_name"}'
        before = self.node.metrics().get(key, 0)
        fetch(self.port, "/nobody")
        self.assertEqual(self.node.metrics()[key], before + 1)


if __name__ == "__main__":
    suite.main()
