#!/usr/bin/env python3
"""Builds over HTTP: states, diagnostics, logs, cancelling, deleting, restarts, tokens, signed states, sources."""
import json
import pathlib
import subprocess
import tempfile
import threading
import unittest

from support import suite
from support.evaluator import Evaluator, descendants, runs
from support.suite import eventually
from support.wire import Wire, request

TOKENS = {"a": "token-of-a-0123456789", "b": "token-of-b-0123456789"}

# Of something that is measured against a deadline on a machine that runs other tests too.
SLACK = 10 if suite.SANITIZED else 2

HEADER = "#pragma once\n#include <caf_app/eval.hpp>\nnamespace m { using namespace caf_app::eval; nat add(nat a, nat b); }\n"
SOURCE = '#include "m.hpp"\nnamespace m { nat add(nat a, nat b) { return a + b; } }\n'


def small(extra="", source=SOURCE, **more):
    """A declaration that builds, or does not because of `extra` in its header."""
    return {"source": {"files": {"m.hpp": HEADER + extra, "m.cpp": source}},
            "functions": [{"name": "m.add", "header": "m.hpp", "function": "m::add", "signature": "nat(nat, nat)"}],
            "graphs": [{"name": "sum", "program": 'return m::add(input<nat>("a"), input<nat>("b"));'}], **more}


def function(name, signature, header="bad.hpp", called=None):
    return {"name": f"bad.{name}", "header": header, "function": f"bad::{called or name}", "signature": signature}


# A project of faults: what the compiler finds, by function. Name -> (declaration, word of the message).
BAD_HEADER = """
#pragma once
#include <caf_app/eval.hpp>
namespace bad {
using namespace caf_app::eval;
nat good(nat a);
nat wrong_argument(integer a);
integer wrong_result(nat a);
nat by_reference(const nat& a);
nat too_few(nat a);
struct opaque { int* p; };
opaque crosses(nat a);
nat overloaded(nat a);
nat overloaded(integer a);
template <class T> T generic(T a);
nat with_effect(effects<trace>& fx, nat a);
nat undeclared_effect(nat a);
nat defaulted(nat a, nat b = 1);
produced<nat, nat> produces(nat a, clock_ms now, std::optional<nat> last);
outcome<nat> may_fail(nat a);
}
"""

BAD_FUNCTIONS = {
    "good": "nat(nat)", "wrong_argument": "nat(nat)", "wrong_result": "nat(nat)", "by_reference": "nat(nat)",
    "too_few": "nat(nat, nat)", "crosses": "bad::opaque(nat)", "missing": "nat(nat)", "overloaded": "nat(std::string)",
    "with_effect": "nat(nat)", "undeclared_effect": "nat(effects<trace>&, nat)", "defaulted": "nat(nat)",
    "produces": "nat(nat)", "may_fail": "nat(nat)", "unknown_type": "bad::nothing(nat)",
}

# What reads as a type or a program: name -> (program, line of the fault or None for anywhere).
BAD_PROGRAMS = {
    "no_return": ('auto a = input<nat>("a");', None),
    "two_returns": ('return input<nat>("a");\nreturn input<nat>("b");', 2),
    "unknown_function": ('auto a = input<nat>("a");\nreturn bad::nothing(a);', 2),
    "unknown_name": ("return bad::good(x);", 1),
    "arity": ('return bad::good(input<nat>("a"), input<nat>("b"));', 1),
    "input_twice": ('auto a = input<nat>("a");\nauto b = input<nat>("a");\nreturn bad::good(a);', 2),
    "name_twice": ('auto a = input<nat>("a");\nauto a = input<nat>("b");\nreturn bad::good(a);', 2),
    "keyword": ('auto class = input<nat>("a");\nreturn bad::good(class);', 1),
    "literal": ("return bad::good(1);", 1),
    "loop": ('auto a = input<nat>("a");\nwhile (true) {}\nreturn bad::good(a);', 2),
    "include": ('#include "/etc/passwd"\nreturn bad::good(input<nat>("a"));', 1),
    "lambda": ('auto f = [](nat a) { return a; };\nreturn bad::good(input<nat>("a"));', 1),
    "escape": ('auto a = input<nat>("a");\nreturn bad::good(a); } int x = system("id"); {', 2),
    "no_semicolon": ('auto a = input<nat>("a")\nreturn bad::good(a);', None),
    "bad_type": ('return bad::good(input<nat*>("a"));', 1),
    "project_type": ('return bad::good(input<bad::nowhere>("a"));', 1),
    "input_name": ('return bad::good(input<nat>("a b"));', 1),
    "empty": ("", None),
    "wrong_type": ('auto a = input<std::string>("a");\n\nreturn bad::good(a);', 3),
    "wrong_nested": ('auto a = input<nat>("a");\nauto b = bad::good(a);\nauto c = bad::good(input<bool>("c"));\n'
                     "return bad::good(b);", 3),
}


