"""A node with an evaluator, its API, and a project with a function for everything that tests ask for."""
import json
import os
import pathlib

from support import suite
from support.node import Node, one_node
from support.wire import Wire, request

SITE = """
[[http.site]]
host = "*"
  [[http.site.route]]
  path = "/v0/"
  eval = true
"""

CONFIG = one_node("http", "eval") + """
[http]
listen = ["127.0.0.1:0"]
""" + SITE + """
[eval]
{keys}
"""

HEADER = r"""
#pragma once
#include <caf_app/eval.hpp>
namespace kitchen {
using namespace caf_app::eval;
struct point { integer x; std::optional<double> y; };
BOOST_DESCRIBE_STRUCT(point, (), (x, y))
struct cursor { nat next; };
BOOST_DESCRIBE_STRUCT(cursor, (), (next))
nat add(nat a, nat b);
nat one();
integer twice(integer a);
nat half(nat a);
point mirror(point p);
json echo(json value);
std::string text(nat bytes);
outcome<nat> positive(effects<error>& fx, nat a);
nat traced(effects<trace>& fx, nat lines);
std::string read(effects<files>& fx, std::string path);
unit write(effects<files>& fx, std::string path, std::string content);
nat mark(effects<files>& fx, std::string path);
std::string get(effects<http>& fx, std::string url);
nat misbehave(std::string how);
nat pause(nat ms);
nat pid();
produced<nat, cursor> ticker(nat period, clock_ms now, std::optional<cursor> resume);
produced<nat, unit> burst(nat count, clock_ms now, std::optional<unit> resume);
nat capped(nat a);
produced<nat, unit> quiet(nat a, clock_ms now, std::optional<unit> resume);
produced<nat, unit> wake(nat at, clock_ms now, std::optional<unit> resume);
}
"""

