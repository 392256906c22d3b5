#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""power.py [STEP]

Loss of power: a run of coopr-queue is recorded call by call (strace); then, for each instant between two calls, each state
is rebuilt that the kernel may leave on disk, and the spool is taken up again from there. fsck must find nothing, what a
command that had ended said must be so, no task may be taken while another of its node runs or before what it comes
after, and the job must come to its end.

What the kernel may leave: of the data that was written since a file's last fsync nothing, all, a torn end, or zeros; of the
names changed since their folder's last fsync none, all, all but any one, or any one alone. The machine has
started anew: caches hold zeros, and times count from another start.

Every STEP-th state is tried (default 1). The last line says how many there were.
"""
import hashlib, json, os, re, shutil, subprocess, sys, tempfile

CACHES = re.compile(r"^(board|state|bell|setting\..*)$")
CALLS = "openat,write,pwrite64,lseek,ftruncate,fallocate,fsync,fdatasync,renameat,renameat2,unlinkat,mkdirat,linkat"


class File:
    def __init__(self):
        self.now, self.disk, self.place = b"", b"", 0

    def write(self, at, data):
        self.now = self.now[:at].ljust(at, b"\0") + data + self.now[at + len(data):]


class Folder:
    def __init__(self):
        self.names = {}


class Machine:
    """What the calls of a run have made, and what of it is surely on disk."""

    def __init__(self, top):
        self.top, self.root, self.names, self.tests = top, Folder(), [], {}  # names: [kind, arguments, durable]

    def find(self, path):
        at = self.root
        for name in [n for n in os.path.relpath(path, self.top).split("/") if n != "."]:
            at = at.names.get(name) if isinstance(at, Folder) else None
        return at

    def split(self, path):
        return self.find(os.path.dirname(path)), os.path.basename(path)

    def is_ours(self, path):
        return path == self.top or path.startswith(self.top + "/")

    def change(self, kind, *arguments):
        apply(kind, arguments)
        self.names.append([kind, arguments, False])

    def make(self, path, node):
        folder, name = self.split(path)
        if name not in folder.names:
            self.change("make", folder, name, node)

    def rename(self, old, new):
        (a, x), (b, y) = self.split(old), self.split(new)
        self.change("rename", a, x, b, y)

    def remove(self, path):
        folder, name = self.split(path)
        self.change("remove", folder, name)

    def sync(self, path):
        node = self.find(path)
        if isinstance(node, File):
            node.disk = node.now
        for change in self.names:
            if isinstance(node, Folder) and any(a is node for a in change[1][:1] + change[1][2:3]):
                change[2] = True


def apply(kind, a, names=lambda folder: folder.names):
    if kind == "make":
        names(a[0])[a[1]] = a[2]
    elif kind == "rename" and a[1] in names(a[0]):
        names(a[2])[a[3]] = names(a[0]).pop(a[1])
    elif kind == "remove":
        names(a[0]).pop(a[1], None)


# --- a run, recorded ---

LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
FD = re.compile(r"^(?:\d+|AT_FDCWD)<(.*?)>$")
STRING = re.compile(r'^"((?:[^"\\]|\\.)*)"(\.\.\.)?$')


def arguments(text):
    parts, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "{[<(":
            depth += 1
        elif c in "}]>)":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
        i += 1
    return parts + [text[start:].strip()]


def fd_path(argument):
    found = FD.match(argument)
    return found.group(1) if found else ""


def text_of(argument):
    found = STRING.match(argument)
    assert found and not found.group(2), "a call was recorded in part: " + argument[:80]
    return bytes.fromhex(found.group(1).replace("\\x", ""))


def path_at(folder, name):
    return os.path.join(fd_path(folder), text_of(name).decode())


def replay(machine, call, a, result):
    """One call: returns whether it changed anything."""
    if call in ("openat", "mkdirat"):
        path = path_at(a[0], a[1])
        if path == machine.top or not machine.is_ours(path) or (call == "openat" and "O_CREAT" not in a[2]):
            if machine.is_ours(path) and isinstance(machine.find(path), File):
                machine.find(path).place = 0
            return False
        machine.make(path, File() if call == "openat" else Folder())
        if call == "openat":
            file = machine.find(path)
            file.place = 0
            if "O_TRUNC" in a[2]:
                file.now = b""
        return True
    if call in ("renameat", "renameat2"):
        if machine.is_ours(path_at(a[0], a[1])):
            machine.rename(path_at(a[0], a[1]), path_at(a[2], a[3]))
        return True
    if call == "unlinkat":
        if machine.is_ours(path_at(a[0], a[1])):
            machine.remove(path_at(a[0], a[1]))
        return True
    path = fd_path(a[0])
    if not machine.is_ours(path):
        return False
    file = machine.find(path)
    if call in ("fsync", "fdatasync"):
        assert file, "%s of what is not known: %s" % (call, path)
        machine.sync(path)
        return True
    if not isinstance(file, File):
        return False
    if call == "lseek":
        file.place = result
    elif call == "write":
        file.write(file.place, text_of(a[1])[:result])
        file.place += result
    elif call == "pwrite64":
        file.write(int(a[3]), text_of(a[1])[:result])
    elif call == "ftruncate":
        file.now = file.now[:int(a[1])].ljust(int(a[1]), b"\0")
    elif call == "fallocate":
        file.now = file.now.ljust(int(a[2]) + int(a[3]), b"\0")
    return call != "lseek"


# --- what may be on disk ---

def data_variants(file):
    pending = len(file.now) - len(file.disk)
    yield "lost", file.disk
    yield "kept", file.now
    if file.now != file.disk:
        keep = len(file.disk) + pending // 2 if pending > 0 else len(file.now)
        yield "torn", file.now[:keep]
        yield "zeros", file.now[:len(file.disk)].ljust(len(file.now), b"\0")


def name_choices(machine):
    """Which changes of names are on disk."""
    loose = [i for i, change in enumerate(machine.names) if not change[2]]
    sure = [i for i, change in enumerate(machine.names) if change[2]]
    yield set(sure)
    yield set(sure + loose)
    for one in loose:
        yield set(sure + loose) - {one}
        yield set(sure) | {one}


def tree(machine, choice, how):
    """{path: bytes, or None for a folder} of one state."""
    made = {}

    def names(folder):
        return made.setdefault(id(folder), {})

    def walk(folder, path, out):
        for name, node in names(folder).items():
            below = path + "/" + name
            if isinstance(node, Folder):
                out[below] = None
                walk(node, below, out)
            elif CACHES.match(name):
                out[below] = b"\0" * len(node.now)
            else:
                out[below] = dict(data_variants(node)).get(how, node.now)
        return out

    for i, (kind, a, _) in enumerate(machine.names):
        if i in choice:
            apply(kind, a, names)
    return walk(machine.root, "", {})


def states(machine, seen):
    for choice in name_choices(machine):
        for how in ("lost", "kept", "torn", "zeros"):
            found = tree(machine, choice, how)
            key = hashlib.sha256(repr(sorted(found.items())).encode()).digest()
            if key not in seen:
                seen.add(key)
                yield found


# --- the run ---

PLAN = """{"kind":"job","id":null,"cluster":"c","tenant":"qa","action":"x","tasks":4,"critical_path_s":1}
{"kind":"cluster","id":"c","name":"kv","tenant":"qa","services":["zk"],"config":{"a":"%ip.service.zk%"},"definitions":[],"provider":{"name":"d","providertype":"dummy"}}
{"kind":"node","id":"n1","nodenum":1,"hostname":"h1","services":["zk"],"was":null}
{"kind":"node","id":"n2","nodenum":2,"hostname":"h2","services":["zk"],"was":null}
{"kind":"task","id":"t1","node":"n1","action":"create","type":"dummy","after":[],"timeout_s":600,"retries":2,"rank":2}
{"kind":"task","id":"t2","node":"n2","action":"create","type":"dummy","after":[],"timeout_s":600,"retries":2,"rank":2}
{"kind":"milestone","id":"m","name":"m","after":["t1","t2"]}
{"kind":"task","id":"t3","node":"n1","action":"install","service":"zk","type":"dummy","after":["m"],"timeout_s":600,"retries":2,"rank":1}
{"kind":"task","id":"t4","node":"n2","action":"install","service":"zk","type":"dummy","after":["m"],"timeout_s":600,"retries":2,"rank":1}
"""
AFTER = {"t1": [], "t2": [], "t3": ["t1", "t2"], "t4": ["t1", "t2"]}


# LeakSanitizer cannot look for leaks in a program that is traced.
TRACED = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")


class Known:
    """What commands that have ended have said."""

    def __init__(self):
        self.job, self.done, self.attempts, self.going, self.gone = None, set(), {}, False, False

    def copy(self):
        other = Known()
        other.job, other.done, other.attempts, other.going = self.job, set(self.done), dict(self.attempts), self.going
        return other


def queue(spool, *words, given=""):
    return subprocess.run(["coopr-queue", "--spool", spool, *words], input=given, capture_output=True, text=True)


def results(taken, status):
    return "".join(json.dumps({"kind": "result", "job": t["job"], "task": t["id"], "attempt": t["attempt"], "status": status,
                               "ipaddresses": {"bind_v4": "10.0.0.1"}}) + "\n" for t in taken)


class Run:
    def __init__(self, folder):
        self.spool, self.trace = os.path.join(folder, "spool"), os.path.join(folder, "trace")
        self.machine, self.known, self.taken = Machine(self.spool), Known(), []

    def command(self, *words, given=""):
        """Runs it; yields after each call that has changed something, then once at its end."""
        self.known.going = words[0] == "gc"
        ran = subprocess.run(["strace", "-f", "-y", "-xx", "-s", "100000", "-e", "trace=" + CALLS, "-e", "signal=none", "-o",
                              self.trace, "coopr-queue", "--spool", self.spool, *words], input=given, capture_output=True,
                             text=True, env=TRACED)
        assert ran.returncode == 0, (words, ran.returncode, ran.stderr)
        with open(self.trace) as lines:
            for line in lines:
                found = LINE.match(line)
                if found and int(found.group(3)) >= 0 and \
                        replay(self.machine, found.group(1), arguments(plain_paths(found.group(2))), int(found.group(3))):
                    yield ran.stdout
        self.said(words, given, ran.stdout)
        yield ran.stdout

    def said(self, words, given, output):
        known = self.known = self.known.copy()
        records = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        if words[0] == "put":
            known.job = output.strip()
        elif words[0] == "take":
            self.taken = records
            for t in records:
                known.attempts[t["id"]] = t["attempt"]
        elif words[0] == "done":
            known.done |= {r["task"] for r in map(json.loads, given.splitlines()) if r["status"] == 0}
        elif words[0] == "gc":
            known.gone = True

    def all(self):
        plan = os.path.join(os.path.dirname(self.spool), "plan")
        open(plan, "w").write(PLAN)
        yield from self.command("put", "--backoff-ms", "0", plan)
        yield from self.command("take", "--count", "2")
        yield from self.command("done", given=results(self.taken[:1], 0))
        yield from self.command("done", given=results(self.taken[1:], 1))
        yield from self.command("take")
        yield from self.command("done", given=results(self.taken, 65))
        yield from self.command("retry", self.known.job)
        yield from self.command("limit", "--total", "9")
        yield from self.command("take")
        yield from self.command("done", given=results(self.taken, 0))
        yield from self.command("pause", self.known.job)
        yield from self.command("resume", self.known.job)
        yield from self.command("take", "--count", "2")
        yield from self.command("done", given=results(self.taken, 0))
        yield from self.command("gc", "--keep", "0")


def plain_paths(text):
    """strace -xx prints paths behind descriptors in hexadecimal as well."""
    return re.sub(r"<((?:\\x[0-9a-f]{2})+)>", lambda m: "<" + bytes.fromhex(m.group(1).replace("\\x", "")).decode() + ">", text)


# --- recovery ---

def rebuild(spool, found, boot):
    shutil.rmtree(spool, ignore_errors=True)
    os.mkdir(spool, 0o700)
    for path, data in sorted(found.items()):
        if data is None:
            os.mkdir(spool + path, 0o700)
        else:
            with open(spool + path, "wb") as file:
                file.write(data.replace(boot, b"0" * len(boot)))


def check(spool, known):
    """Takes the spool up again; returns what is wrong."""
    queue(spool, "take", "--job", "none")
    if known.gone:
        return None if queue(spool, "fsck").returncode == 0 else "fsck: " + queue(spool, "fsck").stdout
    ran = queue(spool, "fsck")
    if ran.returncode:
        return "fsck: " + ran.stdout + ran.stderr
    jobs = queue(spool, "ls", "-o", "name").stdout.split()
    if known.job and known.job not in jobs:
        return None if known.going else "the job is lost"
    for job in jobs:
        wrong = check_job(spool, job, known)
        if wrong:
            return wrong
    ran = queue(spool, "fsck")
    return "fsck in the end: " + ran.stdout + ran.stderr if ran.returncode else None


def done_tasks(spool, job):
    ran = queue(spool, "show", "--tasks", "-o", "json", job)
    return {t["task"] for t in map(json.loads, ran.stdout.splitlines()) if t["status"] == "done"}


def check_job(spool, job, known):
    if not known.done <= done_tasks(spool, job):
        return "done was said of %s" % (known.done - done_tasks(spool, job))
    for _ in range(20):
        before = done_tasks(spool, job)
        ran = queue(spool, "take", "--count", "9")
        taken = [json.loads(line) for line in ran.stdout.splitlines()]
        if not taken:
            break
        if len({t["node"] for t in taken}) < len(taken):
            return "two tasks of a node at once"
        for t in taken:
            if not set(AFTER[t["id"]]) <= before or t["id"] in before:
                return "%s was taken before its time" % t["id"]
            if t["attempt"] <= known.attempts.get(t["id"], 0):
                return "attempt %d at %s was given away before" % (t["attempt"], t["id"])
        if queue(spool, "done", given=results(taken, 0)).returncode:
            return "done is refused"
    status = json.loads(queue(spool, "show", "-o", "json", job).stdout)["status"]
    if status in ("paused", "failed") and queue(spool, "resume" if status == "paused" else "retry", job).returncode == 0:
        return check_job(spool, job, Known())
    return None if status == "complete" else "the job is %s in the end" % status


def main():
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    boot = open("/proc/sys/kernel/random/boot_id", "rb").read().strip()
    folder = tempfile.mkdtemp(dir=os.environ.get("TMPDIR", "/tmp"))
    spool = os.path.join(folder, "again")
    run, seen, number, tried, wrong = Run(folder), set(), 0, 0, 0
    for _ in run.all():
        for found in states(run.machine, seen):
            number += 1
            if number % step:
                continue
            tried += 1
            rebuild(spool, found, boot)
            problem = check(spool, run.known)
            if problem:
                wrong += 1
                print("state %d: %s" % (number, problem.strip()))
                if wrong == 1 and os.environ.get("POWER_KEEP"):
                    rebuild(os.environ["POWER_KEEP"], found, boot)
    shutil.rmtree(folder)
    print("%d states, %d tried, %d wrong" % (number, tried, wrong))
    return 1 if wrong or tried < 20 else 0


sys.exit(main())
