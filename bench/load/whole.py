"""What the parts of a command have in common: built first, run one after the other, gathered in one report.

A part that fails takes nothing from the others: their figures are written, and the exit status says that it failed.
"""
import dataclasses
import datetime
import subprocess
import time
import traceback
import typing

from load import cluster, evaluation, scaled, web
from support import micro, pace, report

EXPECTED = (web.WrongAnswer, evaluation.WrongAnswer, subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError,
            RuntimeError)  # whose text says enough


@dataclasses.dataclass(frozen=True)
class Part:
    name: str  # of its files, too
    targets: typing.Callable  # args -> what has to be built
    estimate: typing.Callable  # args -> seconds
    run: typing.Callable  # args, folder of results


def parts(root):
    return {part.name: part for part in (
        Part("micro", lambda args: micro.targets(root), lambda args: micro.estimate(args, root),
             lambda args, out: micro.run(args, root, out)),
        Part("http", web.targets, web.estimate, web.run),
        Part("d1", scaled.targets, scaled.estimate_d1, scaled.run_d1),
        Part("cluster", cluster.targets, cluster.estimate, cluster.run),
        Part("eval", evaluation.targets, evaluation.estimate, evaluation.run),
        Part("scaler", scaled.targets, scaled.estimate_scaler, scaled.run_scaler))}


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def announce(chosen, args):
    """Prints how long it will take. @returns seconds by part"""
    expected = {part.name: part.estimate(args) for part in chosen}
    for name, seconds in expected.items():
        print(f"{name:8} about {minutes(seconds)} minutes")
    total = sum(expected.values())
    print(f"{'all':8} about {minutes(total)} minutes, until {(datetime.datetime.now() + datetime.timedelta(seconds=total)):%H:%M}",
          flush=True)
    return expected


def run_part(part, args, out):
    """@returns seconds, and why it failed or None"""
    started, why = time.monotonic(), None
    try:
        part.run(args, out)
    except EXPECTED as error:
        why = str(error) or type(error).__name__
    except Exception:  # a bug of the bench, which must not cost what was measured before
        why = traceback.format_exc()
    return time.monotonic() - started, why


def run(chosen, args, out):
    """Runs parts one by one. @returns the exit status"""
    expected = announce(chosen, args) if len(chosen) > 1 else {}
    about = {"bench": args.bench, "started": now(), "commit": report.commit_of(out), "machine": report.machine(),
             "command": report.command(), "parts": []}
    for part in chosen:
        took, why = run_part(part, args, out)
        about["parts"].append({"part": part.name, "took_s": round(took, 1), "failed": why,
                               "estimated_s": round(expected.get(part.name, 0), 1)})
        if why:
            print(f"bench/run: {part.name}: {why}", flush=True, file=args.complaints)
        if len(chosen) > 1:
            gather(about, out)
    if len(chosen) > 1:
        print(summary(about))
        print(f"\nwritten to {out}/all.md and .jsonl")
    return 1 if any(each["failed"] for each in about["parts"]) else 0


def summary(about):
    rows = [[each["part"], minutes(each["estimated_s"]), minutes(each["took_s"]),
             "failed: " + each["failed"].strip().splitlines()[-1] if each["failed"] else "no error"]
            for each in about["parts"]]
    total = [sum(each[key] for each in about["parts"]) for key in ("estimated_s", "took_s")]
    rows.append(["all", *map(minutes, total), "at most " + minutes(pace.ALL_LIMIT_S)])
    return report.table(["part", "estimated min", "took min", "result"], rows)


def gather(about, out):
    """One report of what there is so far: an interrupted run keeps it."""
    about["finished"] = now()
    texts, records = [], [about]
    for each in about["parts"]:
        for file in [out / f"{each['part']}.md"] if (out / f"{each['part']}.md").exists() else []:
            texts.append(file.read_text().strip())
            records += [{"part": each["part"], **record} for record in report.read(out, each["part"])]
        if each["failed"]:
            texts.append(f"## {each['part']} failed\n\n```\n{each['failed'].strip()}\n```")
    head = (f"# All benchmarks, {about['started'][:10]}, commit {about['commit']}\n\n{about['machine']}; from "
            f"{about['started']} to {about['finished']}. Command: `{about['command']}`.\n\n")
    report.save(out, "all", records, head + summary(about) + "\n\n" + "\n\n".join(texts))
