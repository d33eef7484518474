"""Reloading: routes, sites and addresses come and go while requests go on; a broken file changes nothing."""
import signal
import unittest

from support import suite
from support.load import Load
from support.node import Node, SITE, default_config, free_port
from support.suite import eventually
from support.wire import Wire, fetch

MORE = SITE + """
  [[http.site.route]]
  path = "/new"
  respond = { body = "new" }
[[http.site]]
host = "other.example"
  [[http.site.route]]
  path = "/"
  respond = { body = "other" }
"""


def connects(port):
    try:
        Wire(port).close()
        return True
    except ConnectionRefusedError:
        return False


class Reload(unittest.TestCase):
    def setUp(self):
        self.node = Node()
        self.addCleanup(self.node.close)
        self.port = self.node.port()

    def status(self, path, *fields, **options):
        return fetch(self.port, path, *fields, **options).status

    def test_routes_and_sites_come_and_go(self):
        self.assertEqual(self.status("/new"), 404)
        self.node.write(default_config(site=MORE))
        with Wire(self.port) as wire:
            self.assertEqual(wire.get("/hello").status, 200)
            self.node.ctl("reload")
            eventually(lambda: self.status("/new") == 200, "the new route is there")
            self.assertEqual(wire.get("/new").body, b"new")  # old connections follow
        with Wire(self.port) as wire:
            answer = wire.send(b"GET /hello HTTP/1.1\r\nHost: other.example\r\n\r\n").response()
            self.assertEqual(answer.body, b"other")
        self.node.write(default_config())
        self.node.ctl("reload")
        eventually(lambda: self.status("/new") == 404, "the route is gone again")

    def test_limits_change(self):
        body = b"x" * 100
        self.assertEqual(self.status("/test/echo", method="POST", body=body), 200)
        self.node.write(default_config(limits='max_body = "99B"'))
        self.node.ctl("reload")
        eventually(lambda: self.status("/test/echo", method="POST", body=body) == 413, "the limit is lower")

    def test_sighup_reads_the_file_again(self):
        self.node.write(default_config(site=MORE))
        self.node.signal(signal.SIGHUP)
        eventually(lambda: self.status("/new") == 200, "the new route is there")

    def test_a_broken_file_leaves_the_old_one_serving(self):
        broken = default_config(site=MORE) + "\n[http.limitz]\n"
        self.node.write(broken)
        with Load(self.port) as load:
            # caf-ctl reads the file as well, to find the socket; so go past it
            self.node.signal(signal.SIGHUP)
            eventually(lambda: "reload refused" in self.node.log(), "the log says why")
            line = broken[:broken.index("[http.limitz]")].count("\n") + 1
            self.assertIn(f"cluster.toml:{line}:", self.node.log())
            self.assertIn("limitz", self.node.log())
            before = load.count
            eventually(lambda: load.count > before + 20, "requests go on")
        self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))
        self.assertEqual(self.status("/new"), 404)
        self.node.write(default_config(site=MORE))
        self.node.ctl("reload")
        eventually(lambda: self.status("/new") == 200, "a good file is taken afterwards")

    def test_what_waits_for_a_restart_is_told(self):
        said = "take effect with a restart only"
        self.node.write(default_config(site=MORE))
        self.node.ctl("reload")
        self.assertNotIn(said, self.node.log())
        more = default_config().replace('["http", "demo"]', '["http", "demo", "scaler"]')
        self.node.write(more + '[log]\nlevel = "debug"\n')
        for count in (1, 2):  # as long as it is so
            self.node.ctl("reload")
            line, = self.node.log().split(said)[count:count + 1]
            self.assertIn('keys="log.level, node.roles"', line)

    def test_caf_ctl_reload_says_what_is_wrong(self):
        self.node.write(default_config(listen=["127.0.0.1:0", "192.0.2.1:80"]))  # TEST-NET-1: nobody's here
        done = self.node.ctl("reload", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("192.0.2.1:80", done.stderr)
        self.assertEqual(self.status("/hello"), 200)

    def test_an_address_may_come_back_while_it_is_left(self):
        extra = free_port()
        both = default_config(listen=["127.0.0.1:0", f"127.0.0.1:{extra}"])
        for config in (both, default_config(), both):
            self.node.write(config)
            self.node.ctl("reload")
        eventually(lambda: connects(extra), "it is back")
        eventually(lambda: sum(f":{extra}/" in path for path in self.node.tree()) == 1, "one listener is left")
        self.assertEqual(fetch(extra, "/hello").status, 200)

    def test_addresses_come_and_go_without_a_failed_request(self):
        extra = free_port()
        with Load(self.port) as load, Load(self.port, fresh=True, clients=2) as fresh:
            self.node.write(default_config(listen=["127.0.0.1:0", f"127.0.0.1:{extra}"]))
            self.node.ctl("reload")
            eventually(lambda: connects(extra), "the new address is there")
            with Load(extra) as moved:
                eventually(lambda: moved.count > 20, "it serves")
                self.node.write(default_config())
                self.node.ctl("reload")
                before = moved.count
                eventually(lambda: moved.count > before or moved.refused, "it serves while it leaves")
                eventually(lambda: not connects(extra), "the address is gone again")
            self.assertEqual(moved.lost, [])
            self.assertEqual(list(moved.answered), [200])
        for some in (load, fresh):
            self.assertEqual((some.lost, some.refused, list(some.answered)), ([], 0, [200]))
        self.assertEqual(self.status("/hello"), 200)
        eventually(lambda: not any(path.startswith("http/listener/") and f":{extra}" in path and "loop" in path
                                   for path in self.node.tree()), "its listeners are gone")

    def test_an_address_comes_back(self):
        extra = free_port()
        for _ in range(2):
            self.node.write(default_config(listen=["127.0.0.1:0", f"127.0.0.1:{extra}"]))
            self.node.ctl("reload")
            self.assertEqual(fetch(extra, "/hello").status, 200)
            self.node.ctl("kill", "http/listener")  # its next incarnation knows what was reloaded
            eventually(lambda: self.node.tree().get(f"http/listener/n1:{extra}/loop-0"), "its listener is back")
            self.assertEqual(fetch(extra, "/hello").status, 200)
            self.node.write(default_config())
            self.node.ctl("reload")
            eventually(lambda: not connects(extra), "the address is gone")
            self.assertEqual(self.status("/hello"), 200)

    def test_many_reloads_leave_nothing_behind(self):
        def reload():
            self.node.write(default_config(site=MORE if reload.count % 2 else SITE))
            reload.count += 1
            self.node.signal(signal.SIGHUP)
            eventually(lambda: self.node.log().count("configuration reloaded") >= reload.count, "reloaded")
        reload.count = 0
        with Load(self.port, clients=2) as load:
            for _ in range(10):
                reload()
            descriptors, memory = self.node.descriptors(), self.node.rss_kib()
            for _ in range(40):
                reload()
            eventually(lambda: self.node.descriptors() <= descriptors, "no more descriptors than before")
            if not suite.SANITIZED:
                self.assertLess(self.node.rss_kib() - memory, 2048)
        self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))


if __name__ == "__main__":
    suite.main()
