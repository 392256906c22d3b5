# SPDX-License-Identifier: Apache-2.0
#
# A daemon of containers, as Docker's API has it, as far as machines go; podman's where it differs: {"docker": true} makes it Docker. Nothing runs
# in its containers.
import io
import json
import os
import re
import tarfile
import time

NAME = re.compile(r"^[a-zA-Z0-9][a-zA-Z0-9_.-]*$")
MEMBERS = {"Image", "Hostname", "Labels", "Entrypoint", "Cmd", "User", "HostConfig", "NetworkingConfig"}
HOST_MEMBERS = {"NetworkMode", "Memory", "NanoCpus", "PidsLimit", "RestartPolicy", "CapAdd", "Privileged", "Mounts", "Binds"}
JSON = {"Content-Type": "application/json"}


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        self.machines = {}
        self.named = {}
        self.number = 0
        self.images = {"node"}
        self.registry = {"registry.example/node"}
        self.networks = {"podman", "bridge", "lab"}

    def error(self, status, text):
        return status, JSON, json.dumps({"cause": text, "message": text, "response": status}).encode()

    def good(self, status, value):
        return status, JSON if value is not None else {}, json.dumps(value).encode() if value is not None else b""

    def too_fast(self):
        return self.error(429, "slow down")

    def set(self, value):
        if value.get("stop"):
            for machine in self.machines.values():
                machine["state"] = "exited"

    def owned(self):
        return [dict(id=m["id"], name=m["name"], tags=m["body"]["Labels"], body=m["body"], files=m["files"], state=m["state"])
                for m in self.machines.values()]

    def do(self, method, path, query, headers, body):
        path = re.sub(r"^/v1\.[0-9]+/", "/", path)
        parts = path.strip("/").split("/")
        if path == "/_ping":
            return 200, {"Content-Type": "text/plain", "Api-Version": "1.40"}, b"OK"
        if path == "/version":
            return self.good(200, {"Version": "4.3.1", "Components": [{"Name": "Podman Engine"}], "Platform": {"Name": "linux/amd64/fake"}})
        if path == "/containers/json" and method == "GET":
            return self.list(query)
        if parts[0] == "volumes":
            return self.volume(method, parts[1:], query, body)
        if path == "/containers/create" and method == "POST":
            return self.create(query.get("name", ""), headers, body)
        if path == "/images/create" and method == "POST":
            return self.pull(query)
        if parts[0] == "images" and parts[-1] == "json":
            found = "/".join(parts[1:-1]) in self.images
            return self.good(200, {}) if found else self.error(404, "failed to find image %s: no such image" % "/".join(parts[1:-1]))
        if parts[0] == "networks" and len(parts) == 2:
            return self.good(200, {"Name": parts[1]}) if parts[1] in self.networks else self.error(404, "network not found")
        if parts[0] == "containers" and len(parts) in (2, 3):
            return self.one(method, parts[1], parts[2] if len(parts) == 3 else "", query, headers, body)
        return self.error(404, "page not found")

    def disks(self):
        return [{"id": name, "name": name, "snapshot": "coopr-snapshot" in labels, "machine": next((m["id"] for m in self.users(name)), None)}
                for name, labels in self.named.items()]

    def users(self, volume):
        return [m for m in self.machines.values() if volume in [n["Source"] for n in m["body"].get("HostConfig", {}).get("Mounts", [])] +
                [b.split(":")[0] for b in m["body"].get("HostConfig", {}).get("Binds", [])]]

    def volume(self, method, parts, query, body):
        if not parts and method == "GET":
            wanted = json.loads(query.get("filters", "{}")).get("label", [])
            return self.good(200, {"Volumes": [{"Name": name, "Labels": labels} for name, labels in self.named.items()
                                               if all("%s=%s" % tuple(w.split("=", 1)) in ["%s=%s" % pair for pair in labels.items()] for w in wanted)]})
        if parts == ["create"] and method == "POST":
            value = json.loads(body)
            if set(value) != {"Name", "Labels"} or not NAME.match(value["Name"]):
                return self.error(400, "bad parameter")
            self.named.setdefault(value["Name"], value["Labels"])
            return self.good(201, {"Name": value["Name"], "Labels": self.named[value["Name"]]})
        if len(parts) != 1 or parts[0] not in self.named:
            return self.error(404, "no such volume")
        if method == "GET":
            return self.good(200, {"Name": parts[0], "Labels": self.named[parts[0]]})
        if self.users(parts[0]):
            return self.error(409, "volume %s is being used by the following container(s)" % parts[0])
        del self.named[parts[0]]
        return self.good(204, None)

    def pull(self, query):
        if query.get("fromImage") not in self.registry or query.get("tag") != "latest":
            text = '{"status":"Trying to pull"}\n{"error":"initializing source: manifest unknown","errorDetail":{"message":"manifest unknown"}}\n'
            return 200, JSON, text.encode()
        self.images.add(query["fromImage"])
        return 200, JSON, b'{"status":"Pulling fs layer"}\n{"status":"Download complete"}\n'

    def create(self, name, headers, body):
        if not headers.get("Content-Type", "").startswith("application/json"):
            return self.error(400, "unsupported content type")
        value = json.loads(body)
        host = value.get("HostConfig", {})
        if set(value) - MEMBERS or set(host) - HOST_MEMBERS or not NAME.match(name):
            return self.error(400, "bad parameter: %s %s %s" % (sorted(set(value) - MEMBERS), sorted(set(host) - HOST_MEMBERS), name))
        if value["Image"] not in self.images:
            return self.error(404, "no such image: %s: image not known" % value["Image"])
        for mount in host.get("Mounts", []):
            if set(mount) != {"Type", "Source", "Target", "VolumeOptions"} or mount["Type"] != "volume" or mount["Source"] not in self.named:
                return self.error(500, "no such volume")
        if host.get("NetworkMode", "bridge") not in self.networks | {"none"}:
            return self.error(500, "unable to find network with name or ID %s: network not found" % host["NetworkMode"])
        if any(m["name"] == name for m in self.machines.values()):
            return self.error(409 if self.settings.get("docker") else 500, "the container name %s is already in use" % name)
        self.number += 1
        made = "%064x" % self.number
        self.machines[made] = {"id": made, "name": name, "body": value, "files": {}, "state": "created", "made": time.time(), "number": self.number}
        return self.good(201, {"Id": made, "Warnings": []})

    def address(self, machine):
        number = machine["number"]
        wanted = machine["body"].get("NetworkingConfig", {}).get("EndpointsConfig", {}).get("lab", {}).get("IPAMConfig", {}).get("IPv4Address")
        return (wanted or "127.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)) if machine["state"] == "running" else ""

    def list(self, query):
        wanted = json.loads(query.get("filters", "{}")).get("label", [])
        found = []
        for m in self.machines.values():
            labels = m["body"]["Labels"]
            if query.get("all") != "true" and m["state"] != "running" or not all("%s=%s" % pair in wanted for pair in labels.items()
                                                                                if any(w.startswith(pair[0] + "=") for w in wanted)):
                continue
            address = self.address(m)
            found.append({"Id": m["id"], "Names": ["/" + m["name"]], "Image": m["body"]["Image"], "Created": int(m["made"]), "Labels": labels,
                          "State": m["state"], "Status": "Up" if address else m["state"].capitalize() + (" (127)" if m["state"] == "exited" else ""),
                          "NetworkSettings": {"Networks": {"lab": {"IPAddress": address, "GlobalIPv6Address": ""}}}})
        return self.good(200, found)

    def one(self, method, name, verb, query, headers, body):
        machine = next((m for m in self.machines.values() if name in (m["id"], m["name"])), None)
        if not machine:
            return self.error(404, "no container with name or ID %s found: no such container" % name)
        if method == "DELETE" and not verb:
            if machine["state"] == "running" and query.get("force") not in ("true", "1"):
                return self.error(409, "the container is running")
            del self.machines[machine["id"]]
            return self.good(204, None)
        if method == "GET" and verb == "json":
            body, network = machine["body"], machine["body"].get("HostConfig", {}).get("NetworkMode", "bridge")
            # What copies volumes does so at once.
            return self.good(200, {"Id": machine["id"], "State": {"Status": machine["state"], "ExitCode": 0}, "HostConfig": body.get("HostConfig", {}),
                                   "Config": {k: body[k] for k in ("Labels", "Image", "Hostname", "Entrypoint", "User") if k in body},
                                   "NetworkSettings": {"Networks": {network: {"IPAddress": self.address(machine), "GlobalIPv6Address": ""}}}})
        if method == "GET" and verb == "archive":
            folder, out = query["path"].strip("/"), io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as tar:
                for name, (mode, text) in machine["files"].items():
                    if name.startswith(folder + "/"):
                        entry = tarfile.TarInfo(folder.split("/")[-1] + name[len(folder):])
                        entry.mode, entry.size = int(mode, 8), len(text.encode())
                        tar.addfile(entry, io.BytesIO(text.encode()))
            return 200, {"Content-Type": "application/x-tar"}, out.getvalue()
        if method == "POST" and verb == "rename":
            machine["name"] = query["name"]
            return self.good(204, None)
        if method == "GET" and verb == "logs":
            text = b"there is no sshd in this image\n"
            return 200, {}, bytes([2, 0, 0, 0]) + len(text).to_bytes(4, "big") + text
        if method == "PUT" and verb == "archive":
            with tarfile.open(fileobj=io.BytesIO(body)) as tar:
                for entry in tar:
                    if entry.isfile():
                        machine["files"][os.path.join(query["path"].strip("/"), entry.name)] = [oct(entry.mode), tar.extractfile(entry).read().decode()]
            return self.good(200, None)
        if method == "POST" and verb == "start":
            if machine["state"] == "running":
                return self.good(304, None)
            if self.settings.get("start_fails"):
                return self.error(500, "runc: exec failed: no space left on device")
            machine["state"] = "exited" if self.settings.get("exits") or "coopr-copy" in machine["body"]["Labels"] else "running"
            return self.good(204, None)
        return self.error(404, "page not found")
