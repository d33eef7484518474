"""HTTP/2 as frames: built by hand, so that a test can send what no library would; responses taken apart.

HPACK is reduced to what a client needs that allows the server no dynamic table (SETTINGS_HEADER_TABLE_SIZE 0):
literals going out; statuses, names of the static table and digits coming in.
"""
import struct

from support import suite
from support.wire import Closed, Wire

MAGIC = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
PRIORITY_UPDATE = 16
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITISED = 1, 1, 4, 8, 32
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR, \
    REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM = range(12)
TABLE_SIZE, ENABLE_PUSH, MAX_STREAMS, INITIAL_WINDOW, MAX_FRAME, MAX_LIST = range(1, 7)

STATIC = [  # RFC 7541, appendix A: name, value
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
    ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
    ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""),
    ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
    ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
    ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""),
    ("www-authenticate", "")]


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def settings(**values):
    return b"".join(struct.pack(">HI", globals()[name], value) for name, value in values.items())


def u32(value):
    return struct.pack(">I", value)


def window_update(stream, size):
    return frame(WINDOW_UPDATE, 0, stream, u32(size))


def rst(stream, code=CANCEL):
    return frame(RST_STREAM, 0, stream, u32(code))


def text_of(value):
    data = value if isinstance(value, bytes) else value.encode("latin-1")
    size = len(data)
    if size < 127:
        return bytes((size,)) + data
    rest, head = size - 127, b"\x7f"
    while rest >= 128:
        head += bytes((rest % 128 + 128,))
        rest //= 128
    return head + bytes((rest,)) + data


def block(*fields):
    """A field section of literals that nobody indexes."""
    return b"".join(b"\x00" + text_of(name) + text_of(value) for name, value in fields)


def get(path="/hello", *fields, method="GET", scheme="http", host="a"):
    return block((":method", method), (":scheme", scheme), (":path", path), (":authority", host), *fields)


def digits(data):
    """Huffman-coded digits; None for anything else."""
    bits = "".join(f"{byte:08b}" for byte in data)
    codes = {f"{i:05b}": str(i) for i in range(3)} | {f"{22 + i:06b}": str(i) for i in range(3, 10)}
    result, at = "", 0
    while at < len(bits):
        for size in (5, 6):
            if bits[at:at + size] in codes and len(bits[at:at + size]) == size:
                result += codes[bits[at:at + size]]
                at += size
                break
        else:
            return result if len(bits) - at < 8 and set(bits[at:]) <= {"1"} else None
    return result


