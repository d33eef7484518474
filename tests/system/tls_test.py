"""TLS as clients see it: certificates by name, versions, protocols, resumption, client certificates, what happens to
who speaks something else, and reloads under load. Clients: Python's ssl, openssl s_client, curl, nghttp, h2load.
"""
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from support import suite
from support.h2 import H2
from support.node import CLUSTER, Node
from support.suite import eventually
from support.tls import Authority, TlsWire, client_context, openssl, subject, wrapper
from support.wire import Closed, Wire, request

CONFIG = CLUSTER + """
[http]
listen = ["127.0.0.1:0"]
listen_tls = ["127.0.0.1:0"]
test_hooks = true
%(extra)s

[http.tls]
cert = "%(cert)s"
key = "%(key)s"
%(tls)s

[http.limits]
%(limits)s

[[http.site]]
host = ["a", "localhost", "127.0.0.1"]
  [[http.site.route]]
  path = "/hello"
  respond = { body = "Hello, World!" }
  [[http.site.route]]
  path = "/big"
  respond = { body = "%(big)s" }
  [[http.site.route]]
  path = "/greet"
  actor = "greeter"
%(sites)s
"""

SITE = """
[[http.site]]
host = "%s"
cert = "%s"
key = "%s"
%s
  [[http.site.route]]
  path = "/hello"
  respond = { body = "%s" }
"""
BIG = "0123456789" * 50_000


def config(pair, extra="", tls="", limits="", sites=""):
    return CONFIG % {"cert": pair[0], "key": pair[1], "extra": extra, "tls": tls, "limits": limits, "sites": sites,
                     "big": BIG}


