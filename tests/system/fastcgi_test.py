"""FastCGI against a responder that does as it is told: what it sends, and what the client gets of it."""
import pathlib
import socket
import struct
import tempfile
import threading
import time
import unittest

from support import suite
from support.fcgi import ABORT, END, ERR, IN, OUT, Responder, end, out, record
from support.node import CLUSTER, Node, http_section
from support.suite import eventually
from support.web import fetch

HEAD = b"Content-Type: text/plain\r\n\r\n"
PAGE = HEAD + b"hello"
CUT = None
TOO_MUCH = object()


def page(*records):
    return b"".join(records)


# name -> (what the responder sends, status, content; CUT: the client sees that it is not whole; TOO_MUCH: what was
# promised, and cut only if the rest is there before the last of it is sent)
SCRIPTS = {
    "plain": (out(PAGE) + end(), 200, b"hello"),
    "padding of 7": (out(PAGE, padding=7) + end(), 200, b"hello"),
    "padding of 255": (out(PAGE, padding=255) + end(), 200, b"hello"),
    "padding behind nothing": (record(OUT, b"", 8) + out(PAGE) + record(OUT, b"", 255) + end(), 200, b"hello"),
    "padded end": (out(PAGE) + record(END, bytes(8), 8), 200, b"hello"),
    "records of one byte": (out(PAGE, size=1) + end(), 200, b"hello"),
    "records of one byte, padded": (out(PAGE, size=1, padding=5) + end(), 200, b"hello"),
    "end of STDOUT": (out(PAGE) + record(OUT) + end(), 200, b"hello"),
    "end of both streams": (out(PAGE) + record(OUT) + record(ERR) + end(), 200, b"hello"),
    "head cut within a line": (record(OUT, PAGE[:10]) + record(OUT, PAGE[10:]) + end(), 200, b"hello"),
    "head cut within its end": (record(OUT, HEAD[:-1]) + record(OUT, HEAD[-1:] + b"hello") + end(), 200, b"hello"),
    "lines that end with LF": (out(b"Content-Type: text/plain\n\nhello") + end(), 200, b"hello"),
    "head alone": (out(HEAD) + end(), 200, b""),
    "large": (out(HEAD + b"x" * 300_000) + end(), 200, b"x" * 300_000),
    "errors first": (record(ERR, b"oops\n") + out(PAGE) + end(), 200, b"hello"),
    "errors within the head": (record(OUT, PAGE[:5]) + record(ERR, b"oops") + record(OUT, PAGE[5:]) + end(), 200,
                               b"hello"),
    "errors last": (out(PAGE) + record(ERR, b"oops", 3) + end(), 200, b"hello"),
    "errors of 1 MiB": (record(ERR, b"e" * 65535) * 16 + out(PAGE) + end(), 200, b"hello"),
    "errors of 1 MiB last": (out(PAGE) + record(ERR, b"e" * 65535) * 16 + end(), 200, b"hello"),
    "errors alone": (record(ERR, b"oops") + end(), 502, b""),
    "status": (out(b"Status: 418 Teapot\r\n\r\nt") + end(), 418, b"t"),
    "status without words": (out(b"X: y\nStatus: 404\n\nt") + end(), 404, b"t"),
    "status without content": (out(b"Status: 204 No Content\r\n\r\n") + end(), 204, b""),
    "place alone": (out(b"Location: /x\r\n\r\n") + end(), 302, b""),
    "place with status": (out(b"Location: /x\r\nStatus: 201 Created\r\n\r\n") + end(), 201, b""),
    "length": (out(b"Content-Length: 5\r\n\r\nhello") + end(), 200, b"hello"),
    "framing of its own": (out(b"Transfer-Encoding: chunked\r\nConnection: x\r\n\r\nhello") + end(), 200, b"hello"),
    "exit code": (out(PAGE) + end(0, 7), 200, b"hello"),
    # what cannot be answered
    "length above the content": (out(b"Content-Length: 9\r\n\r\nhello") + end(), 200, CUT),
    "length below the content": (out(b"Content-Length: 2\r\n\r\nhello") + end(), 200, TOO_MUCH),
    "head without its end": (out(b"Content-Type: text/plain\r\n") + end(), 502, b""),
    "nothing": (end(), 502, b""),
    "no field": (out(b"hello\n\n") + end(), 502, b""),
    "name with a blank": (out(b"A b: c\n\n") + end(), 502, b""),
    "control byte": (out(b"A: b\0c\n\n") + end(), 502, b""),
    "bad status": (out(b"Status: 9\r\n\r\n") + end(), 502, b""),
    "interim status": (out(b"Status: 100 Continue\r\n\r\n") + end(), 502, b""),
    "two lengths": (out(b"Content-Length: 1\nContent-Length: 1\n\nx") + end(), 502, b""),
    "length that is none": (out(b"Content-Length: -1\n\nx") + end(), 502, b""),
    "head of 64 KiB": (out(b"X: " + b"y" * (65536 - 5) + b"\n\n") + end(), 200, b""),
    "head over 64 KiB": (out(b"X: " + b"y" * (65536 - 4) + b"\n\n") + end(), 502, b""),
    "endless head": (out(b"X: y\n" * 40_000) + end(), 502, b""),
    "HTTP": (b"HTTP/1.1 200 OK\r\n\r\n", 502, b""),
    "other request": (record(OUT, PAGE, identifier=2), 502, b""),
    "management record": (record(10, b"x", identifier=0), 502, b""),
    "other version": (record(OUT, PAGE, version=9), 502, b""),
    "unknown type": (record(99, b"x"), 502, b""),
    "a record of ours": (record(IN, b"x"), 502, b""),
    "short end": (record(END, b"x"), 502, b""),
    "overloaded": (end(2), 503, b""),
    "cannot multiplex": (end(1), 503, b""),
    "unknown role": (end(3), 502, b""),
    # what ends too early
    "closes at once": (b"", 502, b""),
    "closes within a record's head": (out(PAGE)[:5], 502, b""),
    "closes within the head": (out(PAGE[:10]), 502, b""),
    "closes within the content": (out(PAGE), 200, CUT),
    "closes within a record": (out(PAGE) + record(OUT, b"x" * 100)[:50], 200, CUT),
    "closes within the end": (out(PAGE) + end()[:10], 200, CUT),
    "other request in the content": (out(PAGE) + record(OUT, b"x", identifier=2), 200, CUT),
    "short end behind content": (out(PAGE) + record(END, b"x"), 200, CUT),
    "overloaded behind content": (out(PAGE) + end(2), 200, CUT),
}


