// The dashboard of a node: follows /v1/events and shows what they say. Data becomes text nodes only, never markup:
// names come from whoever registers them. What is kept is bounded: the charts' rings and the last event of each kind.
"use strict";

const RING = 300; // samples of a chart: five minutes
const ROWS = 500; // of a table
const SIBLINGS = 20; // of a parent in the tree, as caf-ctl shows them
const RETRY_MS = 1000;
const SILENCE_MS = 5000; // events come every second
const LINE_MAX = 4 * 1024 * 1024;

const byId = (id) => document.getElementById(id);
const state = { node: "", own: "", token: "", seen: {}, last: null, rate: ring(), p50: ring(), p99: ring() };

function ring() {
  return { values: new Array(RING).fill(null), next: 0 };
}

function push(into, value) {
  into.values[into.next] = value;
  into.next = (into.next + 1) % RING;
}

function inOrder(from) {
  return from.values.slice(from.next).concat(from.values.slice(0, from.next));
}

// -- words for people ---------------------------------------------------------------

function age(ms) {
  if (!Number.isFinite(ms)) return "";
  const s = Math.floor(ms / 1000);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min";
  if (s < 48 * 3600) return Math.floor(s / 3600) + " h";
  return Math.floor(s / 86400) + " d";
}

function count(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1e6) return (value / 1e6).toFixed(1) + " M";
  if (value >= 1e4) return (value / 1e3).toFixed(1) + " k";
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

function milliseconds(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) return "–";
  const ms = seconds * 1000;
  return (ms >= 100 ? Math.round(ms) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)) + " ms";
}

function bytes(value) {
  return Number.isFinite(value) && value > 0 ? (value / 1048576).toFixed(1) + " MiB" : "";
}

// -- changing the page as little as possible: focus, scrolling and selection stay -----

function setText(element, text) {
  const value = text === null || text === undefined ? "" : String(text);
  if (element.textContent !== value) element.textContent = value;
}

function setClass(element, name) {
  if (element.className !== name) element.className = name;
}

/// Makes the children of `parent` those of `keys`, in order; those that stay keep their element.
function keep(parent, keys, make) {
  const old = new Map();
  for (const child of parent.children) old.set(child.dataset.key, child);
  let at = parent.firstElementChild;
  for (const key of keys) {
    let child = old.get(key);
    if (child) old.delete(key);
    else {
      child = make();
      child.dataset.key = key;
    }
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  for (const child of old.values()) child.remove();
  return parent.children;
}

function makeCells(tag, number) {
  const row = document.createElement("tr");
  for (let i = 0; i < number; ++i) row.append(document.createElement(tag));
  return row;
}

/// @param columns [heading, row -> text, class or (row -> class)] each; @param keyOf what names a row
function table(id, columns, rows, keyOf, empty) {
  const element = byId(id);
  if (!element.tHead) {
    const head = element.createTHead();
    head.append(makeCells("th", columns.length));
    columns.forEach(([heading], i) => {
      head.rows[0].cells[i].scope = "col";
      setText(head.rows[0].cells[i], heading);
    });
    element.createCaption();
    element.append(document.createElement("tbody"));
  }
  const shown = rows.slice(0, ROWS);
  const used = new Map();
  const keys = shown.map((row) => {
    const key = keyOf(row);
    const again = (used.get(key) || 0) + 1;
    used.set(key, again);
    return key + "#" + again;
  });
  const lines = keep(element.tBodies[0], keys, () => makeCells("td", columns.length));
  shown.forEach((row, i) => {
    columns.forEach(([, text, style], k) => {
      const cell = lines[i].cells[k];
      setText(cell, text(row));
      setClass(cell, typeof style === "function" ? style(row) : style || "");
    });
  });
  const more = rows.length - shown.length;
  const caption = element.caption;
  setText(caption, rows.length === 0 ? empty : more > 0 ? "and " + more + " more" : "");
  element.tHead.hidden = rows.length === 0;
}

function facts(pairs) {
  const list = byId("facts");
  const entries = keep(list, pairs.map(([name]) => name), () => {
    const box = document.createElement("div");
    box.append(document.createElement("dt"), document.createElement("dd"));
    return box;
  });
  pairs.forEach(([name, value, style], i) => {
    setText(entries[i].children[0], name);
    setText(entries[i].children[1], value);
    setClass(entries[i].children[1], style || "");
  });
}

// -- charts -------------------------------------------------------------------------

function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5, 10]) if (value <= step * power) return step * power;
  return value;
}

