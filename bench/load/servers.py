"""The sides of an HTTP comparison: each is started pinned to one core, probed, measured, stopped.

All sides answer GET with the same body and as near as they can with the same fields: Date, Server, Content-Type
and Content-Length (nginx adds Connection, h2o the fields of a file).
"""
import getpass
import http.client
import http.server
import os
import pathlib
import select
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")
BODY = b"Hello, World!"
USER = getpass.getuser()  # the peers drop privileges unless told not to, and then cannot read their files


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children_of(pid):
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        for task in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def cpu_seconds(pid):
    """User plus system time of the process tree; each process's figure is the sum of its threads."""
    ticks = 0
    for each in children_of(pid):
        fields = pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def rss_kib(pid):
    total = 0
    for each in children_of(pid):
        for line in pathlib.Path(f"/proc/{each}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += int(line.split()[1])
    return total


class Server:
    """A running side. `path` is what to request; `ready_line` must appear on stdout first, if given."""

    tls = False
    helper = None  # another server that works for this one, and whose cost is this one's

    def __init__(self, name, command, port, path, log, core=0, ready_line=None, tls=False):
        self.name, self.port, self.path = name, port, path
        self.log, self.tls = log, tls
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(["taskset", "-c", str(core), *command], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE if ready_line else errors, stderr=errors)
        try:
            if ready_line:
                self.await_line(ready_line)
            if port:
                self.await_port()
        except RuntimeError:
            self.stop()
            raise

    def died(self, what):
        tail = pathlib.Path(self.log).read_text(errors="replace")[-2000:]
        return RuntimeError(f"{self.name}: {what}\n{tail}")

    def await_line(self, start, timeout=20):
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            raise self.died(f"no line '{start} ...' within {timeout} s")
        line = self.process.stdout.readline().decode()
        if not line.startswith(start):
            raise self.died(f"said '{line.strip()}', expected '{start} ...'")

    def await_port(self, timeout=10):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise self.died(f"ended with {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise self.died(f"port {self.port} does not answer")

    def probe(self):
        """One GET by hand. @returns (status, body, size of the whole response)"""
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", self.path)
            answer = connection.getresponse()
            head = sum(len(k) + len(v) + 4 for k, v in answer.getheaders()) + len("HTTP/1.1 200 OK\r\n\r\n")
            body = answer.read()
            return answer.status, body, head + len(body)
        finally:
            connection.close()

    def cpu(self):
        return cpu_seconds(self.process.pid) + (self.helper.cpu() if self.helper else 0)

    def rss(self):
        return rss_kib(self.process.pid)

    def stop(self):
        if self.helper:
            self.helper.stop()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def certificate(folder):
    """A certificate and its key, the same for all sides of a comparison."""
    cert, key = folder / "bench.pem", folder / "bench.key"
    if not cert.exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=bench", "-keyout", str(key), "-out", str(cert)],
                       check=True, capture_output=True)
    return cert, key


def path_of(scenario):
    """What the peers are asked for."""
    return scenario["path"] if "file" in scenario else "/hello"


def start_floor(build_dir, work, scenario):
    port = free_port()
    return Server("floor", [str(build_dir / "bench" / "epoll_floor"), str(port)], port, "/hello", work / "floor.log",
                  ready_line="ready")


def start_origin(build_dir, work):
    """What proxies pass requests on to: the cheapest server there is, beside the load generator."""
    port = free_port()
    return Server("origin", [str(build_dir / "bench" / "epoll_floor"), str(port)], port, "/hello", work / "origin.log",
                  core=1, ready_line="ready")


class CachingOrigin:
    """Answers with fields that let a cache keep it; asked once per side, so it may be slow."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                for name, value in (("Content-Type", "text/plain"), ("Content-Length", str(len(BODY))),
                                    ("Cache-Control", "max-age=86400"), ("ETag", '"bench"')):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(BODY)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


PHP_WORKERS = 8


class Php:
    """PHP-FPM beside the load generator: its CPU time is not the web tier's."""

    def __init__(self, work):
        self.folder = work / "php"
        self.folder.mkdir()
        (self.folder / "hello.php").write_text(
            f"<?php header('Content-Type: text/plain'); header('Content-Length: {len(BODY)}'); "
            f"echo '{BODY.decode()}';")
        self.socket = self.folder / "fpm.sock"
        owner = f"user = {USER}\ngroup = {USER}\n" if os.getuid() == 0 else ""
        (self.folder / "fpm.conf").write_text(
            f"[global]\ndaemonize = no\nerror_log = {self.folder}/fpm.log\n[www]\nlisten = {self.socket}\n"
            f"listen.backlog = 4096\npm = static\npm.max_children = {PHP_WORKERS}\npm.max_requests = 0\n{owner}")
        binary = shutil.which("php-fpm8.2") or "/usr/sbin/php-fpm8.2"
        command = ["taskset", "-c", "1", binary, "-F", "-y", str(self.folder / "fpm.conf")]
        self.process = subprocess.Popen(command + (["-R"] if os.getuid() == 0 else []), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while not self.socket.exists():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("PHP-FPM does not start")
            time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def nginx_location(scenario, prefix):
    """Where the answers come from. @returns what the http block needs, and the location of /hello"""
    if "php" in scenario:
        php = scenario["php"]
        names = {"SCRIPT_FILENAME": f"{php.folder}/hello.php", "SCRIPT_NAME": "/hello.php", "QUERY_STRING": "$query_string",
                 "REQUEST_METHOD": "$request_method", "CONTENT_TYPE": "$content_type",
                 "CONTENT_LENGTH": "$content_length", "REQUEST_URI": "$request_uri", "DOCUMENT_ROOT": php.folder,
                 "SERVER_PROTOCOL": "$server_protocol", "REQUEST_SCHEME": "$scheme", "GATEWAY_INTERFACE": "CGI/1.1",
                 "SERVER_SOFTWARE": "nginx", "REMOTE_ADDR": "$remote_addr", "REMOTE_PORT": "$remote_port",
                 "SERVER_PORT": "$server_port", "SERVER_NAME": "$server_name", "REDIRECT_STATUS": "200",
                 "PATH_INFO": "''", "HTTP_X_REQUEST_ID": "$request_id"}
        params = " ".join(f"fastcgi_param {name} {value};" for name, value in names.items())
        return "", f"fastcgi_pass unix:{php.socket}; {params}"
    if "origin" not in scenario:
        return "", f'return 200 "{BODY.decode()}";'
    if scenario.get("cached"):
        zone = f"  proxy_cache_path {prefix}/cache levels=1:2 keys_zone=bench:10m inactive=1h;\n"
        return zone, (f"proxy_pass http://127.0.0.1:{scenario['origin']}; proxy_http_version 1.1; proxy_cache bench; "
                      "proxy_cache_lock on; add_header Cache-Status $upstream_cache_status; add_header Age 0;")
    upstream = f"  upstream origin {{ server 127.0.0.1:{scenario['origin']}; keepalive 1024; }}\n"
    return upstream, """proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Request-Id $request_id;
      proxy_set_header Forwarded "for=$remote_addr;host=\\"$http_host\\";proto=$scheme";
      proxy_set_header Via "1.1 nginx"; add_header Via "1.1 nginx";"""


def start_nginx(build_dir, work, scenario):
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    port, prefix = free_port(), work / "nginx"
    prefix.mkdir()
    tls, listen = scenario.get("tls", False), ""
    if tls:
        cert, key = certificate(work)
        listen = f" ssl http2;\n    ssl_certificate {cert};\n    ssl_certificate_key {key}"
    upstream, location = nginx_location(scenario, prefix)
    temp = "\n".join(f"  {kind}_temp_path {prefix}/{kind};"
                     for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (prefix / "nginx.conf").write_text(f"""
daemon off;
user {USER};
worker_processes 1;
pid {prefix}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  server_tokens off;
  default_type text/plain;
  keepalive_requests 1000000000;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=256 inactive=60s;
  open_file_cache_valid 1s;
{temp}
{upstream}  server {{
    listen 127.0.0.1:{port} reuseport backlog=4096{listen};
    location = /hello {{ {location} }}
    location /static/ {{ root {work}; }}
  }}
}}
""")
    return Server("nginx", [binary, "-p", str(prefix), "-e", "stderr", "-c", str(prefix / "nginx.conf")], port,
                  path_of(scenario), work / "nginx.log", tls=tls)


def start_h2o(build_dir, work, scenario):
    """h2o has no fixed answers; the nearest is a file of that size, which it keeps open."""
    port, prefix = free_port(), work / "h2o"
    prefix.mkdir()
    (prefix / "hello.txt").write_bytes(BODY)
    tls, listen = scenario.get("tls", False), ""
    if tls:
        cert, key = certificate(work)
        listen = f", ssl: {{certificate-file: {cert}, key-file: {key}}}"
    (prefix / "h2o.conf").write_text(f"""
num-threads: 1
user: {USER}
max-connections: 8192
server-name: h2o
error-log: /dev/null
listen: {{host: 127.0.0.1, port: {port}{listen}}}
hosts:
  default:
    paths:
      /hello: {{file.file: {prefix}/hello.txt}}
      /static: {{file.dir: {work}/static}}
""")
    return Server("h2o", ["h2o", "-m", "worker", "-c", str(prefix / "h2o.conf")], port, path_of(scenario),
                  work / "h2o.log", tls=tls)


def start_caf_app(build_dir, work, scenario, folder="caf_app", name="caf_app"):
    """`folder`: below `work`, for its configuration and data; two of them need two."""
    port, prefix = free_port(), work / folder
    prefix.mkdir()
    tls = scenario.get("tls", False)
    cert, key = certificate(work) if tls else ("", "")
    (prefix / "var.key").write_text("of a cluster that lives for one measurement")
    (prefix / "var.key").chmod(0o600)
    (prefix / "cluster.toml").write_text(scenario["config"].format(
        port=port, link=free_port(), far_link=free_port(), origin=scenario.get("origin", ""), admin=free_port(), data=prefix / "var", cert=cert,
        key=key, php=scenario["php"].folder if "php" in scenario else ""))
    command = [str(build_dir / "nodes" / "caf-node"), "--config", str(prefix / "cluster.toml"), "--name", "bench"]
    server = Server(name, command, port, scenario["path"], work / f"{folder}.log", ready_line="ready bench", tls=tls)
    if scenario.get("remote"):
        try:
            server.helper = Server("remote", [*command[:-1], "remote"], None, None, work / "remote.log",
                                   ready_line="ready remote")
            await_status(server, 200)
        except RuntimeError:
            server.stop()
            raise
    return server


def start_respond(build_dir, work, scenario):
    """Our own fixed answer, beside which an actor's is measured."""
    return start_caf_app(build_dir, work, scenario["respond"], "respond", "respond")


def await_status(server, status, timeout=20):
    end = time.monotonic() + timeout
    while (seen := server.probe()[0]) != status:
        if time.monotonic() > end:
            raise server.died(f"answers {seen} after {timeout} s")
        time.sleep(0.05)


STARTERS = {"floor": start_floor, "nginx": start_nginx, "h2o": start_h2o, "caf_app": start_caf_app,
            "respond": start_respond}
