#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that a proxy and the server behind it might read as different ones: serve-smuggle.py ADDRESS PORT AUTHORIZATION. Who sends them
has logged in at the proxy as ann; a second request as bob is hidden in each. Afterwards the connections of the proxy to the server are used
for harmless requests. Exits with 1, and says where, if an answer is one to bob."""
import socket
import sys

WHERE, AUTHORIZATION = (sys.argv[1], int(sys.argv[2])), b"Authorization: " + sys.argv[3].encode() + b"\r\n"
NAMES = [b"X-Remote-User", b"X_Remote_User", b"X-Remote-User ", b" X-Remote-User", b"X-Remote-User\t", b"x-remote-user", b"X-Remote-User\0",
         b"X-Remote\xe2\x80\x90User", b"X-Remote-User\r"]
HIDDEN = b"GET /v1/session HTTP/1.1\r\nHost: a\r\nX-Remote-User: bob\r\n\r\n"


def head(*lines, method=b"POST"):
    return method + b" /v1/session/provider HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def attacks():
    for name in NAMES:
        yield b"GET /v1/session HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + name + b": bob\r\n\r\n"
        yield b"GET /v1/session HTTP/1.1\r\nHost: a\r\nConnection: close, X-Remote-User\r\n" + AUTHORIZATION + name + b": bob\r\n\r\n"
    yield b"GET /v1/session HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + b"X: y\r\n X-Remote-User: bob\r\n\r\n"
    yield b"GET /v1/session HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + b"X: y\rX-Remote-User: bob\r\n\r\n"
    yield b"GET /v1/session HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + b"X: y\nX-Remote-User: bob\r\n\r\n"
    yield b"GET /v1/session?x=%0d%0aX-Remote-User:%20bob HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION + b"\r\n"
    length = b"Content-Length: %d" % (5 + len(HIDDEN))
    for encoding in [b"Transfer-Encoding: chunked", b"Transfer-Encoding:chunked", b"Transfer-Encoding : chunked", b"Transfer-Encoding: \tchunked",
                     b"Transfer-Encoding:\x0bchunked", b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, identity",
                     b"Transfer-Encoding: identity, chunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x", b"Transfer-Encoding:\r\n chunked",
                     b"X: y\r\n Transfer-Encoding: chunked", b"X: y\nTransfer-Encoding: chunked", b"X: y\rTransfer-Encoding: chunked",
                     b"Transfer_Encoding: chunked", b"Transfer-Encoding: \"chunked\"", b"transfer-encoding: CHUNKED", b" Transfer-Encoding: chunked"]:
        yield head(length, encoding) + b"0\r\n\r\n" + HIDDEN                                       # CL.TE
        yield head(encoding, length) + b"0\r\n\r\n" + HIDDEN
        yield head(b"Content-Length: 4", encoding) + b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n0\r\n\r\n"  # TE.CL
        yield head(encoding, b"Content-Length: 4") + b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n0\r\n\r\n"
    for lengths in [(b"Content-Length: 0", length), (length, b"Content-Length: 0"), (b"Content-Length: 0, %d" % len(HIDDEN),),
                    (b"Content-Length : %d" % len(HIDDEN),), (b"Content-Length: +0",), (b"Content-Length: 0x0",), (b"Content-Length: -1",),
                    (b"Content_Length: 0", length), (b"Content-Length:\r\n 0", length), (b"Content-Length: 00",)]:
        yield head(*lengths) + HIDDEN
        yield head(*lengths, method=b"GET") + HIDDEN
    for chunks in [b"0;a=\r\n\r\n" + HIDDEN, b"0\n\n" + HIDDEN, b"2;\n{}\r\n0\r\n\r\n" + HIDDEN, b"2;a=\"\r\n{}\r\n0\r\n\r\n" + HIDDEN, b"2\r{}\r\n0\r\n\r\n" + HIDDEN,
                   b"0x2\r\n{}\r\n0\r\n\r\n" + HIDDEN, b"2 \r\n{}\r\n0\r\n\r\n" + HIDDEN, b"2\r\n{}0\r\n\r\n" + HIDDEN, b"-1\r\n" + HIDDEN,
                   b"100000000000000002\r\n{}\r\n0\r\n\r\n" + HIDDEN, b"0\r\nX-Remote-User: bob\r\n\r\n", b"2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n" + HIDDEN]:
        yield head(b"Transfer-Encoding: chunked") + chunks
    yield b"GET /v1/session HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n" + AUTHORIZATION + b"\r\n0\r\n\r\n" + HIDDEN
    yield b"GET http://a/v1/session HTTP/1.1\r\nHost: b\r\n" + AUTHORIZATION + b"\r\n"
    yield b"GET /v1/session HTTP/1.1 \r\nX-Remote-User: bob\r\nHost: a\r\n" + AUTHORIZATION + b"\r\n"


# Most attacks leave the connection open, and are waited for a little; what they did shows in the harmless requests, which end theirs.
def exchange(text, seconds=60):
    came = b""
    with socket.socket() as one:
        one.settimeout(seconds)
        try:
            one.connect(WHERE)
            one.sendall(text)
            while part := one.recv(65536):
                came += part
        except OSError:
            pass
    return came


count = 0
harmless = b"GET /v1/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + AUTHORIZATION + b"\r\n"
for attack in attacks():
    count += 1
    answers = [exchange(attack, 0.1), *(exchange(harmless) for _ in range(2))]
    if any(b'"bob"' in answer for answer in answers):
        sys.exit("an answer to bob: %r: %r" % (attack, answers))
    if not all(b'"ann"' in answer for answer in answers[1:]):
        sys.exit("no answer to ann: %r: %r" % (attack, answers))
print(count)
