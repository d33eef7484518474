"""The Debian package: made by cpack, installed by dpkg into a root that holds nothing but what it depends on, run there, and
removed without a trace. The files for systemd, Docker and Kubernetes are read by the tools that are there."""
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest
import urllib.request

from support import suite
from support.node import Node, default_config, free_port
from support.wire import fetch

PACKAGING = suite.ROOT / "nodes" / "packaging"
CONFIG = """
[cluster]
data_dir = "/var/lib/caf_app"

[[node]]
name = "edge-1"
roles = ["http", "demo"]

[http]
listen = ["127.0.0.1:{port}"]

[[http.site]]
host = "*"
  [[http.site.route]]
  path = "/greet"
  actor = "greeter"
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=280, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def installed():
    """Entries of the host's package database: name -> paragraph."""
    text = pathlib.Path("/var/lib/dpkg/status").read_text()
    return {re.search(r"^Package: (.+)$", entry, re.M).group(1): entry
            for entry in text.split("\n\n") if "\nStatus: install ok installed" in entry}


def names_in(field):
    """First alternatives of a dependency field."""
    return [re.match(r"\s*([a-z0-9.+-]+)", each).group(1) for each in field.split(",") if each.strip()]


def closure(names, known):
    """Those packages, what they depend on, and what each Debian system has."""
    provider = {}
    for name, entry in known.items():
        found = re.search(r"^Provides: (.+)$", entry, re.M)
        for each in names_in(found.group(1)) if found else []:
            provider.setdefault(each, name)
    todo, result = [*names, "dash", "coreutils", "libc6"], set()
    while todo:
        name = todo.pop()
        name = name if name in known else provider.get(name)
        if name in result or name not in known:
            continue
        result.add(name)
        for field in ("Depends", "Pre-Depends"):
            found = re.search(rf"^{field}: (.+)$", known[name], re.M)
            todo += names_in(found.group(1)) if found else []
    return result