class Block:
    """Takes a field section apart. Huffman-coded values other than numbers become None."""

    def __init__(self, data):
        self.data, self.at, self.fields = data, 0, []
        while self.at < len(data):
            first = data[self.at]
            if first & 0x80:
                self.fields.append(STATIC[self.integer(7) - 1])
            elif first & 0x40:
                self.literal(6)
            elif first & 0x20:
                assert self.integer(5) == 0, "the server may have no dynamic table"
            else:
                self.literal(4)

    def integer(self, bits):
        value = self.data[self.at] & ((1 << bits) - 1)
        self.at += 1
        if value < (1 << bits) - 1:
            return value
        shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value += (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value

    def string(self):
        huffman = self.data[self.at] & 0x80
        size = self.integer(7)
        data = self.data[self.at:self.at + size]
        self.at += size
        return digits(data) if huffman else data.decode("latin-1")

    def literal(self, bits):
        index = self.integer(bits)
        name = STATIC[index - 1][0] if index else self.string()
        self.fields.append((name, self.string()))


class Answer:
    """What became of one stream."""

    def __init__(self):
        self.fields, self.trailers, self.interim = [], None, []
        self.body, self.ended, self.code = b"", False, None

    @property
    def status(self):
        return int(dict(self.fields)[":status"]) if self.fields else None

    def field(self, name):
        return dict(self.fields).get(name)

    @property
    def over(self):
        return self.ended or self.code is not None


class H2(Wire):
    """One connection. `hello` sends preface and SETTINGS; frames that come in are filed by stream."""

    def __init__(self, port, hello=True, wrap=None, entries=b"", ack=True, window=1 << 20, **options):
        super().__init__(port, **options)
        self.scheme = "http"
        if wrap:
            self.socket, self.scheme = wrap(self.socket), "https"
        self.answers, self.goaways, self.pings, self.window_updates = {}, [], [], []
        self.settings, self.settings_acks, self.next, self.auto_ack = None, 0, 1, ack
        self.window, self.sections = window, {}
        if hello:
            self.send(MAGIC + frame(SETTINGS, 0, 0, settings(TABLE_SIZE=0) + entries))

    def frame(self):
        """The next frame from the server."""
        head = self.exactly(9)
        size, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
        payload = self.exactly(size)
        self.file(kind, flags, stream, payload)
        return kind, flags, stream, payload

    def file(self, kind, flags, stream, payload):
        answer = self.answers.setdefault(stream, Answer()) if stream else None
        if kind == SETTINGS:
            if flags & ACK:
                self.settings_acks += 1
            else:
                self.settings = {key: value for key, value in struct.iter_unpack(">HI", payload)}
                if self.auto_ack:
                    self.send(frame(SETTINGS, ACK))
        elif kind == PING:
            if flags & ACK:
                self.pings.append(payload)
            else:
                self.send(frame(PING, ACK, 0, payload))
        elif kind == GOAWAY:
            self.goaways.append((int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big")))
        elif kind == WINDOW_UPDATE:
            self.window_updates.append((stream, int.from_bytes(payload, "big")))
        elif kind == RST_STREAM:
            answer.code = int.from_bytes(payload, "big")
        elif kind in (HEADERS, CONTINUATION):
            self.sections[stream] = self.sections.get(stream, b"") + payload
            if flags & END_HEADERS:
                fields = Block(self.sections.pop(stream)).fields
                if answer.fields:
                    answer.trailers = fields
                elif dict(fields)[":status"].startswith("1"):
                    answer.interim.append(fields)
                else:
                    answer.fields = fields
            answer.ended = answer.ended or (kind == HEADERS and bool(flags & END_STREAM))
        elif kind == DATA:
            answer.body += payload
            answer.ended = answer.ended or bool(flags & END_STREAM)
            if self.window and payload:
                self.send(window_update(0, len(payload)) +
                          (b"" if answer.ended else window_update(stream, len(payload))))

    def request(self, path="/hello", *fields, body=None, method="GET", host="a", end=True):
        """Sends a request. Returns its stream."""
        stream, self.next = self.next, self.next + 2
        section = get(path, *fields, method=method, scheme=self.scheme, host=host)
        last = END_STREAM if body is None and end else 0
        self.send(frame(HEADERS, END_HEADERS | last, stream, section))
        if body is not None:
            for at in range(0, max(len(body), 1), 16384):
                part = body[at:at + 16384]
                self.send(frame(DATA, END_STREAM if end and at + 16384 >= len(body) else 0, stream, part))
        return stream

    def answer(self, stream):
        """Waits for the end of a stream."""
        while not self.answers.get(stream, Answer()).over:
            self.frame()
        return self.answers[stream]

    def fetch(self, path="/hello", *fields, **options):
        return self.answer(self.request(path, *fields, **options))

    def ping(self, data=b"12345678"):
        """Everything that was sent before has been seen when this returns."""
        count = len(self.pings)
        self.send(frame(PING, 0, 0, data))
        while len(self.pings) == count:
            self.frame()

    def settle(self):
        """Everything that was sent before has been answered, as far as it is answered at once. The first PING may
        overtake answers, the second one comes when they are out."""
        self.ping()
        self.ping()

    def end(self):
        """Reads until the server closes. Returns the code of the last GOAWAY, None without one."""
        try:
            while True:
                self.frame()
        except (Closed, ConnectionResetError, BrokenPipeError):
            pass
        return self.goaways[-1][1] if self.goaways else None

    def push(self, data):
        """Sends although the server may have closed already."""
        try:
            self.send(data)
        except (ConnectionResetError, BrokenPipeError):
            pass
        return self


__all__ = [name for name in dir() if not name.startswith("_") and name != "suite"]
