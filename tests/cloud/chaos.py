#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Clusters live at a cloud whose requests go wrong, whose machines end, and whose commands, workers, plugins and server are killed, as a seed says:
# chaos.py CLOUD SEED SECONDS, in an empty folder, with a network and mounts of its own (unshare -n -m --propagation private). CLOUD is one of those
# below; it is a fake one, or the real one that is at COOPR_TEST_DAEMON in that network, whose own client tells what it has (real.py). Whenever nothing
# is under way, the cloud has the machines, volumes, snapshots and addresses that coopr says are there, nothing twice and nothing forgotten, as a client
# of others sees it, too, where there is one; coopr has asked for nothing else to be made; and coopr-usage(1) says for how long the machines of each
# cluster have been there, and GiB of its volumes, to the second. At the end all is deleted, and the cloud has nothing. Prints what was otherwise, and
# how many clusters there were; exits with 1 or 0.
import base64
import http.client
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

import clients

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests/cloud")
FAULTS = [{"do": "drop"}, {"do": "lost"}, {"do": "truncate"}, {"do": "rubbish"}, {"do": "noise"}, {"do": "stale"}, {"do": "slow", "seconds": 2}, {"do": "status", "status": 500},
          {"do": "status", "status": 503, "headers": {"Retry-After": "1"}}, {"do": "status", "status": 429}]
# Of each cloud: what a provider needs, a flavor, an image, and whether there are volumes; FAKE stands for the URL of the fake, KEY for a private key.
CLOUDS = {
    "digitalocean": ({"api_token": "secret-token", "endpoint": "FAKE"}, "s-1vcpu-1gb", "debian-12-x64", False),
    "ec2": ({"api_user": "AKIDEXAMPLE", "api_password": "secret/key+EXAMPLE", "endpoint": "FAKE"}, "t3.micro", "ami-0123456789abcdef0", True),
    "google": ({"api_key": "KEY", "google_project": "my-project-42", "google_client_email": "robot@my-project-42.iam.gserviceaccount.com",
                "endpoint": "FAKE", "token_endpoint": "FAKE/token", "ssh_user": "root"}, "large", "debian-12", True),
    "joyent": ({"api_user": "jill", "api_key": "KEY", "joyent_api_url": "FAKE/"}, "large", "debian-12", False),
    "opennebula": ({"api_user": "oneadmin", "api_password": "secret-password", "endpoint": "FAKE/RPC2"}, "large", "debian-12", False),
    "lxd": ({"endpoint": "FAKE", "config": {"security.privileged": "true"}}, "small", "node", False),
    "podman": ({"endpoint": "FAKE", "network": "lab"}, "small", "node", True),
    "openstack": ({"api_user": "svc", "api_password": "secret-token", "openstack_tenant": "dev", "openstack_auth_url": "FAKE/identity/v3",
                   "floating_ip": True}, "m1.small", "debian-12", True),
}
# What coopr may ask of each cloud but to be told something: nothing else is made there, so that nothing else can be left.
MAY_ASK = {
    "digitalocean": r"POST /v2/droplets|DELETE /v2/droplets/N|DELETE /v2/tags/coopr-machine:[^/]+",
    "ec2": r".*Action=(Describe\w+|GetConsoleOutput|(Run|Terminate)Instances|(Create|Attach|Detach|Delete)Volume|(Create|Delete)Snapshot)",
    "google": r"POST /token|POST .*/(instances|disks|(attach|detach)Disk|createSnapshot|wait|start)|DELETE .*/(instances|disks|snapshots)/[^/]+",
    "joyent": r"POST /jill/machines|DELETE /jill/machines/[^/]+",
    "opennebula": r".*one\.(template\.instantiate|vm\.(allocate|action)|\w+\.info|vmpool\.infoextended)",
    "lxd": r"(POST|DELETE|PATCH|PUT) /1\.0/instances(/[^/]+(/files|/state)?)?",
    "podman": r"POST /containers/(create|[^/]+/(start|rename))|PUT /containers/[^/]+/archive|POST /volumes/create|DELETE /(containers|volumes)/[^/]+",
    "openstack": r"POST /identity/v3/auth/tokens|POST .*/(servers(/[^/]+/(os-volume_attachments|action))?|volumes|snapshots|floatingips)"
                 r"|DELETE .*/(servers/[^/]+(/os-volume_attachments/[^/]+)?|volumes/[^/]+|snapshots/[^/]+|floatingips/[^/]+)",
}
HAS_MACHINES = {"lxd", "podman"}  # which have machines where one can log in; machines.py has those of the others
# What stands on a machine for the programs that make and mount file systems; see machines.py.
PROGRAMS = {
    "blkid": 'n=/run/volumes/$(printf %d 0x$(stat -Lc %T "$6")); [ ! -e "$n.fs" ] || case $5 in TYPE) echo ext4 ;; *) basename "$n" ;; esac',
    "mkfs.ext4": 'n=/run/volumes/$(printf %d 0x$(stat -Lc %T "$3")); mkdir "$n.data"; echo made >>"$n.fs"',
    "mount": 'exec /usr/bin/mount --bind "/run/volumes/$(printf %d 0x$(stat -Lc %T "$3")).data" "$4"',
}
ROWS = """#!/bin/sh
case $COOPR_ACTION in
initialize) [ -e /srv/rows/table ] || echo first >/srv/rows/table ;;
status) grep -q first /srv/rows/table ;;
esac
"""
REAL = "COOPR_TEST_DAEMON" in os.environ
PATIENCE_S, SLACK_S, WATCH_S = (60, 5, 0.5) if REAL else (20, 5, 0.1)
SIZE_GB = 2
SOCKET = "/run/serve"
CLOUD, SECONDS = sys.argv[1], float(sys.argv[3])
FIELDS, FLAVOR, IMAGE, HAS_VOLUMES = CLOUDS[CLOUD]
choice = random.Random(int(sys.argv[2]))
FAKE = ""
if REAL:
    if CLOUD == "openstack":  # stack.py has no service for volumes, and takes seconds to answer where the processor is busy
        HAS_VOLUMES, PATIENCE_S, SLACK_S, WATCH_S = False, 120, 60, 2
    FAULTS = [fault for fault in FAULTS if fault["do"] != "stale"]  # which is for a cloud itself to do