function drawLine(svg, name, values, top) {
  let line = svg.querySelector("polyline." + name);
  if (!line) {
    line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("class", name);
    svg.append(line);
  }
  const points = [];
  values.forEach((value, i) => {
    if (value !== null) points.push((i * 600 / (RING - 1)).toFixed(1) + "," + (118 - 114 * Math.min(value / top, 1)).toFixed(1));
  });
  line.setAttribute("points", points.join(" "));
}

function chart(id, lines, format) {
  const all = lines.flatMap(([, from]) => from.values).filter((value) => value !== null);
  const top = niceTop(Math.max(0, ...all));
  for (const [name, from] of lines) drawLine(byId(id), name, inOrder(from), top);
  setText(byId(id + "-top"), "top: " + format(top));
}

/// As nodes/web_digest.cpp does it.
function quantile(before, after, share) {
  const then = new Map(before.faster.map(([bound, n]) => [bound, n]));
  const gained = after.faster.map(([bound, n]) => [bound, Math.max(0, n - (then.get(bound) || 0))]);
  const total = gained.length ? gained[gained.length - 1][1] : 0;
  if (total === 0) return null;
  const wanted = share * total;
  let lower = 0, below = 0;
  for (const [bound, n] of gained) {
    if (bound === null) return lower;
    if (n >= wanted && n > below) return lower + (bound - lower) * (wanted - below) / (n - below);
    lower = bound;
    below = n;
  }
  return lower;
}

// -- what events mean ---------------------------------------------------------------

const isList = (value) => Array.isArray(value);

