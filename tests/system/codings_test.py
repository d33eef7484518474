"""On-the-fly codings of what comes from elsewhere: proxied, cached and FastCGI answers."""
import pathlib
import random
import subprocess
import tempfile
import threading
import time
import unittest
import zlib

from support import suite
from support.fcgi import Responder, end, out
from support.node import Node
from support.origin import OK, Origin, config, route, upstream
from support.suite import eventually
from support.web import fetch
from support.wire import Wire, request

TEXT = "".join(f"line {number}\n" for number in range(1000)).encode()
LARGE = TEXT * 40  # is coded by a worker
CODED = {"Accept-Encoding": "gzip"}


def plain(answer):
    """The content, whatever its coding."""
    if answer.field("content-encoding") != "gzip":
        return answer.body
    return zlib.decompress(answer.body, 31)


class Codings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.answers = {}  # path -> function(connection, request), or (lines, content)
        cls.origin = Origin({"*": cls.serve})
        cls.folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        root = pathlib.Path(cls.folder.name)
        (root / "page.php").write_text("")
        cls.script = Responder(root / "fcgi.sock")
        cls.node = Node(config(
            route("/", 'proxy = "o"') + route("/cached", 'proxy = "o"\n  cache = true')
            + route("/off", 'proxy = "o"\n  compress = false') + route("/greet", 'actor = "greeter"')
            + route("/php", f'fastcgi = "f"\n  root = "{root}"'),
            upstream("o", [f"http://127.0.0.1:{cls.origin.port}"], "eject_fails = 0")
            + upstream("f", [cls.script.address]),
            extra='h2c = true\ncache.size = "8MiB"\naccess_log = "access.log"'))
        cls.port = cls.node.port()

    @classmethod
    def tearDownClass(cls):
        cls.node.close()
        cls.origin.close()
        cls.script.close()
        cls.folder.cleanup()

    @classmethod
    def serve(cls, connection, asked):
        answer = cls.answers[asked.path.split("?")[0]]
        if callable(answer):
            return answer(connection, asked)
        lines, content = answer
        known = asked.field("if-none-match") or ""
        tag = next((line.split(": ")[1] for line in lines if line.startswith("ETag: ")), None)
        if tag and tag in known:
            connection.send(f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode())
            return True
        head = "".join(line + "\r\n" for line in (*lines, f"Content-Length: {len(content)}"))
        connection.send(OK + head.encode() + b"\r\n" + (b"" if asked.method == "HEAD" else content))
        return True

    def get(self, path, fields=None, method="GET"):
        return fetch(self.port, path, method, {**CODED, **(fields or {})})

    def test_what_is_coded_and_what_is_not(self):
        mebi = 1024 * 1024
        for lines, size, coded in (
                (["Content-Type: text/html"], 1024, True),
                (["Content-Type: text/html"], 1023, False),
                (["Content-Type: text/html"], mebi, True),
                (["Content-Type: text/html"], mebi + 1, False),
                (["Content-Type: application/json; charset=utf-8"], 5000, True),
                (["Content-Type: image/svg+xml"], 5000, True),
                (["Content-Type: image/png"], 5000, False),
                ([], 5000, False),
                (["Content-Type: text/plain", "Cache-Control: no-transform"], 5000, False),
                (["Content-Type: text/plain", "Content-Encoding: x-own"], 5000, False)):
            content = (TEXT * (size // len(TEXT) + 1))[:size]
            for path in ("/kinds", "/off/kinds"):
                self.answers[path] = (lines, content)
                got = self.get(path)
                wanted = coded and path == "/kinds"
                with self.subTest(lines=lines, size=size, path=path):
                    self.assertTrue(got.whole)
                    self.assertEqual(got.field("content-encoding") == "gzip", wanted)
                    self.assertEqual(got.field("vary"), "Accept-Encoding" if wanted else None)
                    self.assertEqual(plain(got), content)
                    if wanted:
                        self.assertLess(len(got.body), len(content) // 2)

    def test_what_the_client_says_counts(self):
        self.answers["/wish"] = (["Content-Type: text/plain", 'ETag: "v"', "Vary: Origin", "Accept-Ranges: bytes"], TEXT)
        for wish, coding in ((None, None), ("gzip", "gzip"), ("gzip, br", "br"), ("zstd, gzip;q=0.9", "zstd"),
                             ("gzip;q=0, *;q=0", None), ("deflate", None), ("identity;q=0", None), ("x-gzip", "gzip")):
            got = fetch(self.port, "/wish", fields={"Accept-Encoding": wish} if wish else {})
            with self.subTest(wish=wish):
                self.assertEqual(got.status, 200)
                self.assertEqual(got.field("content-encoding"), coding)
                self.assertEqual(got.field("vary"), "Origin, Accept-Encoding")
                self.assertEqual(got.field("etag"), f'W/"v-{coding}"' if coding else '"v"')
                self.assertEqual(got.field("accept-ranges"), None if coding else "bytes")
                self.assertEqual(got.body == TEXT, not coding)

    def test_HEAD_says_what_GET_does(self):
        self.answers["/head"] = self.answers["/cached/head"] = (
            ["Content-Type: text/plain", 'ETag: "v"', "Cache-Control: max-age=60"], TEXT)
        for path in ("/head", "/cached/head"):
            for fields in (CODED, {}):
                got = [fetch(self.port, path, what, fields) for what in ("GET", "HEAD")]
                for name in ("content-type", "content-encoding", "etag", "vary"):
                    self.assertEqual(got[0].field(name), got[1].field(name), (path, name))
                if got[1].field("content-length"):
                    self.assertEqual(got[0].field("content-length"), got[1].field("content-length"))

    def test_a_tag_is_taken_back_and_repeated(self):
        self.answers["/tag"] = self.answers["/cached/tag"] = (
            ["Content-Type: text/plain", 'ETag: "v"', "Cache-Control: max-age=60"], TEXT)
        for path in ("/tag", "/cached/tag"):
            tag = self.get(path).field("etag")
            self.assertEqual(tag, 'W/"v-gzip"')
            again = self.get(path, {"If-None-Match": tag})
            self.assertEqual((again.status, again.field("etag"), again.field("vary")), (304, tag, "Accept-Encoding"))
            self.assertEqual(self.get(path, {"If-None-Match": '"v"'}).field("etag"), '"v"')
            self.assertEqual(self.get(path, {"If-None-Match": 'W/"v-br"'}).status, 200)
            self.assertEqual(fetch(self.port, path, fields={"If-None-Match": tag}).body, TEXT)

    def test_the_cache_keeps_the_plain_form(self):
        self.answers["/cached/one"] = (["Content-Type: text/plain", "Cache-Control: max-age=60", 'ETag: "v"'], LARGE)
        for fields in (CODED, {}, {"Accept-Encoding": "br"}, CODED):
            got = fetch(self.port, "/cached/one", fields=fields)
            self.assertEqual(got.field("content-encoding"), fields.get("Accept-Encoding"))
            if got.field("content-encoding") != "br":
                self.assertEqual(plain(got), LARGE)
        part = self.get("/cached/one", {"Range": "bytes=5-9"})
        self.assertEqual((part.status, part.body, part.field("vary")), (206, LARGE[5:10], "Accept-Encoding"))
        self.assertIsNone(part.field("content-encoding"))
        self.assertEqual(len(self.origin.seen("/cached/one")), 1)

    def test_pieces_reach_the_client_as_they_come(self):
        go_on = threading.Event()

        def pieces(connection, asked):
            connection.send(OK + b"Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nfirst \r\n")
            go_on.wait(suite.PATIENCE)
            connection.send(b"%x\r\n%s\r\n" % (len(LARGE), LARGE) + b"4\r\nlast\r\n0\r\nX-Sum: 7\r\n\r\n")
            return True
        self.answers["/pieces"] = pieces
        with Wire(self.port) as wire:
            wire.send(request("/pieces", "Accept-Encoding: gzip", "TE: trailers"))
            self.assertIn(b"content-encoding: gzip", wire.until(b"\r\n\r\n").lower())
            coder, got = zlib.decompressobj(31), b""
            while size := int(wire.until(b"\r\n"), 16):
                got += coder.decompress(wire.exactly(size))
                wire.exactly(2)
                if got == b"first ":
                    go_on.set()
            self.assertEqual(wire.until(b"\r\n\r\n").lower(), b"x-sum: 7\r\n\r\n")
            self.assertEqual(got, b"first " + LARGE + b"last")
            self.assertTrue(coder.eof)

    def test_what_is_cut_stays_cut(self):
        def cut(connection, asked):
            connection.send(OK + b"Content-Type: text/plain\r\nContent-Length: 99999\r\n\r\n" + TEXT)
            return False
        self.answers["/cut"] = cut
        got = self.get("/cut")
        self.assertEqual((got.status, got.whole), (200, False))

    def test_a_client_that_leaves_cancels(self):
        left = threading.Event()

        def endless(connection, asked):
            connection.send(OK + b"Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
            try:
                while not left.wait(0.001):
                    connection.send(b"%x\r\n%s\r\n" % (len(LARGE), LARGE))
            except OSError:
                left.set()
            return False
        self.answers["/endless"] = endless
        with Wire(self.port) as wire:
            wire.send(request("/endless", "Accept-Encoding: gzip"))
            wire.exactly(100_000)
            wire.reset()
        eventually(left.is_set, "the origin is told")

    def test_a_client_that_does_not_read_holds_the_origin(self):
        noise, sent = random.Random(1).randbytes(65536), [0]

        def much(connection, asked):
            connection.socket.settimeout(1)
            connection.send(OK + b"Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
            while sent[0] < 256 * 1024 * 1024:
                connection.send(b"10000\r\n%s\r\n" % noise)
                sent[0] += len(noise)
        self.answers["/much"] = much
        before = self.node.rss_kib()
        with Wire(self.port) as wire:
            wire.send(request("/much", "Accept-Encoding: gzip"))
            wire.exactly(100_000)
            seen = -1
            while seen != sent[0]:
                seen = sent[0]
                time.sleep(0.3)
            self.assertLess(seen, 64 * 1024 * 1024)  # in the buffers of the kernel
            self.assertLess(self.node.rss_kib() - before, 8 * 1024 * (8 if suite.SANITIZED else 1))
            wire.reset()

    def test_scripts(self):
        for content in (TEXT, LARGE):
            for length in ("", f"Content-Length: {len(content)}\r\n"):
                self.script.answer = out(f"Content-Type: text/html\r\n{length}\r\n".encode() + content) + end()
                got = self.get("/php/page.php")
                self.assertEqual((got.status, got.field("content-encoding")), (200, "gzip"))
                self.assertEqual(plain(got), content)
        self.script.answer = out(b"Content-Type: text/html\r\n\r\n" + TEXT) + end(3)
        self.assertFalse(self.get("/php/page.php").whole)

    def test_HTTP_2(self):
        self.answers["/two"] = (["Content-Type: text/plain"], LARGE)
        for options in ((), ("--http2-prior-knowledge",)):
            got = subprocess.run(["curl", "-sS", *options, "-H", "Accept-Encoding: gzip", "-w", "%{http_version}",
                                  f"http://127.0.0.1:{self.port}/two"], capture_output=True, timeout=suite.PATIENCE)
            self.assertEqual(got.returncode, 0, got.stderr)
            coder = zlib.decompressobj(31)
            self.assertEqual(coder.decompress(got.stdout), LARGE)
            self.assertEqual(coder.unused_data, b"2" if options else b"1.1")

    def test_many_at_once(self):
        self.answers["/many"] = (["Content-Type: text/plain"], LARGE)
        failed = []

        def client():
            for _ in range(10):
                if plain(self.get("/many")) != LARGE:
                    failed.append(1)
        threads = [threading.Thread(target=client) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_the_log_counts_what_was_sent(self):
        self.answers["/logged"] = (["Content-Type: text/plain"], TEXT)
        size = len(self.get("/logged").body)
        log = self.node.folder / "access.log"
        line = eventually(lambda: next((each for each in log.read_text().splitlines() if "/logged" in each), None)
                          if log.exists() else None, "the line")
        self.assertIn(f'" 200 {size} ', line)


if __name__ == "__main__":
    suite.main()
