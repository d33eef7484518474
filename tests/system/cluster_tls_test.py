"""Links with certificates: who has none of ours gets no link, and both logs say why."""
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

from support import suite
from support.cluster import Cluster
from support.node import free_port
from support.suite import eventually
from support.tls import Authority
from support.up import Up

TLS = '[cluster.tls]\ncert = "{node}.pem"\nkey = "{node}.key"\nca = "ca.pem"\n'


class Certificates(unittest.TestCase):
    def make(self, names=("a", "b")):
        cluster = Cluster({name: [] for name in names}, cluster=TLS, program=suite.CLUSTER_NODE)
        self.addCleanup(cluster.close)
        authority = Authority(cluster.folder)
        for name in names:
            authority.issue(name, name)
        return cluster, authority

    def check_refused(self, cluster, text):
        for name in ("a", "b"):
            eventually(lambda: text in cluster[name].log(), f"{name} says: {text}; {cluster[name].log()}")
        self.assertFalse(cluster.members("a").get("b", {}).get("linked", False))

    def test_nodes_of_one_authority_are_linked(self):
        cluster, _ = self.make()
        cluster.start("a", "b")
        cluster.together()
        eventually(lambda: any(x["name"] == "probe-b" for x in cluster["a"].ctl_json("names")), "names spread")
        cluster["a"].ask("here", {"method": "load", "params": {"target": "probe-b", "in_flight": 8, "total": 1000}})
        eventually(lambda: cluster["a"].ask("here", {"method": "loaded"})["good"] == 1000, "asks are answered")

    def test_a_certificate_without_the_name_of_the_node_is_refused_at_the_start(self):
        cluster, authority = self.make()
        file = cluster.folder / "cluster.toml"
        file.write_text(cluster.config())
        place = cluster.config()[:cluster.config().index("[cluster.tls]")].count("\n") + 1

        def run(*args):
            return subprocess.run([suite.NODE, "--config", file, *args], capture_output=True, text=True,
                                  timeout=suite.PATIENCE)

        for hosts, found in [(["other"], 'with the DNS name "other"'), (["x", "a.b"], 'with the DNS name "x", "a.b"'),
                             ([], 'with the DNS name "localhost"')]:
            cert, _ = authority.issue("b", *hosts)
            for done in (run("--name", "b", "--check"), run("--name", "b"), run("--check")):  # both are of this host
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f'cluster.toml:{place}:1: {cert}: found a certificate {found}, '
                              'expected "b" among its subjectAltName', done.stderr)
        self.assertEqual(run("--name", "a", "--check").returncode, 0)

    def test_a_peer_whose_certificate_has_another_name(self):
        cluster, authority = self.make()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("other", "other"))
        with socket.create_server(("127.0.0.1", cluster.ports["b"])) as server:
            cluster.start("a")
            with server.accept()[0] as link, self.assertRaises(ssl.SSLError):
                with context.wrap_socket(link, server_side=True) as peer:
                    peer.recv(1)
        eventually(lambda: "certificate verify failed" in cluster["a"].log(), "a says why")

    def test_up_runs_several_nodes_of_one_file(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            authority = Authority(folder)
            config = f'[cluster]\ndata_dir = "var"\n{TLS}'.replace('"{node}', f'"{folder}/{{node}}').replace(
                '"ca.pem', f'"{folder}/ca.pem')
            for name in ("a", "b"):
                authority.issue(name, name)
                config += f'[[node]]\nname = "{name}"\nlink = "127.0.0.1:{free_port()}"\nroles = ["demo"]\n'
            with Up(config) as up:
                up.wait_ready("a", "b")
                eventually(lambda: all(each["state"] == "up" for each in up.ctl_json("nodes", node="a")) and
                           len(up.ctl_json("nodes", node="a")) == 2, "they are linked")
                self.assertEqual(up.stop(), 0)

    def test_another_authority(self):
        cluster, _ = self.make()
        with tempfile.TemporaryDirectory() as folder:
            Authority(folder).issue("a", "a")
            for end in ("pem", "key"):
                os.replace(pathlib.Path(folder) / f"a.{end}", cluster.folder / f"a.{end}")
        cluster.start("b", "a")
        self.check_refused(cluster, "TLS")

    def test_an_expired_certificate(self):
        cluster, authority = self.make()
        authority.issue("b", "b", days=-1)
        cluster.start("b", "a")
        self.check_refused(cluster, "expired")

    def test_plain_bytes_and_a_plain_node(self):
        cluster, _ = self.make()
        cluster.start("b")
        with socket.create_connection(("127.0.0.1", cluster.ports["b"]), timeout=suite.PATIENCE) as client:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while client.recv(4096):
                pass
        eventually(lambda: "TLS" in cluster["b"].log(), "the log says why")
        plain = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(plain.close)
        plain.ports = cluster.ports
        plain.start("a")
        eventually(lambda: "link refused" in plain["a"].log(), "the plain node says why")

    def test_new_certificates_keep_links(self):
        cluster, authority = self.make()
        cluster.start("a", "b")
        cluster.together()
        for name in ("a", "b"):
            authority.issue(name, name)
            cluster[name].ctl("reload")
        self.assertEqual(cluster["a"].metric("caf_cluster_links_lost_total"), 0)
        authority.issue("a", "other")
        self.assertIn('expected "a"', cluster["a"].ctl("reload", check=False).stderr)
        (cluster.folder / "a.pem").write_text("no certificate")
        self.assertEqual(cluster["a"].ctl("reload", check=False).returncode, 1)
        self.assertIn("reload refused, the old configuration stays", cluster["a"].log())
        self.assertTrue(cluster.members("a")["b"]["linked"])
        cluster.start("b")  # dialled anew, with the certificates that were loaded last
        cluster.together()


if __name__ == "__main__":
    suite.main()
