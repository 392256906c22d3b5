#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks the OpenAPI document of a server: serve-walk.py SOCKET URL COMMANDS STATE-COMMAND, with $REQUESTS, $SEED and $THREADS. Standard
input has a line of JSON for each who asks: {"name", "role", "tenant" (null: all), "by": "socket", "token", "session" or "nobody", and
"uid", "token", or "user" with "password"}. What is of the tenant known-tenant has a name with "known", by which it is asked for, or "canary" in
it, and its secrets "canary-hidden". Who is limited to another tenant sees no canary, and changes nothing there; who only reads, or is
nobody, changes nothing at all; a secret is seen by nobody; no answer is an error of the server, and each is as the document says. Prints
what was wrong; else nothing."""
import collections
import concurrent.futures
import http.client
import json
import os
import queue
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import urllib.parse

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOCKET, URL, COMMANDS, STATE = sys.argv[1:5]
COMMANDS = COMMANDS.split()
REQUESTS = int(os.environ.get("REQUESTS", "400"))
SEED = int(os.environ.get("SEED", "1"))
THREADS = int(os.environ.get("THREADS", "4"))
HOST = urllib.parse.urlsplit(URL).netloc

# What each role may never be answered with success to, whatever is asked: independent of the commands' own tables.
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
READS_BY_POST = {"/v1/solve", "/v1/plan", "/v1/validate", "/v1/run", "/v1/run/{run}"}
OF_ADMINS = ("/v1/members", "/v1/users", "/v1/import", "/v1/entities", "/v1/resources", "/v1/sync", "/v1/secrets", "/v1/audit")
OF_SUPERADMINS = {("POST", "/v1/tenants"), ("DELETE", "/v1/tenants/{tenant}"), ("PATCH", "/v1/tenants/{tenant}"), ("GET", "/v1/queue"),
                  ("GET", "/v1/jobs")}
NEVER_BY_TOKEN = {("POST", "/v1/users"), ("POST", "/v1/users/{user}/code"), ("POST", "/v1/tokens")}
OF_ALL = {"/", "/ui/{release}/{file}", "/terminal", "/terminal/{file}", "/v1/schemas/{kind}", "/v1/openapi.json", "/v1/version", "/healthz", "/readyz",
          "/v1/session"}

WILD = ["zz", "-", "..", "--help", "../../etc/passwd", "a/b", "*", "%", "ä", "x" * 300, "'; DROP TABLE cluster", "$(id)", "0", "-1", "",
        "known", "null", "a b", "@"]
NAMES = {
    "cluster": ["shop", "shop", "00000001", "known-cluster", "00000002", "made1", "made2"],
    "kind": ["service", "provider", "hardwaretype", "imagetype", "clustertemplate", "automator", "provider", "tenant"],
    "user": ["ann", "known", "root", "new1", "new2", "nobody"],
    "tenant": ["qa", "known-tenant", "default", "superadmin", "new1"],
    "token": ["900001", "0", "x"], "job": ["00000001-001", "00000002-001"], "plugin": ["shell", "dummy"], "type": ["files", "scripts"],
    "file": ["page.css", "page.js", "nothing"], "run": ["0123456789abcdef0123456789abcdef"],
    "name": ["php", "mysql", "lamp", "word", "known-word", "known-file", "noise", "dummy", "large", "known-type"],
}
MEMBERS = {
    "name": ["made1", "made2", "new1", "new2", "known-cluster", "known-tenant"], "template": ["lamp", "lamp", "known-template"],
    "provider": ["dummy"], "machines": [1, 3, 4, 5], "role": ["user", "admin", "read-only", "superadmin"], "tenant": NAMES["tenant"],
    "as": ["root", "ann", "known"], "services": ["apache", ["mysql"], ["apache=2"]], "nodes": ["1000", ["1001"]], "node": ["1000"],
    "service": ["mysql"], "time": ["2d", "never"], "to": [1], "config": [{"a": 1}], "set": ["php.x=1", 'php.x={"secret":"known-word"}'],
    "user": NAMES["user"], "group": ["qa"], "clusters": [3], "operation": [1], "limit": [1, 5], "search": ["s", "known"],
    "old": [1], "new": [2], "lifetime": ["1d"], "cluster": NAMES["cluster"], "status": ["active"], "kind": NAMES["kind"], "lease": ["1d"],
}
# Half of the requests are as somebody would send them who wants them to be done.
SOUND = {
    "cluster": ["shop", "made1", "made2"], "user": ["new1", "new2"], "tenant": ["new1"], "job": NAMES["job"], "token": ["900001"],
    "run": NAMES["run"], "type": ["files"], "file": ["page.css", "xterm.js", "app.js"], "release": ["x"], "plugin": ["shell"], "node": ["1000", "1001"],
    "kind": ["hardwaretype"], "name": ["walked", "small"], "provider": ["dummy"], "volume": ["1"],
}
SOUND_MEMBERS = {name: MEMBERS[name] for name in ("template", "provider", "services", "nodes", "service", "time", "set", "to", "old", "new", "limit")}
SOUND_MEMBERS.update({"name": ["made1", "made2", "new1", "new2"], "role": ["user", "admin", "read-only"], "machines": [3, 4, 5], "total": [50]})
SOUND_DOCUMENTS = {
    "/v1/entities": [b'{"kind":"hardwaretype","name":"walked","providermap":{"dummy":{"flavor":"f"}}}'],
    "/v1/entities/{kind}/{name}": [b'{"providermap":{"dummy":{"flavor":"h"}}}'],
    "/v1/import": [b'{"kind":"hardwaretype","name":"walked","providermap":{"dummy":{"flavor":"g"}}}'],
    "/v1/resources/{kind}/{plugin}/{type}/{name}": [b"bytes", b"other bytes"], "/v1/secrets/{name}": [b"word"],
}
# Done again, or a secret that is shown once, or, of an upload of what is there already, shown as others have left it.
NOT_KEPT = READS_BY_POST | {"/v1/resources/{kind}/{plugin}/{type}/{name}", "/v1/session", "/v1/session/provider", "/v1/users", "/v1/tokens", "/v1/users/{user}/code"}
NOT_ASKED = {"wait", "timeout", "jobs", "fields"}  # a command that waits is not what is looked at, nor a part of a record
DOCUMENTS = [
    b'{"kind":"hardwaretype","name":"walked","providermap":{"dummy":{"flavor":"f"}}}', b'{"kind":"service","name":"php"}', b"bytes",
    b'{"kind":"provider","name":"walked","providertype":"dummy"}', b'[1,2', b"\xff\xfe", b"", b"[" * 1000, b'{"kind":"request"}',
    b'{"kind":"hardwaretype","name":"walked","tenant":"known-tenant","providermap":{"known":{"flavor":"f"}}}', b"kind: service\nname: y\n",
]
local = threading.local()
ids = threading.Lock()  # the kernel says who connects as it is then


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, uid):
        super().__init__("coopr", timeout=150)
        self.uid = uid

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        with ids:
            os.seteuid(self.uid)
            try:
                self.sock.connect(SOCKET)
            finally:
                os.seteuid(os.getuid())


def connection(who):
    kept = local.__dict__.setdefault("kept", {})
    if who["name"] not in kept:
        kept[who["name"]] = UnixConnection(who["uid"]) if who["by"] == "socket" else http.client.HTTPConnection(HOST, timeout=150)
    return kept[who["name"]]


def ask(who, method, path, headers=None, body=None):
    """Returns the status, the headers and the body of the answer, of one that streams as much as has come."""
    headers = dict(who.get("headers", {}), **(headers or {}))
    if who["by"] == "session" and method in WRITES and not who.get("forgets"):
        headers["X-CSRF-Token"] = who["csrf"]
    for attempt in range(2):
        one = connection(who)
        try:
            one.request(method, path, body=body, headers=headers)
            answer = one.getresponse()
            break
        except (http.client.HTTPException, OSError):
            one.close()  # it was kept for too long, or the body was refused at its head
            if attempt:
                return 0, {}, b""
    text = b""
    if answer.headers.get("Content-Type", "") in ("text/event-stream", "application/x-coopr-frames"):
        one.sock.settimeout(5)
    try:
        if answer.headers.get("Content-Type") == "text/event-stream":
            text = answer.read1(4096)
            one.close()
        else:
            text = answer.read()
    except (http.client.HTTPException, OSError):
        one.close()
    return answer.status, answer.headers, text


def log_in(who):
    status, headers, text = ask({"name": "nobody-yet", "by": "nobody"}, "POST", "/v1/session", {"Content-Type": "application/json"},
                                json.dumps({"user": who["user"], "password": who["password"]}))
    if status != 200:
        sys.exit("%s cannot log in: %d %s" % (who["user"], status, text))
    who["csrf"] = json.loads(text)["csrf"]
    who["headers"] = {"Cookie": headers["Set-Cookie"].split(";")[0]}


def value(choice, name, schema):
    if choice.random() < 0.75 and name in MEMBERS:
        return choice.choice(MEMBERS[name])
    types = schema.get("type", "string")
    if types == "boolean":
        return choice.random() < 0.9
    return choice.choice([choice.choice(WILD), 1, 2, "1", {}, [], None, 10 ** 20, "known-cluster"])


def frames(choice, who):
    word = choice.choice(COMMANDS).split()
    others = ["-o", "json", "--tenant=known-tenant", "-Tknown-tenant", "--as=root", "--as=known", "--help", "known-cluster", "shop", "-y",
              "--dry-run", "known-word", "-A", "--all-tenants", "service", "php", "list", "show", "-", "zz", "--store=/tmp/x", "known-tenant",
              "/etc/shadow", "../x", "-q", "user", "-n1"]
    call = json.dumps({"argv": word + choice.choices(others, k=choice.randrange(5)), "version": VERSION,
                       "environment": choice.choice([{}, {"COOPR_TENANT": "known-tenant"}, {"COOPR_USER": "known"}])}).encode()
    return struct.pack(">BI", 7, len(call)) + call


class Request:
    def __init__(self, number, who):
        choice = random.Random("%d %d" % (SEED, number))
        self.who, self.is_sound = who, choice.random() < 0.5
        self.template, self.method, self.operation = OPERATIONS[number % len(OPERATIONS)] if number < 2 * len(OPERATIONS) \
            else choice.choice(OPERATIONS)
        self.sent_method, self.headers, self.body = self.method, {}, None
        if choice.random() < 0.02:
            self.sent_method = choice.choice(["GET", "PUT", "OPTIONS", "HEAD", "TRACE", "BREW"])
        self.path = re.sub(r"\{(\w+)\}", lambda m: urllib.parse.quote(self.variable(choice, m[1]), safe=""), self.template)
        self.add_query(choice)
        if "requestBody" in self.operation:
            self.add_body(choice)
        if choice.random() < 0.1:
            self.headers["Accept"] = choice.choice(["text/plain", "text/event-stream", "*/*", "text/html", "x" * 500])
        if choice.random() < (0.9 if self.is_shown() else 0.02) and self.method in WRITES:
            self.headers["If-None-Match" if self.method == "PUT" and choice.random() < 0.5 else "If-Match"] = "*"
        if choice.random() < (0.02 if self.method in WRITES else 0.1):
            self.headers["If-None-Match"] = choice.choice(['*', '"x"'])
        self.repeats = self.method in WRITES and choice.random() < 0.3
        if self.repeats:
            self.headers["Idempotency-Key"] = "walk-%d-%d" % (SEED, number)
        elif choice.random() < 0.05:
            self.headers["Idempotency-Key"] = choice.choice(["k1", "k2", "k" * 300, "a b"])

    def variable(self, choice, name):
        if self.is_sound and "{plugin}" in self.template and name in ("kind", "name"):
            return {"kind": "automator", "name": choice.choice(["walked", "noise"])}[name]
        if self.is_sound:
            return choice.choice(SOUND[name])
        return choice.choice(NAMES.get(name, ["x"]) if choice.random() < 0.8 else WILD)

    def is_kept(self):
        """Returns whether the request, sent again, has the same answer."""
        return self.repeats and self.sent_method == self.method and self.template not in NOT_KEPT and \
            not re.search(b'dry-run|"save"|[?&]save', self.path.encode() + (self.body or b""))  # that changes nothing, and is done again

    def is_shown(self):
        """Returns whether GET shows one record at the path of a change, or at the one above: it may have a condition."""
        shown = [DOCUMENT["paths"].get(path, {}).get("get", {}).get("responses", {}).get("200", {}).get("content", {}).get("application/json")
                 for path in (self.template, self.template.rpartition("/")[0])]
        return any(one and "items" not in one["schema"].get("properties", {}) for one in shown)

    def add_query(self, choice):
        fields = [(one["name"], value(choice, one["name"], one["schema"])) for one in self.operation["parameters"]
                  if one["in"] == "query" and one["name"] not in NOT_ASKED and choice.random() < 0.25]
        if choice.random() < 0.1:
            fields.append((choice.choice(["tenant", "as", "all-tenants", "store", "spool", "output", "nothing", "yes"]),
                           choice.choice(["known-tenant", "root", "true", "%ff", "/tmp/x"])))
        if self.is_sound:
            fields = [one for one in self.sound_members(choice, {one["name"]: one["schema"] for one in self.operation["parameters"]
                                                                 if one["in"] == "query"}, 0.2).items()]
        if fields:
            self.path += "?" + urllib.parse.urlencode([(name, json.dumps(one) if isinstance(one, (dict, list, bool)) or one is None else one)
                                                       for name, one in fields])

    def sound_members(self, choice, described, part):
        members = {}
        for name, schema in described.items():
            if name in ("name", "total", "machines", "template", "provider", "services", "nodes", "to", "time", "old", "new"):
                members[name] = choice.choice(SOUND_MEMBERS[name])
            elif choice.random() < part and name not in NOT_ASKED:
                if schema.get("type") == "boolean" and name not in ("dead", "all-tenants", "provisioner", "verify"):
                    members[name] = True
                elif name in SOUND_MEMBERS and name != "set":
                    members[name] = choice.choice(SOUND_MEMBERS[name])
        if "discard-data" in described:
            members["discard-data"] = True
        if "set" in described and "name" not in described:
            members["set"] = "php.x=%d" % choice.randrange(10)
        return members

    def add_body(self, choice):
        schema = self.operation["requestBody"]["content"].get("application/json", {}).get("schema")
        if self.template == "/v1/run":
            self.body = frames(choice, self.who)
        elif self.template == "/v1/session":
            self.body = json.dumps({"user": "nobody-%d" % choice.randrange(10 ** 6), "password": "x"}).encode()
        elif self.is_sound and schema is None:
            self.body = choice.choice(SOUND_DOCUMENTS.get(self.template, DOCUMENTS))
        elif self.is_sound:
            self.body = json.dumps(self.sound_members(choice, schema["properties"], 0.1)).encode()
        elif schema is None or choice.random() < 0.05:
            self.body = choice.choice(DOCUMENTS)
        else:
            members = {name: value(choice, name, one) for name, one in schema["properties"].items()
                       if name not in NOT_ASKED and choice.random() < (0.8 if name in ("name", "total", "machines", "template", "provider", "services")
                                                                       else 0.12)}
            if self.template == "/v1/clusters" and choice.random() < 0.5:
                members["dry-run"] = True
            self.body = json.dumps(members).encode()

    def may_succeed(self):
        role, where = self.who["role"], (self.method, self.template)
        if self.template in OF_ALL:
            return True
        if role is None or (self.who.get("forgets") and self.method in WRITES):
            return False
        if role != "superadmin" and (where in OF_SUPERADMINS or (self.who["by"] == "token" and where in NEVER_BY_TOKEN)):
            return False
        if self.method in WRITES and self.template not in READS_BY_POST:
            of_cluster = self.template.startswith("/v1/secrets") and b"cluster" in self.path.encode() + (self.body or b"")  # its owner may
            return role in ("admin", "superadmin") or (role == "user" and (of_cluster or not self.template.startswith(OF_ADMINS)))
        return True

    def judge_schema(self, status, headers, text):
        responses = self.operation["responses"]
        kind = headers.get("Content-Type", "").split(";")[0]
        if status in (204, 304):
            return "" if not text else "has a body"
        content = responses.get(str(status), responses["default"])["content"]
        if status >= 400 and kind != "application/problem+json":
            return "" if not text else "%s is no problem" % kind
        if kind not in content and "*/*" not in content:
            return "" if status == 200 and kind in ("text/plain", "text/event-stream", "application/json") else "%s is not described" % kind
        if not kind.endswith("json") or kind not in content:
            return ""
        try:
            document = json.loads(text)
        except ValueError:
            return "is no JSON"
        if status >= 400 and document.get("status") != status:
            return "says another status"
        if jsonschema:
            for error in VALIDATORS[json.dumps(content[kind]["schema"])].iter_errors(document):
                return "at %s: %s" % (list(error.path), error.message)
        return ""

    def judge(self, status, headers, text):
        """Returns what is wrong with the answer; "" where nothing is."""
        if status == 0:
            return "no answer"
        if status >= 500 and not (status == 503 and b"exit_code" not in text) and not (status == 501 and self.sent_method != self.method):
            return "fails"
        if b"canary-hidden" in text:
            return "a secret"
        if self.who["tenant"] and b"canary" in text + "".join(headers.values()).encode():
            return "another tenant's"
        if headers.get("X-Content-Type-Options") != "nosniff" or headers.get("Cross-Origin-Resource-Policy") != "same-origin" or \
                "frame-ancestors 'none'" not in headers.get("Content-Security-Policy", "") or \
                (self.template not in OF_ALL and "private" not in headers.get("Cache-Control", "") and headers.get("Cache-Control") != "no-store"):
            return "a browser may take it for something else, or others may keep it"
        if self.sent_method != self.method:
            return "" if status in (200, 204, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 422, 426, 428, 429, 501) else "odd"
        if status < 300 and not self.may_succeed():
            return "permitted"
        if self.who["role"] is None and status not in (200, 304, 400, 401, 403, 404, 406, 422, 428, 429) and self.template not in OF_ALL:
            return "not checked"
        return self.judge_schema(status, headers, text)

    def run(self):
        status, headers, text = ask(self.who, self.sent_method, self.path, self.headers, self.body)
        counts[self.who["name"], status] += 1
        if status < 300:
            done[self.method, self.template] += 1
        wrong = self.judge(status, headers, text)
        if not wrong and status < 300 and self.is_kept() and text != b'{"items":[]}\n':  # that has changed nothing, and is done anew
            again, _, same = ask(self.who, self.sent_method, self.path, self.headers, self.body)
            if (again, same) != (status, text):
                wrong = "again %d %s" % (again, same[:200])
        if wrong:
            print("%s: %s: %s %s %s %s: %d %s" % (wrong, self.who["name"], self.sent_method, self.path[:300], self.headers, (self.body or b"")[:300],
                                                  status, text[:600]), flush=True)


def state(which):
    return subprocess.run([STATE, which], check=True, capture_output=True).stdout


def walk(askers, first, count):
    """Has so many requests asked by each of the askers in turn, of whom each has as many."""
    def run(number):
        Request(number, askers[(number + number // len(askers)) % len(askers)]).run()
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(run, range(first, first + count)):
            pass


counts, done = collections.Counter(), collections.Counter()
everybody = [json.loads(line) for line in sys.stdin]
for one in everybody:
    if one["by"] == "session":
        log_in(one)
    elif one["by"] == "token":
        one["headers"] = {"Authorization": "Bearer " + one["token"]}
nobody = {"name": "nobody-yet", "by": "nobody"}
made = subprocess.run(["coopr-request", "-t", "lamp", "-n", "4", "-P", "dummy", "--name", "tried"], check=True, capture_output=True).stdout
SOUND_DOCUMENTS["/v1/solve"] = [made]
SOUND_DOCUMENTS["/v1/plan"] = SOUND_DOCUMENTS["/v1/validate"] = [subprocess.run(["coopr-solve"], input=made, check=True, capture_output=True).stdout]
VERSION = json.loads(ask(nobody, "GET", "/v1/version")[2])["version"]
DOCUMENT = json.loads(ask(nobody, "GET", "/v1/openapi.json")[2])
OPERATIONS = [(path, method.upper(), operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
              if not (method == "delete" and path == "/v1/session")]


def close(schema):
    """Has the records, to which releases may add members, those that are described and no others."""
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        close(one)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        schema.setdefault("additionalProperties", False)


close(DOCUMENT["components"]["schemas"]["records"]["$defs"])


class Validators(dict):
    def __missing__(self, text):
        self[text] = jsonschema.Draft202012Validator(dict(json.loads(text), components=DOCUMENT["components"]))
        return self[text]


VALIDATORS = Validators()
harmless = [one for one in everybody if one["role"] in (None, "read-only") or one.get("forgets")]
limited = [one for one in everybody if one["tenant"] and one not in harmless]
mighty = [one for one in everybody if one not in harmless and one not in limited]
of_all, of_canary = state("all"), state("canary")
walk(harmless, 0, REQUESTS * len(harmless) // len(everybody))
if state("all") != of_all:
    print("who may change nothing has changed:", set(of_all.splitlines()) ^ set(state("all").splitlines()))
walk(limited, 10 ** 7, REQUESTS * len(limited) // len(everybody))
if state("canary") != of_canary:
    print("another tenant's was changed:", set(of_canary.splitlines()) ^ set(state("canary").splitlines()))
if mighty:
    walk(mighty, 2 * 10 ** 7, REQUESTS * len(mighty) // len(everybody))
for one in everybody:  # who is not known at the end was not walked with
    if one["role"] and one["tenant"] and ask(one, "GET", "/v1/clusters")[0] != 200:
        print("is not known any more:", one["name"])
print("asked", sum(counts.values()), file=sys.stderr)
for (name, status), count in sorted(counts.items()):
    print("  %-24s %3d: %d" % (name, status, count), file=sys.stderr)
for where in OPERATIONS:
    print("  %-6s %-70s %d" % (where[1], where[0], done[where[1], where[0]]), file=sys.stderr)
