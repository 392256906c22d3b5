# SPDX-License-Identifier: Apache-2.0
#
# Version 2 of DigitalOcean's API, as far as droplets go: what its description demands of a request is refused as there.
import json
import re
import time
import urllib.parse

NAME = re.compile(r"^[a-zA-Z0-9]?[a-z0-9A-Z.\-]*[a-z0-9A-Z]$")
TAG = re.compile(r"^[a-zA-Z0-9_:\-]{1,255}$")
MEMBERS = {"name", "names", "region", "size", "image", "ssh_keys", "backups", "backup_policy", "ipv6", "monitoring", "tags", "user_data",
           "private_networking", "volumes", "vpc_uuid", "with_droplet_agent"}
SIZES = {"s-1vcpu-1gb": (1024, 1, 25, 0.00893), "s-2vcpu-4gb": (4096, 2, 80, 0.03571), "large": (4096, 2, 80, 0.03571)}
REGIONS = ["nyc3", "ams3", "fra1"]
IMAGES = ["debian-12-x64", "63663980"]
VPCS, KEYS = ["5a4981aa-9653-4bd1-bef5-d6bff52042e4"], ["512189", "3b:16:bf:e4:8b:00:8b:b8:59:8c:a9:d3:f0:19:45:fa"]


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        self.machines = {}
        self.number = 3164443
        self.tags = set()  # which stay until they are deleted

    def set(self, value):
        """An installation has many."""
        for number in range(value.get("many", 0)):
            self.add({"name": "many-%d" % number, "tags": ["coopr-installation:" + value["of"], "coopr-provider:do", "coopr-machine:00000043-%d:many" % (2000 + number)],
                      "region": "nyc3", "size": "large", "image": "debian-12-x64"})

    def error(self, status, name, message):
        return status, {"Content-Type": "application/json; charset=utf-8"}, json.dumps({"id": name, "message": message}).encode()

    def good(self, status, value):
        return status, {"Content-Type": "application/json; charset=utf-8", "ratelimit-limit": 5000, "ratelimit-remaining": 4816}, \
            json.dumps(value).encode() if value is not None else b""

    def too_fast(self):
        status, headers, body = self.error(429, "too_many_requests", "API Rate limit exceeded.")
        return status, dict(headers, **{"Retry-After": 1}), body

    def owned(self):
        return [dict(id=m["id"], name=m["name"], address=self.address(m["id"]), tags=m["tags"], user_data=m["user_data"], made=m["made"]) for m in self.machines.values()]

    @staticmethod
    def address(n):
        return "127.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255)

    def do(self, method, path, query, headers, body):
        if headers.get("Authorization") != "Bearer " + self.settings["token"]:
            return self.error(401, "unauthorized", "Unable to authenticate you")
        value = {}
        if body:
            if not headers.get("Content-Type", "").startswith("application/json"):
                return self.error(415, "unsupported_media_type", "unsupported media type")
            try:
                value = json.loads(body)
            except ValueError:
                return self.error(400, "bad_request", "error parsing json")
        path = path.rstrip("/")
        if path == "/v2/account":
            return self.good(200, {"account": {"droplet_limit": self.settings["capacity"] or 25, "floating_ip_limit": 5, "email": "sammy@example.com",
                                               "uuid": "b6fr89dbf6d9156cace5f3c78dc9851d957381ef", "email_verified": True, "status": "active",
                                               "status_message": ""}})
        if path == "/v2/regions":
            return self.good(200, {"regions": [self.region(r) for r in REGIONS], "links": {}, "meta": {"total": len(REGIONS)}})
        if path == "/v2/sizes":
            return self.good(200, {"sizes": [self.size(s) for s in sorted(SIZES)], "links": {}, "meta": {"total": len(SIZES)}})
        for folder, member, known in (("images", "image", IMAGES), ("vpcs", "vpc", VPCS), ("account/keys", "ssh_key", KEYS)):
            match = re.fullmatch("/v2/%s/([^/]+)" % folder, path)
            if match and method == "GET" and urllib.parse.unquote(match.group(1)) in known:
                return self.good(200, {member: {"id": match.group(1)}})
        if path == "/v2/tags" and method == "GET":
            return self.good(200, {"tags": [self.tag(name) for name in sorted(self.tags)], "links": {}, "meta": {"total": len(self.tags)}})
        match = re.fullmatch("/v2/tags/([^/]+)", path)
        if match and method == "DELETE" and match.group(1) in self.tags:
            self.tags.discard(match.group(1))
            for machine in self.machines.values():
                machine["tags"] = [tag for tag in machine["tags"] if tag != match.group(1)]
            return self.good(204, None)
        if path == "/v2/droplets" and method == "POST":
            return self.make(value)
        if path == "/v2/droplets" and method == "GET":
            return self.list(query)
        match = re.fullmatch(r"/v2/droplets/([0-9]+)", path)
        if match:
            return self.one(method, int(match.group(1)))
        return self.error(404, "not_found", "The resource you were accessing could not be found.")

    def region(self, slug):
        return {"name": slug, "slug": slug, "features": ["image_transfer"], "available": True, "sizes": sorted(SIZES)}

    def tag(self, name):
        count = sum(name in machine["tags"] for machine in self.machines.values())
        return {"name": name, "resources": {"count": count, "droplets": {"count": count}}}

    def size(self, slug):
        memory, cpus, disk, price = SIZES[slug]
        return {"slug": slug, "memory": memory, "vcpus": cpus, "disk": disk, "transfer": 1, "price_monthly": price * 672, "price_hourly": price,
                "regions": REGIONS, "available": True, "description": "Basic"}

    def make(self, value):
        name, tags = value.get("name"), value.get("tags") or []
        if not isinstance(name, str) or not NAME.match(name):
            return self.error(422, "unprocessable_entity", "Only valid hostname characters are allowed. (a-z, A-Z, 0-9, . and -)")
        if set(value) - MEMBERS:
            return self.error(422, "unprocessable_entity", "unknown fields: %s" % sorted(set(value) - MEMBERS))
        if value.get("size") not in SIZES:
            return self.error(422, "unprocessable_entity", "You specified an invalid size for Droplet creation.")
        if value.get("region") not in REGIONS:
            return self.error(422, "unprocessable_entity", "You specified an invalid region for Droplet creation.")
        if not isinstance(value.get("image"), (str, int)) or value["image"] == "none":
            return self.error(422, "unprocessable_entity", "You specified an invalid image for Droplet creation.")
        if not all(isinstance(tag, str) and TAG.match(tag) for tag in tags):
            return self.error(422, "unprocessable_entity", "Tag names can only contain letters, numbers, colons, dashes and underscores")
        if not isinstance(value.get("user_data", ""), str) or len(value.get("user_data", "")) > 64 * 1024:
            return self.error(422, "unprocessable_entity", "User data must be a string of at most 64 KiB")
        if any(region in ("*", value["region"]) and size in ("*", value["size"]) for region, size in self.settings.get("full", [])):
            return self.error(422, "unprocessable_entity", "Size is not available in this region.")
        if self.settings["capacity"] and len(self.machines) >= self.settings["capacity"]:
            return self.error(422, "unprocessable_entity", "creating this/these droplet(s) will exceed your droplet limit")
        return self.good(202, {"droplet": self.droplet(self.add(dict(value, tags=tags))),
                               "links": {"actions": [{"id": 7515, "rel": "create", "href": "https://api.digitalocean.com/v2/actions/7515"}]}})

    def add(self, value):
        self.number += 1
        self.tags.update(value["tags"])
        self.machines[self.number] = {"id": self.number, "made": time.time(), "user_data": value.get("user_data"), "ipv6": value.get("ipv6", False),
                                      **{member: value[member] for member in ("name", "tags", "region", "size", "image")}}
        return self.machines[self.number]

    def droplet(self, m):
        memory, cpus, disk, _ = SIZES[m["size"]]
        age = (time.time() - m["made"]) * 1000
        active = age >= self.settings["active_ms"]
        n = m["id"]
        networks = [{"ip_address": "10.%d.%d.%d" % (n >> 16 & 255, n >> 8 & 255, n & 255), "netmask": "255.255.0.0", "gateway": "10.0.0.1", "type": "private"},
                    {"ip_address": self.address(n), "netmask": "255.255.255.0", "gateway": "203.0.113.1", "type": "public"}]
        six = [{"ip_address": "2604:a880::%x:%x" % (n >> 16, n & 65535), "netmask": 64, "gateway": "2604:a880::1", "type": "public"}]
        return {"id": n, "name": m["name"], "memory": memory, "vcpus": cpus, "disk": disk, "locked": not active, "status": "active" if active else "new",
                "kernel": None, "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(m["made"])), "features": ["private_networking"],
                "backup_ids": [], "next_backup_window": None, "snapshot_ids": [], "volume_ids": [], "size": self.size(m["size"]), "size_slug": m["size"],
                "image": {"id": 1, "name": "12 x64", "distribution": "Debian", "slug": str(m["image"]), "public": True, "regions": REGIONS,
                          "created_at": "2026-01-01T00:00:00Z", "min_disk_size": 10, "type": "base", "size_gigabytes": 1},
                "networks": {"v4": networks if active else [], "v6": six if active and m["ipv6"] else []}, "region": self.region(m["region"]), "tags": m["tags"], "vpc_uuid": ""}

    def list(self, query):
        page, per_page = int(query.get("page", 1)), int(query.get("per_page", 20))
        if not 1 <= per_page <= 200:
            return self.error(400, "bad_request", "per_page must be from 1 to 200")
        now = time.time() * 1000
        seen = [m for _, m in sorted(self.machines.items()) if now - m["made"] * 1000 >= self.settings["visible_ms"]
                and (query.get("tag_name") is None or query["tag_name"] in m["tags"])]
        some = seen[(page - 1) * per_page: page * per_page]
        links = {}
        if page * per_page < len(seen):
            links = {"pages": {"next": "https://api.digitalocean.com/v2/droplets?page=%d" % (page + 1)}}
        return self.good(200, {"droplets": [self.droplet(m) for m in some], "links": links, "meta": {"total": len(seen)}})

    def one(self, method, number):
        machine = self.machines.get(number)
        if not machine:
            return self.error(404, "not_found", "The resource you were accessing could not be found.")
        if method == "DELETE":
            del self.machines[number]
            return self.good(204, None)
        return self.good(200, {"droplet": self.droplet(machine)})
