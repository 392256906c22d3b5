# SPDX-License-Identifier: Apache-2.0
"""libvirt.py LISTEN TARGET FAULT

Passes calls of libvirt's protocol on, from the socket LISTEN to TARGET, until standard input ends. The file FAULT, when there is one, says what goes
wrong at which call from then on, from 1: "kill 3", the client is killed once the host has got its third call; "drop 3", the connection ends there
once the host has answered. It is removed when that has happened.
"""
import os
import signal
import socket
import struct
import sys
import threading

PROGRAM, CALL = 0x20008086, 0
LISTEN, TARGET, FAULT = sys.argv[1:]
lock = threading.Lock()
calls = 0


def receive(source):
    """Returns one message, its length before it; b"" at the end."""
    data = b""
    while len(data) < 4 or len(data) < struct.unpack(">I", data[:4])[0]:
        more = source.recv(4 - len(data) if len(data) < 4 else struct.unpack(">I", data[:4])[0] - len(data))
        if not more:
            return b""
        data += more
    return data


def fault(message):
    """Tells what is to go wrong with this message, if anything."""
    global calls
    program, _, _, kind = struct.unpack(">IIII", message[4:20])
    if program != PROGRAM or kind != CALL:
        return None
    with lock:
        if not os.path.exists(FAULT):
            calls = 0
            return None
        calls += 1
        what, number = open(FAULT).read().split()
        if calls < int(number):
            return None
        os.unlink(FAULT)
        calls = 0
        return what


def end(*ends):
    for one in ends:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client):
    host = socket.socket(socket.AF_UNIX)
    host.connect(TARGET)
    dropped = threading.Event()

    def answers():
        try:
            while (message := receive(host)) and not dropped.is_set():
                client.sendall(message)
        except OSError:
            pass  # the client is gone
        end(client, host)

    threading.Thread(target=answers, daemon=True).start()
    try:
        while message := receive(client):
            what = fault(message)
            if what == "drop":
                dropped.set()
            host.sendall(message)
            if what == "kill":
                pid = struct.unpack("iII", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
    end(client)
    if not dropped.is_set():
        end(host)


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(LISTEN)
    listener.listen(16)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
