"""Who may include whom: the rooms of the library in their order, the folders above it, and third parties that have
one place each."""
import re

from source import Finding, includes, is_cpp, is_pure

# Each room may use those before it and itself; headers directly in caf_app/ (app.hpp) may use all.
ROOMS = ["base", "messages", "loop", "registry", "supervision", "cluster", "process"]

# (what is included, where it may be, what to do instead)
PLACES = [
    (r"nghttp2/", r"actors/http/h2_session\.cpp$", "nghttp2 belongs in actors/http/h2_session.cpp only"),
    (r"openssl/", r"libcaf_app/caf_app/loop/tls_\w+\.cpp$|actors/eval/digest\.cpp$|tests/",
     "OpenSSL belongs in libcaf_app/caf_app/loop/tls_*.cpp (and SHA-256 in actors/eval/digest.cpp) only; headers "
     "forward-declare its types"),
    (r"toml\+\+/|toml\.hpp$", r"libcaf_app/caf_app/base/", "toml++ belongs in libcaf_app/caf_app/base only: read "
     "configuration through base/config"),
    (r"caf/is_error_code_enum\.hpp$", r"$^", "use caf/error.hpp: this header redefines CAF_ERROR_CODE_ENUM"),
    (r"caf/openssl/", r"$^", "caf::openssl spins and hangs: use loop/tls_session"),
]

# What a pure file may not reach.
IMPURE = re.compile(
    r"^(sys/(socket|epoll|eventfd|timerfd|un|wait)\.h|netinet/.*|netdb\.h|poll\.h|pthread\.h|signal\.h"
    r"|thread|mutex|shared_mutex|condition_variable|future|csignal"
    r"|caf/(all|actor|actor_system|event_based_actor|scoped_actor|scheduled_actor|stateful_actor|typed_actor"
    r"|blocking_actor|local_actor|actor_clock|execution_unit)\.hpp|caf/(io|scheduler)/.*"
    r"|caf_app/(loop|registry|process)/.*)$")
# Message headers hold the handle types of their conversations, the type-id block needs all of CAF.
IMPURE_OK = {"libcaf_app/caf_app/messages/": re.compile(r"^caf/(all|actor|typed_actor)\.hpp$"),
             "libcaf_app/caf_app/base/log": re.compile(r"^(mutex|thread)$"),
             "libcaf_app/caf_app/base/metrics": re.compile(r"^(mutex|shared_mutex|thread)$"),
             "actors/http/cache_shard": re.compile(r"^mutex$"),
             "actors/scaler/scaler_board": re.compile(r"^mutex$")}


def room_of(path):
    match = re.match(r"(?:libcaf_app/)?caf_app/(?:(\w+)/)?[^/]+$", path)
    return (match.group(1) or "") if match else None


def judge(path, name):
    """@returns what is wrong with `path` including `name`, or None"""
    for what, where, instead in PLACES:
        if re.match(what, name) and not re.match(where, path):
            return instead
    if is_pure(path) and IMPURE.match(name):
        if not any(path.startswith(start) and ok.match(name) for start, ok in IMPURE_OK.items()):
            return f"a pure file may not include {name}: take bytes, samples and `now`, return a value"
    target_room, actor_folder = room_of(name), re.match(r"actors/(\w+)/", name)
    if path.startswith("libcaf_app/"):
        if name.startswith(("actors/", "nodes/")):
            return f"the library may not include {name}: turn the dependency round, or talk by messages"
        mine = room_of(path)
        if mine in ROOMS and target_room in ROOMS and ROOMS.index(target_room) > ROOMS.index(mine):
            return f"room {mine} may not use room {target_room}: the order is {' < '.join(ROOMS)}"
        if mine in ROOMS and target_room == "":
            return f"room {mine} may not include {name}, which is above all rooms"
        if mine != "cluster" and name.startswith("caf/io/"):
            return "loops have their own sockets; caf_io is for the cluster's gateway only"
    own = re.match(r"actors/(\w+)/", path)
    if own and actor_folder and actor_folder.group(1) != own.group(1):
        return (f"actors/{own.group(1)} may not include actors/{actor_folder.group(1)}: they talk through "
                "caf_app/messages/ only")
    if name.startswith("nodes/") and not path.startswith(("nodes/", "tests/unit/nodes/", "tests/system/")):
        return "nobody includes nodes/"
    return None


def check(root, paths):
    for path in filter(is_cpp, paths):
        for line, name in includes((root / path).read_text()):
            wrong = judge(path, name)
            if wrong:
                yield Finding(path, line, wrong)
