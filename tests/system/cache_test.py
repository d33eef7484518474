"""The cache in front of an origin that says what it wants: what is stored, shared, validated, purged."""
import email.utils
import json
import socket
import struct
import subprocess
import threading
import time
import unittest

from support import suite
from support.node import CLUSTER, Node, http_section
from support.origin import Origin, answer
from support.scaled import Scaled
from support.suite import eventually
from support.web import fetch

CACHE = """
[http.cache]
size = "4MiB"
max_object = "256KiB"
"""


class Cached(unittest.TestCase):
    cache = CACHE
    route = ""

    def setUp(self):
        self.answers = {}  # path -> function(request) -> (status, fields, content)
        self.seen = []
        self.lock = threading.Lock()
        self.origin = Origin({"*": self.serve})
        self.addCleanup(self.origin.close)
        self.node = Node(self.config())
        self.addCleanup(self.node.close)
        self.port = self.node.port()

    def config(self):
        return (CLUSTER + http_section(extra="h2c = true") + self.cache +
                f'[[http.upstream]]\nname = "o"\nservers = ["http://127.0.0.1:{self.origin.port}"]\n'
                'eject_fails = 0\n[[http.site]]\nhost = "*"\n[[http.site.route]]\npath = "/"\nproxy = "o"\n'
                f'cache = true\n{self.route}\n'
                '[[http.site.route]]\npath = "/greet.txt"\nactor = "greeter"\nface = "http"\ncache = true\n')

    def serve(self, connection, request):
        with self.lock:
            self.seen.append(request)
        answer = self.answers.get(request.path.split("?")[0])
        if answer is None:
            return False
        status, fields, content = answer(request) if callable(answer) else answer
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        bodiless = request.method == "HEAD" or status == 304
        length = "" if status == 304 else f"Content-Length: {len(content)}\r\n"
        connection.send(f"HTTP/1.1 {status} X\r\n{lines}{length}\r\n".encode() + (b"" if bodiless else content))
        return True

    def requests(self, path):
        with self.lock:
            return [request for request in self.seen if request.path == path]

    def get(self, path, method="GET", **fields):
        return fetch(self.port, path, method, {name.replace("_", "-"): value for name, value in fields.items()})

    def status(self, got):
        return got.field("cache-status")

    def at_once(self, path, count, fields=lambda number: {}):
        results = [None] * count

        def one(number):
            results[number] = fetch(self.port, path, fields=fields(number))
        threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results


