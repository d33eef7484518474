"""FastCGI as bytes: records, and a responder on a Unix socket that answers as it is told."""
import socket
import struct
import threading

BEGIN, ABORT, END, PARAMS, IN, OUT, ERR = 1, 2, 3, 4, 5, 6, 7


def record(kind, content=b"", padding=0, version=1, identifier=1):
    return struct.pack(">BBHHBB", version, kind, identifier, len(content), padding, 0) + content + b"p" * padding


def end(status=0, code=0):
    return record(END, struct.pack(">IB3x", code, status))


def out(data, size=65535, padding=0):
    return b"".join(record(OUT, data[at:at + size], padding) for at in range(0, len(data), size))


def pairs(data):
    """Name-value pairs as a dictionary; a name that comes twice is an error."""
    result, at = {}, 0

    def length():
        nonlocal at
        value = data[at]
        if value > 127:
            value = struct.unpack_from(">I", data, at)[0] & 0x7fffffff
            at += 3
        at += 1
        return value
    while at < len(data):
        name_size, value_size = length(), length()
        name = data[at:at + name_size].decode()
        if name in result:
            raise AssertionError(f"{name} came twice")
        result[name] = data[at + name_size:at + name_size + value_size].decode("latin-1")
        at += name_size + value_size
    return result


class Request:
    def __init__(self):
        self.flags, self.params, self.body, self.aborted, self.records = None, b"", b"", False, []

    @property
    def variables(self):
        return pairs(self.params)


class Responder:
    """`answer` is bytes to send, or a function(socket, request) that sends itself; `keep` tells whether the
    connection goes on afterwards."""

    def __init__(self, path, backlog=64, accepts=True):
        self.answer, self.keep, self.slice = b"", True, 0
        self.requests, self.connections = [], 0
        if path is None:  # TCP, at a free port
            self.server = socket.create_server(("127.0.0.1", 0), backlog=backlog)
            self.address = "fcgi://127.0.0.1:%d" % self.server.getsockname()[1]
        else:
            self.server = socket.socket(socket.AF_UNIX)
            self.server.bind(str(path))
            self.server.listen(backlog)
            self.address = f"unix:{path}"
        if accepts:
            self.begin()

    def begin(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    @staticmethod
    def exactly(client, count):
        data = b""
        while len(data) < count:
            piece = client.recv(count - len(data))
            if not piece:
                raise OSError("ended")
            data += piece
        return data

    def read_record(self, client, request):
        version, kind, _, length, padding, _ = struct.unpack(">BBHHBB", self.exactly(client, 8))
        content = self.exactly(client, length)
        self.exactly(client, padding)
        assert version == 1
        request.records.append((kind, length))
        if kind == BEGIN:
            request.flags = content[2]
        elif kind == PARAMS:
            request.params += content
        elif kind == IN:
            request.body += content
        elif kind == ABORT:
            request.aborted = True
        return kind, length

    def read_request(self, client):
        request = Request()
        while True:
            kind, length = self.read_record(client, request)
            if kind == IN and length == 0:
                return request

    def serve(self, client):
        try:
            while True:
                request = self.read_request(client)
                answer, keep = self.answer, self.keep  # the test may go on as soon as it has its answer
                self.requests.append(request)
                if callable(answer):
                    answer(client, request)
                else:
                    size = self.slice or max(len(answer), 1)
                    for at in range(0, len(answer), size):
                        client.sendall(answer[at:at + size])
                if not keep:
                    return
        except OSError:
            pass
        finally:
            client.close()

    def close(self):
        try:
            self.server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.server.close()
