"""The connections to upstreams: kept and reused, replaced when stale, balanced, ejected, checked, bounded."""
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from support import suite
from support.load import Load
from support.node import Node, free_port
from support.origin import OK, Origin, answer, config, echo, raw, route, slow, upstream
from support.suite import eventually
from support.wire import Wire, fetch, request


class Pools(unittest.TestCase):
    def serve(self, scripts, extra="", rest="", servers=1):
        origins = [Origin(dict(scripts)) for _ in range(servers)]
        for origin in origins:
            self.addCleanup(origin.close)
        node = Node(config(route("/", 'proxy = "u"\n' + rest),
                           upstream("u", [f"http://127.0.0.1:{origin.port}" for origin in origins], extra)))
        self.addCleanup(node.close)
        return (node, *origins)

    def test_connections_are_kept_and_reused(self):
        node, origin = self.serve({"*": answer()})
        with Wire(node.port()) as wire:
            for _ in range(50):
                self.assertEqual(wire.get("/").body, b"ok")
        self.assertEqual(origin.connections, 1)

    def test_a_connection_that_closed_while_idle_is_not_used(self):
        node, origin = self.serve({"*": answer(keep=False)})
        idle = 'caf_http_upstream_connections{upstream="u",state="idle"}'
        for _ in range(5):
            self.assertEqual(fetch(node.port(), "/", method="POST", body=b"x").status, 200)
            eventually(lambda: node.metrics()[idle] == 0, "its end is seen")
        self.assertEqual(len(origin.requests), 5)
        for _ in range(30):  # its end may come while a request is under way
            self.assertEqual(fetch(node.port(), "/").status, 200)

    def test_what_comes_on_an_idle_connection_is_nobodys_answer(self):
        def says_more(connection, request):
            connection.send(OK + b"Content-Length: 2\r\n\r\nok")
            time.sleep(0.02)
            connection.send(OK + b"Content-Length: 4\r\n\r\nevil")
            return True
        node, origin = self.serve({"*": says_more})
        idle = 'caf_http_upstream_connections{upstream="u",state="idle"}'
        for _ in range(3):
            self.assertEqual(fetch(node.port(), "/").body, b"ok")
            eventually(lambda: node.metrics()[idle] == 0, "the connection is dropped")
        self.assertEqual(origin.connections, 3)

    def test_a_stale_connection_is_replaced_for_get_and_never_for_post(self):
        """The origin closes a kept connection when its second request arrives, without a byte."""
        def second_fails():
            served = {}

            def script(connection, request):
                served[connection] = served.get(connection, 0) + 1
                if served[connection] > 1:
                    return False
                connection.send(OK + b"Content-Length: 2\r\n\r\nok")
                return True
            return script
        node, origin = self.serve({"*": second_fails()}, "eject_fails = 0\nretry_budget = 0.0\nretries = 0")
        self.assertEqual([fetch(node.port(), "/get").status for _ in range(100)], [200] * 100)
        statuses = [fetch(node.port(), "/post", method="POST", body=b"x").status for _ in range(10)]
        self.assertIn(502, statuses)
        self.assertEqual(len(origin.seen("/post")), 10)

    def test_requests_go_to_the_next_server(self):
        node, origin = self.serve({"*": answer()}, "retries = 1\nretry_budget = 1.0\neject_fails = 3")
        dead = free_port()
        node.write(config(route("/", 'proxy = "u"'),
                          upstream("u", [f"http://127.0.0.1:{dead}", f"http://127.0.0.1:{origin.port}"],
                                   "retry_budget = 1.0\neject_fails = 3")))
        node.ctl("reload")
        eventually(lambda: fetch(node.port(), "/").status == 200, "the reload")
        self.assertEqual([fetch(node.port(), "/", method="POST", body=b"x").status for _ in range(30)], [200] * 30)
        self.assertEqual(node.metric("caf_http_upstream_retries_total") >= 3, True)

    def test_a_server_is_left_alone_after_failures(self):
        node, good, bad = self.serve({"*": answer()}, "eject_fails = 3\neject_time = \"60s\"\nretries = 0", servers=2)
        bad.scripts["*"] = raw(b"")
        statuses = [fetch(node.port(), "/").status for _ in range(40)]
        self.assertEqual(statuses.count(502), 3)
        self.assertEqual(set(statuses), {200, 502})

    def test_a_full_upstream_queues_and_refuses(self):
        release = threading.Event()

        def held(connection, request):
            release.wait(20)
            connection.send(OK + b"Content-Length: 2\r\n\r\nok")
            return True
        node, origin = self.serve({"*": held}, 'max_conns = 2\nqueue = 3\nqueue_timeout = "20s"')
        wires = [Wire(node.port()).send(request("/")) for _ in range(5)]
        eventually(lambda: node.metric("caf_http_upstream_queue") == 3, "three wait")
        refused = fetch(node.port(), "/")
        self.assertEqual((refused.status, refused.field("retry-after")), (503, "1"))
        release.set()
        for wire in wires:
            self.assertEqual(wire.response().body, b"ok")
            wire.close()

    def test_only_so_many_connections_stay(self):
        node, origin = self.serve({"*": slow([OK + b"Content-Length: 2\r\n\r\nok"], 0.2, keep=True)}, "keepalive = 2")
        idle = 'caf_http_upstream_connections{upstream="u",state="idle"}'
        for clients, stay in ((1, 1), (2, 2), (3, 2)):
            wires = [Wire(node.port()).send(request("/")) for _ in range(clients)]
            for wire in wires:
                self.assertEqual(wire.response().status, 200)
                wire.close()
            eventually(lambda: node.metrics()[idle] == stay, f"{stay} are kept")

    def test_an_idle_connection_ends_in_time(self):
        node, origin = self.serve({"*": answer()}, 'keepalive_idle = "200ms"')
        idle = 'caf_http_upstream_connections{upstream="u",state="idle"}'
        with Wire(node.port()) as wire:
            self.assertEqual([wire.get("/").status for _ in range(3)], [200] * 3)
        eventually(lambda: node.metrics()[idle] == 0, "it is gone")
        self.assertEqual(fetch(node.port(), "/").status, 200)
        self.assertEqual(origin.connections, 2)

    def test_who_waits_too_long_is_refused(self):
        node, origin = self.serve({"*": slow([OK + b"Content-Length: 2\r\n\r\nok"], 3, keep=True)},
                                  'max_conns = 1\nqueue_timeout = "300ms"')
        with Wire(node.port()) as first, Wire(node.port()) as second:
            first.send(request("/"))
            eventually(lambda: origin.requests, "the first is served")
            self.assertEqual(second.get("/").status, 503)

    def test_a_unix_socket(self):
        node, _ = self.serve({"*": answer()})
        path = node.folder / "origin.sock"
        with Origin({"*": echo}, unix=path) as origin:
            node.write(config(route("/", 'proxy = "u"'), upstream("u", [f"unix:{path}"])))
            node.ctl("reload")
            eventually(lambda: b"Host: localhost" in fetch(node.port(), "/").body, "the socket is used")
            del origin

    def test_checks_take_a_server_out_and_bring_it_back(self):
        node, good, bad = self.serve({"*": answer()}, 'health = { path = "/health", period = "20ms", rise = 2, fall = 2 }',
                                     servers=2)
        bad.scripts["/health"] = answer(status="500 Internal Server Error")
        eventually(lambda: "a server is down" in node.log(), "the server is down")
        before = len(bad.seen("/"))
        for _ in range(20):
            self.assertEqual(fetch(node.port(), "/").status, 200)
        self.assertEqual(len(bad.seen("/")), before)
        del bad.scripts["/health"]
        eventually(lambda: "a server is up again" in node.log(), "the server is up again")
        for _ in range(20):
            self.assertEqual(fetch(node.port(), "/").status, 200)
        self.assertGreater(len(bad.seen("/")), before)

    def test_the_same_path_goes_to_the_same_server(self):
        node, *origins = self.serve({"*": answer()}, 'balance = "hash:path"', servers=3)
        for i in range(60):
            self.assertEqual(fetch(node.port(), f"/{i % 20}").status, 200)
        for i in range(20):
            self.assertEqual(sorted(len(origin.seen(f"/{i}")) for origin in origins), [0, 0, 3])
        self.assertTrue(all(origin.requests for origin in origins))

    def test_a_name_with_an_address_that_nobody_serves(self):
        """localhost is ::1 and 127.0.0.1 on most machines; the origin has only the latter."""
        node, origin = self.serve({"*": answer()})
        node.write(config(route("/", 'proxy = "u"'), upstream("u", [f"http://localhost:{origin.port}"], "keepalive = 0")))
        node.ctl("reload")
        seen = len(origin.requests)
        self.assertEqual([fetch(node.port(), "/", method="POST", body=b"x").status for _ in range(20)], [200] * 20)
        self.assertEqual(len(origin.requests) - seen, 20)

    def test_a_route_has_its_own_patience(self):
        node, origin = self.serve({"*": slow([OK + b"Content-Length: 2\r\n\r\nok"], 3)}, rest='timeout = "200ms"')
        began = time.monotonic()
        self.assertEqual(fetch(node.port(), "/").status, 504)
        self.assertLess(time.monotonic() - began, 2)

    def test_an_upstream_that_takes_nothing(self):
        held = threading.Event()
        self.addCleanup(held.set)
        node, origin = self.serve({"*": answer()}, 'read_timeout = "300ms"', rest='max_body = "64MiB"')
        origin.scripts["*"] = lambda connection, request: held.wait(30) and False
        with Wire(node.port()) as wire:
            wire.send(b"POST /no-read HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n")
            sender = threading.Thread(target=self.push, args=(wire, 50_000_000), daemon=True)
            sender.start()
            self.assertEqual(wire.response().status, 504)
        sender.join()

    @staticmethod
    def push(wire, count):
        try:
            for _ in range(count // 65536):
                wire.socket.sendall(b"x" * 65536)
        except OSError:
            pass

    def test_reloads_under_load_lose_nothing(self):
        node, one, two = self.serve({"*": answer()}, servers=2)
        with Load(node.port(), "/") as load:
            for i in range(40):
                servers = [f"http://127.0.0.1:{origin.port}" for origin in (one, two)][:1 + i % 2]
                node.write(config(route("/", 'proxy = "u"'), upstream("u", servers, f"max_conns = {100 + i}")))
                node.signal(1)
                before = load.count
                eventually(lambda: load.count > before + 5, "requests go on")
        self.assertEqual((load.lost, load.refused, set(load.answered)), ([], 0, {200}))
        self.assertEqual(node.stop(), 0)


class Names(unittest.TestCase):
    """A server is known by a name, whose address changes: /etc/hosts is another file for this node."""

    @classmethod
    def setUpClass(cls):
        cls.namespace = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)), "sh", "-c")
        if subprocess.run([*cls.namespace, "mount --bind /etc/hosts /etc/hosts"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("no mount namespaces here")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        self.addCleanup(folder.cleanup)
        self.hosts = pathlib.Path(folder.name) / "hosts"
        self.old = Origin({"*": answer(b"old")})
        self.addCleanup(self.old.close)
        self.name("127.0.0.1")
        self.new = Origin({"*": answer(b"new")}, address=("127.0.0.2", self.old.port))
        self.addCleanup(self.new.close)

    def name(self, address):
        self.hosts.write_text(f"127.0.0.1 localhost\n{address} origin.test\n")

    def serve(self, extra):
        node = Node(config(route("/", 'proxy = "u"'),
                           upstream("u", [f"http://origin.test:{self.old.port}"], extra)),
                    prefix=(*self.namespace, 'mount --bind "$0" /etc/hosts && exec "$@"', self.hosts))
        self.addCleanup(node.close)
        self.assertEqual(fetch(node.port(), "/").body, b"old")
        return node

    def move(self):
        self.name("127.0.0.2")
        self.old.close()
        self.old.hang_up()

    def test_a_server_that_fails_is_looked_up_again(self):
        node = self.serve("eject_fails = 0")
        self.move()
        eventually(lambda: fetch(node.port(), "/").body == b"new", "the new address is used", 10)

    def test_a_server_that_is_down_is_looked_up_again(self):
        node = self.serve('health = { path = "/up", period = "200ms", timeout = "1s", rise = 1, fall = 1 }')
        self.move()
        eventually(lambda: fetch(node.port(), "/").body == b"new", "the check finds the new address", 10)

    def test_a_name_that_is_none_keeps_the_last_address(self):
        node = self.serve("eject_fails = 0\nkeepalive = 0")
        self.hosts.write_text("127.0.0.1 localhost\n")
        self.old.scripts["*"] = raw(b"")
        for _ in range(3):
            self.assertEqual(fetch(node.port(), "/").status, 502)
            time.sleep(0.5)
        self.old.scripts["*"] = answer(b"old")
        self.assertEqual(fetch(node.port(), "/").body, b"old")


if __name__ == "__main__":
    suite.main()
