"""HTTP/2 frame by frame: what a client may do, what it may not, and what each costs it. Every case is a row of CASES:
it runs on a connection of its own, and afterwards another connection, open all the time, still gets its answers.
"""
import struct
import time
import unittest

from support import h2, suite
from support.h2 import *  # noqa: F403: frame types and codes are the vocabulary of this file
from support.node import Node, SITE, default_config
from support.suite import eventually
from support.wire import Closed

SLOW = SITE.replace('host = "*"', 'host = ["a", "*.b"]') + """
  [[http.site.route]]
  path = "/slow"
  actor = "slow"
  face = "http"
  [[http.site.route]]
  path = "/big"
  respond = { body = "%s" }
""" % ("0123456789" * 30_000)
BIG = b"0123456789" * 30_000

CASES = []


def case(function):
    CASES.append(function)
    return function


def table(name, rows):
    """One case per row, all judged by the same function."""
    def register(judge):
        for label, *row in rows:
            def run(test, connect, row=row):
                judge(test, connect(), *row)
            run.__name__ = f"{name}: {label}"
            CASES.append(run)
        return judge
    return register


# -- what a client may do ------------------------------------------------------------------


@case
def a_request(test, connect):
    answer = connect().fetch()
    test.assertEqual((answer.status, answer.body, answer.field("content-length")), (200, b"Hello, World!", "13"))


@case
def head_has_the_length_and_no_content(test, connect):
    answer = connect().fetch(method="HEAD")
    test.assertEqual((answer.status, answer.body, answer.field("content-length")), (200, b"", "13"))


@case
def a_204_has_neither_content_nor_length(test, connect):
    answer = connect().fetch(method="OPTIONS")
    test.assertEqual((answer.status, answer.body, answer.field("content-length")), (204, b"", None))


@case
def statuses_of_routing(test, connect):
    wire = connect()
    for status, options in ((404, {"path": "/nothing"}), (405, {"method": "DELETE"}), (501, {"method": "BREW"}),
                            (405, {"method": "TRACE"}), (421, {"host": "c"}), (200, {"host": "x.b"}),
                            (400, {"path": "/a/../../b"}), (400, {"path": "/%00"}), (200, {"host": "A:80"})):
        with test.subTest(str(options)):
            test.assertEqual(wire.fetch(**options).status, status)


@case
def the_other_scheme_is_misdirected(test, connect):
    wire = connect()
    wire.scheme = "https"
    test.assertEqual(wire.fetch().status, 421)


@case
def connect_is_405(test, connect):
    wire = connect()
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block((":method", "CONNECT"), (":authority", "a:80"))))
    test.assertEqual(wire.answer(1).status, 405)


@case
def host_may_stand_for_authority(test, connect):
    wire = connect()
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1,
                    block((":method", "GET"), (":scheme", "http"), (":path", "/hello"), ("host", "a"))))
    test.assertEqual(wire.answer(1).status, 200)


@case
def content_comes_back(test, connect):
    wire = connect()
    for size in (0, 1, 16384, 65535, 65536, 300_000):
        body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        with test.subTest(str(size)):
            stream = wire.request("/test/echo", method="POST", end=False)
            upload(wire, stream, body)
            answer = wire.answer(stream)
            test.assertEqual((answer.status, answer.body), (200, body))


def upload(wire, stream, body):
    """Sends `body` as windows allow."""
    initial = wire.initial()
    allowed = {0: wire.sent_window, stream: initial}
    seen, at = len(wire.window_updates), 0
    while at < len(body):
        for target, size in wire.window_updates[seen:]:
            allowed[target] = allowed.get(target, 0) + size
        seen = len(wire.window_updates)
        size = min(allowed[0], allowed[stream], 16384, len(body) - at)
        if size == 0:
            wire.frame()
            continue
        wire.send(frame(DATA, 0, stream, body[at:at + size]))
        at += size
        allowed[0] -= size
        allowed[stream] -= size
    for target, size in wire.window_updates[seen:]:
        allowed[target] = allowed.get(target, 0) + size
    wire.sent_window = allowed[0]
    wire.counted = len(wire.window_updates)
    wire.send(frame(DATA, END_STREAM, stream))


