"""What a server of an upstream sends unasked, behind an answer, is nobody's answer: not in the same segment, not later,
not as half a TLS record, and not while the next request is on its way to it."""
import ctypes
import pathlib
import shutil
import socket
import ssl
import struct
import tempfile
import threading
import time
import unittest

from support import suite
from support.fcgi import Responder, end, out
from support.node import Node
from support.origin import OK, Origin, answer, config, route, upstream
from support.suite import eventually
from support.tls import Authority
from support.web import fetch
from support.wire import Wire, request

FINE = OK + b"Content-Length: 2\r\n\r\nok"
EVIL = OK + b"Content-Length: 4\r\n\r\nevil"
IDLE = 'caf_http_upstream_connections{upstream="u",state="idle"}'
ACTIVE = 'caf_http_upstream_connections{upstream="u",state="active"}'
LATER = 0.05

# name -> (method, answer, what follows it, what the client gets)
BEHIND = {
    "one byte": ("GET", FINE, b"H", b"ok"),
    "an empty line": ("GET", FINE, b"\r\n", b"ok"),
    "half a head": ("GET", FINE, EVIL[:20], b"ok"),
    "an answer": ("GET", FINE, EVIL, b"ok"),
    "an interim answer": ("GET", FINE, b"HTTP/1.1 100 Continue\r\n\r\n", b"ok"),
    "an answer behind chunks": ("GET", OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", EVIL, b"ok"),
    "content for HEAD": ("HEAD", OK + b"Content-Length: %d\r\n\r\n" % len(EVIL), EVIL, b""),
    "content of a 304": ("GET", b"HTTP/1.1 304 Not Modified\r\n\r\n", EVIL, b""),
    "an answer to POST": ("POST", FINE, EVIL, b"ok"),
}


def deafen(plain):
    """From now on the kernel drops what comes for this socket, as if it was still on its way."""
    drop = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # BPF_RET 0
    plain.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", 1, ctypes.addressof(drop)))  # SO_ATTACH_FILTER


class Http(unittest.TestCase):
    def serve(self, script, unix=False):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.origin = Origin({"*": script}, unix=folder / "o.sock" if unix else None)
        self.addCleanup(self.origin.close)
        server = f"unix:{folder}/o.sock" if unix else f"http://127.0.0.1:{self.origin.port}"
        self.node = Node(config(route("/", 'proxy = "u"'), upstream("u", [server], "eject_fails = 0")))
        self.addCleanup(self.node.close)

    def check_each(self, pause, unix):
        def script(connection, asked):
            _, first, then, _ = BEHIND[asked.field("x-case")]
            if not pause:
                connection.send(first + then)
                return True
            connection.send(first)
            time.sleep(pause)
            connection.send(then)
            return True
        self.serve(script, unix)
        asked = 0
        for name, (method, _, _, wanted) in BEHIND.items():
            for _ in range(2):
                with self.subTest(name):
                    self.assertEqual(fetch(self.node.port(), "/", method, {"X-Case": name}).body, wanted)
                    eventually(lambda: self.node.metrics()[IDLE] == 0, "the connection is dropped")
                    asked += 1
                    self.assertEqual(self.origin.connections, asked)

    def test_in_the_same_segment(self):
        self.check_each(0, unix=False)

    def test_in_the_same_segment_of_a_unix_socket(self):
        self.check_each(0, unix=True)

    def test_later(self):
        self.check_each(LATER, unix=False)

    def test_later_on_a_unix_socket(self):
        self.check_each(LATER, unix=True)

    def test_while_the_next_request_is_on_its_way(self):
        """GET goes once more on a fresh connection, POST is 502; neither gets what was not for it."""
        deaf, speak = threading.Event(), threading.Event()

        def script(connection, asked):
            if asked.path != "/first":
                return answer()(connection, asked)
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.send(FINE)
            deafen(connection.socket)
            deaf.set()
            speak.wait(suite.PATIENCE)
            connection.send(EVIL)
            return True
        self.serve(script)
        for method, status in (("GET", 200), ("POST", 502)):
            with self.subTest(method), Wire(self.node.port()) as wire:
                deaf.clear(), speak.clear()
                self.assertEqual(fetch(self.node.port(), "/first").body, b"ok")
                self.assertTrue(deaf.wait(suite.PATIENCE))
                wire.send(request("/next", method=method))
                eventually(lambda: self.node.metrics()[ACTIVE] == 1, "the request was sent")
                speak.set()
                got = wire.response()
                self.assertEqual(got.status, status)
                self.assertNotIn(b"evil", got.body)
                for connection in list(self.origin.clients):
                    connection.shutdown(socket.SHUT_RDWR)
                eventually(lambda: self.node.metrics()[IDLE] == 0, "the connections of this method are gone")
        self.assertEqual([each.method for each in self.origin.seen("/next")], ["GET"])


class FastCgi(unittest.TestCase):
    PAGE = out(b"Content-Type: text/plain\r\n\r\nok") + end()
    MORE = out(b"Content-Type: text/plain\r\n\r\nevil") + end()

    def check_each(self, tcp):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "a.php").write_text("x")
        responder = Responder(None if tcp else folder / "r.sock")
        self.addCleanup(responder.close)
        node = Node(config(route("/", f'fastcgi = "u"\nroot = "{folder}"'),
                           upstream("u", [responder.address], "eject_fails = 0")))
        self.addCleanup(node.close)
        asked = 0
        for pause in (0, LATER):
            for cut in (1, 8, 20, len(self.MORE)):
                def script(client, _, pause=pause, more=self.MORE[:cut]):
                    client.sendall(self.PAGE if pause else self.PAGE + more)
                    if pause:
                        time.sleep(pause)
                        client.sendall(more)
                responder.answer = script
                for _ in range(2):
                    with self.subTest(pause=pause, cut=cut):
                        self.assertEqual(fetch(node.port(), "/a.php").body, b"ok")
                        eventually(lambda: node.metrics()[IDLE] == 0, "the connection is dropped")
                        asked += 1
                        self.assertEqual(responder.connections, asked)

    def test_on_a_unix_socket(self):
        self.check_each(tcp=False)

    def test_over_tcp(self):
        self.check_each(tcp=True)


