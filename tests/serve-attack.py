#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that no client sends: serve-attack.py SOCKET. Each line: what it is, and the statuses that came, or "closed"; "silent" where
nothing came in time. What could be read as two requests by one and as one by another must be refused, and the connection closed."""
import os
import random
import socket
import sys

choice = random.Random(int(os.environ.get("SEED", "1")))


def body(text):
    return b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(text) + text


HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
REQUESTS = {
    "two lengths": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 44\r\n\r\n{}" + HIDDEN,
    "a length and chunks": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunks and a length": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + HIDDEN,
    "an odd encoding": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + HIDDEN,
    "an encoding on the next line": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 44\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a name on the next line": b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: root\r\n -Remote-User\r\n\r\n",
    "a length behind a carriage return": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 2\r\n\r\n{}" + HIDDEN,
    "two encodings": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "an encoding twice": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a blank before the colon": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a length below zero": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}" + HIDDEN,
    "a length with a sign": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}" + HIDDEN,
    "a length that is too long": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n{}" + HIDDEN,
    "a chunk that is too long": b"POST /v1/solve HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a name that is none": b"GET /healthz HTTP/1.1\r\nHost: a\r\nX(Y): a\r\n\r\n",
    "a long address": b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "many headers": b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(20000)) + b"\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "lists without end": body(b"[" * 400000),
    "objects without end": body(b'{"a":' * 200000),
    "rubbish": bytes(choice.randrange(256) for _ in range(5000)),
}


def ask(request):
    came = b""
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(30)
        one.connect(sys.argv[1])
        try:
            one.sendall(request)
            while True:
                part = one.recv(65536)
                if not part:
                    break
                came += part
        except socket.timeout:
            return "silent"
        except OSError:
            pass
    return " ".join(piece[:3].decode() for piece in came.split(b"HTTP/1.1 ")[1:]) or "closed"


for what, request in REQUESTS.items():
    print("%s: %s" % (what, ask(request)))