class Hits(Cached):
    def test_what_is_stored_is_served(self):
        self.answers["/a"] = (200, [("Cache-Control", "max-age=60"), ("Content-Type", "text/x"), ("X-A", "1"),
                                    ("Date", email.utils.formatdate(time.time() - 5, usegmt=True))], b"hello")
        first, second = self.get("/a"), self.get("/a")
        self.assertEqual(self.status(first).split(";")[1], " fwd=uri-miss")
        self.assertIn("stored", self.status(first))
        self.assertTrue(self.status(second).startswith("caf_app; hit; ttl="), self.status(second))
        self.assertEqual((second.status, second.body, second.field("x-a")), (200, b"hello", "1"))
        self.assertEqual(second.field("content-type"), "text/x")
        self.assertEqual(second.field("date"), first.field("date"))
        self.assertIsNotNone(second.field("age"))
        self.assertEqual(len(self.requests("/a")), 1)
        self.assertGreaterEqual(self.node.metrics()['caf_http_cache_requests_total{result="hit"}'], 1)
        self.assertGreater(self.node.metric("caf_http_cache_bytes"), 0)

    def test_HEAD_and_ranges_come_from_the_whole(self):
        self.answers["/r"] = (200, [("Cache-Control", "max-age=60"), ("ETag", '"v1"')], b"0123456789")
        self.get("/r")
        head = self.get("/r", "HEAD")
        self.assertEqual((head.status, head.field("content-length"), head.body), (200, "10", b""))
        part = self.get("/r", Range="bytes=2-4")
        self.assertEqual((part.status, part.body, part.field("content-range")), (206, b"234", "bytes 2-4/10"))
        two = self.get("/r", Range="bytes=0-0,9-9")
        self.assertEqual(two.status, 206)
        self.assertIn("multipart/byteranges", two.field("content-type"))
        self.assertIn(b"bytes 9-9/10\r\n\r\n9\r\n", two.body)
        self.assertEqual(self.get("/r", Range="bytes=10-").status, 416)
        self.assertEqual(self.get("/r", Range="bytes=2-4", If_Range='"v0"').status, 200)
        self.assertEqual(self.get("/r", If_None_Match='"v1"').status, 304)
        self.assertEqual(self.get("/r", If_None_Match='"v2"').status, 200)
        self.assertEqual(len(self.requests("/r")), 1)

    def test_a_part_of_the_unknown_passes(self):
        self.answers["/p"] = lambda request: (206, [("Content-Range", "bytes 0-1/4"), ("Cache-Control", "max-age=60")],
                                              b"ab") if request.field("range") else \
            (200, [("Cache-Control", "max-age=60")], b"abcd")
        part = self.get("/p", Range="bytes=0-1")
        self.assertEqual((part.status, part.body), (206, b"ab"))
        self.assertIn("fwd=partial", self.status(part))
        self.assertEqual(self.get("/p").body, b"abcd")  # the part was not stored
        self.assertEqual(len(self.requests("/p")), 2)

    def test_a_condition_fetches_the_whole(self):
        self.answers["/c"] = (200, [("Cache-Control", "max-age=60"), ("ETag", '"v1"')], b"whole")
        self.assertEqual(self.get("/c", If_None_Match='"v1"').status, 304)
        self.assertIsNone(self.requests("/c")[0].field("if-none-match"))
        self.assertEqual(self.get("/c").body, b"whole")
        self.assertEqual(len(self.requests("/c")), 1)

    def test_what_may_not_be_stored(self):
        for number, fields in enumerate(([("Cache-Control", "no-store")], [("Cache-Control", "private")],
                                         [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")],
                                         [("Cache-Control", "max-age=60"), ("Vary", "*")], [])):
            path = f"/n{number}"
            self.answers[path] = (200, fields, b"x")
            for _ in range(2):
                got = self.get(path)
                self.assertEqual(got.body, b"x")
                self.assertNotIn("stored", self.status(got))
            self.assertEqual(len(self.requests(path)), 2, fields)

    def test_variants(self):
        self.answers["/v"] = lambda request: (200, [("Cache-Control", "max-age=60"), ("Vary", "X-Lang")],
                                              (request.field("x-lang") or "none").encode())
        for _ in range(2):
            for lang in ("de", "en"):
                self.assertEqual(self.get("/v", X_Lang=lang).body, lang.encode())
            self.assertEqual(self.get("/v").body, b"none")
        self.assertEqual(len(self.requests("/v")), 3)

    def test_hosts_do_not_mix(self):
        self.answers["/h"] = lambda request: (200, [("Cache-Control", "max-age=60")],
                                              (request.field("x-forwarded-host") or "").encode())
        for _ in range(2):
            for host in ("a.test", "b.test", "a.test:81"):
                self.assertEqual(self.get("/h", Host=host).body.decode().split(":")[0], host.split(":")[0])
        self.assertEqual(len(self.requests("/h")), 3)

    def test_what_a_proxy_before_says_does_not_mix(self):
        self.node.write(self.config().replace("h2c = true", 'h2c = true\ntrusted_proxies = ["127.0.0.1"]'))
        self.node.ctl("reload")
        self.answers["/f"] = lambda request: (200, [("Cache-Control", "max-age=60")], " ".join(
            [request.field("x-forwarded-proto"), request.field("x-forwarded-host"), request.field("forwarded")]).encode())
        ways = ({}, {"X_Forwarded_Proto": "https"}, {"X_Forwarded_Host": "b.org"}, {"Forwarded": "for=1.1.1.1;proto=https"},
                {"Forwarded": "for=1.1.1.1;host=b.org"})
        first = [self.get("/f", **way).body for way in ways]
        self.assertEqual(len(set(first)), len(ways))
        self.assertEqual([self.get("/f", X_Forwarded_For="9.9.9.9", **way).body for way in ways], first)
        self.assertEqual(self.get("/f", Forwarded="for=2.2.2.2;proto=https").body, first[3])
        self.assertEqual(len(self.requests("/f")), len(ways))

    def test_authorization(self):
        self.answers["/s"] = (200, [("Cache-Control", "max-age=60")], b"mine")
        self.answers["/t"] = (200, [("Cache-Control", "public, max-age=60")], b"all")
        for _ in range(2):
            self.get("/s", Authorization="Basic x")
            self.get("/t", Authorization="Basic x")
        self.assertEqual((len(self.requests("/s")), len(self.requests("/t"))), (2, 1))

    def test_a_large_response_passes(self):
        for size in (256 * 1024, 256 * 1024 + 1):
            path = f"/l{size}"
            self.answers[path] = (200, [("Cache-Control", "max-age=60")], b"x" * size)
            for _ in range(2):
                got = self.get(path)
                self.assertEqual((len(got.body), got.whole), (size, True))
            self.assertEqual(len(self.requests(path)), 1 if size == 256 * 1024 else 2)

    def test_an_actor_route(self):
        for _ in range(2):
            got = self.get("/greet.txt?name=x")
            self.assertEqual(got.status, 200)
        self.assertIn("caf_app;", self.status(got))


class Validation(Cached):
    def test_a_304_makes_it_fresh(self):
        def answer(request):
            if request.field("if-none-match") == '"v1"':
                return 304, [("Cache-Control", "max-age=60"), ("X-New", "1")], b""
            return 200, [("Cache-Control", "max-age=0"), ("ETag", '"v1"')], b"content"
        self.answers["/e"] = answer
        self.get("/e")
        second = self.get("/e")
        self.assertEqual((second.status, second.body, second.field("x-new")), (200, b"content", "1"))
        self.assertIn("fwd=stale; fwd-status=304", self.status(second))
        self.assertIn("hit", self.status(self.get("/e")))
        self.assertEqual(len(self.requests("/e")), 2)

    def test_a_client_may_insist(self):
        self.answers["/i"] = lambda request: (304, [], b"") if request.field("if-none-match") else \
            (200, [("Cache-Control", "max-age=60"), ("ETag", '"v1"')], b"x")
        self.get("/i")
        self.assertIn("fwd=request", self.status(self.get("/i", Cache_Control="no-cache")))
        self.assertIn("fwd=request", self.status(self.get("/i", Cache_Control="max-age=0")))
        self.assertEqual(len(self.requests("/i")), 3)

    def test_only_if_cached(self):
        self.answers["/o"] = (200, [("Cache-Control", "max-age=60")], b"x")
        self.assertEqual(self.get("/o", Cache_Control="only-if-cached").status, 504)
        self.get("/o")
        self.assertEqual(self.get("/o", Cache_Control="only-if-cached").body, b"x")
        self.assertEqual(len(self.requests("/o")), 1)

    def test_errors(self):
        state = {"status": 200}

        def answer(control):
            return lambda request: (state["status"], [("Cache-Control", control), ("ETag", '"v"')], b"x")
        self.answers["/soft"] = answer("max-age=0, stale-if-error=60")
        self.answers["/hard"] = answer("max-age=0, must-revalidate, stale-if-error=60")
        self.answers["/plain"] = answer("max-age=0")
        self.answers["/bare"] = lambda request: (  # nothing to validate it with
            state["status"], [("Cache-Control", "max-age=0, stale-if-error=60")], b"x")
        for path in self.answers:
            self.get(path)
        state["status"] = 503
        soft = self.get("/soft")
        self.assertEqual((soft.status, soft.body), (200, b"x"))
        self.assertIn("fwd-status=503", self.status(soft))
        self.assertEqual(self.get("/bare").status, 200)
        self.assertEqual(self.get("/plain").status, 503)
        self.assertEqual(self.get("/hard").status, 503)  # that is the origin's own word
        self.origin.close()
        self.answers.clear()
        eventually(lambda: self.get("/plain").status == 502, "the origin is gone")
        self.assertEqual(self.get("/soft").status, 200)
        self.assertEqual(self.get("/hard").status, 504)

    def test_a_stale_response_is_fetched_anew_meanwhile(self):
        version, release = [1], threading.Event()

        def answer(request):
            if version[0] > 1:
                release.wait(suite.PATIENCE)
            return 200, [("Cache-Control", "max-age=1, stale-while-revalidate=60")], b"v%d" % version[0]
        self.answers["/w"] = answer
        self.get("/w")
        version[0] = 2
        time.sleep(1.1)
        for _ in range(3):
            self.assertEqual(self.get("/w").body, b"v1")
        eventually(lambda: len(self.requests("/w")) == 2, "one fetch is under way")
        release.set()
        eventually(lambda: self.get("/w").body == b"v2", "the new one is served")
        self.assertEqual(len(self.requests("/w")), 2)
        counted = self.node.metrics()
        self.assertEqual(counted['caf_http_cache_requests_total{result="miss"}'], 1)  # the first one only
        self.assertGreaterEqual(counted['caf_http_cache_requests_total{result="stale"}'], 3)

    def test_a_refresh_shows_nobody_what_another_was_told(self):
        def answer(control):
            return lambda request: (200, [("Cache-Control", f"max-age=0, stale-while-revalidate=60{control}")],
                                    (request.field("authorization") or request.field("x-me") or "all").encode())
        self.answers["/w"] = answer("")
        self.answers["/p"] = answer(", public")
        for path in ("/w", "/p"):
            self.get(path)
        for fields in ({"Authorization": "mine"}, {"X_Me": "mine", "Cache_Control": "no-store"}):
            self.assertEqual(self.get("/w", **fields).body, b"all")  # stale, as it is
        self.assertEqual(self.get("/p", Authorization="shared").body, b"all")
        eventually(lambda: self.get("/p").body == b"shared", "what is public is refreshed by anybody")
        self.assertEqual(len(self.requests("/w")), 1)
        self.assertEqual(self.get("/w").body, b"all")
        eventually(lambda: len(self.requests("/w")) == 2, "the next one refreshes it")


class Log(Cached):
    """What the access log says of each request, which is what the metrics count."""

    log_format = "json"

    def config(self):
        return super().config().replace("[http]\n", f'[http]\naccess_log = "access.log"\naccess_format = "{self.log_format}"\n', 1)

    def lines(self, count):
        log = self.node.folder / "access.log"
        return eventually(lambda: log.exists() and len(log.read_text().splitlines()) == count
                          and log.read_text().splitlines(), f"{count} lines")

    def ask(self):
        """One request of each kind. @returns what each should be called"""
        self.answers["/a"] = (200, [("Cache-Control", "max-age=60")], b"x")
        self.answers["/soft"] = (200, [("Cache-Control", "max-age=0, stale-while-revalidate=60")], b"x")
        self.answers["/tag"] = lambda request: (304, [("Cache-Control", "max-age=0")], b"") \
            if request.field("if-none-match") else (200, [("Cache-Control", "max-age=0"), ("ETag", '"v"')], b"x")
        self.answers["/part"] = (206, [("Content-Range", "bytes 0-0/9")], b"x")
        for path, fields in (("/a", {}), ("/a", {}), ("/soft", {}), ("/soft", {}), ("/tag", {}), ("/tag", {}),
                             ("/part", {"Range": "bytes=0-0"}), ("/none", {"Cache_Control": "only-if-cached"})):
            self.get(path, **fields)
        self.get("/a", "POST")
        return ["miss", "hit", "miss", "stale", "miss", "revalidated", "bypass", "miss", "bypass"]

    def test_each_line_names_it(self):
        wanted = self.ask()
        self.assertEqual([json.loads(line)["cache"] for line in self.lines(len(wanted))], wanted)
        counted = self.node.metrics()
        for name in set(wanted):
            self.assertEqual(counted[f'caf_http_cache_requests_total{{result="{name}"}}'], wanted.count(name), name)


class CombinedLog(Log):
    log_format = "combined"

    def test_each_line_names_it(self):
        wanted = self.ask()
        self.assertEqual([line.split(" ")[-4] for line in self.lines(len(wanted))], wanted)

    def test_HTTP_2_too(self):
        self.answers["/two"] = (200, [("Cache-Control", "max-age=60")], b"x")
        for _ in range(2):
            subprocess.run(["curl", "-sS", "--http2-prior-knowledge", f"http://127.0.0.1:{self.port}/two"], check=True,
                           capture_output=True)
        self.assertEqual([line.split(" ")[-4] for line in self.lines(2)], ["miss", "hit"])


class Together(Cached):
    def test_one_fetch_for_all(self):
        release = threading.Event()

        def answer(request):
            release.wait(suite.PATIENCE)
            return 200, [("Cache-Control", "max-age=60")], b"shared"
        self.answers["/one"] = answer
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.get("/one"))) for _ in range(20)]
        for thread in threads:
            thread.start()
        eventually(lambda: self.requests("/one"), "somebody fetches")
        eventually(lambda: self.node.metrics()['caf_http_connections{proto="h1",state="active"}'] >= 20, "all wait")
        release.set()
        for thread in threads:
            thread.join()
        self.assertEqual({got.body for got in results}, {b"shared"})
        self.assertEqual(len(self.requests("/one")), 1)
        self.assertEqual(sum("collapsed" in self.status(got) for got in results), 19)

    def test_cookies_are_for_one_and_nobody_waits_in_line(self):
        number = [0]

        def answer(request):
            with self.lock:
                number[0] += 1
                mine = number[0]
            time.sleep(0.3)
            return 200, [("Cache-Control", "max-age=60"), ("Set-Cookie", f"id={mine}")], b"%d" % mine
        self.answers["/each"] = answer
        began = time.monotonic()
        results = self.at_once("/each", 20)
        self.assertLess(time.monotonic() - began, 20 * 0.3 / 2)
        self.assertEqual(len({got.field("set-cookie") for got in results}), 20)
        self.assertEqual(len(self.requests("/each")), 20)

    def test_tenants_do_not_see_each_other(self):
        def answer(request):
            time.sleep(0.02)
            tenant = request.field("cookie")
            return 200, [("Cache-Control", "private, max-age=60"), ("Set-Cookie", f"for={tenant}")], tenant.encode()
        self.answers["/tenant"] = answer
        for _ in range(3):
            results = self.at_once("/tenant", 20, lambda number: {"Cookie": f"t{number}"})
            for number, got in enumerate(results):
                self.assertEqual((got.body, got.field("set-cookie")), (f"t{number}".encode(), f"for=t{number}"))

    def test_who_fetches_may_leave(self):
        release = threading.Event()

        def answer(request):
            release.wait(suite.PATIENCE)
            return 200, [("Cache-Control", "max-age=60")], b"x"
        self.answers["/left"] = answer
        with socket.create_connection(("127.0.0.1", self.port)) as leader:
            leader.sendall(b"GET /left HTTP/1.1\r\nHost: a\r\n\r\n")
            eventually(lambda: self.requests("/left"), "it fetches")
            follower = []
            thread = threading.Thread(target=lambda: follower.append(self.get("/left")))
            thread.start()
            time.sleep(0.2)
            leader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        eventually(lambda: len(self.requests("/left")) == 2, "the one who waited fetches")
        release.set()
        thread.join()
        self.assertEqual(follower[0].body, b"x")