@case
def content_byte_by_byte(test, connect):
    wire = connect()
    stream = wire.request("/test/echo", method="POST", end=False)
    for byte in b"slowly but surely":
        wire.send(frame(DATA, 0, stream, bytes((byte,))))
    wire.send(frame(DATA, END_STREAM, stream))
    test.assertEqual(wire.answer(stream).body, b"slowly but surely")


@case
def padding(test, connect):
    wire = connect()
    section = get("/test/echo", method="POST")
    wire.send(frame(HEADERS, END_HEADERS | PADDED, 1, b"\x05" + section + bytes(5)))
    wire.send(frame(DATA, PADDED, 1, b"\xff" + b"abc" + bytes(255)))
    wire.send(frame(DATA, PADDED | END_STREAM, 1, b"\x00" + b"def"))
    test.assertEqual(wire.answer(1).body, b"abcdef")


@case
def every_slice_of_a_conversation(test, connect):
    script = MAGIC + frame(SETTINGS, 0, 0, settings(TABLE_SIZE=0)) + frame(SETTINGS, ACK) + \
        frame(HEADERS, END_HEADERS | END_STREAM, 1, get()) + \
        frame(HEADERS, END_HEADERS, 3, get("/test/echo", method="POST")) + frame(DATA, END_STREAM, 3, b"sliced")
    for size in (1, 2, 3, 5, 9, 10, 24, 100):
        wire = connect(hello=False, ack=False)
        for at in range(0, len(script), size):
            wire.send(script[at:at + size])
        test.assertEqual(wire.answer(1).body, b"Hello, World!")
        test.assertEqual(wire.answer(3).body, b"sliced")


@case
def eight_continuations(test, connect):
    wire = connect()
    section = get("/hello", ("x-long", "y" * 100))
    cut = [section[at:at + 20] for at in range(0, 160, 20)] + [section[160:]]
    wire.send(frame(HEADERS, END_STREAM, 1, cut[0]))
    for part in cut[1:-1]:
        wire.send(frame(CONTINUATION, 0, 1, part))
    wire.send(frame(CONTINUATION, END_HEADERS, 1, cut[-1]))
    test.assertEqual(wire.answer(1).status, 200)


@case
def windows_of_one_byte(test, connect):
    wire = connect(entries=settings(INITIAL_WINDOW=1), window=0)
    stream = wire.request()
    while not wire.answers.get(stream) or not wire.answers[stream].ended:
        kind, _, _, payload = wire.frame()
        if kind == DATA:
            test.assertLessEqual(len(payload), 1)
            if not wire.answers[stream].ended:
                wire.send(window_update(stream, 1))
    test.assertEqual(wire.answers[stream].body, b"Hello, World!")


@case
def a_window_that_is_opened_by_settings(test, connect):
    wire = connect(entries=settings(INITIAL_WINDOW=0), window=0)
    streams = [wire.request() for _ in range(3)]
    wire.settle()
    test.assertEqual([wire.answers[each].body for each in streams], [b""] * 3)
    wire.send(frame(SETTINGS, 0, 0, settings(INITIAL_WINDOW=5)))
    wire.settle()
    test.assertEqual([wire.answers[each].body for each in streams], [b"Hello"] * 3)
    wire.send(frame(SETTINGS, 0, 0, settings(INITIAL_WINDOW=1000)))
    test.assertEqual([wire.answer(each).body for each in streams], [b"Hello, World!"] * 3)


@case
def a_window_that_becomes_negative(test, connect):
    wire = connect(entries=settings(INITIAL_WINDOW=10_000), window=0)
    stream = wire.request("/big")
    wire.settle()
    test.assertEqual(len(wire.answers[stream].body), 10_000)
    wire.send(frame(SETTINGS, 0, 0, settings(INITIAL_WINDOW=100)))  # now at -9,900
    wire.send(window_update(stream, 9_900))
    wire.settle()
    test.assertEqual(len(wire.answers[stream].body), 10_000)
    wire.send(window_update(stream, 1))
    wire.settle()
    test.assertEqual(len(wire.answers[stream].body), 10_001)
    wire.window = 1
    wire.send(window_update(0, 1 << 20) + window_update(stream, 1 << 20))
    test.assertEqual(wire.answer(stream).body, BIG)


