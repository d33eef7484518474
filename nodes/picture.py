#!/usr/bin/env python3
"""Draws the picture of the README out of what running nodes say: nodes/cluster.svg.

    nodes/demo &                                   # or any other cluster
    nodes/picture.py http://127.0.0.1:7901 > nodes/cluster.svg

The one argument is an admin listener of any node, the others are asked through it. Exit status: 0, or 1 if one of them
does not answer."""
import html
import json
import sys
import urllib.request

WIDTH, BOX, GAP, TOP = 920, 270, 25, 126
PATIENCE_S = 5

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1b1f27; }
.title { font-weight: 600; font-size: 15px; }
.faint { fill: #5c6573; font-size: 12px; }
.node { fill: #ffffff; stroke: #9aa4b4; }
.part { fill: #eef2fb; stroke: #1f5fd6; }
.held { fill: #fdf3ea; stroke: #b4480a; }
.link { stroke: #5c6573; fill: none; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e7eaf0; }
  .faint { fill: #9aa4b4; }
  .node { fill: #1b2029; stroke: #5c6573; }
  .part { fill: #22304d; stroke: #7fabff; }
  .held { fill: #3b2b1f; stroke: #f0a266; }
  .link { stroke: #9aa4b4; }
}
"""


def ask(admin, path, node=None):
    """JSON of a path, None where the node has no such thing."""
    query = f"?node={node}" if node else ""
    try:
        with urllib.request.urlopen(f"{admin}/v1/{path}{query}", timeout=PATIENCE_S) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as refused:
        if refused.code == 404:
            return None
        raise


def collect(admin):
    """The cluster as a list of nodes, instances at their node."""
    members = [each for each in ask(admin, "nodes") if each["state"] == "up"]
    everyone = {each["node"] for each in members}
    nodes = []
    names = [each for each in ask(admin, "names") if "." not in each["name"]]
    for member in sorted(members, key=lambda each: each["order"]):
        name = member["node"]
        if name.rpartition(".")[0] in everyone:
            continue  # an instance: its node tells of it
        scaler = ask(admin, "scaler", name) or {}
        evaluator = ask(admin, "eval", name) if "eval" in member["roles"] else None
        nodes.append({
            "name": name, "roles": member["roles"], "coordinator": member["coordinator"], "link": member["address"],
            "serves": [each for each in ask(admin, "status", name)["addresses"] if not each.startswith("unix:")],
            "instances": [each["name"] for each in scaler.get("instances", []) if each["state"] == "ready"],
            "verdict": scaler.get("verdict"),
            "workers": evaluator.get("workers") if evaluator else None,
            "holds": [each["name"] for each in names if each.get("node") == name],
        })
    return nodes


class Drawing:
    def __init__(self):
        self.parts = []

    def add(self, text):
        self.parts.append(text)

    def box(self, kind, x, y, width, height):
        self.add(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')

    def text(self, x, y, words, kind=""):
        attribute = f' class="{kind}"' if kind else ""
        self.add(f'<text x="{x}" y="{y}"{attribute}>{html.escape(words)}</text>')

    def line(self, points):
        self.add(f'<path class="link" d="M{points}"/>')


def parts_of(node):
    """Kind and text of what is inside of a node."""
    result = []
    if "http" in node["roles"]:
        result.append(("part", "http: " + (", ".join(node["instances"]) or node["name"])))
    if node["workers"] is not None:
        result.append(("part", f"eval: confined workers, {node['workers']} now"))
    if "scaler" in node["roles"]:
        result.append(("part", f"scaler: {node['verdict'] or 'watching'}"))
    if "demo" in node["roles"] and not node["holds"]:
        result.append(("part", "demo: stands by for its names"))
    return result + [("held", name) for name in node["holds"]]


def draw(nodes):
    columns = max(1, min(3, len(nodes)))
    left = (WIDTH - columns * BOX - (columns - 1) * GAP) // 2
    rows = [nodes[i:i + columns] for i in range(0, len(nodes), columns)]
    picture, bottom = Drawing(), TOP
    for row in rows:
        height = 96 + 32 * max(len(parts_of(node)) for node in row)
        for i, node in enumerate(row):
            x = left + i * (BOX + GAP)
            if i > 0:
                picture.line(f"{x - GAP} {bottom + 30} h{GAP}")
            if "http" in node["roles"]:
                picture.text(x + 12, bottom - 48, "HTTP/1.1, HTTP/2, TLS", "faint")
                picture.line(f"{x + 60} {bottom - 40} V{bottom} m-5 -8 l5 8 l5 -8")
            picture.box("node", x, bottom, BOX, height)
            picture.text(x + 14, bottom + 26, node["name"], "title")
            picture.text(x + 14, bottom + 46, "link " + node["link"] + (", coordinator" if node["coordinator"] else ""), "faint")
            picture.text(x + 14, bottom + 64, ", ".join(node["serves"]), "faint")
            for k, (kind, words) in enumerate(parts_of(node)):
                picture.box(kind, x + 14, bottom + 78 + 32 * k, BOX - 28, 26)
                picture.text(x + 24, bottom + 96 + 32 * k, words)
        bottom += height + 60
    picture.text(left, 28, "One cluster, as its nodes tell it", "title")
    picture.text(left, 48, "Blue: what the roles of a node run. Orange: actors with a name, reached from every node; links join all.", "faint")
    height = bottom - 40
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="Nodes of the cluster, their roles and named actors">\n<style>{STYLE}</style>\n'
            + "\n".join(picture.parts) + "\n</svg>\n")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    try:
        sys.stdout.write(draw(collect(sys.argv[1].rstrip("/"))))
    except OSError as failed:
        print(f"nodes/picture.py: {sys.argv[1]}: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
