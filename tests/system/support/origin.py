"""An origin that does as it is told: each request is answered by the script of its path."""
import socket
import struct
import threading
import time

from support.node import CLUSTER, http_section

OK = b"HTTP/1.1 200 OK\r\n"


def upstream(name, servers, extra=""):
    listed = ", ".join(server if server.startswith("{") else f'"{server}"' for server in servers)
    return f'\n[[http.upstream]]\nname = "{name}"\nservers = [{listed}]\n{extra}\n'


def route(path, rest):
    return f'\n  [[http.site.route]]\n  path = "{path}"\n  {rest}\n'


def config(routes, upstreams, limits="", extra=""):
    return CLUSTER + http_section(extra=extra, limits=limits) + upstreams + '[[http.site]]\nhost = "*"\n' + routes


class Origin:
    """Listens at `address`, usually on a free port. `scripts`: path -> function(connection, request) that sends bytes and returns whether
    the connection goes on."""

    def __init__(self, scripts, unix=None, address=("127.0.0.1", 0)):
        self.scripts = scripts
        self.requests = []  # (head, body), as they came
        self.connections = 0
        self.clients = set()
        self.lock = threading.Lock()
        if unix:
            self.server = socket.socket(socket.AF_UNIX)
            self.server.bind(str(unix))
            self.server.listen(64)
        else:
            self.server = socket.create_server(address, backlog=256)
            self.port = self.server.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                self.clients.add(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        connection = Connection(client)
        try:
            while True:
                request = connection.read_request()
                if request is None:
                    return
                with self.lock:
                    self.requests.append(request)
                script = self.scripts.get(request.path.split("?")[0], self.scripts.get("*"))
                if not script(connection, request):
                    return
        except OSError:
            pass
        finally:
            with self.lock:
                self.clients.discard(client)
            client.close()

    def hang_up(self):
        """Ends all connections."""
        with self.lock:
            for client in self.clients:
                client.shutdown(socket.SHUT_RDWR)

    def seen(self, path):
        with self.lock:
            return [request for request in self.requests if request.path.split("?")[0] == path]

    def close(self):
        try:
            self.server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.server.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Request:
    def __init__(self, head):
        self.head = head
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, self.version = lines[0].split(" ")
        self.fields = [(name.lower(), value.strip()) for name, value in (line.split(":", 1) for line in lines[1:] if line)]
        self.body = b""

    def field(self, name):
        values = [value for key, value in self.fields if key == name]
        return values[0] if values else None


class Connection:
    def __init__(self, client):
        self.socket = client
        self.buffer = b""

    def more(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def read_head(self):
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                return None
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return Request(head)

    def exactly(self, count):
        while len(self.buffer) < count:
            if not self.more():
                raise OSError("ended")
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def line(self):
        while b"\r\n" not in self.buffer:
            if not self.more():
                raise OSError("ended")
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def read_body(self, request):
        if (request.field("transfer-encoding") or "") == "chunked":
            while True:
                size = int(self.line(), 16)
                if size == 0:
                    while self.line():
                        pass
                    return request
                request.body += self.exactly(size)
                self.exactly(2)
        request.body = self.exactly(int(request.field("content-length") or 0))
        return request

    def read_request(self):
        request = self.read_head()
        if request is None or request.path.startswith("/no-read"):
            return request
        return self.read_body(request)

    def send(self, data):
        self.socket.sendall(data)

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def answer(body=b"ok", status="200 OK", fields="", keep=True):
    """A script that always sends this."""
    def script(connection, request):
        length = f"Content-Length: {len(body)}\r\n"
        connection.send(f"HTTP/1.1 {status}\r\n{fields}{length}\r\n".encode() + (b"" if request.method == "HEAD" else body))
        return keep
    return script


def raw(data, then="close"):
    """A script that sends bytes, then closes, resets, or goes on."""
    def script(connection, request):
        connection.send(data)
        if then == "reset":
            connection.reset()
        return then == "keep"
    return script


def slow(data, pause, keep=False):
    """A script that waits before each of the pieces of `data`."""
    def script(connection, request):
        for piece in data:
            time.sleep(pause)
            connection.send(piece)
        return keep
    return script


def echo(connection, request):
    """A script that answers with the request."""
    body = request.head + b"\n\n" + request.body
    connection.send(OK + b"Content-Length: %d\r\n\r\n" % len(body) + (b"" if request.method == "HEAD" else body))
    return True
