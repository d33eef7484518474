"""clang-tidy 14 over the pure sources; a file that includes actors would cost 10 s.

A pure one costs 2 s, nearly all of it for parsing third-party headers. Sources that were compiled as one unit are read
one by one: a finding then names its own file. What was clean is remembered in the build directory. The compiler of the
project is g++: a file that clang 14 cannot compile is named and left out.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

from source import Finding, is_pure

build_dir = None  # set by the caller: where compile_commands.json is


def tidy(root, path, arguments):
    """Runs clang-tidy once. @returns its findings, those of the compiler included"""
    command = ["clang-tidy-14", "--quiet", f"--config-file={root}/.clang-tidy", *arguments]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True)
    findings = []
    for name, line, text in re.findall(r"^(/\S+?):(\d+):\d+: (?:warning|error): (.+)$", said.stdout, re.M):
        findings.append(Finding(name.removeprefix(f"{root}/"), int(line), text))
    if said.returncode and not findings:
        findings.append(Finding(path, 0, "clang-tidy failed: " + (said.stdout + said.stderr).strip()[-500:]))
    return findings


def flags_of(entry):
    """What the compiler was told, but for what only g++ understands: headers that it has precompiled, and --param."""
    words = shlex.split(entry["command"])
    words = words[1 + max(i for i, word in enumerate(words) if re.search(r"(^|/)(c|g|clang)\+\+(-\d+)?$", word)):]
    result, skip = [], 0
    for i, word in enumerate(words):
        if skip:
            skip -= 1
        elif word in ("-o", "-c") or (word == "-include" and "cmake_pch" in words[i + 1]):
            skip = 1
        elif word != "-Winvalid-pch" and not word.startswith("--param"):
            result.append(word)
    return result


def does_not_compile(finding):
    return "[clang-diagnostic-error" in finding.text


def stamp_of(root, entry):
    """Names what a clean run depends on: the rules, the command, and every file of the tree that the compiler read.
    None before the first build of the object: its dependencies are not known."""
    output = re.search(r" -o (\S+) -c ", entry["command"]).group(1)
    listing = subprocess.run(["ninja", "-C", str(build_dir), "-t", "deps", output], capture_output=True, text=True)
    read = [line.strip() for line in listing.stdout.splitlines()[1:]]
    if not read:
        return None
    digest = hashlib.sha256((root / ".clang-tidy").read_bytes() + (entry["command"] + entry["file"]).encode())
    for name in read:
        path = (build_dir / name).resolve()
        if path.is_relative_to(root) and path.is_file():
            digest.update(path.read_bytes())
    return build_dir / "tidy" / digest.hexdigest()


def check_one(root, entry):
    stamp = stamp_of(root, entry)
    if stamp and stamp.exists():
        return []
    findings = tidy(root, entry["file"], (entry["file"], "--", *flags_of(entry)))
    errors = [finding for finding in findings if does_not_compile(finding)]
    if errors:
        print(f"not checked, clang 14 cannot compile it: {entry['file'].removeprefix(f'{root}/')}: {errors[0].text}")
        return []
    if stamp and not findings:
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
    return findings


def entries():
    """The commands of the compiler, one for each source; those that it read as one are told apart."""
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        text = pathlib.Path(entry["file"]).read_text() if "/Unity/" in entry["file"] else ""
        for file in re.findall(r'^#include "(.+\.cpp)"$', text, re.M) or [entry["file"]]:
            yield {**entry, "file": file}


def check(root, paths):
    known = {entry["file"]: entry for entry in reversed(list(entries()))}  # the first: fuzzers compile files once more
    mine = [known[str(root / p)] for p in paths if p.endswith(".cpp") and is_pure(p) and str(root / p) in known]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(check_one, root, entry) for entry in mine]
        # A header's violation shows once for each source that includes it.
        yield from dict.fromkeys(finding for job in jobs for finding in job.result())
