"""Bytes against a real server: each row whole, byte by byte and in random slices. A table says which status comes, what
becomes of the connection and of a request behind, and which reason is counted."""
import unittest

from support import suite
from support.node import Node, SITE, default_config
from support.wire import ControlWire, Wire, random_sizes

CONFIG = default_config('max_body = "1KiB"\nlinger = "100ms"', site=SITE.replace('"*"', '"a"'))

GET = b"GET /hello HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /test/echo HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
PROBE = b"GET /hello?probe HTTP/1.1\r\nHost: a\r\n\r\n"
KEEP, CLOSE = "keep", "close"


def line(text):
    return text + b"\r\nHost: a\r\n\r\n"


# name, bytes, status, connection, counted reason
ROWS = [
    ("a plain request", GET + b"\r\n", 200, KEEP, ""),
    ("an empty line before", b"\r\n" + GET + b"\r\n", 200, KEEP, ""),
    ("two empty lines before", b"\r\n\r\n" + GET + b"\r\n", 400, CLOSE, "request_line"),
    ("bare LF", b"GET /hello HTTP/1.1\nHost: a\n\n", 400, CLOSE, "request_line"),
    ("bare CR", b"GET /hello HTTP/1.1\rHost: a\r\r", 400, CLOSE, "request_line"),
    ("no version", line(b"GET /hello"), 400, CLOSE, "request_line"),
    ("lower-case version", line(b"GET /hello http/1.1"), 400, CLOSE, "request_line"),
    ("two-digit version", line(b"GET /hello HTTP/1.10"), 400, CLOSE, "request_line"),
    ("two blanks", line(b"GET  /hello HTTP/1.1"), 400, CLOSE, "request_line"),
    ("minor version 2", line(b"GET /hello HTTP/1.2"), 200, KEEP, ""),
    ("HTTP/2.0", line(b"GET /hello HTTP/2.0"), 505, CLOSE, "version"),
    ("HTTP/0.9", line(b"GET /hello HTTP/0.9"), 505, CLOSE, "version"),
    ("an unknown method", line(b"BREW /hello HTTP/1.1"), 501, KEEP, "method"),
    ("a lower-case method", line(b"get /hello HTTP/1.1"), 501, KEEP, "method"),
    ("a method of 33 bytes", line(b"M" * 33 + b" /hello HTTP/1.1"), 501, KEEP, "method"),
    ("a method that is not routed", line(b"DELETE /hello HTTP/1.1"), 405, KEEP, "method"),
    ("TRACE", line(b"TRACE /hello HTTP/1.1"), 405, KEEP, "method"),
    ("CONNECT", b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 405, CLOSE, "method"),
    ("a fragment", line(b"GET /hello#x HTTP/1.1"), 400, CLOSE, "target"),
    ("a control byte in the target", line(b"GET /he\x01llo HTTP/1.1"), 400, CLOSE, "target"),
    ("a high byte in the target", line(b"GET /\xc3\xa4 HTTP/1.1"), 400, CLOSE, "target"),
    ("a bad escape", line(b"GET /%zz HTTP/1.1"), 400, CLOSE, "target"),
    ("userinfo", line(b"GET http://u@a/hello HTTP/1.1"), 400, CLOSE, "target"),
    ("asterisk with GET", line(b"GET * HTTP/1.1"), 400, CLOSE, "target"),
    ("asterisk with OPTIONS", line(b"OPTIONS * HTTP/1.1"), 204, KEEP, ""),
    ("absolute-form", line(b"GET http://a/hello HTTP/1.1"), 200, KEEP, ""),
    ("the scheme of another listener", line(b"GET https://a/hello HTTP/1.1"), 421, KEEP, "misdirected"),
    ("dot segments", line(b"GET /x/../hello HTTP/1.1"), 200, KEEP, ""),
    ("encoded dot segments", line(b"GET /x/%2e%2E/hello HTTP/1.1"), 200, KEEP, ""),
    ("climbing above the root", line(b"GET /../hello HTTP/1.1"), 400, KEEP, "path"),
    ("an encoded NUL", line(b"GET /hello%00 HTTP/1.1"), 400, KEEP, "path"),
    ("an encoded slash", line(b"GET /x%2fy HTTP/1.1"), 400, KEEP, "path"),
    ("a backslash", line(b"GET /x\\y HTTP/1.1"), 400, KEEP, "path"),
    ("an unknown path", line(b"GET /nothing HTTP/1.1"), 404, KEEP, ""),
    ("no Host", b"GET /hello HTTP/1.1\r\n\r\n", 400, CLOSE, "host"),
    ("Host twice", GET + b"Host: a\r\n\r\n", 400, CLOSE, "host"),
    ("Host empty", b"GET /hello HTTP/1.1\r\nHost:\r\n\r\n", 400, CLOSE, "host"),
    ("Host with userinfo", b"GET /hello HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, CLOSE, "host"),
    ("Host with a port that is none", b"GET /hello HTTP/1.1\r\nHost: a:x\r\n\r\n", 400, CLOSE, "host"),
    ("Host with dot and port", b"GET /hello HTTP/1.1\r\nHost: A.:80\r\n\r\n", 200, KEEP, ""),
    ("an unknown Host", b"GET /hello HTTP/1.1\r\nHost: b\r\n\r\n", 421, KEEP, "misdirected"),
    ("a blank before the colon", GET + b"X : y\r\n\r\n", 400, CLOSE, "field"),
    ("folding", GET + b"X: y\r\n z\r\n\r\n", 400, CLOSE, "field"),
    ("an empty name", GET + b": y\r\n\r\n", 400, CLOSE, "field"),
    ("a control byte in a value", GET + b"X: y\x01\r\n\r\n", 400, CLOSE, "field"),
    ("NUL in a value", GET + b"X: y\0\r\n\r\n", 400, CLOSE, "field"),
    ("high bytes in a value", GET + b"X: \xc3\xa4\xff\r\n\r\n", 200, KEEP, ""),
    ("a length that is no number", POST + b"Content-Length: 5x\r\n\r\nhello", 400, CLOSE, "content_length"),
    ("a length with a sign", POST + b"Content-Length: +5\r\n\r\nhello", 400, CLOSE, "content_length"),
    ("a list of lengths", POST + b"Content-Length: 5, 5\r\n\r\nhello", 400, CLOSE, "content_length"),
    ("a length twice", POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, CLOSE, "content_length"),
    ("a length of 2^63", POST + b"Content-Length: 9223372036854775808\r\n\r\n", 400, CLOSE, "content_length"),
    ("Transfer-Encoding and length", POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
     CLOSE, "transfer_encoding"),
    ("Transfer-Encoding twice", POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400, CLOSE, "transfer_encoding"),
    ("identity", POST + b"Transfer-Encoding: identity\r\n\r\n", 400, CLOSE, "transfer_encoding"),
    ("a further coding", POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501, CLOSE, "transfer_encoding"),
    ("Transfer-Encoding in 1.0", b"POST /test/echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     400, CLOSE, "transfer_encoding"),
    ("chunks", CHUNKED + b"3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nX: y\r\n\r\n", 200, KEEP, ""),
    ("a chunk size that is no number", CHUNKED + b"g\r\n", 400, CLOSE, "chunk"),
    ("a chunk size of 17 digits", CHUNKED + b"00000000000000001\r\n", 400, CLOSE, "chunk"),
    ("a blank after a chunk size", CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n", 400, CLOSE, "chunk"),
    ("bare LF after a chunk", CHUNKED + b"5\r\nhello\n0\r\n\r\n", 400, CLOSE, "chunk"),
    ("a chunk that is longer than it says", CHUNKED + b"4\r\nhello\r\n0\r\n\r\n", 400, CLOSE, "chunk"),
    ("a bad trailer", CHUNKED + b"0\r\nX : y\r\n\r\n", 400, CLOSE, "chunk"),
    ("101 trailers", CHUNKED + b"0\r\n" + b"X: y\r\n" * 101 + b"\r\n", 431, CLOSE, "head_size"),
    ("a body", POST + b"Content-Length: 5\r\n\r\nhello", 200, KEEP, ""),
    ("a body of the limit", POST + b"Content-Length: 1024\r\n\r\n" + b"x" * 1024, 200, KEEP, ""),
    ("a body over the limit", POST + b"Content-Length: 1025\r\n\r\n" + b"x" * 1025, 413, CLOSE, "body_size"),
    ("chunks over the limit", CHUNKED + b"400\r\n" + b"x" * 1024 + b"\r\n1\r\ny\r\n0\r\n\r\n", 413, CLOSE, "body_size"),
    ("a body on GET", GET + b"Content-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n", 200, KEEP, ""),
    ("a refused request with a body", b"PUT /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 18\r\n\r\n"
     b"GET / HTTP/1.1\r\n\r\n", 405, KEEP, "method"),
    ("another expectation", GET + b"Expect: tea\r\n\r\n", 417, KEEP, "expect"),
    ("another expectation with a body", POST + b"Expect: tea\r\nContent-Length: 5\r\n\r\nhello", 417, CLOSE, "expect"),
    ("100 fields", GET + b"X: y\r\n" * 99 + b"\r\n", 200, KEEP, ""),
    ("101 fields", GET + b"X: y\r\n" * 100 + b"\r\n", 431, CLOSE, "head_size"),
    ("Connection: close", GET + b"Connection: close\r\n\r\n", 200, CLOSE, ""),
    ("1.0", b"GET /hello HTTP/1.0\r\nHost: a\r\n\r\n", 200, CLOSE, ""),
    ("1.0 with keep-alive", b"GET /hello HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", 200, KEEP, ""),
    ("1.0 without Host", b"GET /hello HTTP/1.0\r\n\r\n", 421, CLOSE, "misdirected"),
    ("a handshake of TLS", b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03", 400, CLOSE, "tls_mismatch"),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, CLOSE, "version"),
]


class Bytes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node(CONFIG)
        cls.addClassCleanup(cls.node.close)

    def play(self, data, sizes, row):
        name, _, status, connection, _ = row
        with self.subTest(name), Wire(self.node.port()) as wire:
            try:
                wire.send_slices(data + PROBE, sizes)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it answered and stopped listening while we were still sending
            answer = wire.response()
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.closes, connection == CLOSE)
            if connection == KEEP:
                self.assertEqual(wire.response().body, b"Hello, World!")
            else:
                self.assertTrue(wire.at_end())

    def test_whole_and_counted(self):
        for row in ROWS:
            name, data, _, _, reason = row
            before = self.node_rejections()
            self.play(data, [], row)
            after = self.node_rejections()
            changed = {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)}
            with self.subTest(name):
                self.assertEqual(changed, {reason: 1.0} if reason else {})

    def node_rejections(self):
        """Reason -> count; asked through an actor route of the control socket, so nothing here counts."""
        with ControlWire(self.node.control) as control:
            text = control.get("/metrics", host="localhost").body.decode()
        prefix = 'caf_http_rejected_total{reason="'
        return {line[len(prefix):].split('"')[0]: float(line.rsplit(" ", 1)[1])
                for line in text.splitlines() if line.startswith(prefix) and not line.endswith(" 0")}

    def test_byte_by_byte(self):
        for row in ROWS:
            if len(row[1]) < 400:
                self.play(row[1], [1] * len(row[1]), row)

    def test_in_random_slices(self):
        for seed, row in enumerate(ROWS):
            self.play(row[1], random_sizes(seed, len(row[1]) + len(PROBE)), row)


if __name__ == "__main__":
    suite.main()
