# SPDX-License-Identifier: Apache-2.0
#
# An OpenStack that is real (stack/stack.py), as openstacksdk sees it; see real.py. Nova's fake hypervisor has no machines with a console, nor any
# that answer: what their console says is ours, and machines.py has them. There is no service for volumes.
import json
import os
import subprocess
import sys
import threading
import time

import real

LISTED_S = 2  # so long one list is good for
CONSOLE = b"FAKE CONSOLE OUTPUT"


class Cloud(real.Cloud):
    def __init__(self, settings):
        super().__init__(settings)
        self.lock = threading.Lock()
        self.sdk = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "stack/client.py"), "http://" + real.AT],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.at, self.listed = 0, None
        self.console, self.asked = CONSOLE, {}

    def forward(self, method, target, headers, body):
        """Services lead to one another by way of us."""
        status, headers_back, text = super().forward(method, target, headers, body)
        if method == "POST" and target.endswith("/servers") and status == 202:
            self.asked[json.loads(text)["server"]["id"]] = body.decode()
        return status, headers_back, text.replace(real.AT.encode(), headers["Host"].encode()).replace(CONSOLE, self.console)

    def tell(self, line):
        with self.lock:
            if line != "list" or time.monotonic() > self.at + LISTED_S:
                self.sdk.stdin.write(line + "\n")
                self.sdk.stdin.flush()
                self.at, self.listed = time.monotonic(), json.loads(self.sdk.stdout.readline())
            return self.listed

    def owned(self):
        """A machine that has no floating address yet has none: it is not there for others until then."""
        told = self.tell("list")
        floating = {ip["fixed_ip_address"]: ip["floating_ip_address"] for ip in told["addresses"]}
        fixed = {one["id"]: next((it["addr"] for its in one["addresses"].values() for it in its if it["OS-EXT-IPS:type"] == "fixed"), None)
                 for one in told["servers"]}
        # Whole seconds are told: it was made before the end of this one. Nova counts what it deletes until it is gone.
        return [{"id": one["id"], "name": one["name"], "metadata": one["metadata"], "state": one["status"],
                 "address": fixed[one["id"]] if fixed[one["id"]] in floating else None, "floating": floating.get(fixed[one["id"]]),
                 "asked": self.asked.get(one["id"]), "made": real.seconds(one["created_at"]) + 1} for one in told["servers"]]

    def floating_addresses(self):
        return [ip["description"] for ip in self.tell("list")["addresses"]]

    def set(self, value):
        if "stop" in value:
            self.tell("stop " + value["stop"])
        if "console" in value:
            self.console = json.dumps(value["console"])[1:-1].encode()

    def lose(self, one):
        self.tell("delete " + one)