@case
def the_window_of_the_connection_is_shared(test, connect):
    wire = connect(entries=settings(INITIAL_WINDOW=1 << 20), window=0)
    first, second = wire.request("/big"), wire.request("/big")
    wire.settle()
    test.assertEqual(len(wire.answers[first].body) + len(wire.answers[second].body), 65535)
    wire.send(window_update(0, 1 << 20))
    test.assertEqual((wire.answer(first).body, wire.answer(second).body), (BIG, BIG))


@case
def a_big_answer_with_small_frames(test, connect):
    wire = connect()
    test.assertEqual(wire.fetch("/big").body, BIG)


@case
def trailers_of_a_request(test, connect):
    wire = connect()
    stream = wire.request("/test/echo", method="POST", end=False)
    wire.send(frame(DATA, 0, stream, b"abc") +
              frame(HEADERS, END_HEADERS | END_STREAM, stream, block(("x-sum", "1"))))
    test.assertEqual(wire.answer(stream).body, b"abc")


@case
def a_client_that_waits_for_100(test, connect):
    wire = connect()
    stream = wire.request("/test/echo", ("expect", "100-continue"), method="POST", end=False)
    while not wire.answers.get(stream) or not wire.answers[stream].interim:
        wire.frame()
    test.assertEqual(dict(wire.answers[stream].interim[0])[":status"], "100")
    wire.send(frame(DATA, END_STREAM, stream, b"now"))
    test.assertEqual(wire.answer(stream).body, b"now")
    test.assertEqual(wire.fetch("/test/echo", ("expect", "magic"), method="POST", body=b"").status, 417)


@case
def many_streams_at_once(test, connect):
    wire = connect()
    streams = [wire.request("/greet?name=Ada") for _ in range(100)]
    test.assertEqual({wire.answer(each).status for each in streams}, {200})


@case
def the_stream_after_the_last_place_is_refused(test, connect):
    wire = connect()
    streams = [wire.request("/test/echo", method="POST", end=False) for _ in range(100)]
    over = wire.request()
    test.assertEqual(wire.answer(over).code, REFUSED_STREAM)
    for each in streams:
        wire.send(frame(DATA, END_STREAM, each))
    test.assertEqual({wire.answer(each).status for each in streams}, {200})
    test.assertEqual(wire.fetch().status, 200)


@case
def a_setting_says_how_many(test, connect):
    wire = connect()
    wire.settle()
    test.assertEqual(wire.settings[MAX_STREAMS], 100)
    test.assertEqual(wire.settings[INITIAL_WINDOW], 65536)
    test.assertEqual(wire.settings[MAX_LIST], 32768)
    test.assertIn((0, (1 << 20) - 65535), wire.window_updates)
    test.assertEqual(wire.settings_acks, 1)


@case
def priorities_and_unknown_things_are_skipped(test, connect):
    wire = connect()
    wire.send(frame(PRIORITY, 0, 1, u32(0) + b"\x10") + frame(77, 255, 0, b"what") + frame(78, 0, 5, b"") +
              frame(PRIORITY_UPDATE, 0, 0, u32(1) + b"u=1") + frame(SETTINGS, 0, 0, struct.pack(">HI", 99, 1)))
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM | PRIORITISED, 1, u32(0) + b"\x10" + get()))
    test.assertEqual(wire.answer(1).status, 200)


@case
def ping_is_answered_with_its_bytes(test, connect):
    wire = connect()
    wire.ping(b"\0\1\2\3\4\5\6\7")
    test.assertEqual(wire.pings, [b"\0\1\2\3\4\5\6\7"])


