#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""resource-power.py [STEP]

Loss of power: uploads, stages, syncs and deletions of resources are recorded call by call (strace), in the database and in the folder of
what is kept; then, for each instant between two calls, states are rebuilt that the kernel may leave on disk, and the store is
opened from there. fsck --contents must find nothing: each version that is recorded has its bytes, whole. What a command that had ended
has said must be so.

What the kernel may leave: of the data that was written since a file's last fsync nothing, all, or half of the last write; of the names that
were made since the last fsync of their folder none, or all. A folder's own name is one in the folder above.

Every STEP-th instant is tried (default 1), and each at which a command ends. The last line says how many there were.
"""
import json, os, re, shutil, subprocess, sys, tempfile

from changes import applied, text

CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\w+)")
CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,close,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat"
HELLO, MOTD = "automator/shell/scripts/hello.sh", "automator/shell/files/motd"


class File:
    """Bytes on disk, and the changes since the last fsync."""

    def __init__(self, disk=b""):
        self.disk, self.pending = disk, []

    def sync(self):
        self.disk, self.pending = applied(self.disk, self.pending), []

    def left(self, how):
        """None of the changes, all, or all but the half of the last."""
        if how == "torn" and self.pending and self.pending[-1][0] == "write":
            kind, at, data = self.pending[-1]
            return applied(self.disk, self.pending[:-1] + [(kind, at, data[:len(data) // 2])])
        return applied(self.disk, self.pending if how == "all" else [])


class Folder:
    """Names on disk, and those there are now."""

    def __init__(self):
        self.disk, self.now = {}, {}

    def sync(self):
        self.disk = dict(self.now)


class Model:
    def __init__(self, top):
        self.top, self.root = top, Folder()

    def find(self, path):
        """The node of a path below the top; None."""
        node = self.root
        for part in self.parts(path):
            node = node.now.get(part) if isinstance(node, Folder) else None
        return node

    def parts(self, path):
        return [part for part in path[len(self.top):].split("/") if part]

    def parent(self, path):
        return self.find(self.top + "/" + "/".join(self.parts(path)[:-1]))

    def is_mine(self, path):
        return path == self.top or path.startswith(self.top + "/")

    def take(self, folder, node):
        """Begins with what is on disk."""
        for name in os.listdir(folder):
            path = folder + "/" + name
            node.now[name] = Folder() if os.path.isdir(path) else File(open(path, "rb").read())
            if os.path.isdir(path):
                self.take(path, node.now[name])
        node.sync()

    def write(self, node, folder, names, how):
        os.makedirs(folder, exist_ok=True)
        for name, inner in getattr(node, names).items():
            if name.endswith("-shm"):
                continue
            if isinstance(inner, Folder):
                self.write(inner, folder + "/" + name, names, how)
            else:
                with open(folder + "/" + name, "wb") as file:
                    file.write(inner.left(how))


def quoted(arguments):
    return [text(part).decode() for part in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)]


def replay(trace, model):
    """Does what the calls did, one after the other; yields after each that changes something."""
    opened, paths = {}, {}
    for line in open(trace):
        match = CALL.match(line)
        if not match or match[3].startswith("-"):
            continue
        name, arguments, result = match.groups()
        if name == "openat":
            path = quoted(arguments)[0]
            if not path.startswith("/"):
                base = arguments.split(",")[0]
                path = os.path.normpath((paths.get(int(base)) or "/") + "/" + path) if base.isdigit() else path
            paths[int(result)] = path
            opened.pop(int(result), None)
            if not model.is_mine(path) or "O_TMPFILE" in arguments: # without a name nothing of it is left
                continue
            node = model.find(path)
            if node is None:
                node = model.parent(path).now[os.path.basename(path)] = File()
            elif "O_TRUNC" in arguments:
                node.pending.append(("cut", 0, b""))
            opened[int(result)] = node
        elif name in ("rename", "renameat", "renameat2"):
            old, new = quoted(arguments)
            if not model.is_mine(old):
                continue
            model.parent(new).now[os.path.basename(new)] = model.parent(old).now.pop(os.path.basename(old))
        elif name in ("mkdir", "mkdirat"):
            path = quoted(arguments)[0]
            if not model.is_mine(path):
                continue
            model.parent(path).now[os.path.basename(path)] = Folder()
        elif name in ("unlink", "unlinkat"):
            path = quoted(arguments)[0]
            if not model.is_mine(path):
                continue
            model.parent(path).now.pop(os.path.basename(path), None)
        else:
            fd = int(arguments.split(",")[0])
            node = opened.get(fd)
            if name == "close":
                opened.pop(fd, None)
                continue
            if node is None:
                continue
            if name == "pwrite64":
                node.pending.append(("write", int(arguments.split(", ")[-1]), text(arguments.split('"')[1])))
            elif name == "write":
                node.pending.append(("write", len(node.left("all")), text(arguments.split('"')[1])))
            elif name == "ftruncate":
                node.pending.append(("cut", int(arguments.split(", ")[1]), b""))
            else:
                node.sync()
        yield


def environment(top):
    return {**os.environ, "COOPR_STORE": top + "/store", "COOPR_STATE": top + "/state",
        "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def states(top):
    rows = subprocess.run(["coopr-resource", "list", "-o", "json"], env=environment(top), capture_output=True, text=True)
    if rows.returncode:
        raise ValueError(rows.stderr)
    return {"%s@%d" % (row["name"], row["version"]): row["state"] for row in map(json.loads, rows.stdout.splitlines())}


def fault(scratch, allowed):
    """What is wrong with the state that is on disk; None."""
    fsck = subprocess.run(["coopr-store", "fsck", "--contents"], env=environment(scratch), capture_output=True, text=True)
    if fsck.returncode:
        return fsck.stderr
    try:
        found = states(scratch)
    except ValueError as error:
        return str(error)
    return None if found in allowed else "found %s, allowed %s" % (found, allowed)


def main():
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    work = tempfile.mkdtemp(prefix="coopr-resource-power.")
    top, scratch, trace = work + "/now", work + "/then", work + "/trace"
    os.makedirs(top + "/state")
    subprocess.run(["coopr-store", "init"], check=True, env=environment(top))
    model = Model(top)
    model.take(top, model.root)
    commands = [["upload", "-q", "--stage", HELLO, "-"], ["upload", "-q", MOTD, "-"], ["stage", "-q", MOTD], ["sync", "-q"],
        ["upload", "-q", "--stage", HELLO, "-"], ["recall", "-q", MOTD], ["sync", "-q"], ["delete", "-y", HELLO + "@1"],
        ["upload", "-q", "--sync", HELLO, "-"], ["delete", "-y", MOTD]]
    count = wrong = instant = 0
    before = states(top)
    for number, command in enumerate(commands):
        done = subprocess.run(["strace", "-f", "-xx", "-s", "1000000", "-e", "trace=" + CALLS, "-o", trace, "coopr-resource", *command],
            input=("text %d\n" % number * 2000).encode(), env=environment(top), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode:
            raise SystemExit("%s ended with %d: %s" % (command, done.returncode, done.stderr))
        after = states(top)
        calls, over = replay(trace, model), False
        while not over:
            over = next(calls, "over") == "over"
            instant += 1
            if not over and instant % step:
                continue
            for names in ("disk", "now"):
                for how in ("none", "torn", "all"):
                    shutil.rmtree(scratch, ignore_errors=True)
                    model.write(model.root, scratch, names, how)
                    os.makedirs(scratch + "/state", exist_ok=True)
                    said = fault(scratch, [after] if over else [before, after])
                    count += 1
                    wrong += said is not None
                    if said is not None:
                        print("# %s, instant %d, names %s, data %s: %s" % (command, instant, names, how, said))
        before = after
    shutil.rmtree(work)
    print("%d states, %d wrong" % (count, wrong))
    return 1 if wrong else 0


sys.exit(main())
