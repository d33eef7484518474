"""What a step of a graph means, written down once more: slow, without types, from the rules in actors/eval alone.

A node is ("input", name) or (function, [arguments]); functions take values and return them, or raise ValueError with
the text of the error. A producer is a Producer. Outcomes are ("output", v), ("error", text), ("skipped", id) or None.
"""
BUDGET = 256


class Producer:
    """`run(arguments, now, continuation)` gives (values, continuation, next time or None)."""

    def __init__(self, run):
        self.run = run


class Graph:
    def __init__(self, nodes):
        self.nodes = nodes
        self.outcomes = [None] * len(nodes)
        self.wakeups = {}  # id -> (time, continuation)
        self.pending = []  # (id, value)
        self.fresh = True
        self.now = 0
        self.changed = []

    def step(self, inputs, now):
        """Returns what the reply says: changed, nodes, nextCallAt."""
        self.now, self.changed = now, []
        if self.fresh:
            for i, (what, arguments) in enumerate(self.nodes):
                if what != "input" and not arguments:
                    self.run_pass(i, self.visit(i))
        for name, value in inputs.items():
            i = self.nodes.index(("input", name))
            if self.fresh or self.outcomes[i] != ("output", value):
                self.run_pass(i, self.set(i, ("output", value)))
        self.fresh = False
        for _ in range(BUDGET):
            due = sorted((at, i) for i, (at, _) in self.wakeups.items() if at <= now)
            if self.pending:
                i, value = self.pending.pop(0)
                self.run_pass(i, self.set(i, ("output", value)))
            elif due:
                i = due[0][1]
                self.run_pass(i, self.produce(i, self.wakeups.pop(i)[1]))
            else:
                break
        return self.changed, self.outcomes, self.next_call()

    def next_call(self):
        times = [at for at, _ in self.wakeups.values()]
        if self.pending or any(at <= self.now for at in times):
            return self.now
        return min(times, default=None)

    def run_pass(self, first, emitted):
        running = {first} if emitted else set()
        for i, (what, arguments) in enumerate(self.nodes):
            if i > first and what != "input" and running & set(arguments) and self.visit(i):
                running.add(i)

    def set(self, i, outcome):
        if outcome != self.outcomes[i]:
            self.changed.append((i, outcome))
        self.outcomes[i] = outcome
        return True

    def forget(self, i):
        self.wakeups.pop(i, None)
        self.pending = [entry for entry in self.pending if entry[0] != i]

    def visit(self, i):
        """Returns whether the node emits."""
        what, arguments = self.nodes[i]
        if any(self.outcomes[a] is None for a in arguments):
            return False
        if isinstance(what, Producer):
            self.forget(i)
        for a in arguments:
            if self.outcomes[a][0] != "output":
                return self.set(i, ("skipped", a))
        if isinstance(what, Producer):
            return self.produce(i, None)
        try:
            return self.set(i, ("output", what(*[self.outcomes[a][1] for a in arguments])))
        except ValueError as why:
            return self.set(i, ("error", str(why)))

    def produce(self, i, continuation):
        what, arguments = self.nodes[i]
        values, continuation, at = what.run([self.outcomes[a][1] for a in arguments], self.now, continuation)
        if at is not None and at <= self.now:
            return self.set(i, ("error", "late"))
        if at is not None:
            self.wakeups[i] = (at, continuation)
        if not values:
            if self.outcomes[i] and self.outcomes[i][0] != "output":
                self.outcomes[i] = None
            return False
        self.pending += [(i, value) for value in values[1:]]
        return self.set(i, ("output", values[0]))
