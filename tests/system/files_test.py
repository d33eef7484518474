"""Static files as a client sees them: the whole matrix of conditions, ranges, codings and HEAD against a model, what
must not be reachable, files that change while they are sent, slow readers, large files, and reloads under load."""
import email.utils
import gzip
import os
import pathlib
import re
import signal
import socket
import threading
import time
import unittest
import urllib.parse

from support import files_model, suite
from support.files_model import CONDITIONS, IF_RANGES, RANGES, Resource, WEIGHTS
from support.node import CLUSTER, Node, http_section
from support.suite import eventually
from support.wire import Closed, Wire, fetch, request

MTIME = 1_600_000_000 * 10**9 + 123_456_789
KIB, MIB = 1024, 1024 * 1024


def route(path, root, extra=""):
    return f'\n  [[http.site.route]]\n  path = "{path}"\n  files = "{root}"\n  {extra}\n'


def config(routes, limits="", extra=""):
    return CLUSTER + http_section(extra=extra, limits=limits) + '[[http.site]]\nhost = "*"\n' + routes


class Files(unittest.TestCase):
    ROUTES = (route("/", "root", 'max_age = "60s"') + route("/listed", "root", "listing = true\ndotfiles = true") +
              route("/strict", "root", 'symlinks = "none"') +
              route("/app", "root", 'fallback = "app.html"\nindex = ["none.html"]') +
              route("/typed", "root", 'types = { html = "text/x-own" }\ncompress = false\n'
                                      'headers = { X-Route = "typed", ETag = "never" }'))

    @classmethod
    def setUpClass(cls):
        cls.node = Node(config(cls.ROUTES), ready=False)
        cls.addClassCleanup(cls.node.close)
        # The root has to be there before the node looks; its process was started a moment ago.
        cls.node.process.kill()
        cls.node.process.wait()
        folder = cls.node.folder
        cls.root = folder / "root"
        cls.root.mkdir()
        cls.node = Node(config(cls.ROUTES, limits="keepalive_requests = 1000000"), folder=folder)
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    @classmethod
    def write(cls, name, content, mtime_ns=MTIME):
        path = cls.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(mtime_ns, mtime_ns))
        return path

    # -- the matrix ----------------------------------------------------------------------

    def resources(self):
        html = b"".join(b"line %d of a page\n" % i for i in range(300))
        css = b"".join(b"a%d { color: red }\n" % i for i in range(200))
        zipped, newer = gzip.compress(css, mtime=0), MTIME + 10**9
        result = [
            Resource("/matrix/pic.png", "image/png", bytes(range(100)), MTIME),
            Resource("/matrix/page.html", "text/html; charset=utf-8", html, MTIME, on_the_fly=True),
            Resource("/matrix/site.css", "text/css; charset=utf-8", css, MTIME, [("gzip", zipped, newer)], True),
            Resource("/matrix/two.png", "image/png", bytes(100), MTIME, [("br", b"B" * 60, MTIME)]),
            Resource("/matrix/empty.png", "image/png", b"", MTIME),
            Resource("/matrix/large.png", "image/png", os.urandom(100_000), MTIME),
        ]
        for resource in result:
            self.write(resource.path[1:], resource.content)
        self.write("matrix/site.css.gz", zipped, newer)
        self.write("matrix/two.png.br", b"B" * 60)
        self.write("matrix/pic.png.br", b"too old", MTIME - 1)
        return result

    def check_parts(self, answer, resource, parts):
        kind = re.fullmatch(r"multipart/byteranges; boundary=(\w{16,70})", answer.field("content-type"))
        self.assertTrue(kind, answer.fields)
        expected = b""
        for (first, last), data in parts:
            expected += (f"--{kind[1]}\r\nContent-Type: {resource.mime}\r\nContent-Range: bytes {first}-{last}/"
                         f"{len(resource.content)}\r\n\r\n").encode() + data + b"\r\n"
        self.assertEqual(answer.body, expected + f"--{kind[1]}--\r\n".encode())

    def check(self, wire, resource, method, accept, wanted, if_range, condition):
        fields, status, needs, never, body = files_model.expect(resource, method, accept, wanted, if_range, condition)
        answer = wire.get(resource.path, *(f"{name}: {value}" for name, value in fields.items()), method=method)
        self.assertEqual(answer.status, status)
        for name, value in needs.items():
            self.assertEqual(answer.field(name), value, name)
        for name in never:
            self.assertIsNone(answer.field(name), name)
        if method == "HEAD" or body is None:
            if method == "HEAD":
                self.assertEqual(answer.body, b"")
            if status == 200 and method == "GET":
                coding = answer.field("content-encoding")
                if coding == "gzip":
                    self.assertEqual(gzip.decompress(answer.body), resource.content)
                else:
                    self.assertEqual(coding, "br")
                    self.assertLess(len(answer.body), len(resource.content) / 2)
        elif isinstance(body, list):
            self.check_parts(answer, resource, body)
        else:
            self.assertEqual(answer.body, body)

    def test_the_matrix_of_conditions_ranges_codings_and_head(self):
        combinations = 0
        resources = self.resources()
        with Wire(self.port) as wire:
            for resource in resources:
                for accept in WEIGHTS:
                    for wanted in RANGES:
                        for if_range in IF_RANGES:
                            for condition in CONDITIONS:
                                # every pair of values meets: all of them would take a minute
                                if if_range is not None and (wanted is None or condition[0] and wanted != "bytes=0-4"):
                                    continue
                                for method in ("GET", "HEAD"):
                                    if method == "HEAD" and wanted not in (None, "bytes=0-4", "bytes=99999-"):
                                        continue
                                    combinations += 1
                                    with self.subTest(f"{method} {resource.path} {accept} {wanted} {if_range} "
                                                      f"{condition}"):
                                        self.check(wire, resource, method, accept, wanted, if_range, condition)
        self.assertGreater(combinations, 400)
        print(f"{combinations} combinations", flush=True)

    # -- what is found -----------------------------------------------------------------------

    def test_names_with_any_bytes(self):
        for name in ("a b.txt", "100%.txt", "%2e.txt", "grüße.txt", "日本.txt", "a+b&c=d.txt", "semi;colon", "q?mark",
                     "ha#sh", "tilde~", "-", "'quote\"", "new\nline"):
            with self.subTest(name):
                self.write("names/" + name, name.encode())
                answer = fetch(self.port, "/names/" + urllib.parse.quote(name, safe=""))
                self.assertEqual((answer.status, answer.body), (200, name.encode()))
        listing = fetch(self.port, "/listed/names/").body.decode()
        for link in re.findall(r'href="\./([^"]*)"', listing):
            self.assertEqual(fetch(self.port, "/names/" + link).status, 200, link)
        self.assertIn("&#39;quote&quot;", listing)

    def test_nothing_outside_of_the_root(self):
        secret = self.node.folder / "secret.txt"
        secret.write_text("secret")
        (self.node.folder / "root-sibling").mkdir(exist_ok=True)
        (self.node.folder / "root-sibling" / "secret.txt").write_text("secret")
        for name, target in (("up", "../secret.txt"), ("absolute", str(secret)), ("folder", ".."), ("proc", "/proc/self"),
                             ("sibling", "../root-sibling"), ("deep", "up"), ("slash", "/")):
            link = self.root / name
            if not link.is_symlink():
                link.symlink_to(target)
        tried = 0
        ups = ["..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", "..%2f", "..%5c", "..\\", "%c0%ae%c0%ae", "%252e%252e", "....",
               "..;", "..%00", "%2e%2e%2f", "..%c0%af", "%uff0e%uff0e", ". .", "..%20"]
        targets = ["secret.txt", "root-sibling/secret.txt", "etc/passwd", "cluster.toml", "proc/self/environ"]
        paths = [f"{before}/{'/'.join([up] * depth)}/{target}" for before in ("", "/listed", "/strict", "/app", "/names")
                 for up in ups for depth in (1, 2, 8) for target in targets]
        paths += [f"{before}/{name}{rest}" for before in ("", "/listed", "/strict") for name in
                  ("up", "absolute", "folder/secret.txt", "proc/environ", "sibling/secret.txt", "deep", "slash/etc/passwd",
                   "-sibling/secret.txt", "/etc/passwd", "//etc/passwd") for rest in ("", "/", "?x", "/.", "%20")]
        for path in paths:
            tried += 1
            with Wire(self.port) as wire:
                try:
                    answer = wire.send(request(path)).response()
                except Closed:
                    continue
            self.assertIn(answer.status, (301, 308, 400, 403, 404) if not path.startswith("/app") else
                          (200, 301, 308, 400, 403, 404), path)
            self.assertNotIn(b"secret", answer.body.replace(b"secret.txt", b""), path)
            self.assertNotIn(b"root:", answer.body, path)
        self.assertGreater(tried, 1000)

    def test_kinds_of_files_and_options_of_routes(self):
        self.write("page.html", b"<p>" * 1000)
        self.write(".hidden", b"dot")
        self.write("dir/page.html", b"x")
        self.write("indexed/index.html", b"index")
        self.write("app.html", b"app")
        os.path.lexists(self.root / "inner") or (self.root / "inner").symlink_to("page.html")
        os.path.exists(self.root / "fifo") or os.mkfifo(self.root / "fifo")
        for path, status, body in (
                ("/.hidden", 404, None), ("/listed/.hidden", 200, b"dot"), ("/inner", 200, b"<p>" * 1000),
                ("/strict/inner", 404, None), ("/dir/", 403, None), ("/indexed/", 200, b"index"), ("/fifo", 404, None),
                ("/page.html/", 404, None), ("/page.html/x", 404, None), ("/app/nothing/at/all", 200, b"app"),
                ("/app/page.html", 200, b"<p>" * 1000), ("//page.html", 200, b"<p>" * 1000),
                ("/dir/../page.html", 200, b"<p>" * 1000), ("/no", 404, None), ("/" + "n" * 256, 404, None)):
            with self.subTest(path):
                answer = fetch(self.port, path)
                self.assertEqual(answer.status, status)
                if body is not None:
                    self.assertEqual(answer.body, body)
        typed = fetch(self.port, "/typed/page.html", "Accept-Encoding: gzip")
        self.assertEqual(typed.field("content-type"), "text/x-own")
        self.assertEqual((typed.field("x-route"), typed.field("content-encoding")), ("typed", None))
        self.assertIn("-", typed.field("etag"))
        self.assertEqual(fetch(self.port, "/typed/nothing").field("x-route"), "typed")

    def test_directories_redirect_to_their_slash(self):
        self.write("redirected/x", b"")
        for method, status in (("GET", 301), ("HEAD", 301)):
            answer = fetch(self.port, "/redirected?a=b", method=method)
            self.assertEqual((answer.status, answer.field("location")), (status, "/redirected/?a=b"))
        answer = fetch(self.port, "/listed")
        self.assertEqual((answer.status, answer.field("location")), (301, "/listed/"))

    def test_methods(self):
        self.write("m.txt", b"m")
        self.assertEqual(fetch(self.port, "/m.txt", method="OPTIONS").field("allow"), "GET, HEAD, OPTIONS")
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            answer = fetch(self.port, "/m.txt", method=method)
            self.assertEqual((answer.status, answer.field("allow")), (405, "GET, HEAD, OPTIONS"))
        with Wire(self.port) as wire:  # content of GET is read away
            self.assertEqual(wire.get("/m.txt", "Content-Length: 5", body=b"").status if False else
                             wire.send(request("/m.txt", "Content-Length: 5") + b"12345").response().body, b"m")
            self.assertEqual(wire.get("/m.txt").body, b"m")

    # -- files that change ---------------------------------------------------------------------

    def test_a_changed_file_is_seen_soon(self):
        path = self.write("changing.txt", b"one")
        self.assertEqual(fetch(self.port, "/changing.txt").body, b"one")
        path.write_bytes(b"three")
        eventually(lambda: fetch(self.port, "/changing.txt").body == b"three", "the new content", 3)
        path.unlink()
        eventually(lambda: fetch(self.port, "/changing.txt").status == 404, "the file is gone", 3)

    def receive(self, wire, size):
        """Up to `size` bytes of content, with what has come behind the head."""
        data = bytearray(size)
        data[:len(wire.buffer)] = wire.buffer
        got, view = len(wire.buffer), memoryview(data)
        while got < size:
            try:
                read = wire.socket.recv_into(view[got:])
            except ConnectionResetError:
                break
            if not read:
                break
            got += read
        wire.buffer = b""
        return bytes(view[:got])

    def slow_get(self, path, change, size):
        """Begins to read, lets `change` happen when the kernel's buffers are full, reads on."""
        with Wire(self.port) as wire:
            wire.send(request(path))
            head = wire.until(b"\r\n\r\n")
            self.assertIn(b"Content-Length: %d\r\n" % size, head)
            eventually(lambda: self.node.metrics().get('caf_http_requests_in_flight{state="write"}'), "it is sent")
            change()
            return self.receive(wire, size)

    def test_a_file_that_shrinks_is_cut_and_never_padded(self):
        size = 64 * MIB
        path = self.write("shrinking.bin", b"s" * size)
        data = self.slow_get("/shrinking.bin", lambda: os.truncate(path, 32 * MIB), size)
        self.assertLess(len(data), size)
        self.assertEqual(data.count(b"s"), len(data))
        self.assertEqual(fetch(self.port, "/shrinking.bin", method="HEAD").field("content-length"), str(32 * MIB))
        path.unlink()

    def test_a_file_that_grows_has_the_promised_length(self):
        size = 32 * MIB
        path = self.write("growing.bin", b"g" * size)

        def grow():
            with open(path, "ab") as file:
                file.write(b"h" * MIB)
        data = self.slow_get("/growing.bin", grow, size)
        self.assertEqual((len(data), data.count(b"g")), (size, size))
        self.assertEqual(fetch(self.port, "/growing.bin", method="HEAD").field("content-length"), str(size + MIB))
        path.unlink()

    def test_a_replaced_file_is_sent_as_it_was(self):
        size = 32 * MIB
        path = self.write("replaced.bin", b"a" * size)

        def replace():
            self.write("next.bin", b"b" * size)
            os.rename(self.root / "next.bin", path)
        self.assertEqual(self.slow_get("/replaced.bin", replace, size).count(b"a"), size)
        eventually(lambda: fetch(self.port, "/replaced.bin", "Range: bytes=0-0").body == b"b", "the new file", 5)
        path.unlink()

    def test_ranges_of_a_sparse_file_of_a_gigabyte(self):
        path = self.root / "sparse.bin"
        with open(path, "wb") as file:
            file.truncate(1024 * MIB)
            for at in (0, 512 * MIB, 1024 * MIB - 10):
                file.seek(at)
                file.write(b"0123456789")
        with Wire(self.port) as wire:
            for wanted, body in (("0-9", b"0123456789"), ("536870912-536870921", b"0123456789"), ("-10", b"0123456789"),
                                 ("1073741823-", b"9")):
                answer = wire.get("/sparse.bin", "Range: bytes=" + wanted)
                self.assertEqual((answer.status, answer.body), (206, body))
            answer = wire.get("/sparse.bin", "Range: bytes=0-9,1073741814-")
            self.assertEqual(answer.body.count(b"0123456789"), 2)
            self.assertEqual(wire.get("/sparse.bin", "Range: bytes=1073741824-").status, 416)
            self.assertEqual(wire.get("/sparse.bin", method="HEAD").field("content-length"), "1073741824")
        before = self.node.rss_kib()
        with Wire(self.port) as wire:  # all of it, without memory for it
            wire.send(request("/sparse.bin"))
            wire.until(b"\r\n\r\n")
            got = len(wire.buffer)
            buffer = bytearray(MIB)
            while got < 1024 * MIB:
                read = wire.socket.recv_into(buffer)
                self.assertTrue(read)
                got += read
        self.assertLess(self.node.rss_kib() - before, 8 * KIB)
        path.unlink()

    # -- clients ---------------------------------------------------------------------------------

    def test_a_download_goes_on_after_the_server_was_stopped(self):
        """SIGSTOP cuts sendfile short although the socket has room: nobody tells of room that was there."""
        size = 64 * MIB
        path = self.root / "stopped.bin"
        with path.open("wb") as file:
            file.truncate(size)
        stop = threading.Event()

        def interrupt():
            while not stop.wait(0.002):
                self.node.process.send_signal(signal.SIGSTOP)
                time.sleep(0.0005)
                self.node.process.send_signal(signal.SIGCONT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            for _ in range(3):
                with socket.create_connection(("127.0.0.1", self.port), timeout=suite.PATIENCE) as client:
                    client.sendall(request("/stopped.bin", "Connection: close"))
                    received = 0
                    while piece := client.recv(MIB):
                        received += len(piece)
                self.assertGreater(received, size)
        finally:
            stop.set()
            thread.join()
            path.unlink()

    def test_slow_readers_cost_no_memory_and_harm_nobody(self):
        path = self.write("slow.bin", os.urandom(8 * MIB))
        self.write("quick.txt", b"quick")
        before, wires = self.node.rss_kib(), []
        try:
            for _ in range(50):
                wire = Wire(self.port)
                wires.append(wire)
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                wire.send(request("/slow.bin"))
            eventually(lambda: self.node.metrics().get('caf_http_requests_in_flight{state="write"}') == 50, "50 are sent")
            slowest = 0
            for _ in range(50):
                began = time.monotonic()
                self.assertEqual(fetch(self.port, "/quick.txt").body, b"quick")
                slowest = max(slowest, time.monotonic() - began)
            self.assertLess(slowest, 1)
            self.assertLess(self.node.rss_kib() - before, 16 * KIB)
        finally:
            for wire in wires:
                wire.reset()
        eventually(lambda: self.node.metrics().get('caf_http_requests_in_flight{state="write"}') == 0, "all are gone")
        path.unlink()

    def test_pipelined_files_come_in_order(self):
        names = []
        for i in range(40):
            size = (10, 40_000, 3, 200_000, 0)[i % 5]
            self.write(f"order/{i}", b"%d-" % i + b"x" * size)
            names.append((i, size))
        with Wire(self.port) as wire:
            wire.send(b"".join(request(f"/order/{i}") for i, _ in names))
            for i, size in names:
                self.assertEqual(wire.response().body, b"%d-" % i + b"x" * size)

    def test_descriptors_stay_bounded(self):
        for i in range(400):
            self.write(f"many/{i}", b"x" * 50_000)
        with Wire(self.port) as wire:
            for _ in range(2):
                for i in range(400):
                    self.assertEqual(len(wire.get(f"/many/{i}").body), 50_000)
        self.assertLess(self.node.descriptors(), 256 + 60)


class Exhaustion(unittest.TestCase):
    def test_without_descriptors_files_are_refused_and_come_back(self):
        with Node(config(route("/", "root")), ready=False) as first:
            first.process.kill()
            first.process.wait()
            root = first.folder / "root"
            root.mkdir()
            for i in range(300):
                (root / str(i)).write_bytes(b"y" * 40_000)
            with Node(config(route("/", "root")), folder=first.folder, descriptors=128) as node:
                port, statuses = node.port(), set()
                with Wire(port) as wire:
                    for i in range(300):
                        answer = wire.get(f"/{i}")
                        statuses.add(answer.status)
                        self.assertIn(answer.status, (200, 503))
                        if answer.status == 503:
                            self.assertEqual(answer.field("retry-after"), "1")
                    self.assertEqual(wire.get("/0").status in (200, 503), True)
                self.assertIn(200, statuses)
                eventually(lambda: fetch(port, "/1").status == 200, "files are served again")


if __name__ == "__main__":
    suite.main()