@case
def a_head_that_is_too_long_is_431(test, connect):
    wire = connect()
    test.assertEqual(wire.fetch("/hello", ("x", "y" * 16_000)).status, 200)
    part = ("x", "y" * 11_000)
    section = get("/hello", part, part, part)
    wire.send(frame(HEADERS, END_STREAM, 3, section[:16_000]) + frame(CONTINUATION, 0, 3, section[16_000:32_000]) +
              frame(CONTINUATION, END_HEADERS, 3, section[32_000:]))
    wire.next = 5
    test.assertEqual(wire.answer(3).status, 431)
    test.assertEqual(wire.fetch("/" + "x" * 8192).status, 414)
    test.assertEqual(wire.fetch("/hello", *[(f"x{i}", "y") for i in range(101)]).status, 431)
    test.assertEqual(wire.fetch().status, 200)


@case
def content_that_is_too_long_is_413(test, connect):
    wire = connect()
    stream = wire.request("/greet", ("content-length", str(2 << 20)), ("content-type", "application/json"),
                          method="POST", end=False)
    test.assertEqual(wire.answer(stream).status, 413)
    test.assertEqual(wire.fetch().status, 200)


@case
def an_upload_may_be_answered_early(test, connect):
    wire = connect()
    stream = wire.request("/nothing", ("content-length", "1000000"), method="POST", end=False)
    answer = wire.answer(stream)
    test.assertEqual((answer.status, answer.ended), (404, True))
    while answer.code is None:
        wire.frame()
    test.assertEqual(answer.code, NO_ERROR)
    test.assertEqual(wire.fetch().status, 200)


@case
def a_client_that_cancels(test, connect):
    wire = connect()
    streams = [wire.request("/slow?ms=20000") for _ in range(5)]
    eventually(lambda: test.slow()["started"] - test.slow()["answered"] >= 5, "they have begun")
    before = test.slow()["cancelled"]
    wire.send(b"".join(rst(each) for each in streams))
    eventually(lambda: test.slow()["cancelled"] >= before + 5, "the actor has heard of it")
    test.assertEqual(wire.fetch().status, 200)


@case
def a_connection_that_is_lost_cancels(test, connect):
    before = test.slow()
    wire = connect()
    for _ in range(3):
        wire.request("/slow?ms=20000")
    eventually(lambda: test.slow()["started"] >= before["started"] + 3, "they have begun")
    wire.reset()
    eventually(lambda: test.slow()["cancelled"] >= before["cancelled"] + 3, "the actor has heard of it")


@case
def a_reset_in_the_middle_of_an_answer(test, connect):
    wire = connect(window=0)
    for _ in range(20):
        stream = wire.request("/big")
        while not wire.answers.get(stream) or not wire.answers[stream].body:
            kind, _, _, payload = wire.frame()
            if kind == DATA:
                wire.send(window_update(0, len(payload)))
        wire.send(rst(stream))
    wire.send(window_update(0, 1 << 20))
    wire.window = 1
    test.assertEqual(wire.fetch().status, 200)


@case
def a_client_that_says_goodbye(test, connect):
    wire = connect()
    stream = wire.request("/slow?ms=200")
    wire.send(frame(GOAWAY, 0, 0, u32(0) + u32(NO_ERROR)))
    test.assertEqual(wire.answer(stream).status, 200)
    test.assertIn(wire.end(), (None, NO_ERROR))


# -- malformed requests: the stream is reset, the connection lives ---------------------------

PLAIN = [(":method", "GET"), (":scheme", "http"), (":path", "/hello"), (":authority", "a")]