class Tls(unittest.TestCase):
    def test_half_a_record(self):
        """The rest comes when the next request is there: if that is on the same connection, it is its answer."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-tls-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*Authority(folder).issue("localhost"))
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.connections, self.cut = 0, 0
        threading.Thread(target=self.accept, args=(server, context), daemon=True).start()
        node = Node(config(route("/", 'proxy = "u"'), upstream("u", [f"https://127.0.0.1:{server.getsockname()[1]}"],
                                                               "verify = false\neject_fails = 0")))
        self.addCleanup(node.close)
        for self.cut in (1, 4, 5, 6, 30, 0):
            before = self.connections
            with self.subTest(cut=self.cut):
                for _ in range(3):
                    self.assertEqual(fetch(node.port(), "/").body, b"ok")
                self.assertEqual(self.connections - before, 3 if self.cut else 1)

    def accept(self, server, context):
        while True:
            try:
                plain, _ = server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.talk, args=(plain, context), daemon=True).start()

    def talk(self, plain, context):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context.wrap_bio(incoming, outgoing, server_side=True)
        rest = b""

        def call(what):
            """Until it has what it wants from the network. False at an end."""
            while True:
                try:
                    return what()
                except ssl.SSLWantReadError:
                    plain.sendall(outgoing.read())
                    data = plain.recv(65536)
                    if not data:
                        return False
                    incoming.write(data)
        with plain:
            try:
                call(session.do_handshake)
                plain.sendall(outgoing.read())
                while call(lambda: session.read(65536)):
                    if rest:
                        plain.sendall(rest)
                        return
                    session.write(FINE)
                    whole = outgoing.read()
                    if self.cut:
                        session.write(EVIL)
                        record = outgoing.read()
                        whole, rest = whole + record[:self.cut], record[self.cut:]
                    plain.sendall(whole)
            except OSError:
                pass


if __name__ == "__main__":
    suite.main()
