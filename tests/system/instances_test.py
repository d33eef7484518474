"""What the processes of a scaled node have in common: TLS sessions, rates, configuration, metrics, the cluster."""
import contextlib
import json
import os
import pathlib
import signal
import tempfile
import time
import unittest

from support import suite
from support.cluster import Cluster
from support.node import Node, SITE, default_config, free_port
from support.scaled import Scaled, scaled_config
from support.suite import eventually
from support.tls import Authority, TlsWire, client_context
from support.wire import Wire, fetch


def metric(node, name, **labels):
    """Sum of the lines of a metric that have at least these labels."""
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    return sum(value for key, value in node.metrics().items()
               if key.split("{")[0] == name and all(label in key for label in wanted))


class Metrics(unittest.TestCase):
    def test_what_instances_count_is_told_by_their_node(self):
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            for _ in range(60):
                fetch(node.port(), "/hello")
            name, labels = "caf_http_requests_total", {"route": "/hello", "code_class": "2xx"}
            self.assertEqual(metric(node, name, **labels), 60)
            for instance in ("n1.2", "n1.3"):
                self.assertGreater(metric(node, name, instance=instance, **labels), 0)
            lines = node.ctl("metrics").stdout.splitlines()
            heads = [line for line in lines if line.startswith("#")]
            self.assertEqual(len(heads), len(set(heads)))
            os.kill(node.instance_pids()["n1.3"], signal.SIGSTOP)
            started = time.monotonic()
            text = node.ctl("metrics").stdout
            self.assertLess(time.monotonic() - started, 3)
            told = {name for name in ("n1.2", "n1.3") for line in text.splitlines()
                    if line.startswith("caf_http_") and f'instance="{name}"' in line}
            self.assertEqual(told, {"n1.2"})

    def test_each_has_a_line_and_top_counts_the_connections_of_all(self):
        with Scaled() as node:
            node.scale(2)
            node.wait_count(2)
            with contextlib.ExitStack() as stack:
                for _ in range(16):
                    stack.enter_context(Wire(node.port())).get("/hello")
                rows = {}

                def told():
                    heading, *lines = node.ctl("instances").stdout.splitlines()
                    self.assertEqual(heading.split(),
                                     ["instance", "pid", "state", "connections", "in_flight", "busy", "rss_mib"])
                    rows.update((line.split()[0], line.split()) for line in lines)
                    return sum(int(row[3]) for row in rows.values()) == 16
                eventually(told, "all connections are told")
                self.assertEqual(set(rows), {"n1", "n1.2"})
                self.assertEqual([rows["n1"][1], rows["n1.2"][1]], [str(node.pid), str(node.instance_pids()["n1.2"])])
                self.assertEqual(node.ctl_json("instances")[1]["name"], "n1.2")
                top = node.ctl("top", "--once").stdout.splitlines()
                self.assertEqual(top[3].split()[top[2].split().index("CONN")], "16")

    def test_who_asks_how_busy_the_web_tier_is_does_not_count(self):
        with Scaled() as node:
            fetch(node.port(), "/hello")
            for _ in range(50):
                node.state()
            with Wire(node.admin_port) as wire:
                text = wire.get("/metrics", host="localhost").body.decode()
            values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
            self.assertEqual(sum(float(value) for key, value in values.items()
                                 if key.startswith(("caf_http_requests_in_flight", "caf_http_connections"))), 0)
            self.assertEqual(sum(float(value) for key, value in values.items()
                                 if key.startswith("caf_http_requests_total")), 1)

    def test_listeners_tell_their_queue_and_their_end(self):
        config = default_config(listen=("127.0.0.1:0", "127.0.0.2:0"))
        with Node(config) as node:
            migrates = pathlib.Path("/proc/sys/net/ipv4/tcp_migrate_req").read_text().strip()
            self.assertEqual(node.metrics()["caf_http_tcp_migrate_req"], float(migrates))
            queues = [key for key in node.metrics() if key.startswith("caf_http_accept_queue{")]
            self.assertEqual(len(queues), 2)
            with Wire(node.port()) as kept:
                self.assertEqual(kept.get("/hello").status, 200)
                node.write(config.replace(', "127.0.0.2:0"', ""))
                node.ctl("reload")
                eventually(lambda: node.metric("caf_http_drain_seconds_count") == 1, "a listener has left")
                self.assertEqual(kept.get("/hello").status, 200)
            self.assertGreaterEqual(node.metric("caf_http_drain_seconds_sum"), 2)
            self.assertEqual(len([key for key in node.metrics() if key.startswith("caf_http_accept_queue{")]), 1)