@table("malformed", [
    ("upper case", PLAIN + [("X-Upper", "1")]),
    ("connection field", PLAIN + [("connection", "close")]),
    ("keep-alive", PLAIN + [("keep-alive", "1")]),
    ("proxy-connection", PLAIN + [("proxy-connection", "close")]),
    ("transfer-encoding", PLAIN + [("transfer-encoding", "chunked")]),
    ("upgrade", PLAIN + [("upgrade", "h2c")]),
    ("te other than trailers", PLAIN + [("te", "gzip")]),
    ("no method", PLAIN[1:]),
    ("no scheme", PLAIN[:1] + PLAIN[2:]),
    ("no path", PLAIN[:2] + PLAIN[3:]),
    ("empty path", PLAIN[:2] + [(":path", "")] + PLAIN[3:]),
    ("two paths", PLAIN + [(":path", "/")]),
    ("two methods", PLAIN[:1] + PLAIN),
    ("pseudo field after others", PLAIN[:3] + [("x", "1")] + PLAIN[3:]),
    ("unknown pseudo field", PLAIN + [(":what", "1")]),
    ("pseudo field of responses", PLAIN + [(":status", "200")]),
    ("NUL in a value", PLAIN + [("x", "a\0b")]),
    ("CR in a value", PLAIN + [("x", "a\rb")]),
    ("LF in a value", PLAIN + [("x", "a\nb")]),
    ("space in a name", PLAIN + [("a b", "1")]),
    ("colon in a name", PLAIN + [("a:b", "1")]),
    ("empty name", PLAIN + [("", "1")]),
    ("host against authority", PLAIN + [("host", "b")]),
    ("two lengths", PLAIN + [("content-length", "0"), ("content-length", "1")]),
    ("length that is none", PLAIN + [("content-length", "1x")]),
    ("length without content", PLAIN + [("content-length", "5")]),
])
def malformed(test, wire, fields):
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, block(*fields)))
    test.assertEqual(wire.answer(1).code, PROTOCOL_ERROR)
    wire.next = 3
    test.assertEqual(wire.fetch().status, 200)


@case
def te_trailers_is_fine(test, connect):
    test.assertEqual(connect().fetch("/hello", ("te", "trailers")).status, 200)


@table("content against its length", [("more", b"123456", False), ("less", b"123", True)])
def wrong_length(test, wire, body, end):
    stream = wire.request("/test/echo", ("content-length", "5"), method="POST", body=body, end=end)
    test.assertEqual(wire.answer(stream).code, PROTOCOL_ERROR)
    test.assertEqual(wire.fetch().status, 200)


@table("trailers", [("pseudo field", END_STREAM, block((":path", "/"))), ("no end", 0, block(("x", "1")))])
def bad_trailers(test, wire, flags, section):
    stream = wire.request("/test/echo", method="POST", end=False)
    wire.send(frame(HEADERS, END_HEADERS | flags, stream, section))
    test.assertEqual(wire.answer(stream).code, PROTOCOL_ERROR)
    test.assertEqual(wire.fetch().status, 200)


@table("stream errors", [
    ("window over 2^31", lambda s: window_update(s, 0x7fffffff), FLOW_CONTROL_ERROR),
])
def stream_error(test, wire, data, code):
    stream = wire.request("/test/echo", method="POST", end=False)
    wire.send(data(stream))
    test.assertEqual(wire.answer(stream).code, code)
    test.assertEqual(wire.fetch().status, 200)


# -- errors of the connection: GOAWAY with a code of their own ---------------------------------

OPEN = frame(HEADERS, END_HEADERS, 1, get("/test/echo", method="POST"))