wrong = []
clusters = []  # names of those that are there, or have been begun
lives = {}  # of machines, by the cloud's ids: the node, when it was made, when it was gone, and when it was last seen
disks = {}  # of volumes and snapshots the same: coopr's id of it, when it was made, when it was gone, and when it was last seen
is_over = threading.Event()
noticed = {}  # of what is gone: when all was settled behind that
repeated = {}  # of what was made: seconds since its operation began, where something was killed meanwhile
usage = {}  # of clusters, and the member of usage: things, seconds, and how many seconds more coopr counts
never_made = {}  # of the member of usage: seconds of what coopr counts, and the cloud never had
killed = {}  # how often what was killed
killed_before = {}  # the same, when all was compared the last time
looked = {}  # how often a client of others has looked, and at how many things in all


# --- the cloud ---

def ask(path, data=None, method=None):
    body = json.dumps(data).encode() if data is not None else None
    return json.loads(urllib.request.urlopen(urllib.request.Request(FAKE + path, body, method=method)).read() or b"null")


def machines():
    """The node of each machine, by the cloud's id."""
    return {machine["id"]: node_of(machine) for machine in ask("/_machines")}


def node_of(machine):
    match = re.search(r"(?i)coopr[-_](?:node|machine)\W+(\d{8}-\d+)", json.dumps(machine))
    return match.group(1) if match else "nobody's"


def watch():
    """Keeps record of when machines and volumes came and went: no machine is charged for while it shuts down, nor what only helps to make one."""
    while not is_over.wait(WATCH_S):
        before = time.time()
        for known, there in ((lives, {machine.get("same", machine["id"]): (node_of(machine), machine["made"]) for machine in ask("/_machines")
                                      if not machine.get("going") and node_of(machine) != "nobody's"}),
                             (disks, {volume["id"]: (volume["name"], volume["made"]) for volume in ask("/_volumes")})):
            now = time.time()
            for one, (name, made) in there.items():
                known.setdefault(one, [name, made, None, before])[2:] = None, before
            for one, life in known.items():
                if one not in there and life[2] is None:
                    life[2] = now


# --- coopr ---

