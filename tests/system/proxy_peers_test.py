"""A proxy among real peers: nginx behind it, over TCP, a Unix socket and TLS; HTTP/2 before it."""
import hashlib
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

from support import suite
from support.h2 import CANCEL, H2, rst
from support.node import Node, free_port
from support.origin import OK, Origin, answer, config, echo, route, slow, upstream
from support.suite import eventually
from support.tls import Authority
from support.wire import Wire, fetch, request

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

NGINX_CONF = """
daemon off; master_process off; pid %(folder)s/nginx.pid; error_log %(folder)s/error.log; worker_processes 1;
events { worker_connections 512; }
http {
  access_log off; keepalive_requests 1000000; client_max_body_size 0;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/p; fastcgi_temp_path %(folder)s/f;
  uwsgi_temp_path %(folder)s/u; scgi_temp_path %(folder)s/s;
  server {
    listen 127.0.0.1:%(port)d; listen unix:%(folder)s/nginx.sock; listen 127.0.0.1:%(tls)d ssl;
    ssl_certificate %(cert)s; ssl_certificate_key %(key)s;
    root %(folder)s/www;
    location /hello { return 200 "hello $server_protocol $http_x_forwarded_proto $ssl_server_name"; }
    location /health { return 204; }
  }
}
"""


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-nginx-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "www").mkdir()
        cls.large = os.urandom(3_000_000)
        (cls.folder / "www" / "large").write_bytes(cls.large)
        cls.authority = Authority(cls.folder)
        cert, key = cls.authority.issue("localhost", "localhost", "origin.test")
        cls.ports = free_port(), free_port()
        conf = cls.folder / "nginx.conf"
        conf.write_text(NGINX_CONF % {"folder": cls.folder, "port": cls.ports[0], "tls": cls.ports[1],
                                      "cert": cert, "key": key})
        cls.nginx = subprocess.Popen([NGINX, "-p", cls.folder, "-c", conf], stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.nginx.wait)
        cls.addClassCleanup(cls.nginx.kill)
        eventually(lambda: (cls.folder / "nginx.sock").exists(), "nginx listens")
        tls = f"https://localhost:{cls.ports[1]}"
        cls.node = Node(config(
            route("/tcp", 'proxy = "tcp"\nstrip_prefix = true') + route("/unix", 'proxy = "unix"\nstrip_prefix = true') +
            route("/tls", 'proxy = "tls"\nstrip_prefix = true') + route("/named", 'proxy = "named"\nstrip_prefix = true') +
            route("/misnamed", 'proxy = "misnamed"\nstrip_prefix = true') +
            route("/untrusted", 'proxy = "untrusted"\nstrip_prefix = true') +
            route("/careless", 'proxy = "careless"\nstrip_prefix = true'),
            upstream("tcp", [f"http://localhost:{cls.ports[0]}"], 'health = { path = "/health", period = "50ms" }') +
            upstream("unix", [f"unix:{cls.folder}/nginx.sock"]) +
            upstream("tls", [tls], f'ca = "{cls.authority.cert}"') +
            upstream("named", [f"https://127.0.0.1:{cls.ports[1]}"], f'ca = "{cls.authority.cert}"\nsni = "origin.test"') +
            upstream("misnamed", [tls], f'ca = "{cls.authority.cert}"\nsni = "other.test"') +
            upstream("untrusted", [tls]) + upstream("careless", [tls], "verify = false"),
            extra="h2c = true"))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def test_each_way_to_the_same_server(self):
        for way, name in (("/tcp", ""), ("/unix", ""), ("/tls", "localhost"), ("/named", "origin.test"),
                          ("/careless", "localhost")):
            with self.subTest(way), Wire(self.port) as wire:
                for _ in range(3):
                    self.assertEqual(wire.get(way + "/hello").body.decode(), f"hello HTTP/1.1 http {name}".strip() +
                                     ("" if name else " "))
                self.assertEqual(wire.get(way + "/large").body, self.large)
                self.assertEqual(wire.get(way + "/none").status, 404)
                self.assertEqual(wire.get(way + "/large", "Range: bytes=1-3").body, self.large[1:4])

    def test_a_server_that_cannot_show_who_it_is(self):
        for way in ("/misnamed", "/untrusted"):
            self.assertEqual(fetch(self.port, way + "/hello").status, 502)
        self.assertIn("certificate", self.node.log())

    def test_connections_are_kept(self):
        with Wire(self.port) as wire:
            for way in ("tcp", "unix", "tls"):
                before = self.node.metrics()[f'caf_http_upstream_seconds_count{{upstream="{way}",phase="connect"}}']
                for _ in range(30):
                    self.assertEqual(wire.get(f"/{way}/hello").status, 200)
                after = self.node.metrics()[f'caf_http_upstream_seconds_count{{upstream="{way}",phase="connect"}}']
                self.assertLessEqual(after - before, 1)

    def test_http2_before_http1(self):
        with H2(self.port) as wire:
            streams = [wire.request("/tcp/large") for _ in range(4)]
            for stream in streams:
                got = wire.answer(stream)
                self.assertEqual((got.status, got.body), (200, self.large))
            self.assertEqual(wire.fetch("/tcp/hello", method="HEAD").field("content-length"), "20")


