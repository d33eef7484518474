#!/usr/bin/env python3
"""Two evaluators behind one front: placement, drivers that travel, a node that is killed under load."""
import json
import threading
import time
import unittest

from support import suite
from support.cluster import Cluster
from support.evaluator import SITE, descendants, kitchen
from support.suite import eventually
from support.wire import Wire, request

ROLES = {"edge": ["http"], "eval-1": ["eval"], "eval-2": ["eval"]}
WORKERS = 4


class Front:
    """One connection to the front of a node."""

    def __init__(self, node):
        self.wire = Wire(node.port(), timeout=4 * suite.PATIENCE)

    def api(self, method, path, body=None, *fields):
        data = b"" if body is None else json.dumps(body).encode()
        fields += ("Content-Type: application/json",) if data else ()
        answer = self.wire.send(request("/v0" + path, *fields, method=method, body=data)).response(method)
        return answer.status, json.loads(answer.body) if answer.body else None

    def call(self, build, function, value, user, *fields):
        return self.api("POST", f"/builds/{build}/functions/kitchen.{function}",
                        {"input": value, "binding": {"org_id": "org", "user_id": user}}, *fields)


class TwoEvaluators(unittest.TestCase):
    def test_calls_spread_and_survive_a_node(self):
        with Cluster(ROLES, site=SITE, extra=f"[eval]\nworkers = {WORKERS}\n") as cluster:
            cluster.start().together()
            front = Front(cluster["edge"])
            self.addCleanup(front.wire.close)
            eventually(lambda: front.api("GET", "/builds")[0] == 200, "an evaluator is known")
            status, reply = 202, None
            while status == 202:
                status, reply = front.api("POST", "/builds?wait=50s", kitchen())
            self.assertEqual((status, reply.get("state")), (200, "ready"), reply)
            build = reply["id"]

            def both_have_workers():
                for user in range(16):
                    self.assertEqual(front.call(build, "pid", None, f"u{user}")[0], 200)
                return all(len(descendants(cluster[name].pid)) > 1 for name in ("eval-1", "eval-2"))
            eventually(both_have_workers, "both nodes run workers of the one build")
            self.assertEqual([b["id"] for b in front.api("GET", "/builds")[1]["builds"]], [build])
            self.assertEqual(front.call(build, "pid", None, "same"), front.call(build, "pid", None, "same"))
            step = front.api("POST", f"/builds/{build}/graphs/sum", {"inputs": {"a": 1, "b": 2}})[1]

            for user in ("a", "b", "c", "d"):  # placed on either node
                began = time.monotonic()
                status, reply = front.call(build, "pause", 60000, user, "Request-Timeout: 300ms")
                self.assertEqual((status, reply["code"]), (504, "deadline_exceeded"))
                self.assertLess(time.monotonic() - began, 1.0 if not suite.SANITIZED else 10)

            outcomes, stopped = {}, threading.Event()
            lock = threading.Lock()

            def load(number):
                mine = Front(cluster["edge"])
                while not stopped.is_set():
                    status = mine.call(build, "pause", 20, f"load-{number}")[0]
                    with lock:
                        outcomes[status] = outcomes.get(status, 0) + 1
                mine.wire.close()

            threads = [threading.Thread(target=load, args=(i,), daemon=True) for i in range(12)]
            for thread in threads:
                thread.start()
            eventually(lambda: outcomes.get(200, 0) > 100, "calls are served")
            cluster["eval-1"].process.kill()
            before = outcomes.get(200, 0)
            eventually(lambda: outcomes.get(200, 0) > before + 200, "calls go on")
            stopped.set()
            for thread in threads:
                thread.join(suite.PATIENCE)
            self.assertLessEqual(set(outcomes), {200, 502}, outcomes)
            self.assertLessEqual(outcomes.get(502, 0), WORKERS, outcomes)

            again = front.api("POST", f"/builds/{build}/graphs/sum", {"state": step["state"], "inputs": {"b": 40}})
            self.assertEqual((again[0], again[1]["nodes"][2]["output"]), (200, 41))


if __name__ == "__main__":
    suite.main()
