"""bench/run scaler, and D1 of bench/run http: web instances that follow the load.

Two columns throughout: `blocking` is the test hook that holds its loop for 2 ms without using a core, so that a small
machine can show what more instances do; `plain` is a fixed answer, with wrk on the same cores. Connections are kept
alive. A run with any error reports nothing and fails.
"""
import contextlib
import datetime
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from load import servers
from load.web import WrongAnswer
from support import report

CONFIG = """
[cluster]
name = "bench"
data_dir = "{data}"

[[node]]
name = "bench"
admin = "127.0.0.1:{admin}"
roles = ["http"{role}]

[scaler]
max_instances = 3
quiet_window = "{quiet}s"
down_cooldown = "{cooldown}s"

[http]
listen = ["127.0.0.1:{port}"]
test_hooks = true
loops = {loops}

[http.limits]
keepalive_requests = 1000000
connection_max_age = "10h"

[[http.site]]
host = "*"
  [[http.site.route]]
  path = "/hello"
  respond = {{ status = 200, type = "text/plain", body = "Hello, World!" }}
"""

PATHS = {"blocking": "/test/block?ms=2", "plain": "/hello"}
PATIENCE = 120
STEP_S = 4  # an instance more or fewer, by order


def targets(_args):
    return ["caf-node", "caf-ctl"]


def estimate_d1(args):
    """@returns seconds"""
    pace = args.pace
    return 5 + pace.d1_rounds * len(pace.d1_counts) * (STEP_S + 2 * len(PATHS) * (pace.d1_seconds + 0.2))


def estimate_scaler(args):
    """@returns seconds; two instances go one after the other, each after a quiet window"""
    pace = args.pace
    back = 2 * pace.quiet_window + 10
    sweep = len(PATHS) * ((len(pace.sweep_connections) + 1) * (pace.sweep_seconds + 0.5) + STEP_S + back)
    bursts = len(pace.burst_spacings) * (3 * pace.burst_seconds + 2 * pace.burst_pause + back)
    return sweep + bursts