SOURCE = r"""
#include "kitchen.hpp"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
extern char** environ;
namespace {
// Runs while the driver is loaded, before its own code.
pid_t early_fork() {
  const auto child = fork();
  for (; child == 0;)
    pause();
  return child;
}
const pid_t forked_early = early_fork();
const long forked_by_key = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}
namespace kitchen {
nat add(nat a, nat b) { return a + b; }
nat one() { return 1; }
integer twice(integer a) { return a + a; }
nat half(nat a) {
  if (a % 2 != 0)
    throw std::runtime_error{"odd"};
  return a / 2;
}
point mirror(point p) { return {integer{} - p.x, p.y}; }
json echo(json value) { return value; }
std::string text(nat bytes) { return std::string(static_cast<size_t>(bytes.to_int64()), 'x'); }
outcome<nat> positive(effects<error>& fx, nat a) {
  if (a == 0)
    return fx.fail("zero");
  return a;
}
nat traced(effects<trace>& fx, nat lines) {
  for (nat i; i < lines; i += 1)
    fx.trace("line " + i.to_string());
  return lines;
}
std::string read(effects<files>& fx, std::string path) { return fx.read(path); }
unit write(effects<files>& fx, std::string path, std::string content) {
  fx.write(path, content);
  return {};
}
nat mark(effects<files>& fx, std::string path) {
  std::string before;
  try {
    before = fx.read(path);
  } catch (const effect_failed&) {
  }
  fx.write(path, before + "1"); // a second run shows
  timespec time{0, 5'000'000};
  nanosleep(&time, nullptr);
  return 1;
}
std::string get(effects<http>& fx, std::string url) { return fx.get(url).content; }
nat pause(nat ms) {
  const auto all = ms.to_int64();
  timespec time{all / 1000, (all % 1000) * 1'000'000};
  nanosleep(&time, nullptr);
  return ms;
}
nat pid() { return getpid(); }
produced<nat, cursor> ticker(nat period, clock_ms now, std::optional<cursor> resume) {
  auto at = resume ? resume->next : nat{};
  return {{at}, cursor{at + 1}, now + period.to_int64()};
}
produced<nat, unit> burst(nat count, clock_ms, std::optional<unit>) {
  produced<nat, unit> result;
  for (; count > 0; count -= 1)
    result.values.push_back(count);
  return result;
}
nat capped(nat a) { return a < 3 ? a : nat{3}; }
produced<nat, unit> quiet(nat a, clock_ms, std::optional<unit>) {
  produced<nat, unit> result;
  if (a != 0)
    result.values.push_back(a);
  return result;
}
produced<nat, unit> wake(nat at, clock_ms, std::optional<unit> resume) {
  produced<nat, unit> result;
  if (resume) {
    result.values.push_back(9);
  } else {
    result.continuation = unit{};
    result.next = clock_ms{at.to_int64()};
  }
  return result;
}
nat misbehave(std::string how) {
  auto refused = [](long result) -> nat { return result < 0 ? 0 : 1; };
  if (how == "abort")
    std::abort();
  if (how == "exit")
    _exit(0);
  if (how == "segv")
    *reinterpret_cast<volatile int*>(8) = 1;
  if (how == "loop")
    for (;;)
      getpid();
  if (how == "print") {
    std::puts("hello from the worker");
    std::fflush(stdout);
  }
  if (how == "print-much") {
    for (int line = 0; line < 1'000'000; ++line)
      std::printf("line %d\n", line);
    std::fflush(stdout);
  }
  if (how == "frame")
    return ::write(3, "garbage garbage garbage", 23) > 0 ? 1 : 0;
  if (how == "oversize")
    return ::write(3, "\xff\xff\xff\x7f\x07........", 13) > 0 ? 1 : 0;
  if (how == "wrong-id")
    return ::write(3, "\x0d\x00\x00\x00\x07\x63\x00\x00\x00\x00\x00\x00\x00\xc8\x00{}", 17) > 0 ? 1 : 0;
  if (how == "allocate") {
    auto* memory = static_cast<char*>(std::malloc(size_t{64} << 30));
    return memory ? 1 : 0;
  }
  if (how == "fill") {
    std::vector<std::string> all;
    for (;;)
      all.emplace_back(size_t{16} << 20, 'x');
  }
  if (how == "open")
    return refused(open("/etc/passwd", O_RDONLY));
  if (how == "create")
    return refused(open("/tmp/caf_app_escape", O_CREAT | O_WRONLY, 0600));
  if (how == "socket")
    return refused(socket(AF_INET, SOCK_STREAM, 0));
  if (how == "unix")
    return refused(socket(AF_UNIX, SOCK_STREAM, 0));
  if (how == "fork")
    return refused(fork());
  if (how == "exec")
    return refused(execl("/bin/true", "true", nullptr));
  if (how == "kill")
    return refused(kill(getppid(), SIGKILL));
  if (how == "ptrace")
    return refused(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  if (how == "early-fork")
    return refused(forked_early) + refused(forked_by_key);
  if (how == "thread")
    return refused(syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES, 0, 0, 0, 0));
  if (how == "clone3")
    return refused(syscall(SYS_clone3, nullptr, 0));
  if (how == "outlive") // the upper half of an int argument does not count
    return refused(prctl(PR_SET_PDEATHSIG, 0)) + refused(syscall(SYS_prctl, (1L << 32) | PR_SET_PDEATHSIG, 0));
  if (how == "signal") {
    const auto parent = getppid();
    return refused(fcntl(3, F_SETOWN, parent)) + refused(fcntl(3, F_SETSIG, SIGKILL)) +
           refused(fcntl(3, F_SETFL, O_ASYNC)) + refused(syscall(SYS_fcntl, 3, (1L << 32) | F_SETOWN, parent)) +
           refused(syscall(SYS_tgkill, parent, parent, SIGKILL)) + refused(raise(SIGKILL)) +
           refused(syscall(SYS_pidfd_open, parent, 0)) + refused(syscall(SYS_rt_sigqueueinfo, parent, SIGKILL, 0));
  }
  if (how == "foreign-limits") {
    rlimit none{0, 0};
    return refused(prlimit(getppid(), RLIMIT_NOFILE, &none, nullptr)) +
           refused(prlimit(getppid(), RLIMIT_NOFILE, nullptr, &none));
  }
  if (how == "foreign-memory") {
    char byte = 0;
    iovec mine{&byte, 1}, theirs{&environ, 1};
    return refused(syscall(SYS_process_vm_readv, getppid(), &mine, 1, &theirs, 1, 0)) +
           refused(syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0)) + refused(syscall(SYS_userfaultfd, 0)) +
           refused(syscall(SYS_memfd_create, "x", 0)) + refused(syscall(SYS_shmget, 1, 4096, 0666)) +
           refused(syscall(SYS_bpf, 0, 0, 0)) + refused(syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
  }
  if (how == "files-otherwise")
    return refused(syscall(SYS_openat, AT_FDCWD, "/proc/self/fd/3", O_RDWR)) +
           refused(syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", environ, 24)) +
           refused(syscall(SYS_io_uring_setup, 8, environ)) + refused(syscall(SYS_open_by_handle_at, 3, environ, 0)) +
           refused(syscall(SYS_mount, 0, 0, 0, 0, 0)) + refused(syscall(SYS_unshare, CLONE_NEWUSER)) +
           refused(syscall(SYS_chroot, "/")) + refused(syscall(SYS_unlink, "/tmp/x")) +
           refused(syscall(SYS_execveat, 3, "", environ, environ, AT_EMPTY_PATH)) +
           refused(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, environ));
  if (how == "session")
    return refused(setsid()) + refused(setpgid(0, 0)) + refused(nice(-5) == -1 ? -1 : 0) +
           refused(syscall(SYS_sched_setaffinity, 0, 0, 0));
  if (how == "environment")
    return environ && *environ ? 1 : 0;
  if (how == "limits") {
    rlimit more{RLIM_INFINITY, RLIM_INFINITY};
    return refused(setrlimit(RLIMIT_AS, &more));
  }
  if (how == "descriptors")
    for (int fd = 4; fd < 1024; ++fd)
      if (fcntl(fd, F_GETFD) >= 0)
        return fd;
  return 0;
}
}
"""