@table("connection errors", [
    ("data on stream 0", frame(DATA, 0, 0, b"x"), PROTOCOL_ERROR),
    ("data on an idle stream", frame(DATA, 0, 1, b"x"), PROTOCOL_ERROR),
    ("headers on stream 0", frame(HEADERS, END_HEADERS, 0, get()), PROTOCOL_ERROR),
    ("an even stream", frame(HEADERS, END_HEADERS, 2, get()), PROTOCOL_ERROR),
    ("a lower stream", frame(HEADERS, END_HEADERS | END_STREAM, 5, get()) +
     frame(HEADERS, END_HEADERS | END_STREAM, 3, get()), PROTOCOL_ERROR),
    ("a frame over 16,384", frame(DATA, 0, 1, bytes(16385)), FRAME_SIZE_ERROR),
    ("settings on a stream", frame(SETTINGS, 0, 1), PROTOCOL_ERROR),
    ("settings of 5 bytes", frame(SETTINGS, 0, 0, bytes(5)), FRAME_SIZE_ERROR),
    ("acknowledged settings with content", frame(SETTINGS, ACK, 0, bytes(6)), FRAME_SIZE_ERROR),
    ("push neither on nor off", frame(SETTINGS, 0, 0, settings(ENABLE_PUSH=2)), PROTOCOL_ERROR),
    ("initial window over 2^31", frame(SETTINGS, 0, 0, settings(INITIAL_WINDOW=1 << 31)), FLOW_CONTROL_ERROR),
    ("frame size below 16,384", frame(SETTINGS, 0, 0, settings(MAX_FRAME=16383)), PROTOCOL_ERROR),
    ("33 settings", frame(SETTINGS, 0, 0, settings(MAX_LIST=1) * 33), ENHANCE_YOUR_CALM),
    ("ping of 7 bytes", frame(PING, 0, 0, bytes(7)), FRAME_SIZE_ERROR),
    ("ping on a stream", frame(PING, 0, 1, bytes(8)), PROTOCOL_ERROR),
    ("reset of an idle stream", rst(1), PROTOCOL_ERROR),
    ("reset of 3 bytes", OPEN + frame(RST_STREAM, 0, 1, bytes(3)), FRAME_SIZE_ERROR),
    ("reset of stream 0", rst(0), PROTOCOL_ERROR),
    ("push from a client", frame(PUSH_PROMISE, END_HEADERS, 1, u32(2) + get()), PROTOCOL_ERROR),
    ("continuation of nothing", frame(CONTINUATION, END_HEADERS, 1, get()), PROTOCOL_ERROR),
    ("data within a section", frame(HEADERS, 0, 1, get()) + frame(DATA, 0, 1, b"x"), PROTOCOL_ERROR),
    ("another stream within a section", frame(HEADERS, 0, 1, get()) + frame(CONTINUATION, END_HEADERS, 3),
     PROTOCOL_ERROR),
    ("padding over the frame", OPEN + frame(DATA, PADDED, 1, b"\x08abc"), PROTOCOL_ERROR),
    ("window update of 0", window_update(0, 0), PROTOCOL_ERROR),
    ("window update of 0 on a stream", OPEN + window_update(1, 0), PROTOCOL_ERROR),
    ("window over 2^31", window_update(0, 0x7fffffff), FLOW_CONTROL_ERROR),
    ("window update of 3 bytes", frame(WINDOW_UPDATE, 0, 0, bytes(3)), FRAME_SIZE_ERROR),
    ("window of an idle stream", window_update(1, 1), PROTOCOL_ERROR),
    ("goaway on a stream", frame(GOAWAY, 0, 1, bytes(8)), PROTOCOL_ERROR),
    ("an index of no table", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff\x7f"), COMPRESSION_ERROR),
    ("index 0", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x80"), COMPRESSION_ERROR),
    ("a table over its size", frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x3f\xff\x7f" + get()), COMPRESSION_ERROR),
    ("a section that is cut", frame(HEADERS, END_HEADERS | END_STREAM, 1, get()[:-3]), COMPRESSION_ERROR),
    ("nine continuations", frame(HEADERS, END_STREAM, 1, get()) + frame(CONTINUATION, 0, 1) * 9, ENHANCE_YOUR_CALM),
    ("continuations without end", frame(HEADERS, END_STREAM, 1, get()) +
     frame(CONTINUATION, 0, 1, block(("x", "y" * 1000))) * 500, ENHANCE_YOUR_CALM),
])
def connection_error(test, wire, data, code):
    wire.ping()
    wire.push(data)
    test.assertEqual(wire.end(), code)


@case
def something_else_than_the_preface(test, connect):
    wire = connect(hello=False)
    wire.push(b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + frame(SETTINGS))
    test.assertEqual(wire.end(), PROTOCOL_ERROR)


@case
def another_frame_before_settings(test, connect):
    wire = connect(hello=False)
    wire.push(MAGIC + frame(PING, 0, 0, bytes(8)))
    test.assertEqual(wire.end(), PROTOCOL_ERROR)


# -- floods: each ends with ENHANCE_YOUR_CALM ---------------------------------------------------

@table("floods", [
    ("rapid reset", lambda i: frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, get("/greet")) + rst(2 * i + 1)),
    ("ping", lambda i: frame(PING, 0, 0, bytes(8))),
    ("settings", lambda i: frame(SETTINGS, 0, 0, settings(MAX_LIST=1000))),
    ("priority", lambda i: frame(PRIORITY, 0, 2 * i + 1, u32(0) + b"\1")),
    ("unknown frames", lambda i: frame(99)),
    ("goaway", lambda i: (OPEN if i == 0 else b"") + frame(GOAWAY, 0, 0, bytes(8))),
    ("empty data", lambda i: (OPEN if i == 0 else b"") + frame(DATA, 0, 1)),
    ("padding only", lambda i: (OPEN if i == 0 else b"") + frame(DATA, PADDED, 1, b"\x04" + bytes(4))),
    ("window updates", lambda i: window_update(0, 1)),
    ("malformed requests", lambda i: frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, block(("Bad", "1")))),
    ("provoked resets by length", lambda i: frame(HEADERS, END_HEADERS, 2 * i + 1, get(
        "/test/echo", ("content-length", "1"), method="POST")) + frame(DATA, 0, 2 * i + 1, b"ab")),
    ("provoked resets by overflow", lambda i: frame(HEADERS, END_HEADERS, 2 * i + 1, get("/slow?ms=20000")) +
     window_update(2 * i + 1, 0x7fffffff)),
    ("refused streams", lambda i: frame(HEADERS, END_HEADERS, 2 * i + 1, get("/test/echo", method="POST"))),
])
def flood(test, wire, frames):
    wire.ping()
    for at in range(0, 5000, 100):
        wire.push(b"".join(frames(i) for i in range(at, at + 100)))
    test.assertEqual(wire.end(), ENHANCE_YOUR_CALM)


class Probe(h2.H2):
    """Knows how much it may send."""

    def __init__(self, port, **options):
        super().__init__(port, **options)
        self.counted, self.sent_window = 0, 65535

    def initial(self):
        """Window of a new stream; takes in what the connection got meanwhile."""
        while self.settings is None:
            self.frame()
        for target, size in self.window_updates[self.counted:]:
            self.sent_window += size if target == 0 else 0
        self.counted = len(self.window_updates)
        return self.settings[INITIAL_WINDOW]


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(site=SLOW, extra="h2c = true"), program=suite.MISBEHAVING_NODE)
        cls.addClassCleanup(cls.node.close)

    def slow(self):
        return self.node.ask("slow", {"method": "get"})

    def connect(self, **options):
        wire = Probe(self.node.port(), **options)
        self.addCleanup(wire.close)
        return wire

    def test_every_case_ends_as_it_should_and_hurts_nobody(self):
        self.assertGreaterEqual(len(CASES), 60)
        witness = self.connect()
        self.assertEqual(witness.fetch().status, 200)
        for one in CASES:
            with self.subTest(one.__name__):
                one(self, self.connect)
                self.assertEqual(witness.fetch().status, 200)
        self.doCleanups()
        eventually(lambda: self.node.ctl_json("status")["connections"] == 0, "all connections are gone")
        print(f"{len(CASES)} cases")

    @unittest.skipIf(suite.SANITIZED, "sanitizers have costs of their own")
    def test_floods_leave_memory_and_descriptors_as_they_were(self):
        floods = [one for one in CASES if one.__name__.startswith(("floods", "connection errors"))]

        def round_of_floods():
            for one in floods:
                one(self, self.connect)
                self.doCleanups()
            eventually(lambda: self.node.ctl_json("status")["connections"] == 0, "all connections are gone")
        round_of_floods()
        # That of caf-ctl, which has just asked, may not be closed yet: the least of several looks counts.
        descriptors, before = min(self.node.descriptors() for _ in range(500)), self.node.rss_kib()
        for _ in range(2):
            round_of_floods()
        eventually(lambda: self.node.descriptors() <= descriptors, "no more descriptors than before")
        grown = self.node.rss_kib() - before
        print(f"RSS grew by {grown} KiB in {2 * len(floods)} floods")
        self.assertLess(grown, 2048)


