# SPDX-License-Identifier: Apache-2.0
#
# Version 1 of the Compute API of Google, as far as instances go, and the tokens for it. The signatures of service accounts are verified in earnest
# ("modulus" is that of the key, in hexadecimal), members of requests are checked as there, and operations take "active_ms". "types" and "images" are
# more of them, as below.
import base64
import hashlib
import json
import re
import time
import urllib.parse
import uuid

EMAIL, PROJECT = "robot@my-project-42.iam.gserviceaccount.com", "my-project-42"
ZONES = ["us-central1-a", "us-central1-b", "europe-west1-b"]
TYPES = {"e2-micro": (2, 1024), "n1-standard-4": (4, 15360), "large": (2, 7680), "g1-small": (1, 1740)}
IMAGES = {"debian-cloud": {"debian-12-bookworm-v20260101": "debian-12"}, "centos-cloud": {"centos-7-v20170227": "centos-7"},
          "ubuntu-os-cloud": {"ubuntu-1404-trusty-v20170222": "ubuntu-1404-lts"}, PROJECT: {"golden-1": "golden"}}
NAME = re.compile(r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$")
LABEL_KEY, LABEL = re.compile(r"^[a-z][a-z0-9_-]{0,62}$"), re.compile(r"^[a-z0-9_-]{0,63}$")
MEMBERS = {"name", "description", "machineType", "disks", "labels", "metadata", "networkInterfaces", "scheduling", "serviceAccounts", "tags",
           "deletionProtection", "minCpuPlatform", "canIpForward", "hostname", "shieldedInstanceConfig"}
SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")
CONSOLE = "[   12.1] cloud-init[803]: done\r\n-----BEGIN SSH HOST KEY KEYS-----\r\n%s\r\n-----END SSH HOST KEY KEYS-----\r\n"


class Refused(Exception):
    def __init__(self, status, reason, message):
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def last(path):
    return path.rsplit("/", 1)[1]


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        settings.update({"skew_s": 0, "host_keys": [], "console_keys": [], "modulus": "", "expires_s": 3600, "limit": 0, "unreachable": []})
        self.machines, self.operations, self.requests, self.tokens = {}, [], {}, {}
        self.number = 0

    def set(self, value):
        """What happens at once: tokens are given by hand and taken back, somebody deletes an instance, requests are forgotten, or an installation has many."""
        TYPES.update({name: tuple(its) for name, its in value.get("types", {}).items()})
        for project, its in value.get("images", {}).items():
            IMAGES.setdefault(project, {}).update(its)
        if value.get("revoke"):
            self.tokens.clear()
        if "grant" in value:
            self.tokens[value["grant"]] = time.time() + 3600
        if value.get("forget"):
            self.requests.clear()
        if "terminate" in value:
            del self.machines[value["terminate"]]
        for number in range(value.get("many", 0)):
            self.add({"name": "many-%d" % self.number, "machineType": "zones/%s/machineTypes/large" % ZONES[number % 3], "disks": [], "networkInterfaces": [{}],
                      "labels": {"coopr-installation": value["of"], "coopr-node": "00000043-%d" % (2000 + number)}}, ZONES[number % 3])

    def too_fast(self):
        return self.error(403, "rateLimitExceeded", "Rate Limit Exceeded")

    def error(self, status, reason, message):
        value = {"error": {"code": status, "message": message, "errors": [{"message": message, "domain": "global", "reason": reason}]}}
        return status, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(value).encode()

    def good(self, value):
        return 200, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(value).encode()

    def owned(self):
        return [dict(id=m["name"], name=m["name"], address=self.address(m["number"]), labels=m["body"].get("labels", {}), zone=m["zone"], body=m["body"], made=m["made"])
                for m in self.machines.values() if not self.is_gone(m)]

    # --- tokens ---

    def token(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        bad = {"error": "invalid_grant"}
        try:
            head, claims, signature = form["assertion"].split(".")
            header, value = json.loads(decode(head)), json.loads(decode(claims))
            modulus, given = int(self.settings["modulus"], 16), decode(signature)
            size = (modulus.bit_length() + 7) // 8
            padded = pow(int.from_bytes(given, "big"), 65537, modulus).to_bytes(size, "big")
            right = SHA256 + hashlib.sha256((head + "." + claims).encode()).digest()
            if len(given) != size or padded != b"\0\1" + b"\xff" * (size - 3 - len(right)) + b"\0" + right:
                return 400, {}, json.dumps(dict(bad, error_description="Invalid JWT Signature.")).encode()
        except (KeyError, ValueError):
            return 400, {}, json.dumps(dict(bad, error_description="Invalid JWT.")).encode()
        now = time.time() + self.settings["skew_s"]
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" or header.get("alg") != "RS256" or not value["aud"].endswith("/token") \
                or not value["scope"].startswith("https://www.googleapis.com/auth/"):
            return 400, {}, json.dumps({"error": "invalid_scope"}).encode()
        if value["iss"] != EMAIL:
            return 400, {}, json.dumps(dict(bad, error_description="Invalid grant: account not found")).encode()
        if value["exp"] - value["iat"] > 3600 or not now - 3600 < value["iat"] < now + 60 or value["exp"] < now:
            return 400, {}, json.dumps(dict(bad, error_description="Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                                            "Check your iat and exp values in the JWT claim.")).encode()
        token = "ya29." + uuid.uuid4().hex
        self.tokens[token] = time.time() + self.settings["expires_s"]
        return self.good({"access_token": token, "expires_in": self.settings["expires_s"], "token_type": "Bearer"})

    # --- operations ---

    def is_done(self, operation):
        return (time.time() - operation["at"]) * 1000 >= self.settings["active_ms"]

    def is_gone(self, machine):
        return machine.get("gone") is not None and self.is_done(machine["gone"])

    def begin(self, kind, zone, target, errors=None):
        self.number += 1
        operation = {"name": "operation-%d-%05x" % (time.time() * 1000, self.number), "id": str(self.number), "at": time.time(), "kind": kind, "zone": zone,
                     "target": target, "errors": errors}
        self.operations.append(operation)
        return operation

    def show_operation(self, o):
        done = self.is_done(o)
        value = {"kind": "compute#operation", "id": o["id"], "name": o["name"], "zone": self.link("/zones/" + o["zone"]), "operationType": o["kind"],
                 "targetLink": self.link("/zones/%s/instances/%s" % (o["zone"], o["target"])), "status": "DONE" if done else "RUNNING", "user": EMAIL,
                 "progress": 100 if done else 0, "insertTime": self.time(o["at"]), "startTime": self.time(o["at"]),
                 "selfLink": self.link("/zones/%s/operations/%s" % (o["zone"], o["name"]))}
        if done and o["errors"]:
            value.update({"error": {"errors": o["errors"]}, "httpErrorStatusCode": 503, "httpErrorMessage": "SERVICE UNAVAILABLE"})
        return value

    def link(self, path):
        return "https://www.googleapis.com/compute/v1/projects/%s%s" % (PROJECT, path)

    def time(self, at):
        """As Google's own clocks say it: 7 hours west."""
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at - 7 * 3600)) + ".%03d-07:00" % (at % 1 * 1000)

    # --- requests ---

    def do(self, method, path, query, headers, body):
        if path == "/token" and method == "POST":
            return self.token(body)
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        if self.tokens.get(token, 0) < time.time():
            return self.error(401, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
                              "valid authentication credential.")
        try:
            return self.good(self.route(method, path, query, json.loads(body) if body else None))
        except Refused as refused:
            return self.error(refused.status, refused.reason, refused.message)

    def route(self, method, path, query, value):
        match = re.fullmatch(r"/compute/v1/projects/([^/]+)(/.*)?", path)
        if not match:
            raise Refused(404, "notFound", "The requested URL was not found on this server.")
        project, path = match.group(1), match.group(2) or ""
        match = re.fullmatch(r"/global/images/(family/)?([^/]+)", path)
        if match and method == "GET":
            return self.image(project, match.group(1), match.group(2))
        if project != PROJECT:
            raise Refused(403, "forbidden", "Required 'compute.instances.list' permission for 'projects/%s'" % project)
        for pattern, function in (("", self.project), ("/aggregated/instances", self.list_all), ("/zones/([^/]+)", self.zone), ("/regions/([^/]+)", self.region),
                                  ("/zones/([^/]+)/instances", self.instances), ("/zones/([^/]+)/instances/([^/]+)", self.instance),
                                  ("/zones/([^/]+)/instances/([^/]+)/(getGuestAttributes|serialPort)", self.report), ("/zones", self.zones),
                                  ("/zones/([^/]+)/operations", self.list_operations), ("/zones/([^/]+)/operations/([^/]+)(/wait)?", self.operation),
                                  ("/zones/([^/]+)/machineTypes(?:/([^/]+))?", self.types), ("/global/networks/([^/]+)", self.network),
                                  ("/regions/([^/]+)/subnetworks/([^/]+)", self.network)):
            match = re.fullmatch(pattern, path)
            if match:
                return function(method, query, value, *match.groups())
        raise Refused(404, "notFound", "The requested URL was not found on this server.")

    def page(self, items, query):
        most, start = int(query.get("maxResults", 500)), int(query.get("pageToken") or 0)
        if not 0 <= most <= 500:
            raise Refused(400, "invalid", "Invalid value for field 'maxResults': '%d'." % most)
        return items[start: start + most], {"nextPageToken": str(start + most)} if start + most < len(items) else {}

    def project(self, method, query, value):
        return {"kind": "compute#project", "id": "1", "name": PROJECT, "defaultServiceAccount": EMAIL, "quotas": []}

    def check_zone(self, zone):
        if zone not in ZONES:
            raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s' was not found" % (PROJECT, zone))

    def show_zone(self, zone):
        return {"kind": "compute#zone", "id": "2", "name": zone, "status": "UP", "region": self.link("/regions/" + zone.rsplit("-", 1)[0]),
                "selfLink": self.link("/zones/" + zone)}

    def zone(self, method, query, value, zone):
        self.check_zone(zone)
        return self.show_zone(zone)

    def zones(self, method, query, value):
        return {"kind": "compute#zoneList", "items": [self.show_zone(zone) for zone in ZONES]}

    def region(self, method, query, value, region):
        return {"kind": "compute#region", "id": "3", "name": region, "status": "UP", "quotas": [
            {"metric": "CPUS", "limit": 24, "usage": 0}, {"metric": "INSTANCES", "limit": self.settings["limit"] or 25, "usage": len(self.owned())}]}

    def types(self, method, query, value, zone, name):
        self.check_zone(zone)
        show = lambda one: {"kind": "compute#machineType", "id": "4", "name": one, "guestCpus": TYPES[one][0], "memoryMb": TYPES[one][1], "zone": zone}
        if name is None:
            some, more = self.page(sorted(TYPES), query)
            return dict({"kind": "compute#machineTypeList", "items": [show(one) for one in some]}, **more)
        if name not in TYPES:
            raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s/machineTypes/%s' was not found" % (PROJECT, zone, name))
        return show(name)

    def network(self, method, query, value, *names):
        if names[-1] not in ("default", "near"):
            raise Refused(404, "notFound", "The resource 'projects/%s/%s' was not found" % (PROJECT, names[-1]))
        return {"kind": "compute#network", "id": "5", "name": names[-1]}

    def image(self, project, family, name):
        for one, its in IMAGES.get(project, {}).items():
            if name == (its if family else one):
                return {"kind": "compute#image", "id": "6", "name": one, "family": its, "status": "READY", "diskSizeGb": "10",
                        "selfLink": "https://www.googleapis.com/compute/v1/projects/%s/global/images/%s" % (project, one)}
        raise Refused(404, "notFound", "The resource 'projects/%s/global/images/%s%s' was not found" % (project, family or "", name))

    # --- instances ---

    def check(self, body, zone):
        wrong = lambda field, text="": Refused(400, "invalid", "Invalid value for field 'resource.%s': '%s'. %s" % (field, body.get(field), text))
        if set(body) - MEMBERS:
            raise Refused(400, "invalid", "Invalid JSON payload received. Unknown name \"%s\": Cannot find field." % sorted(set(body) - MEMBERS)[0])
        if not NAME.match(body.get("name", "")):
            raise wrong("name", "Must be a match of regex '%s'" % NAME.pattern)
        match = re.search(r"zones/([^/]+)/machineTypes/([^/]+)$", body.get("machineType", ""))
        if not match or match.group(1) != zone or match.group(2) not in TYPES:
            raise wrong("machineType", "Machine type with name '%s' does not exist in zone '%s'." % (last("/" + body.get("machineType", "")), zone))
        if len(body.get("labels", {})) > 64 or not all(LABEL_KEY.match(k) and LABEL.match(v) for k, v in body.get("labels", {}).items()):
            raise wrong("labels", "Label keys and values can only contain lower case letters, digits, - and _, at most 63.")
        if [disk.get("boot") for disk in body.get("disks", [])].count(True) != 1:
            raise wrong("disks", "Exactly one disk is to be the boot disk.")
        for disk in body["disks"]:
            given = disk.get("initializeParams", {})
            if set(given) - {"sourceImage", "diskSizeGb", "diskType", "labels", "diskName", "resourceManagerTags"} or not re.fullmatch("[0-9]*", given.get("diskSizeGb", "")):
                raise wrong("disks", "Unknown or wrong parameters.")
            if disk["boot"]:
                match = re.search(r"projects/([^/]+)/global/images/([^/]+)$", given.get("sourceImage", ""))
                if not match or match.group(2) not in IMAGES.get(match.group(1), {}):
                    raise Refused(404, "notFound", "The resource '%s' was not found" % given.get("sourceImage"))
        if len(body.get("networkInterfaces", [])) != 1 or len(body["networkInterfaces"][0].get("accessConfigs", [])) > 1:
            raise wrong("networkInterfaces", "At least one network interface is required.")
        items = body.get("metadata", {}).get("items", [])
        if len({item["key"] for item in items}) != len(items) or not all(re.fullmatch("[a-zA-Z0-9_-]{1,128}", item["key"]) for item in items):
            raise wrong("metadata", "Keys are given twice, or have wrong characters.")
        given = body.get("scheduling", {})
        if given.get("provisioningModel") == "SPOT" and (given.get("automaticRestart") or given.get("onHostMaintenance") != "TERMINATE"):
            raise wrong("scheduling", "Scheduling must have preemptible be true when provisioningModel is SPOT, no automatic restart, and terminate.")

    def add(self, body, zone):
        self.number += 1
        self.machines[body["name"]] = {"name": body["name"], "number": self.number, "zone": zone, "made": time.time(), "body": body, "failing": None}
        return self.machines[body["name"]]

    def instances(self, method, query, value, zone):
        self.check_zone(zone)
        if method == "GET":
            some, more = self.page([m for m in self.visible() if m["zone"] == zone and self.matches(m, query)], query)
            return dict({"kind": "compute#instanceList", "items": [self.show(m) for m in some]}, **more)
        request = query.get("requestId")
        if request is not None:
            try:
                if uuid.UUID(request).int == 0 or not re.fullmatch("[0-9a-f-]{36}", request):
                    raise ValueError
            except ValueError:
                raise Refused(400, "invalid", "Invalid value for field 'requestId': '%s'. Must be a valid UUID." % request)
            if request in self.requests:
                return self.show_operation(self.requests[request])
        self.check(value, zone)
        old = self.machines.get(value["name"])
        if old and not self.is_gone(old):
            raise Refused(409, "alreadyExists", "The resource 'projects/%s/zones/%s/instances/%s' already exists" % (PROJECT, zone, value["name"]))
        if self.settings["limit"] and len(self.owned()) >= self.settings["limit"]:
            raise Refused(403, "quotaExceeded", "Quota 'INSTANCES' exceeded.  Limit: %.1f in region us-central1." % self.settings["limit"])
        errors = None
        if (self.settings["capacity"] and len(self.owned()) >= self.settings["capacity"]) or any(
                z in ("*", zone) and f in ("*", last(value["machineType"])) for z, f in self.settings.get("full", [])):
            errors = [{"code": "ZONE_RESOURCE_POOL_EXHAUSTED", "message": "The zone 'projects/%s/zones/%s' does not have enough resources available to fulfill "
                       "the request.  Try a different zone, or try again later." % (PROJECT, zone)}]
        elif self.settings.get("late_quota"):
            errors = [{"code": "QUOTA_EXCEEDED", "message": "Quota 'SSD_TOTAL_GB' exceeded.  Limit: 500.0 in region us-central1."}]
        operation = self.begin("insert", zone, value["name"], errors)
        machine = self.add(value, zone)
        machine["operation"] = operation
        if errors:
            machine["gone"] = operation
        if request:
            self.requests[request] = operation
        return self.show_operation(operation)

    def visible(self):
        now = time.time()
        return [m for m in self.machines.values() if not self.is_gone(m) and (now - m["made"]) * 1000 >= self.settings["visible_ms"]]

    def matches(self, m, query):
        for part in re.findall(r"\(?([^()]+)\)?", query.get("filter", "")):
            match = re.fullmatch(r'labels\.([a-z0-9_-]+) *= *"?([a-z0-9_-]+)"?', part.strip())
            if not match:
                raise Refused(400, "invalid", "Invalid value for field 'filter': '%s'. Invalid list filter expression." % query["filter"])
            if m["body"].get("labels", {}).get(match.group(1)) != match.group(2):
                return False
        return True

    def list_all(self, method, query, value):
        some, more = self.page([m for m in self.visible() if self.matches(m, query)], query)
        items = {}
        for zone in ZONES:
            here = [self.show(m) for m in some if m["zone"] == zone]
            items["zones/" + zone] = {"instances": here} if here else {"warning": {
                "code": "UNREACHABLE" if zone in self.settings["unreachable"] else "NO_RESULTS_ON_PAGE", "message": "There are no results for scope 'zones/%s' on this page." % zone}}
        return dict({"kind": "compute#instanceAggregatedList", "id": "projects/%s/aggregated/instances" % PROJECT, "items": items}, **more)

    def address(self, n):
        return "127.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255)

    def show(self, m):
        n, running = m["number"], (time.time() - m["made"]) * 1000 >= self.settings["active_ms"]
        interface = {"name": "nic0", "network": self.link("/global/networks/default"), "networkIP": "10.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255)}
        if m["body"]["networkInterfaces"][0].get("accessConfigs"):
            interface["accessConfigs"] = [{"type": "ONE_TO_ONE_NAT", "name": "External NAT"}]
            if running:
                interface["accessConfigs"][0]["natIP"] = self.address(n)
        body = m["body"]
        return {"kind": "compute#instance", "id": str(4000000000000000000 + n), "name": m["name"], "zone": self.link("/zones/" + m["zone"]),
                "status": "STOPPING" if m.get("gone") else "RUNNING" if running else "STAGING", "creationTimestamp": self.time(m["made"]),
                "machineType": self.link("/zones/%s/machineTypes/%s" % (m["zone"], last(body["machineType"]))), "labels": body.get("labels", {}),
                "labelFingerprint": "42WmSpB8rSM=", "metadata": dict(body.get("metadata", {}), kind="compute#metadata", fingerprint="x"),
                "networkInterfaces": [interface], "scheduling": body.get("scheduling", {}), "tags": body.get("tags", {}), "canIpForward": False,
                "serviceAccounts": body.get("serviceAccounts", []), "selfLink": self.link("/zones/%s/instances/%s" % (m["zone"], m["name"])),
                "disks": [{"kind": "compute#attachedDisk", "boot": d["boot"], "autoDelete": d["autoDelete"], "deviceName": d.get("deviceName", ""), "index": i,
                           "type": "PERSISTENT", "mode": "READ_WRITE", "source": self.link("/zones/%s/disks/%s" % (m["zone"], m["name"]))}
                          for i, d in enumerate(body["disks"])]}

    def get(self, zone, name):
        self.check_zone(zone)
        machine = self.machines.get(name)
        if not machine or machine["zone"] != zone or self.is_gone(machine):
            raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s/instances/%s' was not found" % (PROJECT, zone, name))
        return machine

    def instance(self, method, query, value, zone, name):
        machine = self.get(zone, name)
        if method == "GET":
            return self.show(machine)
        if method != "DELETE":
            raise Refused(405, "httpMethodNotAllowed", "Method not allowed")
        if machine.get("gone"):
            raise Refused(400, "resourceNotReady", "The resource 'projects/%s/zones/%s/instances/%s' is not ready" % (PROJECT, zone, name))
        if self.settings.get("protected") == name:
            raise Refused(400, "invalid", "Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion. Set 'deletionProtection' "
                          "property to false to proceed.'.")
        if self.settings.get("stuck"):
            return self.show_operation(self.begin("delete", zone, name, [{"code": "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "message": "It is in use."}]))
        machine["gone"] = self.begin("delete", zone, name)
        return self.show_operation(machine["gone"])

    def report(self, method, query, value, zone, name, what):
        machine = self.get(zone, name)
        if what == "serialPort":
            text = CONSOLE % "\r\n".join(key + " root@host" for key in self.settings["console_keys"]) if self.settings["console_keys"] else ""
            return {"kind": "compute#serialPortOutput", "contents": text, "start": "0", "next": str(len(text))}
        items = {item["key"]: item["value"] for item in machine["body"].get("metadata", {}).get("items", [])}
        if items.get("enable-guest-attributes") != "TRUE" or not self.settings["host_keys"]:
            raise Refused(404, "notFound", "The resource 'hostkeys/' of type 'Guest Attribute' was not found.")
        return {"kind": "compute#guestAttributes", "queryPath": query["queryPath"], "queryValue": {"items": [
            dict(zip(("key", "value"), key.split()), namespace="hostkeys") for key in self.settings["host_keys"]]}}

    def list_operations(self, method, query, value, zone):
        self.check_zone(zone)
        mine = [o for o in self.operations if o["zone"] == zone]
        some, more = self.page(mine[::-1] if query.get("orderBy") == "creationTimestamp desc" else mine, query)
        return dict({"kind": "compute#operationList", "items": [self.show_operation(o) for o in some]}, **more)

    def operation(self, method, query, value, zone, name, wait):
        for one in self.operations:
            if one["zone"] == zone and one["name"] == name:
                return self.show_operation(one)
        raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s/operations/%s' was not found" % (PROJECT, zone, name))
