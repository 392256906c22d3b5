# SPDX-License-Identifier: Apache-2.0
#
# Triton's CloudAPI, as far as machines go. HTTP signatures are verified in earnest, by openssl ("keys" are public halves in PEM by their names and
# fingerprints), and members of requests are checked as there.
import base64
import calendar
import json
import re
import subprocess
import tempfile
import time
import uuid

ACCOUNT = "jill"
PACKAGES = {"g4-highcpu-1G": (1024, 25600, 1), "g3-standard-1.75-kvm": (1792, 57344, 1), "large": (8192, 204800, 4)}
IMAGES = [("debian-12", "20260101", "2026-01-01T00:00:00Z"), ("debian-12", "20250101", "2025-01-01T00:00:00Z"), ("ubuntu-14.04", "1", "2014-01-01T00:00:00Z")]
NETWORKS = ["Joyent-SDC-Public", "My-Fabric-Network"]
NAME = re.compile(r"^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,188}$")
MEMBERS = {"name", "package", "image", "networks", "locality", "affinity", "firewall_enabled", "deletion_protection", "volumes", "disks"}


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def named(kind, name):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, kind + "/" + name))


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        settings.update({"skew_s": 0, "keys": {}, "limit": 0, "failing": False, "host_keys": []})
        self.machines, self.number, self.verified = {}, 0, {}
        self.target = ""  # of the request that is answered: path and query

    def set(self, value):
        """What happens at once: an installation has many machines, or one goes while they are listed."""
        for number in range(value.get("many", 0)):
            self.add({"name": "many-%d" % number, "package": named("package", "large"), "image": named("image", "debian-12@20260101"),
                      "tag.coopr-installation": value["of"], "tag.coopr-node": "00000043-%d" % (2000 + number)})

    def error(self, status, code, message):
        return status, self.headers(), json.dumps({"code": code, "message": message}).encode()

    def headers(self):
        return {"Content-Type": "application/json", "Api-Version": "8.0.0"}

    def too_fast(self):
        return self.error(429, "RequestThrottled", "You have exceeded your request rate")

    def alive(self):
        return [m for m in self.machines.values() if not m["gone"] or time.time() < m["gone"]]

    def owned(self):
        return [dict(id=m["id"], name=m["body"]["name"], address="127." + self.tail(m), body=m["body"], made=m["made"]) for m in self.alive()]

    @staticmethod
    def tail(m):
        return "%d.%d.%d" % (m["number"] >> 16 & 255, m["number"] >> 8 & 255, m["number"] & 255)

    def verify(self, method, target, headers):
        authorization, date = headers.get("Authorization", ""), headers.get("Date", "")
        given = dict(re.findall(r'(\w+)="([^"]*)"', authorization))
        match = re.fullmatch("/%s/keys/(.+)" % ACCOUNT, given.get("keyId", ""))
        if not authorization.startswith("Signature ") or not match or match.group(1) not in self.settings["keys"]:
            raise Refused(401, "InvalidCredentials", "Invalid key identifier in Authorization header")
        try:
            at = calendar.timegm(time.strptime(date, "%a, %d %b %Y %H:%M:%S GMT"))
        except ValueError:
            raise Refused(401, "InvalidHeader", "Date header is not HTTP date") from None
        if abs(at - time.time() - self.settings["skew_s"]) > 300:
            raise Refused(400, "InvalidHeader", "clock skew was greater than 300s")
        names = given.get("headers", "date").split()
        if "date" not in names:
            raise Refused(401, "InvalidCredentials", "The signature has no date")
        text = "\n".join("(request-target): %s %s" % (method.lower(), target) if n == "(request-target)" else "%s: %s" % (n, headers.get(n, "")) for n in names)
        pem = self.settings["keys"][match.group(1)]
        if given.get("algorithm", "").lower() not in ("rsa-sha256", "ecdsa-sha256") or not self.right(pem, text, given.get("signature", "")):
            raise Refused(401, "InvalidCredentials", "The signature we calculated does not match the one you sent")

    def right(self, pem, text, signature):
        """A signature that was verified once is not given to openssl again: within a second requests are alike."""
        known = (pem, text, signature)
        if known not in self.verified:
            with tempfile.TemporaryDirectory() as folder:
                for name, content in (("key", pem.encode()), ("signature", base64.b64decode(signature))):
                    with open(folder + "/" + name, "wb") as file:
                        file.write(content)
                self.verified[known] = subprocess.run(["openssl", "dgst", "-sha256", "-verify", folder + "/key", "-signature", folder + "/signature"],
                                                      input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
        return self.verified[known]

    def do(self, method, path, query, headers, body):
        try:
            self.verify(method, self.target, headers)
            if not re.fullmatch(r"[~*0-9.| ]+", headers.get("Accept-Version", "")):
                raise Refused(400, "InvalidVersion", "Accept-Version is not understood")
            value, more = self.route(method, path, query, json.loads(body) if body else {})
        except Refused as refused:
            return self.error(refused.status, refused.code, refused.message)
        return (204, dict(self.headers(), **more), b"") if value is None else (201 if method == "POST" else 200, dict(self.headers(), **more), json.dumps(value).encode())

    def route(self, method, path, query, value):
        match = re.fullmatch("/(my|%s)(/.*)?" % ACCOUNT, path)
        path = match.group(2) or "" if match else None
        if path == "":
            return {"id": named("account", ACCOUNT), "login": ACCOUNT, "email": "jill@example.com"}, {}
        if path == "/packages":
            return [self.package(name) for name in sorted(PACKAGES) if query.get("name", name) == name], {}
        if path == "/images":
            return [self.image(*one) for one in IMAGES if query.get("name", one[0]) == one[0]], {}
        if path == "/networks":
            return [{"id": named("network", one), "name": one, "public": one == NETWORKS[0]} for one in NETWORKS], {}
        if path == "/machines":
            return (self.make(value), {}) if method == "POST" else self.list(query)
        match = re.fullmatch("/machines/([0-9a-f-]{36})(/metadata)?", path or "")
        if not match:
            raise Refused(404, "ResourceNotFound", "%s does not exist" % path)
        machine = self.machines.get(match.group(1))
        if not machine:
            raise Refused(404, "ResourceNotFound", "VM not found")
        if machine not in self.alive():
            raise Refused(410, "ResourceNotFound", "VM is gone")
        if match.group(2):
            found = {key[len("metadata."):]: text for key, text in machine["body"].items() if key.startswith("metadata.")}
            return dict(found, **({"coopr-host-keys": "\n".join(key + " root@host" for key in self.settings["host_keys"])} if self.settings["host_keys"] else {})), {}
        if method == "DELETE":
            if self.state(machine) == "provisioning":
                raise Refused(409, "InvalidState", "The VM is being provisioned")
            machine["gone"] = machine["gone"] or time.time() + self.settings["active_ms"] / 1000
            return None, {}
        return self.show(machine), {}

    def package(self, name):
        memory, disk, cpus = PACKAGES[name]
        return {"id": named("package", name), "name": name, "memory": memory, "disk": disk, "swap": 2 * memory, "vcpus": cpus, "lwps": 4000, "version": "1.0.0"}

    def image(self, name, version, at):
        return {"id": named("image", name + "@" + version), "name": name, "version": version, "os": "linux", "type": "lx-dataset", "state": "active",
                "requirements": {}, "published_at": at, "public": True, "owner": named("account", "admin")}

    def make(self, value):
        for member in value:
            if member not in MEMBERS and not member.startswith(("tag.", "metadata.")):
                raise Refused(409, "InvalidArgument", "%s is not a parameter" % member)
        if not NAME.match(value.get("name") or "") or any(m["body"]["name"] == value["name"] for m in self.alive()):
            raise Refused(409, "InvalidArgument", "name: already in use, or not an alias")
        if value.get("package") not in [named("package", name) for name in PACKAGES]:
            raise Refused(409, "InvalidArgument", "package is not found")
        if value.get("image") not in [self.image(*one)["id"] for one in IMAGES]:
            raise Refused(409, "InvalidArgument", "image is not found")
        if any(one not in [named("network", name) for name in NETWORKS] for one in value.get("networks", [])):
            raise Refused(409, "InvalidArgument", "networks are not found")
        if self.settings["limit"] and len(self.alive()) >= self.settings["limit"]:
            raise Refused(403, "QuotaExceeded", "To enable provisioning to this data center, please fill out limits request form.")
        if self.settings["capacity"] and len(self.alive()) >= self.settings["capacity"]:
            raise Refused(409, "InsufficientServers", "Not enough servers: no compute resources available")
        return self.show(self.add(value))

    def add(self, body):
        self.number += 1
        machine = {"id": str(uuid.uuid4()), "number": self.number, "body": body, "made": time.time(), "gone": 0}
        self.machines[machine["id"]] = machine
        return machine

    def state(self, m):
        active = (time.time() - m["made"]) * 1000 >= self.settings["active_ms"]
        return "provisioning" if not active else "failed" if self.settings["failing"] else "stopping" if m["gone"] else "running"

    def show(self, m):
        tail, state = self.tail(m), self.state(m)
        return {"id": m["id"], "name": m["body"]["name"], "type": "smartmachine", "brand": "lx", "state": state, "image": m["body"]["image"],
                "ips": ["10." + tail, "127." + tail] if state == "running" else [], "primaryIp": "127." + tail, "memory": 1024, "disk": 25600, "metadata": {},
                "tags": {key[len("tag."):]: text for key, text in m["body"].items() if key.startswith("tag.")}, "networks": m["body"].get("networks", []),
                "created": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(m["made"])), "updated": "2026-01-01T00:00:00.000Z",
                "firewall_enabled": False, "compute_node": named("server", "1"), "package": "large", "dns_names": []}

    def list(self, query):
        now = time.time()
        tags = {key[len("tag."):]: text for key, text in query.items() if key.startswith("tag.")}
        seen = [m for m in self.alive() if (now - m["made"]) * 1000 >= self.settings["visible_ms"] and all(m["body"].get("tag." + k) == v for k, v in tags.items())]
        most, start = int(query.get("limit", 1000)), int(query.get("offset", 0))
        if not 1 <= most <= 1000:
            raise Refused(409, "InvalidArgument", "limit is from 1 to 1000")
        return [self.show(m) for m in seen[start: start + most]], {"x-resource-count": len(seen), "x-query-limit": most}
