"""What the checks look at: the tracked files of the tree, and C++ text with comments and literals blanked out."""
import pathlib
import re
import subprocess
from typing import NamedTuple


class Finding(NamedTuple):
    path: str
    line: int  # 0: the file as a whole
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


def tracked(root):
    """Paths relative to `root`, sorted; without a git checkout all files but those below build/."""
    git = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
    if git.returncode == 0:
        paths = [p for p in git.stdout.split("\0") if p]
    else:
        paths = [str(p.relative_to(root)) for p in pathlib.Path(root).rglob("*") if p.is_file()]
        paths = [p for p in paths if not p.startswith(("build/", ".git/"))]
    return sorted(p for p in paths if (root / p).is_file())


def is_cpp(path):
    return path.endswith((".hpp", ".cpp"))


TOKEN = re.compile(r'''(?P<raw>R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)")|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)'''
                   r'''|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>'(?:\\.|[^'\\\n])+')''', re.S)


def blank(text):
    """`text` with comments and the insides of literals as blanks; lines keep their numbers."""
    def replace(match):
        found = match.group(0)
        if match.lastgroup == "char" and match.start() and text[match.start() - 1].isalnum():
            return found  # a digit separator: 1'000
        return re.sub(r"[^\n]", " ", found)
    return TOKEN.sub(replace, text)


INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def includes(text):
    """(line, name) of every include that no comment hides."""
    code = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    return [(code.count("\n", 0, m.start(1)) + 1, m.group(1)) for m in INCLUDE.finditer(code)]


SHELL = re.compile(r"_(actor|handler|supervisor|base)\.[ch]pp$")
PURE_IN_ROOMS = re.compile(r"libcaf_app/caf_app/(base/|messages/|supervision/restart_)")


def is_pure(path):
    """Pure files take bytes or samples and `now`, and return values: base, messages, and all of actors/ but shells and
    folders named process/, which own child processes.
    In the rooms that own threads, sockets or actors only those whose name is listed above."""
    if not is_cpp(path) or SHELL.search(path) or "/process/" in path:
        return False
    return path.startswith("actors/") or PURE_IN_ROOMS.match(path) is not None
