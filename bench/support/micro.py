"""bench/run micro: runs every benchmark below bench/micro and gathers its rows."""
import json
import pathlib
import subprocess
import tempfile

from support import report

FIXED_S = 6  # rows with a fixed number of iterations, per repetition

def targets(root):
    """The executables, named as bench/CMakeLists.txt names them."""
    base = root / "bench" / "micro"
    return [str(path.relative_to(base)).removesuffix(".cpp").replace("/", ".")
            for path in sorted(base.rglob("*_bench.cpp"))]


def estimate(args, root):
    """@returns seconds. Most rows have their setup outside of the timed part: it takes half as long as that."""
    rows = sum(len(subprocess.run([args.build_dir / "bench" / target, "--benchmark_list_tests"], capture_output=True,
                                  text=True).stdout.splitlines()) for target in targets(root))
    pace = args.pace
    return rows * (pace.micro_repetitions + 1) * pace.micro_min_time * 1.5 + FIXED_S * pace.micro_repetitions


def run_one(binary, args):
    """One executable. @returns its rows, one for each repetition"""
    with tempfile.NamedTemporaryFile(suffix=".json") as sink:
        command = [str(binary), f"--benchmark_repetitions={args.pace.micro_repetitions}",
                   f"--benchmark_min_time={args.pace.micro_min_time}", f"--benchmark_out={sink.name}",
                   "--benchmark_out_format=json", "--benchmark_enable_random_interleaving=true"]
        if args.filter:
            command.append(f"--benchmark_filter={args.filter}")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        text = pathlib.Path(sink.name).read_text()
    return json.loads(text)["benchmarks"] if text.strip() else []


def run(args, root, out):
    records, rows = [], []
    for target in targets(root):
        found = {}
        for row in run_one(args.build_dir / "bench" / target, args):
            if row.get("error_occurred"):
                raise RuntimeError(f"{target}: {row['name']}: {row['error_message']}")
            if row["run_type"] == "iteration":
                found.setdefault(row["run_name"], []).append(row)
        for name, runs in found.items():
            # A row that handles many items per iteration says so; its figure is per item.
            values = [1e9 / r["items_per_second"] if "items_per_second" in r else r["real_time"] for r in runs]
            middle, mad = report.median_and_mad(values)
            extra = {k: v for k, v in runs[0].items() if k.startswith("n_")}
            records.append({"bench": "micro", "row": name, "median_ns": round(middle, 2), "mad_ns": round(mad, 2),
                            "runs": len(values), "label": runs[0].get("label", ""), **extra})
            rows.append([f"`{name}`", f"{middle / 1000:.3f} ± {mad / 1000:.3f}", runs[0].get("label", "")])
    about = {"bench": "micro", "commit": report.commit_of(out), "machine": report.machine()}
    head = (f"## micro, {out.name[:10]}, commit {about['commit']}\n\n{about['machine']}; median ± MAD; rows interleaved "
            f"within an executable. Command: `{report.command()}`.\n\n")
    report.write(out, "micro", [about, *records], head + report.table(["row", "us per operation", "note"], rows))
