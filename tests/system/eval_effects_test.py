#!/usr/bin/env python3
"""The effect `http` reaches a server with a public address: one of a network namespace, where we are the internet."""
import subprocess
import sys
import unittest

from support import netns, suite
from support.evaluator import BINDING, Evaluator
from support.suite import eventually

ADDRESS = "8.8.8.8"

SERVER = """
import http.server

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "/page")
        else:
            self.send_response(200)
        body = f"GET {self.path}".encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = f"POST {self.headers['Content-Type']} {body.decode()}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass

http.server.HTTPServer(("%s", 80), Handler).serve_forever()
""" % ADDRESS

HEADER = """
#pragma once
#include <caf_app/eval.hpp>
namespace web {
using namespace caf_app::eval;
std::string get(effects<http>& fx, std::string url);
std::string send(effects<http>& fx, std::string url, std::string content);
}
"""

SOURCE = """
#include "web.hpp"
namespace web {
std::string get(effects<http>& fx, std::string url) {
  auto reply = fx.get(url);
  return std::to_string(reply.status) + " " + reply.content;
}
std::string send(effects<http>& fx, std::string url, std::string content) {
  return fx.post(url, content, "text/plain").content;
}
}
"""

PROJECT = {
    "source": {"files": {"web.hpp": HEADER, "web.cpp": SOURCE}},
    "functions": [{"name": f"web.{name}", "header": "web.hpp", "function": f"web::{name}", "signature": signature}
                  for name, signature in (("get", "std::string(effects<http>&, std::string)"),
                                          ("send", "std::string(effects<http>&, std::string, std::string)"))],
}


@unittest.skipUnless(netns.usable(), "network namespaces cannot be made here")
class Http(unittest.TestCase):
    def api(self, node, method, path, body=None):
        reply = node.ask("eval", {"method": method, "params": {"path": path, **({"body": body} if body else {})}})
        return reply["status"], reply["body"]

    def call(self, node, build, function, value, domains):
        return self.api(node, "POST", f"/builds/{build}/functions/web.{function}",
                        {"input": value, "binding": BINDING, "policy": {"effects": ["HTTP"], "domains": domains}})[1]

    def test_a_public_server_answers(self):
        net = netns.Net(["a"])
        self.addCleanup(net.close)
        net.inside(net.space("a"), "addr", "add", f"{ADDRESS}/32", "dev", "lo")
        server = subprocess.Popen([*net.exec("a"), sys.executable, "-c", SERVER])
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        with Evaluator(prefix=net.exec("a")) as node:
            status, build = self.api(node, "POST", "/builds", PROJECT)
            ident = build["id"]
            eventually(lambda: self.api(node, "GET", f"/builds/{ident}")[1]["state"] not in
                       ("queued", "fetching", "building"), "the build has ended", 3 * suite.PATIENCE)
            self.assertEqual(self.api(node, "GET", f"/builds/{ident}")[1]["state"], "ready")
            get = lambda path, domains: self.call(node, ident, "get", f"http://{ADDRESS}{path}", domains)
            self.assertEqual(get("/page", [ADDRESS]), {"output": "200 GET /page"})
            self.assertEqual(get("/away", [ADDRESS]), {"output": "302 GET /away"})  # no redirect is followed
            self.assertEqual(self.call(node, ident, "send", [f"http://{ADDRESS}/", "hello"], [ADDRESS]),
                             {"output": "POST text/plain hello"})
            self.assertIn("does not name the host", get("/page", ["example.org"])["error"])
            self.assertIn("is not allowed", get(":8080/page", [ADDRESS])["error"])
            own = self.call(node, ident, "get", f"http://{net.hosts['a']}/page", [net.hosts["a"]])
            self.assertIn("not a public address", own["error"])


if __name__ == "__main__":
    suite.main()
