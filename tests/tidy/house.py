"""Banned calls, each with what to use instead. Comments and literals do not count."""
import re

from source import Finding, blank, is_cpp, is_pure


def library(path):
    return path.startswith(("libcaf_app/", "actors/"))


def product(path):
    return library(path) or path.startswith("nodes/")


def everywhere(path):
    return True


def tests(path):
    return path.startswith("tests/unit/")


CLOCK = r"\w*clock\w*\s*::\s*now\b"

# (expression, which files, files that may, what to use instead)
BANNED = [
    (CLOCK, is_pure, r"$^", "take `now` as an argument: pure files know no clock"),
    (CLOCK, lambda p: product(p) and not is_pure(p), r"libcaf_app/caf_app/loop/|nodes/|actors/eval/runtime/process/",
     "use the actor's clock (self->clock().now()) or the loop's, or take `now` as an argument"),
    (r"\bsleep_for\b|\bsleep_until\b|\b(?:u|nano)sleep\s*\(", lambda p: product(p) or tests(p),
     r"actors/http/hook_|libcaf_app/caf_app/loop/",
     "use the loop's timer_wheel or a delayed message; tests move time with advance_time"),
    (r"(?<![\w.>])s?rand\s*\(|\brandom_device\b", lambda p: product(p) or tests(p),
     r"nodes/|libcaf_app/caf_app/app\.cpp$",
     "use a seeded generator from the options (tests: test_seed() of support/seed.hpp)"),
    (r"\bgetenv\b", everywhere, r"libcaf_app/caf_app/base/config|tests/support/", "only base/config reads the environment"),
    (r"\bstd\s*::\s*(?:cout|cerr)\b|(?<![\w.>:])printf\s*\(", library, r"$^",
     "use caf_app/base/log.hpp: libraries do not print"),
    (r"\bcaf\s*::\s*infinite\b|\brequest\s*\([^;]*\binfinite\b", everywhere, r"$^",
     "give the request a deadline: use ask(target, timeout, ...)"),
    (r"\.\s*await\s*\(", everywhere, r"$^", "use .then(...): exits wait behind await"),
    (r"\bmessage_builder\b", everywhere, r"$^", "use caf::make_message: message_builder leaks"),
    (r"\bthread_local\b", product, r"libcaf_app/caf_app/loop/", "keep the value in the loop or in an actor's state"),
    (r"\bCAF_MAIN\b|\bcfg\.parse\s*\(", everywhere, r"$^",
     "use base/config: CAF's parser reads caf-application.ini from the working directory"),
    (r"\bremote_actor\s*\(|\bremote_lookup\s*\(", product, r"$^", "use the cluster link: these block for minutes"),
    (r"\bCAF_CHECK\s*\(\s*true\s*\)", everywhere, r"$^", "check something that can fail"),
    (r"\bassert\s*\(", product, r"$^", "use CAF_APP_ASSERT: it is kept in release builds"),
]
COMPILED = [(re.compile(what), where, re.compile(ok), instead) for what, where, ok, instead in BANNED]


def check(root, paths):
    for path in filter(is_cpp, paths):
        code = blank((root / path).read_text())
        for what, where, ok, instead in COMPILED:
            if not where(path) or ok.match(path):
                continue
            for match in what.finditer(code):
                yield Finding(path, code.count("\n", 0, match.start()) + 1, f"'{match.group(0)}' is banned: {instead}")
