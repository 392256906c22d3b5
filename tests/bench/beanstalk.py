#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""beanstalk.py SOCKET COUNT BATCH: puts, reserves and deletes COUNT jobs at a beanstalkd, BATCH commands on their way at a time."""
import socket
import sys


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.answers = self.socket.makefile("rb")

    def put(self, bodies):
        """Every answer says that the job is on disk (beanstalkd -f 0)."""
        self.socket.sendall(b"".join(b"put 0 0 60 %d\r\n%s\r\n" % (len(body), body) for body in bodies))
        for _ in bodies:
            assert self.answers.readline().startswith(b"INSERTED"), "put"

    def reserve(self, count):
        self.socket.sendall(b"reserve-with-timeout 0\r\n" * count)
        ids = []
        for _ in range(count):
            word, number, length = self.answers.readline().split()
            assert word == b"RESERVED", "reserve"
            self.answers.read(int(length) + 2)
            ids.append(number)
        return ids

    def delete(self, ids):
        self.socket.sendall(b"".join(b"delete %s\r\n" % number for number in ids))
        for _ in ids:
            assert self.answers.readline() == b"DELETED\r\n", "delete"


def main(path, count, batch):
    client = Client(path)
    body = b'{"kind":"task","id":"t1000","node":"00000042-1000","action":"configure","service":"web","fields":{}}'
    for _ in range(0, count, batch):
        client.put([body] * batch)
    for _ in range(0, count, batch):
        client.delete(client.reserve(batch))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
