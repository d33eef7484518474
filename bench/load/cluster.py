"""bench/run cluster: asks and messages between two processes on loopback, over our links and over CAF's BASP; then what
BASP has nothing beside: publications on three nodes, how soon a death is noticed and a name is visible.

Each row of the first table visits both wires in turn, round by round; a ratio is the median of the ratios within one
round.
"""
import contextlib
import json
import select
import signal
import socket
import statistics
import subprocess
import time

from support import report
from support.pace import START_S

# (row, in flight, bytes, what)
ROWS = [("ask, 1 in flight", 1, 16, "ask"), ("ask, 64 in flight", 64, 16, "ask"),
        ("ask, 1000 in flight", 1000, 16, "ask"), ("messages of 64 B", 1, 64, "send"),
        ("messages of 1 KiB", 1, 1024, "send"), ("messages of 64 KiB", 1, 65536, "send")]
WIRES = ("links", "basp")
ANSWER_SECONDS = 60


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def one(program, wire, in_flight, size, what, seconds):
    port, peer_port = free_port(), free_port()
    server = subprocess.Popen([program, "serve", wire, port, peer_port], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
    try:
        if server.stdout.readline().strip() != "ready":
            raise RuntimeError(f"cluster_load serve {wire} did not start")
        done = subprocess.run([program, "run", wire, port, peer_port, str(in_flight), str(seconds), str(size), what],
                              capture_output=True, text=True, timeout=60 + seconds)
        if done.returncode != 0:
            raise RuntimeError(f"cluster_load run {wire} failed: {done.stderr}{done.stdout}")
        return json.loads(done.stdout)
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()


class Probe:
    """A cluster_probe: takes a line, answers with one."""

    def __init__(self, program, name, ports):
        others = [word for other, port in ports.items() if other != name for word in (other, str(port))]
        self.process = subprocess.Popen([program, name, str(ports[name]), *others], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"cluster_probe {name} did not start")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise RuntimeError(f"cluster_probe says nothing for {ANSWER_SECONDS} s")
        text = self.process.stdout.readline()
        if not text:
            raise RuntimeError("cluster_probe has ended")
        return json.loads(text)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextlib.contextmanager
def three_nodes(program):
    """a, b and c, of which each has seen a name of each other."""
    ports = {name: free_port() for name in "abc"}
    nodes = {}
    try:
        for name in ports:
            nodes[name] = Probe(program, name, ports)
        for name, node in nodes.items():
            if why := node.ask(f"hold here.{name}")["error"]:
                raise RuntimeError(f"{name} got no name: {why}")
        for node in nodes.values():
            for name in nodes:
                node.ask(f"see here.{name}")
        yield nodes
    finally:
        for node in nodes.values():
            node.close()


def publications(program, rounds, records):
    """Rows of a table: from a publication until the publisher has heard from every member."""
    lines = []
    with three_nodes(program) as nodes:
        have = 0
        for members in (10, 50, 100):
            for i, node in enumerate(nodes.values()):
                share = members * (i + 1) // 3 - members * i // 3
                before = have * (i + 1) // 3 - have * i // 3
                node.ask(f"members {share - before}")
            have = members
            time.sleep(0.2)  # joins are told in the background
            nodes["a"].ask(f"publish {members} 50")  # warms up
            result = nodes["a"].ask(f"publish {members} {rounds}")
            records.append({"row": f"publish to {members}", **result})
            lines.append([f"publish to {members} members on 3 nodes, all have answered", f"{result['p50_us']:.0f} us",
                          f"{result['p99_us']:.0f} us", f"{result['per_second']:.0f} per second"])
    return lines


def visibility(program, times, records):
    """From asking for a name until it is granted, and until another node finds it."""
    granted, seen = [], []
    with three_nodes(program) as nodes:
        for i in range(times):
            watcher = nodes["c"]
            watcher.process.stdin.write(f"see fresh.{i}\n")
            watcher.process.stdin.flush()
            held = nodes["b"].ask(f"hold fresh.{i}")
            granted.append(1e3 * (held["granted_s"] - held["asked_s"]))
            seen.append(1e3 * (watcher.answer()["seen_s"] - held["asked_s"]))
    lines = []
    for what, values in (("a name is granted", granted), ("a name is found on a third node", seen)):
        values.sort()
        records.append({"row": what, "ms": values})
        lines.append([what, f"{statistics.median(values):.2f} ms", f"{values[-1]:.2f} ms", f"{times} times"])
    return lines


def detection(program, times, records):
    """From the signal until a watch on another node has ended."""
    lines = []
    for what, number in (("kill -9", signal.SIGKILL), ("SIGSTOP", signal.SIGSTOP)):
        took = []
        for _ in range(times):
            with three_nodes(program) as nodes:
                nodes["a"].ask("watch here.c")
                time.sleep(1.5)  # heartbeats have a rhythm
                began = time.monotonic()
                nodes["c"].process.send_signal(number)
                took.append(nodes["a"].answer()["down_s"] - began)
        took.sort()
        records.append({"row": what, "s": took})
        lines.append([f"{what} is noticed", f"{statistics.median(took):.2f} s", f"{took[-1]:.2f} s", f"{times} times"])
    return lines


def targets(_args):
    return ["cluster_load", "cluster_probe"]


def estimate(args):
    """@returns seconds; a death is noticed after 2 s or 4 s, and watched by three new nodes"""
    pace = args.pace
    return (len(ROWS) * len(WIRES) * pace.cluster_rounds * (pace.cluster_seconds + START_S) + 10 +
            3 * pace.publications / 1000 + pace.visible_names / 100 + pace.deaths * (2 + 4 + 2 * (1.5 + 3)))


def run(args, out):
    program, pace = args.build_dir / "bench" / "cluster_load", args.pace
    rounds, seconds = pace.cluster_rounds, pace.cluster_seconds
    records, lines = [], []
    for row, in_flight, size, what in ROWS:
        results = {wire: [] for wire in WIRES}
        for _ in range(rounds):
            for wire in WIRES:
                result = one(program, wire, in_flight, size, what, seconds)
                results[wire].append(result)
                records.append({"row": row, "wire": wire, **result})
        figure = "p50_us" if in_flight == 1 and what == "ask" else "per_second"
        values = {wire: [x[figure] for x in results[wire]] for wire in WIRES}
        ratio = statistics.median(a / b for a, b in zip(values["links"], values["basp"]))
        p99 = {wire: statistics.median(x["p99_us"] for x in results[wire]) for wire in WIRES}
        digits = 1 if figure == "p50_us" else 0
        lines.append([row, figure, report.spread(values["links"], digits), report.spread(values["basp"], digits),
                      f"{ratio:.2f}", f"{p99['links']:.0f}", f"{p99['basp']:.0f}"])
    text = (f"# cluster, {report.commit_of(out)}\n\n{report.machine()}\n\n`{report.command()}`, {rounds} rounds of "
            f"{seconds} s, both ends on this machine\n\n" +
            report.table(["row", "figure", "links", "BASP", "links / BASP", "p99 us links", "p99 us BASP"], lines))
    probe = args.build_dir / "bench" / "cluster_probe"
    alone = publications(probe, pace.publications, records)
    alone += visibility(probe, pace.visible_names, records)
    alone += detection(probe, pace.deaths, records)
    text += "\n\n" + report.table(["what, links only", "median", "p99 or longest", "rate or runs"], alone)
    report.write(out, "cluster", records, text)
