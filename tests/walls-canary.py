#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A process of the host that nobody may find: walls-canary.py FOLDER listens on an address and on the socket FOLDER/canary.socket, writes its
# port and number to FOLDER/known, and a line to FOLDER/met for each connection and each signal.
import os
import selectors
import signal
import socket
import sys

folder = sys.argv[1]
met = os.open(os.path.join(folder, "met"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT, signal.SIGPIPE, signal.SIGALRM):
    signal.signal(number, lambda number, frame: os.write(met, b"signal %d\n" % number))
tcp = socket.create_server(("127.0.0.1", 0))
local = socket.socket(socket.AF_UNIX)
local.bind(os.path.join(folder, "canary.socket"))
local.listen()
listeners = [tcp, local]
try:
    listeners.append(socket.create_server(("::1", tcp.getsockname()[1]), family=socket.AF_INET6))
except OSError:
    pass  # no IPv6 here
selector = selectors.DefaultSelector()
for listener in listeners:
    selector.register(listener, selectors.EVENT_READ)
with open(os.path.join(folder, "known"), "w") as known:
    known.write("%d %d\n" % (tcp.getsockname()[1], os.getpid()))
while True:
    for key, _ in selector.select():
        connection, _ = key.fileobj.accept()
        os.write(met, b"connection\n")
        connection.close()
