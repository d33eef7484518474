"""Random requests before an origin with random wishes, through the cache, against a model of RFC 9111 that knows of
each body when it was made, for whom, and what may become of it. CAF_APP_SEED repeats a run, CAF_APP_ROUNDS makes it
longer."""
import email.utils
import os
import random
import threading
import time
import unittest

from support import suite
from support.node import Node
from support.origin import Origin, config, route, upstream
from support.web import fetch

SEED = int(os.environ.get("CAF_APP_SEED", "1"))
ROUNDS = int(os.environ.get("CAF_APP_ROUNDS", "1500"))
PATHS = 12
CACHE = '[http.cache]\nsize = "1MiB"\nmax_object = "64KiB"\nmax_variants = 4\nlock_timeout = "2s"\n'
SLACK = 1.1  # ages are whole seconds, and begin to count when an answer comes


def http_date(seconds):
    return email.utils.formatdate(seconds, usegmt=True)


class Made:
    """A body that the origin has made: all it said with it, and for which request."""

    def __init__(self, number, path, request, wish, at):
        self.number, self.path, self.request, self.wish = number, path, request, wish
        self.at = self.confirmed = at
        self.control = set(wish["flags"])
        self.asked_by = {request.field("x-me")}  # whom the origin itself has answered with it
        self.ended = []  # by unsafe methods: when each was asked and answered
        self.tag = f'"{number}"' if wish["weak"] is False else f'W/"{number}"'

    def lifetime(self):
        for name in ("s-maxage", "max-age", "expires"):
            if self.wish[name] is not None:
                return self.wish[name]
        return 0

    def is_shared(self):
        """Whether anybody else may ever see it."""
        if self.control & {"no-store", "private", 'private="x-a"'} or self.wish["cookie"] or self.wish["vary"] == "*":
            return False
        if "no-store" in (self.request.field("cache-control") or ""):
            return False
        if self.request.field("authorization") and self.wish["s-maxage"] is None and \
                not self.control & {"public", "must-revalidate"}:
            return False
        explicit = any(self.wish[name] is not None for name in ("s-maxage", "max-age", "expires"))
        return self.wish["status"] in (200, 404) or explicit or "public" in self.control

    def forbids_stale(self):
        return self.wish["s-maxage"] is not None or bool(self.control & {"must-revalidate", "proxy-revalidate"})

    def fits(self, field):
        """@param field gives the value of a field of the request, None without it"""
        return not self.wish["vary"] or all(field(name) == self.request.field(name.lower())
                                            for name in self.wish["vary"].split(", "))


