# SPDX-License-Identifier: Apache-2.0
#
# The Query API of Amazon EC2, as far as instances, volumes and images go, and the metadata service of an instance ("role" is that of its profile); "gone_ms": for how long an instance shuts down, and a volume is detached. Signatures of version 4 are verified in earnest, parameters are checked as there.
import base64
import calendar
import fnmatch
import hashlib
import hmac
import json
import re
import time
import urllib.parse
from xml.sax.saxutils import escape

IMAGES = {"self": [("ami-00000001", "golden", "2026-01-01T00:00:00.000Z"), ("ami-00000002", "golden", "2026-03-01T00:00:00.000Z")],
          "136693071363": [("ami-0000000a", "debian-12-amd64-20260101-1", "2026-01-01T10:00:00.000Z"), ("ami-0000000b", "debian-12-amd64-20260301-9", "2026-03-01T10:00:00.000Z"),
                           ("ami-0000000c", "debian-12-arm64-20260401-9", "2026-04-01T10:00:00.000Z")],
          "099720109477": [("ami-000000aa", "ubuntu/images/hvm-ssd/jammy-20260101", "2026-01-01T10:00:00.000Z")]}
KEY, SECRET = "AKIDEXAMPLE", "secret/key+EXAMPLE"
TYPES = {"t3.micro", "t3.large", "m5.large", "large"}
ZONES = ["us-east-1a", "us-east-1b"]
KNOWN = re.compile(r"^(Action|Version|ClientToken|ImageId|InstanceType|MinCount|MaxCount|KeyName|UserData|SubnetId|SecurityGroup(Id)?\.[0-9]+|"
                   r"Placement\.(AvailabilityZone|GroupName|Tenancy)|IamInstanceProfile\.(Name|Arn)|"
                   r"BlockDeviceMapping\.[0-9]+\.(DeviceName|Ebs\.(VolumeSize|VolumeType|DeleteOnTermination))|"
                   r"NetworkInterface\.[0-9]+\.(DeviceIndex|AssociatePublicIpAddress|SubnetId|SecurityGroupId\.[0-9]+|DeleteOnTermination)|"
                   r"InstanceMarketOptions\.(MarketType|SpotOptions\.MaxPrice)|"
                   r"TagSpecification\.[0-9]+\.(ResourceType|Tag\.[0-9]+\.(Key|Value)))$")
CONSOLE = "[   12.1] cloud-init[803]: done\r\n-----BEGIN SSH HOST KEY KEYS-----\r\n%s\r\n-----END SSH HOST KEY KEYS-----\r\n"


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def numbered(form, name):
    """The values of NAME.1, NAME.2 and so on."""
    found = sorted((int(match.group(1)), value) for key, value in form.items() for match in [re.fullmatch(re.escape(name) + r"\.([0-9]+)", key)] if match)
    if [number for number, _ in found] != list(range(1, len(found) + 1)):
        raise Refused(400, "InvalidParameterValue", "The list %s is not numbered from 1" % name)
    return [value for _, value in found]


