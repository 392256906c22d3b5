# SPDX-License-Identifier: Apache-2.0
#
# helper-listener.py SOCKET GROUP MODE PROGRAM ARGUMENT...
#
# Runs the program for each connection, which is its standard input, as systemd does for a socket with Accept=yes. The file "helper.env",
# lines NAME=VALUE, is its environment at that time. SOCKET.ready is there when it listens.
import os
import signal
import socket
import sys

path, group, mode, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3], 8), sys.argv[4:]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
os.chown(path, 0, group)
os.chmod(path, mode)
listener.listen(64)
open(path + ".ready", "w").close()
while True:
    connection, _ = listener.accept()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        environment = {}
        if os.path.exists("helper.env"):
            environment = dict(line.rstrip("\n").split("=", 1) for line in open("helper.env"))
        os.dup2(connection.fileno(), 0)
        os.execve(program[0], program, environment)
    connection.close()