def config(address, root, upstream="", route=""):
    return (CLUSTER + http_section() +
            f'[[http.upstream]]\nname = "scripts"\nservers = ["{address}"]\neject_fails = 0\n{upstream}\n'
            f'[[http.site]]\nhost = "*"\n[[http.site.route]]\npath = "/app"\nfastcgi = "scripts"\nroot = "{root}"\n'
            f'{route}\n')


class Scripted(unittest.TestCase):
    upstream, route, accepts, backlog, tcp = "", "", True, 64, False

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "root"
        self.root.mkdir()
        for name in ("a.php", "index.php"):
            (self.root / name).write_text("x")
        (self.root / "dir").mkdir()
        (self.root / "dir" / "index.php").write_text("x")
        self.responder = Responder(None if self.tcp else self.folder / "r.sock", self.backlog, self.accepts)
        self.addCleanup(self.responder.close)
        self.responder.answer = out(PAGE) + end()
        self.node = Node(config(self.responder.address, self.root, self.upstream, self.route))
        self.addCleanup(self.node.close)
        self.port = self.node.port()


class Answers(Scripted):
    def test_each_script_in_slices(self):
        for size in (0, 1, 7):
            for name, (answer, status, content) in SCRIPTS.items():
                if size and len(answer) > 20_000:
                    continue
                with self.subTest(f"{name}, slices of {size}"):
                    self.responder.answer, self.responder.slice = answer, size
                    self.responder.keep = answer.endswith((end(), end(0, 7)))
                    before = len(self.responder.requests)
                    got = fetch(self.port, "/app/a.php", "POST", body=b"x")
                    self.assertEqual(got.status, status)
                    if content is TOO_MUCH:
                        self.assertTrue(b"he".startswith(got.body), got.body)
                    else:
                        self.assertEqual(got.whole, content is not CUT)
                    if isinstance(content, bytes) and status < 500:
                        self.assertEqual(got.body, content)
                    self.assertEqual(len(self.responder.requests) - before, 1)
                    if name == "place alone":
                        self.assertEqual(got.field("location"), "/x")
                    if status == 503:
                        self.assertEqual(got.field("retry-after"), "1")

    def test_the_next_request_is_clean(self):
        self.responder.answer, self.responder.keep = out(PAGE) + end(2), False
        fetch(self.port, "/app/a.php")
        self.responder.answer, self.responder.keep = out(PAGE) + end(), True
        self.assertEqual(fetch(self.port, "/app/a.php").body, b"hello")

    def test_what_comes_behind_the_end_ends_the_connection(self):
        self.responder.answer = out(PAGE) + end() + out(b"more")
        for _ in range(3):
            self.assertEqual(fetch(self.port, "/app/a.php").body, b"hello")
        self.assertEqual(self.responder.connections, 3)

    def test_errors_are_in_the_log(self):
        self.responder.answer = record(ERR, b"PHP Warning: one\n") + record(ERR, b"two") + out(PAGE) + end()
        fetch(self.port, "/app/a.php")
        line = eventually(lambda: [x for x in self.node.log().splitlines() if "a script complains" in x],
                          "the script's errors are in the log")[0]
        self.assertIn("PHP Warning: one", line)
        self.assertIn("two", line)
        self.assertIn("a.php", line)


