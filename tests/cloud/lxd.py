# SPDX-License-Identifier: Apache-2.0
#
# LXD's API, as far as containers go that are machines. What takes time is an operation, which ends after "active_ms". Nothing runs in instances.
import json
import re
import time
import urllib.parse

NAME = re.compile(r"^[a-zA-Z][a-zA-Z0-9-]{0,62}$")
MEMBERS = {"name", "type", "source", "config", "devices", "profiles"}
JSON = {"Content-Type": "application/json"}


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        self.machines = {}
        self.operations = {}
        self.number = 0

    def error(self, status, text):
        return status, JSON, json.dumps({"type": "error", "error": text, "error_code": status, "metadata": None}).encode()

    def good(self, value, status=200, operation=""):
        return status, JSON, json.dumps({"type": "async" if operation else "sync", "status": "Success", "status_code": 100 if operation else 200,
                                         "operation": operation, "error_code": 0, "error": "", "metadata": value}).encode()

    def too_fast(self):
        return self.error(429, "too many requests")

    def set(self, value):
        if value.get("stop"):
            for machine in self.machines.values():
                machine["status"] = "Stopped"

    def owned(self):
        return [dict(id=m["config"]["volatile.uuid"], name=m["name"], tags=m["config"], files=m["files"], status=m["status"], devices=m["devices"])
                for m in self.machines.values()]

    def operation(self, what, name, err=""):
        self.number += 1
        one = {"id": "%08d" % self.number, "description": what, "err": err, "until": time.time() + self.settings["active_ms"] / 1000,
               "resources": {"instances": ["/1.0/instances/" + name]}}
        self.operations[one["id"]] = one
        return self.good(self.told(one), 202, "/1.0/operations/" + one["id"])

    def told(self, one):
        code = 103 if time.time() < one["until"] else 400 if one["err"] else 200
        return dict({k: v for k, v in one.items() if k != "until"}, status_code=code, err=one["err"] if code == 400 else "")

    def do(self, method, path, query, headers, body):
        parts = path.strip("/").split("/")[1:]
        value = None
        if body and headers.get("Content-Type") == "application/json":
            value = json.loads(body)
        if parts == []:
            return self.good({"auth": "trusted", "environment": {"server": "lxd", "server_version": "5.0.2"}})
        if parts[0] == "operations":
            return self.about_operations(parts, query)
        if parts[0] == "images":
            return self.good({}) if parts[-1] == "node" else self.error(404, "Image alias not found")
        if parts[0] == "networks":
            return self.good({}) if parts[-1] == "lxdbr0" else self.error(404, "Network not found")
        if parts == ["instances"] and method == "GET":
            return self.good([self.instance(m, True) for m in self.machines.values()])
        if parts == ["instances"] and method == "POST":
            return self.create(value)
        if parts[0] == "instances" and len(parts) in (2, 3):
            return self.one(method, urllib.parse.unquote(parts[1]), parts[2] if len(parts) == 3 else "", query, headers, value, body)
        return self.error(404, "not found")

    def about_operations(self, parts, query):
        if len(parts) == 1:
            running = [self.told(one) for one in self.operations.values() if time.time() < one["until"]]
            return self.good({"running": running} if running else {})
        one = self.operations.get(parts[1])
        if not one:
            return self.error(404, "Operation not found")
        time.sleep(min(max(one["until"] - time.time(), 0), 0.05))
        return self.good(self.told(one))

    def instance(self, m, whole):
        n = m["number"]
        addresses = [{"family": "inet", "address": "127.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255), "scope": "global"},
                     {"family": "inet6", "address": "fe80::1", "scope": "link"}]
        state = {"network": {"lo": {"addresses": [{"family": "inet", "address": "127.0.0.1", "scope": "local"}]}, "eth0": {"addresses": addresses}}}
        value = {"name": m["name"], "status": m["status"], "created_at": m["made"], "location": "none", "config": m["config"], "type": "container"}
        return dict(value, state=state if m["status"] == "Running" else None) if whole else value

    def create(self, value):
        name = value.get("name", "")
        if set(value) - MEMBERS or not NAME.match(name):
            return self.error(400, "bad request: %s %s" % (sorted(set(value) - MEMBERS), name))
        if not all(isinstance(v, str) for v in value["config"].values()):
            return self.error(400, "config values are strings")
        if value["source"].get("alias") != "node":
            return self.error(404, "Image not found")
        if name in self.machines:
            return self.error(409, "Instance \"%s\" already exists" % name)
        self.number += 1
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        config = dict(value["config"], **{"volatile.uuid": "00000000-0000-4000-8000-%012d" % self.number})
        self.machines[name] = {"name": name, "config": config, "devices": value["devices"], "status": "Stopped", "files": {}, "made": made,
                               "number": self.number}
        return self.operation("Creating instance", name)

    def one(self, method, name, verb, query, headers, value, body):
        machine = self.machines.get(name)
        if not machine:
            return self.error(404, "Instance not found")
        if any(time.time() < one["until"] and one["resources"]["instances"][0].endswith("/" + name) for one in self.operations.values()) and method != "GET":
            return self.error(500, "Instance is busy running an operation")
        if method == "GET" and not verb:
            return self.good(self.instance(machine, False))
        if method == "PATCH" and not verb:
            machine["config"].update(value["config"])
            return self.good({})
        if method == "POST" and verb == "files":
            machine["files"][query["path"]] = [headers["X-LXD-type"], headers["X-LXD-mode"], body.decode()]
            return self.good({})
        if method == "PUT" and verb == "state":
            if value["action"] == "start":
                fails = self.settings.get("start_fails")
                if not fails:
                    machine["status"] = "Running"
                return self.operation("Starting instance", name, "Failed to run: lxd forkstart: exit status 1" if fails else "")
            if machine["status"] == "Stopped":
                return self.error(400, "The instance is already stopped")
            machine["status"] = "Stopped"
            return self.operation("Stopping instance", name)
        if method == "DELETE" and not verb:
            if machine["status"] == "Running":
                return self.error(400, "Instance is running")
            del self.machines[name]
            return self.operation("Deleting instance", name)
        return self.error(404, "not found")
