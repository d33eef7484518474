"""Where results go and how they look: medians with their spread, JSON lines, Markdown tables."""
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys


def commit(root):
    """The commit that was measured; "+" behind it says that the tree had changes."""
    def git(*args):
        return subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/results")
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + ("+" if changed else "")


def machine():
    """One line: processor, cores, kernel."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def command():
    return " ".join(["bench/run", *sys.argv[1:]])


def result_dir(root):
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return root / "bench" / "results" / f"{day}-{commit(root)}"


def commit_of(out):
    """The commit when the run began, whatever has been committed since."""
    return out.name.split("-", 3)[3]


def median_and_mad(values):
    """@returns the median and the median absolute deviation from it"""
    middle = statistics.median(values)
    return middle, statistics.median(abs(v - middle) for v in values)


def spread(values, digits=2):
    middle, mad = median_and_mad(values)
    return f"{middle:.{digits}f} ± {mad:.{digits}f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def save(out, name, records, text):
    """Writes <out>/<name>.jsonl and .md."""
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    (out / f"{name}.md").write_text(text + "\n")


def read(out, name):
    """What save() was given as records."""
    return [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]


def write(out, name, records, text):
    """save(), and prints the text."""
    save(out, name, records, text)
    print(text)
    print(f"\nwritten to {out}/{name}.md and .jsonl")
