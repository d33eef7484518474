"""The library as others use it: installed into a prefix, found by CMake, linked by a client that joins a cluster."""
import pathlib
import subprocess
import tempfile
import unittest

from support import suite
from support.node import Node, free_port
from support.suite import eventually

CONSUMER = suite.ROOT / "tests" / "consumer"

CLUSTER = """
[cluster]
name = "test"
data_dir = "var"
secret_file = "cluster.key"

[[node]]
name = "n1"
link = "127.0.0.1:{port}"
admin = "127.0.0.1:0"
roles = ["demo"]
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=280, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


@unittest.skipIf(suite.SANITIZED, "an installed library is not instrumented")
class Install(unittest.TestCase):
    def test_a_client_outside_the_tree(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            folder = pathlib.Path(folder)
            prefix = folder / "prefix"
            run("cmake", "--install", suite.BUILD, "--prefix", prefix)
            for name in ("bin/caf-node", "bin/caf-ctl", "include/caf_app/app.hpp", "lib/sysctl.d/60-caf_app.conf"):
                self.assertTrue((prefix / name).is_file(), name)
            run("cmake", "-S", CONSUMER, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
            run("cmake", "--build", folder / "build")
            self.talk(prefix, folder)

    def talk(self, prefix, folder):
        port = free_port()
        secret = folder / "cluster.key"
        secret.touch(0o600)
        secret.write_text("0123456789abcdef0123456789abcdef")
        with Node(CLUSTER.replace("{port}", str(port)), program=prefix / "bin" / "caf-node", folder=folder) as node:
            client = subprocess.Popen([folder / "build" / "consumer", "test", f"n1=127.0.0.1:{port}", secret, "greeter",
                                       '{"name": "Ada"}'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                self.assertEqual(client.stdout.readline(), "found greeter\n")
                self.assertIn("Hello, Ada!", client.stdout.readline())
                names = eventually(lambda: [x for x in node.ctl_json("nodes") if x["node"] == "consumer"], "it is known")
                self.assertEqual(names[0]["state"], "up")
                node.ctl("kill", "greeter")
                self.assertRegex(client.stdout.readline(), "^down .*kill")
                self.assertEqual(client.wait(suite.PATIENCE), 0)
            finally:
                client.kill()
                _, errors = client.communicate()
                if client.returncode != 0:
                    print(errors, node.log())


if __name__ == "__main__":
    suite.main()
