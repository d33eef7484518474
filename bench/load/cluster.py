"""bench/run cluster: asks and messages between two processes on loopback, over our links and over CAF's BASP.

Each row visits both wires in turn, round by round; a ratio is the median of the ratios within one round.
"""
import json
import socket
import statistics
import subprocess

from support import report

# (row, in flight, bytes, what)
ROWS = [("ask, 1 in flight", 1, 16, "ask"), ("ask, 64 in flight", 64, 16, "ask"),
        ("ask, 1000 in flight", 1000, 16, "ask"), ("messages of 64 B", 1, 64, "send"),
        ("messages of 1 KiB", 1, 1024, "send"), ("messages of 64 KiB", 1, 65536, "send")]
WIRES = ("links", "basp")


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


def targets(_args):
    return ["cluster_load"]


def run(args, out):
    program = args.build_dir / "bench" / "cluster_load"
    rounds, seconds = (2, 0.5) if args.quick else (7, 2)
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
    report.write(out, "cluster", records, text)