const show = {
  status(value) {
    if (!state.own && !state.node) state.own = value.node;
    summary();
  },

  web(value) {
    if (value.error) return;
    const before = state.last;
    state.last = value;
    if (before && value.at_ms > before.at_ms && value.requests >= before.requests) {
      push(state.rate, (value.requests - before.requests) * 1000 / (value.at_ms - before.at_ms));
      push(state.p50, quantile(before, value, 0.5));
      push(state.p99, quantile(before, value, 0.99));
      chart("rate", [["rate", state.rate]], count);
      chart("latency", [["p50", state.p50], ["p99", state.p99]], milliseconds);
    }
    summary();
  },

  nodes(value) {
    const rows = isList(value) ? value : [];
    const looks = { up: "good", down: "bad", suspect: "warn", leaving: "warn", joining: "warn" };
    table("nodes", [
      ["node", (x) => x.node],
      ["state", (x) => x.state, (x) => looks[x.state] || ""],
      ["health", (x) => x.health || "", (x) => ["self", "reachable", undefined].includes(x.health) ? "good" : x.health === "suspect" ? "warn" : "bad"],
      ["linked", (x) => x.health === "self" ? "–" : x.linked === undefined ? "" : x.linked ? "yes" : "no",
        (x) => x.linked || x.health === "self" ? "good" : "bad"],
      ["roles", (x) => (x.roles || []).join(", ")],
      ["address", (x) => x.address || ""],
      ["queued", (x) => x.queued_bytes === undefined ? "" : count(x.queued_bytes) + " B"],
      ["", (x) => x.coordinator ? "coordinator" : ""],
    ], rows, (x) => x.node + " " + (x.incarnation || ""), "none");
    choices(rows);
  },

  names(value) {
    table("names", [
      ["name", (x) => x.name, "wide"],
      ["node", (x) => x.node || "here"],
      ["actor", (x) => "#" + x.actor],
      ["held for", (x) => age(x.held_ms)],
    ], isList(value) ? value : [], (x) => x.name, failure(value) || "none");
  },

  groups(value) {
    table("groups", [
      ["group", (x) => x.group, "wide"],
      ["members here", (x) => (x.members || []).length],
      ["elsewhere", (x) => Object.entries(x.remote || {}).map(([node, all]) => node + ": " + all.length).join(", "), "wide"],
    ], isList(value) ? value : [], (x) => x.group, failure(value) || "none");
  },

  tree(value) {
    const rows = [];
    const seen = new Map();
    for (const x of isList(value) ? value : []) {
      const parent = x.path.slice(0, Math.max(0, x.path.lastIndexOf("/")));
      const number = (seen.get(parent) || 0) + 1;
      seen.set(parent, number);
      if (number <= SIBLINGS && rows.length < ROWS) rows.push(x);
    }
    const lines = keep(byId("tree"), rows.map((x) => x.path), () => {
      const line = document.createElement("li");
      for (let i = 0; i < 3; ++i) line.append(document.createElement("span"));
      return line;
    });
    const looks = { running: "good", stopped: "faint" };
    rows.forEach((x, i) => {
      const [what, how, more] = lines[i].children;
      const depth = x.path.split("/").length - 1;
      what.style.paddingLeft = depth + "rem";
      setClass(what, "what");
      const number = seen.get(x.path) || 0;
      setText(what, x.path.slice(x.path.lastIndexOf("/") + 1) + (number > SIBLINGS ? " (" + number + " children)" : ""));
      setText(how, x.state);
      setClass(how, looks[x.state] || "warn");
      setText(more, "up " + age(x.uptime_ms) + (x.restarts > 0 ? ", restarts " + x.restarts : "") +
        (x.last_end ? ", last end: " + x.last_end : ""));
      setClass(more, "faint");
    });
  },

  scaler(value) {
    const there = value && !value.error && value.instances;
    const crew = value && value.eval && value.eval.enabled
      ? "workers: verdict " + value.eval.verdict + " (" + value.eval.reason + "), wanted " + value.eval.wanted + " of at most " + value.eval.max
      : "";
    setText(byId("scaler-now"), there
      ? "verdict " + value.verdict + " (" + value.reason + (value.held_by ? ", held by " + value.held_by : "") + "), wanted " +
        value.wanted + " of at most " + value.max + (value.pinned === null ? "" : ", pinned") + (value.dry_run ? ", dry run" : "") + (crew ? "; " + crew : "")
      : crew || failure(value) || "this node scales nothing");
    table("instances", [
      ["instance", (x) => x.name],
      ["state", (x) => x.state, (x) => x.state === "ready" ? "good" : "warn"],
      ["connections", (x) => x.connections],
      ["memory", (x) => bytes(x.rss_bytes)],
    ], there ? value.instances : [], (x) => x.name, "");
    summary();
  },

  decisions(value) {
    table("decisions", [
      ["at", (x) => (x.at || "").slice(11, 19)],
      ["target", (x) => x.target || ""],
      ["action", (x) => x.action, (x) => x.action === "grow" ? "good" : x.action === "shrink" ? "warn" : ""],
      ["from → to", (x) => x.from + " → " + x.to],
      ["verdict", (x) => x.verdict],
      ["reason", (x) => x.reason + (x.held_by ? ", held by " + x.held_by : "") + (x.applied === false && x.action !== "hold" ? ", not applied" : "")],
    ], isList(value) ? value.slice().reverse() : [], (x) => (x.target || "") + x.seq, "no decisions");
  },

  "eval": (value) => {
    setText(byId("eval-now"), value && !value.error
      ? "workers " + value.workers + ", busy " + value.busy + ", waiting calls " + value.waiting + ", evaluators: " +
        ((value.evaluators || []).join(", ") || "none")
      : failure(value) || "no evaluator is known to this node");
    summary();
  },

  builds(value) {
    const list = value && value.body && isList(value.body.builds) ? value.body.builds : [];
    const refused = value && value.status >= 400 ? "the evaluator wants a token: builds are not shown" : "no builds";
    table("builds", [
      ["build", (x) => x.id],
      ["state", (x) => x.state, (x) => x.state === "ready" ? "good" : x.state === "failed" ? "bad" : "warn"],
      ["made", (x) => x.createdAt ? new Date(x.createdAt).toLocaleTimeString() : ""],
    ], list, (x) => String(x.id), refused);
  },
};

function failure(value) {
  return value && value.error ? String(value.error) : "";
}

