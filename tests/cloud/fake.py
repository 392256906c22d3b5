#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A cloud for tests: fake.py CLOUD PORTFILE [LOG]. It listens at a port of 127.0.0.1, or of $FAKE_ADDRESS, which it writes to PORTFILE, and ends with its
# standard input. A module of this folder, CLOUD.py, answers as the cloud's API does; clients of others accept it (tests/cloud/*.bats). With
# COOPR_TEST_DAEMON real_CLOUD.py has the cloud that is there answer, and only what goes wrong is ours. What is asked is one JSON a line in LOG. It is told what to do wrong by requests to itself:
#
#   POST /_set {"latency_ms", "active_ms", "snapshot_ms" (until a snapshot is complete, by default active_ms), "visible_ms", "per_second", "capacity", "token", "full": [[ZONE, FLAVOR]]}
#       "capacity" is how many machines the account may have, or the cloud has room for; "full" says where there is no room, "*" stands for all
#   POST /_fault {"match": "POST /v2/droplets", "skip": 0, "count": 1, "do": WHAT, "status": N, "headers": {}, "late_s": so long before anything is done}
#       "match" is a regular expression, for the beginning of METHOD PATH; where the cloud's requests have names, of "METHOD PATH Action=NAME"
#       WHAT: drop (the connection, nothing was done), lost (the connection, it was done), status, slow, truncate, rubbish (in the place of the body), cut (the body, whose length is told right),
#       other (a document of somebody else),
#       noise (in the place of all, it was done), stale (what a list said in the answer to the same request before, unless that is older than "stale_ms")
#   DELETE /_fault       nothing more goes wrong
#   GET /_machines       what there is, as the owner of the account sees it
#   GET /_count          how many machines that are
#   DELETE /_machines    nothing is there any more
#   DELETE /_machines/ID a machine is not, behind the back of all
#   GET /_volumes        its volumes and snapshots: id, name, machine, device, snapshot, of (the id), and whether one was taken from a machine that runs
#   GET /_addresses      what the floating addresses that there are say of themselves
#   GET /_requests       how many of each method and path there were, numbers in paths as N; ?REGEX: how many of those in which that is found
import contextlib
import http.server
import importlib
import json
import os
import re
import socket
import sys
import threading
import time
import urllib.parse

lock = threading.RLock()
settings = {"latency_ms": 0, "active_ms": 0, "visible_ms": 0, "stale_ms": 900, "per_second": 0, "capacity": 0, "token": "secret-token"}
faults = []
counts = {}
answers = {}  # to what was asked before, and when
tokens = {"level": 0.0, "at": time.monotonic()}


def fault_of(method, path):
    """The next fault that this request meets, which is used up."""
    with lock:
        for fault in faults:
            if not re.match(fault["match"], "%s %s" % (method, path)):
                continue
            if fault.get("skip", 0) > 0:
                fault["skip"] -= 1
                continue
            fault["count"] = fault.get("count", 1) - 1
            if fault["count"] <= 0:
                faults.remove(fault)
            return fault
    return None


def is_too_fast():
    """Whether a request is more than the limit of the cloud: a bucket of one second."""
    with lock:
        rate = settings["per_second"]
        if not rate:
            return False
        now = time.monotonic()
        tokens["level"] = min(rate, tokens["level"] + (now - tokens["at"]) * rate)
        tokens["at"] = now
        if tokens["level"] < 1:
            return True
        tokens["level"] -= 1
        return False


def lose(cloud, name):
    """Some clouds list a machine that is gone for a while, and say when it went: a second after 1970."""
    if hasattr(cloud, "lose"):
        return cloud.lose(name)
    machines = cloud.machines
    for one in [one for one in machines if str(one) == name]:
        if "gone" in machines[one] and not isinstance(machines[one]["gone"], dict):
            machines[one]["gone"] = 1
        else:
            del machines[one]


