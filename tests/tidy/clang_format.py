"""clang-format 14 over the tracked C++ files."""
import re
import subprocess

from source import Finding, is_cpp


def check(root, paths):
    mine = [p for p in paths if is_cpp(p)]
    found = subprocess.run(["clang-format-14", "--dry-run", "--Werror", *mine], cwd=root, capture_output=True, text=True)
    seen = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", found.stderr, re.M):
        if path not in seen:
            seen.add(path)
            yield Finding(path, int(line), "not formatted: clang-format-14 -i " + path)
    if found.returncode and not seen:
        yield Finding("clang-format-14", 0, found.stderr.strip())
