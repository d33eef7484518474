"""What a file server has to answer to a request for a file, computed from the RFCs and the contract in the slowest way:
one function per decision, no code shared with the server. RFC 9110 sections 12.5.3, 13, 14."""
import email.utils

WEIGHTS = {  # Accept-Encoding -> coding -> weight; what is missing is not acceptable
    None: {"identity": 1.0},
    "gzip": {"gzip": 1.0, "identity": 0.001},
    "br, gzip": {"br": 1.0, "gzip": 1.0, "identity": 0.001},
    "gzip;q=0.5, br;q=0.7": {"br": 0.7, "gzip": 0.5, "identity": 0.001},
    "gzip, identity;q=0": {"gzip": 1.0},
    "identity;q=0": {},
}
RANGES = [None, "bytes=0-4", "bytes=5-", "bytes=-7", "bytes=99999-", "bytes=x", "bytes=0-1,3-4", "bytes=-0",
          "bytes=-99999"]
IF_RANGES = [None, "{tag}", '"other"', "{date}", "{before}"]
CONDITIONS = [  # (fields, outcome: 200, 304, 412)
    ({}, 200),
    ({"If-None-Match": "{tag}"}, 304),
    ({"If-None-Match": "*"}, 304),
    ({"If-None-Match": '"other", {weak}'}, 304),
    ({"If-None-Match": '"other"', "If-Modified-Since": "{date}"}, 200),
    ({"If-Modified-Since": "{date}"}, 304),
    ({"If-Modified-Since": "{before}"}, 200),
    ({"If-Modified-Since": "{future}"}, 200),
    ({"If-Match": "*"}, 200),
    ({"If-Match": '"other"'}, 412),
    ({"If-Match": "{tag}"}, "strong"),
    ({"If-Unmodified-Since": "{before}"}, 412),
    ({"If-Unmodified-Since": "{date}"}, 200),
]


def http_date(seconds):
    return email.utils.formatdate(seconds, usegmt=True)


class Form:
    """One form of a file: as stored, or made on the fly (body None: compare decoded)."""

    def __init__(self, coding, stored, size, mtime_ns, body):
        self.coding, self.stored, self.size, self.mtime_ns, self.body = coding, stored, size, mtime_ns, body
        if stored:
            suffix = "" if coding == "identity" else "-" + coding
            self.tag = f'"{mtime_ns:x}-{size:x}{suffix}"'
        else:
            self.tag = f'W/"{mtime_ns:x}-{size:x}-{coding}"'

    @property
    def weak(self):
        return self.tag if self.tag.startswith("W/") else "W/" + self.tag


class Resource:
    def __init__(self, path, mime, content, mtime_ns, siblings=(), on_the_fly=False):
        """siblings: (coding, content, mtime_ns), those that count, in configured order."""
        self.path, self.mime, self.content = path, mime, content
        self.forms = [Form(coding, True, len(body), when, body) for coding, body, when in siblings]
        if on_the_fly:
            self.forms += [Form(coding, False, len(content), mtime_ns, None) for coding in ("br", "zstd", "gzip")
                           if coding not in [form.coding for form in self.forms]]
        self.varies = bool(self.forms)
        self.forms.append(Form("identity", True, len(content), mtime_ns, content))

    def select(self, accept, has_range):
        weights = WEIGHTS[accept]
        usable = [form for form in self.forms if form.coding in weights and (form.stored or not has_range)]
        return max(usable, key=lambda form: weights[form.coding], default=None)  # the first of equals


def fill(text, form):
    seconds = form.mtime_ns // 10**9
    for mark, value in (("{tag}", form.tag), ("{weak}", form.weak), ("{date}", http_date(seconds)),
                        ("{before}", http_date(seconds - 1)), ("{future}", http_date(seconds + 10**9))):
        text = text.replace(mark, value)
    return text


def ranges_of(value, size):
    """None: the whole; []: none is satisfiable; else (first, last) pairs."""
    if value in (None, "bytes=x"):
        return None
    result = []
    for part in value.removeprefix("bytes=").split(","):
        first, last = part.split("-")
        if first == "":
            if int(last) == 0:
                continue
            if size == 0:
                return None  # a suffix of nothing is all of it
            result.append((max(size - int(last), 0), size - 1))
        elif int(first) < size:
            result.append((int(first), min(int(last or size - 1), size - 1)))
    return result


def expect(resource, method, accept, wanted, if_range, condition):
    """(request fields, status, response fields that have to be there, fields that must not, body or None)"""
    form = resource.select(accept, wanted is not None)
    fields, needs = {}, {}
    if accept is not None:
        fields["Accept-Encoding"] = accept
    if resource.varies:
        needs["vary"] = "Accept-Encoding"
    shown = form or resource.forms[-1]
    fields.update({name: fill(value, shown) for name, value in condition[0].items()})
    if wanted is not None:
        fields["Range"] = wanted
    if if_range is not None:
        fields["If-Range"] = fill(if_range, shown)
    if form is None:
        return fields, 406, needs, ("etag", "content-range"), None
    outcome = condition[1]
    if outcome == "strong":
        outcome = 412 if form.tag.startswith("W/") else 200
    if outcome == 412:
        return fields, 412, needs, ("content-range",), None
    needs["cache-control"] = "max-age=60"
    needs["etag"] = form.tag
    if outcome == 304:
        return fields, 304, needs, ("content-length", "content-range", "content-encoding"), b""
    body = form.body
    needs["content-type"] = resource.mime
    needs["last-modified"] = http_date(form.mtime_ns // 10**9)
    if form.coding != "identity":
        needs["content-encoding"] = form.coding
    counts = method == "GET" and (if_range is None or if_range == "{date}" or
                                  (if_range == "{tag}" and not form.tag.startswith("W/")))
    parts = ranges_of(wanted, form.size) if counts else None
    if parts is not None and len(parts) > 1 and form.coding != "identity":
        parts = None  # there is no place for the coding of a part
    if parts is None:
        if form.stored:
            needs["content-length"] = str(form.size)
        return fields, 200, needs, ("content-range",), body
    if not parts:
        return fields, 416, {"content-range": f"bytes */{form.size}"} | \
            ({"vary": "Accept-Encoding"} if resource.varies else {}), ("etag", "content-encoding"), None
    if len(parts) == 1:
        first, last = parts[0]
        needs["content-range"] = f"bytes {first}-{last}/{form.size}"
        needs["content-length"] = str(last - first + 1)
        return fields, 206, needs, (), body[first:last + 1]
    del needs["content-type"]
    return fields, 206, needs, ("content-range",), [(pair, body[pair[0]:pair[1] + 1]) for pair in parts]
