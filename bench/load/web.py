"""bench/run http: CPU time per request of the web tier, beside other servers and a bare epoll loop.

Every round visits each side once, in turn (A B C A B C ...), so that a slow phase of the machine hits all of them;
what is reported as a ratio is the median of the ratios within one round. Servers are pinned to core 0, wrk to core 1.
"""
import contextlib
import datetime
import json
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

from load import servers
from support import report
from support.pace import START_S

BASE = """
[cluster]
name = "bench"
data_dir = "{data}"

[[node]]
name = "bench"
admin = "127.0.0.1:{admin}"
roles = [ROLES]

[http]
listen = ["127.0.0.1:{port}"]
loops = 1

[http.limits]
keepalive_requests = 1000000
connection_max_age = "10h"

[[http.site]]
host = "*"
  [[http.site.route]]
"""

FILES = '  path = "/static"\n  files = "../static"\n'


def static(size):
    """A file of `size` bytes that does not compress. All sides keep it open."""
    body = random.Random(size).randbytes(size)
    return {"path": "/static/file.bin", "body": body, "file": body, "config": BASE.replace("ROLES", '"http"') + FILES}


# What caf-node is configured with. With `file`, all sides serve that; else the others answer BODY under /hello.
# `body`: what the answer must be.
SCENARIOS = {
    "respond": {
        "path": "/hello", "body": servers.BODY,
        "config": BASE.replace("ROLES", '"http"') +
        '  path = "/hello"\n  respond = {{ status = 200, type = "text/plain", body = "Hello, World!" }}\n'},
    # Each beside our own fixed answer: what the way to the actor and back costs.
    "actor": {  # on the loop of the connection
        "path": "/greet", "body": b'{"greeting":"Hello, stranger!"}', "own": True,
        "config": BASE.replace("ROLES", '"http", "demo"') + '  path = "/greet"\n  actor = "greeter"\n'},
    "actor-node": {  # on a worker of the scheduler
        "path": "/counter/get", "body": b'{"value":0}', "own": True,
        "config": BASE.replace("ROLES", '"http", "demo"') + '  path = "/counter"\n  actor = "counter"\n'},
    "actor-remote": {  # on another node, whose time counts too
        "path": "/greet", "body": b'{"greeting":"Hello, stranger!"}', "own": True, "remote": True,
        "config": BASE.replace("ROLES", '"http"')
        .replace('data_dir = "{data}"', 'data_dir = "{data}"\nsecret_file = "{data}.key"')
        .replace("\n[http]\n", 'link = "127.0.0.1:{link}"\n\n[[node]]\nname = "remote"\n'
                 'link = "127.0.0.1:{far_link}"\nroles = ["demo"]\n\n[http]\n', 1)
        + '  path = "/greet"\n  actor = "greeter"\n'},
    "static-small": static(1024),
    "static-1m": static(1024 * 1024),
}


SCENARIOS["tls-h2"] = {  # HTTP/2 over TLS, with h2load
    "path": "/hello", "body": servers.BODY, "tls": True, "streams": 10,
    "config": SCENARIOS["respond"]["config"]
    .replace('listen = ["127.0.0.1:{port}"]', 'listen_tls = ["127.0.0.1:{port}"]')
    .replace("[http.limits]", '[http.tls]\ncert = "{cert}"\nkey = "{key}"\nmax_handshakes = 2000\n\n[http.limits]')}


SCENARIOS["proxy"] = {  # to the bare loop, which runs beside the load generator
    "path": "/hello", "body": servers.BODY, "proxied": True,
    "config": BASE.replace("ROLES", '"http"')
    .replace("[[http.site]]", '[[http.upstream]]\nname = "origin"\nservers = ["http://127.0.0.1:{origin}"]\n'
                              "keepalive = 1024\nmax_conns = 4096\n\n[[http.site]]", 1)
    + '  path = "/hello"\n  proxy = "origin"\n'}


SCENARIOS["cache-hit"] = {  # a stored response in memory, beside one in nginx's files
    "path": "/hello", "body": servers.BODY, "proxied": True, "cached": True, "digits": 3,  # of Age
    "config": SCENARIOS["proxy"]["config"].replace("[[http.upstream]]", '[http.cache]\nsize = "64MiB"\n\n[[http.upstream]]', 1)
    + "  cache = true\n"}
SCENARIOS["php"] = {  # the share of the web tier: PHP-FPM runs beside the load generator
    "path": "/hello", "body": servers.BODY, "proxied": True, "needs_php": True,
    "config": BASE.replace("ROLES", '"http"')
    .replace("[[http.site]]", '[[http.upstream]]\nname = "php"\nservers = ["unix:{php}/fpm.sock"]\n'
             f"max_conns = {servers.PHP_WORKERS}\nqueue = 4096\nqueue_timeout = \"30s\"\n\n[[http.site]]", 1)
    + '  path = "/"\n  fastcgi = "php"\n  root = "{php}"\n  front = "hello.php"\n'}


