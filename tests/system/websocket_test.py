"""Tunnels through a proxy: a WebSocket's handshake is checked, its bytes pass untouched in both directions, early ones of
either side too, and what is refused stays HTTP."""
import base64
import hashlib
import random
import struct
import threading
import time
import unittest

from support import suite
from support.node import Node
from support.origin import Origin, config, echo, route, upstream
from support.suite import eventually
from support.wire import Wire, fetch

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = base64.b64encode(b"0123456789abcdef")


def accept_of(key):
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest())


def switching(request, accept=None):
    return (b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "
            + (accept or accept_of(request.field("sec-websocket-key"))) + b"\r\n\r\n")


def frame(payload, mask=b""):
    """A binary frame of RFC 6455 §5.2."""
    bit = 0x80 if mask else 0
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x82, bit | size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x82, bit | 126, size)
    else:
        head = struct.pack("!BBQ", 0x82, bit | 127, size)
    return head + mask + (bytes(c ^ mask[i % 4] for i, c in enumerate(payload)) if mask else payload)


def read_frame(exactly):
    kind, size = exactly(2)
    masked, size = size & 0x80, size & 0x7f
    if size == 126:
        size, = struct.unpack("!H", exactly(2))
    elif size == 127:
        size, = struct.unpack("!Q", exactly(8))
    mask = exactly(4) if masked else b""
    payload = exactly(size)
    return kind & 15, bytes(c ^ mask[i % 4] for i, c in enumerate(payload)) if masked else payload


def echo_frames(connection, request):
    """Greets in the same segment as the 101, then sends each message back."""
    connection.send(switching(request) + frame(b"welcome"))
    while True:
        kind, payload = read_frame(connection.exactly)
        if kind == 8:
            connection.send(b"\x88\x00")
            return False
        connection.send(frame(payload))


def wrong_accept(connection, request):
    connection.send(switching(request, b"bm90IHRoZSBhbnN3ZXIgYXQgYWxsISE="))
    return False


def refuses(connection, request):
    connection.send(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
    return True


def pours(connection, request):
    """Sends as fast as it is taken."""
    connection.send(switching(request))
    try:
        while True:
            connection.send(b"z" * 65536)
    except OSError:
        return False


def silent(connection, request):
    connection.send(switching(request))
    while connection.more():
        connection.buffer = b""
    return False


def hello(*fields, path="/ws/echo", key=KEY, method="GET"):
    lines = [f"{method} {path} HTTP/1.1", "Host: a", "Connection: keep-alive, Upgrade", "Upgrade: websocket",
             "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key.decode()}", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


class WebSocket(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.origin = Origin({"/ws/echo": echo_frames, "/ws/wrong": wrong_accept, "/ws/no": refuses, "/ws/pour": pours,
                             "/ws/silent": silent, "*": echo})
        cls.addClassCleanup(cls.origin.close)
        cls.node = Node(config(route("/ws", 'proxy = "o"\nwebsocket = true') + route("/plain", 'proxy = "o"'),
                               upstream("o", [f"http://127.0.0.1:{cls.origin.port}"])))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def open(self, path="/ws/echo", early=b""):
        wire = Wire(self.port)
        self.addCleanup(wire.close)
        wire.send(hello(path=path) + early)
        head = wire.until(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 101 "), head)
        return wire, head.lower()

    def test_bytes_around_the_101_survive(self):
        wire, head = self.open(early=frame(b"early", b"abcd"))
        self.assertIn(b"\r\nsec-websocket-accept: " + accept_of(KEY.decode()).lower(), head)
        self.assertIn(b"\r\nconnection: upgrade\r\n", head)
        self.assertIn(b"\r\nupgrade: websocket\r\n", head)
        self.assertEqual(read_frame(wire.exactly), (2, b"welcome"))
        self.assertEqual(read_frame(wire.exactly), (2, b"early"))
        self.assertEqual(wire.send(b"\x88\x80mask").exactly(2), b"\x88\x00")
        self.assertTrue(wire.at_end())

    def test_ten_thousand_messages(self):
        wire, _ = self.open()
        self.assertEqual(read_frame(wire.exactly), (2, b"welcome"))
        generator = random.Random(7)
        messages = [generator.randbytes(generator.choice((0, 1, 5, 125, 126, 300))) for _ in range(9_990)]
        messages += [generator.randbytes(70_000) for _ in range(10)]
        generator.shuffle(messages)

        def send():
            for message in messages:
                wire.socket.sendall(frame(message, b"\0\0\0\0"))
        sender = threading.Thread(target=send)
        sender.start()
        for message in messages:
            self.assertEqual(read_frame(wire.exactly), (2, message))
        sender.join()

    def test_a_wrong_answer_is_no_tunnel(self):
        self.assertEqual(fetch(self.port, "/ws/wrong", "Connection: Upgrade", "Upgrade: websocket",
                               f"Sec-WebSocket-Key: {KEY.decode()}").status, 502)

    def test_a_refusal_keeps_its_framing(self):
        with Wire(self.port) as wire:
            answer = wire.send(hello(path="/ws/no")).response()
            self.assertEqual((answer.status, answer.body), (403, b"no"))
            self.assertTrue(wire.get("/ws/next").body.startswith(b"GET /ws/next "))

    def test_who_does_not_ask_rightly_gets_no_upgrade(self):
        for data in (hello(path="/plain/x"), hello(path="/ws/x", key=b"short"),
                     hello("Content-Length: 0", path="/ws/x", method="POST")):
            with Wire(self.port) as wire:
                seen = wire.send(data).response().body.lower()
                self.assertNotIn(b"\r\nupgrade:", seen)
                self.assertNotIn(b"\r\nconnection:", seen)

    def test_who_does_not_read_stops_who_writes(self):
        wire, _ = self.open("/ws/pour")
        before = self.node.rss_kib()
        time.sleep(0.5)
        self.assertLess(self.node.rss_kib() - before, 20 * 1024)
        self.assertEqual(wire.exactly(1 << 20), b"z" * (1 << 20))

    def test_an_end_of_either_side_ends_both(self):
        gauge = 'caf_http_upstream_connections{upstream="o",state="active"}'
        eventually(lambda: self.node.metrics()[gauge] == 0, "earlier tunnels have ended")
        wire, _ = self.open("/ws/silent")
        self.assertEqual(self.node.metrics()[gauge], 1)
        self.assertEqual(self.node.metrics()['caf_http_requests_in_flight{state="upstream"}'], 0)
        wire.finish()
        self.assertTrue(wire.at_end())
        wire, _ = self.open("/ws/silent")
        wire.reset()
        eventually(lambda: self.node.metrics()[gauge] == 0, "the tunnel has ended")


class Drain(unittest.TestCase):
    def test_a_drain_ends_tunnels_at_their_deadline(self):
        with Origin({"*": silent}) as origin:
            node = Node(config(route("/", 'proxy = "o"\nwebsocket = true'),
                               upstream("o", [f"http://127.0.0.1:{origin.port}"]), limits='tunnel_deadline = "300ms"'))
            self.addCleanup(node.close)
            with Wire(node.port()) as wire:
                wire.send(hello(path="/")).until(b"\r\n\r\n")
                began = time.monotonic()
                self.assertEqual(node.stop(), 0)
                self.assertTrue(wire.at_end())
                self.assertLess(time.monotonic() - began, 10)


if __name__ == "__main__":
    suite.main()
