"""bench/run eval: calls of the evaluator over HTTP, every reply checked; beside them a driver that is started for each
call. Also how long builds take, large batches, large graphs, large states.

The series follow Lun's harness: 20 warm-up calls, then fresh calls, then calls that carry state, at 1, 4 and 8
connections; `ids` gives each connection a key of its own, so cold starts are in its percentiles. Server, workers and the
load share the machine's cores.
"""
import http.client
import json
import pathlib
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from support import report
from support.pace import START_S

CONFIG = """
[cluster]
name = "bench"
data_dir = "var"

[[node]]
name = "bench"
roles = ["http", "eval"]

[http]
listen = ["127.0.0.1:{port}"]

[http.limits]
keepalive_requests = 1000000
connection_max_age = "10h"

[[http.site]]
host = "*"
  [[http.site.route]]
  path = "/v0/"
  eval = true

[eval]
workers = 8
"""

HEADER = """#pragma once
#include <caf_app/eval.hpp>
namespace m {{
using namespace caf_app::eval;
nat add(nat a, nat b);
nat next(nat a);
json echo(json a);
}} // {tag}
"""
SOURCE = '#include "m.hpp"\nnamespace m {\nnat add(nat a, nat b) { return a + b; }\n' \
         "nat next(nat a) { return a + 1; }\njson echo(json a) { return a; }\n}\n"

# (row, what is measured, goal)
GOALS = {
    "build from nothing": "at most 5 s", "build, header warm": "at most 2 s",
    "fresh c=1": "p50 at most 250 us", "fresh c=8": "at least 10,000 calls/s", "ids c=4": "p99 at most 20 ms",
    "spawn per call c=1": "p50 at least 80 times that of fresh c=1",
}


class WrongAnswer(Exception):
    pass


def targets(_args):
    return ["caf-node", "eval_load", "eval_spawn"]


def estimate(args):
    """@returns seconds, from 8,000 calls per second at c=1, 20,000 above, and what builds and large calls take"""
    pace = args.pace
    series_s = pace.eval_rounds * 2 * pace.eval_calls * (1 / 8000 + 2 / 20000)
    large_s = 10 + pace.eval_large_calls * (0.002 + 2 * pace.eval_chain / 20000 + 0.07)
    return (10 + pace.eval_builds + series_s + large_s + pace.eval_cold_starts * (2 * START_S + 1) +
            0.003 * pace.eval_spawns)


def fixture(tag):
    """The two-argument arithmetic of the contract; `tag` makes it another build."""
    return {
        "source": {"files": {"m.hpp": HEADER.format(tag=tag), "m.cpp": SOURCE}},
        "functions": [{"name": "m.add", "header": "m.hpp", "function": "m::add", "signature": "nat(nat, nat)"}],
        "graphs": [{"name": "sum", "program": 'auto a = input<nat>("a");\nauto b = input<nat>("b");\n'
                                              "return m::add(a, b);", "inputTypes": {"a": "nat", "b": "nat"}}],
    }


def large_project(chain):
    lines = ['auto n0 = m::next(input<nat>("a"));']
    lines += [f"auto n{i} = m::next(n{i - 1});" for i in range(1, chain)]
    lines += [f'return m::add(n{chain - 1}, input<nat>("b"));']
    result = fixture("large")
    result["functions"] += [{"name": f"m.{name}", "header": "m.hpp", "function": f"m::{name}", "signature": signature}
                            for name, signature in (("next", "nat(nat)"), ("echo", "json(json)"))]
    result["graphs"] += [{"name": "chain", "program": "\n".join(lines)},
                         {"name": "state", "program": 'auto c = m::echo(input<json>("a"));\n'
                                                      'return m::next(input<nat>("b"));'}]
    return result


