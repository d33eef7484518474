#!/usr/bin/env python3
"""Calls of functions and graph steps over HTTP: exact numbers, effects, states, codes."""
import json
import pathlib
import unittest

from support import suite
from support.evaluator import BINDING, Evaluator, kitchen
from support.suite import eventually
from support.wire import Wire


def outputs(reply):
    """id -> output, error or skip of each node."""
    return {node["id"]: node.get("output", node.get("error", node.get("skipped"))) for node in reply["nodes"]}


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = Evaluator()
        cls.addClassCleanup(cls.node.close)
        cls.id = cls.node.make(kitchen())

    def call(self, function, body, *fields):
        return self.node.call(self.id, function, body, *fields)

    def value(self, function, value, **more):
        status, reply = self.call(function, {"input": value, **more})
        self.assertEqual(status, 200, reply)
        return reply.get("output", reply)

    def step(self, graph, body):
        status, reply = self.node.step(self.id, graph, body)
        self.assertEqual(status, 200, reply)
        return reply

    def changed(self, reply):
        return [entry["id"] for entry in reply["changed"]]

    # -- functions -------------------------------------------------------------------

    def test_numbers_are_exact(self):
        for exponent in (53, 63, 64, 200):
            for a in (2 ** exponent - 1, 2 ** exponent, 2 ** exponent + 1):
                self.assertEqual(self.value("add", [a, 1]), a + 1)
                self.assertEqual(self.value("twice", -a), -2 * a)
                first = self.step("sum", {"inputs": {"a": a, "b": 2 ** 200}})
                again = self.step("sum", {"state": first["state"], "inputs": {"b": 1}})
                self.assertEqual(outputs(first)[2], a + 2 ** 200)
                self.assertEqual(outputs(again)[2], a + 1)
        self.assertEqual(self.value("echo", {"n": [2 ** 200, -2 ** 64, 0.1]}), {"n": [2 ** 200, -2 ** 64, 0.1]})

    def test_numbers_that_are_not_what_is_declared(self):
        for value in ("[-1, 1]", "[1.0, 1]", "[1e2, 1]", '["1", 1]', "[null, 1]", "[true, 1]", "[1]", "[1, 2, 3]", "1"):
            status, reply = self.call("add", b'{"input": %s}' % value.encode())
            self.assertEqual(status, 200)
            self.assertEqual(list(reply), ["error"], value)
        self.assertIn("x", self.value("mirror", {"y": 1})["error"])
        self.assertIn("z", self.value("mirror", {"x": 1, "z": 1})["error"])
        self.assertEqual(self.value("mirror", {"x": -7}), {"x": 7, "y": None})

    def test_a_function_has_every_name_that_it_is_declared_under(self):
        self.assertEqual([self.value(name, [1, 2]) for name in ("add", "plus")], [3, 3])
        self.assertEqual(outputs(self.step("both", {"inputs": {"a": 1}})), {0: 1, 1: 2, 2: 3})
        status, build = self.node.api("GET", f"/builds/{self.id}")
        names = [function["name"] for function in build["functions"]]
        self.assertEqual((status, names.count("kitchen.add"), names.count("kitchen.plus")), (200, 1, 1))

    def test_a_batch_goes_on_after_a_failure(self):
        self.assertEqual(self.call("half", {"inputs": [2, 3, 4], "input": 8})[1],
                         {"outputs": [{"output": 1}, {"error": "odd"}, {"output": 2}]})
        self.assertEqual(len(self.call("half", {"inputs": list(range(0, 2000, 2))})[1]["outputs"]), 1000)

    def test_a_producer_cannot_be_called_directly(self):
        self.assertIn("error", self.value("ticker", [1]))

    def test_effects_need_a_policy(self):
        self.assertEqual(self.value("positive", 0)["error"], "permission denied: Error")
        allowed = {"binding": BINDING, "policy": {"effects": ["error", "Trace"]}}
        self.assertEqual(self.value("positive", 0, **allowed)["error"], "zero")
        status, reply = self.call("traced", {"input": 2, **allowed})
        self.assertEqual((status, reply), (200, {"output": 2, "log": "line 0\nline 1\n"}))
        log = self.call("traced", {"input": 200000, **allowed})[1]["log"]
        self.assertLessEqual(len(log), 1 << 20)
        self.assertTrue(log.endswith("(the log was cut here)\n"))

    def test_files_belong_to_an_organisation_and_user(self):
        policy = {"effects": ["FileSystem"]}
        me = {"binding": BINDING, "policy": policy}
        self.assertEqual(self.value("write", ["a/b.txt", "text \u00e4"], **me), None)
        self.assertEqual(self.value("read", "a/b.txt", **me), "text \u00e4")
        for other in ({"org_id": "org", "user_id": "other"}, {"org_id": "other", "user_id": "user"}):
            self.assertIn("error", self.value("read", "a/b.txt", binding=other, policy=policy))
        for path in ("/etc/passwd", "../x", "a/../b", "", "a//b", "./a"):
            self.assertIn("error", self.value("read", path, **me), path)
        folder = self.node.folder / "var" / "n1" / "files" / "org" / "user"
        self.assertEqual((folder / "a" / "b.txt").read_text(), "text \u00e4")
        (folder / "link").symlink_to("/etc/passwd")
        (folder / "way").symlink_to("/etc")
        for path in ("link", "way/passwd"):
            self.assertIn("error", self.value("read", path, **me))
        self.assertEqual(self.value("write", ["link", "mine"], **me), None)  # replaces the link
        self.assertFalse((folder / "link").is_symlink())
        self.assertNotIn("mine", pathlib.Path("/etc/passwd").read_text())

    def test_http_reaches_named_public_hosts_only(self):
        def get(url, *domains):
            return self.value("get", url, binding=BINDING, policy={"effects": ["HTTP"], "domains": domains})["error"]
        self.assertIn("does not name the host", get("http://example.org/", "example.com"))
        self.assertIn("not a public address", get("http://127.0.0.1/", "127.0.0.1"))
        self.assertIn("not a public address", get("http://[::1]/", "[::1]"))
        self.assertIn("not a public address", get("http://localhost/", "localhost"))
        self.assertIn("port 8080", get("http://example.org:8080/", "example.org"))
        self.assertIn("scheme", get("file:///etc/passwd", ""))
        self.assertIn("credentials", get("http://u:p@example.org/", "example.org"))

    def test_deep_values(self):
        deep = 0
        for _ in range(128):
            deep = [deep]
        self.assertEqual(self.value("echo", deep), deep)
        self.assertIn("nested deeper", self.value("echo", [deep])["error"])

    # -- graphs ----------------------------------------------------------------------

    def test_only_affected_nodes_change(self):
        first = self.step("diamond", {"inputs": {"a": 2}})
        self.assertEqual(self.changed(first), [0, 1, 2, 3])
        same = self.step("diamond", {"state": first["state"], "inputs": {"a": 2}})
        self.assertEqual(self.changed(same), [])
        odd = self.step("diamond", {"state": first["state"], "inputs": {"a": 3}})
        self.assertEqual(outputs(odd), {0: 3, 1: 6, 2: "odd", 3: 2})
        good = self.step("diamond", {"state": odd["state"], "inputs": {"a": 4}})
        self.assertEqual(outputs(good), {0: 4, 1: 8, 2: 2, 3: 10})

    def test_errors_stay_local_and_recover(self):
        asked = {"binding": BINDING, "policy": {"effects": ["Error"]}}
        bad = self.step("checked", {"inputs": {"a": 0}, **asked})
        self.assertEqual(outputs(bad), {0: 0, 1: "zero", 2: 1, 3: 2})
        good = self.step("checked", {"state": bad["state"], "inputs": {"a": 4}, **asked})
        self.assertEqual(outputs(good)[3], 4)
        typed = self.step("sum", {"inputs": {"a": "x", "b": 1}, "recoverInputs": True})
        self.assertIn("error", typed["nodes"][0])
        self.assertEqual(outputs(self.step("sum", {"state": typed["state"], "inputs": {"a": 1}}))[2], 2)

    def test_a_producer_resumes_from_its_state(self):
        first = self.step("ticks", {"inputs": {"period": 1000, "base": 10}, "now": 5000})
        self.assertEqual((outputs(first)[3], first["nextCallAt"]), (10, 6000))
        early = self.step("ticks", {"state": first["state"], "now": 5999})
        self.assertEqual((self.changed(early), early["nextCallAt"]), ([], 6000))
        due = self.step("ticks", {"state": early["state"], "now": 6500})
        self.assertEqual((outputs(due)[3], due["nextCallAt"]), (11, 7500))

    def test_steps_feed_state_along(self):
        reply = self.step("sum", {"steps": [{"inputs": {"a": 1, "b": 2}}, {"inputs": {"a": 5}}]})
        self.assertEqual([len(step["changed"]) for step in reply["steps"]], [3, 2])
        self.assertEqual(outputs(reply)[2], 7)

    def test_faults_of_a_step(self):
        good = self.step("sum", {"inputs": {"a": 1, "b": 2}, "now": 1000})["state"]
        other = self.step("constant", {"inputs": {"a": 1}})["state"]
        for body in ({"inputs": {"x": 1}}, {"inputs": {"a": -1}}, {"inputs": 5}, {"now": None}, {"now": -1},
                     {"now": 2 ** 53}, {"state": good, "now": 999}, {"state": other}, {"state": 5},
                     {"state": {**good, "build": "0" * 64}}, {"state": {**good, "outcomes": []}},
                     {"steps": []}, {"steps": [{}], "inputs": {}}, {"steps": [{}, {"inputs": {"x": 1}}]},
                     {"policy": None}, {"policy": {}}, {"binding": {}}, {"binding": 1}):
            status, reply = self.node.step(self.id, "sum", body)
            self.assertEqual((status, sorted(reply)), (400, ["code", "error"]), body)

    # -- HTTP ------------------------------------------------------------------------

    def test_codes(self):
        api, path = self.node.api, f"/builds/{self.id}/functions/kitchen.one"
        self.assertEqual(api("GET", "/health")[0], 200)
        self.assertEqual(api("GET", "/_health")[1]["status"], "ok")
        self.assertEqual(api("POST", path)[1], {"output": 1})
        self.assertEqual(api("POST", path, b"{", )[0], 400)
        self.assertEqual(api("POST", path, b'{"input": 1, "input": 2}')[0], 400)
        self.assertEqual(api("POST", path, b'{"input": {"a": 1, "a": 2}}')[0], 400)
        self.assertEqual(api("POST", path, b'{"input": "\\ud800"}')[0], 400)
        self.assertEqual(api("POST", path, b"{}", "Content-Type: text/plain")[0], 415)
        self.assertEqual(api("POST", path, b"{}", "Content-Type: application/json; charset=utf-8")[0], 200)
        self.assertEqual(api("POST", path, b"{}", "Request-Timeout: soon")[0], 400)
        self.assertEqual(api("POST", "/builds?wait=soon", {})[0], 400)
        self.assertEqual(api("GET", path)[0], 405)
        self.assertEqual(self.node.last.field("allow"), "POST")
        for missing in ("/nothing", "/builds/" + "0" * 64, "/builds/short",
                        f"/builds/{self.id}/functions/kitchen.none", f"/builds/{self.id}/graphs/none"):
            method = "POST" if "functions" in missing or "graphs" in missing else "GET"
            status, reply = api(method, missing)
            self.assertEqual((status, reply["code"]), (404, "not_found"), missing)

    def test_a_request_that_is_too_large_is_an_error_of_the_api(self):
        path = f"/v0/builds/{self.id}/functions/kitchen.echo"
        limit = 64 << 20
        for length, refused in ((limit, False), (limit + 1, True)):
            wire = Wire(self.node.port())
            self.addCleanup(wire.close)
            wire.send((f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                       f"Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n").encode())
            if refused:
                answer = wire.response("POST")
                self.assertEqual((answer.status, answer.field("content-type")), (413, "application/json"))
                self.assertEqual(json.loads(answer.body)["code"], "too_large")
            else:
                self.assertEqual(wire.exactly(25), b"HTTP/1.1 100 Continue\r\n\r\n")

    def test_a_reply_that_is_too_large(self):
        status, reply = self.call("text", {"input": (64 << 20) + 1})
        self.assertEqual((status, reply["code"]), (500, "reply_too_large"))
        self.assertEqual(len(self.value("text", 5 << 20)), 5 << 20)

    def test_a_large_request(self):
        text = "x" * (20 << 20)
        self.assertEqual(self.value("echo", text, binding=BINDING), text)
        self.assertEqual(self.call("echo", {"input": text, "policy": {}})[0], 400)

    def test_what_a_function_prints_goes_to_the_log(self):
        self.assertEqual(self.value("misbehave", "print"), 0)
        eventually(lambda: "[worker] hello from the worker\n" in self.node.api("GET", f"/builds/{self.id}/log")[1],
                   "the line is there")

    def test_of_what_functions_print_the_last_part_stays(self):
        self.assertEqual(self.value("misbehave", "print-much"), 0)  # 20 MiB with the marks

        def log():
            return self.node.api("GET", f"/builds/{self.id}/log")[1]
        eventually(lambda: log().endswith("[worker] line 999999\n"), "the last line is there")
        self.assertNotIn("[worker] line 0\n", log())
        kept = self.node.folder / f"var/n1/eval/builds/{self.id}/worker.log"
        self.assertLess(kept.stat().st_size, (2 << 20) + (1 << 20))

    def test_the_same_build_through_caf_ctl(self):
        reply = self.node.ask("eval", {"method": "POST", "params": {
            "path": f"/builds/{self.id}/functions/kitchen.add", "body": {"input": [1, 2]}}})
        self.assertEqual(reply, {"status": 200, "body": {"output": 3}})
        large = 2 ** 200 + 1
        reply = self.node.ask("eval", {"method": "POST", "params": {
            "path": f"/builds/{self.id}/functions/kitchen.add", "body": {"input": [large, 2 ** 64]}}})
        self.assertEqual(reply["body"], {"output": large + 2 ** 64})
        self.assertEqual(self.node.ask("eval", {"method": "health"})["body"]["status"], "ok")
        wire = Wire(self.node.admin_port)
        self.addCleanup(wire.close)
        seen = json.loads(wire.get("/v1/eval", host="127.0.0.1").body)
        self.assertEqual((seen["status"], seen["node"], seen["evaluators"]), ("ok", "n1", ["n1"]))

    def test_status_and_list(self):
        status, reply = self.node.api("GET", f"/builds/{self.id}")
        self.assertEqual((status, reply["state"]), (200, "ready"))
        self.assertIn({"name": "kitchen.add", "signature": "nat(nat, nat)", "arity": 2, "producer": False},
                      reply["functions"])
        graph = next(graph for graph in reply["graphs"] if graph["name"] == "diamond")
        self.assertEqual((graph["sources"], graph["sinks"], len(graph["nodes"])), ([0], [3], 4))
        self.assertIn(self.id, [build["id"] for build in self.node.api("GET", "/builds")[1]["builds"]])

    def test_a_ready_build_answers_at_once(self):
        declared = kitchen()
        reordered = {key: declared[key] for key in reversed(list(declared))}
        status, reply = self.node.api("POST", "/builds", reordered)
        self.assertEqual((status, reply["id"]), (200, self.id))


if __name__ == "__main__":
    suite.main()