class WithNode(unittest.TestCase):
    """A folder of certificates, and a node of CONFIG."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name)
        cls.pair = cls.authority.issue("first", "localhost")
        cls.node = Node(cls.make_config())
        cls.addClassCleanup(cls.node.close)
        cls.plain, cls.port = cls.node.port(0), cls.node.port(1)  # the order of the ready line

    @classmethod
    def make_config(cls):
        return config(cls.pair)

    def metric(self, name):
        text = self.node.ctl("metrics").stdout
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
        return float(found.group(1)) if found else 0.0

    def rejected(self, reason):
        return self.metric(f'caf_http_rejected_total{{reason="{reason}"}}')

    def s_client(self, *args, text="", check=True):
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", *args], timeout=60,
                              input=text, capture_output=True, text=True)
        return done.stdout + done.stderr


class Handshakes(WithNode):
    @classmethod
    def make_config(cls):
        cls.second = cls.authority.issue("second", "second.test")
        cls.wild = cls.authority.issue("wild", "*.wild.test")
        cls.exact = cls.authority.issue("exact", "exact.wild.test")
        cls.secret = cls.authority.issue("secret", "secret.test")
        cls.user = cls.authority.issue("user", "user.test")
        cls.stranger = Authority(cls.authority.folder, "stranger").issue("other", "user.test")
        sites = SITE % ("second.test", *cls.second, "", "second") + SITE % ("*.wild.test", *cls.wild, "", "wild") + \
            SITE % ("exact.wild.test", *cls.exact, "", "exact") + \
            SITE % ("secret.test", *cls.secret, f'client_auth = "require"\nclient_ca = "{cls.authority.cert}"', "secret")
        return config(cls.pair, sites=sites, limits='first_byte_timeout = "2s"', tls='handshake_timeout = "1s"')

    def test_names_choose_certificates(self):
        for name, wanted in (("localhost", "first"), ("second.test", "second"), ("SECOND.test", "second"),
                             ("x.wild.test", "wild"), ("a.b.wild.test", "wild"), ("exact.wild.test", "exact"),
                             ("wild.test", "first"), ("unknown.test", "first")):
            with self.subTest(name), TlsWire(self.port, client_context(self.authority), name) as wire:
                self.assertEqual(subject(wire), wanted)

    def test_versions_and_protocols(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with TlsWire(self.port, client_context(version=version)) as wire:
                self.assertEqual(wire.get("/hello").body, b"Hello, World!")
                self.assertIn("GCM", wire.socket.cipher()[0] + "GCM" * ("CHACHA" in wire.socket.cipher()[0]))
        for version in ("-tls1", "-tls1_1"):
            self.assertIn("alert protocol version", self.s_client(version, "-cipher", "ALL:@SECLEVEL=0"))
        self.assertIn("handshake failure", self.s_client("-tls1_2", "-cipher", "AES128-SHA"))
        self.assertIn("no application protocol", self.s_client("-alpn", "spdy/3"))
        for offered, chosen in ((("h2", "http/1.1"), "h2"), (("http/1.1", "h2"), "h2"), (("http/1.1",), "http/1.1")):
            with TlsWire(self.port, client_context(alpn=offered)) as wire:
                self.assertEqual(wire.socket.selected_alpn_protocol(), chosen)
        with TlsWire(self.port, client_context(alpn=())) as wire:
            self.assertEqual(wire.get("/hello").status, 200)

    def test_sessions_are_resumed(self):
        for version in ("-tls1_2", "-tls1_3"):
            file = self.authority.folder / f"session{version}"
            text = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            first = self.s_client(version, "-ign_eof", "-servername", "localhost", "-sess_out", str(file), text=text)
            self.assertIn("Hello, World!", first)
            self.assertIn("New, TLS", first)
            again = self.s_client(version, "-ign_eof", "-servername", "localhost", "-sess_in", str(file), text=text)
            self.assertIn("Reused, TLS", again)
            other = self.s_client(version, "-ign_eof", "-servername", "second.test", "-sess_in", str(file), text=text)
            self.assertNotIn("Reused, TLS", other)  # a session of one site is nothing to another

    def test_client_certificates(self):
        def ask(cert, name="secret.test", host="secret.test"):
            with TlsWire(self.port, client_context(cert=cert), name) as wire:
                return wire.get("/hello", host=host)
        self.assertEqual(ask(self.user).body, b"secret")
        for cert in (None, self.stranger):
            with self.assertRaises((OSError, Closed)):
                ask(cert)
        self.assertEqual(ask(None, "localhost", "secret.test").status, 421)  # not by another door
        self.assertEqual(ask(None, "localhost", "second.test").body, b"second")
        self.assertGreaterEqual(self.rejected("misdirected"), 1)

    def test_close_notify_ends_a_connection(self):
        with TlsWire(self.port) as wire:
            answer = wire.send(request("/hello", "Connection: close")).response()
            self.assertEqual(answer.status, 200)
            self.assertEqual(wire.socket.recv(1), b"")  # a truncated stream would raise

    def test_cleartext_on_tls_and_tls_on_cleartext(self):
        before = self.rejected("tls_mismatch")
        with Wire(self.port) as wire:
            answer = wire.get("/hello")
            self.assertEqual((answer.status, answer.closes), (400, True))
        with Wire(self.plain) as wire:
            wire.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100))
            self.assertEqual(wire.response().status, 400)
            self.assertTrue(wire.finish().at_end())
        eventually(lambda: self.rejected("tls_mismatch") >= before + 2, "both were counted")

    def test_garbage_gets_an_alert(self):
        for data in (b"\x80\x2e\x01\x00\x02", b"\x16\x03\x01\x00\x05hello", b"\0" * 50, b"\x16\x03\x03\x40\x01" + bytes(100)):
            with self.subTest(data[:5]), Wire(self.port) as wire:
                wire.send(data).finish()
                while wire.more():
                    pass
                self.assertIn(wire.buffer[:1], (b"", b"\x15"))

    def test_a_handshake_that_stalls_is_cut(self):
        before = self.rejected("tls_handshake")
        for data in (b"", b"\x16", b"\x16\x03\x01\x02\x00\x01"):
            with Wire(self.port) as wire:
                wire.send(data)
                started = time.monotonic()
                while wire.more():
                    pass
                self.assertLess(time.monotonic() - started, 5)
                self.assertGreater(time.monotonic() - started, 0.8)
        eventually(lambda: self.rejected("tls_handshake") >= before + 3, "they were counted")
        self.assertGreaterEqual(self.metric(
            'caf_http_tls_handshakes_total{version="none",resumed="no",result="late"}'), 3)

    def test_slices_of_every_size(self):
        for size in (1, 2, 5, 100, 1000):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = client_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
            with Wire(self.port) as wire:
                def turn(act):
                    while True:
                        try:
                            result = act()
                        except ssl.SSLWantReadError:
                            result = None
                        data = outgoing.read()
                        for at in range(0, len(data), size):
                            wire.send(data[at:at + size])
                        if result is not None:
                            return result
                        incoming.write(wire.socket.recv(size))
                turn(lambda: client.do_handshake() or True)
                turn(lambda: client.write(request("/hello")))
                text = b""
                while b"World!" not in text:
                    text += turn(lambda: client.read(1000))

    def test_big_answers_and_uploads(self):
        body = bytes(range(256)) * 4000
        with TlsWire(self.port) as wire:
            self.assertEqual(wire.get("/big").body, BIG.encode())
            self.assertEqual(wire.get("/test/echo", method="POST", body=body).body, body)

    def test_metrics_tell_versions(self):
        ok = 'caf_http_tls_handshakes_total{version="1.3",resumed="no",result="ok"}'
        before = self.metric(ok)
        with TlsWire(self.port) as wire:
            wire.get("/hello")
        eventually(lambda: self.metric(ok) > before, "it was counted")


class Clients(WithNode):
    """Programs that people use."""

    @classmethod
    def make_config(cls):
        return config(cls.pair, extra='h2c = true\naccess_log = "access.log"')

    def curl(self, *args, port=None, scheme="https", path="/hello"):
        done = subprocess.run(["curl", "-sS", "--max-time", "30", "--cacert", str(self.authority.cert), "-w",
                               "\n%{http_version} %{http_code}", *args, f"{scheme}://localhost:{port or self.port}{path}",
                               "--resolve", f"localhost:{port or self.port}:127.0.0.1"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        body, _, facts = done.stdout.rpartition("\n")
        return body, facts

    def test_curl(self):
        hello = "Hello, World!"
        self.assertEqual(self.curl("--http1.1"), (hello, "1.1 200"))
        self.assertEqual(self.curl("--http2"), (hello, "2 200"))
        self.assertEqual(self.curl("--http2-prior-knowledge", port=self.plain, scheme="http"), (hello, "2 200"))
        self.assertEqual(self.curl("--http2", port=self.plain, scheme="http"), (hello, "1.1 200"))
        self.assertEqual(self.curl("--tls-max", "1.2", "--http2"), (hello, "2 200"))
        self.assertEqual(self.curl(path="/greet?name=Ada"), ('{"greeting":"Hello, Ada!"}', "2 200"))
        upload = "x" * 300_000
        self.assertEqual(self.curl("-d", upload[:100_000], path="/test/echo"), (upload[:100_000], "2 200"))
        self.assertEqual(self.curl(path="/nothing")[1], "2 404")
        self.assertEqual(self.curl("-I", path="/big")[1], "2 200")
        lines = eventually(lambda: [x for x in (self.node.folder / "access.log").read_text().splitlines()
                                    if "HTTP/2" in x and "TLSv1.3" in x], "the access log tells the protocol")
        self.assertIn("/hello", lines[0])

    @unittest.skipUnless(shutil.which("nghttp"), "needs nghttp2-client")
    def test_nghttp_and_h2load(self):
        done = subprocess.run(["nghttp", "-nv", "-m", "30", f"https://127.0.0.1:{self.port}/hello"], timeout=60,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.count(":status: 200"), 30, done.stdout[-2000:] + done.stderr)
        for scheme, port in (("https", self.port), ("http", self.plain)):
            done = subprocess.run(["h2load", "-n", "5000", "-c", "20", "-m", "20", f"{scheme}://127.0.0.1:{port}/hello"],
                                  timeout=120, capture_output=True, text=True)
            self.assertIn("5000 succeeded, 0 failed, 0 errored", done.stdout, done.stdout + done.stderr)
        done = subprocess.run(["h2load", "--h1", "-n", "2000", "-c", "20", f"https://127.0.0.1:{self.port}/hello"],
                              timeout=120, capture_output=True, text=True)
        self.assertIn("2000 succeeded, 0 failed, 0 errored", done.stdout, done.stdout + done.stderr)
        done = subprocess.run(["h2load", "-n", "200", "-c", "4", "-m", "8", f"https://127.0.0.1:{self.port}/big"],
                              timeout=120, capture_output=True, text=True)
        self.assertIn("200 succeeded, 0 failed, 0 errored", done.stdout, done.stdout + done.stderr)


class Browser(WithNode):
    ASSETS = 50

    @classmethod
    def make_config(cls):
        page = "<html><body><div id=n>0</div><script>n=0;function ok(){document.getElementById('n').textContent=++n}" \
            "</script>" + "".join(f"<script src='/a/{i}.js' onload='ok()'></script>" for i in range(cls.ASSETS)) + \
            "</body></html>"
        route = "  [[http.site.route]]\n  path = \"%s\"\n  respond = { type = \"%s\", body = \"%s\" }\n"
        routes = route % ("/page", "text/html", page) + \
            "".join(route % (f"/a/{i}.js", "text/javascript", f"window.v{i} = {i};") for i in range(cls.ASSETS))
        return config(cls.pair, extra='access_log = "access.log"', sites=routes)

    @unittest.skipUnless(shutil.which("chromium"), "needs chromium")
    @unittest.skipIf(suite.SANITIZED, "one browser is enough")
    def test_a_page_with_50_assets(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-chromium-") as profile:
            done = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
                                   "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--no-first-run",
                                   "--ignore-certificate-errors", "--virtual-time-budget=20000", "--dump-dom",
                                   f"https://localhost:{self.port}/page"], capture_output=True, text=True, timeout=120)
        self.assertIn(f'<div id="n">{self.ASSETS}</div>', done.stdout, done.stdout[-500:] + done.stderr[-2000:])
        lines = (self.node.folder / "access.log").read_text().splitlines()
        got = [line for line in lines if "GET /a/" in line and "HTTP/2" in line and " 200 " in line]
        self.assertEqual(len(got), self.ASSETS)


class Reloads(WithNode):
    @classmethod
    def make_config(cls):
        cls.pairs = [cls.authority.issue(name, "localhost") for name in ("one", "two")]
        return config(cls.pairs[0])

    def name_of_new_connection(self):
        with TlsWire(self.port, client_context(self.authority)) as wire:
            return subject(wire)

    def test_a_certificate_is_swapped_and_connections_go_on(self):
        old = TlsWire(self.port, client_context(self.authority))
        old_h2 = H2(self.port, wrap=wrapper())
        self.addCleanup(old.close)
        self.addCleanup(old_h2.close)
        self.assertEqual(old.get("/hello").status, 200)
        before = subject(old)
        for pair, name in ((self.pairs[1], "two"), (self.pairs[0], "one")):
            self.node.write(config(pair))
            self.node.ctl("reload")
            eventually(lambda: self.name_of_new_connection() == name, "new handshakes use it", timeout=5)
            self.assertEqual(subject(old), before)
            self.assertEqual(old.get("/hello").status, 200)
            self.assertEqual(old_h2.fetch().status, 200)

    def test_a_pair_that_does_not_match_is_refused(self):
        before = self.name_of_new_connection()
        for pair, text in (((self.pairs[0][0], self.pairs[1][1]), "is not the key"),
                           ((self.pairs[0][0], "/nowhere.key"), "cannot be read"),
                           ((self.pairs[0][1], self.pairs[0][1]), "no certificate")):
            self.node.write(config(pair))
            done = self.node.ctl("reload", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr + done.stdout)
            self.assertEqual(self.name_of_new_connection(), before)
            check = subprocess.run([suite.NODE, "--config", self.node.file, "--name", "n1", "--check"],
                                   capture_output=True, text=True, timeout=60)
            self.assertEqual(check.returncode, 2)
            self.assertIn(text, check.stderr)
        self.node.write(config(self.pairs[0]))
        self.node.ctl("reload")

    def test_200_reloads_under_load(self):
        stop, failures, counts = threading.Event(), [], []

        def keep_asking(fresh):
            wire, count, context = None, 0, client_context(self.authority)
            while not stop.is_set():
                try:
                    if wire and fresh:
                        wire.close()
                    if wire is None or fresh:
                        wire = TlsWire(self.port, context)
                    answer = wire.get("/hello")
                    if answer.status != 200:
                        raise AssertionError("not 200")
                    count += 1
                    if answer.closes:
                        wire.close()
                        wire = None
                except (OSError, Closed, AssertionError) as error:
                    failures.append(repr(error))
                    break
            if wire:
                wire.close()
            counts.append(count)
        threads = [threading.Thread(target=keep_asking, args=(fresh,)) for fresh in (True, True, False, False)]
        for thread in threads:
            thread.start()

        def reloads(number):
            for i in range(number):
                self.node.write(config(self.pairs[i % 2]))
                self.node.ctl("reload")
        reloads(40)
        descriptors, before = self.node.descriptors(), self.node.rss_kib()
        reloads(160)
        grown, now = self.node.rss_kib() - before, self.node.descriptors()
        stop.set()
        for thread in threads:
            thread.join(suite.PATIENCE)
        print(f"{sum(counts)} requests, RSS grew by {grown} KiB in 160 reloads")
        self.assertEqual(failures, [])
        self.assertLessEqual(now, descriptors + 4)  # connections come and go
        if not suite.SANITIZED:
            self.assertLess(grown, 3000)


if __name__ == "__main__":
    suite.main()