def coopr(*words, kill=False, far=False):
    """Runs a command, or kills it with all that it has started after a while; one that waits for a machine that is lost, too: whoever typed it has no
    patience. far: the server does it. Returns its exit code, and what it said."""
    environment = {name: value for name, value in os.environ.items() if not far or name not in ("COOPR_STATE", "COOPR_SPOOL")}
    words = ("--server", "unix:" + SOCKET, *words) if far else words
    with open("said", "w+b") as said:
        process = subprocess.Popen(["coopr", *words], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, start_new_session=True, env=environment)
        try:
            process.wait(choice.random() * 2.5 if kill else PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            said.write(b"(killed)\n")
        said.seek(0)
        text = said.read().decode()
    return process.returncode, "$ coopr %s: %d\n%s" % (" ".join(words), process.returncode, text)


def request(method, path, value, headers):
    """Asks the server; its answer is 0 where there was none."""
    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(PATIENCE_S)
            self.sock.connect(SOCKET)
    status, text = 0, ""
    try:
        connection = Connection("coopr")
        connection.request(method, "/v1" + path, json.dumps(value), dict(headers, **{"Content-Type": "application/json"}))
        answer = connection.getresponse()
        status, text = answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException) as why:
        text = repr(why)
    return "%s %s: %d %s" % (method, path, status, text)


def operate(words, rest=None):
    """Has an operation begun: by its command here, by that through the server, or by a request to it. Each may be killed. Returns what it was told."""
    way = choice.random()
    if rest and way < .25:
        key = "%016x" % choice.getrandbits(64)
        return "\n".join(request(*rest, {"Idempotency-Key": key, **({"If-Match": "*"} if rest[0] == "DELETE" else {})}) for _ in range(choice.randrange(1, 3)))
    return coopr(*words, kill=choice.random() < .4, far=way < .5)[1]


