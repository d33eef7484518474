"""What an operator may say about a route: rates, fields, path rules, trusted proxies, half-closed clients; and reloads
that swap all of it under load."""
import gzip
import json
import resource
import unittest

from support import suite
from support.load import Load
from support.node import CLUSTER, Node, http_section
from support.suite import eventually
from support.wire import Wire, fetch, request


def route(path, rest):
    return f'\n  [[http.site.route]]\n  path = "{path}"\n  {rest}\n'


def config(routes, limits="", extra="", headers=""):
    return CLUSTER + http_section(extra=extra, limits=limits) + f'[[http.site]]\nhost = "*"\n{headers}\n' + routes


class Rates(unittest.TestCase):
    def check(self, rule, clients, allowed):
        """Asks as each of `clients` (fields of a request) until refused; all of them may go `allowed` times."""
        with Node(config(route("/r", 'respond = { body = "r" }\n' + rule), extra='trusted_proxies = ["127.0.0.1"]')) as node:
            for fields in clients:
                with Wire(node.port()) as wire:
                    for i in range(allowed):
                        self.assertEqual(wire.get("/r", *fields).status, 200, (fields, i))
                    answer = wire.get("/r", *fields)
                    self.assertEqual(answer.status, 429)
                    self.assertGreater(int(answer.field("retry-after")), 0)
                    self.assertFalse(answer.closes)
                    self.assertEqual(wire.get("/test/block?ms=0").status, 200)
            self.assertEqual(node.metrics()['caf_http_rejected_total{reason="rate"}'], len(clients))

    def test_each_client_has_its_rate(self):
        clients = [()] + [(f"X-Forwarded-For: 192.0.2.{i}",) for i in (1, 2)]
        self.check('rate_limit = "5/h"', clients, 5)

    def test_a_burst_of_its_own(self):
        for burst in (1, 2, 3):
            self.check(f'rate_limit = "1/h"\nrate_burst = {burst}', [()], burst)

    def test_a_network_of_ipv6_is_one_client(self):
        with Node(config(route("/r", 'respond = {}\nrate_limit = "1/h"'), extra='trusted_proxies = ["127.0.0.0/8"]')) as node:
            statuses = [fetch(node.port(), "/r", "X-Forwarded-For: " + client).status
                        for client in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
            self.assertEqual(statuses, [200, 429, 200])

    def test_a_field_is_a_key(self):
        self.check('rate_limit = "2/h"\nrate_key = "header:X-Key"', [("X-Key: a",), ("x-key: b",), ()], 2)

    def test_a_route_has_one_rate(self):
        with Node(config(route("/r", 'respond = {}\nrate_limit = "2/h"\nrate_key = "route"'),
                         extra='trusted_proxies = ["127.0.0.1"]')) as node:
            statuses = [fetch(node.port(), "/r", f"X-Forwarded-For: 192.0.2.{i}").status for i in range(4)]
            self.assertEqual(statuses, [200, 200, 429, 429])

    def test_a_dry_run_refuses_nothing(self):
        with Node(config(route("/r", 'respond = {}\nrate_limit = "2/h"\nrate_dry_run = true'))) as node:
            self.assertEqual([fetch(node.port(), "/r").status for _ in range(5)], [200] * 5)
            self.assertEqual(node.metric("caf_http_rate_dry_run_total"), 3)

    def test_a_rate_survives_a_reload(self):
        routes = route("/r", 'respond = {}\nrate_limit = "2/h"')
        with Node(config(routes)) as node:
            self.assertEqual([fetch(node.port(), "/r").status for _ in range(3)], [200, 200, 429])
            node.write(config(routes + route("/new", "respond = {}")))
            node.ctl("reload")
            eventually(lambda: fetch(node.port(), "/new").status == 200, "the reload")
            self.assertEqual(fetch(node.port(), "/r").status, 429)
            node.write(config(route("/r", 'respond = {}\nrate_limit = "3/h"')))
            node.ctl("reload")
            eventually(lambda: fetch(node.port(), "/new").status == 404, "the second reload")
            self.assertEqual([fetch(node.port(), "/r").status for _ in range(4)], [200, 200, 200, 429])


class Rules(unittest.TestCase):
    ROUTES = (route("/own", 'respond = { headers = { X-Own = "handler" } }\n'
                            'headers = { X-Own = "route", X-Route = "route", X-Site = "route" }') +
              route("/plain", "respond = {}") +
              route("/moved", 'redirect = { to = "/plain" }') +
              route("/greeter", 'actor = "greeter"') +
              route("/merged", "respond = {}\nmerge_slashes = true") +
              route("/kept", 'actor = "greeter"\nface = "http"\nencoded_slash = "keep"') +
              route("/serve", 'respond = {}\non_half_close = "serve"') +
              route("/cancel", 'actor = "greeter"\non_half_close = "cancel"'))

    @classmethod
    def setUpClass(cls):
        cls.node = Node(config(cls.ROUTES, headers='headers = { X-Site = "site", Cache-Control = "no-store" }',
                               extra='access_log = "access.log"\naccess_format = "json"\n'
                                     'trusted_proxies = ["127.0.0.2/32"]'))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def test_fields_of_handler_route_and_site_in_this_order(self):
        answer = fetch(self.port, "/own")
        self.assertEqual([answer.field(name) for name in ("x-own", "x-route", "x-site", "cache-control")],
                         ["handler", "route", "route", "no-store"])
        for path in ("/plain", "/moved", "/greeter"):
            answer = fetch(self.port, path)
            self.assertEqual((answer.field("x-site"), answer.field("cache-control")), ("site", "no-store"), path)
            for name in ("date", "server", "content-length"):
                self.assertIsNotNone(answer.field(name))  # fails if there are two

    def test_slashes(self):
        self.assertEqual(fetch(self.port, "/merged//a").status, 200)
        self.assertEqual(fetch(self.port, "//merged").status, 404)  # another route's rules apply before it
        self.assertEqual(fetch(self.port, "/plain/a%2Fb").status, 400)
        self.assertEqual(fetch(self.port, "/kept/a%2Fb").status, 200)

    def test_a_half_closed_client(self):
        with Wire(self.port) as wire:
            self.assertEqual(wire.send(request("/serve")).finish().response().status, 200)

    def test_the_access_log_names_the_request(self):
        with Wire(self.port) as wire:
            wire.get("/plain?x=1", "User-Agent: tester", "X-Request-Id: ignored", "X-Forwarded-For: 9.9.9.9")
        log = self.node.folder / "access.log"

        def line():
            for text in log.read_text().splitlines():
                if "tester" in text:
                    return json.loads(text)
            return None
        record = eventually(line, "the line is written")
        self.assertEqual((record["method"], record["target"], record["status"]), ("GET", "/plain?x=1", 200))
        self.assertRegex(record["request_id"], r"^[0-9a-f]{32}$")
        self.assertTrue(record["peer"].startswith("127.0.0.1"))

    def test_the_access_log_is_opened_anew_by_a_reload(self):
        log = self.node.folder / "access.log"
        fetch(self.port, "/plain?before")
        eventually(lambda: "?before" in log.read_text(), "the first line")
        log.rename(self.node.folder / "old.log")
        self.node.ctl("reload")
        eventually(log.exists, "the new file")
        fetch(self.port, "/plain?after")
        eventually(lambda: "?after" in log.read_text(), "the second line")
        self.assertNotIn("?after", (self.node.folder / "old.log").read_text())

    def test_a_full_disk_costs_lines_of_the_access_log_only(self):
        log = self.node.folder / "access.log"

        def end_disk_at(size):
            resource.prlimit(self.node.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        fetch(self.port, "/plain")
        eventually(log.exists, "a line")
        self.addCleanup(end_disk_at, resource.RLIM_INFINITY)
        end_disk_at(max(log.stat().st_size, self.node.log_file.stat().st_size + 4096) + 100)

        def full():
            self.assertEqual(fetch(self.port, "/plain?full").status, 200)
            return self.node.metric("caf_http_log_dropped_total") > 2
        eventually(full, "lines are lost")
        end_disk_at(resource.RLIM_INFINITY)
        fetch(self.port, "/plain?space")
        eventually(lambda: "?space" in log.read_text(), "lines are written again")
        lines = log.read_text().splitlines()
        self.assertLessEqual(sum(not line.endswith("}") for line in lines), 1)
        self.assertEqual(json.loads(lines[-1])["target"], "/plain?space")
        self.assertEqual(self.node.log().count("lines of the access log are lost"), 1)
        eventually(lambda: self.node.log().count("the access log is written again") == 1, "the log tells")


class Compression(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = "".join(f"line {i} " for i in range(400))
        fixed = f'respond = {{ body = "{cls.text}", headers = {{ ETag = \'"t"\' }} }}'
        cls.node = Node(config(route("/text", fixed) + route("/plain", fixed + "\ncompress = false") +
                               route("/greet", 'actor = "greeter"') + route("/short", 'respond = { body = "x" }')))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def test_fixed_answers(self):
        plain = fetch(self.port, "/text")
        self.assertEqual((plain.body.decode(), plain.field("content-encoding")), (self.text, None))
        self.assertEqual((plain.field("vary"), plain.field("etag")), ("Accept-Encoding", '"t"'))
        zipped = fetch(self.port, "/text", "Accept-Encoding: br;q=0.1, gzip")
        self.assertEqual(gzip.decompress(zipped.body).decode(), self.text)
        self.assertEqual((zipped.field("content-encoding"), zipped.field("vary"), zipped.field("etag")),
                         ("gzip", "Accept-Encoding", 'W/"t-gzip"'))
        self.assertEqual(fetch(self.port, "/text", "Accept-Encoding: zstd, br").field("content-encoding"), "br")
        for path in ("/plain", "/short"):
            other = fetch(self.port, path, "Accept-Encoding: gzip")
            self.assertEqual((other.field("content-encoding"), other.field("vary")), (None, None))

    def test_answers_of_actors(self):
        for size in (1500, 100_000):
            with Node(config(route("/greet", 'actor = "greeter"')), folder=None) as node:
                body = json.dumps({"name": "n" * size}).encode()
                fields = ("Accept-Encoding: gzip", "Content-Type: application/json")
                with Wire(node.port()) as wire:
                    answer = wire.get("/greet", *fields, method="POST", body=body)
                    self.assertEqual(answer.field("content-encoding"), "gzip")
                    self.assertIn("n" * size, gzip.decompress(answer.body).decode())
                    self.assertEqual(wire.get("/greet", *fields[1:], method="POST", body=body).field("content-encoding"), None)


class Reloads(unittest.TestCase):
    def test_roots_and_limits_swap_200_times_without_a_lost_request(self):
        with Node(config(route("/hello", "respond = {}"))) as first:
            folder = first.folder
            for name in ("a", "b"):
                (folder / name).mkdir()
                (folder / name / "which").write_text(name)
                (folder / name / "large").write_bytes(name.encode() * 300_000)

            def version(i):
                root, size = "ab"[i % 2], 50 + i % 2
                return config(route("/files", f'files = "{root}"') + route("/hello", 'respond = { body = "h" }'),
                              limits=f'max_headers = {size}\nkeepalive_requests = {1000 + i % 2}')
            first.write(version(0))
            first.ctl("reload")
            port = first.port()
            eventually(lambda: fetch(port, "/files/which").status == 200, "files are served")
            before = first.descriptors()
            with Load(port, "/files/which", clients=2) as small, Load(port, "/files/large", clients=2) as large:
                for i in range(1, 201):
                    first.write(version(i))
                    first.signal(1)  # SIGHUP: without a process for each
                    if i % 20 == 0:
                        eventually(lambda: fetch(port, "/files/which").body == b"ab"[i % 2:i % 2 + 1], "the root is swapped")
                for load in (small, large):
                    at = load.count
                    eventually(lambda: load.count > at + 10, "requests go on")
            for load in (small, large):
                self.assertEqual((load.lost, load.refused, set(load.answered)), ([], 0, {200}))
            eventually(lambda: first.descriptors() < before + 20, "descriptors are given back")


if __name__ == "__main__":
    suite.main()
