#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks every route of the API with every token: serve-intruder.py ADDRESS COMMAND-FOR-STATE, with $SEED and $SECONDS_MAX. Standard input
has a line for each token: its role and the token. All are for the tenant qa; what is of another tenant has "canary" in its name.
Who only reads must change nothing, and nobody may see a canary or make what lets somebody in. Prints what was wrong; else nothing."""
import json
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ADDRESS, STATE = sys.argv[1:3]
choice = random.Random(int(os.environ.get("SEED", "1")))
end = time.monotonic() + float(os.environ.get("SECONDS_MAX", "40"))
tokens = [line.split() for line in sys.stdin]

# What each role may never be answered with success to, whatever is asked: independent of the commands' own tables.
WRITES = {"POST", "PUT", "PATCH", "DELETE"}
READS_BY_POST = {"/v1/solve", "/v1/plan", "/v1/validate"}
ADMINS = ("/v1/members", "/v1/users", "/v1/import", "/v1/entities", "/v1/resources", "/v1/sync", "/v1/secrets", "/v1/audit")
NEVER_WITH_TOKEN = {("POST", "/v1/users"), ("POST", "/v1/users/{user}/code"), ("POST", "/v1/tokens"), ("POST", "/v1/tenants"),
                    ("DELETE", "/v1/tenants/{tenant}"), ("PATCH", "/v1/tenants/{tenant}"), ("GET", "/v1/queue"), ("GET", "/v1/jobs")}
NAMES = ["canary", "canary-cluster", "canary-tenant", "ann", "root", "1", "2", "-", "..", "service", "provider"]
QUERIES = ["", "tenant=canary-tenant", "tenant=superadmin", "as=root", "as=canary", "as=ann&tenant=canary-tenant", "all-tenants=true",
           "all=true", "tenant=qa&tenant=canary-tenant"]
BODIES = [{}, {"tenant": "canary-tenant"}, {"as": "root"}, {"name": "made", "role": "admin"}, {"name": "made"}, {"as": "canary"}]


def allowed(role, method, path):
    if (method, path) in NEVER_WITH_TOKEN:
        return False
    if method in WRITES and path not in READS_BY_POST:
        return role == "admin" or (role == "user" and not path.startswith(ADMINS))
    return True


def state():
    return subprocess.run([STATE], check=True, capture_output=True).stdout


def ask(token, method, path, query, body):
    request = urllib.request.Request(ADDRESS + path + ("?" + query if query else ""), method=method,
                                     data=None if body is None else json.dumps(body).encode(),
                                     headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


description = json.loads(urllib.request.urlopen(ADDRESS + "/v1/openapi.json").read())
asked = [(path, method.upper()) for path, methods in description["paths"].items() for method in methods
         if method.upper() in WRITES | {"GET"} and not path.startswith(("/v1/session", "/v1/run", "/v1/events", "/ui", "/v1/schemas"))]
cases = [(role, token, path, method) for role, token in tokens for path, method in asked]
choice.shuffle(cases)
done = 0
before = state()
for role, token, path, method in cases:
    if time.monotonic() > end:
        break
    query = choice.choice(QUERIES)
    names = [choice.choice(NAMES) for _ in range(path.count("{"))]
    real = path
    for name in names:
        real = real[:real.index("{")] + urllib.parse.quote(name, safe="") + real[real.index("}") + 1:]
    body = choice.choice(BODIES) if method in WRITES else None
    status, text = ask(token, method, real, query, body)
    said = "%s %s %s?%s %s: %d %s" % (role, method, real, query, body, status, text[:300])
    done += 1
    if status < 300 and not allowed(role, method, path):
        print("permitted:", said)
    if status < 300 and "canary" in text:
        print("another tenant's:", said)
    if status >= 500 and status != 503:
        print("fails:", said)
    after = state()
    if after != before and (role == "read-only" or not allowed(role, method, path)):
        print("changed:", said)
    before = after
print("asked %d of %d" % (done, len(cases)), file=sys.stderr)