class Root:
    """A Debian system of `packages` and nothing else."""

    def __init__(self, folder, packages, known):
        self.folder = folder
        database = folder / "var/lib/dpkg"
        for each in ("info", "updates", "triggers"):
            (database / each).mkdir(parents=True)
        (folder / "tmp").mkdir()
        (folder / "dev").mkdir()
        for name, number in (("null", 3), ("urandom", 9)):
            os.mknod(folder / "dev" / name, 0o666 | stat.S_IFCHR, os.makedev(1, number))
        for link in ("bin", "sbin", "lib", "lib64"):
            (folder / "usr" / link).mkdir(parents=True)
            (folder / link).symlink_to(f"usr/{link}")
        (database / "status").write_text("\n\n".join(known[name] for name in sorted(packages)) + "\n")
        files = run("dpkg-query", "-L", *sorted(packages)).split("\n")
        for name in dict.fromkeys(files):
            source = pathlib.Path(name)
            if not name.startswith("/") or "/share/" in name or not source.is_file():
                continue
            target = folder / (source.parent.resolve() / source.name).relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() and not target.is_symlink():
                shutil.copy2(source, target, follow_symlinks=False)
        run("ldconfig", "-r", folder)

    def dpkg(self, *args):
        return run("dpkg", f"--root={self.folder}", "--log=/dev/null", *args)

    def files(self):
        """Everything but the package database."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                if not str(path.relative_to(self.folder)).startswith(("var/lib/dpkg", "usr/sbin/ldconfig"))}


@unittest.skipIf(suite.SANITIZED, "a package is built without sanitizers")
@unittest.skipUnless(os.geteuid() == 0, "dpkg and chroot need root")
@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "needs dpkg-dev")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="caf-app-package-"))
        try:
            run("cpack", "--config", suite.BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", cls.folder / "made")
            cls.package, = (cls.folder / "made").glob("*.deb")
            cls.depends = names_in(run("dpkg-deb", "-f", cls.package, "Depends"))
            known = installed()
            cls.root = Root(cls.folder / "root", closure(cls.depends, known), known)
            cls.before = cls.root.files()
            cls.root.dpkg("--install", cls.package)  # checks the dependencies against what the root has
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_1_what_is_in_it(self):
        there = self.root.files()
        for path in ("bin/caf-node", "bin/caf-ctl", "include/caf_app/app.hpp", "lib/cmake/caf_app/caf_appConfig.cmake",
                     "lib/systemd/system/caf-node@.service", "lib/sysctl.d/60-caf_app.conf", "lib/sysusers.d/caf_app.conf",
                     "share/man/man1/caf-node.1", "share/man/man1/caf-ctl.1", "share/caf_app/demo.toml",
                     "share/bash-completion/completions/caf-ctl", "share/doc/caf_app/CONFIGURATION.md",
                     "lib/caf_app/eval/libcaf_app_eval_runtime.a"):
            self.assertIn(f"usr/{path}", there)
        self.assertEqual([path for path in there if "home/" in path or path.startswith("tmp/")], [])
        self.assertGreater(len(self.depends), 5)

    def test_2_a_node_runs_from_it(self):
        port = free_port()
        (self.root.folder / "etc/caf_app/cluster.toml").write_text(CONFIG.replace("{port}", str(port)))
        command = ["chroot", self.root.folder, "/usr/bin/caf-node", "--config", "/etc/caf_app/cluster.toml"]
        self.assertIn("ok", run(*command, "--check"))
        with open(self.folder / "log", "wb") as log:
            node = subprocess.Popen([*command, "--name", "edge-1"], stdout=subprocess.PIPE, stderr=log)
        try:
            self.assertIn(b"ready edge-1", node.stdout.readline(), (self.folder / "log").read_text())
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/greet?name=Ada", timeout=suite.PATIENCE) as reply:
                self.assertIn(b"Hello, Ada!", reply.read())
            status = run("chroot", self.root.folder, "/usr/bin/caf-ctl", "--config", "/etc/caf_app/cluster.toml", "status")
            self.assertIn("serving", status)
            node.send_signal(signal.SIGTERM)
            self.assertEqual(node.wait(suite.PATIENCE), 0)
        finally:
            node.kill()
            node.wait()
            node.stdout.close()
        shutil.rmtree(self.root.folder / "var/lib/caf_app")
        (self.root.folder / "etc/caf_app/cluster.toml").unlink()

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd")
    def test_3_the_unit_is_good_and_confined(self):
        unit = self.root.folder / "usr/lib/systemd/system/caf-node@.service"
        text = run("systemd-analyze", "security", "--offline=yes", "--no-pager", unit)
        level = float(re.search(r"Overall exposure level.*: ([0-9.]+)", text).group(1))
        self.assertLess(level, 3.0)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", f"--root={self.root.folder}", "caf-node@edge-1.service"],
                              capture_output=True, text=True, timeout=suite.PATIENCE)
        self.assertNotRegex(done.stderr, r"(?i)caf-node@.*(unknown|failed to parse|invalid|not executable)")

    def test_4_it_is_removed_without_a_trace(self):
        self.root.dpkg("--purge", "caf-app")
        self.assertEqual(self.root.files() - self.before, set())
        self.assertNotIn("Package: caf-app\n", (self.root.folder / "var/lib/dpkg/status").read_text())


class Notice(unittest.TestCase):
    def test_the_service_manager_hears_of_the_start_and_of_the_stop(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(manager.close)
            manager.bind(f"{folder}/notify")
            manager.settimeout(suite.PATIENCE)
            with Node(default_config(), prefix=["env", f"NOTIFY_SOCKET={folder}/notify"]) as node:
                self.assertEqual(manager.recv(256), b"READY=1\nSTATUS=serving")
                node.signal(signal.SIGTERM)
                self.assertEqual(manager.recv(256), b"STOPPING=1")
                self.assertEqual(node.wait(), 0)


class Files(unittest.TestCase):
    """What runs elsewhere is read here."""

    def test_maintainer_scripts(self):
        for name in ("postinst", "prerm", "postrm"):
            run("sh", "-n", PACKAGING / name)
            if shutil.which("shellcheck"):
                run("shellcheck", PACKAGING / name)

    def test_dockerfile(self):
        stages, copied = [], []
        text = re.sub(r"\\\n", " ", (PACKAGING / "Dockerfile").read_text())
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            word, rest = line.split(maxsplit=1)
            self.assertIn(word, {"FROM", "RUN", "COPY", "USER", "WORKDIR", "STOPSIGNAL", "ENTRYPOINT", "CMD"})
            if word == "FROM":
                stages.append(rest.split(" AS ")[-1])
            elif word == "RUN":
                run("sh", "-n", "-c", rest)
            elif word == "COPY":
                copied += re.findall(r"--from=(\w+)", rest)
            elif word in ("ENTRYPOINT", "CMD"):
                self.assertRegex(rest, r'^\["[^"]+"(, "[^"]+")*\]$')
        self.assertEqual(len(stages), 2)
        self.assertEqual(copied, [stages[0]])

    def test_kubernetes(self):
        import yaml  # of python3-yaml, which the test group has
        objects = {each["kind"] + " " + each["metadata"]["name"]: each
                   for each in yaml.safe_load_all((PACKAGING / "kubernetes.yaml").read_text())}
        pods = objects["StatefulSet caf-app"]["spec"]
        container, = pods["template"]["spec"]["containers"]
        self.assertIn("drain", str(container["lifecycle"]["preStop"]))
        self.assertIn("readinessProbe", container)
        self.assertIn("Service " + pods["serviceName"], objects)
        labels = pods["template"]["metadata"]["labels"].items()
        for kind in ("Service caf-app", "Service caf-app-links"):
            self.assertLessEqual(objects[kind]["spec"]["selector"].items(), labels)
        volumes = ({each["name"] for each in pods["template"]["spec"]["volumes"]} |
                   {each["metadata"]["name"] for each in pods["volumeClaimTemplates"]})
        for each in [container, *pods["template"]["spec"]["initContainers"]]:
            self.assertLessEqual({mount["name"] for mount in each["volumeMounts"]}, volumes)
            self.assertTrue(each["securityContext"]["readOnlyRootFilesystem"])
        self.check_cluster_file(objects["ConfigMap caf-app"]["data"]["cluster.toml"], pods)

    def check_cluster_file(self, text, pods):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            file = pathlib.Path(folder) / "cluster.toml"
            secret = pathlib.Path(folder) / "cluster.key"
            secret.write_text("0123456789abcdef")
            secret.chmod(0o600)
            file.write_text(text.replace("/run/caf_app/cluster.key", str(secret)))
            for i in range(pods["replicas"]):
                name = f"caf-app-{i}"
                run(suite.NODE, "--config", file, "--name", name, "--check")
                self.assertIn(f'link = "{name}.{pods["serviceName"]}:7101"', text)
        text = text.replace("0.0.0.0:8080", "127.0.0.1:0").replace("0.0.0.0:7101", f"127.0.0.1:{free_port()}")
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:  # a start; its neighbours resolve nowhere
            text = text.replace("/run/caf_app", folder).replace("/var/lib/caf_app", folder + "/var")
            (pathlib.Path(folder) / "cluster.key").write_text("0123456789abcdef")
            (pathlib.Path(folder) / "cluster.key").chmod(0o600)
            with Node(text, name="caf-app-0", folder=folder) as node:
                self.assertEqual(fetch(node.port(), "/hello").body, b"Hello, World!")
                self.assertEqual(node.stop(), 0)


if __name__ == "__main__":
    suite.main()