class Diagnostics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Evaluator()
        cls.addClassCleanup(cls.node.close)
        declared = {
            "source": {"files": {"bad.hpp": BAD_HEADER, "bad.cpp": '#include "bad.hpp"\nnat nonsense = ;\n'}},
            "functions": [function(name, signature) for name, signature in BAD_FUNCTIONS.items()]
            + [function("no_header", "nat(nat)", header="none.hpp"), function("no_signature", "nat(nat")],
            "graphs": [{"name": name, "program": program} for name, (program, _) in BAD_PROGRAMS.items()]
            + [{"name": "declared_input", "program": 'return bad::good(input<nat>("a"));', "inputTypes": {"b": "nat"}},
               {"name": "declared_output", "program": 'return bad::good(input<nat>("a"));', "outputType": "bool"}],
        }
        cls.http, cls.status = cls.node.post(declared)

    def of(self, scope, name):
        return [d for d in self.status["diagnostics"] if d["scope"] == scope and d["name"] == name]

    def test_a_failed_build_is_422_and_says_why(self):
        self.assertEqual((self.http, self.status["state"]), (422, "failed"))
        self.assertTrue(self.status["error"])

    def test_every_faulty_function_is_named(self):
        for name in [*BAD_FUNCTIONS, "no_header", "no_signature"]:
            with self.subTest(name):
                self.assertEqual(bool(self.of("function", f"bad.{name}")), name != "good",
                                 self.of("function", f"bad.{name}"))

    def test_every_faulty_program_has_its_line(self):
        for name, (program, line) in BAD_PROGRAMS.items():
            with self.subTest(name):
                found = self.of("graph", name)
                self.assertTrue(found, "no diagnostic")
                if line is not None:
                    self.assertIn(line, [d["line"] for d in found], found)
        self.assertTrue(self.of("graph", "declared_input"))
        self.assertTrue(self.of("graph", "declared_output"))

    def test_a_faulty_source_is_a_fault_of_the_project(self):
        found = [d for d in self.status["diagnostics"] if d["scope"] == "project" and d["file"] == "bad.cpp"]
        self.assertEqual([d["line"] for d in found][:1], [2], found)

    def test_calls_of_a_failed_build(self):
        status, reply = self.node.api("POST", f"/builds/{self.status['id']}/functions/bad.good", {"input": 1})
        self.assertEqual((status, reply["code"]), (409, "not_ready"))
        self.assertIn("failed", reply["error"])

    def test_a_compiler_shows_no_files_of_the_host(self):
        secret = pathlib.Path("/etc/passwd").read_text().splitlines()[0].split(":")[0] + ":x:"
        status = self.node.build(small('#include "/etc/passwd"\n'))
        log = self.node.api("GET", f"/builds/{status['id']}/log")[1]
        self.assertEqual(status["state"], "failed")
        self.assertNotIn(secret, json.dumps(status) + log)

    def test_declarations_that_are_malformed(self):
        good = small()
        for change in ({"source": None}, {"source": {}}, {"source": {"files": {"../x": ""}}},
                       {"source": {"files": {"/x": ""}}}, {"source": {"files": {"a": "", "a/b": ""}}},
                       {"source": {"directory": "/tmp"}}, {"source": {"git": {"url": "file:///x", "commit": "0" * 40}}},
                       {"functions": []}, {"functions": good["functions"] * 2}, {"functions": good["functions"] * 257},
                       {"functions": [{**good["functions"][0], "name": "a-b"}]},
                       {"functions": [{**good["functions"][0], "name": "a" * 129}]},
                       {"functions": [{**good["functions"][0], "signature": "x" * 4097}]},
                       {"graphs": good["graphs"] * 2}, {"graphs": [{"name": "g", "program": "x" * 65537}]},
                       {"graphs": [{"name": "g"}]}, {"binding": {"org_id": "a b"}}):
            status, reply = self.node.api("POST", "/builds", {**good, **change})
            self.assertEqual((status, sorted(reply)), (400, ["code", "error"]), change)
        self.assertEqual(self.node.api("POST", "/builds", b'{"a": 1, "a": 2}')[0], 400)


