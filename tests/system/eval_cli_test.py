#!/usr/bin/env python3
"""caf-node eval-cli: the API as JSON lines."""
import json
import subprocess
import tempfile
import unittest

from support import suite
from eval_builds_test import small


def serve(folder, lines, *args, node=suite.NODE, cwd=None):
    return subprocess.run([node, "eval-cli", "--data-dir", folder, *args], text=True, capture_output=True,
                          input="".join(f"{line}\n" for line in lines), timeout=200, cwd=cwd)


class Lines(unittest.TestCase):
    def test_a_build_and_calls(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            # As installed: what builds need is found from where the program is.
            subprocess.run(["cmake", "--install", suite.BUILD, "--prefix", f"{folder}/prefix"], check=True,
                           stdout=subprocess.DEVNULL)
            done = serve(".", [json.dumps({"method": "POST", "path": "/builds?wait=100s", "body": small()})],
                         node=f"{folder}/prefix/bin/caf-node", cwd=folder)  # tools run in other folders
            self.assertEqual(done.returncode, 0, done.stderr)
            build = json.loads(done.stdout)
            self.assertEqual((build["status"], build["body"]["state"]), (200, "ready"))
            path = f"/builds/{build['body']['id']}"
            lines = ['{"method": "POST", "path": "%s/functions/m.add", "body": {"input": [%d, 1]}}' % (path, 2 ** 200),
                     "", '{"method": "GET", "path": "/health"}', '{"method": "GET", "path": "%s/log"}' % path,
                     '{"method": "DELETE", "path": "%s"}' % path]
            done = serve(folder, lines)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([answer["status"] for answer in answers], [200, 200, 200, 204])
            self.assertEqual(answers[0]["body"], {"output": 2 ** 200 + 1})
            self.assertIn("linking", answers[2]["body"])
            self.assertEqual(answers[3]["body"], None)

    def test_errors(self):
        with tempfile.TemporaryDirectory(prefix="caf-app-") as folder:
            done = serve(folder, ["{", "{}", "[]", '{"method": "GET", "path": "/nothing"}',
                                  '{"method": "GET", "path": "/health"}'])
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([answer["status"] for answer in answers], [400, 400, 400, 404, 200])
            self.assertEqual(done.returncode, 1)
            self.assertEqual(serve(folder, [], "--set", "eval.workers=0").returncode, 2)
            self.assertEqual(serve(folder, [], "--nonsense").returncode, 2)


if __name__ == "__main__":
    suite.main()