class WrongAnswer(Exception):
    """A run in which something else than the right answer came back: it has no speed."""


def sides(args, scenario=None):
    scenario = scenario or {}
    chosen = args.sides.split(",") if args.sides else list(args.pace.http_sides)
    if not args.sides and not shutil.which("h2o"):
        chosen = [side for side in chosen if side != "h2o"]
    if scenario.get("own"):
        return ["respond", "caf_app"]
    if scenario.get("tls") or "file" in scenario:  # the bare loop speaks no TLS and has no files
        return [side for side in chosen if side != "floor"]
    if scenario.get("proxied"):
        return [side for side in chosen if side in ("nginx", "caf_app")]
    return chosen


def connection_counts(args):
    return [int(c) for c in args.connections.split(",")] if args.connections else list(args.pace.http_connections)


def estimate(args):
    """@returns seconds; a measurement has two probes beside it"""
    pace = args.pace
    each = len(connection_counts(args)) * (1.3 * pace.http_warms + pace.http_rounds * (pace.http_seconds + 0.3)) + START_S
    return sum(1 + each * len(sides(args, SCENARIOS[name])) for name in args.scenarios or SCENARIOS)


def targets(args):
    wanted = {"floor": "epoll_floor", "caf_app": "caf-node"}
    return sorted({wanted[side] for side in [*sides(args), "floor"] if side in wanted})  # the origin is the floor


def check(server, scenario):
    """@returns the size of the right answer"""
    status, body, size = server.probe()
    wanted = scenario["body"] if server.name == "caf_app" or "file" in scenario else servers.BODY
    if status != 200 or body != wanted:
        raise WrongAnswer(f"{server.name}: {status} {body[:200]!r} instead of 200 {wanted[:200]!r}")
    return size


def measure(server, scenario, connections, seconds):
    """One side once. @returns a record; raises WrongAnswer unless every answer was right"""
    if scenario.get("tls"):
        return measure_h2(server, scenario, connections, seconds)
    size = check(server, scenario)
    before = server.cpu()
    wrk = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
                          "-s", str(pathlib.Path(__file__).with_name("report.lua")),
                          f"http://127.0.0.1:{server.port}{server.path}"], capture_output=True, text=True)
    cpu = server.cpu() - before
    lines = [line for line in wrk.stdout.splitlines() if line.startswith("SUMMARY ")]
    if wrk.returncode != 0 or not lines:
        raise RuntimeError(f"wrk failed against {server.name}: {wrk.stdout}{wrk.stderr}")
    seen = json.loads(lines[0][len("SUMMARY "):])
    errors = {kind: seen[kind] for kind in ("connect", "read", "write", "timeout", "status") if seen[kind]}
    if errors or not seen["requests"]:
        raise WrongAnswer(f"{server.name} at {connections} connections: {seen['requests']} answers, errors {errors}")
    # The probes vouch for one answer before and after; that all had its size, wrk's byte count tells. Answers
    # that were under way when time was up count in bytes only.
    surplus = seen["bytes"] - seen["requests"] * size
    slack = size * connections + scenario.get("digits", 0) * seen["requests"]
    if not -slack <= surplus <= slack:
        raise WrongAnswer(f"{server.name} at {connections} connections: {seen['bytes']} bytes are not "
                          f"{seen['requests']} answers of {size} bytes")
    check(server, scenario)
    return {"side": server.name, "connections": connections, "requests": seen["requests"],
            "cpu_us_per_request": round(cpu * 1e6 / seen["requests"], 4),
            "requests_per_s": round(seen["requests"] / seen["seconds"], 1), "p50_us": seen["p50_us"],
            "p99_us": seen["p99_us"], "rss_kib": server.rss(), "errors": 0}