class Lives(unittest.TestCase):
    def test_one_build_through_its_life(self):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        self.addCleanup(folder.cleanup)
        key = pathlib.Path(folder.name) / "key"
        key.write_text("a key of the states\n")
        keys = f'state_key_file = "{key}"'
        with Evaluator(keys, folder=folder.name) as node:
            status, first = node.api("POST", "/builds", small())
            self.assertEqual(status, 202)
            self.assertIn(first["state"], ["queued", "fetching", "building"])
            ident = first["id"]
            # Two others wait for the same build; its log is streamed while it grows.
            answers = []
            def post():
                wire = Wire(node.port(), timeout=120)
                answers.append(node.api("POST", "/builds?wait=100s", small(), wire=wire))
                wire.close()
            threads = [threading.Thread(target=post) for _ in range(2)]
            for thread in threads:
                thread.start()
            log = Wire(node.port(), timeout=120).send(request(f"/v0/builds/{ident}/log"))
            head = log.until(b"\r\n\r\n").lower()
            self.assertIn(b"transfer-encoding: chunked", head)
            while not log.buffer.endswith(b"\r\n0\r\n\r\n"):
                self.assertTrue(log.more(), log.buffer)
            self.assertIn(b"linking", log.buffer)
            log.close()
            for thread in threads:
                thread.join()
            self.assertEqual([(status, reply["id"], reply["state"]) for status, reply in answers],
                             [(200, ident, "ready")] * 2)
            step = node.api("POST", f"/builds/{ident}/graphs/sum", {"inputs": {"a": 2 ** 64, "b": 1}})[1]
            self.assertIn("state", step)
            state = step["state"]
            self.assertRegex(state["mac"], "^[0-9a-f]{64}$")
            changed = json.loads(json.dumps(state))
            changed["now"] += 1
            self.assertEqual(node.api("POST", f"/builds/{ident}/graphs/sum", {"state": changed})[0], 400)
            changed = {name: value for name, value in state.items() if name != "mac"}
            self.assertEqual(node.api("POST", f"/builds/{ident}/graphs/sum", {"state": changed})[0], 400)
            # A build that is being made when the node dies.
            other = node.api("POST", "/builds", small("// another\n"))[1]["id"]
            self.assertNotEqual(other, ident)
            eventually(lambda: node.api("GET", f"/builds/{other}")[1]["state"] == "building", "it compiles")
            eventually(lambda: len(descendants(node.pid)) > 3, "compilers run")
            left = descendants(node.pid)
            node.process.kill()
            node.wait()
            eventually(lambda: not any(map(runs, left)), "compilers end with the node", 1.0 * SLACK)
        with Evaluator(keys, folder=folder.name) as node:
            interrupted = node.api("GET", f"/builds/{other}")[1]
            self.assertEqual((interrupted["state"], interrupted["error"]), ("failed", "interrupted"))
            self.assertEqual(node.api("POST", "/builds", small())[0], 200)  # the same id, ready
            again = node.api("POST", f"/builds/{ident}/graphs/sum", {"state": state, "inputs": {"b": 2}})[1]
            self.assertEqual(again["nodes"][2]["output"], 2 ** 64 + 2)
        # Somebody removes the driver: it is made again from what the build's folder keeps.
        driver = pathlib.Path(folder.name) / "var" / "n1" / "eval" / "builds" / ident / "driver"
        driver.unlink()
        with Evaluator(keys, folder=folder.name) as node:
            status, reply = node.api("POST", f"/builds/{ident}/functions/m.add", {"input": [1, 2]})
            self.assertEqual((status, reply), (200, {"output": 3}))
            self.assertTrue(driver.exists())
            # Without that either, the build can be posted again.
            driver.unlink()
            (driver.parent / "request.json").unlink()
        with Evaluator(keys, folder=folder.name) as node:
            self.assertEqual(node.api("POST", f"/builds/{ident}/functions/m.add", {"input": [1, 2]})[0], 409)
            lost = node.api("GET", f"/builds/{ident}")[1]
            self.assertEqual((lost["state"], lost["error"]), ("failed", "the driver is lost"))
            self.assertEqual(node.make(small()), ident)
            # Cancelling and deleting.
            third = node.api("POST", "/builds", small("// a third\n"))[1]["id"]
            eventually(lambda: node.api("GET", f"/builds/{third}")[1]["state"] == "building", "it compiles")
            self.assertEqual(node.api("DELETE", f"/builds/{third}")[0], 204)
            eventually(lambda: node.api("GET", f"/builds/{third}")[1]["state"] == "cancelled", "it is cancelled")
            self.assertEqual(node.api("POST", f"/builds/{third}/functions/m.add", {})[0], 409)
            self.assertEqual(node.api("DELETE", f"/builds/{ident}")[0], 204)
            self.assertEqual(node.api("GET", f"/builds/{ident}")[0], 404)
            self.assertEqual(node.api("POST", f"/builds/{ident}/functions/m.add", {"input": [1, 2]})[0], 404)
            self.assertEqual(node.api("DELETE", f"/builds/{ident}")[0], 404)

    def test_the_store_lets_the_least_recently_used_go_but_none_in_use(self):
        with Evaluator('store_max = "16MiB"\nidle_timeout = "1h"') as node:
            ids = [node.make(small(f"// {i}\n")) for i in range(3)]  # a driver has about 5 MiB
            path = f"/builds/{ids[0]}/functions/m.add"
            self.assertEqual(node.api("POST", path, {"input": [1, 2]})[0], 200)  # its worker stays
            ids.append(node.make(small("// 3\n")))
            self.assertEqual([node.api("GET", f"/builds/{ident}")[0] for ident in ids], [200, 404, 200, 200])
            self.assertEqual(node.api("POST", f"/builds/{ids[1]}/functions/m.add", {"input": [1, 2]})[0], 404)
            self.assertEqual(node.api("POST", path, {"input": [1, 2]})[1], {"output": 3})

    def test_tokens_of_organisations(self):
        folder = tempfile.TemporaryDirectory(prefix="caf-app-")
        self.addCleanup(folder.cleanup)
        tokens = pathlib.Path(folder.name) / "tokens"
        tokens.write_text("".join(f"{token} org-{name}\n" for name, token in TOKENS.items()))
        with Evaluator(f'tokens_file = "{tokens}"', folder=folder.name) as node:
            def api(who, *args):
                fields = (f"Authorization: Bearer {TOKENS[who]}",) if who in TOKENS else (f"Authorization: Bearer {who}",)
                return node.api(*args, *([None] if len(args) == 2 else []), *fields)
            self.assertEqual(node.api("GET", "/health")[0], 200)
            self.assertEqual(node.api("GET", "/builds")[0], 401)
            self.assertEqual(api("wrong-token-0123456", "GET", "/builds")[0], 401)
            self.assertEqual(api("a", "POST", "/builds", small(binding={"org_id": "org-b"}))[0], 403)
            status, reply = node.post(small(), f"Authorization: Bearer {TOKENS['a']}")
            self.assertEqual((status, reply.get("state")), (200, "ready"), reply)
            path = f"/builds/{reply['id']}"
            self.assertEqual(api("b", "GET", path)[0], 404)
            self.assertEqual(api("b", "GET", "/builds")[1], {"builds": []})
            self.assertEqual(api("b", "DELETE", path)[0], 404)
            self.assertEqual(api("b", "POST", path + "/functions/m.add", {"input": [1, 2]})[0], 404)
            self.assertEqual(api("a", "POST", path + "/functions/m.add", {"input": [1, 2]})[1], {"output": 3})
            other = {"input": [1, 2], "binding": {"org_id": "org-b", "user_id": "u"}}
            self.assertEqual(api("a", "POST", path + "/functions/m.add", other)[0], 403)

    def test_sources_of_this_host(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as name, Evaluator("allow_local = true") as node:
            folder = pathlib.Path(name)
            (folder / "build").mkdir()
            (folder / "build" / "junk.cpp").write_text("nonsense")
            (folder / "m.hpp").write_text(HEADER)
            (folder / "m.cpp").write_text(SOURCE)
            git = ["git", "-C", name, "-c", "user.name=t", "-c", "user.email=t@t"]
            subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
            subprocess.run([*git, "add", "m.hpp", "m.cpp"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
            commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
            before = sorted((str(p), p.stat().st_mtime_ns) for p in folder.rglob("*"))
            status = node.build({**small(), "source": {"directory": name}})
            self.assertEqual(status["state"], "ready", status)
            self.assertEqual([f["path"] for f in status["source"]["files"]], ["m.cpp", "m.hpp"])
            self.assertEqual(sorted((str(p), p.stat().st_mtime_ns) for p in folder.rglob("*")), before)
            source = {"git": {"url": f"file://{name}", "commit": commit, "branch": "main"}}
            fetched = node.build({**small(), "source": source})
            self.assertEqual(fetched["state"], "ready", fetched)
            lost = node.build({**small(), "source": {"git": {**source["git"], "commit": "1" * 40}}})
            self.assertEqual(lost["state"], "failed")
            (folder / "link.hpp").symlink_to("/etc/passwd")
            self.assertEqual(node.api("POST", "/builds", {**small(), "source": {"directory": name}})[0], 400)
            self.assertEqual(node.api("POST", "/builds", {**small(), "source": {"directory": "/nowhere"}})[0], 400)


if __name__ == "__main__":
    suite.main()
