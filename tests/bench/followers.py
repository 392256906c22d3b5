#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Followers of events: followers.py SOCKET COUNT SECONDS SERVER-PID

Follows /v1/events COUNT times, and prints after SECONDS how many events came, how old they were when they came (from "at" of the event,
the wall clock of this machine), what the server's memory is, and whether each follower has got the same, each once."""
import json, re, selectors, socket, sys, time
from datetime import datetime

path, count, seconds, pid = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
request = b"GET /v1/events HTTP/1.1\r\nHost: coopr\r\nAccept: text/event-stream\r\n\r\n"
selector = selectors.DefaultSelector()
rest, ages, ids = {}, [], {}
for number in range(count):
    one = socket.socket(socket.AF_UNIX)
    one.connect(path)
    one.sendall(request)
    rest[number], ids[number] = b"", []
    selector.register(one, selectors.EVENT_READ, number)
at = re.compile(rb'"at":"([^"]+)"')
cursor = re.compile(rb"id: (\S+)\nevent")
known = {}
end = time.time() + seconds
cut = 0
while time.time() < end:
    for key, _ in selector.select(0.1):
        part = key.fileobj.recv(1 << 20)
        now = time.time()
        if not part:
            cut += 1
            selector.unregister(key.fileobj)
            continue
        text = rest[key.data] + part
        whole = text.rfind(b"\n\n") + 2
        rest[key.data] = text[whole:] if whole > 1 else text
        text = text[:whole] if whole > 1 else b""
        ids[key.data] += cursor.findall(text)
        for stamp in at.findall(text):
            when = known.get(stamp)
            if when is None:
                when = known[stamp] = datetime.fromisoformat(stamp.decode().replace("Z", "+00:00")).timestamp()
            ages.append(now - when)
ages.sort()
shortest = min(map(len, ids.values()))  # some have not been told the last ones yet
lists = {tuple(x[:shortest]) for x in ids.values()}
rss = [line.split()[1] for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS")][0]
percent = lambda p: round(1000 * ages[min(len(ages) - 1, int(p * len(ages)))]) if ages else None
print(json.dumps({"followers": count, "cut": cut, "events_each": max(map(len, ids.values())), "different_lists": len(lists),
    "doubled": sum(len(x) - len(set(x)) for x in ids.values()), "age_ms": {"p50": percent(.5), "p99": percent(.99), "max": percent(1)}, "later_than_200_ms": sum(age > .2 for age in ages),
    "server_rss_kib": int(rss)}))