def measure_h2(server, scenario, connections, seconds):
    """The same with h2load, which does not time out: what is not answered it counts."""
    check(server, scenario)
    with tempfile.NamedTemporaryFile() as log:
        before = server.cpu()
        done = subprocess.run(["taskset", "-c", "1", "h2load", "-t1", f"-c{connections}", f"-m{scenario['streams']}",
                               f"-D{seconds}", f"--log-file={log.name}",
                               f"https://127.0.0.1:{server.port}{server.path}"], capture_output=True, text=True)
        cpu = server.cpu() - before
        times = sorted(int(line.split(b"\t")[2]) for line in log.read().splitlines())
    facts = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", done.stdout)
    content = re.search(r"\((\d+)\) data", done.stdout)
    if done.returncode != 0 or not facts or not content:
        raise RuntimeError(f"h2load failed against {server.name}: {done.stdout}{done.stderr}")
    requests, *errors = map(int, facts.groups())
    if any(errors) or not requests:
        raise WrongAnswer(f"{server.name} at {connections} connections: {requests} answers; failed, errored, timeout: "
                          f"{errors}")
    surplus = int(content.group(1)) - requests * len(servers.BODY)
    if not 0 <= surplus <= connections * scenario["streams"] * len(servers.BODY):
        raise WrongAnswer(f"{server.name}: {content.group(1)} bytes are not {requests} answers")
    check(server, scenario)
    return {"side": server.name, "connections": connections, "requests": requests,
            "cpu_us_per_request": round(cpu * 1e6 / requests, 4), "requests_per_s": round(requests / seconds, 1),
            "p50_us": statistics.median(times), "p99_us": times[len(times) * 99 // 100], "rss_kib": server.rss(),
            "errors": 0}


@contextlib.contextmanager
def stage(name, build_dir):
    """What the sides of a scenario need: a folder with the files that are served, the origin behind them.
    Yields the scenario and the folder."""
    scenario, origin = dict(SCENARIOS[name]), None
    if scenario.get("own"):
        scenario["respond"] = SCENARIOS["respond"]
    with tempfile.TemporaryDirectory(prefix="caf_app-bench-") as temp:
        work = pathlib.Path(temp)
        if "file" in scenario:
            (work / "static").mkdir()
            (work / "static" / "file.bin").write_bytes(scenario["file"])
        if scenario.get("needs_php"):
            origin = scenario["php"] = servers.Php(work)
        elif scenario.get("cached"):
            origin = servers.CachingOrigin()
        elif scenario.get("proxied"):
            origin = servers.start_origin(build_dir, work)
        if origin and "php" not in scenario:
            scenario["origin"] = origin.port
        try:
            yield scenario, work
        finally:
            if origin:
                origin.stop()


def warm(server, scenario, connections):
    """Pages in, allocators grow, caches fill: the first answer of a cached scenario, a miss, looks different."""
    if scenario.get("cached"):
        server.probe()
    measure(server, scenario, connections, 1)


def run_scenario(name, args):
    rounds, seconds = args.pace.http_rounds, args.pace.http_seconds
    records, running = [], []
    with stage(name, args.build_dir) as (scenario, work):
        try:
            for side in sides(args, scenario):
                running.append(servers.STARTERS[side](args.build_dir, work, scenario))
            for connections in connection_counts(args):
                for server in running if args.pace.http_warms or scenario.get("cached") else []:
                    warm(server, scenario, connections)
                for index in range(rounds):
                    for server in running:
                        record = measure(server, scenario, connections, seconds)
                        records.append({"bench": "http", "scenario": name, "round": index, **record})
        finally:
            for server in running:
                server.stop()
    return records


def ratios(records, ours, peer, key):
    """One per round: ours over the peer's."""
    theirs = {r["round"]: r[key] for r in records if r["side"] == peer}
    return [r[key] / theirs[r["round"]] for r in records if r["side"] == ours]


def render(name, records):
    """The table of one scenario: a row per connection count and side."""
    rows = []
    peers = [peer for peer in ("nginx", "floor", "respond") if any(r["side"] == peer for r in records)]
    for connections in sorted({r["connections"] for r in records}):
        these = [r for r in records if r["connections"] == connections]
        order = list(dict.fromkeys(r["side"] for r in these))
        for side in order:
            mine = [r for r in these if r["side"] == side]
            cells = [connections, side] + [report.spread([r["cpu_us_per_request"] for r in mine]),
                                           report.spread([r["requests_per_s"] for r in mine], 0),
                                           report.spread([r["p50_us"] for r in mine], 0),
                                           report.spread([r["p99_us"] for r in mine], 0),
                                           f"{max(r['rss_kib'] for r in mine) / 1024:.1f}"]
            for peer in peers:
                cells.append(report.spread(ratios(these, side, peer, "cpu_us_per_request"), 3) if peer != side else "")
            rows.append(cells)
    return f"### {name}\n\n" + report.table(
        ["connections", "side", "CPU us/request", "requests/s", "p50 us", "p99 us", "RSS MiB",
         *(f"CPU / {peer}" for peer in peers)], rows)


def run(args, out):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
    records, tables, failures = [], [], []
    started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    for name in args.scenarios or list(SCENARIOS):
        try:
            mine = run_scenario(name, args)
        except (WrongAnswer, RuntimeError, OSError) as why:  # has no figures, and takes none from the others
            failures.append(f"{name}: {why}")
            tables.append(f"### {name}\n\nfailed: {str(why).splitlines()[0]}")
        else:
            records += mine
            tables.append(render(name, mine))
    rounds = len({r["round"] for r in records})
    about = {"bench": "http", "started": started, "commit": report.commit_of(out), "machine": report.machine(),
             "rounds": rounds, "load": "wrk -t1 (tls-h2: h2load -t1 -m10) on core 1, servers on core 0"}
    head = (f"## http, {started[:10]}, commit {about['commit']}\n\n{about['machine']}; median ± MAD of {rounds} "
            f"interleaved rounds; {about['load']}; what is reported had no error and no wrong answer.\nRatios are medians of the ratios within "
            f"a round. Command: `{report.command()}`.\n\n")
    report.write(out, "http", [about, *records], head + "\n\n".join(tables))
    if failures:
        raise WrongAnswer("; ".join(failures))
