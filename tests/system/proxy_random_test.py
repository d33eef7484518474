"""Random clients before a random origin, through a proxy: a response that is framed as whole is whole and its own, no
POST arrives twice, and nothing is left over. CAF_APP_SEED repeats a run, CAF_APP_SECONDS makes it longer."""
import os
import random
import threading
import time
import unittest

from support import suite
from support.node import Node
from support.origin import OK, Origin, config, route, upstream
from support.suite import eventually
from support.wire import Closed, Wire

SEED = int(os.environ.get("CAF_APP_SEED", "1"))
SECONDS = float(os.environ.get("CAF_APP_SECONDS", "4"))
CLIENTS = 12


def body_of(path, size):
    return (path.encode() * (size // len(path) + 1))[:size]


class Moods:
    """What the origin does with a request; the path names it: /<number>/<size>/<mood>."""

    def __call__(self, connection, request):
        _, number, size, mood = request.path.split("/")
        body = body_of(request.path, int(size))
        return getattr(self, mood)(connection, request, body)

    @staticmethod
    def length(connection, request, body):
        connection.send(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return True

    @staticmethod
    def pieces(connection, request, body):
        connection.send(b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"Content-Length: %d\r\n\r\n" % len(body))
        for at in range(0, len(body), 40_000):
            connection.send(body[at:at + 40_000])
            time.sleep(0.001)
        return True

    @staticmethod
    def chunks(connection, request, body):
        connection.send(OK + b"Transfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(body), 30_000):
            piece = body[at:at + 30_000]
            connection.send(b"%x\r\n" % len(piece) + piece + b"\r\n")
        connection.send(b"0\r\nX-T: 1\r\n\r\n")
        return True

    def closing(self, connection, request, body):
        self.length(connection, request, body)
        return False

    @staticmethod
    def until_close(connection, request, body):
        connection.send(OK + b"\r\n" + body)
        return False

    @staticmethod
    def early(connection, request, body):
        connection.send(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        return False

    @staticmethod
    def nothing(connection, request, body):
        return False

    @staticmethod
    def resets(connection, request, body):
        connection.reset()
        return False

    @staticmethod
    def short(connection, request, body):
        connection.send(OK + b"Content-Length: %d\r\n\r\n" % (len(body) + 1) + body)
        return False

    @staticmethod
    def short_chunk(connection, request, body):
        connection.send(OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (len(body) + 1) + body)
        connection.reset()
        return False

    @staticmethod
    def extra(connection, request, body):
        connection.send(OK + b"Content-Length: %d\r\n\r\n" % len(body) + body + OK + b"Content-Length: 4\r\n\r\nevil")
        return True

    @staticmethod
    def garbage(connection, request, body):
        connection.send(b"\x00\xff" + body)
        return False


WHOLE = ["length", "length", "length", "pieces", "chunks", "closing", "until_close", "extra"]
BROKEN = ["early", "nothing", "resets", "short", "short_chunk", "garbage"]


class Client:
    def __init__(self, port, number):
        self.port, self.random, self.number = port, random.Random(SEED * 1000 + number), number
        self.count, self.wrong, self.whole, self.cut, self.failed = 0, [], 0, 0, 0

    def run(self, until):
        while time.monotonic() < until:
            with Wire(self.port) as wire:
                for _ in range(self.random.randrange(1, 8)):
                    if not self.exchange(wire):
                        break

    def exchange(self, wire):
        """Returns whether the connection may be used again."""
        choose = self.random
        self.count += 1
        mood = choose.choice(WHOLE if choose.random() < 0.7 else BROKEN)
        size = choose.choice((0, 1, 100, 5_000, 70_000, 400_000))
        path = f"/{self.number}-{self.count}/{size}/{mood}"
        method = choose.choice(("GET", "GET", "POST", "PUT"))
        sent = choose.randbytes(choose.choice((0, 1, 1_000, 100_000))) if method != "GET" else b""
        data = f"{method} {path} HTTP/1.1\r\nHost: a\r\n".encode()
        if choose.random() < 0.5 or not sent:
            data += b"Content-Length: %d\r\n\r\n" % len(sent) + sent
        else:
            data += b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(sent) + sent + b"\r\n0\r\n\r\n"
        leaves = choose.random() < 0.1
        try:
            wire.send(data[:choose.randrange(len(data))] if leaves and choose.random() < 0.5 else data)
            if leaves:
                choose.choice((wire.reset, wire.close))()
                return False
            return self.read(wire, path, size)
        except (Closed, OSError):
            self.cut += 1
            return False

    def read(self, wire, path, size):
        status = 100
        while status < 200:
            head = wire.until(b"\r\n\r\n").lower()
            status = int(head.split(b" ")[1])
        if b"transfer-encoding: chunked" in head:
            got = b""
            while count := int(wire.until(b"\r\n"), 16):
                got += wire.exactly(count)
                wire.exactly(2)
            while wire.until(b"\r\n") != b"\r\n":
                pass
        else:
            got = wire.exactly(int(head.split(b"content-length: ")[1].split()[0]))
        if status != 200:
            self.failed += 1
        elif got != body_of(path, size):
            self.wrong.append((path, len(got), got[:60]))
        else:
            self.whole += 1
        return b"connection: close" not in head


class Chaos(unittest.TestCase):
    def test_nothing_is_mixed_up_sent_twice_or_left_over(self):
        print(f"seed {SEED}", flush=True)
        moods = Moods()
        with Origin({"*": moods}) as origin, Origin({"*": moods}) as other:
            servers = [f"http://127.0.0.1:{one.port}" for one in (origin, other)]
            node = Node(config(route("/", 'proxy = "u"'), upstream("u", servers, "eject_fails = 0\nmax_conns = 8")))
            self.addCleanup(node.close)
            clients = [Client(node.port(), number) for number in range(CLIENTS)]
            until = time.monotonic() + SECONDS
            threads = [threading.Thread(target=client.run, args=(until,)) for client in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual([client.wrong for client in clients if client.wrong], [])
            posts = [r.path for r in origin.requests + other.requests if r.method == "POST"]
            self.assertEqual(len(posts), len(set(posts)))
            self.assertGreater(sum(client.whole for client in clients), 100)
            self.assertGreater(sum(client.cut for client in clients), 10)
            self.assertGreater(sum(client.failed for client in clients), 10)
            for gauge in ('caf_http_upstream_connections{upstream="u",state="active"}', 'caf_http_upstream_queue{upstream="u"}',
                          'caf_http_requests_in_flight{state="upstream"}'):
                eventually(lambda: node.metrics()[gauge] == 0, f"{gauge} is 0")
            self.assertEqual(node.metric("caf_http_connection_crashes_total"), 0)
            self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    suite.main()