class ScaledNode:
    """A node with or without a scaler. Use as a context manager."""

    def __init__(self, args, folder, loops=1, scales=True):
        self.port, self.admin = servers.free_port(), servers.free_port()
        self.ctl = [args.build_dir / "nodes" / "caf-ctl", "--admin", f"http://127.0.0.1:{self.admin}"]
        file = pathlib.Path(folder) / f"scaled-{self.port}.toml"
        file.write_text(CONFIG.format(data=f"{folder}/var-{self.port}", admin=self.admin, port=self.port, loops=loops,
                                      role=', "scaler"' if scales else "", quiet=args.pace.quiet_window,
                                      cooldown=min(10, args.pace.quiet_window)))
        self.log = open(file.with_suffix(".log"), "wb")
        self.process = subprocess.Popen([args.build_dir / "nodes" / "caf-node", "--config", file, "--name", "bench"],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        if not self.process.stdout.readline().startswith("ready "):
            raise RuntimeError("caf-node did not start: " + file.with_suffix(".log").read_text())

    def state(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/v1/scaler", timeout=10) as answer:
            return json.load(answer)

    def ready(self):
        return sum(1 for x in self.state().get("instances", []) if x["state"] == "ready")

    def settled(self, count):
        instances = self.state().get("instances", [])
        return len(instances) == count and all(x["state"] == "ready" for x in instances)

    def scale(self, count):
        subprocess.run([*self.ctl, "scale", str(count)], check=True, stdout=subprocess.DEVNULL)
        if count != "auto":
            self.wait(lambda: self.settled(count))

    def wait(self, probe, timeout=PATIENCE):
        """@returns seconds until it was true"""
        started = time.monotonic()
        while not probe():
            if time.monotonic() - started > timeout:
                raise RuntimeError("the number of instances did not become what it should")
            time.sleep(0.02)
        return time.monotonic() - started

    def decisions(self):
        done = subprocess.run([*self.ctl, "--json", "decisions"], check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def pids(self):
        found, todo = [], [self.process.pid]
        while todo:
            found.append(todo.pop())
            for task in pathlib.Path(f"/proc/{found[-1]}/task").glob("*/children"):
                todo += [int(pid) for pid in task.read_text().split()]
        return found

    def memory(self):
        """Rss and Pss of each instance, in MiB."""
        result = []
        for pid in self.pids():
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            result.append(tuple(int(re.search(rf"^{key}:\s+(\d+)", text, re.M).group(1)) / 1024
                                for key in ("Rss", "Pss")))
        return result

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(60)
        self.process.kill()
        self.process.wait()
        self.log.close()


def wrk(node, column, connections, seconds):
    """@returns requests per second and p99 in ms; raises WrongAnswer on any error"""
    script = pathlib.Path(__file__).with_name("report.lua")
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s",
                           str(script), f"http://127.0.0.1:{node.port}{PATHS[column]}"],
                          capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("SUMMARY ")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"wrk failed: {done.stdout}{done.stderr}")
    seen = json.loads(lines[0][len("SUMMARY "):])
    errors = {kind: seen[kind] for kind in ("connect", "read", "write", "timeout", "status") if seen[kind]}
    if errors or not seen["requests"]:
        raise WrongAnswer(f"{column} at {connections} connections: {seen['requests']} answers, errors {errors}")
    return seen["requests"] / seen["seconds"], seen["p99_us"] / 1000


def measure_d1(args, folder):
    """N instances of one loop, and one instance with N loops, interleaved."""
    rounds, seconds, counts = args.pace.d1_rounds, args.pace.d1_seconds, args.pace.d1_counts
    records = []
    with contextlib.ExitStack() as stack:
        grown = stack.enter_context(ScaledNode(args, folder))
        loops = {n: stack.enter_context(ScaledNode(args, folder, loops=n, scales=False)) for n in counts}
        for index in range(rounds):
            for n in counts:
                grown.scale(n)
                for way, node in (("instances", grown), ("loops", loops[n])):
                    for column in PATHS:
                        rps, p99 = wrk(node, column, 96, seconds)
                        records.append({"bench": "d1", "round": index, "n": n, "way": way, "column": column,
                                        "requests_per_s": round(rps, 1), "p99_ms": round(p99, 2)})
    return records


def render_d1(records):
    rows = []
    for column in PATHS:
        for way in ("instances", "loops"):
            one = {r["round"]: r["requests_per_s"] for r in records
                   if (r["column"], r["way"], r["n"]) == (column, way, 1)}
            for n in sorted({r["n"] for r in records}):
                mine = [r for r in records if (r["column"], r["way"], r["n"]) == (column, way, n)]
                eff = [r["requests_per_s"] / (one[r["round"]] * n) for r in mine]
                rows.append([column, way, n, report.spread([r["requests_per_s"] for r in mine], 0),
                             report.spread(eff, 3), report.spread([r["p99_ms"] for r in mine], 1)])
    return "### D1\n\n" + report.table(["column", "way", "N", "requests/s", "efficiency", "p99 ms"], rows)


class Watcher:
    """Looks at the number of ready instances while a load runs."""

    def __init__(self, node):
        self.node, self.started = node, time.monotonic()
        self.seen = []  # (seconds, ready)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.is_set():
            ready = self.node.ready()
            if not self.seen or self.seen[-1][1] != ready:
                self.seen.append((round(time.monotonic() - self.started, 2), ready))
            self.over.wait(0.05)

    def stop(self):
        self.over.set()
        self.thread.join()
        return self.seen

    def first(self, count):
        return next((at for at, ready in self.seen if ready >= count), None)


def measure_sweep(args, folder):
    """Connections up, count by the scaler; then the same with the count fixed at three."""
    seconds = args.pace.sweep_seconds
    records = []
    for column in PATHS:
        with ScaledNode(args, folder) as node:
            for connections in args.pace.sweep_connections:
                watcher = Watcher(node)
                rps, p99 = wrk(node, column, connections, seconds)
                seen = watcher.stop()
                records.append({"bench": "sweep", "column": column, "connections": connections,
                                "requests_per_s": round(rps, 1), "p99_ms": round(p99, 2), "instances": seen[-1][1],
                                "verdict": node.state()["verdict"], "rss_mib": max(m[0] for m in node.memory())})
            memory = node.memory()
            node.scale(node.ready())
            _, fixed = wrk(node, column, args.pace.sweep_connections[-1], seconds)
            node.scale("auto")
            back = node.wait(lambda: node.settled(1), 300)
            records.append({"bench": "return", "column": column, "fixed_p99_ms": round(fixed, 2),
                            "back_to_one_s": round(back, 1), "rss_pss_mib": [[round(x, 1) for x in m] for m in memory],
                            "decisions": [[d["action"], d["from"], d["to"], d["reason"]] for d in node.decisions()
                                          if d["applied"] and d["action"] in ("grow", "shrink")]})
    return records


def measure_bursts(args, folder):
    """Idle to 1,024 connections three times, with a pause from end to start and from start to start."""
    records = []
    for spacing in args.pace.burst_spacings:
        with ScaledNode(args, folder) as node:
            node.wait(lambda: node.settled(1))
            for index in range(3):
                watcher = Watcher(node)
                rps, p99 = wrk(node, "blocking", 1024, args.pace.burst_seconds)
                watcher.stop()
                records.append({"bench": "burst", "spacing": spacing, "index": index, "requests_per_s": round(rps, 1),
                                "p99_ms": round(p99, 2), "second_after_s": watcher.first(2),
                                "third_after_s": watcher.first(3), "instances": watcher.seen[-1][1]})
                if index < 2:
                    time.sleep(args.pace.burst_pause - (args.pace.burst_seconds if spacing == "start" else 0))
            back = node.wait(lambda: node.settled(1), 300)
            records.append({"bench": "burst_return", "spacing": spacing, "back_to_one_s": round(back, 1)})
    return records


def render_scaler(records):
    sweep = [r for r in records if r["bench"] == "sweep"]
    text = "### sweep\n\n" + report.table(
        ["column", "connections", "requests/s", "p99 ms", "instances", "verdict", "largest RSS MiB"],
        [[r["column"], r["connections"], r["requests_per_s"], r["p99_ms"], r["instances"], r["verdict"],
          f"{r['rss_mib']:.1f}"] for r in sweep])
    text += "\n\n" + report.table(
        ["column", "p99 ms of the last row with that count fixed", "back to one after s", "Rss, Pss MiB", "actions"],
        [[r["column"], r["fixed_p99_ms"], r["back_to_one_s"], r["rss_pss_mib"],
          " ".join(f"{a}:{f}->{t}({why})" for a, f, t, why in r["decisions"])]
         for r in records if r["bench"] == "return"])
    text += "\n\n### bursts\n\n" + report.table(
        ["spacing", "burst", "requests/s", "p99 ms", "second serves after s", "third", "instances"],
        [[r["spacing"], r["index"] + 1, r["requests_per_s"], r["p99_ms"], r["second_after_s"], r["third_after_s"],
          r["instances"]] for r in records if r["bench"] == "burst"])
    back = [f"{r['spacing']}: {r['back_to_one_s']} s" for r in records if r["bench"] == "burst_return"]
    return text + "\n\nBack to one after the last burst: " + ", ".join(back) + "."


def finish(out, name, records, text):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    about = {"bench": name, "finished": now, "commit": report.commit_of(out), "machine": report.machine()}
    head = (f"## {name}, {now[:10]}, commit {about['commit']}\n\n{about['machine']}; wrk -t1 on the same cores; no errors. "
            f"Blocking: `/test/block?ms=2`.\nCommand: `{report.command()}`.\n\n")
    report.write(out, name, [about, *records], head + text)


def run_d1(args, out):
    with tempfile.TemporaryDirectory(prefix="caf_app-bench-") as folder:
        records = measure_d1(args, folder)
    finish(out, "d1", records, render_d1(records))


def run_scaler(args, out):
    with tempfile.TemporaryDirectory(prefix="caf_app-bench-") as folder:
        records = measure_sweep(args, folder) + measure_bursts(args, folder)
    finish(out, "scaler", records, render_scaler(records))