SIGNATURES = {
    "add": "nat(nat, nat)", "one": "nat()", "twice": "integer(integer)", "half": "nat(nat)",
    "mirror": "kitchen::point(kitchen::point)", "echo": "json(json)", "text": "std::string(nat)",
    "positive": "outcome<nat>(effects<error>&, nat)", "traced": "nat(effects<trace>&, nat)",
    "read": "std::string(effects<files>&, std::string)",
    "write": "unit(effects<files>&, std::string, std::string)",
    "mark": "nat(effects<files>&, std::string)", "get": "std::string(effects<http>&, std::string)",
    "misbehave": "nat(std::string)", "pause": "nat(nat)", "pid": "nat()",
    "burst": "produced<nat, unit>(nat, clock_ms, std::optional<unit>)",
    "capped": "nat(nat)", "quiet": "produced<nat, unit>(nat, clock_ms, std::optional<unit>)",
    "wake": "produced<nat, unit>(nat, clock_ms, std::optional<unit>)",
    "ticker": "produced<nat, kitchen::cursor>(nat, clock_ms, std::optional<kitchen::cursor>)",
}

GRAPHS = {
    "sum": 'auto a = input<nat>("a");\nauto b = input<nat>("b");\nreturn kitchen::add(a, b);',
    # 0 a; 1 left; 2 right; 3 join
    "diamond": 'auto a = input<nat>("a");\nauto left = kitchen::add(a, a);\nauto right = kitchen::half(a);\n'
               'return kitchen::add(left, right);',
    "constant": 'return kitchen::add(kitchen::one(), input<nat>("a"));',
    "checked": 'auto a = kitchen::positive(input<nat>("a"));\nauto b = kitchen::half(a);\nreturn kitchen::add(b, b);',
    "ticks": 'return kitchen::add(kitchen::ticker(input<nat>("period")), input<nat>("base"));',
    "halves": 'auto tick = kitchen::ticker(input<nat>("period"));\nauto base = input<nat>("base");\n'
              "auto half = kitchen::half(tick);\nauto sum = kitchen::add(half, base);\n"
              "return kitchen::add(sum, tick);",
    "bursts": 'auto n = kitchen::burst(input<nat>("n"));\nauto h = kitchen::half(n);\n'
              'return kitchen::add(h, kitchen::add(kitchen::one(), input<nat>("m")));',
    "constants": 'auto c = kitchen::one();\nauto two = kitchen::add(c, c);\nauto three = kitchen::add(two, kitchen::one());'
                 '\nreturn kitchen::add(three, input<nat>("a"));',
    "uncut": 'auto c = kitchen::capped(input<nat>("a"));\nreturn kitchen::add(c, c);',
    "cut": 'auto c = kitchen::capped(input<nat>("a"));\nreturn kitchen::add(c, c);',
    "skips": 'auto a = kitchen::positive(input<nat>("a"));\nauto b = kitchen::positive(input<nat>("b"));\n'
             "auto x = kitchen::add(a, b);\nauto y = kitchen::add(b, a);\nreturn kitchen::add(x, y);",
    "quiets": 'return kitchen::add(kitchen::quiet(input<nat>("a")), input<nat>("b"));',
    "chained": 'auto q = kitchen::quiet(kitchen::positive(input<nat>("a")));\nreturn kitchen::add(q, q);',
    "wakes": 'return kitchen::add(kitchen::wake(input<nat>("a")), kitchen::wake(input<nat>("b")));',
    "both": 'auto a = input<nat>("a");\nreturn kitchen::add(a, kitchen::plus(a, a));',
    "pids": 'return kitchen::add(kitchen::pid(), input<nat>("a"));',
    "echoes": 'return kitchen::echo(input<json>("value"));',
}


