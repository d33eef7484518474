"""nodes/picture.py draws what running nodes say."""
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from support import suite
from support.cluster import Cluster
from support.suite import eventually


def draw(*args):
    return subprocess.run([sys.executable, suite.ROOT / "nodes" / "picture.py", *args], capture_output=True, text=True,
                          timeout=suite.PATIENCE)


def words_of(text):
    root = xml.etree.ElementTree.fromstring(text)
    return [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]


class Picture(unittest.TestCase):
    def test_nodes_roles_and_names(self):
        with Cluster({"edge": ["http", "scaler"], "app": ["demo"]}) as cluster:
            cluster.start().together()
            eventually(lambda: any(x["name"] == "greeter" for x in cluster["edge"].ctl_json("names")), "the name is known")
            admin = f"http://127.0.0.1:{cluster['edge'].admin_port}"

            def drawn():
                done = draw(admin)
                self.assertEqual(done.returncode, 0, done.stderr)
                return words_of(done.stdout)
            words = eventually(lambda: [x for x in [drawn()] if "http: edge" in x], "its instance is there")[0]
        for word in ("edge", "app", "greeter", "counter", "HTTP/1.1, HTTP/2, TLS"):
            self.assertIn(word, words)
        self.assertTrue(any(word.startswith("scaler: ") for word in words))

    def test_nobody_is_there(self):
        done = draw("http://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("http://127.0.0.1:1", done.stderr)
        self.assertEqual(draw().returncode, 2)

    def test_the_one_of_the_readme_is_whole(self):
        words = words_of((suite.ROOT / "nodes" / "cluster.svg").read_text())
        self.assertIn("edge-1", words)
        self.assertIn("nodes/cluster.svg", (suite.ROOT / "README.md").read_text())


if __name__ == "__main__":
    suite.main()
