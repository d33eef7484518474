"""Bytes on the link port that are no link: they cost little, are refused with a reason, and hurt no healthy link."""
import json
import os
import socket
import struct
import time
import unittest

from support import suite
from support.cluster import Cluster
from support.suite import eventually

MAGIC = 0x4341464C


def frame(kind, body, length=None, flags=0):
    return struct.pack(">IBB", len(body) if length is None else length, kind, flags) + body


class Garbage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster({"a": [], "b": []}, cluster='handshake_timeout = "2s"', program=suite.CLUSTER_NODE)
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.start().together()

    def connect(self, name="b"):
        client = socket.create_connection(("127.0.0.1", self.cluster.ports[name]), timeout=suite.PATIENCE)
        self.addCleanup(client.close)
        return client

    def refused(self):
        return self.cluster["b"].metric("caf_cluster_links_refused_total")

    def ends(self, client):
        """What came before the end."""
        data = b""
        try:
            while chunk := client.recv(65536):
                data += chunk
        except ConnectionResetError:
            pass
        return data

    def tearDown(self):
        self.assertTrue(self.cluster.members("a")["b"]["linked"])
        self.assertEqual(self.cluster["b"].metric("caf_cluster_links_lost_total"), 0)

    def check_refused(self, data):
        before = self.refused()
        client = self.connect()
        client.sendall(data)
        answer = self.ends(client)
        self.assertEqual(answer[4:5], b"\x03", answer)  # a refused frame says why
        eventually(lambda: self.refused() == before + 1, "it was counted")
        return answer[6:]

    def test_http(self):
        self.check_refused(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")

    def test_tls(self):
        self.check_refused(bytes.fromhex("160301020001000 1fc0303".replace(" ", "")) + os.urandom(512))

    def test_four_gigabytes(self):
        self.assertIn(b"long", self.check_refused(struct.pack(">IBB", 0xFFFFFFFF, 1, 0)))

    def test_lengths_around_the_limit_of_a_handshake(self):
        self.assertIn(b"hello", self.check_refused(frame(1, bytes(4096))))
        self.assertIn(b"long", self.check_refused(frame(1, bytes(4097))))

    def test_unknown_kinds_versions_and_frames_out_of_turn(self):
        self.assertIn(b"kind", self.check_refused(frame(99, b"")))
        self.assertIn(b"versions 7 to 9", self.check_refused(frame(1, struct.pack(">IHH", MAGIC, 7, 9))))
        self.assertIn(b"turn", self.check_refused(frame(5, b"x")))

    def test_random_bytes(self):
        for _ in range(50):
            client = self.connect()
            client.sendall(os.urandom(200))
            client.shutdown(socket.SHUT_WR)
            self.ends(client)

    def test_silent_and_slow_connections_cost_little_and_are_closed(self):
        before = self.cluster["b"].rss_kib()
        clients = [self.connect() for _ in range(1000)]
        slow = self.connect()
        for byte in frame(1, struct.pack(">I", MAGIC))[:5]:
            slow.sendall(bytes([byte]))
        self.assertLess(self.cluster["b"].rss_kib() - before, 32 * 1024)
        began = time.monotonic()
        for client in [*clients, slow]:
            self.ends(client)
        self.assertLess(time.monotonic() - began, 10)
        descriptors = self.cluster["b"].descriptors
        eventually(lambda: descriptors() < 100, "descriptors are given back")


class Refused(unittest.TestCase):
    """Nodes that must not get a link say why, both of them."""

    def start_pair(self, change):
        cluster = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(cluster.close)
        cluster.start("b")
        change(cluster)
        cluster.start("a")
        return cluster

    def check_logs(self, cluster, text):
        for name in ("a", "b"):
            eventually(lambda: text in cluster[name].log(), f"{name} says why: {text}")
        self.assertFalse(cluster.members("a").get("b", {}).get("linked", False))

    def test_another_secret(self):
        cluster = self.start_pair(lambda c: c.secret.write_text("another secret of the same length!\n"))
        self.check_logs(cluster, "wrong secret")

    def test_another_cluster(self):
        def rename(cluster):
            cluster.config_before = cluster.config
            cluster.config = lambda: cluster.config_before().replace('name = "test"', 'name = "other"', 1)
        self.check_logs(self.start_pair(rename), "wanted")

    def test_a_second_process_with_the_name_of_a_living_node(self):
        cluster = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(cluster.close)
        cluster.start().together()
        twin = Cluster({"a": [], "b": []}, program=suite.CLUSTER_NODE)
        self.addCleanup(twin.close)
        twin.ports["b"] = cluster.ports["b"]
        twin.start("a")
        eventually(lambda: "name" in twin["a"].log() and "refuse" in twin["a"].log(), "the twin is refused")
        time.sleep(1)
        self.assertTrue(cluster.members("b")["a"]["linked"])
        self.assertEqual(cluster["b"].metric("caf_cluster_links_lost_total"), 0)


class Files(unittest.TestCase):
    def run_with(self, change, expected, status=1):
        cluster = Cluster({"a": []})
        self.addCleanup(cluster.close)
        change(cluster)
        with self.assertRaises(AssertionError) as raised:
            cluster.start("a")
        self.assertIn(expected, str(raised.exception))

    def test_what_is_wrong_with_a_secret_file(self):
        self.run_with(lambda c: c.secret.unlink(), "No such file")
        self.run_with(lambda c: os.chmod(c.secret, 0o644), "0600")
        for size, good in ((15, False), (16, True), (4096, True), (4097, False)):
            with self.subTest(size):
                if good:
                    cluster = Cluster({"a": []})
                    self.addCleanup(cluster.close)
                    cluster.secret.write_text("x" * size)
                    cluster.start("a")
                else:
                    self.run_with(lambda c: c.secret.write_text("x" * size), f"{size} bytes")

    def test_links_beyond_loopback_need_certificates_or_consent(self):
        self.run_with(lambda c: c.hosts.update(a="0.0.0.0"), "insecure = true")


if __name__ == "__main__":
    suite.main()