class Cloud:
    def __init__(self, settings):
        self.settings = settings
        settings.update({"skew_s": 0, "host_keys": [], "session": "", "latest": True, "role": "", "expires_s": 3600})
        self.sessions = set()
        self.machines = {}
        self.volumes = {}
        self.snapshots = {}
        self.tokens = {}
        self.number = 0

    def set(self, value):
        """What happens at once: somebody terminates an instance, an installation has many, or there are more types."""
        TYPES.update(value.get("types", []))
        if "terminate" in value:
            self.machines[value["terminate"]]["gone"] = time.time()
        if "stop" in value:
            self.machines[value["stop"]]["off"] = True
        for number in range(value.get("many", 0)):
            self.number += 1
            name = "i-%017x" % self.number
            self.machines[name] = {"id": name, "number": self.number, "made": time.time() - 60, "gone": 0, "user_data": "", "token": "",
                                   "form": {"ImageId": "ami-12345678", "InstanceType": "large"},
                                   "tags": {"coopr-installation": value["of"], "coopr-node": "00000043-%d" % (2000 + number)}}

    def error(self, status, code, message):
        return status, self.headers(), ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors>"
                                        "<RequestID>ea966190-f9aa-478e-9ede-example</RequestID></Response>" % (code, escape(message))).encode()

    def headers(self):
        return {"Content-Type": "text/xml;charset=UTF-8"}

    def too_fast(self):
        return self.error(503, "RequestLimitExceeded", "Request limit exceeded.")

    def name(self, body):
        """What the request does, for faults and counts."""
        return " Action=" + dict(urllib.parse.parse_qsl(body.decode("latin-1"))).get("Action", "")

    def alive(self):
        return [m for m in self.machines.values() if not self.is_gone(m)]

    @staticmethod
    def is_gone(m):
        """One that is terminated shuts down first, and keeps its volumes until then."""
        return m["gone"] and m["gone"] <= time.time()

    @staticmethod
    def address(m):
        return "127.%d.%d.%d" % (m["number"] >> 16 & 255, m["number"] >> 8 & 255, m["number"] & 255)

    def owned(self):
        return [dict(id=m["id"], name=m["tags"].get("Name"), address=self.address(m), tags=m["tags"], user_data=m["user_data"], made=m["made"], going=bool(m["gone"]), form=m["form"])
                for m in self.alive()]

    def verify(self, method, path, headers, body):
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/([^/]+)/aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]+)",
                             headers.get("Authorization", ""))
        if not match:
            raise Refused(401, "AuthFailure", "AWS was not able to validate the provided access credentials")
        key, day, region, service, signed, given = match.groups()
        date, names = headers.get("X-Amz-Date", ""), signed.split(";")
        if key != KEY:
            raise Refused(401, "AuthFailure", "AWS was not able to validate the provided access credentials")
        if self.settings["session"] and headers.get("X-Amz-Security-Token") != self.settings["session"]:
            raise Refused(401, "AuthFailure", "AWS was not able to validate the provided access credentials")
        if names != sorted(names) or "host" not in names or service != "ec2" or not date.startswith(day):
            raise Refused(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided.")
        canonical = "\n".join([method, path, "", "".join("%s:%s\n" % (n, " ".join(headers.get(n, "").split())) for n in names), signed,
                               hashlib.sha256(body).hexdigest()])
        text = "\n".join(["AWS4-HMAC-SHA256", date, "/".join([day, region, service, "aws4_request"]), hashlib.sha256(canonical.encode()).hexdigest()])
        secret = ("AWS4" + SECRET).encode()
        for part in (day, region, service, "aws4_request"):
            secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(hmac.new(secret, text.encode(), hashlib.sha256).hexdigest(), given):
            raise Refused(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided.")
        if abs(calendar.timegm(time.strptime(date, "%Y%m%dT%H%M%SZ")) - time.time() - self.settings["skew_s"]) > 300:
            raise Refused(400, "RequestExpired", "Request has expired.")

    def metadata(self, method, path, headers):
        """The service of version 2: a session first, and nothing without one."""
        if path == "/latest/api/token" and method == "PUT" and headers.get("X-aws-ec2-metadata-token-ttl-seconds", "").isdigit():
            self.sessions.add("session-%d" % len(self.sessions))
            return 200, {}, ("session-%d" % (len(self.sessions) - 1)).encode()
        if method != "GET" or headers.get("X-aws-ec2-metadata-token") not in self.sessions:
            return 401, {}, b"Unauthorized"
        folder = "/latest/meta-data/iam/security-credentials/"
        if self.settings["role"] and path == folder:
            return 200, {}, self.settings["role"].encode()
        if self.settings["role"] and path == folder + self.settings["role"]:
            return 200, {}, json.dumps({"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": self.settings["session"],
                                        "Expiration": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.settings["expires_s"]))}).encode()
        return 404, {}, b"Not Found"

    def do(self, method, path, query, headers, body):
        if path.startswith("/latest/"):
            return self.metadata(method, path, headers)
        try:
            if method != "POST" or query:
                raise Refused(400, "InvalidRequest", "The request is not a form that is posted")
            self.verify(method, path, headers, body)
            if not headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
                raise Refused(400, "InvalidRequest", "The body is not a form")
            pairs = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True)
            form = dict(pairs)
            if len(form) != len(pairs) or form.get("Version") != "2016-11-15":
                raise Refused(400, "InvalidParameterValue", "A parameter is given twice, or the version is not known")
            action = getattr(self, "do_" + form.get("Action", ""), None)
            if not action:
                raise Refused(400, "InvalidAction", "The action %s is not valid for this web service." % form.get("Action"))
            text = action(form)
        except Refused as refused:
            return self.error(refused.status, refused.code, refused.message)
        return 200, self.headers(), ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%sResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">"
                                     "<requestId>8f7724cf-496f-496e-8fe3-example</requestId>%s</%sResponse>"
                                     % (form["Action"], text, form["Action"])).encode()

    def check(self, form):
        for key in form:
            if not KNOWN.match(key):
                raise Refused(400, "UnknownParameter", "The parameter %s is not recognized" % key)
        if not re.fullmatch(r"ami-[0-9a-f]{8,17}", form.get("ImageId", "")):
            raise Refused(400, "InvalidAMIID.Malformed", "Invalid id: \"%s\" (expecting \"ami-...\")" % form.get("ImageId", ""))
        if form.get("InstanceType") not in TYPES:
            raise Refused(400, "InvalidParameterValue", "Invalid value '%s' for InstanceType." % form.get("InstanceType"))
        if form.get("MinCount") != "1" or form.get("MaxCount") != "1":
            raise Refused(400, "InvalidParameterValue", "MinCount and MaxCount are to be 1 in this fake")
        if form.get("Placement.AvailabilityZone", ZONES[0]) not in ZONES:
            raise Refused(400, "InvalidParameterValue", "Invalid availability zone: [%s]" % form["Placement.AvailabilityZone"])
        if len(form.get("ClientToken", "")) > 64:
            raise Refused(400, "InvalidParameterValue", "ClientToken must be at most 64 characters")
        if len(base64.b64decode(form.get("UserData", ""), validate=True)) > 16384:
            raise Refused(400, "InvalidParameterValue", "User data is limited to 16384 bytes")
        if any(key.startswith("NetworkInterface.") for key in form) and any(re.match("SecurityGroup|SubnetId", key) for key in form):
            raise Refused(400, "InvalidParameterCombination", "Network interfaces and an instance-level security groups may not be specified on the same request")
        if numbered(form, "SecurityGroup") and "SubnetId" in form:
            raise Refused(400, "InvalidParameterCombination", "The parameter groupName cannot be used with the parameter subnet")
        numbered(form, "SecurityGroupId")
        numbered(form, "NetworkInterface.1.SecurityGroupId")

    def tags(self, form, wanted="instance"):
        found = {}
        for number in (1, 2, 3):
            prefix = "TagSpecification.%d." % number
            kind = form.get(prefix + "ResourceType")
            if kind not in (None, "instance", "volume", "snapshot", "spot-instances-request") or (kind == "spot-instances-request" and "InstanceMarketOptions.MarketType" not in form):
                raise Refused(400, "InvalidParameterValue", "'%s' is not a valid taggable resource type." % kind)
            count = sum(1 for key in form if key.startswith(prefix) and key.endswith(".Key"))
            if count > 50:
                raise Refused(400, "TagLimitExceeded", "Too many tags")
            pairs = {form[prefix + "Tag.%d.Key" % i]: form.get(prefix + "Tag.%d.Value" % i, "") for i in range(1, count + 1)}
            if any(len(k) > 127 or len(v) > 255 or k.startswith("aws:") for k, v in pairs.items()):
                raise Refused(400, "InvalidParameterValue", "Tag keys starting with 'aws:' are reserved, and lengths are bounded")
            if kind == wanted:
                found = pairs
        return found

    def do_RunInstances(self, form):
        self.check(form)
        tags, token = self.tags(form), form.get("ClientToken")
        if token and token in self.tokens:
            machine = self.machines[self.tokens[token]]
            if machine["form"] != form:
                raise Refused(400, "IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
            if machine["gone"]:
                raise Refused(400, "IdempotentInstanceTerminated", "The client token belongs to an instance that is terminated.")
            return "<reservationId>r-1</reservationId><ownerId>1</ownerId><groupSet/><instancesSet>%s</instancesSet>" % self.item(machine)
        if self.settings.get("limit") and len(self.alive()) >= self.settings["limit"]:
            raise Refused(400, "VcpuLimitExceeded", "You have requested more vCPU capacity than your current vCPU limit allows.")
        zone, flavor = form.get("Placement.AvailabilityZone", ZONES[0]), form["InstanceType"]
        if any(a in ("*", zone) and b in ("*", flavor) for a, b in self.settings.get("full", [])):
            raise Refused(500, "InsufficientInstanceCapacity", "We currently do not have sufficient %s capacity in the Availability Zone you requested (%s)." % (flavor, zone))
        if self.settings["capacity"] and len(self.alive()) >= self.settings["capacity"]:
            raise Refused(500, "InsufficientInstanceCapacity", "We currently do not have sufficient capacity in the Availability Zone you requested.")
        self.number += 1
        machine = {"id": "i-%017x" % self.number, "number": self.number, "tags": tags, "made": time.time(), "gone": 0, "form": dict(form),
                   "user_data": base64.b64decode(form.get("UserData", "")).decode(), "token": token or ""}
        self.machines[machine["id"]] = machine
        if token:
            self.tokens[token] = machine["id"]
        return "<reservationId>r-1</reservationId><ownerId>1</ownerId><groupSet/><instancesSet>%s</instancesSet>" % self.item(machine)

    def item(self, m):
        active = (time.time() - m["made"]) * 1000 >= self.settings["active_ms"]
        code, state = (48, "terminated") if self.is_gone(m) else (32, "shutting-down") if m["gone"] else (80, "stopped") if m.get("off") else (16, "running") if active else (0, "pending")
        n, addresses = m["number"], ""
        if state != "terminated":
            addresses = "<privateIpAddress>10.%d.%d.%d</privateIpAddress>" % (n >> 16 & 255, n >> 8 & 255, n & 255)
        if state == "running":
            addresses += "<ipAddress>%s</ipAddress>" % self.address(m)
        reason = "<stateReason><code>Client.UserInitiatedShutdown</code><message>Client.UserInitiatedShutdown: User initiated shutdown</message></stateReason>"
        return ("<item><instanceId>%s</instanceId><imageId>%s</imageId><instanceState><code>%d</code><name>%s</name></instanceState><privateDnsName/><dnsName/>"
                "<reason/><amiLaunchIndex>0</amiLaunchIndex><productCodes/><instanceType>%s</instanceType><launchTime>%s</launchTime>"
                "<placement><availabilityZone>%s</availabilityZone><groupName/><tenancy>default</tenancy></placement>%s%s"
                "<architecture>x86_64</architecture><rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>"
                "<clientToken>%s</clientToken><tagSet>%s</tagSet><ebsOptimized>false</ebsOptimized></item>") % (
                    m["id"], m["form"]["ImageId"], code, state, m["form"]["InstanceType"], time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(m["made"])),
                    m["form"].get("Placement.AvailabilityZone", ZONES[0]), addresses, reason if m["gone"] else "", escape(m["token"]),
                    self.tag_items(m["tags"]))

    def matches(self, m, form):
        """Whether an instance, a volume or a snapshot passes the filters."""
        for number in range(1, 10):
            name = form.get("Filter.%d.Name" % number)
            if name is None:
                return True
            values = numbered(form, "Filter.%d.Value" % number)
            if name.startswith("tag:"):
                if m["tags"].get(name[4:]) not in values:
                    return False
            elif name == "tag-key":
                if not any(value in m["tags"] for value in values):
                    return False
            elif name == "client-token" and "token" in m:
                if m["token"] not in values:
                    return False
            elif name == "instance-state-name" and "token" in m:
                if ("terminated" if self.is_gone(m) else "running") not in values:
                    return False
            else:
                raise Refused(400, "InvalidParameterValue", "The filter '%s' is invalid" % name)
        return True

    def do_DescribeInstances(self, form):
        ids, most = numbered(form, "InstanceId"), int(form.get("MaxResults", 1000))
        if not 5 <= most <= 1000 or (ids and "MaxResults" in form):
            raise Refused(400, "InvalidParameterValue", "Value ( %s ) for parameter maxResults is invalid." % most)
        for one in ids:
            self.get(one)
        now, start = time.time(), int(form.get("NextToken", "0"))
        seen = [m for m in self.machines.values() if (now - m["made"]) * 1000 >= self.settings["visible_ms"] and (not ids or m["id"] in ids)
                and (not m["gone"] or now - m["gone"] < 3600) and self.matches(m, form)]
        some = seen[start: start + most]
        more = "<nextToken>%d</nextToken>" % (start + most) if start + most < len(seen) else ""
        return "<reservationSet>%s</reservationSet>%s" % ("".join(
            "<item><reservationId>r-%d</reservationId><ownerId>1</ownerId><groupSet/><instancesSet>%s</instancesSet></item>" % (m["number"], self.item(m))
            for m in some), more)

    def get(self, name):
        machine = self.machines.get(name)
        if not machine or (time.time() - machine["made"]) * 1000 < self.settings["visible_ms"]:
            raise Refused(400, "InvalidInstanceID.NotFound", "The instance ID '%s' does not exist" % name)
        return machine

    def do_TerminateInstances(self, form):
        ids = numbered(form, "InstanceId")
        if not ids:
            raise Refused(400, "MissingParameter", "The request must contain the parameter InstanceId")
        machines = [self.get(one) for one in ids]
        for machine in machines:
            machine["gone"] = machine["gone"] or time.time() + self.settings.get("gone_ms", 0) / 1000
        return "<instancesSet>%s</instancesSet>" % "".join(
            "<item><instanceId>%s</instanceId><currentState><code>32</code><name>shutting-down</name></currentState><previousState><code>16</code>"
            "<name>running</name></previousState></item>" % m["id"] for m in machines)

    def do_DescribeAvailabilityZones(self, form):
        names = numbered(form, "ZoneName")
        if set(names) - set(ZONES):
            raise Refused(400, "InvalidParameterValue", "Invalid availability zone: [%s]" % names[0])
        return "<availabilityZoneInfo>%s</availabilityZoneInfo>" % "".join(
            "<item><zoneName>%s</zoneName><zoneState>available</zoneState><regionName>us-east-1</regionName></item>" % z for z in names or ZONES)

    def do_DescribeInstanceTypes(self, form):
        names = numbered(form, "InstanceType")
        if set(names) - TYPES:
            raise Refused(400, "InvalidInstanceType", "The following supplied instance types do not exist: [%s]" % names[0])
        return "<instanceTypeSet>%s</instanceTypeSet>" % "".join(
            "<item><instanceType>%s</instanceType><vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo></item>"
            % t for t in names or sorted(TYPES))

    def do_DescribeSubnets(self, form):
        names = numbered(form, "SubnetId")
        if names != ["subnet-1"]:
            raise Refused(400, "InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist" % names[0])
        return "<subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet>"

    def do_DescribeKeyPairs(self, form):
        names = numbered(form, "KeyName")
        if names != ["ops"]:
            raise Refused(400, "InvalidKeyPair.NotFound", "The key pair '%s' does not exist" % names[0])
        return "<keySet><item><keyName>ops</keyName></item></keySet>"

    def disks(self):
        return [dict(id=v["id"], name=v["tags"].get("coopr-volume"), machine=self.holder(v) or None, device=v["device"], of=v["of"], snapshot=False, forced=v.get("forced", False),
                     made=v["made"], size=v["size"])
                for v in self.volumes.values()] + [dict(id=s["id"], name=s["tags"].get("coopr-volume"), machine=None, of=s["of"], snapshot=True, forced=False,
                                                        made=s["made"], size=s["size"]) for s in self.snapshots.values()]

    def holder(self, v):
        """The machine that has a volume: a terminated one gives it back, a stopped one does not, until it has detached it."""
        if v.get("until") and v["until"] <= time.time():
            v.update(machine=None, until=None)
        return v["machine"] and not self.is_gone(self.machines[v["machine"]]) and v["machine"]

    def known(self, form, names):
        for key in form:
            if not re.match(r"^(Action|Version|%s|TagSpecification\.1\.(ResourceType|Tag\.[0-9]+\.(Key|Value)))$" % names, key):
                raise Refused(400, "UnknownParameter", "The parameter %s is not recognized" % key)

    def volume(self, form):
        volume = self.volumes.get(form.get("VolumeId"))
        if not volume:
            raise Refused(400, "InvalidVolume.NotFound", "The volume '%s' does not exist." % form.get("VolumeId"))
        return volume

    def tag_items(self, tags):
        return "".join("<item><key>%s</key><value>%s</value></item>" % (escape(k), escape(v)) for k, v in tags.items())

    def volume_item(self, v):
        holder, making = self.holder(v), self.is_new(v)
        attaching = holder and (time.time() - v["attached"]) * 1000 < self.settings["active_ms"]
        attachment = "" if not holder else ("<item><volumeId>%s</volumeId><instanceId>%s</instanceId><device>%s</device><status>%s</status></item>"
                                            % (v["id"], holder, v["device"], "detaching" if v.get("until") else "attaching" if attaching else "attached"))
        return ("<item><volumeId>%s</volumeId><size>%d</size><snapshotId>%s</snapshotId><availabilityZone>%s</availabilityZone><status>%s</status>"
                "<attachmentSet>%s</attachmentSet><tagSet>%s</tagSet></item>") % (v["id"], v["size"], v["of"], v["zone"],
                "in-use" if holder else "creating" if making else "available", attachment, self.tag_items(v["tags"]))

    def page(self, things, form, name, item):
        most, start = int(form.get("MaxResults", 500)), int(form.get("NextToken", "0"))
        if not 5 <= most <= 500:
            raise Refused(400, "InvalidParameterValue", "Value ( %d ) for parameter maxResults is invalid." % most)
        things = [one for one in things if self.matches(one, form)]
        more = "<nextToken>%d</nextToken>" % (start + most) if start + most < len(things) else ""
        return "<%s>%s</%s>%s" % (name, "".join(item(t) for t in things[start: start + most]), name, more)

    def do_CreateVolume(self, form):
        self.known(form, "AvailabilityZone|Size|SnapshotId|VolumeType|ClientToken")
        if form.get("AvailabilityZone") not in ZONES:
            raise Refused(400, "InvalidZone.NotFound", "The zone '%s' does not exist." % form.get("AvailabilityZone"))
        snapshot = self.snapshots.get(form.get("SnapshotId", ""))
        if form.get("SnapshotId") and not snapshot:
            raise Refused(400, "InvalidSnapshot.NotFound", "The snapshot '%s' does not exist." % form["SnapshotId"])
        if snapshot and self.is_new(snapshot):
            raise Refused(400, "IncorrectState", "Snapshot '%s' is not 'completed'." % snapshot["id"])
        size = int(form.get("Size", 0))
        if not 1 <= size <= 65536 or (snapshot and size < snapshot["size"]):
            raise Refused(400, "InvalidParameterValue", "Volume size is not valid")
        same = [v for v in self.volumes.values() if form.get("ClientToken") and v["form"].get("ClientToken") == form["ClientToken"]]
        if same and same[0]["form"] != form:
            raise Refused(400, "IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent.")
        if not same:
            self.number += 1
            name = "vol-%017x" % self.number
            same = [{"id": name, "size": size, "zone": form["AvailabilityZone"], "of": form.get("SnapshotId", ""), "made": time.time(), "machine": None,
                     "attached": 0, "device": "", "tags": self.tags(form, "volume"), "form": dict(form)}]
            self.volumes[name] = same[0]
        return "<volumeId>%s</volumeId><size>%d</size><status>creating</status>" % (same[0]["id"], size)

    def do_DescribeVolumes(self, form):
        return self.page(list(self.volumes.values()), form, "volumeSet", self.volume_item)

    def do_AttachVolume(self, form):
        self.known(form, "VolumeId|InstanceId|Device")
        volume, machine = self.volume(form), self.get(form.get("InstanceId"))
        if self.holder(volume):
            raise Refused(400, "VolumeInUse", "%s is already attached to an instance" % volume["id"])
        if self.is_new(volume) or machine["gone"]:
            raise Refused(400, "IncorrectState", "The volume or the instance is not in a state for this")
        if machine["form"].get("Placement.AvailabilityZone", ZONES[0]) != volume["zone"]:
            raise Refused(400, "InvalidVolume.ZoneMismatch", "The volume '%s' is not in the same availability zone as instance '%s'" % (volume["id"], machine["id"]))
        if not re.fullmatch(r"/dev/sd[f-p]", form.get("Device", "")) or any(self.holder(v) == machine["id"] and v["device"] == form["Device"] for v in self.volumes.values()):
            raise Refused(400, "InvalidParameterValue", "Invalid value '%s' for unixDevice. Attachment point is already in use" % form.get("Device"))
        volume.update(machine=machine["id"], device=form["Device"], attached=time.time())
        return "<volumeId>%s</volumeId><status>attaching</status>" % volume["id"]

    def do_DetachVolume(self, form):
        self.known(form, "VolumeId|InstanceId")
        volume = self.volume(form)
        if self.holder(volume) != form.get("InstanceId"):
            raise Refused(400, "IncorrectState", "Volume '%s' is in the 'available' state." % volume["id"])
        volume.update(forced=not self.machines[volume["machine"]].get("off"), until=time.time() + self.settings.get("gone_ms", 0) / 1000)
        return "<volumeId>%s</volumeId><status>detaching</status>" % volume["id"]

    def do_DeleteVolume(self, form):
        volume = self.volume(form)
        if self.holder(volume):
            raise Refused(400, "VolumeInUse", "Volume %s is currently attached to %s" % (volume["id"], volume["machine"]))
        del self.volumes[volume["id"]]
        return "<return>true</return>"

    def do_CreateSnapshot(self, form):
        self.known(form, "VolumeId")
        volume = self.volume(form)
        self.number += 1
        name = "snap-%017x" % self.number
        self.snapshots[name] = {"id": name, "size": volume["size"], "of": volume["id"], "made": time.time(), "tags": self.tags(form, "snapshot")}
        return "<snapshotId>%s</snapshotId><status>pending</status>" % name

    def do_DescribeSnapshots(self, form):
        if numbered(form, "Owner") != ["self"]:
            raise Refused(400, "InvalidParameterValue", "This fake has only one's own snapshots")
        return self.page(list(self.snapshots.values()), form, "snapshotSet", lambda s: (
            "<item><snapshotId>%s</snapshotId><volumeId>%s</volumeId><status>%s</status><volumeSize>%d</volumeSize><tagSet>%s</tagSet></item>"
            % (s["id"], s["of"], "pending" if self.is_new(s) else "completed", s["size"], self.tag_items(s["tags"]))))

    def is_new(self, one):
        late_ms = self.settings.get("snapshot_ms") if one["id"].startswith("snap-") else None
        return (time.time() - one["made"]) * 1000 < (self.settings["active_ms"] if late_ms is None else late_ms)

    def do_DeleteSnapshot(self, form):
        if not self.snapshots.pop(form.get("SnapshotId"), None):
            raise Refused(400, "InvalidSnapshot.NotFound", "The snapshot '%s' does not exist." % form.get("SnapshotId"))
        return "<return>true</return>"

    def do_DescribeImages(self, form):
        show = lambda one, made="": ("<item><imageId>%s</imageId><rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>"
                                     "<creationDate>%s</creationDate></item>" % (escape(one), made))
        if not numbered(form, "Owner"):
            return "<imagesSet>%s</imagesSet>" % "".join(show(one) for one in numbered(form, "ImageId"))
        if (form.get("Filter.1.Name"), form.get("Filter.2.Name"), form.get("Filter.2.Value.1")) != ("name", "state", "available"):
            raise Refused(400, "InvalidParameterValue", "This fake looks for available images by name")
        return "<imagesSet>%s</imagesSet>" % "".join(show(one, made) for owner in numbered(form, "Owner") for one, name, made in IMAGES.get(owner, [])
                                                     if fnmatch.fnmatchcase(name, form["Filter.1.Value.1"]))

    def do_GetConsoleOutput(self, form):
        machine = self.get(form.get("InstanceId"))
        if form.get("Latest") == "true" and not self.settings["latest"]:
            raise Refused(400, "UnsupportedOperation", "This instance type does not support retrieving the latest console logs.")
        text = CONSOLE % "\r\n".join(key + " root@host" for key in self.settings["host_keys"]) if self.settings["host_keys"] else ""
        output = "<output>%s</output>" % base64.encodebytes(text.encode()).decode() if text else ""
        return "<instanceId>%s</instanceId><timestamp>2026-01-01T00:00:00.000Z</timestamp>%s" % (machine["id"], output)
