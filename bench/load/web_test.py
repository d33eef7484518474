#!/usr/bin/env python3
"""bench/run http refuses to report a run in which not every answer was right. Exit status 77 without wrk."""
import http.server
import os
import shutil
import sys
import threading
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from load import servers, web  # noqa: E402


class Liar(servers.Server):
    """Answers request number `when` and the 20 after it with `status` and `body`, all others rightly."""

    def __init__(self, when, status=200, body=servers.BODY):
        count = iter(range(10**9))

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                lie = when <= next(count) <= when + 20
                text = body if lie else servers.BODY
                self.send_response(status if lie else 200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *args: None  # wrk hangs up when its time is over
        self.name, self.port, self.path = "liar", self.server.server_address[1], "/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def cpu(self):
        return servers.cpu_seconds(os.getpid())

    def rss(self):
        return 0


class Refusals(unittest.TestCase):
    def run_against(self, *args, **kwargs):
        liar = Liar(*args, **kwargs)
        try:
            return web.measure(liar, {"body": servers.BODY}, 4, 1)
        finally:
            liar.server.shutdown()
            liar.server.server_close()

    def test_right_answers_are_counted(self):
        record = self.run_against(when=10**9)
        self.assertGreater(record["requests"], 20)
        self.assertGreater(record["cpu_us_per_request"], 0)

    def test_a_wrong_status_is_refused(self):
        with self.assertRaisesRegex(web.WrongAnswer, "'status'"):
            self.run_against(when=20, status=503)

    def test_a_wrong_body_before_is_refused(self):
        with self.assertRaisesRegex(web.WrongAnswer, "200 b'Hello, Moon!'"):
            self.run_against(when=0, body=b"Hello, Moon!")

    def test_bodies_of_another_size_are_refused(self):
        with self.assertRaisesRegex(web.WrongAnswer, "bytes are not"):
            self.run_against(when=20, body=b"x" * 5000)


if __name__ == "__main__":
    if not shutil.which("wrk"):
        sys.exit(77)
    unittest.main()
