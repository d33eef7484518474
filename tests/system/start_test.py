"""Starting a node: the ready line, --check, exit statuses, and what a wrong file or a taken port says."""
import os
import pathlib
import re
import socket
import stat
import subprocess
import tempfile
import unittest

from support import suite
from support.node import CLUSTER, Node, default_config, free_port, run_node
from support.wire import fetch

NODE = '[[node]]\nname = "n1"\n'
WEB = NODE + 'roles = ["http"]\n'
SITE = '[[http.site]]\nhost = "*"\n'
ROUTE = SITE + "[[http.site.route]]\n"

# A wrong file, "@" where the complaint points at, and what it has to say.
BROKEN = [
    ("no TOML", "[cluster@\n", "expected ']'"),
    ("a string without end", NODE + '[log]\nlevel = "info@\n', "string"),
    ("a key twice", NODE + "[http]\nloops = 1\nloops = @2\n", "redefine"),
    ("a misspelt section", NODE + "[@htpp]\nloops = 1\n", 'unknown key "htpp" in the file; did you mean "http"?'),
    ("a misspelt key", NODE + "[http]\n@lisen = []\n", 'did you mean "listen"?'),
    ("a misspelt limit", NODE + "[http.limits]\n@max_boddy = 1\n", 'did you mean "max_body"?'),
    ("a table where a list is expected", '@[node]\nname = "n1"\n', "expected a list of table"),
    ("a node without a name", '@[[node]]\nroles = ["http"]\n', 'key "name" is missing'),
    ("a name with a blank", '[[node]]\nname = @"n 1"\n', "expected a name"),
    ("an unknown role", NODE + 'roles = ["http", @"web"]\n', '"web", expected "http"'),
    ("a role twice", NODE + 'roles = @["http", "http"]\n', "a role twice"),
    ("a node twice", NODE + '[[node]]\nname = @"n1"\n', "already used"),
    ("an admin listener open to all", NODE + 'admin = @"0.0.0.0:7901"\n', "admin.token"),
    ("a short token", NODE + '[admin]\ntoken = @"secret"\n', "at least 16 bytes"),
    ("an address without a port", NODE + '[http]\nlisten = [@"127.0.0.1"]\n', "127.0.0.1"),
    ("a port that is too large", NODE + '[http]\nlisten = [@"127.0.0.1:65536"]\n', "65536"),
    ("a link address of one's own only", NODE + 'link_listen = @"127.0.0.1:7101"\n', '"link" beside it'),
    ("an open link address", '[cluster]\nsecret_file = "x"\n' + NODE +
     'link = "localhost:7101"\nlink_listen = @"0.0.0.0:7101"\n', "is not loopback: expected [cluster.tls]"),
    ("a link port that nobody knows", NODE + 'link = "localhost:7101"\nlink_listen = @"127.0.0.1:0"\n', "above 0"),
    ("a name to listen at", NODE + 'link = "localhost:7101"\nlink_listen = @"localhost:7101"\n', "address:port"),
    ("a duration without a unit", NODE + "[http.limits]\nkeepalive_idle = @60\n", "duration"),
    ("a negative duration", NODE + '[http.limits]\nkeepalive_idle = @"-1s"\n', "-1s"),
    ("a size with a wrong unit", NODE + '[http.limits]\nmax_body = @"1Mb"\n', "1Mb"),
    ("a count of zero", NODE + "[http]\nloops = @0\n", "0"),
    ("limits that contradict each other", NODE + '[http.limits]\nmax_target = @"32KiB"\n', "below max_header_bytes"),
    ("a site without a host", NODE + "@[[http.site]]\n", 'key "host" is missing'),
    ("a host twice", NODE + SITE + '[[http.site]]\nhost = @"*"\n', "already has a site"),
    ("a route without a kind", NODE + SITE + '@[[http.site.route]]\npath = "/"\n', "route without a kind"),
    ("two kinds", NODE + ROUTE + 'path = "/"\nrespond = {}\nactor = @"greeter"\n', "one kind per route"),
    ("an option of another kind", NODE + ROUTE + 'path = "/"\nrespond = {}\nface = @"json"\n', 'belongs to "actor"'),
    ("a relative path", NODE + ROUTE + 'path = @"hello"\nrespond = {}\n', 'starts with "/"'),
    ("a path twice", NODE + ROUTE + 'path = "/"\nrespond = {}\n[[http.site.route]]\npath = @"/"\nrespond = {}\n',
     "already has a route"),
    ("an impossible status", NODE + ROUTE + 'path = "/"\nrespond = { status = @99 }\n', "99"),
    ("a body where none may be", NODE + ROUTE + 'path = "/"\nrespond = { status = 204, body = @"x" }\n',
     "expected no body"),
    ("a field that is the server's", NODE + ROUTE + 'path = "/"\nrespond = { headers = { @content-length = "1" } }\n',
     "set by the server"),
    ("a method that does not exist", NODE + ROUTE + 'path = "/"\nmethods = [@"FETCH"]\nrespond = {}\n', "FETCH"),
]


