"""bench/run gate: is this tree slower than a baseline commit? Both are built side by side and measured in turn.

Every round visits the baseline, the candidate and the baseline again, in an order that rotates. Rounds are added until
the two baselines agree, at most ROUNDS_MAX times. Exit status: 0 not worse, 1 worse, 3 inconclusive.
"""
import subprocess
import sys

from load import servers, web
from support import compare, report

SCENARIOS = ["respond", "static-small", "cache-hit", "tls-h2", "php"]
ROUNDS, ROUNDS_MAX = 12, 60  # of a second for each side: many short ones, so that a slow phase hits all sides alike
QUANTITIES = {"CPU us/request": "cpu_us_per_request", "p99 us": "p99_us"}
SIDES = ["baseline", "candidate", "baseline again"]
SLOWED = ["-DCMAKE_CXX_FLAGS=-fno-inline"]


def build_tree(source, build_dir, options=()):
    """Configures and builds caf-node of `source`, quietly unless that fails."""
    subprocess.run(["cmake", "--preset", "release", "-B", str(build_dir), *options], cwd=source,
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", str(build_dir), "-j2", "--quiet", "caf-node", "epoll_floor"], check=True,
                   stdout=sys.stderr)
    return build_dir


def build_baseline(root, revision):
    """The build of another commit, kept in build/gate for the next time."""
    found = subprocess.run(["git", "-C", str(root), "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"],
                           capture_output=True, text=True)
    if found.returncode != 0:
        raise RuntimeError(f"no commit {revision}")
    commit = found.stdout.strip()
    source = root / "build" / "gate" / commit[:10]
    if not source.exists():
        subprocess.run(["git", "-C", str(root), "worktree", "prune"], check=True)
        subprocess.run(["git", "-C", str(root), "worktree", "add", "--detach", str(source), commit], check=True,
                       capture_output=True)
    return build_tree(source, source / "build" / "gate")


def decided(records):
    """Whether the baselines agree in every quantity."""
    return all(compare.agree(compare.Ratio(of(records, SIDES[2], key), of(records, SIDES[0], key)))
               for key in QUANTITIES.values())


def of(records, side, key):
    return [r[key] for r in sorted(records, key=lambda r: r["round"]) if r["side"] == side]


def run_scenario(name, builds, connections, rounds, rounds_max):
    """@returns a record per side and round"""
    records, running = [], {}
    with web.stage(name, builds["baseline"]) as (scenario, work):
        try:
            for side in SIDES:
                running[side] = servers.start_caf_app(builds[side.split()[0]], work, scenario, side.replace(" ", "-"))
                web.warm(running[side], scenario, connections)
            for index in range(rounds_max):
                for side in SIDES[index % 3:] + SIDES[:index % 3]:
                    record = web.measure(running[side], scenario, connections, 1)
                    records.append({"bench": "gate", "scenario": name, "round": index, **record, "side": side})
                if index + 1 >= rounds and decided(records):
                    break
        finally:
            for server in running.values():
                server.stop()
    return records


def judge(records):
    """@returns a row per quantity: scenario, quantity, baseline's median, both ratios, verdict"""
    rows = []
    for title, key in QUANTITIES.items():
        first, changed, again = (of(records, side, key) for side in (SIDES[0], SIDES[1], SIDES[2]))
        same, ratio = compare.Ratio(again, first), compare.Ratio(changed, first)
        rows.append([records[0]["scenario"], title, report.spread(first), same, ratio, compare.verdict(same, ratio)])
    return rows


def run(args, root, out):
    """@returns the exit status"""
    names = args.scenarios or [name for name in SCENARIOS if name in web.SCENARIOS]
    slowed = root / "build" / "gate" / "slowed"
    candidate = build_tree(root, slowed, SLOWED) if args.slowed else args.candidate_dir or build_tree(root, args.build_dir)
    baseline = args.baseline_dir or (build_tree(root, args.build_dir) if args.slowed else
                                     build_baseline(root, args.baseline))
    builds = {"candidate": candidate, "baseline": baseline}
    rounds, rounds_max = ROUNDS, ROUNDS_MAX
    if args.quick or args.tiny:
        rounds = compare.ROUNDS_MIN
        rounds_max = rounds if args.tiny else 2 * rounds
    connections = web.connection_counts(args)[0]
    records, rows = [], []
    for name in names:
        mine = run_scenario(name, builds, connections, rounds, rounds_max)
        records += mine
        rows += judge(mine)
    verdicts = {row[-1] for row in rows}
    against = "candidate: the same tree built without inlining" if args.slowed else f"baseline: {args.baseline_dir or args.baseline}"
    about = {"bench": "gate", "commit": report.commit_of(out), "machine": report.machine(), "against": against}
    head = (f"## gate, commit {about['commit']}, {against}\n\n{about['machine']}; {connections} connections; ratios are "
            f"medians over the rounds of a second with their 95 % intervals. Worse: above {1 + compare.TOLERANCE:.2f} and the "
            f"interval does not contain 1. Command: `{report.command()}`.\n\n")
    report.write(out, "gate", [about, *records], head + report.table(
        ["scenario", "quantity", "baseline", "baseline / baseline", "candidate / baseline", "verdict"], rows))
    return 1 if "worse" in verdicts else 3 if "inconclusive" in verdicts else 0
