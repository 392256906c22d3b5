#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""store-power.py [STEP]

Loss of power: commands that change a store are recorded call by call (strace); then, for each instant between two calls,
states are rebuilt that the kernel may leave on disk, and the store is opened from there. fsck must find nothing, and
what a command that had ended has written must be there.

What the kernel may leave: of the data that was written since a file's last fsync nothing, all, all but the last write, only
the last, or the last torn. Names are kept: that a new store's file stays is not looked at.

Every third command is first tried while the disk refuses each fsync: it must end with 74, and what it wrote is then lost in
the model, though it can still be read until the power is lost.

Every STEP-th instant is tried (default 1), and each at which a command ends. The last line says how many there were.
"""
import json, os, re, shutil, subprocess, sys, tempfile

from changes import applied, text

CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\w+)")
REFUSED = "-e inject=fsync,fdatasync:error=EIO"
CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,close,unlink"
WRITES = 45  # more than the log takes: it begins anew


class File:
    def __init__(self):
        self.disk, self.pending = b"", []  # pending: ("write", at, data) or ("cut", length)

    def sync(self):
        self.disk, self.pending = applied(self.disk, self.pending), []

    def refuse(self):
        self.pending = []


def left(file):
    """The contents that may be on disk."""
    pending = file.pending
    some = [[], pending, pending[:-1], pending[-1:]]
    if pending and pending[-1][0] == "write":
        kind, at, data = pending[-1]
        some.append(pending[:-1] + [(kind, at, data[:len(data) // 2])])
    return [applied(file.disk, changes) for changes in some]


def record(folder, number, trace, refused):
    document = json.dumps({"name": "p%d" % (number % 7), "providertype": "dummy", "description": str(number) * 300})
    done = subprocess.run(["strace", "-f", "-xx", "-s", "1000000", "-e", "trace=" + CALLS, *(REFUSED.split() if refused else []),
        "-o", trace, "coopr-store", "put", "-k", "provider"], input=document.encode(), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "COOPR_STORE": folder + "/store",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"})  # not while strace looks on
    if done.returncode != (74 if refused else 0):
        raise SystemExit("put ended with %d" % done.returncode)


def replay(trace, folder, files):
    """Does what the calls did, one after the other."""
    opened = {}
    for line in open(trace):
        match = CALL.match(line)
        if not match or match[3].startswith("-") and "(INJECTED)" not in line:
            continue
        name, arguments, result = match.groups()
        if name == "openat":
            path = text(arguments.split(", ")[1]).decode()
            if path in (folder + "/store", folder + "/store-wal"):
                opened[int(result)] = files.setdefault(os.path.basename(path), File())
            continue
        if name == "unlink":
            path = text(arguments).decode()
            if os.path.basename(path) in files and os.path.dirname(path) == folder:
                raise SystemExit("the log of the store was taken away")
            continue
        fd = int(arguments.split(",")[0])
        if name == "close":
            opened.pop(fd, None)
        elif fd not in opened:
            continue
        elif name == "pwrite64":
            opened[fd].pending.append(("write", int(arguments.split(", ")[-1]), text(arguments.split('"')[1])))
        elif name == "ftruncate":
            opened[fd].pending.append(("cut", int(arguments.split(", ")[1]), b""))
        elif result.startswith("-"):
            opened[fd].refuse()
        else:
            opened[fd].sync()
        yield


def is_well(scratch, contents, said):
    shutil.rmtree(scratch, ignore_errors=True)
    os.mkdir(scratch)
    for name, data in contents.items():
        with open(scratch + "/" + name, "wb") as file:
            file.write(data)
    environment = {**os.environ, "COOPR_STORE": scratch + "/store"}
    fsck = subprocess.run(["coopr-store", "fsck"], env=environment, capture_output=True, text=True)
    rows = subprocess.run(["coopr-store", "list", "-o", "json"], env=environment, capture_output=True, text=True)
    found = {row["name"]: row["version"] for row in map(json.loads, rows.stdout.splitlines())}
    if fsck.returncode == 0 and rows.returncode == 0 and all(found.get(name, 0) >= number for name, number in said.items()):
        return True
    print("#", fsck.stderr, rows.stderr, "said", said, "found", found)
    return False


def main():
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    top = tempfile.mkdtemp(prefix="coopr-store-power.")
    folder, scratch, trace = top + "/now", top + "/then", top + "/trace"
    states = wrong = instant = 0
    files, said = {}, {}
    os.mkdir(folder)
    subprocess.run(["coopr-store", "init"], check=True, env={**os.environ, "COOPR_STORE": folder + "/store"})
    for name in ("store", "store-wal"):
        files[name] = File()
        with open(folder + "/" + name, "rb") as file:
            files[name].disk = file.read()
    for number, refused in [(n, refused) for n in range(WRITES) for refused in ((True, False) if n % 3 == 1 else (False,))]:
        record(folder, number, trace, refused)
        calls = replay(trace, folder, files)
        over = False
        while not over:
            over = next(calls, "over") == "over"
            if over and not refused:
                said["p%d" % (number % 7)] = number // 7 + 1
            instant += 1
            if not over and instant % step:
                continue
            seen = set()
            for store in left(files["store"]):
                for log in left(files["store-wal"]):
                    if (store, log) in seen:
                        continue
                    seen.add((store, log))
                    states += 1
                    wrong += not is_well(scratch, {"store": store, "store-wal": log}, said)
    shutil.rmtree(top)
    print("%d states, %d wrong" % (states, wrong))
    return 1 if wrong else 0


sys.exit(main())
