"""A real PHP-FPM behind the web tier: pages, uploads, sessions, errors, workers that die, a pool that is full."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from support import suite
from support.load import Load
from support.node import CLUSTER, Node, http_section
from support.scaled import Scaled
from support.suite import eventually
from support.web import fetch

MIB = 1024 * 1024
FPM = shutil.which("php-fpm8.2") or "/usr/sbin/php-fpm8.2"
SCRIPTS = {
    "index.php": "<?php echo 'index ', $_GET['x'] ?? '';",
    "vars.php": "<?php header('Content-Type: application/json'); echo json_encode($_SERVER);",
    "upload.php": "<?php echo hash('sha256', file_get_contents('php://input')), ' ', $_SERVER['CONTENT_LENGTH'];",
    "session.php": "<?php session_start(); $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1; echo $_SESSION['n'];",
    "status.php": "<?php http_response_code(404); echo 'not here';",
    "redirect.php": "<?php header('Location: /elsewhere');",
    "fatal.php": "<?php ini_set('display_errors', '0'); nothing();",
    "stderr.php": "<?php $e = fopen('php://stderr', 'w'); for ($i = 0; $i < 16; $i++) "
                  "fwrite($e, str_repeat('e', 65536)); error_log(str_repeat('l', 1000)); echo 'fine';",
    "large.php": "<?php for ($i = 0; $i < 80; $i++) echo str_repeat('L', 100000);",
    "kill.php": "<?php echo str_repeat('k', 200000); flush(); posix_kill(getmypid(), 9);",
    "killed.php": "<?php posix_kill(getmypid(), 9);",
    "slow.php": "<?php usleep(400000); echo 'slow';",
    "nap.php": "<?php header('Content-Length: 3'); usleep(50000); echo 'nap';",
    "pid.php": "<?php echo getmypid();",
    "front.php": "<?php echo 'front ', $_SERVER['PATH_INFO'];",
}


def fpm_config(folder):
    user = "user = root\ngroup = root\n" if os.getuid() == 0 else ""
    pool = f"""