class Purges(Cached):
    def purge(self, **what):
        self.node.ctl("publish", "http.cache", json.dumps({"purge": what}))

    def fill(self):
        for path, tag in (("/p/1", "odd, all"), ("/p/2", "all"), ("/q", "other")):
            self.answers[path] = (200, [("Cache-Control", "max-age=60"), ("Cache-Tag", tag)], b"x")
            self.get(path)

    def stored(self):
        return [path for path in ("/p/1", "/p/2", "/q")
                if self.get(path, Cache_Control="only-if-cached").status == 200]

    def test_by_url_prefix_and_tag(self):
        for what, left in (({"url": "/p/1"}, ["/p/2", "/q"]), ({"prefix": "/p/"}, ["/q"]),
                           ({"tag": "all"}, ["/q"]), ({"tag": "odd"}, ["/p/2", "/q"]),
                           ({"url": "http://a/q"}, ["/p/1", "/p/2"]), ({"url": "http://b/q"}, ["/p/1", "/p/2", "/q"])):
            self.fill()
            self.purge(**what)
            eventually(lambda: self.stored() == left, f"{what} leaves {left}")

    def test_a_fetch_begun_before_a_purge_is_not_stored(self):
        release = threading.Event()

        def answer(request):
            release.wait(suite.PATIENCE)
            return 200, [("Cache-Control", "max-age=60")], b"old"
        self.answers["/slow"] = answer
        self.answers["/q"] = (200, [("Cache-Control", "max-age=60")], b"x")
        self.get("/q")
        results = []
        thread = threading.Thread(target=lambda: results.append(self.get("/slow")))
        thread.start()
        eventually(lambda: self.requests("/slow"), "it is fetched")
        self.purge(prefix="/")
        eventually(lambda: self.get("/q", Cache_Control="only-if-cached").status == 504, "the purge was carried out")
        release.set()
        thread.join()
        self.assertEqual(results[0].body, b"old")
        self.assertEqual(self.get("/slow", Cache_Control="only-if-cached").status, 504)

    def test_unsafe_methods_invalidate(self):
        self.fill()
        self.answers["/q"] = (200, [("Location", "/p/1"), ("Content-Location", "http://other/p/2")], b"")
        self.get("/q", "POST")
        self.assertEqual(self.stored(), ["/p/2"])
        self.fill()
        self.answers["/q"] = (400, [("Location", "/p/1")], b"")
        self.get("/q", "DELETE")
        self.assertEqual(self.stored(), ["/p/1", "/p/2", "/q"])


