# SPDX-License-Identifier: Apache-2.0
#
# Version 1 of the Compute API of Google, as far as instances, disks and snapshots go, and the tokens for it. The signatures of service accounts are verified in earnest
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
DISK_MEMBERS = {"name", "sizeGb", "type", "labels", "description", "sourceSnapshot"}
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
        self.drives, self.snapshots = {}, {}

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
        if "stop" in value:
            self.machines[value["stop"]]["off"] = True
        if "fail" in value:
            self.drives[value["fail"]]["failed"] = True
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
        late_ms = self.settings.get("snapshot_ms") if operation["kind"] == "createSnapshot" else None
        return (time.time() - operation["at"]) * 1000 >= (self.settings["active_ms"] if late_ms is None else late_ms)

    def is_gone(self, machine):
        return machine.get("gone") is not None and self.is_done(machine["gone"])

    def begin(self, kind, zone, target, errors=None, folder="instances"):
        """An operation of a zone, or a global one, where that is None."""
        self.number += 1
        target = "%s/%s" % (folder, target)
        operation = {"name": "operation-%d-%05x" % (time.time() * 1000, self.number), "id": str(self.number), "at": time.time(), "kind": kind, "zone": zone,
                     "target": target, "errors": errors}
        self.operations.append(operation)
        return operation

    def show_operation(self, o):
        done, scope = self.is_done(o), "/zones/" + o["zone"] if o["zone"] else "/global"
        value = {"kind": "compute#operation", "id": o["id"], "name": o["name"], "operationType": o["kind"],
                 "targetLink": self.link("%s/%s" % (scope, o["target"])), "status": "DONE" if done else "RUNNING", "user": EMAIL,
                 "progress": 100 if done else 0, "insertTime": self.time(o["at"]), "startTime": self.time(o["at"]),
                 "selfLink": self.link("%s/operations/%s" % (scope, o["name"]))}
        if o["zone"]:
            value["zone"] = self.link(scope)
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
                                  ("/regions/([^/]+)/subnetworks/([^/]+)", self.network), ("/aggregated/disks", self.list_disks), ("/zones/([^/]+)/disks", self.make_disk),
                                  ("/zones/([^/]+)/disks/([^/]+)", self.disk), ("/zones/([^/]+)/disks/([^/]+)/createSnapshot", self.make_snapshot),
                                  ("/zones/([^/]+)/instances/([^/]+)/(attachDisk|detachDisk)", self.move_disk), ("/global/snapshots", self.list_snapshots),
                                  ("/global/snapshots/([^/]+)", self.snapshot), ("/global(/operations)/([^/]+)", self.operation)):
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
        before = self.repeated(query)
        if before:
            return before
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
        return self.heard(query, operation)

    def repeated(self, query):
        """The operation that a request of that id has begun already."""
        request = query.get("requestId")
        if request is None:
            return None
        try:
            if uuid.UUID(request).int == 0 or not re.fullmatch("[0-9a-f-]{36}", request):
                raise ValueError
        except ValueError:
            raise Refused(400, "invalid", "Invalid value for field 'requestId': '%s'. Must be a valid UUID." % request)
        return self.show_operation(self.requests[request]) if request in self.requests else None

    def heard(self, query, operation):
        if query.get("requestId"):
            self.requests[query["requestId"]] = operation
        return self.show_operation(operation)

    def visible(self):
        now = time.time()
        return [m for m in self.machines.values() if not self.is_gone(m) and (now - m["made"]) * 1000 >= self.settings["visible_ms"]]

    def matches(self, m, query):
        for part in re.findall(r"\(?([^()]+)\)?", query.get("filter", "")):
            match = re.fullmatch(r'labels\.([a-z0-9_-]+) *(?:= *"?([a-z0-9_-]+)"?|(:\*))', part.strip())
            if part.strip() and not match:
                raise Refused(400, "invalid", "Invalid value for field 'filter': '%s'. Invalid list filter expression." % query["filter"])
            label = m["body"].get("labels", {}).get(match.group(1)) if match else None
            if match and (label is None or (match.group(2) and label != match.group(2))):
                return False
        return True

    def list_all(self, method, query, value):
        return self.aggregate("instances", self.visible(), self.show, query)

    def aggregate(self, kind, things, show, query):
        some, more = self.page([one for one in things if self.matches(one, query)], query)
        items = {}
        for zone in ZONES:
            here = [show(one) for one in some if one["zone"] == zone]
            items["zones/" + zone] = {kind: here} if here else {"warning": {
                "code": "UNREACHABLE" if zone in self.settings["unreachable"] else "NO_RESULTS_ON_PAGE", "message": "There are no results for scope 'zones/%s' on this page." % zone}}
        return dict({"kind": "compute#aggregatedList", "id": "projects/%s/aggregated/%s" % (PROJECT, kind), "items": items}, **more)

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
                "status": "STOPPING" if m.get("gone") else "TERMINATED" if m.get("off") else "RUNNING" if running else "STAGING", "creationTimestamp": self.time(m["made"]),
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

    def operation(self, method, query, value, zone, name, wait=None):
        for one in self.operations:
            if (one["zone"] or "/operations") == zone and one["name"] == name:
                return self.show_operation(one)
        raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s/operations/%s' was not found" % (PROJECT, zone, name))

    # --- disks and snapshots ---

    def disks(self):
        return [dict(id=d["name"], name=d["body"].get("labels", {}).get("coopr-volume"), machine=self.holder(d), device="/dev/disk/by-id/google-" + d["name"], of=last("/" + d["body"].get("sourceSnapshot", "")),
                     snapshot=False, forced=d.get("forced", False), made=d["made"]["at"], size=d["size"])
                for d in self.drives.values() if not self.is_gone(d)] + [
                    dict(id=s["name"], name=s["body"].get("labels", {}).get("coopr-volume"), machine=None, of=s["of"]["name"], snapshot=True, forced=False,
                         made=s["made"]["at"], size=s["size"])
                    for s in self.snapshots.values() if not self.is_gone(s)]

    def holder(self, disk):
        """The instance that has a disk: one that was deleted gives it back, one that is off does not."""
        machine = self.machines.get(disk["machine"])
        return disk["machine"] if machine and not self.is_gone(machine) else None

    def check_disk(self, body, folder, things):
        wrong = lambda field: Refused(400, "invalid", "Invalid value for field 'resource.%s': '%s'." % (field, body.get(field)))
        unknown = {name for name, its in body.items() if its not in ({}, [])} - DISK_MEMBERS  # Google's client sends empty ones
        if unknown:
            raise Refused(400, "invalid", "Invalid JSON payload received. Unknown name \"%s\": Cannot find field." % sorted(unknown)[0])
        if not NAME.match(body.get("name", "")):
            raise wrong("name")
        if not all(LABEL_KEY.match(k) and LABEL.match(v) for k, v in body.get("labels", {}).items()):
            raise wrong("labels")
        if body["name"] in things and not self.is_gone(things[body["name"]]):
            raise Refused(409, "alreadyExists", "The resource 'projects/%s/%s/%s' already exists" % (PROJECT, folder, body["name"]))

    def make_disk(self, method, query, value, zone):
        self.check_zone(zone)
        if method == "GET":
            some, more = self.page([d for d in self.drives.values() if d["zone"] == zone and not self.is_gone(d) and self.matches(d, query)], query)
            return dict({"kind": "compute#diskList", "items": [self.show_disk(d) for d in some]}, **more)
        before = self.repeated(query)
        if before:
            return before
        self.check_disk(value, "zones/%s/disks" % zone, self.drives)
        source = self.snapshots.get(last("/" + value.get("sourceSnapshot", "")))
        if "sourceSnapshot" in value and (not source or not re.search("global/snapshots/[^/]+$", value["sourceSnapshot"])):
            raise Refused(404, "notFound", "The resource '%s' was not found" % value["sourceSnapshot"])
        if source and not self.is_done(source["made"]):
            raise Refused(400, "resourceNotReady", "The resource '%s' is not ready" % value["sourceSnapshot"])
        size = int(value.get("sizeGb", source["size"] if source else 500))
        if not 1 <= size <= 65536 or (source and size < source["size"]):
            raise Refused(400, "invalid", "Invalid value for field 'resource.sizeGb': '%d'." % size)
        if "type" in value and not re.fullmatch("(.*/)?projects/%s/zones/%s/diskTypes/pd-(standard|ssd|balanced)" % (PROJECT, zone), value["type"]):
            raise Refused(400, "invalid", "Invalid value for field 'resource.type': '%s'. The URL is malformed." % value["type"])
        errors = [{"code": "QUOTA_EXCEEDED", "message": "Quota 'SSD_TOTAL_GB' exceeded.  Limit: 500.0 in region us-central1."}] if self.settings.get("late_quota") else None
        operation = self.begin("insert", zone, value["name"], errors, "disks")
        if not errors:
            self.drives[value["name"]] = {"name": value["name"], "zone": zone, "size": size, "made": operation, "body": value, "machine": None}
        return self.heard(query, operation)

    def show_disk(self, d):
        holder = self.holder(d)
        status = "DELETING" if d.get("gone") else "FAILED" if d.get("failed") else "READY" if self.is_done(d["made"]) else "CREATING"
        value = {"kind": "compute#disk", "id": d["made"]["id"], "name": d["name"], "zone": self.link("/zones/" + d["zone"]), "sizeGb": str(d["size"]), "status": status,
                 "labels": d["body"].get("labels", {}), "labelFingerprint": "x", "description": d["body"].get("description", ""),
                 "type": d["body"].get("type") or self.link("/zones/%s/diskTypes/pd-standard" % d["zone"]), "creationTimestamp": self.time(d["made"]["at"]),
                 "selfLink": self.link("/zones/%s/disks/%s" % (d["zone"], d["name"]))}
        return dict(value, users=[self.link("/zones/%s/instances/%s" % (d["zone"], holder))]) if holder else value

    def get_disk(self, zone, name):
        self.check_zone(zone)
        disk = self.drives.get(name)
        if not disk or disk["zone"] != zone or self.is_gone(disk):
            raise Refused(404, "notFound", "The resource 'projects/%s/zones/%s/disks/%s' was not found" % (PROJECT, zone, name))
        return disk

    def list_disks(self, method, query, value):
        return self.aggregate("disks", [d for d in self.drives.values() if not self.is_gone(d)], self.show_disk, query)

    def in_use(self, disk):
        return Refused(400, "resourceInUseByAnotherResource", "The disk resource 'projects/%s/zones/%s/disks/%s' is already being used by 'projects/%s/zones/%s/instances/%s'"
                       % (PROJECT, disk["zone"], disk["name"], PROJECT, disk["zone"], self.holder(disk)))

    def disk(self, method, query, value, zone, name):
        before = self.repeated(query)
        if before:
            return before
        disk = self.get_disk(zone, name)
        if method == "GET":
            return self.show_disk(disk)
        if self.holder(disk):
            raise self.in_use(disk)
        if disk.get("gone"):
            raise Refused(400, "resourceNotReady", "The resource is not ready")
        disk["gone"] = self.begin("delete", zone, name, None, "disks")
        return self.heard(query, disk["gone"])

    def move_disk(self, method, query, value, zone, name, what):
        before = self.repeated(query)
        if before:
            return before
        machine = self.get(zone, name)
        if what == "detachDisk":
            held = [d for d in self.drives.values() if self.holder(d) == name and d["device"] == query.get("deviceName")]
            if not held:
                raise Refused(400, "invalid", "No attached disk found with device name '%s'" % query.get("deviceName"))
            held[0].update(machine=None, forced=not machine.get("off"))
            return self.heard(query, self.begin("detachDisk", zone, name))
        if set(value) - {"source", "deviceName", "mode", "autoDelete"}:
            raise Refused(400, "invalid", "Invalid JSON payload received.")
        match = re.search("(?:^|/)projects/%s/zones/%s/disks/([^/]+)$" % (PROJECT, zone), value.get("source", ""))
        if not match:
            raise Refused(400, "invalid", "Invalid value for field 'resource.source': '%s'. The URL is malformed." % value.get("source"))
        disk = self.get_disk(zone, match.group(1))
        if self.holder(disk):
            raise self.in_use(disk)
        if not self.is_done(disk["made"]) or disk.get("gone"):
            raise Refused(400, "resourceNotReady", "The resource '%s' is not ready" % value["source"])
        device = value.get("deviceName", "persistent-disk-1")
        if not NAME.match(device) or any(self.holder(d) == name and d["device"] == device for d in self.drives.values()):
            raise Refused(400, "invalid", "Invalid value for field 'resource.deviceName': '%s'." % device)
        disk.update(machine=name, device=device)
        return self.heard(query, self.begin("attachDisk", zone, name))

    def make_snapshot(self, method, query, value, zone, name):
        before = self.repeated(query)
        if before:
            return before
        disk = self.get_disk(zone, name)
        self.check_disk(value, "global/snapshots", self.snapshots)
        operation = self.begin("createSnapshot", zone, name, None, "disks")
        self.snapshots[value["name"]] = {"name": value["name"], "size": disk["size"], "of": disk, "made": operation, "body": value}
        return self.heard(query, operation)

    def show_snapshot(self, s):
        return {"kind": "compute#snapshot", "id": s["made"]["id"], "name": s["name"], "diskSizeGb": str(s["size"]), "labels": s["body"].get("labels", {}),
                "description": s["body"].get("description", ""), "status": "DELETING" if s.get("gone") else "READY" if self.is_done(s["made"]) else "CREATING",
                "sourceDisk": self.link("/zones/%s/disks/%s" % (s["of"]["zone"], s["of"]["name"])), "creationTimestamp": self.time(s["made"]["at"]),
                "selfLink": self.link("/global/snapshots/" + s["name"])}

    def list_snapshots(self, method, query, value):
        some, more = self.page([s for s in self.snapshots.values() if not self.is_gone(s) and self.matches(s, query)], query)
        return dict({"kind": "compute#snapshotList"}, **dict({"items": [self.show_snapshot(s) for s in some]} if some else {}, **more))

    def snapshot(self, method, query, value, name):
        before = self.repeated(query)
        if before:
            return before
        snapshot = self.snapshots.get(name)
        if not snapshot or self.is_gone(snapshot):
            raise Refused(404, "notFound", "The resource 'projects/%s/global/snapshots/%s' was not found" % (PROJECT, name))
        if method == "GET":
            return self.show_snapshot(snapshot)
        snapshot["gone"] = self.begin("delete", None, name, None, "snapshots")
        return self.heard(query, snapshot["gone"])