listen = {folder}/%s.sock
pm = static
pm.max_children = %d
pm.status_path = /status
php_admin_value[session.save_path] = {folder}/sessions
php_admin_value[post_max_size] = 64M
php_admin_value[disable_functions] = ""
catch_workers_output = no
{user}"""
    return (f"[global]\ndaemonize = no\nerror_log = {folder}/fpm.log\n[www]\n" + pool % ("www", 4) +
            "[one]\n" + pool % ("one", 1))


def config(folder):
    def route(path, upstream, extra=""):
        return (f'[[http.site.route]]\npath = "{path}"\nfastcgi = "{upstream}"\nroot = "{folder}/root"\n'
                f'max_body = "32MiB"\n{extra}\n')
    return (CLUSTER + http_section(extra="h2c = true") +
            f'[[http.upstream]]\nname = "www"\nservers = ["unix:{folder}/www.sock"]\neject_fails = 0\n'
            'status_path = "/status"\n'
            f'[[http.upstream]]\nname = "one"\nservers = ["unix:{folder}/one.sock"]\n'
            'max_conns = 1\nqueue = 2\nqueue_timeout = "600ms"\n'
            '[[http.site]]\nhost = "*"\n' + route("/app", "www") + route("/front", "www", 'front = "front.php"') +
            route("/one", "one"))


class WithFpm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name in ("root", "sessions"):
            (cls.folder / name).mkdir()
        for name, text in SCRIPTS.items():
            (cls.folder / "root" / name).write_text(text)
        (cls.folder / "root" / "picture.jpg").write_text("<?php echo 'hacked';")
        (cls.folder / "fpm.conf").write_text(fpm_config(cls.folder))
        command = [FPM, "-y", str(cls.folder / "fpm.conf"), "-F"] + (["-R"] if os.getuid() == 0 else [])
        cls.fpm = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.fpm.wait)
        cls.addClassCleanup(cls.fpm.terminate)
        eventually((cls.folder / "one.sock").exists, "PHP-FPM listens")


@unittest.skipUnless(os.path.exists(FPM), "php8.2-fpm is not installed")
class Php(WithFpm):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.node = Node(config(cls.folder))
        cls.addClassCleanup(cls.node.close)
        cls.port = cls.node.port()

    def page(self, path, **options):
        got = fetch(self.port, path, **options)
        self.assertEqual((got.status, got.whole), (200, True), got.body)
        return got.body

    def at_once(self, path, count):
        results = []
        threads = [threading.Thread(target=lambda: results.append(fetch(self.port, path))) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    def test_pages(self):
        self.assertEqual(self.page("/app/?x=7"), b"index 7")
        self.assertEqual(self.page("/app/index.php"), b"index ")
        self.assertEqual(self.page("/front/pretty/path"), b"front /pretty/path")
        self.assertEqual(fetch(self.port, "/app").field("location"), "/app/")
        got = fetch(self.port, "/app/index.php")
        self.assertEqual(got.field("content-length"), "6")  # it was short enough to be counted
        self.assertIn("text/html", got.field("content-type"))

    def test_variables(self):
        seen = json.loads(self.page("/app/vars.php/info%20x?a=b", fields={"X-Some": "1", "Proxy": "evil"}))
        for name, value in {"REQUEST_METHOD": "GET", "QUERY_STRING": "a=b", "PATH_INFO": "/info x", "HTTP_X_SOME": "1",
                            "SCRIPT_FILENAME": f"{self.folder}/root/vars.php", "SCRIPT_NAME": "/app/vars.php",
                            "PHP_SELF": "/app/vars.php/info x"}.items():
            self.assertEqual(seen[name], value, name)
        self.assertNotIn("HTTP_PROXY", seen)

    def test_uploads(self):
        for size in (1, 70_000, 20 * MIB):
            data = os.urandom(size)
            wanted = f"{hashlib.sha256(data).hexdigest()} {size}".encode()
            self.assertEqual(self.page("/app/upload.php", method="POST", body=data), wanted)
            pieces = (data[at:at + 60_000] for at in range(0, size, 60_000))
            self.assertEqual(self.page("/app/upload.php", method="POST", body=pieces, chunked=True,
                                       fields={"Transfer-Encoding": "chunked"}), wanted)

    def test_an_upload_over_HTTP_2_without_a_length(self):
        data = os.urandom(20 * MIB)
        done = subprocess.run(["curl", "-sS", "--http2-prior-knowledge", "-X", "POST", "-T", "-",
                               f"http://127.0.0.1:{self.port}/app/upload.php"], input=data, capture_output=True,
                              timeout=2 * suite.PATIENCE)
        self.assertEqual(done.stdout, f"{hashlib.sha256(data).hexdigest()} {len(data)}".encode(), done.stderr)

    def test_sessions(self):
        first = fetch(self.port, "/app/session.php")
        cookie = first.field("set-cookie").split(";")[0]
        again = self.page("/app/session.php", fields={"Cookie": cookie})
        self.assertEqual([first.body, again], [b"1", b"2"])

    def test_statuses(self):
        self.assertEqual(fetch(self.port, "/app/status.php").body, b"not here")
        for path, status in (("/app/status.php", 404), ("/app/redirect.php", 302), ("/app/fatal.php", 500),
                             ("/app/nothing.php", 404), ("/app/picture.jpg/x.php", 404), ("/app/picture.jpg", 404),
                             ("/app/%2e%2e/fpm.conf", 404), ("/app/x%0a.php", 404)):
            self.assertEqual(fetch(self.port, path).status, status, path)

    def test_stderr_is_no_failure(self):
        self.assertEqual(self.page("/app/stderr.php"), b"fine")

    def test_large_answers_and_heads(self):
        self.assertEqual(len(self.page("/app/large.php")), 8_000_000)
        got = fetch(self.port, "/app/index.php", "HEAD")
        self.assertEqual((got.status, got.body), (200, b""))

    def test_a_worker_that_dies(self):
        self.assertEqual(fetch(self.port, "/app/killed.php").status, 502)
        got = fetch(self.port, "/app/kill.php")
        self.assertEqual((got.status, got.whole), (200, False))
        self.assertEqual(self.page("/app/index.php"), b"index ")

    def test_more_requests_than_workers(self):
        results = self.at_once("/app/slow.php", 12)
        self.assertEqual([got.body for got in results], [b"slow"] * 12)

    def test_connections_are_kept_for_a_while(self):
        # Of four workers; a second one if the first is just being asked for its status.
        self.assertLessEqual(len({self.page("/app/pid.php") for _ in range(12)}), 2)

    def test_the_status_of_the_pool(self):
        def idle():
            return self.node.metrics().get('caf_http_upstream_fpm{upstream="www",state="idle"}', -1)
        eventually(lambda: idle() >= 3, "its status is known")  # one answers the question
        self.assertEqual(self.node.metrics()['caf_http_upstream_fpm{upstream="www",state="queue"}'], 0)

    def test_a_full_pool(self):
        before = time.monotonic()
        results = self.at_once("/one/slow.php", 8)
        statuses = sorted(got.status for got in results)
        self.assertEqual(set(statuses), {200, 503})
        self.assertGreaterEqual(statuses.count(503), 5)  # one works, two wait
        self.assertTrue(all(got.field("retry-after") == "1" for got in results if got.status == 503))
        self.assertLess(time.monotonic() - before, 5)
        self.assertEqual(self.page("/one/index.php"), b"index ")


@unittest.skipUnless(os.path.exists(FPM), "php8.2-fpm is not installed")
class Scaling(WithFpm):
    def test_a_full_pool_starts_nobody(self):
        site = (f'[[http.upstream]]\nname = "www"\nservers = ["unix:{self.folder}/www.sock"]\nmax_conns = 4\n'
                'queue_timeout = "20s"\nstatus_path = "/status"\n[[http.site]]\nhost = "*"\n[[http.site.route]]\npath = "/app"\n'
                f'fastcgi = "www"\nroot = "{self.folder}/root"\n')
        with Scaled(site=site) as node, Load(node.port(), "/app/nap.php", clients=32) as load:
            eventually(lambda: node.state()["verdict"] == "upstream_bound", "it is seen that PHP is the narrow place")
            time.sleep(2)
            self.assertEqual(node.count(), 1)
            load.stop()
            self.assertEqual((load.lost, load.refused, list(load.answered)), ([], 0, [200]))
            self.assertFalse([d for d in node.decisions() if d["action"] == "grow"])


if __name__ == "__main__":
    suite.main()
