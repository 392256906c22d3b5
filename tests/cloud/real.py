# SPDX-License-Identifier: Apache-2.0
#
# What the modules real_CLOUD.py have in common, which stand for a cloud that is real in the place of a fake one: COOPR_TEST_DAEMON says where that
# answers, the path of a socket or HOST:PORT. What is asked is passed on, many requests at once, and only what goes wrong is ours. What is there is
# told by a client that others wrote.
import datetime
import http.client
import json
import os
import socket
import subprocess
import time

AT = os.environ.get("COOPR_TEST_DAEMON", "")
OURS = {"host", "connection", "accept-encoding", "content-length", "transfer-encoding", "expect", "server", "date"}


class Connection(http.client.HTTPConnection):
    def __init__(self):
        super().__init__("localhost" if AT.startswith("/") else AT, timeout=300)

    def connect(self):
        if not AT.startswith("/"):
            return super().connect()
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(AT)


def kept(headers):
    return {name: value for name, value in headers if name.lower() not in OURS}


def seconds(text):
    """Since 1970, of a time as RFC 3339 has it."""
    return datetime.datetime.fromisoformat(text).timestamp()


class Cloud:
    def __init__(self, settings):
        self.settings, self.machines = settings, self

    def forward(self, method, target, headers, body):
        connection = Connection()
        connection.request(method, target, body or None, kept(headers.items()))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, kept(answer.getheaders()), text

    def client(self, *words):
        """What a program of others prints; None where it fails."""
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout if done.returncode == 0 else None

    def client_list(self, *words):
        """The list that it prints as JSON; it may fail while something goes."""
        for _ in range(50):
            printed = self.client(*words)
            if printed is not None:
                return json.loads(printed or b"[]") or []
            time.sleep(0.1)
        raise RuntimeError(words)

    def clear(self):
        for one in self.owned():
            self.lose(one["id"])
