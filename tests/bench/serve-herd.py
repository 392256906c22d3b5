#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connections that do nothing good, and who asks meanwhile: serve-herd.py ADDRESS:PORT COUNT SERVER-PID TOKEN

Opens COUNT connections of a kind, and prints how many of them the server holds, its memory, and how long others wait for /healthz and for
a list of clusters; then the next kind."""
import http.client
import resource
import selectors
import socket
import statistics
import sys
import time

address, count, pid, token = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
host, port = address.rsplit(":", 1)
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
HEAD = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
RUBBISH = (HEAD + b"\r\n") * 50 + b"\x00\xff rubbish\r\n\r\n" * 20
UPLOAD = b"PUT /v1/resources/automator/shell/files/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\nhalf"
KINDS = {  # what is sent at first, what is sent each second, whether the end of what is sent is told
    "idle": (b"", b"", False),
    "kept after an answer": (HEAD + b"\r\n", b"", False),
    "a head that never ends": (HEAD, b"X", False),
    "half-closed": (HEAD, b"", True),
    "pipelined rubbish": (RUBBISH, b"", False),
    "uploads that stall": (UPLOAD % token.encode(), b"", False),
}


def memory():
    with open("/proc/%s/status" % pid) as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1000


def wait_for(path, times):
    """Returns the milliseconds that each of some requests took, each with a connection of its own."""
    took = []
    for _ in range(times):
        begin = time.monotonic()
        one = http.client.HTTPConnection(host, int(port), timeout=60)
        one.request("GET", path, headers={"Authorization": "Bearer " + token})
        if one.getresponse().status != 200:
            sys.exit("others are not served")
        one.close()
        took.append((time.monotonic() - begin) * 1000)
    return sorted(took)


def describe(took):
    return "median %.1f ms, longest %.1f ms" % (statistics.median(took), took[-1])


print("alone: /healthz %s; a list %s; %.1f MB" % (describe(wait_for("/healthz", 50)), describe(wait_for("/v1/clusters", 20)), memory()))
for kind, (first, drip, half) in KINDS.items():
    held, begin = [], time.monotonic()
    for _ in range(count):
        one = socket.create_connection((host, int(port)))
        one.setblocking(False)
        try:
            one.send(first)
            if half:
                one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        held.append(one)
    opened = time.monotonic() - begin
    for one in held:
        try:
            one.send(drip)
        except OSError:
            pass
    health, lists = wait_for("/healthz", 50), wait_for("/v1/clusters", 20)
    now = memory()
    alive = 0
    for one in held:
        try:
            while one.recv(65536):
                pass
        except BlockingIOError:
            alive += 1
        except OSError:
            pass
    print("%s: %d opened in %.1f s, %d held; /healthz %s; a list %s; %.1f MB" % (kind, count, opened, alive, describe(health), describe(lists),
                                                                              now), flush=True)
    for one in held:
        one.close()
