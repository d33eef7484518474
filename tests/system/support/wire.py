"""HTTP/1.1 as bytes: a socket, requests as they are written on paper, responses taken apart strictly."""
import random
import select
import socket
import struct

from support import suite


class Closed(Exception):
    """The server ended the connection where a response was expected. `text` is what came of it."""

    def __init__(self, text=b""):
        super().__init__(f"closed after {text!r}")
        self.text = text


class Response:
    def __init__(self, status, fields, body, raw):
        self.status = status
        self.fields = fields  # (name in lower case, value)
        self.body = body
        self.raw = raw

    def field(self, name):
        """Value, None without such a field; a repeated one is an error."""
        values = [value for key, value in self.fields if key == name.lower()]
        if len(values) > 1:
            raise AssertionError(f"{name} came {len(values)} times")
        return values[0] if values else None

    @property
    def closes(self):
        return (self.field("connection") or "").lower() == "close"


class Wire:
    """One connection. Everything has a deadline."""

    def __init__(self, port, host="127.0.0.1", timeout=suite.PATIENCE):
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)
        return self

    def send_slices(self, data, sizes):
        """Sends slices; the kernel may put small ones together, TCP_NODELAY makes that rare."""
        at = 0
        for size in sizes:
            if at >= len(data):
                break
            self.socket.sendall(data[at:at + size])
            at += size
        self.socket.sendall(data[at:])
        return self

    def finish(self):
        """FIN; input is still received."""
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def reset(self):
        """RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def more(self):
        """Receives something. Returns False at the end of the stream."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def until(self, mark):
        while mark not in self.buffer:
            if not self.more():
                raise Closed(self.buffer)
        head, self.buffer = self.buffer.split(mark, 1)
        return head + mark

    def exactly(self, count):
        while len(self.buffer) < count:
            if not self.more():
                raise Closed(self.buffer)
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def response(self, method="GET"):
        """The next response, interim ones too. Raises Closed if the connection ends first."""
        head = self.until(b"\r\n\r\n")
        lines = head[:-4].split(b"\r\n")
        version, status, _ = lines[0].split(b" ", 2)
        if version != b"HTTP/1.1":
            raise AssertionError(f"bad status line {lines[0]!r}")
        fields = []
        for line in lines[1:]:
            name, value = line.split(b":", 1)
            fields.append((name.decode("ascii").lower(), value.strip(b" \t").decode("latin-1")))
        result = Response(int(status), fields, b"", head)
        if method != "HEAD" and result.status >= 200 and result.status not in (204, 304):
            length = result.field("content-length")
            if length is None:
                raise AssertionError(f"no Content-Length in {head!r}")
            result.body = self.exactly(int(length))
            result.raw += result.body
        return result

    def get(self, path, *fields, method="GET", host="a", body=b""):
        """One exchange."""
        return self.send(request(path, *fields, method=method, host=host, body=body)).response(method)

    def readable(self):
        """Whether something, or the end, is there already."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def has_ended(self):
        """Whether the server has closed already, as far as is known without waiting."""
        if not self.readable():
            return False
        try:
            return not self.socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def at_end(self):
        """Whether the server sends nothing more and closes."""
        while self.more():
            pass
        rest, self.buffer = self.buffer, b""
        if rest:
            raise AssertionError(f"expected the end of the connection, got {rest!r}")
        return True

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ControlWire(Wire):
    """A connection to the control socket of a node."""

    def __init__(self, path, timeout=suite.PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(str(path))
        self.buffer = b""


def request(path, *fields, method="GET", host="a", body=b""):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunked(body, size):
    """The chunked coding of `body` in chunks of `size`."""
    parts = [b"%x\r\n%s\r\n" % (len(body[at:at + size]), body[at:at + size]) for at in range(0, len(body), size)]
    return b"".join(parts) + b"0\r\n\r\n"


def fetch(port, path, *fields, method="GET", host="a", body=b"", timeout=suite.PATIENCE):
    """One exchange on a connection of its own."""
    with Wire(port, timeout=timeout) as wire:
        return wire.get(path, *fields, method=method, host=host, body=body)


def random_sizes(seed, total):
    """Sizes of slices that cover `total` bytes, from a generator of its own."""
    generator = random.Random(seed)
    sizes = []
    while sum(sizes) < total:
        sizes.append(generator.choice((1, 1, 2, 3, 7, 20, 100, 5000)))
    return sizes
