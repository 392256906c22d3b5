# SPDX-License-Identifier: Apache-2.0
#
# An OpenStack, as far as servers go: Keystone v3 (and v2.0, where it is asked to have that), Nova, Neutron and Glance at one address, which
# openstackclient accepts. What their schemas refuse is refused. It is Rackspace's cloud too, whose identity service takes API keys. Settings of
# its own:
#
#   "two": whether Keystone has v2.0; "three": whether it has v3; "expire": all tokens end now; "old": Nova has one version only
#   "console": what is on the consoles; "delete_ms": for how long a server is being deleted; "networks": further ones; "locked": servers are
#   "rackspace": servers have the networks of Rackspace; "connect_ms": how long RackConnect works on a server that runs
#   "flavors", "images": more of them, by their ids, as below
#   "fault_ms": for how long a server that failed does not say why; "addresses": how many floating ones there may be; "many", "of": servers that others have made, or that installation
import base64
import json
import re
import time
import urllib.parse
import uuid

USER, PROJECT, REGIONS = "svc", "dev", ["RegionOne", "RegionTwo"]
FLAVORS = {"1": ("m1.tiny", 1, 512, 1), "2": ("m1.small", 1, 2048, 20), "4": ("large", 4, 8192, 80)}
IMAGES = {"71893ec7-b625-44a5-b333-ca19885b941d": "debian-12", "0f0f0f0f-0000-4000-8000-000000000001": "twice",
          "0f0f0f0f-0000-4000-8000-000000000002": "twice"}
LAN, EXT = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002"
GROUPS = {"22222222-0000-4000-8000-000000000001": "default", "22222222-0000-4000-8000-000000000002": "web"}
CREDENTIAL = "c0ffee00c0ffee00c0ffee00c0ffee00"
ZONES = ["nova", "az2"]
# Members of a server that is asked for, as Nova's schema of version 2.1 has them.
MEMBERS = {"name", "imageRef", "flavorRef", "adminPass", "metadata", "networks", "OS-DCF:diskConfig", "accessIPv4", "accessIPv6", "personality",
           "availability_zone", "block_device_mapping", "block_device_mapping_v2", "config_drive", "key_name", "min_count", "max_count",
           "return_reservation_id", "security_groups", "user_data"}