class Instances(unittest.TestCase):
    """Web instances that the scaler has started keep responses of their own, and hear of purges by their node."""

    def test_a_purge_reaches_all(self):
        origin = Origin({"*": answer(b"x", fields="Cache-Control: max-age=60\r\n")})
        self.addCleanup(origin.close)
        site = (f'[[http.upstream]]\nname = "o"\nservers = ["http://127.0.0.1:{origin.port}"]\n'
                '[[http.site]]\nhost = "*"\n[[http.site.route]]\npath = "/"\nproxy = "o"\ncache = true\n')
        with Scaled({"max_instances": "2"}, site=CACHE + site) as node:
            node.scale(2)
            node.wait_count(2)

            def stored():
                return [fetch(node.port(), "/a", fields={"Cache-Control": "only-if-cached"}).status == 200
                        for _ in range(24)]

            def fill():
                for _ in range(24):
                    fetch(node.port(), "/a")
                return all(stored())
            eventually(fill, "both instances have it")
            self.assertEqual(len(origin.seen("/a")), 2)
            node.ctl("publish", "http.cache", '{"purge": {"url": "/a"}}')
            eventually(lambda: not any(stored()), "neither has it any more")


class Off(Cached):
    cache = ""

    def test_without_a_size_nothing_is_stored(self):
        self.answers["/a"] = (200, [("Cache-Control", "max-age=60")], b"x")
        for _ in range(2):
            self.assertIsNone(self.status(self.get("/a")))
        self.assertEqual(len(self.requests("/a")), 2)


if __name__ == "__main__":
    suite.main()
