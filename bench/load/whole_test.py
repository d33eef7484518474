#!/usr/bin/env python3
"""bench/run all: a failing part costs the exit status and nothing else; what it plans fits into its time."""
import argparse
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))

from load import web, whole  # noqa: E402
from support import pace, report  # noqa: E402


def works(name):
    def run(args, out):
        report.save(out, name, [{"bench": name, "figure": 7}], f"## {name}\n\nfine")
    return whole.Part(name, None, lambda args: 60, run)


def breaks(name, error, afterwards=None):
    def run(args, out):
        if afterwards:
            afterwards(out)
        raise error
    return whole.Part(name, None, lambda args: 30, run)


class Reports(unittest.TestCase):
    def run_parts(self, *parts):
        """Exit status, report, records, complaints."""
        args = argparse.Namespace(bench="all", complaints=io.StringIO())
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            out = pathlib.Path(folder) / "2025-01-02-0123456789"
            status = whole.run(parts, args, out)
            self.assertIn("about 1:", said.getvalue())
            return status, (out / "all.md").read_text(), report.read(out, "all"), args.complaints.getvalue()

    def test_all_good(self):
        status, text, records, complaints = self.run_parts(works("one"), works("two"))
        self.assertEqual((status, complaints), (0, ""))
        self.assertIn("commit 0123456789", text)
        self.assertIn("## one\n\nfine\n\n## two\n\nfine", text)
        self.assertEqual(records[0]["commit"], "0123456789")
        self.assertIn("cores", records[0]["machine"])
        self.assertEqual(records[1:], [{"part": name, "bench": name, "figure": 7} for name in ("one", "two")])

    def test_a_wrong_answer_keeps_the_others(self):
        status, text, records, complaints = self.run_parts(
            works("one"), breaks("two", web.WrongAnswer("503 came back")), works("three"))
        self.assertEqual(status, 1)
        self.assertIn("503 came back", complaints)
        self.assertIn("## one\n\nfine", text)
        self.assertIn("## three\n\nfine", text)
        self.assertIn("## two failed\n\n```\n503 came back\n```", text)
        self.assertRegex(text, r"\| two \| 0:30 \| 0:00 \| failed: 503 came back \|")
        self.assertEqual([each["failed"] for each in records[0]["parts"]], [None, "503 came back", None])

    def test_a_bug_keeps_the_others_too(self):
        status, text, _, complaints = self.run_parts(breaks("one", KeyError("p50")), works("two"))
        self.assertEqual(status, 1)
        self.assertIn("KeyError: 'p50'", complaints)
        self.assertIn("## two\n\nfine", text)

    def test_what_a_failing_part_had_measured_is_kept(self):
        have = lambda out: report.save(out, "one", [{"figure": 1}], "## one\n\nhalf of it")
        status, text, records, _ = self.run_parts(breaks("one", RuntimeError("the rest"), have), works("two"))
        self.assertEqual(status, 1)
        self.assertIn("half of it", text)
        self.assertIn({"part": "one", "figure": 1}, records)


class Scenarios(unittest.TestCase):
    def test_a_scenario_that_fails_leaves_the_others_their_table(self):
        def run_scenario(name, args):
            if name == "actor":
                raise web.WrongAnswer("caf_app: 502")
            return [{"scenario": name, "round": 0, "side": "caf_app", "connections": 64, "cpu_us_per_request": 5.0,
                     "requests_per_s": 1.0, "p50_us": 1, "p99_us": 2, "rss_kib": 1024}]
        real, web.run_scenario = web.run_scenario, run_scenario
        try:
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                out = pathlib.Path(folder) / "2025-01-02-0123456789"
                with self.assertRaisesRegex(web.WrongAnswer, "actor: caf_app: 502"):
                    web.run(argparse.Namespace(scenarios=["respond", "actor", "php"]), out)
                text = (out / "http.md").read_text()
                self.assertEqual([r["scenario"] for r in report.read(out, "http")[1:]], ["respond", "php"])
        finally:
            web.run_scenario = real
        self.assertIn("### actor\n\nfailed: caf_app: 502", text)
        self.assertIn("### php\n\n| connections", text)


@unittest.skipUnless("CAF_APP_BIN" in os.environ, "CAF_APP_BIN names the build to run")
class Plans(unittest.TestCase):
    def planned(self, which):
        args = argparse.Namespace(pace=which, scenarios=[], sides="", connections="",
                                  build_dir=pathlib.Path(os.environ["CAF_APP_BIN"]))
        return {part.name: part.estimate(args) for part in whole.parts(BENCH.parent).values()}

    def test_all_of_it_fits_and_leaves_room_to_build(self):
        planned = self.planned(pace.ALL)
        self.assertEqual(sorted(planned), ["cluster", "d1", "eval", "http", "micro", "scaler"])
        self.assertLess(sum(planned.values()), pace.ALL_LIMIT_S - 8 * 60, planned)

    def test_a_quick_one_takes_a_few_minutes(self):
        self.assertLess(sum(self.planned(pace.ALL_QUICK).values()), 7 * 60)


if __name__ == "__main__":
    unittest.main()
