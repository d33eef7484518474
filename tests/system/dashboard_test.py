"""The dashboard of the admin listener: what it sends, whom it lets in, and what a browser makes of it.

With CAF_APP_PICTURES=FOLDER in the environment the pictures that the browser takes are kept there."""
import http.client
import json
import os
import pathlib
import signal
import socket
import threading
import time
import unittest

from support import suite
from support.browser import BROWSER, Browser
from support.cluster import Cluster
from support.node import CLUSTER, Node, default_config
from support.scaled import QUICK, wrk
from support.suite import eventually

FILES = suite.ROOT / "nodes" / "dashboard"
TOKEN = "0123456789abcdef-token"
# Each number of instances lasts longer than the second between two events.
SCALER = {**QUICK, "up_cooldown": '"2s"', "down_cooldown": '"2s"', "panic_queue": "10000", "panic_lag": '"10s"'}


def fetch(port, path, method="GET", fields=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=suite.PATIENCE)
    connection.request(method, path, headers=fields or {})
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply, body


class Events:
    """Reads /v1/events."""

    def __init__(self, port, query="", fields=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=suite.PATIENCE)
        self.connection.request("GET", "/v1/events" + query, headers=fields or {})
        self.reply = self.connection.getresponse()
        self.last = {}

    def next(self):
        """Name and value of the next event."""
        name, data = "", ""
        while True:
            line = self.reply.readline().decode()
            if not line:
                raise AssertionError("the stream has ended")
            if line == "\n":
                self.last[name] = json.loads(data)
                return name, self.last[name]
            key, _, value = line.rstrip("\n").partition(": ")
            if key == "event":
                name = value
            else:
                data += value

    def until(self, what, probe, timeout=suite.PATIENCE):
        deadline = time.monotonic() + timeout
        while not (what in self.last and probe(self.last[what])):
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {timeout} s; last: {self.last.get(what)}")
            self.next()
        return self.last[what]

    def close(self):
        self.reply.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Node()

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def test_the_files_are_those_of_the_tree_and_may_load_nothing_else(self):
        for path, file, kind in (("/", "index.html", "text/html"), ("/dashboard.js", "dashboard.js", "text/javascript"),
                                 ("/dashboard.css", "dashboard.css", "text/css")):
            reply, body = fetch(self.node.admin_port, path)
            self.assertEqual((reply.status, body), (200, (FILES / file).read_bytes()))
            self.assertTrue(reply.getheader("Content-Type").startswith(kind))
            policy = reply.getheader("Content-Security-Policy")
            self.assertIn("default-src 'none'", policy)
            self.assertIn("script-src 'self'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(reply.getheader("X-Content-Type-Options"), "nosniff")

    def test_data_never_becomes_markup(self):
        script = (FILES / "dashboard.js").read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
            self.assertFalse(word in script, word)
        page = (FILES / "index.html").read_text()
        for word in ("http:", "https:", "//", " style=", " onclick"):
            self.assertFalse(word in page, word)

    def test_events_tell_each_thing_and_then_what_changes(self):
        with Events(self.node.admin_port) as events:
            self.assertEqual(events.reply.status, 200)
            self.assertEqual(events.reply.getheader("Content-Type"), "text/event-stream")
            self.assertEqual(events.next()[0], "status")
            for what in ("nodes", "names", "groups", "tree", "scaler", "eval", "builds", "web"):
                events.until(what, lambda value: True)
            self.assertIsNone(events.last["scaler"])
            self.assertIn("greeter", [each["name"] for each in events.last["names"]])
            before = events.last["web"]["requests"]
            for _ in range(7):
                fetch(self.node.port(), "/hello")
            now = events.until("web", lambda value: value["requests"] >= before + 7, timeout=5)
            self.assertEqual(now["requests"], before + 7)
            self.assertEqual(now["faster"][-1], [None, now["requests"]])
            before = next(each["actor"] for each in events.last["names"] if each["name"] == "counter")
            self.node.ctl("kill", "counter")
            events.until("names", lambda all: [x for x in all if x["name"] == "counter" and x["actor"] != before], 5)

    def test_no_more_streams_than_that(self):
        with Node() as node:
            streams = []
            try:
                for _ in range(32):
                    streams.append(Events(node.admin_port))
                    self.assertEqual(streams[-1].reply.status, 200)
                self.assertEqual(fetch(node.admin_port, "/v1/events")[0].status, 503)
                streams.pop().close()
                eventually(lambda: self.can_follow(node), "there is room again")
            finally:
                for each in streams:
                    each.close()

    @staticmethod
    def can_follow(node):
        with Events(node.admin_port) as one:
            return one.reply.status == 200

    def test_a_client_that_does_not_read_costs_a_bounded_buffer(self):
        with socket.create_connection(("127.0.0.1", self.node.admin_port)) as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(2.5)
            self.assertEqual(fetch(self.node.admin_port, "/healthz")[0].status, 200)

    def test_another_node_that_is_not_there(self):
        reply, body = fetch(self.node.admin_port, "/v1/events?node=nobody")
        self.assertEqual(reply.status, 404)
        self.assertIn(b"unreachable", body)


class Access(unittest.TestCase):
    def test_events_want_the_token_and_pages_do_not(self):
        config = default_config(cluster=CLUSTER + f'\n[admin]\ntoken = "{TOKEN}"\n')
        with Node(config) as node:
            self.assertEqual(fetch(node.admin_port, "/")[0].status, 200)
            self.assertEqual(fetch(node.admin_port, "/v1/events")[0].status, 401)
            with Events(node.admin_port, fields={"Authorization": "Bearer " + TOKEN}) as events:
                self.assertEqual(events.reply.status, 200)
                self.assertEqual(events.next()[1]["node"], "n1")
            self.assertNotIn(TOKEN, node.log())


@unittest.skipUnless(BROWSER, "needs chromium")
@unittest.skipIf(suite.SANITIZED, "one browser is enough")
class Login(unittest.TestCase):
    def test_a_token_is_asked_for_until_it_is_right(self):
        with Node(default_config(cluster=CLUSTER + f'\n[admin]\ntoken = "{TOKEN}"\n')) as node, Browser() as browser:
            browser.open(f"http://127.0.0.1:{node.admin_port}/")
            form = "document.getElementById('login').checkVisibility()"
            eventually(lambda: browser.run(form), "the form is shown")
            self.assertEqual(browser.run("document.activeElement.id"), "token")
            self.assertEqual(browser.text("#denied"), "")
            self.assertNotIn("serving", browser.text("#facts"))
            self.enter(browser, TOKEN[:-1])
            eventually(lambda: "refused" in browser.text("#denied"), "a wrong token is refused")
            self.assertTrue(browser.run(form))
            browser.run("document.getElementById('token').value = ''")
            self.enter(browser, TOKEN)
            eventually(lambda: browser.text("#link") == "live", "the right token lets in")
            eventually(lambda: "serving" in browser.text("#facts"), "there is something to see")
            self.assertFalse(browser.run(form))
            self.assertEqual([text for text in browser.complaints if "401" not in text], [])
            self.assertEqual(browser.run("localStorage.length + sessionStorage.length + document.cookie.length"), 0)

    @staticmethod
    def enter(browser, text):
        browser.run("document.getElementById('token').focus()")
        browser.call("Input.insertText", text=text)
        browser.press("Enter", 13, "\r")


@unittest.skipUnless(BROWSER, "needs chromium")
@unittest.skipIf(suite.SANITIZED, "one browser is enough")
class InTheBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster({"a": ["http", "demo", "scaler"], "b": ["demo"], "c": ["demo"]},
                              extra='test_hooks = true\n[http.limits]\nkeepalive_idle = "3s"\n[scaler]\n' +
                              "".join(f"{key} = {value}\n" for key, value in SCALER.items()))
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.start().together()
        cls.node = cls.cluster["a"]
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.browser.open(f"http://127.0.0.1:{cls.node.admin_port}/")

    def shows(self, selector, text, timeout=10):
        eventually(lambda: text in self.browser.text(selector), f"{selector} shows {text}", timeout)

    def picture(self, name):
        folder = os.environ.get("CAF_APP_PICTURES")
        data = self.browser.picture(pathlib.Path(folder) / f"{name}.png" if folder else None)
        self.assertTrue(data.startswith(b"\x89PNG"))
        self.assertGreater(len(data), 10_000)

    def test_1_everything_is_shown(self):
        self.shows("#link", "live")
        for selector, text in (("#facts", "serving"), ("#nodes", "127.0.0.1"), ("#names", "greeter"),
                               ("#groups", "ticks"), ("#tree", "listener"), ("#scaler-now", "verdict"),
                               ("#instances", "ready"), ("#decisions", "hold"), ("#eval-now", "no evaluator")):
            self.shows(selector, text)
        self.assertEqual(self.browser.run("document.querySelectorAll('#nodes tbody tr').length"), 3)

    def test_2_charts_follow_requests(self):
        for _ in range(50):
            fetch(self.node.port(), "/hello")
        eventually(lambda: self.browser.run("Math.max(...state.rate.values)") > 0, "the rate is above 0", 10)
        eventually(lambda: self.browser.run("Math.max(...state.p99.values)") > 0, "there is a latency", 10)
        self.assertIn(",", self.browser.run("document.querySelector('#rate polyline').getAttribute('points')"))

    def test_3_both_colour_schemes_and_narrow_windows(self):
        grounds = set()
        for scheme in ("light", "dark"):
            for width in (1280, 400):
                self.browser.look(width, 900, scheme)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
                grounds.add(self.browser.run("getComputedStyle(document.body).backgroundColor"))
                self.picture(f"{scheme}-{width}")
        self.assertEqual(len(grounds), 2)
        self.browser.look()

    def test_4_the_keyboard_reaches_everything(self):
        self.browser.run("document.activeElement.blur()")
        seen = []
        for _ in range(20):
            self.browser.press("Tab", 9)
            seen.append(self.browser.run("document.activeElement.id || document.activeElement.ariaLabel || "
                                         "document.activeElement.getAttribute('aria-labelledby') || "
                                         "document.activeElement.className"))
        for place in ("skip", "node", "nodes-title", "Decisions", "tree-title", "names-title", "groups-title"):
            self.assertIn(place, seen)

    def test_5_names_are_text(self):
        hostile = [{"name": "<img src=x onerror=alert(1)>", "actor": 1, "held_ms": 1}]
        self.browser.run(f"show.names({json.dumps(hostile)})")
        self.assertEqual(self.browser.run("document.querySelectorAll('#names img').length"), 0)
        self.assertIn("<img src=x", self.browser.text("#names"))

    def test_6_memory_is_bounded(self):
        """An hour of events, as fast as the page takes them."""
        script = """(() => {
          const nodes = () => document.getElementsByTagName("*").length;
          const feed = (i) => {
            const n = 100 * i + Math.round(40 * Math.sin(i / 9));
            show.web({requests: 1e6 + n, failed: 0, in_flight: 1, at_ms: 1e12 + 1000 * i,
                      faster: [[0.001, n - i], [0.1, n], [null, n]]});
            show.names([{name: "n" + i, actor: i, held_ms: i}]);
            show.decisions([{at: "2025-01-01T12:00:00Z", seq: i, action: "hold", from: 1, to: 1, verdict: "idle", reason: "x"}]);
            show.tree([{path: "root", state: "running", uptime_ms: i}, {path: "root/conn-" + i, state: "running", uptime_ms: 1}]);
          };
          for (let i = 0; i < 400; ++i) feed(i);
          const before = nodes();
          for (let i = 400; i < 3600; ++i) feed(i);
          return [before, nodes(), state.rate.values.length, document.querySelector("#rate polyline").points.length];
        })()"""
        before, after, kept, drawn = self.browser.run(script)
        self.assertLessEqual(after, before + 50)
        self.assertEqual(kept, 300)
        self.assertLessEqual(drawn, 300)
        self.picture("charts")

    def ready_instances(self):
        state = json.loads(fetch(self.node.admin_port, "/v1/scaler")[1])
        return sum(1 for x in state["instances"] if x["state"] == "ready")

    def test_7_instances_under_load_are_followed_live(self):
        count = ("[...document.querySelectorAll('#facts div')].filter(x => x.firstChild.textContent === 'instances')"
                 ".map(x => x.lastChild.textContent)[0]")
        eventually(lambda: self.browser.run(count) == "1", "one instance is shown")
        self.browser.run(f"window.shown = [[Date.now(), {count}]]; new MutationObserver(() => {{ const now = {count};"
                         "if (now !== shown[shown.length - 1][1]) shown.push([Date.now(), now]); })"
                         ".observe(document.getElementById('facts'), {subtree: true, childList: true, characterData: true})")
        truth, seen = [(time.time(), 1)], []
        load = threading.Thread(target=lambda: seen.append(wrk(self.node.port(), "/test/block?ms=2", 24, 8)), daemon=True)
        load.start()
        # By order: a machine whose cores are taken by others is a reason not to grow for load.
        for order in (2, 3, 2, 1):
            self.node.ctl("scale", str(order))
            eventually(lambda: self.ready_instances() == order, f"{order} are ready")
            truth.append((time.time(), order))
            eventually(lambda: self.browser.run("shown[shown.length - 1][1]") == str(order), f"the page shows {order}")
        load.join(suite.PATIENCE)
        self.assertEqual(seen[0][1:], (0, 0))
        shown = self.browser.run("shown")
        self.assertEqual([number for _, number in shown], ["1", "2", "3", "2", "1"])
        late = [at / 1000 - then for (at, _), (then, _) in zip(shown[1:], truth[1:])]
        print("shown after", ", ".join(f"{seconds:.2f} s" for seconds in late))
        self.assertLess(max(late), 3.0)
        rate = self.browser.run("Math.max(...state.rate.values)")
        self.assertGreater(rate, 100)
        self.assertEqual(self.browser.complaints, [])

    def test_8_a_killed_node_is_seen_within_3_seconds(self):
        self.shows("#nodes", "reachable")
        started = time.monotonic()
        self.cluster["c"].signal(signal.SIGKILL)
        row = ("[...document.querySelectorAll('#nodes tbody tr')].filter(x => x.cells[0].innerText === 'c')"
               ".map(x => x.innerText).join(' ')")
        eventually(lambda: any(word in self.browser.run(row) for word in ("down", "lost", "suspect", "no")),
                   "it is shown", 10)
        self.assertLess(time.monotonic() - started, 3.0)

    def test_9_another_node_is_chosen_and_the_own_one_dies(self):
        self.browser.run("document.getElementById('node').value = 'b';"
                         "document.getElementById('node').dispatchEvent(new Event('change'))")
        self.shows("#facts", "b")
        self.shows("#link", "live")
        self.assertEqual(self.browser.complaints, [])
        self.node.signal(signal.SIGKILL)
        self.shows("#link", "lost", timeout=3)


if __name__ == "__main__":
    suite.main()