def records(*words):
    out = subprocess.run(["coopr", *words, "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return [json.loads(line) for line in out.splitlines()]


def nodes(name):
    return [node["id"] for node in records("show", name) if node["kind"] == "node"]


def own_processes(pattern):
    """The processes in this network whose executable is one of these, by their ids: its name, and the process that has started it."""
    mine, found = os.readlink("/proc/self/ns/net"), {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            program = os.readlink("/proc/%s/exe" % pid)
            if os.readlink("/proc/%s/ns/net" % pid) == mine and re.search(pattern, program):
                with open("/proc/%s/stat" % pid) as stat:
                    found[int(pid)] = os.path.basename(program), int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    return found


class Server:
    """coopr-serve, which is there again a moment after it was killed."""
    def __init__(self):
        self.process = None
        self.start()

    def start(self):
        with open("serve.log", "ab") as log:
            self.process = subprocess.Popen(["coopr-serve", "--socket", SOCKET], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def again(self):
        self.process.wait()
        time.sleep(0.1)
        self.start()

    def end(self):
        """Has it end, and what it was asked for. What does not end by itself is killed; commands of one that was killed have lost their terminal."""
        self.process.terminate()
        for _ in range(10 * PATIENCE_S):
            if self.process.poll() is not None and not own_processes("/bin/coopr-"):
                return
            time.sleep(0.1)
        left = own_processes("/bin/coopr-")
        killed["left"] = killed.get("left", 0) + len(left)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class Killer(threading.Thread):
    """Ends workers, plugins, the server and its commands now and then, until it is told to stop."""
    def __init__(self, server):
        super().__init__()
        self.choice, self.over, self.server = random.Random(choice.random()), threading.Event(), server
        self.start()

    def run(self):
        while not self.over.wait(self.choice.random() * 3):
            there = own_processes(r"/(provider/[a-z0-9]+|automator/shell|coopr-work|coopr-serve)$")
            there.update({pid: it for pid, it in own_processes("/bin/coopr-").items() if it[1] == self.server.process.pid})
            if there:
                pid, (name, _) = self.choice.choice(sorted(there.items()))
                killed[name] = killed.get(name, 0) + 1
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                if pid == self.server.process.pid:
                    self.server.again()

    def stop(self):
        self.over.set()
        self.join()


# --- what happens ---

def change_cloud():
    for _ in range(choice.randrange(5)):
        ask("/_fault", dict(choice.choice(FAULTS), match=choice.choice(["POST", "GET", "DELETE", ".", ".*(Describe|pool.info|servers|instances|machines|volumes|disks|droplets|containers)"]), skip=choice.randrange(8), count=choice.randrange(1, 3)))
    late_ms = choice.choice([0, 0, 800])
    # Of both together a list is behind for less than consistency_s.
    ask("/_set", {"active_ms": choice.choice([0, 300, 1500]), "visible_ms": late_ms, "stale_ms": 900 - late_ms, "gone_ms": choice.choice([0, 1000])})
    if choice.random() < .3:
        ask("/_set", {"expire": True, "revoke": True})  # what tokens there are


def calm_cloud():
    ask("/_fault", method="DELETE")
    ask("/_set", {"active_ms": 0, "visible_ms": 0, "gone_ms": 0})
    time.sleep(1.5)  # what is going is gone then


def lose_machine(name):
    """A machine of the cluster ends behind the back of all."""
    its = [one for one, node in machines().items() if node in nodes(name)]
    if its:
        one = choice.choice(its)
        if (HAS_VOLUMES or REAL) and choice.random() < .4:
            ask("/_set", {"stop": one})  # it is there, is charged for, and keeps its volumes
            return "machine %s of %s is off" % (one, name)
        ask("/_machines/%s" % one, method="DELETE")
        return "machine %s of %s is lost" % (one, lives[one][0] if one in lives else name)
    return "no machine is lost"


def snapshot():
    its = [volume["id"] for volume in records("volume", "list") if volume["type"] == "volume"]
    return operate(["volume", "snapshot", choice.choice(its)]) if its else "no volume"


def change(name):
    """Does something to the cluster. Returns what it was told."""
    what = choice.choice(["expand", "shrink", "retry", "reconcile", "replace", "lose", "lose"] + ["snapshot"] * HAS_VOLUMES)
    if what == "lose":
        return lose_machine(name)
    if what == "snapshot":
        return snapshot()
    its = nodes(name)
    words = {"expand": ["expand", "-y", name, "-n", "+1"], "shrink": ["shrink", "-y", name, "-n", "1"], "retry": ["retry", "-y", name],
             "reconcile": ["reconcile", "--repair", "--work"], "replace": ["replace", "-y", name, "-N", choice.choice(its) if its else "1000"]}[what]
    rest = {"expand": {"machines": "+1"}, "shrink": {"machines": 1}, "retry": {}}
    return operate(words, ("POST", "/clusters/%s/%s" % (name, what), rest[what]) if what in rest else None)


def storm(server):
    """A new cluster, or one that is there, lives through a storm. Returns what it was told."""
    said, work = [], None
    killer = Killer(server) if choice.random() < .5 else None
    if choice.random() < .4:
        work = subprocess.Popen(["coopr-work", "-j", "8"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    change_cloud()
    if len(clusters) < 2:
        storm.count += 1
        clusters.append("c%d" % storm.count)
        template = choice.choice(["app", "rows"]) if HAS_VOLUMES else "app"
        number = choice.randrange(1, 5)
        said.append(operate(["create", "-y", clusters[-1], "-t", template, "-n", str(number)],
                            ("POST", "/clusters", {"name": clusters[-1], "template": template, "machines": number})))
    for _ in range(choice.randrange(4)):
        said.append(change(choice.choice(clusters)))
    for name in list(clusters) if choice.random() < .5 else []:
        discard = choice.choice([[], ["--discard-data"]])
        said.append(operate(["delete", "-y", name, *discard], ("DELETE", "/clusters/" + name, {"discard-data": True} if discard else {})))
    if killer:
        killer.stop()
    if work:
        os.killpg(work.pid, signal.SIGKILL)
        work.wait()
    return said


storm.count = 0


def settle(said, server=None):
    """Has all that was begun be ended, as cron and a person do, in calm weather. A cluster that has lost a machine before it was complete is deleted. One
    run skips the clusters on which something was under way as it began, so that all is well when two say so. Until then there is no server."""
    calm_cloud()
    if server:
        server.end()
    settle_here(said)
    if server:
        server.start()


def settle_here(said):
    good = 0
    for number in range(8):
        code, told = coopr("reconcile", "--repair", "--work", "--max-gone", "100%")
        said.append(told)
        unsettled = [cluster["name"] for cluster in records("list") if cluster["status"] != "active"]
        good = good + 1 if code == 0 and not unsettled else 0
        if good == 2:
            return
        for name in unsettled:
            if code >= 0 and number < 2:
                said.append(coopr("retry", "-y", name)[1])
            else:
                said.append(coopr("abort", "-y", name)[1])
                said.append(coopr("delete", "-y", name)[1])
    wrong.append("\n".join(["it is not settled:", *said]))


# --- what is compared ---

def differ(what, cloud, ours, said):
    if cloud != ours:
        wrong.append("\n".join(["%s: the cloud has %s, coopr says %s" % (what, cloud, ours), *said]))


def compare(said):
    before = len(wrong)
    clusters[:] = [cluster["name"] for cluster in records("list")]
    # A person deletes what was cut off.
    for volume in [volume for volume in records("volume", "list") if volume["state"] == "leaving"]:
        said.append(coopr("volume", "delete", "-y", "--discard-data", volume["id"])[1])
    time.sleep(2 * WATCH_S)  # what was listed before is not told again
    there = machines()
    known = sorted(node for name in clusters for node in nodes(name))
    differ("machines", sorted(there.values()), known, said)
    asked = "state/%s/sky" % CLOUD
    differ("intents", known, sorted(os.listdir(asked)) if os.path.isdir(asked) else [], said)
    differ("volumes", sorted((volume["name"], there.get(volume["machine"])) for volume in ask("/_volumes")),
           sorted((volume["id"], volume["node"]) for volume in records("volume", "list")), said)
    if CLOUD == "openstack":
        differ("addresses", sorted(re.findall(r"coopr-node:(\S+)", " ".join(ask("/_addresses")))), known, said)
    for one in ask("/_requests"):
        if not one.startswith("GET ") and not re.fullmatch(MAY_ASK[CLOUD], one):
            wrong.append("what was asked of the cloud: " + one)
    if not REAL:  # whose own client has told all
        foreign(known, said)
    for file in os.listdir("volumes") if os.path.isdir("volumes") else []:
        if file.endswith(".fs"):
            with open("volumes/" + file) as made:
                differ("file systems that were made in volume " + file, len(made.readlines()), 1, said)
    for words in ["store", "fsck"], ["queue", "fsck"]:
        code, told = coopr(*words)
        differ(told, 0 if ": spool: " in told else code, 0, said)  # which the first operation makes
    compare_usage(said)
    return len(wrong) == before


def foreign(known, said):
    """Compares with coopr's records what a client that others wrote sees, where it is installed."""
    name, sees = clients.CLIENTS[CLOUD]
    try:
        their, disks_seen = sees(FAKE)
    except clients.Missing:
        return
    except Exception as why:  # whatever it calls them
        wrong.append("\n".join(["%s: %r" % (name, why), *said]))
        return
    for what, number in (("times", 1), ("machines", len(their)), ("volumes and snapshots", len(disks_seen))):
        looked[what] = looked.get(what, 0) + number
    differ("machines, as %s sees them" % name, sorted(map(str, their)), known, said)
    differ("volumes and snapshots, as %s sees them" % name, sorted(disks_seen, key=str),
           sorted(((one["type"], one["id"], *filter(None, [one["node"]])) for one in records("volume", "list")), key=str), said)


def compare_usage(said):
    """What coopr counts is at least what the cloud charges, and at most more by what no request can tell: for how long it was under way or was repeated, that
    a machine was lost, or that nobody heard of its deletion until now. Where something was killed on the way, it may be all the time since the operation
    began. What was about to be asked for when all was killed, or its machine was off, counts
    from then on, too; that is told in the end."""
    before = time.time()
    was_killed = "(killed)" in " ".join(said) or sum(killed.values()) > sum(killed_before.values())
    killed_before.update(killed)
    counts = records("usage", "--by", "cluster")
    with sqlite3.connect("file:state/store.sqlite3?mode=ro", uri=True) as store:
        cluster_of = {volume: "%08d" % cluster for volume, cluster in store.execute("SELECT id, cluster FROM volume")}
        for member, table, thing, size, things, cluster in (("node_hours", "node_use", "node", 1, lives, lambda node: node[:8]),
                                                            ("volume_gb_hours", "volume_use", "volume", SIZE_GB, disks, cluster_of.get)):
            made, never = {life[0] for life in things.values()}, {}
            for number, one, spent_ms in store.execute("SELECT cluster, %s, coalesce(to_ms, ?) - from_ms FROM %s" % (thing, table), (int(time.time() * 1000),)):
                if one not in made:
                    never["%08d" % number] = never.get("%08d" % number, 0) + spent_ms / 1000
            never_made[member] = sum(never.values())
            counted = {row["id"]: row[member] * 3600 / size - never.get(row["id"], 0) for row in counts}
            its_lives = {one: (cluster(life[0]), *life[1:]) for one, life in things.items()}
            for one, life in its_lives.items():
                if one not in repeated:
                    begun = store.execute("SELECT max(begun_ms) FROM operation WHERE cluster = ? AND begun_ms <= ?", (life[0], int(life[1] * 1000))).fetchone()[0]
                    repeated[one] = life[1] - begun / 1000 if begun and was_killed else 0
            compare_hours(member, its_lives, counted, before, said)


def compare_hours(member, things, counts, before, said):
    """counts were taken between before, when what is there had cost the least, and now."""
    now = time.time()
    for cluster in {life[0] for life in things.values()} | set(counts):
        its = {one: life for one, life in things.items() if life[0] == cluster}
        least = sum((seen if gone else before) - made for _, made, gone, seen in its.values())
        charged = sum((gone or now) - made for _, made, gone, _ in its.values())
        counted = counts.get(cluster, 0)
        unseen = sum(noticed.setdefault(one, now) - life[2] for one, life in its.items() if life[2])
        unseen += sum(repeated[one] for one in its)
        usage[cluster, member] = (len(its), round(charged, 1), round(counted - charged, 1))
        if not least - 0.3 * (len(its) + 1) <= counted <= charged + SLACK_S * (len(its) + 4) + unseen:
            wrong.append("\n".join(["%s of %s: %d things, the cloud charges %.1f s, coopr counts %.1f s" % (member, cluster, len(its), charged, counted), *said]))


# --- all ---

def private_key():
    """A key, whose public half the fake knows; of google the file that a service account has."""
    def openssl(*words):
        return subprocess.run(["openssl", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
    openssl("genrsa", "-traditional", "-out", "key.pem", "2048")
    os.chmod("key.pem", 0o600)
    ask("/_set", {"modulus": openssl("rsa", "-in", "key.pem", "-noout", "-modulus").split("=")[1].strip()})
    with open("key.pub", "wb") as file:
        subprocess.run(["ssh-keygen", "-y", "-f", "key.pem"], stdout=file, check=True)
    name = subprocess.run(["ssh-keygen", "-l", "-E", "md5", "-f", "key.pub"], stdout=subprocess.PIPE, check=True).stdout.decode().split()[1]
    ask("/_set", {"keys": {name.removeprefix("MD5:"): openssl("pkey", "-in", "key.pem", "-pubout")}})
    with open("key.pem") as file:
        return file.read()


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def write_catalogue():
    key = private_key() if "KEY" in FIELDS.values() else ""
    fields = {name: value.replace("FAKE", FAKE).replace("KEY", key) if value in ("KEY",) or str(value).startswith("FAKE") else value
              for name, value in FIELDS.items()}
    fields.update(poll_s=0.2, consistency_s=1, requests_per_second=100)
    write("cat/providers/sky.json", {"name": "sky", "providertype": CLOUD, "provisioner": fields})
    write("cat/hardwaretypes/small.json", {"name": "small", "providermap": {"sky": {"flavor": FLAVOR, "cost": 3.6}}})
    write("cat/imagetypes/debian.json", {"name": "debian", "providermap": {"sky": {"image": IMAGE, "sshuser": "root"}}})
    does = {"type": "shell", "fields": {"script": "rows.sh"}, "patience_s": 3}
    write("cat/services/app.json", {"name": "app", "provisioner": {"actions": {"install": does, "start": does}}})
    write("cat/services/rows.json", {"name": "rows", "stateful": True, "data": ["/srv/rows"], "volumes": [{"name": "data", "path": "/srv/rows", "size_gb": SIZE_GB}],
                                     "provisioner": {"actions": {"initialize": does, "start": does, "status": does}}})
    write("cat/scripts/rows.sh", ROWS)
    for name in ["app", "rows"][:1 + HAS_VOLUMES]:
        write("cat/clustertemplates/%s.json" % name, {
            "name": name, "defaults": {"services": [name], "provider": "sky", "hardwaretype": "small", "imagetype": "debian"},
            "compatibility": {"services": [name], "hardwaretypes": ["small"], "imagetypes": ["debian"]}, "constraints": {"size": {"min": 1, "max": 10}}})
    if not HAS_VOLUMES:
        os.remove("cat/services/rows.json")
    for name, text in PROGRAMS.items():
        write("programs/" + name, "#!/bin/sh\n" + text + "\n")
        os.chmod("programs/" + name, 0o755)


def report_host_key():
    """As machines of this cloud do, by their console, or what else it has."""
    with open("hostkey.pub") as file:
        key = " ".join(file.read().split()[:2])
    lines = "-----BEGIN SSH HOST KEY KEYS-----\n%s root@host\n-----END SSH HOST KEY KEYS-----\n" % key
    ask("/_set", {"openstack": {"console": lines}, "opennebula": {"host_keys": base64.b64encode(key.encode()).decode()}}.get(CLOUD, {"host_keys": [key]}))


def begin():
    """Has the fake answer, and its machines."""
    global FAKE
    for words in (["ip", "link", "set", "lo", "up"], ["mount", "-t", "tmpfs", "none", "/run"], ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "hostkey"]):
        subprocess.run(words, check=True)
    fake = subprocess.Popen([sys.executable, HERE + "/fake.py", CLOUD, "fake.port", "fake.log"], stdin=subprocess.PIPE)
    while not os.path.exists("fake.port"):
        time.sleep(0.02)
    with open("fake.port") as file:
        FAKE = "http://127.0.0.1:" + file.read()
    report_host_key()
    write_catalogue()
    helpers = [fake] if CLOUD in HAS_MACHINES else [
        subprocess.Popen([sys.executable, HERE + "/machines.py", FAKE, os.path.abspath("programs"), os.path.abspath("hostkey")], stdin=subprocess.PIPE), fake]
    for words in (["coopr-store", "init"], ["coopr-import", "cat"]):
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    threading.Thread(target=watch, daemon=True).start()
    return helpers


def delete_all():
    said = []
    for name in list(clusters):
        said.append(coopr("delete", "-y", name)[1])
    settle(said)
    for volume in records("volume", "list"):
        said.append(coopr("volume", "delete", "-y", "--discard-data", volume["id"])[1])
    compare(said)
    differ("all that is left", [ask("/_machines"), ask("/_volumes")], [[], []], said)


def main():
    until, steps, good = time.time() + SECONDS, 0, True
    helpers = begin()
    server = Server()
    while time.time() < until and good:
        steps += 1
        said = storm(server)
        settle(said, server)
        good = compare(said)
        if os.environ.get("CHAOS_VERBOSE"):
            print("\n".join(said), "--- %d s" % (time.time() - until + SECONDS), flush=True)
    if good:
        delete_all()
    server.end()
    is_over.set()
    time.sleep(0.2)
    for helper in helpers:
        helper.stdin.close()
        helper.wait()
    for one in wrong:
        print(one)
    print("%s, seed %s: %d storms, %d clusters, %d machines, killed %s, %d wrong" % ("the real " * REAL + CLOUD, sys.argv[2], steps, storm.count, len(lives), killed, len(wrong)))
    for member, what in (("node_hours", "machines"), ("volume_gb_hours", "volumes and snapshots")):
        things, charged, more = (sum(its[at] for (_, counted), its in usage.items() if counted == member) for at in (0, 1, 2))
        print("%d %s: the cloud charges %d s, coopr counts %d s more, and %d s of what was never made" % (things, what, charged, more, never_made.get(member, 0)))
    if not REAL:
        print("%s has looked: %s" % (clients.CLIENTS[CLOUD][0], looked or "never, as it is not installed"))
    sys.exit(len(wrong) > 0)


main()
