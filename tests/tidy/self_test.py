#!/usr/bin/env python3
"""The checks find what they are for: each case plants one violation into a small tree that is clean without it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import clang_format  # noqa: E402
import clang_tidy  # noqa: E402
import files  # noqa: E402
import house  # noqa: E402
import includes  # noqa: E402
import source  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = "// What it is for.\n#pragma once\n"
OWN = '#include "actors/http/uri.hpp"\n'
CLEAN = {
    "README.md": "", "actors/http/README.md": "", "actors/eval/README.md": "", "nodes/README.md": "",
    "libcaf_app/caf_app/README.md": "", "tests/README.md": "",
    **{f"libcaf_app/caf_app/{room}/README.md": "" for room in includes.ROOMS},
    "actors/http/uri.hpp": HEAD + '#include <string>\n#include "caf_app/base/error.hpp"\n',
    "actors/http/uri.cpp": OWN,
    "libcaf_app/caf_app/base/error.hpp": HEAD,
    "tests/unit/actors/http/uri_test.cpp": '#define CAF_SUITE uri\n#include "actors/http/uri.hpp"\n',
}

# (check, file, its text, part of the finding)
PLANTED = [
    (includes, "actors/http/a.hpp", HEAD + '#include "actors/eval/b.hpp"\n', "through caf_app/messages/"),
    (includes, "actors/http/a.hpp", HEAD + "#include <nghttp2/nghttp2.h>\n", "h2_session.cpp only"),
    (includes, "actors/http/h2_session.hpp", HEAD + "#include <nghttp2/nghttp2.h>\n", "h2_session.cpp only"),
    (includes, "libcaf_app/caf_app/base/a.cpp", "// x\n#include <openssl/ssl.h>\n", "loop/tls_*.cpp"),
    (includes, "libcaf_app/caf_app/loop/tls_session.hpp", HEAD + "#include <openssl/ssl.h>\n", "loop/tls_*.cpp"),
    (includes, "actors/http/a.hpp", HEAD + "#include <toml++/toml.h>\n", "base only"),
    (includes, "libcaf_app/caf_app/loop/a.hpp", HEAD + '#include "actors/http/uri.hpp"\n', "dependency round"),
    (includes, "libcaf_app/caf_app/loop/a.hpp", HEAD + '#include "nodes/x.hpp"\n', "dependency round"),
    (includes, "libcaf_app/caf_app/loop/a.hpp", HEAD + '#include "caf_app/registry/x.hpp"\n', "the order is"),
    (includes, "libcaf_app/caf_app/loop/a.hpp", HEAD + '#include "caf_app/app.hpp"\n', "above all rooms"),
    (includes, "actors/http/a.hpp", HEAD + '#include "nodes/x.hpp"\n', "nobody includes nodes/"),
    (includes, "actors/http/a.hpp", HEAD + "#include <sys/socket.h>\n", "pure file"),
    (includes, "actors/http/a.hpp", HEAD + "#include <thread>\n", "pure file"),
    (includes, "libcaf_app/caf_app/base/a.hpp", HEAD + "#include <caf/event_based_actor.hpp>\n", "pure file"),
    (includes, "actors/http/a.hpp", HEAD + '#  include "caf_app/loop/event_loop.hpp"\n', "pure file"),
    (house, "actors/http/a.cpp", "auto t = std::chrono::steady_clock::now();\n", "pure files know no clock"),
    (house, "actors/http/a_actor.cpp", "auto t = clock::now(), u = system_clock :: now();\n", "actor's clock"),
    (house, "actors/http/a_actor.cpp", "std::this_thread::sleep_for(1s);\n", "timer_wheel"),
    (house, "tests/unit/actors/http/uri_test.cpp", "std::this_thread::sleep_for(1s);\n", "advance_time"),
    (house, "actors/http/a.cpp", "int x = rand();\n", "seeded generator"),
    (house, "actors/http/a.cpp", "std::random_device seed;\n", "seeded generator"),
    (house, "nodes/a.cpp", 'auto x = std::getenv("X");\n', "base/config"),
    (house, "libcaf_app/caf_app/loop/a.cpp", 'std::cout << "x";\n', "log.hpp"),
    (house, "nodes/a.cpp", "self->request(x, caf::infinite, y);\n", "ask(target, timeout"),
    (house, "nodes/a.cpp", "self->request(x, infinite, y);\n", "ask(target, timeout"),
    (house, "nodes/a.cpp", "self->request(x, t, y).await(f);\n", ".then("),
    (house, "nodes/a.cpp", "caf::message_builder b;\n", "make_message"),
    (house, "actors/http/a.cpp", "thread_local int x;\n", "actor's state"),
    (house, "nodes/a.cpp", "CAF_MAIN()\n", "caf-application.ini"),
    (house, "actors/http/a.cpp", "assert(x);\n", "CAF_APP_ASSERT"),
    (house, "tests/unit/actors/http/uri_test.cpp", "CAF_CHECK(true);\n", "can fail"),
    (files, "actors/http/a.hpp", "// What it is for.\nint x;\n", "#pragma once"),
    (files, "actors/http/a.hpp", "#pragma once\n", "open with a comment"),
    (files, "nodes/caf_node_main.cpp", "int main() {}\n", "open with a comment"),
    (files, "actors/http/uri.cpp", OWN + "int x;\n" * 299, "split it"),
    (files, "actors/http/uri.cpp", OWN + "int x; // TODO: y\n", "finish it"),
    (files, "actors/http/uri.cpp", '#include "actors/http/host.hpp"\n', "open with a comment"),
    (files, "actors/fresh/a.hpp", HEAD, "no README.md"),
    (files, "tests/unit/actors/http/gone_test.cpp", "#define CAF_SUITE gone\n", "mirrors what it tests"),
    (files, "tests/unit/actors/http/uri_test.cpp", "#define CAF_SUITE url\n", "CAF_SUITE uri"),
]

# Looks like a violation and is none.
INNOCENT = [
    (house, "actors/http/a.cpp", '// steady_clock::now() is banned\nauto s = "rand()"; int n = 1\'000; strand(n);\n'),
    (house, "libcaf_app/caf_app/base/config.cpp", 'auto x = std::getenv("X");\n'),
    (includes, "actors/http/a.hpp", HEAD + "// #include <thread>\n/*\n#include <thread>\n*/\n"),
    (includes, "actors/http/h2_session.cpp", "// x\n#include <nghttp2/nghttp2.h>\n"),
    (includes, "libcaf_app/caf_app/supervision/a.hpp", HEAD + '#include "caf_app/registry/x.hpp"\n'),
    (includes, "actors/http/a_actor.hpp", HEAD + '#include "caf_app/loop/event_loop.hpp"\n'),
    (files, "actors/http/uri.cpp", OWN + "int x;\n" * 298),
    (files, "actors/http/uri_escape.cpp", OWN),
]


def findings(check, extra):
    with tempfile.TemporaryDirectory() as temp:
        root = pathlib.Path(temp)
        for path, text in {**CLEAN, **extra}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return list(check.check(root, source.tracked(root)))


class Checks(unittest.TestCase):
    def test_a_clean_tree_has_no_violation(self):
        for check in (includes, house, files):
            self.assertEqual(findings(check, {}), [])

    def test_each_planted_violation_is_found_and_named(self):
        for check, path, text, wanted in PLANTED:
            with self.subTest(path=path, text=text[:120]):
                found = findings(check, {path: text})
                self.assertEqual(len(found), 2 if ", u = " in text else 1, found)
                self.assertIn(wanted, found[0].text)

    def test_what_only_looks_like_a_violation_passes(self):
        for check, path, text in INNOCENT:
            with self.subTest(path=path, text=text[:120]):
                self.assertEqual(findings(check, {path: text}), [])

    def test_a_finding_names_the_line(self):
        found = findings(house, {"actors/http/a.cpp": '/* a\nb */\nauto s = R"(\n)";\nint x = rand();\n'})
        self.assertEqual([f.line for f in found], [5])

    def test_the_formatter_is_heard(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp)
            (root / ".clang-format").write_text((ROOT / ".clang-format").read_text())
            (root / "good.cpp").write_text("int x = 1;\n")
            (root / "bad.cpp").write_text("int   x=1 ;\n")
            self.assertEqual([f.path for f in clang_format.check(root, ["bad.cpp", "good.cpp"])], ["bad.cpp"])

    def test_clang_tidy_is_heard(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp).resolve()
            (root / ".clang-tidy").write_text((ROOT / ".clang-tidy").read_text())
            (root / "good.cpp").write_text("int* x = nullptr;\n")
            (root / "bad.cpp").write_text("int* x = 0;\n")
            (root / "long.cpp").write_text("int f(int x) {\n" + "  ++x;\n" * 61 + "  return x;\n}\n")
            def names(path):
                return [f.text for f in clang_tidy.tidy(root, path, (str(root / path), "--", "-std=c++20"))]
            self.assertEqual(names("good.cpp"), [])
            self.assertIn("modernize-use-nullptr", "".join(names("bad.cpp")))
            self.assertIn("readability-function-size", "".join(names("long.cpp")))

    def test_a_source_that_clang_cannot_compile_is_told_apart(self):
        with tempfile.TemporaryDirectory() as temp:
            root = pathlib.Path(temp).resolve()
            (root / ".clang-tidy").write_text((ROOT / ".clang-tidy").read_text())
            (root / "broken.cpp").write_text("int x = y;\n")
            found = clang_tidy.tidy(root, "broken.cpp", (str(root / "broken.cpp"), "--"))
            self.assertEqual([clang_tidy.does_not_compile(f) for f in found], [True])

    def test_the_command_fails_on_a_violation(self):
        with tempfile.TemporaryDirectory() as temp:
            for each in pathlib.Path(__file__).parent.glob("*"):
                if each.is_file():
                    target = pathlib.Path(temp) / "tests" / "tidy" / each.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(each.read_bytes())
            (pathlib.Path(temp) / "a.cpp").write_text("// x\ncaf::message_builder b;\n")
            ran = subprocess.run([sys.executable, f"{temp}/tests/tidy/run", "house"], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 1)
            self.assertIn("a.cpp:2: 'message_builder' is banned", ran.stdout)


if __name__ == "__main__":
    unittest.main()
