#!/usr/bin/env python3
"""Graph steps over HTTP agree with a model of the rules, whatever comes in whatever order."""
import json
import random
import unittest

from support import suite
from support.evaluator import BINDING, Evaluator, kitchen
from support.graph_model import Graph, Producer

GRANTED = {"binding": BINDING, "policy": {"effects": ["Error"]}}


def half(a):
    if a % 2:
        raise ValueError("odd")
    return a // 2


def positive(a):
    if a == 0:
        raise ValueError("zero")
    return a


def add(a, b):
    return a + b


def tick(arguments, now, continuation):
    at = continuation or 0
    return [at], at + 1, now + arguments[0]


def burst(arguments, _now, _continuation):
    return list(range(arguments[0], 0, -1)), None, None


def capped(a):
    return min(a, 3)


def quiet(arguments, _now, _continuation):
    return [arguments[0]] if arguments[0] else [], None, None


def wake(arguments, _now, continuation):
    return ([9], None, None) if continuation else ([], 1, arguments[0])


class CutGraph(Graph):
    """Declared with cutoff: a node that comes out equal does not emit."""

    def set(self, i, outcome):
        is_new = outcome != self.outcomes[i]
        super().set(i, outcome)
        return is_new


# As numbered by the programs in support/evaluator.py: arguments from left to right, then the application.
MODELS = {
    "sum": lambda: [("input", "a"), ("input", "b"), (add, [0, 1])],
    "diamond": lambda: [("input", "a"), (add, [0, 0]), (half, [0]), (add, [1, 2])],
    "constant": lambda: [(lambda: 1, []), ("input", "a"), (add, [0, 1])],
    "checked": lambda: [("input", "a"), (positive, [0]), (half, [1]), (add, [2, 2])],
    "ticks": lambda: [("input", "period"), (Producer(tick), [0]), ("input", "base"), (add, [1, 2])],
    "halves": lambda: [("input", "period"), (Producer(tick), [0]), ("input", "base"), (half, [1]), (add, [3, 2]),
                       (add, [4, 1])],
    "bursts": lambda: [("input", "n"), (Producer(burst), [0]), (half, [1]), (lambda: 1, []), ("input", "m"),
                       (add, [3, 4]), (add, [2, 5])],
    "constants": lambda: [(lambda: 1, []), (add, [0, 0]), (lambda: 1, []), (add, [1, 2]), ("input", "a"), (add, [3, 4])],
    "uncut": lambda: [("input", "a"), (capped, [0]), (add, [1, 1])],
    "cut": lambda: [("input", "a"), (capped, [0]), (add, [1, 1])],
    "skips": lambda: [("input", "a"), (positive, [0]), ("input", "b"), (positive, [2]), (add, [1, 3]), (add, [3, 1]),
                      (add, [4, 5])],
    "quiets": lambda: [("input", "a"), (Producer(quiet), [0]), ("input", "b"), (add, [1, 2])],
    "chained": lambda: [("input", "a"), (positive, [0]), (Producer(quiet), [1]), (add, [2, 2])],
    "wakes": lambda: [("input", "a"), (Producer(wake), [0]), ("input", "b"), (Producer(wake), [2]), (add, [1, 3])],
}

# The cases that tests/unit/actors/eval/runtime/graph_cases_test.cpp runs against the engine.
TABLE = json.loads((suite.ROOT / "tests" / "support" / "eval_cases.json").read_text())


def shown(outcome):
    """An outcome as the table has it."""
    if outcome is None:
        return "-"
    kind, value = outcome
    if kind == "error":
        return f"!{value}" if value in ("odd", "zero") else "!*"
    return f"skip {value}" if kind == "skipped" else str(value)


# What is fed, step by step: (graph, [(inputs, now), ...]).
CASES = [
    ("sum", [({}, 1)]), ("sum", [({"a": 1}, 1)]), ("sum", [({"b": 1, "a": 2}, 1)]),
    ("sum", [({"a": 1, "b": 2}, 1), ({"a": 1}, 2)]), ("sum", [({"a": 1, "b": 2}, 1), ({"a": 2, "b": 1}, 1)]),
    ("sum", [({"a": 2 ** 64, "b": 2 ** 200}, 1), ({"a": 2 ** 200}, 2)]),
    ("diamond", [({"a": 3}, 1), ({"a": 4}, 2), ({"a": 3}, 3)]), ("diamond", [({"a": 0}, 0)]),
    ("constant", [({}, 5), ({"a": 1}, 5), ({}, 5)]),
    ("checked", [({"a": 0}, 1), ({"a": 3}, 2), ({"a": 4}, 3)]),
    ("ticks", [({"period": 10}, 0), ({}, 5), ({"base": 1}, 9), ({}, 10), ({}, 100)]),
    ("ticks", [({"period": 0}, 7), ({"period": 5}, 7), ({}, 12)]),
    ("ticks", [({"base": 1, "period": 3}, 1), ({"period": 4}, 2), ({}, 5), ({}, 6)]),
    ("halves", [({"period": 2, "base": 5}, 0), ({}, 2), ({}, 4), ({"base": 0}, 5), ({}, 6)]),
    ("bursts", [({"n": 0, "m": 1}, 1), ({"n": 3}, 2)]), ("bursts", [({"n": 2}, 1), ({"m": 5}, 2)]),
    ("bursts", [({"n": 300, "m": 0}, 1), ({}, 1), ({}, 1)]), ("bursts", [({"n": 257, "m": 0}, 3), ({"n": 1}, 3)]),
    ("bursts", [({"n": 600, "m": 0}, 3), ({"m": 7}, 3), ({}, 3), ({}, 3)]),
]