def stale(request, answer, is_wanted):
    """The answer to the same request before, where that is wanted and not too old; or this one, which is remembered."""
    with lock:
        at, before = answers.get(request, (0, None))
        if is_wanted and (time.monotonic() - at) * 1000 < settings["stale_ms"]:
            return before
        answers[request] = time.monotonic(), answer
        return answer


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    cloud = None
    log = None

    def log_message(self, *args):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string((timestamp or time.time()) + settings.get("skew_s", 0))

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_real(self):
        return hasattr(self.cloud, "forward")

    def control(self, path, query, body):
        value = json.loads(body) if body else None
        # One that is real is asked by a client, for which nobody waits.
        with contextlib.nullcontext() if self.is_real() else lock:
            if path == "/_set":
                settings.update(value)
                if hasattr(self.cloud, "set"):
                    self.cloud.set(value)
            elif path == "/_fault":
                with lock:
                    faults[:] = [] if self.command == "DELETE" else [*faults, value]
            elif path == "/_machines" and self.command == "DELETE":
                self.cloud.machines.clear()
            elif path.startswith("/_machines/") and self.command == "DELETE":
                lose(self.cloud, path.split("/")[2])
            elif path == "/_machines":
                return self.send(200, {}, json.dumps(self.cloud.owned()).encode())
            elif path == "/_count":
                return self.send(200, {}, b"%d\n" % len(self.cloud.owned()))
            elif path == "/_volumes":
                return self.send(200, {}, json.dumps(self.cloud.disks() if hasattr(self.cloud, "disks") else []).encode())
            elif path == "/_addresses":
                return self.send(200, {}, json.dumps(self.cloud.floating_addresses() if hasattr(self.cloud, "floating_addresses") else []).encode())
            elif path == "/_requests" and not query:
                return self.send(200, {}, json.dumps(counts).encode())
            elif path == "/_requests":
                regex = re.compile(urllib.parse.unquote_plus(query))
                return self.send(200, {}, b"%d\n" % sum(number for name, number in counts.items() if regex.search(name)))
            else:
                return self.send(404, {}, b"")
        self.send(200, {}, b"{}")

    def record(self, path, body, status):
        if self.log:
            line = {"method": self.command, "path": self.path, "status": status, "body": body.decode("latin-1")[:4000],
                    "agent": self.headers.get("User-Agent", "")}
            with lock:
                self.log.write(json.dumps(line) + "\n")
                self.log.flush()

    def hang_up(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        if url.path.startswith("/_"):
            return self.control(url.path, url.query, body)
        with lock:
            action = self.cloud.name(body) if hasattr(self.cloud, "name") else ""
            name = "%s %s%s" % (self.command, re.sub(r"(?<=/)[0-9]+(?=/|$)", "N", url.path), action)
            counts[name] = counts.get(name, 0) + 1
        time.sleep(settings["latency_ms"] / 1000)
        fault = fault_of(self.command, self.path + action)
        what = fault["do"] if fault else None
        time.sleep(fault.get("late_s", 0) if fault else 0)
        if what == "drop":
            return self.hang_up()
        if what == "status":
            self.record(url.path, body, fault["status"])
            return self.send(fault["status"], fault.get("headers", {}), fault.get("body", "").encode())
        if is_too_fast():
            status, headers, text = self.cloud.too_fast()
        elif self.is_real():
            status, headers, text = self.cloud.forward(self.command, self.path, self.headers, body)
        else:
            with lock:
                self.cloud.target = self.path
                status, headers, text = self.cloud.do(self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), self.headers, body)
        if status == 200 and (self.command == "GET" or re.search("Describe|pool.info", action)):
            status, headers, text = stale((self.command, self.path, body), (status, headers, text), what == "stale")
        self.record(url.path, body, status)
        if what == "lost":
            return self.hang_up()
        if what == "slow":
            time.sleep(fault.get("seconds", 3))
        if what == "noise":
            self.wfile.write(b"this is no answer of HTTP\r\n")
            self.wfile.flush()
            return self.hang_up()
        if what == "rubbish":
            status = 200 if status == 204 else status  # which has no body
            text = b"<html>this is not the cloud that you look for</html>"
        if what == "cut":
            text = text[: len(text) // 2]
        if what == "other":
            text = b"<html><body>welcome</body></html>" if text.startswith(b"<") else b'{"message":"welcome"}'
        if what == "truncate":
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text[: len(text) // 2])
            self.wfile.flush()
            return self.hang_up()
        self.send(status, headers, text)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        """That a client has gone is nothing to be told."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    Handler.cloud = importlib.import_module("real_" * ("COOPR_TEST_DAEMON" in os.environ) + sys.argv[1]).Cloud(settings)
    Handler.log = open(sys.argv[3], "a") if len(sys.argv) > 3 else None
    server = Server((os.environ.get("FAKE_ADDRESS", "127.0.0.1"), 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    sys.stdin.read()


main()