function summary() {
  const { status, scaler, eval: evaluator } = state.seen;
  if (!status || status.error) return;
  const latest = (from) => from.values[(from.next + RING - 1) % RING];
  const rate = latest(state.rate);
  setText(byId("rate-now"), rate === null ? "" : count(rate));
  setText(byId("latency-now"), milliseconds(latest(state.p50)) + ", " + milliseconds(latest(state.p99)));
  const ready = scaler && scaler.instances ? scaler.instances.filter((x) => x.state === "ready").length : null;
  facts([
    ["node", status.node],
    ["state", status.state, status.state === "serving" ? "good" : "warn"],
    ["up", age(status.uptime_ms)],
    ["roles", (status.roles || []).join(", ")],
    ["requests/s", rate === null ? "–" : count(rate)],
    ["p99", milliseconds(latest(state.p99))],
    ["in flight", state.last ? count(state.last.in_flight) : "–"],
    ["connections", count(status.connections)],
    ["actors", count(status.actors)],
    ["loops busy", (status.loops || []).map((x) => Math.round(100 * x.busy) + " %").join(", ")],
    ["instances", ready === null ? "–" : String(ready)],
    ["verdict", scaler && scaler.verdict ? scaler.verdict : "–"],
    ["eval queue", evaluator && Number.isFinite(evaluator.waiting) ? String(evaluator.waiting) : "–"],
  ]);
}

/// The nodes to choose from; the chosen one stays, also when it is gone.
function choices(rows) {
  const select = byId("node");
  const names = [...new Set(rows.filter((x) => x.state !== "left" && x.state !== "down").map((x) => x.node))].sort();
  const chosen = state.node || state.own;
  if (chosen && !names.includes(chosen)) names.push(chosen);
  const options = keep(select, names, () => document.createElement("option"));
  names.forEach((name, i) => {
    options[i].value = name;
    setText(options[i], name);
  });
  if (chosen) select.value = chosen;
}

// -- the stream ----------------------------------------------------------------------

function link(kind, text) {
  const element = byId("link");
  element.dataset.state = kind;
  setText(element, text);
}

function onEvent(name, text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  state.seen[name] = value;
  if (Object.hasOwn(show, name)) show[name](value);
}

/// Reads events until the stream ends. fetch rather than EventSource, which cannot carry a token.
async function follow(stop) {
  const headers = state.token ? { Authorization: "Bearer " + state.token } : {};
  const query = state.node ? "?node=" + encodeURIComponent(state.node) : "";
  const reply = await fetch("v1/events" + query, { headers, signal: stop.signal, cache: "no-store" });
  if (reply.status === 401) return "denied";
  if (!reply.ok) throw new Error(state.node ? state.node + " is out of reach" : "status " + reply.status);
  byId("login").hidden = true;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", name = "", data = [];
  for (;;) {
    const watch = setTimeout(() => stop.abort(), SILENCE_MS);
    const { value, done } = await reader.read().finally(() => clearTimeout(watch));
    if (done) throw new Error("the node ended the connection");
    link("live", "live");
    rest += value;
    if (rest.length > LINE_MAX) throw new Error("an event is too large");
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data.push(line.slice(6));
      else if (line === "") {
        onEvent(name, data.join("\n"));
        name = "";
        data = [];
      }
    }
  }
}

let current = null; // the stream that is followed

async function run() {
  for (;;) {
    const stop = new AbortController();
    current = stop;
    try {
      if (await follow(stop) === "denied") {
        link("lost", "a token is needed");
        byId("login").hidden = false;
        setText(byId("denied"), state.token ? "this token is refused" : "");
        byId("token").focus();
        return;
      }
    } catch (why) {
      if (!stop.replaced) link("lost", "lost: " + (why.name === "AbortError" ? "nothing was heard" : why.message));
    }
    if (!stop.replaced) await new Promise((resume) => setTimeout(resume, RETRY_MS));
  }
}

function forget() {
  state.last = null;
  state.seen = {};
  for (const which of ["rate", "p50", "p99"]) state[which] = ring();
}

byId("node").addEventListener("change", (event) => {
  state.node = event.target.value === state.own ? "" : event.target.value;
  forget();
  link("waiting", "connecting");
  if (current) {
    current.replaced = true;
    current.abort();
  }
});

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = byId("token").value;
  run();
});

run();