class Model:
    """Tells of an answer whether the cache had any right to give it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.made = []

    def may_reuse(self, made, fields, asked_at, in_need):
        """@param in_need: the origin was asked, and had an error
        @returns what is wrong with using `made` for a request that did not cause it, else None"""
        wish = fields.get("Cache-Control", "")
        if not made.is_shared():
            return "is for one"
        if not made.fits(fields.get):
            return "varies"
        if any(made.confirmed < begun and done < asked_at for begun, done in made.ended):
            return "was invalidated"
        age = asked_at - made.confirmed + made.wish["age"] - SLACK
        if made.confirmed >= asked_at:  # the origin has said so since
            return None
        if "no-cache" in wish or "no-cache" in made.control or 'no-cache="x-a"' in made.control:
            return "must be validated"
        if "max-age=0" in wish and age + SLACK > 0.2 and not in_need:
            return "the client wants it new"
        if age < made.lifetime():
            return None
        late, grace = age - made.lifetime(), made.wish["sie"] if in_need else made.wish["swr"]
        if made.forbids_stale():
            return "is stale and must not be"
        if late <= grace or "max-stale" in wish:
            return None
        return f"is stale by {late:.1f} s"


class World(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.model = Model()
        self.origin = Origin({"*": self.serve})
        self.addCleanup(self.origin.close)
        self.node = Node(config(route("/", 'proxy = "u"\ncache = true'),
                                upstream("u", [f"http://127.0.0.1:{self.origin.port}"], "eject_fails = 0"), extra="") + CACHE)
        self.addCleanup(self.node.close)
        self.refused = []

    # -- the origin -------------------------------------------------------------------

    def wish(self):
        choose = self.random
        some = lambda chance, *values: choose.choice(values) if choose.random() < chance else None
        flags = [flag for flag in ("no-store", "private", "no-cache", "public", "must-revalidate", "proxy-revalidate",
                                   'private="x-a"', 'no-cache="x-a"') if choose.random() < 0.07]
        return {"status": choose.choice((200, 200, 200, 200, 404, 500)), "flags": flags, "weak": choose.random() < 0.3,
                "max-age": some(0.7, 0, 1, 2, 60), "s-maxage": some(0.15, 0, 1, 60), "expires": some(0.2, -5, 1, 60),
                "age": some(0.2, 1, 5) or 0, "swr": some(0.2, 1, 30) or 0, "sie": some(0.2, 1, 30) or 0,
                "vary": some(0.4, "X-U", "X-U, X-V", "*"), "cookie": choose.random() < 0.07,
                "tagged": choose.random() < 0.7, "framing": choose.choice(("length", "chunked", "close")),
                "cut": choose.random() < 0.05, "pause": choose.choice((0, 0, 0, 0.02))}

    def serve(self, connection, request):
        path = request.path
        with self.model.lock:
            number, wish, now = len(self.model.made), self.wish(), time.time()
            asked = request.field("if-none-match")
            known = next((made for made in self.model.made if made.tag == asked and made.path == path), None)
            if known and known.fits(lambda name: request.field(name.lower())) and not known.ended and self.random.random() < 0.5:
                known.confirmed = now
                known.asked_by.add(request.field("x-me"))
                wish, body, status = known.wish, b"", 304
            else:
                known = Made(number, path, request, wish, now)
                self.model.made.append(known)
                status, body = wish["status"], b"%d %s|" % (number, path.encode()) * 20
        time.sleep(wish["pause"])
        lines = [f"X-Number: {known.number}"]
        control = list(wish["flags"]) + [f"{name}={wish[name]}" for name in ("max-age", "s-maxage")
                                         if wish[name] is not None]
        control += [f"stale-while-revalidate={wish['swr']}"] if wish["swr"] else []
        control += [f"stale-if-error={wish['sie']}"] if wish["sie"] else []
        if control:
            lines.append("Cache-Control: " + ", ".join(control))
        if wish["expires"] is not None:
            lines += [f"Expires: {http_date(now + wish['expires'])}", f"Date: {http_date(now)}"]
        lines += [f"Age: {wish['age']}"] if wish["age"] else []
        lines += [f"Vary: {wish['vary']}"] if wish["vary"] else []
        lines += ["Set-Cookie: me=1"] if wish["cookie"] else []
        lines += [f"ETag: {known.tag}"] if wish["tagged"] or status == 304 else []
        return self.send(connection, request, status, lines, body, wish)

    @staticmethod
    def send(connection, request, status, lines, body, wish):
        framing = wish["framing"] if status != 304 and request.method != "HEAD" else "none"
        lines += {"length": [f"Content-Length: {len(body)}"], "chunked": ["Transfer-Encoding: chunked"],
                  "close": ["Connection: close"], "none": []}[framing]
        head = "\r\n".join([f"HTTP/1.1 {status} X", *lines]).encode() + b"\r\n\r\n"
        if framing == "none":
            connection.send(head)
            return request.method != "HEAD"
        if framing == "chunked":
            body = b"%x\r\n%s\r\n" % (len(body), body) + b"0\r\n\r\n"
        if wish["cut"]:
            connection.send(head + body[:len(body) // 2])
            connection.reset()
            return False
        connection.send(head + body)
        return framing != "close"

    # -- the clients -------------------------------------------------------------------

    def ask(self, choose):
        path = f"/{choose.randrange(PATHS)}"
        fields = {"Host": "a", "X-Me": str(choose.getrandbits(64))}
        for name, chance in (("X-U", 0.6), ("X-V", 0.4)):
            if choose.random() < chance:
                fields[name] = choose.choice(("", "1", "2"))
        if choose.random() < 0.1:
            fields["Authorization"] = "me"
        if choose.random() < 0.2:
            fields["Cache-Control"] = choose.choice(("no-cache", "no-store", "max-age=0", "max-stale", "only-if-cached",
                                                     "min-fresh=1"))
        extra = choose.random()
        if extra < 0.1:
            fields["Range"] = "bytes=0-9"
        elif extra < 0.2:
            fields["If-None-Match"] = f'"{choose.randrange(max(1, len(self.model.made)))}"'
        method = choose.choices(("GET", "HEAD", "POST", "DELETE"), (90, 4, 3, 1))[0]
        return method, path, fields

    def exchange(self, choose):
        method, path, fields = self.ask(choose)
        asked_at = time.time()
        try:
            got = fetch(self.node.port(), path, method, fields)
        except OSError:
            return "cut"
        self.judge(method, path, fields, asked_at, got)
        if method in ("POST", "DELETE") and 200 <= got.status < 400:
            with self.model.lock:
                for made in self.model.made:
                    if made.path == path:
                        made.ended.append((asked_at, time.time()))
        return got.field("cache-status")

    def judge(self, method, path, fields, asked_at, got):
        number = got.field("x-number") or (got.field("etag") or "").removeprefix("W/").strip('"') or None
        what = (method, path, fields, got.status, got.fields, got.body[:60])
        if number is None:  # own words: nothing of the origin's
            if got.status not in (416, 502, 504):
                self.refused.append(("own words", *what))
            return
        with self.model.lock:
            made = self.model.made[int(number.split(",")[0])]
        whole = b"%d %s|" % (made.number, path.encode()) * 20
        if made.path != path:
            self.refused.append(("another's path", made.path, *what))
        if got.whole and method == "GET" and got.status != 206 and got.status != 304 and got.body != whole and \
                made.wish["framing"] != "close":
            self.refused.append(("not its body", *what))
        if got.status == 206 and got.body != whole[:10]:
            self.refused.append(("not its part", *what))
        if fields["X-Me"] in made.asked_by:
            return
        wrong = self.model.may_reuse(made, fields, asked_at, "fwd-status=50" in (got.field("cache-status") or ""))
        if wrong:
            self.refused.append((wrong, made.wish, *what))

    def test_nothing_is_used_that_may_not_be(self):
        print(f"seed {SEED}", flush=True)
        seen, lock = {}, threading.Lock()

        def client(number):
            choose = random.Random(SEED * 1000 + number)
            for _ in range(ROUNDS // 6):
                how = self.exchange(choose) or "none"
                word = how.split("; ")[1].split("=")[0] if "; " in how else how
                with lock:
                    seen[word] = seen.get(word, 0) + 1
        threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(seen, len(self.model.made), flush=True)
        self.assertEqual(self.refused[:3], [])
        self.assertGreater(seen.get("hit", 0), ROUNDS // 50)
        self.assertGreater(seen.get("fwd", 0), ROUNDS // 10)
        self.assertEqual(self.node.metric("caf_http_connection_crashes_total"), 0)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    suite.main()