class Deadlines(unittest.TestCase):
    LIMITS = """h2_settings_timeout = "400ms"
header_timeout = "500ms"
body_timeout = "500ms"
send_timeout = "700ms"
keepalive_idle = "700ms"
keepalive_requests = 20
h2_streams = 3
"""

    @classmethod
    def setUpClass(cls):
        cls.node = Node(default_config(cls.LIMITS, "h2c = true", SLOW), program=suite.MISBEHAVING_NODE)
        cls.addClassCleanup(cls.node.close)

    def connect(self, **options):
        wire = Probe(self.node.port(), **options)
        self.addCleanup(wire.close)
        return wire

    def test_settings_that_are_not_acknowledged(self):
        self.assertEqual(self.connect(ack=False).end(), SETTINGS_TIMEOUT)
        self.assertEqual(self.connect(hello=False, ack=False).push(MAGIC).end(), SETTINGS_TIMEOUT)

    def test_an_idle_connection_gets_both_goaways(self):
        wire = self.connect()
        self.assertEqual(wire.fetch().status, 200)
        self.assertEqual(wire.end(), NO_ERROR)
        self.assertEqual([last for last, _ in wire.goaways], [0x7fffffff, 1])

    def test_a_head_that_never_ends(self):
        for data in (frame(HEADERS, END_STREAM, 1, get()), frame(HEADERS, END_STREAM | END_HEADERS, 1, get())[:-5]):
            wire = self.connect()
            wire.ping()
            wire.push(data)
            started = time.monotonic()
            self.assertEqual(wire.end(), NO_ERROR)
            self.assertLess(time.monotonic() - started, 5)

    def test_a_body_that_stalls_is_408_and_hurts_no_other(self):
        wire = self.connect()
        stalled = wire.request("/test/echo", method="POST", body=b"abc", end=False)
        self.assertEqual(wire.fetch().status, 200)
        self.assertEqual(wire.answer(stalled).status, 408)
        self.assertEqual(wire.fetch().status, 200)

    def test_a_reader_that_stalls_is_reset_and_hurts_no_other(self):
        wire = self.connect(entries=settings(INITIAL_WINDOW=5), window=0)
        stalled = wire.request("/big")
        deadline = time.monotonic() + suite.PATIENCE
        while wire.answers.get(stalled) is None or wire.answers[stalled].code is None:
            self.assertEqual(wire.fetch(method="HEAD").status, 200)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(wire.answers[stalled].code, CANCEL)
        self.assertEqual(wire.answers[stalled].body, b"01234")

    def test_the_number_of_requests_is_bounded(self):
        wire = self.connect()
        answered = 0
        try:
            while wire.fetch().status == 200:
                answered += 1
        except (Closed, ConnectionError):
            pass
        self.assertEqual(wire.goaways[0], (0x7fffffff, NO_ERROR))
        self.assertGreaterEqual(answered, 20)
        self.assertEqual(wire.goaways[-1], (2 * answered - 1, NO_ERROR))

    def test_cancelled_work_keeps_its_place_until_it_ends(self):
        wire = self.connect()
        for _ in range(3):
            stream = wire.request("/slow?ms=3000")
            wire.ping()
            wire.send(rst(stream))
        over = wire.request()
        self.assertEqual(wire.answer(over).code, REFUSED_STREAM)

    def test_a_listener_that_goes_sends_both_goaways_and_finishes_its_streams(self):
        with Node(default_config(extra="h2c = true", site=SLOW), program=suite.MISBEHAVING_NODE) as node:
            wire = Probe(node.port())
            self.addCleanup(wire.close)
            stream = wire.request("/slow?ms=1500")
            wire.ping()
            node.process.terminate()
            while not wire.goaways:
                wire.frame()
            late = wire.request()  # the client did not know yet
            self.assertEqual(wire.answer(stream).status, 200)
            self.assertEqual(wire.end(), NO_ERROR)
            self.assertEqual(wire.goaways[0][0], 0x7fffffff)
            self.assertIn(wire.goaways[-1][0], (stream, late))
            self.assertEqual(node.process.wait(suite.PATIENCE), 0)


if __name__ == "__main__":
    suite.main()
