"""Links with certificates: who has none of ours gets no link, and both logs say why."""
import os
import pathlib
import socket
import tempfile
import unittest

from support import suite
from support.cluster import Cluster
from support.suite import eventually
from support.tls import Authority

TLS = '[cluster.tls]\ncert = "{name}.pem"\nkey = "{name}.key"\nca = "ca.pem"\n'


class Certificates(unittest.TestCase):
    def make(self, names=("a", "b")):
        cluster = Cluster({name: [] for name in names}, cluster=TLS, program=suite.CLUSTER_NODE)
        self.addCleanup(cluster.close)
        authority = Authority(cluster.folder)
        for name in names:
            authority.issue(name, name)
        plain = cluster.config
        self.node = names[0]
        cluster.config = lambda: plain().replace("{name}", self.node)
        return cluster, authority

    def start(self, cluster, *names):
        for name in names:
            self.node = name
            cluster.start(name)

    def check_refused(self, cluster, text):
        for name in ("a", "b"):
            eventually(lambda: text in cluster[name].log(), f"{name} says: {text}; {cluster[name].log()}")
        self.assertFalse(cluster.members("a").get("b", {}).get("linked", False))

    def test_nodes_of_one_authority_are_linked(self):
        cluster, _ = self.make()
        self.start(cluster, "a", "b")
        cluster.together()
        eventually(lambda: any(x["name"] == "probe-b" for x in cluster["a"].ctl_json("names")), "names spread")
        cluster["a"].ask("here", {"method": "load", "params": {"target": "probe-b", "in_flight": 8, "total": 1000}})
        eventually(lambda: cluster["a"].ask("here", {"method": "loaded"})["good"] == 1000, "asks are answered")

    def test_a_certificate_without_the_name_of_the_node(self):
        cluster, authority = self.make()
        authority.issue("b", "other")
        self.start(cluster, "b", "a")
        self.check_refused(cluster, "TLS")

    def test_a_client_certificate_without_the_name_of_the_node(self):
        cluster, authority = self.make()
        authority.issue("a", "other")
        self.start(cluster, "b", "a")
        self.check_refused(cluster, "does not name a")

    def test_another_authority(self):
        cluster, _ = self.make()
        with tempfile.TemporaryDirectory() as folder:
            Authority(folder).issue("a", "a")
            for end in ("pem", "key"):
                os.replace(pathlib.Path(folder) / f"a.{end}", cluster.folder / f"a.{end}")
        self.start(cluster, "b", "a")
        self.check_refused(cluster, "TLS")

    def test_an_expired_certificate(self):
        cluster, authority = self.make()
        authority.issue("b", "b", days=-1)
        self.start(cluster, "b", "a")
        self.check_refused(cluster, "expired")

    def test_plain_bytes_and_a_plain_node(self):
        cluster, _ = self.make()
        self.start(cluster, "b")
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
        self.start(cluster, "a", "b")
        cluster.together()
        for name in ("a", "b"):
            authority.issue(name, name)
            self.node = name
            cluster[name].write(cluster.config())
            cluster[name].ctl("reload")
        self.assertEqual(cluster["a"].metric("caf_cluster_links_lost_total"), 0)
        (cluster.folder / "a.pem").write_text("no certificate")
        self.node = "a"
        cluster["a"].write(cluster.config())
        self.assertEqual(cluster["a"].ctl("reload", check=False).returncode, 1)
        self.assertIn("reload refused, the old configuration stays", cluster["a"].log())
        self.assertTrue(cluster.members("a")["b"]["linked"])
        self.start(cluster, "b")  # dialled anew, with the certificates that were loaded last
        cluster.together()


if __name__ == "__main__":
    suite.main()