class Node:
    def __init__(self, build_dir, folder):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.folder = pathlib.Path(folder)
        (self.folder / "cluster.toml").write_text(CONFIG.format(port=self.port))
        self.process = subprocess.Popen([build_dir / "nodes" / "caf-node", "--config", self.folder / "cluster.toml",
                                         "--name", "bench"], stdout=subprocess.PIPE,
                                        stderr=(self.folder / "log").open("ab"))
        if not self.process.stdout.readline().startswith(b"ready "):
            raise RuntimeError((self.folder / "log").read_text())
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def post(self, path, body, wanted=200):
        self.connection.request("POST", "/v0" + path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != wanted:
            raise WrongAnswer(f"{path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def build(self, declaration):
        """@returns id and seconds until ready"""
        began = time.monotonic()
        status = self.post("/builds?wait=55s", declaration)
        return status["id"], time.monotonic() - began

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()


def load(build_dir, node, build, connections, calls, mode):
    done = subprocess.run([build_dir / "bench" / "eval_load", str(node.port), f"/v0/builds/{build}/graphs/sum",
                           str(connections), str(calls), mode], capture_output=True, text=True)
    if done.returncode != 0:
        raise WrongAnswer(f"eval_load {mode} c={connections}: {done.stderr}")
    return json.loads(done.stdout)


def series(build_dir, node, build, pace):
    """Rows of calls, each the median run of several."""
    rounds, calls = pace.eval_rounds, pace.eval_calls
    load(build_dir, node, build, 1, 20, "fresh")
    plans = [(mode, c) for mode in ("fresh", "state") for c in (1, 4, 8)]
    seen = {plan: [] for plan in plans}
    for _ in range(rounds):
        for mode, connections in plans:
            seen[mode, connections].append(load(build_dir, node, build, connections, calls, mode))
    for (mode, connections), runs in seen.items():
        yield summary(f"{mode} c={connections}", runs)


def summary(row, runs):
    rates = [run["calls"] / run["seconds"] for run in runs]
    return {"row": row, "runs": len(runs), "calls_per_s": round(statistics.median(rates), 1),
            **{key: round(statistics.median(run[key] for run in runs), 1) for key in ("p50_us", "p95_us", "p99_us")}}


def timed(row, count, call):
    times = []
    for i in range(count):
        began = time.monotonic()
        call(i)
        times.append((time.monotonic() - began) * 1e6)
    times.sort()
    at = lambda share: round(times[min(int(share * len(times)), len(times) - 1)], 1)
    return {"row": row, "runs": 1, "calls_per_s": round(1e6 / statistics.mean(times), 1), "p50_us": at(0.5),
            "p95_us": at(0.95), "p99_us": at(0.99)}


def expect(what, wanted):
    if what != wanted:
        raise WrongAnswer(f"{what!r} instead of {wanted!r}")


def large(node, build, count, chain):
    """Many inputs, nodes or bytes at once; the client is Python, so these rows are upper bounds."""
    path = f"/builds/{build}"

    def batch(i):
        reply = node.post(f"{path}/functions/m.next", {"inputs": list(range(i, i + 1000))})
        expect([item["output"] for item in reply["outputs"]], list(range(i + 1, i + 1001)))
    yield timed("batch of 1,000 inputs", count, batch)

    state = node.post(f"{path}/graphs/chain", {"inputs": {"a": 0, "b": 0}})["state"]

    def step(i, name, ran):
        reply = node.post(f"{path}/graphs/chain", {"state": state, "inputs": {name: i + 1}})
        expect((len(reply["changed"]), reply["nodes"][-1]["output"]), (ran, chain + i + 1))
    yield timed(f"{chain + 2:,} nodes, one input changed", count, lambda i: step(i, "b", 2))
    yield timed(f"{chain + 2:,} nodes, all changed", count, lambda i: step(i, "a", chain + 2))

    heavy = node.post(f"{path}/graphs/state", {"inputs": {"a": "x" * (1 << 20), "b": 0}})["state"]

    def carry(i):
        reply = node.post(f"{path}/graphs/state", {"state": heavy, "inputs": {"b": i + 1}})
        expect(reply["nodes"][-1]["output"], i + 2)
    yield timed("a state of 2 MiB (value and its echo)", count, carry)


def run(args, out):
    pace, build_dir = args.pace, args.build_dir
    rows = []
    with tempfile.TemporaryDirectory(prefix="caf_app-bench-") as folder:
        node = Node(build_dir, folder)
        try:
            build, seconds = node.build(fixture("first"))
            rows.append({"row": "build from nothing", "runs": 1, "seconds": round(seconds, 2)})
            seconds = [node.build(fixture(f"again-{i}"))[1] for i in range(pace.eval_builds)]
            rows.append({"row": "build, header warm", "runs": len(seconds),
                         "seconds": round(statistics.median(seconds), 2)})
            rows += series(build_dir, node, build, pace)
            rows += large(node, node.build(large_project(pace.eval_chain))[0], pace.eval_large_calls, pace.eval_chain)
        finally:
            node.stop()
        cold = []
        for _ in range(pace.eval_cold_starts):
            node = Node(build_dir, folder)
            try:
                cold.append(load(build_dir, node, build, 4, 400, "ids"))
            finally:
                node.stop()
        rows.append(summary("ids c=4", cold))
        driver = pathlib.Path(folder) / "var" / "bench" / "eval" / "builds" / build / "driver"
        spawn = subprocess.run([build_dir / "bench" / "eval_spawn", driver, build, str(pace.eval_spawns)],
                               capture_output=True, text=True)
        if spawn.returncode != 0:
            raise WrongAnswer(f"eval_spawn: {spawn.returncode} {spawn.stderr}")
        rows.append(summary("spawn per call c=1", [json.loads(spawn.stdout)]))
    publish(rows, out)


def publish(rows, out):
    warm = next(row for row in rows if row["row"] == "fresh c=1")
    cells = []
    for row in rows:
        goal = GOALS.get(row["row"], "")
        if "seconds" in row:
            cells.append([row["row"], row["runs"], f"{row['seconds']} s", "", "", "", goal])
            continue
        if row["row"].startswith("spawn"):
            row["times_warm_p50"] = round(row["p50_us"] / warm["p50_us"], 1)
            goal += f" (is {row['times_warm_p50']})"
        cells.append([row["row"], row["runs"], row["p50_us"], row["p95_us"], row["p99_us"], row["calls_per_s"], goal])
    head = (f"## eval, commit {report.commit_of(out)}\n\n{report.machine()}; medians of the runs; every reply checked. "
            f"Command: `{report.command()}`.\n\n")
    table = report.table(["row", "runs", "p50 us", "p95 us", "p99 us", "calls/s", "goal"], cells)
    about = {"bench": "eval", "commit": report.commit_of(out), "machine": report.machine()}
    report.write(out, "eval", [about, *rows], head + table)
