# SPDX-License-Identifier: Apache-2.0
#
# helper-attack.py SOCKET SEED CASES
#
# Sends requests to the sandbox's helper that are wrong in every way a generator thinks of, and judges the answers by a grammar of its
# own. What is right asks for a network that root does not allow, or for machines that there are not. Prints each wrong answer, and
# at the end how many requests were right and wrong.
import random
import re
import socket
import sys

path, seed, cases = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed)
key = "ssh-ed25519 " + "A" * 68
ID, PATH = r"(?!\.)[A-Za-z0-9_.-]{1,%d}", r"/[!-9;-~]{0,1023}"
NUMBER = r"(?=.{1,15}$)(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
SHAPES = {
    "installation": r"[0-9a-f]{8}", "name": ID % 200, "node": ID % 100, "cluster": ID % 100,
    "token": r"[A-Za-z0-9_.:-]{1,255}", "provider": ID % 100,
    "hostname": r"(?![-.])(?=.{1,253}$)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9.-]*)?",
    "login": r"ssh-ed25519 [A-Za-z0-9+/=]{68}", "network": r"[0-9.]{7,15}/[0-9]{1,2}", "image": "host|" + PATH,
    "shares": PATH + "(?::" + PATH + ")*", "route": "yes", "cpu": NUMBER, "memory": NUMBER, "processes": r"[0-9]{1,9}", "disk": NUMBER,
}
LEAST = {"cpu": 0.05, "memory": 32, "processes": 32, "disk": 32}
TAKES = {
    "create": ("installation node cluster token provider hostname login network image".split(),
               "shares route cpu memory processes disk".split()),
    "delete": (["installation", "name"], []),
    "list": (["installation"], ["name", "node"]),
}


def is_right(request):
    if len(request) > 16384 or any(b != 10 and not 32 <= b <= 126 for b in request):
        return None
    lines = request.decode("ascii").split("\n")
    if lines[-2:] != ["end", ""] or len(lines) < 3 or lines[0] not in TAKES:
        return None
    needed, more = TAKES[lines[0]]
    seen = {}
    for line in lines[1:-2]:
        name, equals, value = line.partition("=")
        if not equals or name in seen or name not in needed + more or not re.fullmatch(SHAPES[name], value):
            return None
        if name in LEAST and not LEAST[name] <= float(value) <= 1e9:
            return None
        seen[name] = value
    return lines[0] if all(name in seen for name in needed) else None


def whole(verb):
    values = {"installation": "0123abcd", "name": "99999-0123abcd.c-1-0123456789ab", "node": "c-1", "cluster": "c", "token": "c:t1",
              "provider": "p", "hostname": "h.example.net", "login": key, "network": "10.9.9.0/24", "image": "host",
              "shares": "/srv:/opt", "route": "yes", "cpu": "1.5", "memory": "64", "processes": "99", "disk": "100"}
    needed, more = TAKES[verb]
    names = needed + [name for name in more if draw.random() < 0.5]
    return [verb] + [name + "=" + values[name] for name in names]


HOSTILE = ["", "..", ".", "/", "../../etc", "/proc/self/root", "/etc/passwd\0", "a\nname=x", "a\r", "\x1b[2J", "%n%s", "$(id)", "`id`",
           "-rf", "x" * 300, "y" * 20000, "0", "-1", "1e9", "1000000000.1", "999999999999999", "nan", "inf", "0x10", "999999999999999999999", "yes", "host", "/srv", ":",
           "/a:", "/a b", "10.0.0.0", "10.0.0.0/99", "10.0.0.0/8/8", "é", "ssh-ed25519 x", "root", "1.1.1.1/1", ".5", "5.", "a.b.", "-a"]
NAMES = list(SHAPES) + ["masks", "ids", "unconfined", "files", "table", "address", "pid", "host_key", "resolvers", "uid", "PATH", "", "end"]


def spoil(lines):
    how = draw.randrange(9)
    at = draw.randrange(len(lines))
    if how == 0 and at:
        lines[at] = lines[at].split("=")[0] + "=" + draw.choice(HOSTILE)
    elif how == 1:
        lines.insert(draw.randrange(len(lines) + 1), draw.choice(NAMES) + "=" + draw.choice(HOSTILE))
    elif how == 2:
        lines.insert(at, lines[at])
    elif how == 3:
        del lines[at]
    elif how == 4:
        lines[0] = draw.choice(["CREATE", "purge", "", "exec", "create ", "list", "delete", "confirm", "create\0", "/bin/sh"])
    elif how == 5:
        draw.shuffle(lines)
    text = bytearray(("\n".join(lines) + "\nend\n").encode())
    if how == 6:
        text[draw.randrange(len(text))] = draw.randrange(256)
    elif how == 7:
        del text[draw.randrange(len(text)):]
    return bytes(text)


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s


def answer(s):
    text = b""
    try:
        while True:
            part = s.recv(65536)
            if not part:
                break
            text += part
    except ConnectionResetError:
        pass
    s.close()
    return text


def send(s, text):
    try:
        s.sendall(text)
    except BrokenPipeError:
        pass  # it has refused the request before it has read all of it
    except ConnectionResetError:
        pass


def judge(request, text):
    verb = is_right(request)
    found = re.match(rb"status=(\d+)\n", text)
    expected = {"create": {78}, "delete": {77}, "list": {0}, None: {65}}[verb]
    if not found or not text.endswith(b"end\n") or int(found[1]) not in expected or b"\nname=" in text:
        print("request:", request[:300], "answer:", text[:300])
    return verb is not None


idle = connect()  # it says nothing, and is left in the end
slow = connect()
slow.sendall(b"list\n")
right = wrong = 0
for case in range(cases):
    requests = [spoil(whole(draw.choice(list(TAKES)))) for _ in range(2)]
    sockets = [connect(), connect()]
    if draw.random() < 0.2 and all(requests):  # in pieces, of both at once
        cuts = [draw.randrange(1, len(r) + 1) for r in requests]
        for s, r, cut in zip(sockets, requests, cuts):
            send(s, r[:cut])
        for s, r, cut in zip(sockets, requests, cuts):
            send(s, r[cut:])
    else:
        for s, r in zip(sockets, requests):
            send(s, r)
    for s, r in zip(sockets, requests):
        try:
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if judge(r, answer(s)):
            right += 1
        else:
            wrong += 1
for s in (idle, slow):
    if answer(s):
        print("a request that is never sent was answered")
print(right, wrong)
