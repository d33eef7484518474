"""The reverse proxy before an origin that behaves and misbehaves as scripted: right statuses, no request sent twice that
must not be, nothing truncated passed as whole."""
import hashlib
import os
import socket
import time
import unittest

from support import suite
from support.node import Node, free_port
from support.origin import OK, Origin, answer, config, echo, raw, route, slow, upstream
from support.suite import eventually
from support.wire import Wire, fetch, request

MIB = 1024 * 1024


def digest(connection, request):
    body = hashlib.sha256(request.body).hexdigest().encode()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return True


LARGE = os.urandom(8 * MIB)


def large(connection, request):
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(LARGE) + LARGE)
    return True


def large_chunks(connection, request):
    connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for at in range(0, len(LARGE), 100_000):
        piece = LARGE[at:at + 100_000]
        connection.send(b"%x\r\n" % len(piece) + piece + b"\r\n")
    connection.send(b"0\r\nX-Trailer: t\r\n\r\n")
    return True


def head_of(size):
    """A response head of exactly so many bytes."""
    head = OK + b"Content-Length: 2\r\nX: \r\n\r\n"
    return head.replace(b"X: ", b"X: " + b"y" * (size - len(head)))


# path -> (script, what the client sees: a status, or "cut" for a response that is visibly not whole)
MISBEHAVIOUR = {
    "/close-at-once": (raw(b""), 502),
    "/reset-at-once": (raw(b"", "reset"), 502),
    "/half-status": (raw(b"HTTP/1.1 2"), 502),
    "/half-head": (raw(OK + b"Content-Len"), 502),
    "/reset-in-head": (raw(OK + b"X: y\r\n", "reset"), 502),
    "/no-http": (raw(b"hello\r\n\r\n"), 502),
    "/ssh": (raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), 502),
    "/http-2": (raw(b"HTTP/2.0 200 OK\r\n\r\n"), 502),
    "/http-09": (raw(b"<html>old</html>"), 502),
    "/status-20": (raw(b"HTTP/1.1 20 OK\r\n\r\n"), 502),
    "/status-999": (raw(b"HTTP/1.1 999 X\r\n\r\n"), 502),
    "/status-0": (raw(b"HTTP/1.1 000 X\r\n\r\n"), 502),
    "/bare-lf": (raw(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), 502),
    "/lf-in-head": (raw(OK + b"X: a\nY: b\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/cr-in-value": (raw(OK + b"X: a\rb\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/nul-in-value": (raw(OK + b"X: a\0b\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/fold": (raw(OK + b"X: a\r\n b\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/space-colon": (raw(OK + b"X : a\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/no-name": (raw(OK + b": a\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/two-lengths": (raw(OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/length-list": (raw(OK + b"Content-Length: 2, 2\r\n\r\nok"), 502),
    "/length-minus": (raw(OK + b"Content-Length: -2\r\n\r\nok"), 502),
    "/length-plus": (raw(OK + b"Content-Length: +2\r\n\r\nok"), 502),
    "/length-huge": (raw(OK + b"Content-Length: 99999999999999999999\r\n\r\nok"), 502),
    "/length-hex": (raw(OK + b"Content-Length: 0x2\r\n\r\nok"), 502),
    "/both": (raw(OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 502),
    "/te-gzip": (raw(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 502),
    "/te-twice": (raw(OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 502),
    "/te-in-10": (raw(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 502),
    "/big-head": (raw(OK + b"X: " + b"y" * 33000 + b"\r\n\r\n"), 502),
    "/endless-head": (raw(OK + b"X: y\r\n" * 20000), 502),
    "/upgrade": (raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), 502),
    "/short-body": (raw(OK + b"Content-Length: 10\r\n\r\nshort"), "cut"),
    "/reset-in-body": (raw(OK + b"Content-Length: 10\r\n\r\nshort", "reset"), "cut"),
    "/short-chunk": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\na\r\nshort"), "cut"),
    "/no-last-chunk": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), "cut"),
    "/no-trailer-end": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\n"), "cut"),
    "/bad-chunk": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nshort\r\n0\r\n\r\n"), "cut"),
    "/chunk-lf": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\nshort\n0\n\n"), "cut"),
    "/chunk-overrun": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nshort\r\n0\r\n\r\n"), "cut"),
    "/early-extra": (raw(OK + b"Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "keep"), 200),
    "/too-long-100s": (raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 5 + OK + b"Content-Length: 2\r\n\r\nok"), 200),
    "/100-then-close": (raw(b"HTTP/1.1 100 Continue\r\n\r\n"), 502),
    "/flood-of-103": (raw(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 40 + OK + b"Content-Length: 2\r\n\r\nok"), 502),
    "/32-times-103": (raw(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 32 + OK + b"Content-Length: 2\r\n\r\nok", "keep"), 200),
    "/33-times-103": (raw(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 33 + OK + b"Content-Length: 2\r\n\r\nok"), 502),
    "/head-of-32767": (raw(head_of(32767) + b"ok", "keep"), 200),
    "/head-of-32768": (raw(head_of(32768) + b"ok", "keep"), 200),
    "/head-of-32769": (raw(head_of(32769) + b"ok"), 502),
    "/200-fields": (raw(OK + b"X: y\r\n" * 199 + b"Content-Length: 2\r\n\r\nok", "keep"), 200),
    "/cr-at-end": (raw(OK + b"X: y\r\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/no-colon": (raw(OK + b"nonsense\r\nContent-Length: 2\r\n\r\nok"), 502),
    "/many-fields": (raw(OK + b"X: y\r\n" * 201 + b"Content-Length: 2\r\n\r\nok"), 502),
    "/te-identity": (raw(OK + b"Transfer-Encoding: identity\r\n\r\nok"), 502),
    "/te-not-last": (raw(OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), 502),
    "/leading-crlf": (raw(b"\r\n" + OK + b"Content-Length: 2\r\n\r\nok"), 502),
    "/reset-until-close": (raw(OK + b"\r\nshort", "reset"), "cut"),
    "/chunk-extension": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"x" * 5000 + b"\r\nshort\r\n0\r\n\r\n"), "cut"),
    "/chunk-digits": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nshort\r\n0\r\n\r\n"), "cut"),
    "/chunk-minus": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nshort\r\n0\r\n\r\n"), "cut"),
    "/large-trailers": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\nX: " + b"y" * 40000 + b"\r\n\r\n"), "cut"),
    "/204-with-body": (raw(b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil", "keep"), 204),
    "/304-with-body": (raw(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nevil", "keep"), 304),
    "/byte-by-byte": (slow([bytes([c]) for c in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"], 0.002, keep=True), 200),
    "/silent": (slow([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"], 2.0), 504),
    "/stalls": (lambda c, r: c.send(OK + b"Content-Length: 10\r\n\r\nshort") or time.sleep(2) or False, "cut"),
}


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scripts = {
            "/api/echo": echo, "/stripped": echo, "/api/digest": digest, "/api/large": large,
            "/api/chunks": large_chunks, "/api/ok": answer(),
            "/api/cookies": answer(fields="Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: x-gone\r\nX-Gone: 1\r\n"
                                          "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nServer: origin\r\nX-Site: origin\r\n"),
            "/api/until-close": raw(OK + b"\r\n" + b"z" * 100_000),
            "/api/none": raw(b"HTTP/1.1 204 No Content\r\n\r\n", "keep"),
            "/api/not-modified": raw(b"HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", "keep"),
            "/api/hints": raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nok",
                              "keep"),
            "/no-read/early": raw(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"),
        }
        scripts.update({"/bad" + path: script for path, (script, _) in MISBEHAVIOUR.items()})
        cls.origin = Origin(scripts)
        cls.addClassCleanup(cls.origin.close)
        server = f"http://127.0.0.1:{cls.origin.port}"
        cls.node = Node(config(
            route("/api", 'proxy = "origin"\nheaders = { X-Site = "ours", X-Added = "1" }') +
            route("/strip", 'proxy = "origin"\nstrip_prefix = true\npreserve_host = true') +
            route("/no-read", 'proxy = "origin"\nmax_body = "64MiB"') +
            route("/bad", 'proxy = "strict"') + route("/gone", 'proxy = "gone"') + route("/hello", "respond = {}"),
            upstream("origin", [server]) +
            upstream("strict", [server], 'first_byte_timeout = "500ms"\nread_timeout = "500ms"\neject_fails = 0') +
            upstream("gone", [f"http://127.0.0.1:{free_port()}"], "eject_fails = 0"),
            limits='max_body = "64MiB"'))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    # -- what is passed on ---------------------------------------------------------------

    def test_the_origin_sees_who_asked(self):
        answer = fetch(self.port, "/api/echo?x=1", "X-Forwarded-For: 6.6.6.6", "Connection: x-mine", "X-Mine: 1",
                       "Accept: text/x", "Forwarded: for=6.6.6.6", host="front.example")
        text = answer.body.decode()
        self.assertTrue(text.startswith("GET /api/echo?x=1 HTTP/1.1\r\n"))
        for line in (f"Host: 127.0.0.1:{self.origin.port}", "Accept: text/x", "X-Forwarded-For: 127.0.0.1",
                     "X-Forwarded-Host: front.example", "X-Forwarded-Proto: http", "Via: 1.1 caf_app",
                     "Forwarded: for=127.0.0.1;host=front.example;proto=http"):
            self.assertIn("\r\n" + line, text)
        for gone in ("6.6.6.6", "X-Mine", "x-mine"):
            self.assertNotIn(gone, text)
        text = fetch(self.port, "/strip/stripped?", host="front.example").body.decode()
        self.assertTrue(text.startswith("GET /stripped? HTTP/1.1\r\nHost: front.example\r\n"))

    def test_fields_of_the_answer(self):
        got = fetch(self.port, "/api/cookies")
        self.assertEqual([value for name, value in got.fields if name == "set-cookie"], ["a=1", "b=2"])
        self.assertEqual((got.field("x-gone"), got.field("x-site"), got.field("x-added")), (None, "origin", "1"))
        self.assertEqual((got.field("server"), got.field("via")), ("origin", "1.1 caf_app"))
        self.assertEqual(got.field("date"), "Thu, 01 Jan 1970 00:00:00 GMT")
        plain = fetch(self.port, "/api/ok")
        self.assertIsNone(plain.field("server"))  # an origin that does not say keeps it for itself
        self.assertIsNotNone(plain.field("date"))

    def test_methods_and_bodiless_answers(self):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            self.assertTrue(fetch(self.port, "/api/echo", method=method).body.startswith(method.encode()))
        with Wire(self.port) as wire:
            head = wire.get("/api/ok", method="HEAD")
            self.assertEqual((head.status, head.field("content-length")), (200, "2"))
            self.assertEqual(wire.get("/api/none").status, 204)
            self.assertEqual(wire.get("/api/not-modified").field("etag"), '"a"')
            self.assertEqual(wire.get("/api/ok").body, b"ok")
        options = fetch(self.port, "/api/echo", "Max-Forwards: 0", method="OPTIONS")
        self.assertEqual((options.status, options.field("allow")), (204, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"))

    def test_interim_responses_pass_once(self):
        with Wire(self.port) as wire:
            wire.send(request("/api/hints"))
            self.assertEqual((wire.response().status, wire.response().body), (103, b"ok"))
        with Wire(self.port) as wire:
            wire.send(b"POST /api/digest HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(wire.response().status, 100)
            self.assertEqual(wire.send(b"hi").response().body, hashlib.sha256(b"hi").hexdigest().encode())

    def test_uploads_with_length_and_in_chunks(self):
        for size in (0, 1, 70_000, 20 * MIB):
            body = os.urandom(size)
            wanted = hashlib.sha256(body).hexdigest().encode()
            self.assertEqual(fetch(self.port, "/api/digest", method="POST", body=body).body, wanted)
            with Wire(self.port) as wire:
                wire.send(b"POST /api/digest HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                for at in range(0, size, 65_536):
                    piece = body[at:at + 65_536]
                    wire.send(b"%x\r\n" % len(piece) + piece + b"\r\n")
                self.assertEqual(wire.send(b"0\r\n\r\n").response().body, wanted)

    def test_large_answers_of_each_framing(self):
        self.assertEqual(fetch(self.port, "/api/large").body, LARGE)
        with Wire(self.port) as wire:
            self.assertIn(b"Transfer-Encoding: chunked", wire.send(request("/api/chunks")).until(b"\r\n\r\n"))
            got = b""
            while True:
                size = int(wire.until(b"\r\n"), 16)
                if size == 0:
                    self.assertIn(b"X-Trailer: t".lower(), wire.until(b"\r\n\r\n").lower())
                    break
                got += wire.exactly(size)
                wire.exactly(2)
            self.assertEqual(got, LARGE)
            self.assertEqual(wire.get("/api/ok").body, b"ok")
        with Wire(self.port) as wire:
            wire.send(b"GET /api/until-close HTTP/1.0\r\nHost: a\r\n\r\n")
            wire.until(b"\r\n\r\n")
            while wire.more():
                pass
            self.assertEqual(wire.buffer, b"z" * 100_000)

    def test_an_early_answer_reaches_a_client_that_uploads(self):
        with Wire(self.port) as wire:
            wire.send(b"POST /no-read/early HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (20 * MIB))
            self.assertEqual(wire.response().status, 413)

    # -- what goes wrong ---------------------------------------------------------------------

    def test_an_origin_that_misbehaves(self):
        for path, (_, wanted) in MISBEHAVIOUR.items():
            for method in ("GET", "POST"):
                with self.subTest(f"{method} {path}"):
                    before = len(self.origin.seen("/bad" + path))
                    with Wire(self.port) as wire:
                        wire.send(request("/bad" + path, method=method, body=b"b" if method == "POST" else b""))
                        status = 100
                        while status < 200:
                            head = wire.until(b"\r\n\r\n")
                            status = int(head.split(b" ")[1])
                        if wanted == "cut":
                            self.assertEqual(status, 200)
                            while wire.more():
                                pass
                            self.assertFalse(wire.buffer.endswith(b"0\r\n\r\n"), wire.buffer)
                            self.assertLess(len(wire.buffer.replace(b"5\r\nshort\r\n", b"short")), 10)
                        else:
                            self.assertEqual(status, wanted)
                            if status not in (204, 304):
                                length = int(head.lower().split(b"content-length:")[1].split()[0])
                                self.assertNotIn(b"evil", wire.exactly(length))
                            self.assertEqual(wire.get("/hello").status, 200)  # the connection is clean
                    if method == "POST":
                        self.assertEqual(len(self.origin.seen("/bad" + path)) - before, 1)
        for _ in range(50):
            self.assertEqual(fetch(self.port, "/api/ok").body, b"ok")

    def test_nobody_there(self):
        answer = fetch(self.port, "/gone")
        self.assertEqual(answer.status, 502)
        with Wire(self.port) as wire:
            self.assertEqual(wire.get("/gone", method="POST", body=b"x").status, 502)
            self.assertEqual(wire.get("/hello").status, 200)

    def test_a_forbidden_connection_field(self):
        for name in ("host", "authorization", "content-length", "x-forwarded-for"):
            self.assertEqual(fetch(self.port, "/api/ok", f"Connection: {name}").status, 400)

    def test_a_client_that_goes_away_frees_the_connection(self):
        wires = []
        for _ in range(20):
            wire = Wire(self.port)
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wires.append(wire.send(request("/api/large")))
        key = 'caf_http_upstream_connections{upstream="origin",state="active"}'
        eventually(lambda: self.node.metrics()[key] == 20, "20 are served")
        before = self.node.rss_kib()
        self.assertLess(before, 200 * 1024)
        for wire in wires:
            wire.reset()
        eventually(lambda: self.node.metrics()[key] == 0, "all are given back")


if __name__ == "__main__":
    suite.main()
