"""clang-format and clang-tidy 14 over the tracked files."""
import concurrent.futures
import hashlib
import json
import re
import subprocess

from source import Finding, is_cpp, is_pure

build_dir = None  # set by the caller: where compile_commands.json is


def check_format(root, paths):
    mine = [p for p in paths if is_cpp(p)]
    found = subprocess.run(["clang-format-14", "--dry-run", "--Werror", *mine], cwd=root, capture_output=True, text=True)
    seen = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", found.stderr, re.M):
        if path not in seen:
            seen.add(path)
            yield Finding(path, int(line), "not formatted: clang-format-14 -i " + path)
    if found.returncode and not seen:
        yield Finding("clang-format-14", 0, found.stderr.strip())


def tidy(root, path, arguments=("-p",)):
    """Runs clang-tidy on one file. @returns (findings, what it said)"""
    command = ["clang-tidy-14", "--quiet", f"--config-file={root}/.clang-tidy", *arguments]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True)
    findings = []
    for name, line, text in re.findall(r"^(/\S+?):(\d+):\d+: (?:warning|error): (.+)$", said.stdout, re.M):
        findings.append(Finding(name.removeprefix(f"{root}/"), int(line), text))
    if said.returncode and not findings:
        findings.append(Finding(path, 0, "clang-tidy failed: " + (said.stdout + said.stderr).strip()[-500:]))
    return findings


def stamp_of(root, entry):
    """Names what a clean run depends on: the rules, the command, and every file of the tree that the compiler read.
    None before the first build of the object: its dependencies are not known."""
    output = re.search(r" -o (\S+) -c ", entry["command"]).group(1)
    listing = subprocess.run(["ninja", "-C", str(build_dir), "-t", "deps", output], capture_output=True, text=True)
    read = [line.strip() for line in listing.stdout.splitlines()[1:]]
    if not read:
        return None
    digest = hashlib.sha256((root / ".clang-tidy").read_bytes() + entry["command"].encode())
    for name in read:
        path = (build_dir / name).resolve()
        if path.is_relative_to(root) and path.is_file():
            digest.update(path.read_bytes())
    return build_dir / "tidy" / digest.hexdigest()


def check_one(root, path, entry):
    stamp = stamp_of(root, entry)
    if stamp and stamp.exists():
        return []
    findings = tidy(root, path, ("-p", str(build_dir), str(root / path)))
    if stamp and not findings:
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
    return findings


def check_clang_tidy(root, paths):
    """Pure sources only: a file that includes actors costs clang-tidy 10 s, a pure one 3 s."""
    commands = json.loads((build_dir / "compile_commands.json").read_text())
    known = {entry["file"]: entry for entry in commands}
    mine = [p for p in paths if p.endswith(".cpp") and is_pure(p) and str(root / p) in known]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(check_one, root, p, known[str(root / p)]) for p in mine]
        # A header's violation shows once for each source that includes it.
        yield from dict.fromkeys(finding for job in jobs for finding in job.result())