def marked(text):
    """The text without its mark, and the line and column of it."""
    at = text.index("@")
    before = text[:at]
    return before + text[at + 1:], before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


class Ready(unittest.TestCase):
    def test_the_ready_line_names_node_and_addresses(self):
        with Node(default_config(listen=["127.0.0.1:0"])) as node:
            self.assertRegex(node.ready, r"^ready n1 127\.0\.0\.1:\d+ 127\.0\.0\.1:\d+ unix:/\S+/control\.sock\n$")
            self.assertEqual(fetch(node.port(), "/hello").body, b"Hello, World!")
            self.assertEqual(fetch(node.admin_port, "/readyz", host="localhost").body, b"ready\n")
            self.assertEqual(node.stop(), 0)

    def test_the_control_socket_is_its_owners(self):
        with Node() as node:
            self.assertTrue(stat.S_ISSOCK(os.stat(node.control).st_mode))
            self.assertEqual(stat.S_IMODE(os.stat(node.control).st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(os.stat(node.control.parent).st_mode), 0o700)

    def test_two_port_zeros_are_two_listeners(self):
        with Node(default_config(listen=["127.0.0.1:0", "127.0.0.1:0"])) as node:
            self.assertEqual(len(node.tcp_addresses()), 3)
            for index in (0, 1):
                self.assertEqual(fetch(node.port(index), "/hello").status, 200)

    def test_a_left_over_control_socket_is_replaced(self):
        with Node() as first:
            folder = first.folder
            first.own_folder = False
            first.process.kill()
            first.wait()
            self.assertTrue(first.control.exists())
            with Node(folder=folder) as second:
                self.assertEqual(second.ctl_json("status")["pid"], second.pid)


class Check(unittest.TestCase):
    def test_a_good_file_is_ok(self):
        done = run_node(default_config(), ["--check"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^ok \S+cluster\.toml\n$")

    def test_each_broken_file_says_where_and_what(self):
        for name, text, what in BROKEN:
            with self.subTest(name):
                text, line, column = marked(text)
                done = run_node(text, ["--check"])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(f"cluster.toml:{line}:{column}: ", done.stderr)
                self.assertIn(what, done.stderr.split(f":{line}:{column}: ", 1)[1])

    def test_every_complaint_is_reported_at_once(self):
        done = run_node(NODE + "[http]\nloops = 0\nbacklog = 0\n[log]\nlevel = \"loud\"\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(re.findall(r"cluster\.toml:(\d+):", done.stderr), ["4", "5", "7"])

    def test_a_broken_file_does_not_start(self):
        done = run_node(NODE + "[http]\nloops = 0\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_what_the_start_refuses_is_refused_with_the_same_words(self):
        site = SITE + "[[http.site.route]]\npath = \"/\"\n"
        link = f'link = "127.0.0.1:{free_port()}"\n'
        for name, text, what in [
            ("no root", WEB + site + 'files = @"nowhere"\n', "nowhere: No such file or directory, expected a directory"),
            ("a file as root", WEB + site + 'files = @"cluster.toml"\n', "Not a directory, expected a directory"),
            ("an unknown host", WEB + site + 'proxy = "u"\n[[http.upstream]]\nname = "u"\n'
             'servers = ["http://127.0.0.1:9", @"http://no-such-host.invalid:80"]\n',
             "[[http.upstream]] u: no-such-host.invalid:80: "),
            ("no folder for the log", WEB + '[http]\naccess_log = @"nowhere/log"\n', "nowhere/log: No such file"),
            ("no secret", f'[cluster]\nsecret_file = @"cluster.key"\n{NODE}{link}', "`caf-ctl up` makes one"),
            ("an open secret", f'[cluster]\nsecret_file = @"cluster.toml"\n{NODE}{link}', "expected mode 0600"),
            ("no tokens", NODE + 'roles = ["eval"]\n[eval]\ntokens_file = @"tokens"\n', "tokens cannot be read"),
        ]:
            with self.subTest(name):
                text, line, column = marked(text)
                check, start = run_node(text, ["--check"]), run_node(text)
                for done in (check, start):
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(done.stdout, "")
                    self.assertRegex(done.stderr, f": .*cluster.toml:{line}:{column}: .*{re.escape(what)}")
                self.assertEqual(check.returncode, start.returncode)
                self.assertEqual(*(re.sub(r"/tmp/[^/]+/", "", done.stderr.splitlines()[-1]) for done in (check, start)))

    def test_a_check_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            file = pathlib.Path(folder) / "cluster.toml"
            file.write_text(default_config(extra='access_log = "log"'))
            for name in ([], ["--name", "n1"]):
                subprocess.run([suite.NODE, "--config", file, "--check", *name], check=True, capture_output=True,
                               timeout=suite.PATIENCE)
            self.assertEqual(os.listdir(folder), ["cluster.toml"])

    def test_a_broken_override_is_named(self):
        done = run_node(default_config(), ["--check", "--set", "http.loops=none"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("http.loops", done.stderr)
        done = run_node(default_config(), ["--check", "--set", "http.lops=1"])
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "loops"?', done.stderr)

    def test_a_node_that_is_not_in_the_file(self):
        done = run_node(default_config(), name="n2")
        self.assertEqual(done.returncode, 2)
        self.assertIn('no [[node]] is named "n2"; the file has: n1', done.stderr)


class CommandLine(unittest.TestCase):
    def run_with(self, *args):
        return subprocess.run([suite.NODE, *args], capture_output=True, text=True, timeout=suite.PATIENCE)

    def test_help_is_no_error(self):
        done = self.run_with("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--config", done.stdout)

    def test_wrong_command_lines(self):
        for args in ([], ["--name", "n1"], ["--config", "x.toml"], ["--config", "x.toml", "--nmae", "n1"],
                     ["--config", "/nonexistent/x.toml", "--name", "n1"]):
            with self.subTest(args):
                done = self.run_with(*args)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertNotEqual(done.stderr, "")


class Failures(unittest.TestCase):
    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            done = run_node(default_config(listen=[address]))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(address, done.stderr)
        self.assertIn("in use", done.stderr)

    def test_the_port_of_another_node(self):
        port = free_port()
        with Node(default_config(listen=[f"127.0.0.1:{port}"])):
            done = run_node(default_config(listen=[f"127.0.0.1:{port}"]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("in use", done.stderr)

    def test_an_admin_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            done = run_node(default_config(cluster=CLUSTER.replace("127.0.0.1:0", address)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(address, done.stderr)

    def test_a_control_socket_in_use(self):
        with Node() as node:
            done = subprocess.run([suite.NODE, "--config", node.file, "--name", "n1"], capture_output=True, text=True,
                                  timeout=suite.PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("control.sock", done.stderr)
            self.assertEqual(node.ctl_json("status")["pid"], node.pid)

    def test_a_data_folder_that_cannot_be_made(self):
        done = run_node(default_config(cluster=CLUSTER.replace('"var"', '"/dev/null/var"')))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/dev/null/var", done.stderr)


if __name__ == "__main__":
    suite.main()