class Refused(Exception):
    def __init__(self, status, name, message, headers=None):
        super().__init__(message)
        self.status, self.name, self.message, self.headers = status, name, message, headers or {}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        self.machines, self.addresses, self.volumes, self.snapshots, self.tokens = {}, {}, {}, {}, {"test-admin"}
        self.number = 0

    def set(self, value):
        if "stop" in value:
            self.machines[value["stop"]]["off"] = True
        FLAVORS.update({number: tuple(its) for number, its in value.get("flavors", {}).items()})
        IMAGES.update(value.get("images", {}))
        if "expire" in value:
            self.tokens = {"test-admin"}
        for number in range(value.get("many", 0)):
            self.add({"name": "x%d" % number, "metadata": {"coopr-installation": value["of"], "coopr-node": "00000042-%d" % (5000 + number)},
                      "flavorRef": "1"}, ["lan"])

    def too_fast(self):
        return self.refuse(Refused(429, "overLimit", "This request was rate-limited.", {"Retry-After": 1}), "/compute")

    def owned(self):
        self.sweep()
        return [dict(id=m["id"], name=m["name"], address=list(self.fixed(m).values())[0], floating=self.floating(m), metadata=m["metadata"], asked=m["asked"], node=m["metadata"].get("coopr-node"),
                     user_data=base64.b64decode(m["asked"].get("user_data", "")).decode(), made=m["made"],
                     tags=["%s:%s" % pair for pair in m["metadata"].items()]) for m in self.machines.values()]

    def floating_addresses(self):
        return [address["description"] for address in self.addresses.values()]

    def sweep(self):
        """Servers that are being deleted go when it is time, and their addresses belong to nobody then."""
        for one in [m for m in self.machines.values() if m["gone"] and time.time() >= m["gone"]]:
            del self.machines[one["id"]]
            for address in self.addresses.values():
                if address["server"] == one["id"]:
                    address.update(server=None, port_id=None, fixed_ip_address=None)

    # --- requests ---

    def refuse(self, why, path):
        shape = {why.name: {"code": why.status, "message": why.message}}
        if path.startswith("/network"):
            shape = {"NeutronError": {"type": why.name, "message": why.message, "detail": ""}}
        elif path.startswith("/identity") or why.status == 401:
            shape = {"error": {"code": why.status, "message": why.message, "title": why.name}}
        return why.status, dict({"Content-Type": "application/json"}, **why.headers), json.dumps(shape).encode()

    def do(self, method, path, query, headers, body):
        self.sweep()
        try:
            status, more, value = self.answer(method, path.rstrip("/"), query, headers, body)
        except Refused as why:
            return self.refuse(why, path)
        return status, dict({"Content-Type": "application/json"}, **more), json.dumps(value).encode() if value is not None else b""

    def answer(self, method, path, query, headers, body):
        value = {}
        if body:
            if not headers.get("Content-Type", "").startswith("application/json"):
                raise Refused(415, "badMediaType", "Unsupported Content-Type")
            try:
                value = json.loads(body)
            except ValueError:
                raise Refused(400, "badRequest", "Malformed request body")
        base = "http://%s" % headers["Host"]
        versions = self.versions(method, path, base)
        if versions:
            return versions
        if method == "POST" and path in ("/identity/v3/auth/tokens", "/v3/auth/tokens"):
            return self.three(value, base)
        if method == "POST" and path in ("/identity/v2.0/tokens", "/v2.0/tokens"):
            return self.two(value, base)
        if headers.get("X-Auth-Token") not in self.tokens:
            raise Refused(401, "Unauthorized", "The request you have made requires authentication.")
        for prefix, service in (("/compute/v2.1", self.nova), ("/network/v2.0", self.neutron), ("/image/v2", self.glance),
                                ("/volume/v3/p1", self.cinder)):
            if path.startswith(prefix + "/"):
                return service(method, path[len(prefix):], query, headers, value)
        raise Refused(404, "itemNotFound", "The resource could not be found.")

    def versions(self, method, path, base):
        """What clients ask first, without a token: which versions there are."""
        def version(name, url, **more):
            return dict({"id": name, "status": "CURRENT", "links": [{"rel": "self", "href": base + url}]}, **more)
        nova = {} if self.settings.get("old") else {"version": "2.90", "min_version": "2.1"}
        documents = {"/identity/v3": {"version": version("v3.14", "/identity/v3/", **{"media-types": []})},
                     "/compute/v2.1": {"version": version("v2.1", "/compute/v2.1/", **nova)},
                     "/network": {"versions": [version("v2.0", "/network/v2.0/")]},
                     "/image": {"versions": [version("v2.9", "/image/v2/")]}}
        return (200, {}, documents[path]) if method == "GET" and path in documents else None

    # --- Keystone ---

    def token(self):
        name = "gAAAA" + uuid.uuid4().hex
        self.tokens.add(name)
        return name

    def deny(self):
        raise Refused(401, "Unauthorized", "The request you have made requires authentication.")

    def three(self, value, base):
        if not self.settings.get("three", True):
            raise Refused(404, "Not Found", "The resource could not be found.")
        auth = value.get("auth", {})
        identity, project = auth.get("identity", {}), auth.get("scope", {}).get("project", {})
        if identity.get("methods") == ["application_credential"]:
            given = identity.get("application_credential", {})
            if "scope" in auth or given.get("id") != CREDENTIAL or given.get("secret") != self.settings["token"]:
                self.deny()
        else:
            user = identity.get("password", {}).get("user", {})
            if identity.get("methods") != ["password"] or user.get("domain") != {"id": "default"} or project.get("domain") != {"id": "default"}:
                self.deny()
            if user.get("name") != USER or user.get("password") != self.settings["token"] or project.get("name") != PROJECT:
                self.deny()
        catalogue = [{"type": kind, "name": name, "id": kind, "endpoints": [
            {"id": "%s-%s-%s" % (kind, region, interface), "interface": interface, "region": region, "region_id": region, "url": base + path}
            for region in REGIONS for interface in ("admin", "internal", "public")]}
            for kind, name, path in (("identity", "keystone", "/identity"), ("network", "neutron", "/network"), ("image", "glance", "/image"),
                                     ("compute", "nova", "/compute/v2.1"), ("volumev3", "cinder", "/volume/v3/p1"), ("placement", "placement", "/placement"))]
        return 201, {"X-Subject-Token": self.token()}, {"token": {
            "methods": identity["methods"], "user": {"id": "u1", "name": USER, "domain": {"id": "default", "name": "Default"}},
            "project": {"id": "p1", "name": PROJECT, "domain": {"id": "default", "name": "Default"}}, "roles": [{"id": "r1", "name": "member"}],
            "issued_at": stamp(time.time()), "expires_at": stamp(time.time() + 3600), "catalog": catalogue}}

    def two(self, value, base):
        auth = value.get("auth", {})
        key = auth.get("RAX-KSKEY:apiKeyCredentials")
        if not key and not self.settings.get("two"):
            raise Refused(404, "Not Found", "The resource could not be found.")
        given = key or auth.get("passwordCredentials", {})
        if given.get("username") != USER or given.get("apiKey" if key else "password") != self.settings["token"]:
            self.deny()
        if not key and auth.get("tenantName") != PROJECT:
            self.deny()
        names = {"compute": "cloudServersOpenStack", "image": "cloudImages", "network": "cloudNetworks"}
        catalogue = [{"type": kind, "name": names[kind] if key else kind, "endpoints": [
            dict({"tenantId": "p1", "publicURL": base + path}, **({"region": region} if region else {}))
            for region in (["ORD", "DFW"] if key else REGIONS)]}
            for kind, path in (("network", "/network"), ("image", "/image/v2"), ("compute", "/compute/v2.1"))]
        if key:
            catalogue.insert(0, {"type": "compute", "name": "cloudServers", "endpoints": [{"tenantId": "p1", "publicURL": base + "/gone/v1.0"}]})
        return 200, {}, {"access": {"token": {"id": self.token(), "expires": stamp(time.time() + 3600), "tenant": {"id": "p1", "name": PROJECT}},
                                    "user": {"id": "u1", "name": USER, "roles": []}, "serviceCatalog": catalogue}}

    # --- Nova ---

    def nova(self, method, path, query, headers, value):
        wanted = headers.get("OpenStack-API-Version", "compute 2.1")
        if self.settings.get("old") and wanted != "compute 2.1":
            raise Refused(406, "computeFault", "Version %s is not supported by the API. Minimum is 2.1 and maximum is 2.1." % wanted.split()[-1])
        if path == "/servers" and method == "POST":
            return self.make(value)
        if path in ("/servers/detail", "/servers") and method == "GET":
            return self.list(query, headers)
        match = re.fullmatch(r"/servers/([^/]+)/os-volume_attachments(?:/([^/]+))?", path)
        if match:
            return self.attachment(method, match.group(1), match.group(2) or value.get("volumeAttachment", {}).get("volumeId"))
        match = re.fullmatch(r"/servers/([^/]+)(/action)?", path)
        if match:
            return self.one(method, match.group(1), match.group(2), value)
        if path in ("/flavors", "/flavors/detail") and method == "GET":
            whole = path == "/flavors/detail"
            return 200, {}, {"flavors": [self.flavor(number) if whole else {"id": number, "name": FLAVORS[number][0], "links": []}
                                         for number in sorted(FLAVORS)]}
        match = re.fullmatch(r"/flavors/([^/]+)", path)
        if match and match.group(1) in FLAVORS:
            return 200, {}, {"flavor": self.flavor(match.group(1))}
        if path == "/limits":
            return 200, {}, {"limits": {"rate": [], "absolute": {"maxTotalInstances": self.settings["capacity"] or -1,
                                                                 "totalInstancesUsed": len(self.machines)}}}
        if path == "/os-availability-zone":
            return 200, {}, {"availabilityZoneInfo": [{"zoneName": zone, "zoneState": {"available": True}, "hosts": None} for zone in ZONES]}
        if path == "/os-keypairs/ops":
            return 200, {}, {"keypair": {"name": "ops", "public_key": "ssh-ed25519 AAAA", "fingerprint": "00"}}
        raise Refused(404, "itemNotFound", "The resource could not be found.")

    def flavor(self, number):
        name, cpus, memory, disk = FLAVORS[number]
        return {"id": number, "name": name, "vcpus": cpus, "ram": memory, "disk": disk, "swap": "", "OS-FLV-EXT-DATA:ephemeral": 0,
                "OS-FLV-DISABLED:disabled": False, "os-flavor-access:is_public": True, "rxtx_factor": 1.0, "links": []}

    def check(self, server):
        text = {name: server.get(name) for name in ("name", "imageRef", "flavorRef", "user_data", "availability_zone", "key_name")}
        if set(server) - MEMBERS:
            raise Refused(400, "badRequest", "Invalid input for field/attribute server. Value: %s. Additional properties are not allowed (%s)" % (
                server, ", ".join("'%s' was unexpected" % name for name in sorted(set(server) - MEMBERS))))
        if not all(value is None or isinstance(value, str) for value in text.values()) or not text["name"] or not text["flavorRef"]:
            raise Refused(400, "badRequest", "Invalid input for field/attribute server. Value: %s." % server)
        for name, value in (server.get("metadata") or {}).items():
            if not re.fullmatch(r"[a-zA-Z0-9-_:. ]{1,255}", name) or not isinstance(value, str) or len(value) > 255:
                raise Refused(400, "badRequest", "Invalid input for field/attribute %s. Value: %s." % (name, value))
        if len(server.get("user_data", "")) > 65535:
            raise Refused(400, "badRequest", "Invalid input for field/attribute user_data. Value: is too long")
        base64.b64decode(server.get("user_data", ""), validate=True)
        if server["flavorRef"] not in FLAVORS:
            raise Refused(400, "badRequest", "Invalid flavorRef provided.")
        if server.get("imageRef") not in IMAGES:
            raise Refused(400, "badRequest", "Can not find requested image")
        if server.get("key_name") not in (None, "ops"):
            raise Refused(400, "badRequest", "Invalid key_name provided.")
        if server.get("availability_zone") not in (None, *ZONES):
            raise Refused(400, "badRequest", "The requested availability zone is not available")
        for group in server.get("security_groups") or []:
            if group["name"] not in GROUPS and group["name"] not in GROUPS.values():
                raise Refused(400, "badRequest", "Unable to find security_group with name or id '%s'" % group["name"])

    def networks(self):
        """The project's own: names by id."""
        return {LAN: "lan", **{"11111111-0000-4000-8000-1%011d" % number: name for number, name in enumerate(self.settings.get("networks", []))}}

    def attach(self, server):
        own = self.networks()
        if self.settings.get("rackspace"):
            return ["public", "private"]
        if "networks" not in server:
            if len(own) > 1:
                raise Refused(409, "conflictingRequest", "Multiple possible networks found, use a Network ID to be more specific.")
            return list(own.values())
        for network in server["networks"]:
            if network.get("uuid") not in own:
                raise Refused(400, "badRequest", "Network %s could not be found." % network.get("uuid"))
        return [own[network["uuid"]] for network in server["networks"]]

    def make(self, value):
        server = value.get("server")
        if set(value) - {"server", "os:scheduler_hints", "OS-SCH-HNT:scheduler_hints"} or not isinstance(server, dict):
            raise Refused(400, "badRequest", "Invalid input for field/attribute")
        self.check(server)
        networks = self.attach(server)
        most = self.settings["capacity"]
        if most and len(self.machines) >= most:
            raise Refused(403, "forbidden", "Quota exceeded for instances: Requested 1, but already used %d of %d instances" % (len(self.machines), most))
        one = self.add(server, networks)
        zone, flavor = one["zone"], FLAVORS[server["flavorRef"]][0]
        one["full"] = any(place in ("*", zone) and size in ("*", flavor) for place, size in self.settings.get("full", []))
        return 202, {}, {"server": {"id": one["id"], "links": [], "OS-DCF:diskConfig": "MANUAL", "security_groups": [{"name": "default"}],
                                    "adminPass": "hxgnjoJ7Ty4a"}}

    def add(self, server, networks):
        self.number += 1
        one = {"id": str(uuid.UUID(int=(0x5eed << 112) | self.number)), "number": self.number, "name": server["name"],
               "metadata": dict(server.get("metadata") or {}), "asked": server, "networks": networks, "made": time.time(), "gone": None, "full": False, "off": False,
               "zone": server.get("availability_zone") or "nova"}
        self.machines[one["id"]] = one
        return one

    def fixed(self, one):
        """The addresses of the server inside: of the first network those of this host, where an sshd may answer."""
        n = one["number"]
        return {network: "%d.%d.%d.%d" % (10 if at else 127, (n >> 16 & 127) + at, n >> 8 & 255, n & 255) for at, network in enumerate(one["networks"])}

    def floating(self, one):
        return "127.200.%d.%d" % (one["number"] >> 8 & 255, one["number"] & 255)

    def server(self, one, embedded):
        age = (time.time() - one["made"]) * 1000
        status = "BUILD" if age < self.settings["active_ms"] else "ERROR" if one["full"] else "ACTIVE"
        if one["off"] and status == "ACTIVE":
            status = "SHUTOFF"
        addresses = {}
        for network, address in self.fixed(one).items() if status in ("ACTIVE", "SHUTOFF") else []:
            addresses[network] = [{"version": 4, "addr": address, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": "fa:16:3e:00:00:01"}]
        name, cpus, memory, disk = FLAVORS[one["asked"]["flavorRef"]]
        metadata = dict(one["metadata"])
        if "connect_ms" in self.settings and status == "ACTIVE":
            late = age < self.settings["active_ms"] + self.settings["connect_ms"]
            metadata["rackconnect_automation_status"] = "DEPLOYING" if late else "DEPLOYED"
        value = {"id": one["id"], "name": one["name"], "status": status, "metadata": metadata, "addresses": addresses, "tenant_id": "p1",
                 "user_id": "u1", "created": stamp(one["made"]), "updated": stamp(one["made"]), "accessIPv4": self.fixed(one).get("public", ""), "accessIPv6": "", "links": [],
                 "image": {"id": one["asked"].get("imageRef"), "links": []}, "key_name": one["asked"].get("key_name"), "hostId": "aa", "progress": 0,
                 "OS-EXT-AZ:availability_zone": one["zone"], "OS-EXT-STS:task_state": "deleting" if one["gone"] else None,
                 "OS-SRV-USG:launched_at": stamp(one["made"]).rstrip("Z") + ".000000" if addresses else None, "OS-SRV-USG:terminated_at": None,
                 "OS-EXT-STS:vm_state": "active", "OS-EXT-STS:power_state": 1, "OS-DCF:diskConfig": "MANUAL", "config_drive": "",
                 "os-extended-volumes:volumes_attached": [], "security_groups": [{"name": "default"}],
                 "flavor": {"original_name": name, "vcpus": cpus, "ram": memory, "disk": disk, "ephemeral": 0, "swap": 0, "extra_specs": {}}
                 if embedded else {"id": one["asked"]["flavorRef"], "links": []}}
        # Lists have no faults of servers that got no host: those are in a cell of their own.
        if status == "ERROR" and not embedded and age >= self.settings["active_ms"] + self.settings.get("fault_ms", 0):
            value["fault"] = {"code": 500, "created": stamp(one["made"]), "message": "No valid host was found. There are not enough hosts available."}
        return value

    def list(self, query, headers):
        limit = min(int(query.get("limit", 1000)), 1000)
        now = time.time() * 1000
        seen = [m for m in self.machines.values() if now - m["made"] * 1000 >= self.settings["visible_ms"]]
        if query.get("sort_dir", "desc") == "desc":
            seen.reverse()
        if query.get("marker"):
            ids = [m["id"] for m in seen]
            if query["marker"] not in ids:
                raise Refused(400, "badRequest", "marker [%s] not found" % query["marker"])
            seen = seen[ids.index(query["marker"]) + 1:]
        version = headers.get("OpenStack-API-Version", "compute 2.1").split(".")[-1]
        value = {"servers": [self.server(m, int(version) >= 47) for m in seen[:limit]]}
        if len(seen) > limit:
            value["servers_links"] = [{"rel": "next", "href": "http://elsewhere.example/servers/detail?marker=%s" % seen[limit - 1]["id"]}]
        return 200, {}, value

    def one(self, method, number, action, value):
        one = self.machines.get(number)
        if not one:
            raise Refused(404, "itemNotFound", "Instance %s could not be found." % number)
        if action:
            if set(value) != {"os-getConsoleOutput"}:
                raise Refused(400, "badRequest", "There is no such action: %s" % ", ".join(value))
            return 200, {}, {"output": self.settings.get("console", "")}
        if method == "DELETE":
            if self.settings.get("locked"):
                raise Refused(409, "conflictingRequest", "Instance %s is locked" % number)
            if not one["gone"]:
                one["gone"] = time.time() + self.settings.get("delete_ms", 0) / 1000
            self.sweep()
            return 204, {}, None
        return 200, {}, {"server": self.server(one, False)}

    # --- Cinder, and Nova's part of volumes ---

    def disks(self):
        return [dict(id=v["id"], name=v["metadata"].get("coopr-volume"), machine=self.holder(v), device="/dev/disk/by-id/virtio-%.20s" % v["id"], of=v["of"], snapshot=False, forced=v["forced"],
                     made=v["made"], size=v["size"])
                for v in self.volumes.values()] + [dict(id=s["id"], name=s["metadata"].get("coopr-volume"), machine=None, of=s["of"], snapshot=True, forced=False,
                                                        made=s["made"], size=s["size"]) for s in self.snapshots.values()]

    def holder(self, volume):
        return volume["machine"] if volume["machine"] in self.machines else None

    def is_new(self, one):
        late_ms = self.settings.get("snapshot_ms") if one["id"] in self.snapshots else None
        return (time.time() - one["made"]) * 1000 < (self.settings["active_ms"] if late_ms is None else late_ms)

    def disk(self, rows, number):
        if number not in rows:
            raise Refused(404, "itemNotFound", "Volume %s could not be found." % number)
        return rows[number]

    def volume(self, v):
        holder = self.holder(v)
        return {"id": v["id"], "name": v["name"], "size": v["size"], "metadata": v["metadata"], "availability_zone": v["zone"], "snapshot_id": v["of"],
                "status": "creating" if self.is_new(v) else "in-use" if holder else "available", "created_at": stamp(v["made"]).rstrip("Z") + ".000000",
                "attachments": [{"server_id": holder, "volume_id": v["id"], "id": v["id"], "device": "/dev/vdb", "attachment_id": v["id"]}] if holder else []}

    def snapshot(self, s):
        return {"id": s["id"], "name": s["name"], "size": s["size"], "metadata": s["metadata"], "volume_id": s["of"], "status": "creating" if self.is_new(s) else "available"}

    def attachment(self, method, server, number):
        one, volume = self.machines.get(server), self.disk(self.volumes, number)
        if not one:
            raise Refused(404, "itemNotFound", "Instance %s could not be found." % server)
        if method == "POST":
            if self.holder(volume) or self.is_new(volume):
                raise Refused(400, "badRequest", "Invalid volume: volume %s status must be available or downloading to reserve, but the current status is "
                              "%s." % (number, self.volume(volume)["status"]))
            volume["machine"] = server
            return 200, {}, {"volumeAttachment": {"id": number, "volumeId": number, "serverId": server, "device": "/dev/vdb"}}
        if method != "DELETE" or self.holder(volume) != server:
            raise Refused(404, "itemNotFound", "volume_id not found: %s" % number)
        volume.update(machine=None, forced=not one["off"])
        return 202, {}, None

    def add_disk(self, rows, asked, known, size, of):
        if set(asked) - known or not all(isinstance(value, str) for value in asked.get("metadata", {}).values()):
            raise Refused(400, "badRequest", "Additional properties are not allowed (%s)" % ", ".join(sorted(set(asked) - known)))
        zone = asked.get("availability_zone") or "nova"
        if zone != "nova":
            raise Refused(400, "badRequest", "Availability zone '%s' is invalid." % zone)
        number = str(uuid.uuid4())
        rows[number] = {"id": number, "name": asked.get("name"), "size": size, "metadata": asked.get("metadata", {}), "zone": zone, "of": of,
                        "made": time.time(), "machine": None, "forced": False}
        return rows[number]

    def cinder(self, method, path, query, headers, value):
        if path in ("/volumes/detail", "/snapshots/detail") and method == "GET":
            rows, shape = (self.volumes, self.volume) if path == "/volumes/detail" else (self.snapshots, self.snapshot)
            return 200, {}, {path.split("/")[1]: [shape(row) for row in rows.values()]}
        if path == "/volumes" and method == "POST":
            asked = value["volume"]
            of = asked.get("snapshot_id")
            if of and of not in self.snapshots:
                raise Refused(404, "itemNotFound", "Snapshot %s could not be found." % of)
            if of and self.is_new(self.snapshots[of]):
                raise Refused(400, "badRequest", "Invalid snapshot: Originating snapshot status must be one of 'available' values")
            made = self.add_disk(self.volumes, asked, {"name", "size", "metadata", "availability_zone", "snapshot_id", "volume_type"}, asked["size"], of)
            return 202, {}, {"volume": self.volume(made)}
        if path == "/snapshots" and method == "POST":
            asked = value["snapshot"]
            volume = self.disk(self.volumes, asked.get("volume_id"))
            if self.holder(volume) and not asked.get("force"):
                raise Refused(400, "badRequest", "Invalid volume: Volume %s status must be available, but current status is: in-use." % volume["id"])
            made = self.add_disk(self.snapshots, asked, {"name", "metadata", "volume_id", "force"}, volume["size"], volume["id"])
            return 202, {}, {"snapshot": self.snapshot(made)}
        match = re.fullmatch(r"/(volumes|snapshots)/([^/]+)", path)
        if match and method == "DELETE":
            rows = self.volumes if match.group(1) == "volumes" else self.snapshots
            one = self.disk(rows, match.group(2))
            if self.holder(one):
                raise Refused(400, "badRequest", "Invalid volume: Volume status must be available or error or error_restoring or error_extending or "
                              "error_managing and must not be migrating, attached, belong to a group, have snapshots or be disassociated from snapshots "
                              "after volume transfer.")
            del rows[one["id"]]
            return 202, {}, None
        raise Refused(404, "itemNotFound", "The resource could not be found.")

    # --- Neutron and Glance ---

    def neutron(self, method, path, query, headers, value):
        if path == "/networks" and method == "GET":
            rows = [{"id": number, "name": name, "router:external": False, "shared": False, "status": "ACTIVE"} for number, name in self.networks().items()]
            rows.append({"id": EXT, "name": "ext", "router:external": True, "shared": True, "status": "ACTIVE"})
            if "router:external" in query:
                rows = [row for row in rows if str(row["router:external"]) == query["router:external"]]
            return 200, {}, {"networks": self.filtered(rows, query)}
        if path == "/security-groups" and method == "GET":
            return 200, {}, {"security_groups": self.filtered([{"id": number, "name": name} for number, name in GROUPS.items()], query)}
        if path == "/ports" and method == "GET":
            one = self.machines.get(query.get("device_id"))
            return 200, {}, {"ports": [{"id": "port-%s-%s" % (network, one["id"]), "device_id": one["id"], "fixed_ips": [
                {"subnet_id": network, "ip_address": address}]} for network, address in self.fixed(one).items()] if one else []}
        if path == "/floatingips" and method == "GET":
            rows = [{name: v for name, v in a.items() if name != "server"} for a in self.addresses.values()]
            return 200, {}, {"floatingips": self.filtered(rows, query)}
        if path == "/floatingips" and method == "POST":
            return self.allocate(value.get("floatingip", {}))
        match = re.fullmatch(r"/floatingips/([^/]+)", path)
        if match and match.group(1) in self.addresses and method == "DELETE":
            del self.addresses[match.group(1)]
            return 204, {}, None
        raise Refused(404, "FloatingIPNotFound", "%s could not be found." % path)

    def filtered(self, rows, query):
        return [row for row in rows if all(row.get(name) == query[name] for name in ("id", "name", "description") if name in query)]

    def allocate(self, asked):
        if set(asked) - {"floating_network_id", "port_id", "fixed_ip_address", "description", "subnet_id", "tenant_id", "project_id"}:
            raise Refused(400, "HTTPBadRequest", "Unrecognized attribute(s) '%s'" % "', '".join(sorted(asked)))
        if asked.get("floating_network_id") != EXT:
            raise Refused(400, "BadRequest", "Bad floatingip request: Network %s is not a valid external network." % asked.get("floating_network_id"))
        match = re.fullmatch(r"port-([^-]+)-(.*)", asked.get("port_id") or "")
        one = self.machines.get(match.group(2)) if match else None
        if not one:
            raise Refused(404, "PortNotFound", "Port %s could not be found." % asked.get("port_id"))
        for address in self.addresses.values():
            if address["port_id"] == asked["port_id"]:
                raise Refused(409, "FloatingIPPortAlreadyAssociated", "Cannot associate floating IP 203.0.113.9 with port %s using fixed IP %s, as that "
                              "fixed IP already has a floating IP on external network %s." % (asked["port_id"], address["fixed_ip_address"], EXT))
        if self.settings.get("addresses") and len(self.addresses) >= self.settings["addresses"]:
            raise Refused(409, "OverQuota", "Quota exceeded for resources: ['floatingip'].")
        row = {"id": str(uuid.uuid4()), "floating_network_id": EXT, "port_id": asked["port_id"], "status": "ACTIVE", "description": asked.get("description", ""),
               "fixed_ip_address": self.fixed(one)[match.group(1)], "floating_ip_address": self.floating(one), "server": one["id"]}
        self.addresses[row["id"]] = row
        return 201, {}, {"floatingip": {name: v for name, v in row.items() if name != "server"}}

    def glance(self, method, path, query, headers, value):
        rows = [{"id": number, "name": name, "status": "active", "visibility": "public"} for number, name in IMAGES.items()]
        if path == "/images" and method == "GET":
            return 200, {}, {"images": self.filtered(rows, query), "schema": "/v2/schemas/images", "first": "/v2/images"}
        match = re.fullmatch(r"/images/([^/]+)", path)
        if match and urllib.parse.unquote(match.group(1)) in IMAGES:
            return 200, {}, next(row for row in rows if row["id"] == match.group(1))
        raise Refused(404, "itemNotFound", "No image found with ID %s" % path.split("/")[-1])
