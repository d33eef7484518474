#!/usr/bin/env python3
"""The workers of an evaluator follow the calls that wait, from the node itself or from another one."""
import json
import signal
import threading
import unittest

from support import suite
from support.cluster import Cluster
from support.evaluator import SITE
from support.suite import eventually
from support.wire import Wire, request

SCALER = """
[eval]
workers = 2
[scaler]
quiet_window = "800ms"
down_cooldown = "300ms"
up_cooldown = "200ms"
warmup = "300ms"
eval = { enabled = %s, min_workers = 1, max_workers = 3 }
"""

PROJECT = {
    "source": {"files": {
        "p.hpp": "#pragma once\n#include <caf_app/eval.hpp>\ncaf_app::eval::nat pause(caf_app::eval::nat ms);\n",
        "p.cpp": '#include "p.hpp"\n#include <ctime>\ncaf_app::eval::nat pause(caf_app::eval::nat ms) {\n'
                 "  timespec time{0, ms.to_int64() * 1'000'000};\n  nanosleep(&time, nullptr);\n  return ms;\n}\n"}},
    "functions": [{"name": "pause", "header": "p.hpp", "function": "pause", "signature": "nat(nat)"}],
    "graphs": [],
}


class Calls:
    """Clients that call again and again. statuses: of the replies, to their number."""

    def __init__(self, port, build, clients):
        self.port, self.build = port, build
        self.statuses = {}
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        with Wire(self.port, timeout=4 * suite.PATIENCE) as wire:
            data = request(f"/v0/builds/{self.build}/functions/pause", "Content-Type: application/json",
                           method="POST", body=b'{"input": 40}')
            while not self.stopped.is_set():
                status = wire.send(data).response("POST").status
                with self.lock:
                    self.statuses[status] = self.statuses.get(status, 0) + 1

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(suite.PATIENCE)


def admin(node, path):
    with Wire(node.admin_port) as wire:
        return json.loads(wire.get(path, host="localhost").body)


def post_project(node):
    """Returns the id of the build."""
    with Wire(node.port(), timeout=4 * suite.PATIENCE) as wire:
        def ask():
            return wire.send(request("/v0/builds?wait=50s", "Content-Type: application/json", method="POST",
                                     body=json.dumps(PROJECT).encode())).response("POST")
        eventually(lambda: ask().status == 200, "the project is built", 60)
        return json.loads(ask().body)["id"]


def workers(node):
    return admin(node, "/v1/scaler").get("eval", {}).get("workers")


def steps(node):
    """(from, to) of what was done, as caf-ctl tells at a node."""
    lines = [json.loads(line) for line in node.ctl("--json", "decisions").stdout.splitlines()]
    return [(d["from"], d["to"]) for d in lines
            if d["target"].startswith("eval/") and d["applied"] and d["action"] in ("grow", "shrink")]


class Workers(unittest.TestCase):
    def test_another_node_scales_them_and_a_third_takes_over(self):
        roles = {"n1": ["http"], "s1": ["scaler"], "s2": ["scaler"], "e1": ["eval"]}
        with Cluster(roles, site=SITE, extra=SCALER % "true") as cluster:
            cluster.start().together()
            web, evaluator = cluster["n1"], cluster["e1"]
            build = post_project(web)
            eventually(lambda: workers(evaluator) == 1, "the unused one of two is gone")
            calls = Calls(web.port(), build, 12)
            eventually(lambda: workers(evaluator) == 3, "more workers")
            eventually(lambda: admin(web, "/v1/scaler")["reason"] == "eval_at_max", "the web tier waits for them")
            self.assertEqual(admin(web, "/v1/scaler")["verdict"], "eval_bound")
            self.assertEqual(admin(web, "/v1/scaler")["wanted"], 1)

            def holder():
                return next((x["node"] for x in web.ctl_json("names") if x["name"] == "scaler.eval.e1"), None)
            first = holder()
            other = {"s1": "s2", "s2": "s1"}[first]
            cluster[first].signal(signal.SIGKILL)
            eventually(lambda: holder() == other, "the other one has the name")
            self.assertEqual(workers(evaluator), 3)
            calls.stop()
            eventually(lambda: workers(evaluator) == 1, "idle ones go")
            self.assertEqual(list(calls.statuses), [200], calls.statuses)
            self.assertEqual(steps(evaluator), [(2, 1), (1, 2), (2, 3), (3, 2), (2, 1)])
            metrics = cluster[other].metrics()
            self.assertEqual(metrics['caf_scaler_instances{state="ready",target="eval/e1"}'], 1)
            for name in roles:
                self.assertNotIn("no handler for", cluster[name].log())

    def test_a_node_scales_its_own_until_it_is_told_not_to(self):
        with Cluster({"n1": ["http", "eval", "scaler"]}, site=SITE, extra=SCALER % "true") as cluster:
            node = cluster.start()["n1"]
            build = post_project(node)
            eventually(lambda: workers(node) == 1, "the unused one of two is gone")
            calls = Calls(node.port(), build, 12)
            eventually(lambda: workers(node) == 3, "more workers")
            cluster.extra = SCALER % "false"
            node.write(cluster.config())
            node.ctl("reload")
            eventually(lambda: workers(node) == 2, "as many as the section says")
            self.assertFalse(admin(node, "/v1/scaler")["eval"]["enabled"])
            calls.stop()
            self.assertEqual(list(calls.statuses), [200], calls.statuses)
            self.assertEqual(node.metrics()["caf_eval_kills_total"], 0)
            self.assertNotIn("no handler for", node.log())


if __name__ == "__main__":
    suite.main()