class Requests(Scripted):
    route = 'params = { APP_ENV = "test" }\nfront = "index.php"'

    def last(self):
        return self.responder.requests[-1]

    def test_variables(self):
        fetch(self.port, "/app/a.php/in%20fo?a=b", fields={"X-Some": "1", "X_Some": "evil", "Proxy": "evil",
                                                            "Cookie": "c=d"})
        seen = self.last().variables
        for name, value in {"REQUEST_METHOD": "GET", "QUERY_STRING": "a=b", "PATH_INFO": "/in fo", "HTTP_X_SOME": "1",
                            "SCRIPT_FILENAME": f"{self.root}/a.php", "SCRIPT_NAME": "/app/a.php", "APP_ENV": "test",
                            "DOCUMENT_ROOT": str(self.root), "REQUEST_URI": "/app/a.php/in%20fo?a=b",
                            "REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "a", "SERVER_PROTOCOL": "HTTP/1.1",
                            "REQUEST_SCHEME": "http", "HTTP_COOKIE": "c=d", "CONTENT_LENGTH": ""}.items():
            self.assertEqual(seen[name], value, name)
        self.assertEqual(self.last().flags, 1)  # FCGI_KEEP_CONN
        for name in ("HTTP_PROXY", "HTTP_CONTENT_LENGTH"):
            self.assertNotIn(name, seen)

    def test_long_values(self):
        fields = {f"X-Long-{i}": "v" * size for i, size in enumerate((126, 127, 128, 129, 20_000))}
        fetch(self.port, "/app/a.php", fields=fields)
        for name, value in fields.items():
            self.assertEqual(self.last().variables["HTTP_" + name.upper().replace("-", "_")], value)

    def test_places(self):
        for path, name, info in (("/app/", "index.php", ""), ("/app/dir/", "dir/index.php", ""),
                                 ("/app/nice/page", "index.php", "/nice/page"), ("/app/a.php", "a.php", ""),
                                 ("/app/dir/index.php/x/y", "dir/index.php", "/x/y")):
            fetch(self.port, path)
            seen = self.last().variables
            self.assertEqual((seen["SCRIPT_FILENAME"], seen["PATH_INFO"]), (f"{self.root}/{name}", info), path)
        got = fetch(self.port, "/app/dir?q")
        self.assertEqual((got.status, got.field("location")), (301, "/app/dir/?q"))

    def test_content(self):
        for size in (0, 1, 65_535, 65_536, 200_000):
            data = bytes(i * 7 % 251 for i in range(size))
            for chunked in (False, True):
                pieces = (data[at:at + 50_000] for at in range(0, size, 50_000))
                fields = {"Transfer-Encoding": "chunked"} if chunked else {}
                got = fetch(self.port, "/app/a.php", "POST", fields, pieces if chunked else data, chunked)
                self.assertEqual((got.status, got.body), (200, b"hello"))
                seen = self.last()
                self.assertEqual(seen.body, data)
                self.assertIn(seen.variables["CONTENT_LENGTH"], (str(size), "" if size == 0 else str(size)))
                self.assertTrue(all(length <= 65_535 for _, length in seen.records))

    def test_HEAD(self):
        self.responder.answer = out(b"Content-Length: 7\r\n\r\n") + end()
        got = fetch(self.port, "/app/a.php", "HEAD")
        self.assertEqual((got.status, got.field("content-length"), got.body), (200, "7", b""))

    def test_connections_are_kept(self):
        for _ in range(5):
            self.assertEqual(fetch(self.port, "/app/a.php").body, b"hello")
        self.assertEqual(self.responder.connections, 1)

    def test_a_client_that_goes_away_aborts(self):
        gone, seen = threading.Event(), []

        def wait(client, request):
            gone.wait(suite.PATIENCE)
            kind, _ = self.responder.read_record(client, request)
            seen.append(kind)
            client.sendall(end())
            seen.append(client.recv(1))
        self.responder.answer = wait
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(b"GET /app/a.php HTTP/1.1\r\nHost: a\r\n\r\n")
            eventually(lambda: self.responder.requests, "the request has come")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.set()
        eventually(lambda: len(seen) == 2, "it was aborted and closed")
        self.assertEqual(seen, [ABORT, b""])

    def test_an_abort_that_nobody_hears_closes_after_a_second(self):
        ended = []

        def wait(client, request):
            began = time.monotonic()
            while client.recv(100):
                pass
            ended.append(time.monotonic() - began)
        self.responder.answer = wait
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(b"GET /app/a.php HTTP/1.1\r\nHost: a\r\n\r\n")
            eventually(lambda: self.responder.requests, "the request has come")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        eventually(lambda: ended, "the connection has ended")
        self.assertGreater(ended[0], 0.9)