def kitchen():
    """The declaration of the project."""
    return {
        "source": {"files": {"kitchen.hpp": HEADER, "kitchen.cpp": SOURCE}},
        "functions": [{"name": f"kitchen.{name}", "header": "kitchen.hpp", "function": f"kitchen::{name}",
                       "signature": signature} for name, signature in SIGNATURES.items()]
        + [{"name": "kitchen.plus", "header": "kitchen.hpp", "function": "kitchen::add", "signature": "nat(nat, nat)"}],
        "graphs": [{"name": name, "program": program, "cutoff": name == "cut"} for name, program in GRAPHS.items()],
    }


class Evaluator(Node):
    """A node with an evaluator at /v0/."""

    def __init__(self, keys="", **options):
        self.wire = None
        super().__init__(config=CONFIG.replace("{keys}", keys), **options)

    def close(self):
        if self.wire:
            self.wire.close()
        super().close()

    def api(self, method, path, body=None, *fields, wire=None):
        """One exchange. Returns the status and the reply, parsed if it is JSON."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if data and not any(field.lower().startswith("content-type") for field in fields):
            fields += ("Content-Type: application/json",)
        if wire is None:
            self.wire = wire = self.wire or Wire(self.port(), timeout=4 * suite.PATIENCE)
        answer = wire.send(request("/v0" + path, *fields, method=method, body=data)).response(method)
        if answer.closes and wire is self.wire:
            self.wire = None
        self.last = answer
        if (answer.field("content-type") or "").startswith("application/json"):
            return answer.status, json.loads(answer.body)
        return answer.status, answer.body.decode()

    def post(self, declaration, *fields):
        """Posts a build until it has finished. Returns the status and the reply."""
        while True:
            status, reply = self.api("POST", "/builds?wait=50s", declaration, *fields)
            if status != 202:
                return status, reply

    def build(self, declaration):
        """Builds and returns the status object, whatever became of it."""
        return self.post(declaration)[1]

    def make(self, declaration):
        """Builds and returns the id."""
        status = self.build(declaration)
        if status.get("state") != "ready":
            raise AssertionError(f"not ready: {status}")
        return status["id"]

    def call(self, build, function, body, *fields, wire=None):
        return self.api("POST", f"/builds/{build}/functions/kitchen.{function}", body, *fields, wire=wire)

    def step(self, build, graph, body, *fields, wire=None):
        return self.api("POST", f"/builds/{build}/graphs/{graph}", body, *fields, wire=wire)


def descendants(pid):
    """Processes below `pid`, from /proc."""
    parents = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text(errors="replace")
            except OSError:
                continue
            parents[int(folder.name)] = int(text.rsplit(")", 1)[1].split()[1])
    found, layer = [], {pid}
    while layer:
        layer = {child for child, parent in parents.items() if parent in layer}
        found += layer
    return found


def runs(pid):
    """Whether the process is there and no zombie."""
    try:
        return bool(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return False


BINDING = {"org_id": "org", "user_id": "user"}
