#!/usr/bin/env python3
"""Worker processes: affinity, capacity, deadlines, crashes, confinement, fairness, and what a killed node leaves."""
import json
import os
import random
import signal
import tempfile
import threading
import time
import unittest

from support import suite
from support.evaluator import BINDING, Evaluator, descendants, kitchen, runs
from support.suite import eventually
from support.wire import Wire, request

# Of something that is measured against a deadline on a machine that runs other tests too.
SLACK = 10 if suite.SANITIZED else 2


def setUpModule():
    """A folder for all nodes, one after the other: the project is compiled once."""
    global FOLDER
    folder = tempfile.TemporaryDirectory(prefix="caf-app-")
    unittest.addModuleCleanup(folder.cleanup)
    FOLDER = folder.name


class Workers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Evaluator('workers = 4\nidle_timeout = "1h"', folder=FOLDER)
        cls.addClassCleanup(cls.node.close)
        cls.id = cls.node.make(kitchen())

    def pid(self, org="org", user="user", graph_id=None):
        binding = {"org_id": org, "user_id": user}
        if graph_id:
            binding["graph_id"] = graph_id
        status, reply = self.node.call(self.id, "pid", {"binding": binding})
        self.assertEqual(status, 200, reply)
        return reply["output"]

    def call_with(self, function, value, wire=None, org="org", timeout=None):
        fields = (f"Request-Timeout: {timeout}",) if timeout else ()
        return self.node.call(self.id, function, {"input": value, "binding": {**BINDING, "org_id": org}}, *fields,
                              wire=wire)

    def test_a_worker_serves_one_key(self):
        mine = self.pid()
        self.assertEqual({self.pid() for _ in range(20)}, {mine})
        others = [self.pid(org="other"), self.pid(user="other"), self.pid(graph_id="g")]
        self.assertEqual(len({mine, *others}), 4)
        graph = self.node.step(self.id, "pids", {"inputs": {"a": 0}, "binding": BINDING})[1]["nodes"][0]["output"]
        self.assertNotIn(graph, [mine, *others])

    def test_a_deadline_kills_the_process(self):
        pid = self.pid(user="late")
        self.assertIn(pid, descendants(self.node.pid))
        for function, value in (("misbehave", "loop"), ("pause", 60000)):
            began = time.monotonic()
            status, reply = self.call_with(function, value, timeout="300ms")
            took = time.monotonic() - began
            self.assertEqual((status, reply["code"]), (504, "deadline_exceeded"))
            self.assertGreaterEqual(took, 0.29)
            self.assertLess(took, 0.35 + (SLACK - 1) * 1.0)
        busy = lambda: self.node.metric("caf_eval_busy_workers")
        eventually(lambda: busy() == 0, "nothing runs any more")

    def test_deadlines_are_kept_to_50_ms(self):
        late = []
        for _ in range(20):
            began = time.monotonic()
            status, reply = self.call_with("pause", 60000, timeout="100ms")
            late.append(time.monotonic() - began - 0.1)
            self.assertEqual((status, reply["code"]), (504, "deadline_exceeded"))
            self.assertGreaterEqual(late[-1], -0.01)
        late.sort()
        # Most of them: a machine that runs other tests too holds up some.
        self.assertLess(late[len(late) // 2], 0.05 if not suite.SANITIZED else 0.5, late)
        self.assertLess(late[-1], 1.0 * SLACK, late)

    def test_waiting_counts(self):
        wires = [Wire(self.node.port()) for _ in range(5)]
        for i, wire in enumerate(wires):
            wire.send(request(f"/v0/builds/{self.id}/functions/kitchen.pause", "Content-Type: application/json",
                              "Request-Timeout: 400ms" if i == 4 else "X: y", method="POST",
                              body=json.dumps({"input": 1500, "binding": BINDING}).encode()))
        for wire in wires:
            self.addCleanup(wire.close)
        late = wires[4].response()
        self.assertEqual((late.status, json.loads(late.body)["code"]), (504, "deadline_exceeded"))
        for wire in wires[:4]:
            self.assertEqual(wire.response().status, 200)

    def test_crashes_are_502_and_the_next_call_is_fine(self):
        for how in ("abort", "exit", "segv", "frame", "oversize", "wrong-id", "fill"):
            with self.subTest(how):
                status, reply = self.call_with("misbehave", how)
                self.assertEqual((status, reply["code"]) if how != "fill" else (status in (200, 502), 1),
                                 (502, "worker_crashed") if how != "fill" else (True, 1), reply)
                self.assertEqual(self.call_with("misbehave", "nothing")[1], {"output": 0})

    def test_confinement(self):
        for how in ("open", "create", "socket", "unix", "fork", "exec", "kill", "ptrace", "environment", "allocate",
                    "limits", "descriptors", "early-fork", "thread", "clone3", "outlive", "signal", "foreign-limits",
                    "foreign-memory", "files-otherwise", "session"):
            with self.subTest(how):
                self.assertEqual(self.call_with("misbehave", how), (200, {"output": 0}))
        self.assertFalse(os.path.exists("/tmp/caf_app_escape"))
        layers = self.node.api("GET", "/health")[1]["confinement"]
        self.assertEqual((layers["noNewPrivileges"], layers["limits"], layers["seccomp"]), (True, True, True))

    def test_a_client_that_leaves_cancels_what_waits(self):
        running = [Wire(self.node.port()) for _ in range(4)]
        for wire in running:
            self.addCleanup(wire.close)
            wire.send(self.raw("pause", 800))
        eventually(lambda: self.node.metric("caf_eval_busy_workers") == 4, "all are busy")
        gone = Wire(self.node.port()).send(self.raw("pause", 1))
        eventually(lambda: self.node.metric("caf_eval_waiting_calls") == 1, "one waits")
        gone.reset()
        eventually(lambda: self.node.metric("caf_eval_waiting_calls") == 0, "it is gone")
        for wire in running:
            self.assertEqual(wire.response().status, 200)

    def raw(self, function, value, org="org", user="user"):
        body = {"input": value, "binding": {"org_id": org, "user_id": user}}
        return request(f"/v0/builds/{self.id}/functions/kitchen.{function}", "Content-Type: application/json",
                       method="POST", body=json.dumps(body).encode())

    def test_a_greedy_tenant_does_not_starve_a_hundred(self):
        stopped, waits = threading.Event(), []

        def greedy():
            wire = Wire(self.node.port())
            self.addCleanup(wire.close)
            while not stopped.is_set():
                wire.send(self.raw("pause", 5, org="greedy")).response("POST")

        threads = [threading.Thread(target=greedy, daemon=True) for _ in range(16)]
        for thread in threads:
            thread.start()
        wire = Wire(self.node.port())
        self.addCleanup(wire.close)
        for i in range(100):
            began = time.monotonic()
            answer = wire.send(self.raw("pause", 1, org=f"modest-{i}")).response("POST")
            waits.append(time.monotonic() - began)
            self.assertEqual(answer.status, 200)
        stopped.set()
        for thread in threads:
            thread.join(suite.PATIENCE)
        # A place is free after 5 ms at most; a queue of 16 would be 20 ms and more. Starting a worker comes on top.
        self.assertLess(sorted(waits)[98], 0.2 * SLACK, sorted(waits)[-5:])

    def test_killed_workers_repeat_no_effect(self):
        """Each call writes a file of its own; whatever is killed and when, no call runs twice."""
        dice, stopped, killed = random.Random(7), threading.Event(), []
        folder = self.node.folder / "var" / "n1" / "files" / "kill" / "user"

        def killer():
            while not stopped.is_set():
                for pid in descendants(self.node.pid)[1:]:
                    if dice.random() < 0.3:
                        try:
                            os.kill(pid, signal.SIGKILL)
                            killed.append(pid)
                        except OSError:
                            pass
                stopped.wait(0.01)

        thread = threading.Thread(target=killer, daemon=True)
        thread.start()
        outcomes = {}
        wires = [Wire(self.node.port()) for _ in range(4)]
        for wire in wires:
            self.addCleanup(wire.close)
        rounds = 0
        while len(killed) < 200 or rounds < 50:
            rounds += 1
            self.assertLess(rounds, 1000, "200 processes were killed")
            for k, wire in enumerate(wires):
                body = {"input": f"{rounds}-{k}", "binding": {"org_id": "kill", "user_id": "user"},
                        "policy": {"effects": ["FileSystem"]}}
                wire.send(request(f"/v0/builds/{self.id}/functions/kitchen.mark", "Content-Type: application/json",
                                  method="POST", body=json.dumps(body).encode()))
            for wire in wires:
                status = wire.response("POST").status
                outcomes[status] = outcomes.get(status, 0) + 1
        stopped.set()
        thread.join(suite.PATIENCE)
        self.assertLessEqual(set(outcomes), {200, 502}, outcomes)
        self.assertGreater(outcomes.get(502, 0), 0)
        # Files that exist: of calls that answered, and of some that were killed after the effect.
        written = [path.read_text() for path in folder.glob("*")]
        self.assertEqual(set(written), {"1"}, "an effect happened twice")
        self.assertGreaterEqual(len(written), outcomes.get(200, 0))
        self.assertLessEqual(len(written), 4 * rounds)
        eventually(lambda: self.call_with("misbehave", "nothing")[0] == 200, "the evaluator is fine")

    def test_parts_of_the_evaluator_come_back(self):
        for part in ("eval/dispatcher", "eval/builds", "eval/front"):
            with self.subTest(part):
                self.node.ctl("kill", part)
                eventually(lambda: self.call_with("add", [1, 2])[0] == 200, "calls are served again")


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = FOLDER
        with Evaluator(folder=cls.folder) as node:
            cls.id = node.make(kitchen())

    def pause(self, wire, ms, user="u"):
        body = {"input": ms, "binding": {"org_id": "org", "user_id": user}}
        wire.send(request(f"/v0/builds/{self.id}/functions/kitchen.pause", "Content-Type: application/json",
                          method="POST", body=json.dumps(body).encode()))

    def test_capacity_and_what_a_killed_node_leaves(self):
        with Evaluator("workers = 64\nqueue_max = 4", folder=self.folder) as node:
            wires = []
            for i in range(68):
                wires.append(Wire(node.port()))
                self.addCleanup(wires[-1].close)
                self.pause(wires[-1], 50000, f"u{i}")
            eventually(lambda: node.metric("caf_eval_busy_workers") == 64, "all workers are busy")
            eventually(lambda: node.metric("caf_eval_waiting_calls") == 4, "four wait")
            status, reply = node.call(self.id, "one", {"binding": {"org_id": "org", "user_id": "late"}})
            self.assertEqual((status, reply["code"]), (503, "queue_full"))
            self.assertEqual(node.last.field("retry-after"), "1")
            left = descendants(node.pid)
            self.assertGreater(len(left), 64)
            node.process.kill()
            eventually(lambda: not any(map(runs, left)), "all processes are gone", 1.0 * SLACK)

    def test_a_stop_lets_calls_finish(self):
        with Evaluator(folder=self.folder) as node:
            wire = Wire(node.port())
            self.addCleanup(wire.close)
            self.pause(wire, 1000)
            eventually(lambda: node.metric("caf_eval_busy_workers") == 1, "it runs")
            node.signal(signal.SIGTERM)
            self.assertEqual(wire.response("POST").status, 200)
            self.assertEqual(node.wait(), 0)

    def test_idle_workers_retire(self):
        with Evaluator('idle_timeout = "1s"', folder=self.folder) as node:
            node.call(self.id, "one", {})
            self.assertEqual(node.metric("caf_eval_workers"), 1)
            eventually(lambda: node.metric("caf_eval_workers") == 0, "it has retired")
            eventually(lambda: not descendants(node.pid), "its zygote too")
            self.assertEqual(node.call(self.id, "one", {})[0], 200)


if __name__ == "__main__":
    suite.main()
