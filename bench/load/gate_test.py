#!/usr/bin/env python3
"""bench/run gate: verdicts over rounds that are made up, then the command itself, tiny. Exit status 77 without wrk."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))

from support import compare  # noqa: E402


def noisy(seed, middle, noise, rounds=12):
    chance = random.Random(seed)
    return [middle * (1 + chance.uniform(-noise, noise)) for _ in range(rounds)]


class Verdicts(unittest.TestCase):
    def verdict(self, factor, noise, rounds=12, seed=1):
        first, again = noisy(seed, 7, noise, rounds), noisy(seed + 1000, 7, noise, rounds)
        changed = noisy(seed + 2000, 7 * factor, noise, rounds)
        return compare.verdict(compare.Ratio(again, first), compare.Ratio(changed, first))

    def test_the_same_is_not_worse(self):
        self.assertEqual([self.verdict(1, 0.02, seed=seed) for seed in range(50)], ["not worse"] * 50)

    def test_ten_percent_are_worse(self):
        self.assertEqual([self.verdict(1.1, 0.02, seed=seed) for seed in range(50)], ["worse"] * 50)

    def test_what_is_within_the_tolerance_is_not_worse(self):
        self.assertEqual([self.verdict(1.03, 0.01, seed=seed) for seed in range(50)], ["not worse"] * 50)

    def test_faster_is_not_worse(self):
        self.assertEqual(self.verdict(0.5, 0.02), "not worse")

    def test_baselines_that_do_not_agree_decide_nothing(self):
        self.assertEqual(self.verdict(1.5, 0.4), "inconclusive")
        self.assertEqual(compare.verdict(compare.Ratio([1.1] * 6, [1.0] * 6), compare.Ratio([2.0] * 6, [1.0] * 6)),
                         "inconclusive")

    def test_a_slow_phase_of_the_machine_is_no_difference(self):
        phase = [1, 1, 3, 3, 1, 2]
        self.assertEqual(compare.verdict(compare.Ratio(phase, phase), compare.Ratio(phase, phase)), "not worse")

    def test_the_edge_of_the_tolerance(self):
        same = compare.Ratio([1.0] * 6, [1.0] * 6)
        for factor, wanted in ((1.0499, "not worse"), (1.0501, "worse")):
            self.assertEqual(compare.verdict(same, compare.Ratio([factor] * 6, [1.0] * 6)), wanted)

    def test_an_interval_that_contains_one_is_not_worse(self):
        same = compare.Ratio([1.0] * 6, [1.0] * 6)
        self.assertEqual(compare.verdict(same, compare.Ratio([0.8, 1.1, 1.2, 1.2, 1.3, 1.4], [1.0] * 6)), "not worse")

    def test_a_few_rounds_that_something_else_slowed_do_not_count(self):
        spikes = [1.0] * 11 + [3.0] * 2
        self.assertEqual(compare.verdict(compare.Ratio(spikes, [1.0] * 13), compare.Ratio(spikes[::-1], [1.0] * 13)),
                         "not worse")

    def test_ranks_are_those_of_the_tables(self):  # of the sign test, 95 %
        self.assertEqual([compare.rank(count) for count in (5, 6, 8, 9, 12, 15, 20, 30, 60)],
                         [0, 1, 1, 2, 3, 4, 6, 10, 22])

    def test_too_few_rounds_say_so(self):
        compare.Ratio([1.0] * 6, [1.0] * 6)
        with self.assertRaisesRegex(ValueError, "5 rounds: at least 6"):
            compare.Ratio([1.0] * 5, [1.0] * 5)


@unittest.skipUnless("CAF_APP_BIN" in os.environ, "CAF_APP_BIN names the build to run")
class Command(unittest.TestCase):
    def test_a_build_is_compared_with_itself(self):
        build = os.environ["CAF_APP_BIN"]
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([str(BENCH / "run"), "gate", "respond", "--tiny", "--baseline-dir", build,
                                   "--candidate-dir", build, "--out", out], capture_output=True, text=True, timeout=100)
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # a busy machine decides nothing
        self.assertIn("| respond | CPU us/request |", done.stdout)


if __name__ == "__main__":
    if not shutil.which("wrk"):
        sys.exit(77)
    unittest.main()
