"""What every file and folder has: a purpose at its top, a bounded size, a mirror in the sources."""
import pathlib
import re

from source import Finding, is_cpp

LINES_MAX = 300
# Folders that mirror others or hold data explain themselves at their root.
NO_README = re.compile(r"tests/unit/.+|.+/include(/.+)?|tests/[a-z]+/.+|bench/micro/.+|bench/results(/.+)?|bench/(load|support|micro)|\.ci"
                       r"|libcaf_app/(cmake|adr)|libcaf_app|actors|nodes/.+|tests/(support|unit)")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SELF = ("tests/tidy/files.py", "tests/tidy/self_test.py")  # they name the words


def opens_with_own_header(path, lines):
    """The header then says what the file is for: one of the same name, or whose name begins with the same word
    (json.hpp for json_write.cpp). Suites begin with their name and their subject's header."""
    if path.endswith("_test.cpp"):
        return True
    first = re.match(r'#include "(?:.*/)?(\w+)\.hpp"', lines[0] if lines else "")
    return first is not None and pathlib.PurePath(path).stem.split("_")[0] == first.group(1).split("_")[0]


def check_cpp(root, path, text):
    lines = text.splitlines()
    if path.startswith(("libcaf_app/", "actors/", "nodes/")) and len(lines) >= LINES_MAX:
        yield Finding(path, 0, f"{len(lines)} lines; below {LINES_MAX}, or there are two ideas in it: split it")
    header = path.endswith(".hpp")
    if header and "#pragma once" not in lines:
        yield Finding(path, 0, "no '#pragma once'")
    if not (lines and lines[0].startswith("// ")) and (header or not opens_with_own_header(path, lines)):
        yield Finding(path, 1, "open with a comment: what the file is for, what it leaves to others")


def check_suite(root, path, text):
    """A suite mirrors the file it tests and is named like it, or like several that begin with the same word."""
    mirrored = path.removeprefix("tests/unit/").removesuffix("_test.cpp")
    where = pathlib.PurePath("libcaf_app" if mirrored.startswith("caf_app/") else "", mirrored)
    word = where.name.split("_")[0]
    if not list((root / where.parent).glob(f"**/{word}*.[ch]pp")):
        yield Finding(path, 0, f"no {where}.hpp or .cpp: a suite mirrors what it tests")
    suite = re.search(r"^#define CAF_SUITE (\w+)", text, re.M)
    name = pathlib.PurePath(mirrored).name
    if not suite or suite.group(1) != name:
        yield Finding(path, 1, f"begin with '#define CAF_SUITE {name}'")


def check(root, paths):
    for path in paths:
        if path.endswith((".cpp", ".hpp", ".py", ".txt", ".cmake", ".sh", ".toml")) and path not in SELF:
            text = (root / path).read_text()
            for number, line in enumerate(text.splitlines(), 1):
                if UNFINISHED.search(line):
                    yield Finding(path, number, "finish it, or open an issue and drop the note")
            if is_cpp(path):
                yield from check_cpp(root, path, text)
            if re.match(r"tests/unit/.+_test\.cpp$", path):
                yield from check_suite(root, path, text)
    folders = {str(parent) for path in paths for parent in pathlib.PurePath(path).parents if str(parent) != "."}
    for folder in sorted(folders):
        if not NO_README.fullmatch(folder) and f"{folder}/README.md" not in paths:
            yield Finding(folder, 0, "no README.md: what lives here, what not, who may include it")