class Shared(unittest.TestCase):
    def test_tls_sessions_are_resumed_by_every_instance(self):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        self.addCleanup(folder.cleanup)
        cert, key = Authority(folder.name).issue("localhost")
        for rotate in ("12h", "1s"):
            extra = f'listen_tls = ["127.0.0.1:0"]\n[http.tls]\ncert = "{cert}"\nkey = "{key}"\n' \
                    f'ticket_rotate = "{rotate}"'
            with Scaled(extra=extra) as node:
                node.scale(3)
                node.wait_count(3)
                if rotate == "1s":
                    time.sleep(3)  # nothing is left of the first ring
                context = client_context()
                session, resumed = None, 0
                for _ in range(40):
                    with TlsWire(node.port(1), _Resuming(context, session)) as wire:
                        self.assertEqual(wire.get("/hello").status, 200)
                        resumed += wire.socket.session_reused
                        session = wire.socket.session
                self.assertEqual(resumed, 39)
                for instance in ("n1.2", "n1.3"):
                    self.assertGreater(metric(node, "caf_http_tls_handshakes_total", instance=instance,
                                              resumed="yes"), 0)

    def test_the_rate_of_a_route_is_one_rate(self):
        site = SITE + '''
  [[http.site.route]]
  path = "/rare"
  respond = { body = "rare" }
  rate_limit = "6/m"
  rate_burst = 12
  rate_key = "route"
'''

        def admitted(node, count):
            return sum(fetch(node.port(), "/rare").status == 200 for _ in range(count))
        with Scaled(site=site) as node:
            node.scale(3)
            node.wait_count(3)
            time.sleep(0.5)
            self.assertIn(admitted(node, 100), range(10, 15))

    def test_a_reload_reaches_every_instance(self):
        with Scaled() as node:
            node.scale(3)
            node.wait_count(3)
            node.write(scaled_config().replace("Hello, World!", "Hello, new world!"))
            node.ctl("reload")

            def all_new():
                return all(fetch(node.port(), "/hello").body == b"Hello, new world!" for _ in range(30))
            eventually(all_new, "all serve the new configuration")
            node.write(scaled_config() + "nonsense = 1\n")
            self.assertEqual(node.ctl("reload", check=False).returncode, 2)
            self.assertTrue(all_new())


def connected_from(port):
    """Where connections to a port of this host come from."""
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_ = line.split()
        if state == "01" and int(remote.split(":")[1], 16) == port:
            yield int(local.split(":")[1], 16)


class InCluster(unittest.TestCase):
    def test_instances_prove_themselves_with_the_certificate_of_their_node(self):
        tls = '[cluster.tls]\ncert = "a.pem"\nkey = "a.key"\nca = "ca.pem"\n'
        ports = range(free_port(), 65536)[:4]
        extra = f'[scaler]\ninstance_ports = "{ports[0]}-{ports[-1]}"\n'
        with Cluster({"a": ["http", "scaler"], "b": ["http"]}, cluster=tls, extra=extra) as cluster:
            authority = Authority(cluster.folder)
            authority.issue("a", "a")
            authority.issue("b", "b")
            for name in ("a", "b"):
                cluster.start(name, args=[f"--set=cluster.tls.cert={cluster.folder}/{name}.pem",
                                          f"--set=cluster.tls.key={cluster.folder}/{name}.key"])
            cluster.together(["a", "b"])
            cluster["a"].ctl("scale", "2")
            for seen_by in ("a", "b"):
                eventually(lambda: cluster.members(seen_by).get("a.2", {}).get("linked"), f"a.2 is linked to {seen_by}")
            for name in ("a", "b"):
                self.assertTrue(set(connected_from(cluster.ports[name])) & set(ports), name)

    def test_another_scaler_takes_over_with_the_count(self):
        extra = "[scaler]\nmax_instances = 4\n"
        roles = {"edge": ["http"], "s1": ["scaler"], "s2": ["scaler"]}
        with Cluster(roles, extra="\n" + extra) as cluster:
            cluster.start("s1").start("edge", "s2").together()
            edge = cluster["edge"]

            def instances():
                with Wire(edge.admin_port) as wire:
                    return json.loads(wire.get("/v1/scaler", host="localhost").body).get("instances", [])

            def ready():
                return sorted(x["name"] for x in instances() if x["state"] == "ready")

            def incarnation(name):
                return next(x["incarnation"] for x in instances() if x["name"] == name)

            def holder():
                return next((x["node"] for x in edge.ctl_json("names") if x["name"] == "scaler.web.edge"), None)
            eventually(lambda: ready() == ["edge"], "the instances of edge are seen")
            edge.ctl("scale", "2")
            eventually(lambda: ready() == ["edge", "edge.2"], "one more")
            first = holder()
            self.assertIn(first, ("s1", "s2"))
            other = {"s1": "s2", "s2": "s1"}[first]
            before = incarnation("edge.2")
            cluster[first].signal(signal.SIGKILL)
            started = time.monotonic()
            eventually(lambda: holder() == other, "the other one holds the name", 6)
            edge.ctl("scale", "3")
            eventually(lambda: len(ready()) == 3, "it acts")
            print(f"taken over and grown after {time.monotonic() - started:.1f} s")
            self.assertEqual(incarnation("edge.2"), before)
            cluster.start(first)
            cluster.together()
            edge.ctl("scale", "1")
            eventually(lambda: ready() == ["edge"], "back to one")
            self.assertEqual(holder(), other)


class _Resuming:
    """A context whose sockets resume a session."""

    def __init__(self, context, session):
        self.context, self.session = context, session

    def wrap_socket(self, plain, server_hostname):
        return self.context.wrap_socket(plain, server_hostname=server_hostname, session=self.session)


if __name__ == "__main__":
    suite.main()