class Tcp(Scripted):
    tcp = True

    def test_servers_may_be_elsewhere(self):
        data = bytes(range(256)) * 1000
        for _ in range(3):
            got = fetch(self.port, "/app/a.php", "POST", body=data)
            self.assertEqual((got.status, got.body), (200, b"hello"))
            self.assertEqual(self.responder.requests[-1].body, data)
        self.assertEqual(self.responder.connections, 1)
        self.responder.close()


class Silence(Scripted):
    upstream = 'first_byte_timeout = "200ms"\nread_timeout = "200ms"'

    def test_a_script_that_says_nothing(self):
        self.responder.answer = lambda client, request: client.recv(1)
        self.assertEqual(fetch(self.port, "/app/a.php").status, 504)

    def test_a_script_that_stops(self):
        def stop(client, request):
            client.sendall(out(PAGE))
            client.recv(1)
        self.responder.answer = stop
        got = fetch(self.port, "/app/a.php")
        self.assertEqual((got.status, got.whole), (200, False))


class Backlog(Scripted):
    """A responder that accepts nobody: its backlog is a queue that the kernel does not tell about."""
    upstream, accepts, backlog = 'connect_timeout = "2s"', False, 0

    def test_a_full_backlog_is_queueing(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(fetch(self.port, "/app/a.php").status))
                   for _ in range(6)]
        for thread in threads:
            thread.start()
        eventually(lambda: self.node.metric("caf_http_upstream_backlog_full_total") > 0, "it was full for somebody")
        self.responder.begin()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [200] * 6)


class Rooms(Scripted):
    upstream = 'max_conns = 1\nqueue = 1\nqueue_timeout = "300ms"'

    def test_beyond_the_queue_it_is_503_early(self):
        release = threading.Event()

        def wait(client, request):
            release.wait(suite.PATIENCE)
            client.sendall(out(PAGE) + end())
        self.responder.answer = wait
        results = []
        threads = [threading.Thread(target=lambda: results.append(fetch(self.port, "/app/a.php")))
                   for _ in range(5)]
        for thread in threads:
            thread.start()
        eventually(lambda: len(results) == 4, "all but one were refused")  # three at once, one after the queue's time
        self.assertEqual({(got.status, got.field("retry-after")) for got in results}, {(503, "1")})
        release.set()
        for thread in threads:
            thread.join()
        self.assertEqual(results[-1].body, b"hello")


if __name__ == "__main__":
    suite.main()