class Truncation(unittest.TestCase):
    """Over TLS a body that ends with its connection is whole only behind a close_notify."""

    def test_an_end_without_notice_is_a_cut(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-tls-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*Authority(folder).issue("localhost"))
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        threading.Thread(target=self.serve, args=(server, context), daemon=True).start()
        node = Node(config(route("/", 'proxy = "o"'),
                           upstream("o", [f"https://127.0.0.1:{server.getsockname()[1]}"], "verify = false")))
        self.addCleanup(node.close)
        for path, whole in (("/whole", True), ("/cut", False)):
            with self.subTest(path), Wire(node.port()) as wire:
                wire.send(request(path)).until(b"\r\n\r\n")
                while not wire.buffer.endswith(b"0\r\n\r\n") and wire.more():
                    pass
                self.assertEqual(wire.buffer.endswith(b"0\r\n\r\n"), whole, wire.buffer)

    @staticmethod
    def serve(server, context):
        while True:
            try:
                plain, _ = server.accept()
            except OSError:
                return
            with plain:
                secure = context.wrap_socket(plain, server_side=True)
                head = secure.recv(65536)
                secure.sendall(OK + b"\r\n" + b"z" * 1000)
                if b"/whole" in head:
                    try:
                        secure.unwrap()
                    except OSError:
                        pass
                secure.close()


def digest_with_trailers(connection, request):
    body = hashlib.sha256(request.body).hexdigest().encode()
    connection.send(OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\nX-Sum: 1\r\n\r\n")
    return True


class Front(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gone = []
        cls.origin = Origin({"/digest": digest_with_trailers, "/hang": cls.hang, "/ok": answer(), "*": echo,
                             "/truncated": lambda c, r: c.send(OK + b"Content-Length: 9\r\n\r\nshort") and False,
                             "/hints": lambda c, r: c.send(b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + OK +
                                                           b"Content-Length: 0\r\n\r\n") or True,
                             "/slow": slow([OK + b"Content-Length: 2\r\n\r\nok"], 0.3, keep=True)})
        cls.addClassCleanup(cls.origin.close)
        cls.node = Node(config(route("/", 'proxy = "o"'), upstream("o", [f"http://127.0.0.1:{cls.origin.port}"]),
                               extra='h2c = true\naccess_log = "-"\naccess_format = "json"'))
        cls.addClassCleanup(cls.node.close)

    @classmethod
    def hang(cls, connection, request):
        try:
            ended = not connection.more()
        except OSError:
            ended = True
        cls.gone.append(ended)
        return False

    def test_trailers_and_uploads(self):
        with H2(self.node.port()) as wire:
            for size in (0, 10, 60_000):  # within the window, which this client does not look at
                body = os.urandom(size)
                got = wire.fetch("/digest", method="POST", body=body)
                self.assertEqual(got.body.decode(), hashlib.sha256(body).hexdigest())
                self.assertEqual([value for _, value in got.trailers], ["1"])

    def test_an_upload_larger_than_any_window(self):
        with tempfile.NamedTemporaryFile() as file:
            body = os.urandom(5_000_000)
            file.write(body)
            file.flush()
            done = subprocess.run(["nghttp", "-d", file.name, f"http://127.0.0.1:{self.node.port()}/digest"],
                                  capture_output=True, timeout=60)
            self.assertEqual(done.stdout.decode(), hashlib.sha256(body).hexdigest(), done.stderr)

    def test_the_version_is_told(self):
        with H2(self.node.port()) as wire:
            seen = wire.fetch("/echo", ("te", "trailers"), ("cookie", "a=1"), ("cookie", "b=2")).body.decode()
            for line in ("Via: 2 caf_app", "TE: trailers", "cookie: a=1; b=2"):
                self.assertIn("\r\n" + line, seen)

    def test_a_cancelled_stream_leaves_its_upstream(self):
        with H2(self.node.port()) as wire:
            stream = wire.request("/hang")
            eventually(lambda: self.origin.seen("/hang"), "the request is there")
            wire.send(rst(stream, CANCEL))
            eventually(lambda: self.gone, "the origin sees its end")
            self.assertEqual(self.gone, [True])
            self.assertEqual(wire.fetch("/ok").body, b"ok")

    def test_what_is_cut_ends_its_stream_only(self):
        with H2(self.node.port()) as wire:
            self.assertEqual(wire.fetch("/truncated").code, 2)
            self.assertEqual(wire.fetch("/ok").body, b"ok")

    def test_hints_come_before(self):
        with H2(self.node.port()) as wire:
            got = wire.fetch("/hints")
            self.assertEqual([dict(each)[":status"] for each in got.interim], ["103"])

    def test_the_log_says_how_long_the_upstream_took(self):
        self.assertEqual(fetch(self.node.port(), "/slow").status, 200)
        line = eventually(lambda: [text for text in self.node.log().splitlines() if '"/slow"' in text], "the line")[0]
        self.assertGreater(float(line.split('"upstream_seconds":')[1].split(",")[0].rstrip("}")), 0.25)


if __name__ == "__main__":
    suite.main()
