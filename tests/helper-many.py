# SPDX-License-Identifier: Apache-2.0
#
# helper-many.py SOCKET NETWORK COUNT
#
# Asks the sandbox's helper for so many machines, whose requests end at the same moment, and prints the first line of each answer.
import socket
import sys

path, network, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sockets = []
for n in range(count):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.sendall(f"create\ninstallation=0123abcd\nnode=c-{n}\ncluster=c\ntoken=c:t{n}\nprovider=p\nhostname=h{n}.example.net\n"
              f"login=ssh-ed25519 {'A' * 68}\nnetwork={network}\nimage=host\n".encode())
    sockets.append(s)
for s in sockets:
    s.sendall(b"end\n")
for s in sockets:
    print(s.makefile().readline().strip())