# What a random graph is made of: name in the kitchen, what it does, number of arguments. Producers run long if they are
# fed large numbers, so they get inputs and capped values only.
PARTS = [("add", add, 2), ("add", add, 2), ("half", half, 1), ("positive", positive, 1), ("capped", capped, 1),
         ("one", lambda: 1, 0), ("quiet", Producer(quiet), 1), ("burst", Producer(burst), 1),
         ("ticker", Producer(tick), 1)]


def random_graph(dice):
    """A program and its nodes, as a model has them."""
    inputs = ["a", "b", "c"][:dice.randrange(1, 4)]
    lines = [f'auto n{i} = input<nat>("{name}");' for i, name in enumerate(inputs)]
    nodes = [("input", name) for name in inputs]
    small = list(range(len(nodes)))
    for i in range(len(nodes), len(nodes) + dice.randrange(4, 10)):
        name, what, count = dice.choice(PARTS)
        among = small if isinstance(what, Producer) else range(i)
        arguments = [dice.choice(among) for _ in range(count)]
        lines.append(f"auto n{i} = kitchen::{name}({', '.join(f'n{a}' for a in arguments)});")
        nodes.append((what, arguments))
        if name in ("capped", "one"):
            small.append(i)
    return "\n".join([*lines, f"return n{len(nodes) - 1};"]), nodes


GRAPH_SEED = 20261201
RANDOM = {f"random{i}": random_graph(random.Random(GRAPH_SEED + i)) for i in range(8)}
MODELS.update({name: (lambda nodes=nodes: list(nodes)) for name, (_, nodes) in RANDOM.items()})
CUT = {"cut", *sorted(RANDOM)[::2]}


class Graphs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Evaluator()
        cls.addClassCleanup(cls.node.close)
        project = kitchen()
        project["graphs"] += [{"name": name, "program": program, "cutoff": name in CUT}
                              for name, (program, _) in RANDOM.items()]
        cls.id = cls.node.make(project)

    def outcome(self, node):
        """As the model has it; what a bad next time is called is the server's business."""
        for kind in ("output", "error", "skipped"):
            if kind in node:
                late = kind == "error" and node[kind] not in ("odd", "zero")
                return kind, "late" if late else node[kind]
        return None

    def compare(self, graph, steps):
        model, state = (CutGraph if graph in CUT else Graph)(MODELS[graph]()), None
        for number, (inputs, now) in enumerate(steps):
            body = {"inputs": inputs, "now": now, **GRANTED, **({"state": state} if state else {})}
            status, reply = self.node.step(self.id, graph, body)
            self.assertEqual(status, 200, reply)
            changed, outcomes, at = model.step(inputs, now)
            where = f"{graph}, step {number} of {steps}" + (f", of\n{RANDOM[graph][0]}" if graph in RANDOM else "")
            self.assertEqual([(entry["id"], self.outcome(entry)) for entry in reply["changed"]], changed, where)
            self.assertEqual([self.outcome(node) for node in reply["nodes"]], outcomes, where)
            self.assertEqual(reply["nextCallAt"], at, where)
            self.assertTrue(all(entry["timestamp"] == now for entry in reply["changed"]))
            state = json.loads(json.dumps(reply["state"]))

    def test_the_table(self):
        for case in TABLE:
            state = None
            for step in case["steps"]:
                body = {**step["request"], **GRANTED}
                if state is not None and "state" not in body:
                    body["state"] = state
                with self.subTest(case["rule"], request=step["request"]):
                    status, reply = self.node.step(self.id, case["graph"], body)
                    self.assertEqual(status, step.get("status", 200), reply)
                    if status == 200:
                        self.check(reply, step)
                        state = reply["state"]

    def check(self, reply, step):
        changed = [f"{entry['id']}={shown(self.outcome(entry))}" for entry in reply["changed"]]
        if "changes" in step:
            self.assertEqual(len(changed), step["changes"])
        else:
            self.assertEqual(", ".join(changed), step["changed"])
        self.assertEqual(", ".join(shown(self.outcome(node)) for node in reply["nodes"]), step["nodes"])
        self.assertEqual(reply["nextCallAt"], step["next"])

    def test_cases(self):
        for graph, steps in CASES:
            with self.subTest(graph=graph, steps=steps):
                self.compare(graph, steps)

    def test_random_days(self):
        seed = 20261130
        for day in range(80):
            dice = random.Random(seed + day)
            graph = dice.choice(sorted(set(MODELS) - {"wakes", *RANDOM}))  # the same late time again has another text
            names = [name for what, name in MODELS[graph]() if what == "input"]
            now, steps = dice.randrange(5), []
            for _ in range(dice.randrange(1, 8)):
                small = graph in ("bursts", "ticks", "halves", "wakes")
                inputs = {name: dice.randrange(5) if small else dice.choice([0, 1, 2, 3, 4, 7, 2 ** 64])
                          for name in names if dice.random() < 0.6}
                items = list(inputs.items())
                dice.shuffle(items)
                steps.append((dict(items), now))
                now += dice.choice([0, 1, 2, 10])
            with self.subTest(seed=seed + day):
                self.compare(graph, steps)

    def test_random_graphs(self):
        for name in RANDOM:
            for day in range(20):
                dice = random.Random(f"{GRAPH_SEED} {name} {day}")
                names = [arguments for what, arguments in MODELS[name]() if what == "input"]
                now, steps = dice.randrange(5), []
                for _ in range(dice.randrange(1, 8)):
                    chosen = dice.sample(names, dice.randrange(len(names) + 1))
                    steps.append(({key: dice.randrange(6) for key in chosen}, now))
                    now += dice.choice([0, 1, 2, 10])
                with self.subTest(seed=GRAPH_SEED, graph=name, day=day):
                    self.compare(name, steps)


if __name__ == "__main__":
    suite.main()
