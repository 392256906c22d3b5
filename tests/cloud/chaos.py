#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Clusters live at a cloud whose requests go wrong and whose commands are killed, as a seed says: chaos.py FAKE SEED SECONDS. Whenever nothing is
# under way, the cloud has no machine that coopr does not know, no node has two, and once a cluster is deleted none is left. Prints how many
# clusters there were; what was otherwise, and exits with 1.
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request

FAULTS = [{"do": "drop"}, {"do": "lost"}, {"do": "truncate"}, {"do": "rubbish"}, {"do": "slow", "seconds": 2}, {"do": "status", "status": 500},
          {"do": "status", "status": 503, "headers": {"Retry-After": "1"}}, {"do": "status", "status": 429}]
fake, seed, until = sys.argv[1], int(sys.argv[2]), time.time() + float(sys.argv[3])
choice = random.Random(seed)


def ask(path, data=None, method=None):
    body = json.dumps(data).encode() if data is not None else None
    return json.loads(urllib.request.urlopen(urllib.request.Request(fake + path, body, method=method)).read() or b"null")


def machines():
    return sorted(tag[len("coopr-node:"):] for machine in ask("/_machines") for tag in machine["tags"] if tag.startswith("coopr-node:"))


def coopr(*words, kill=False):
    """Runs a command, or kills it with all that it has started after a while. Returns what it said."""
    process = subprocess.Popen(["coopr", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    if kill:
        time.sleep(choice.random() * 1.5)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return "%s: %s" % (" ".join(words), process.communicate()[0].decode())


def records(*words):
    out = subprocess.run(["coopr", *words, "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.splitlines()]


def nodes():
    return {node["id"] for cluster in records("list") for node in records("show", cluster["name"]) if node["kind"] == "node"}


def live(name):
    """Has a cluster live through a storm. Returns what it was told."""
    for _ in range(choice.randrange(5)):
        ask("/_fault", dict(choice.choice(FAULTS), match=choice.choice(["POST", "GET", "DELETE", "."]), skip=choice.randrange(4), count=choice.randrange(1, 3)))
    ask("/_set", {"active_ms": choice.choice([0, 300, 1500]), "visible_ms": choice.choice([0, 0, 800])})
    said = [coopr("create", "-y", name, "-t", "tpl", "-n", str(choice.randrange(1, 5)), kill=choice.random() < .4)]
    for _ in range(choice.randrange(3)):
        words = choice.choice([["expand", "-y", name, "-n", "+1"], ["retry", "-y", name], ["reconcile", "--work"], ["shrink", "-y", name, "-n", "1"]])
        said.append(coopr(*words, kill=choice.random() < .4))
    for _ in range(4):
        said += [coopr("reconcile", "--work"), coopr("retry", "-y", name)]
    return said


def main():
    count = wrong = 0
    while time.time() < until:
        count += 1
        name = "c%d" % count
        said = live(name)
        there = machines()
        if len(set(there)) < len(there) or not set(there) <= nodes():
            wrong += 1
            print("the cloud has", there, "coopr knows", sorted(nodes()), *said, sep="\n")
        for _ in range(6):
            said += [coopr("reconcile", "--work"), coopr("delete", "-y", name)]
            if not machines():
                break
            time.sleep(1)
        if machines():
            wrong += 1
            print("deleted, but the cloud has", machines(), *said, sep="\n")
            ask("/_machines", method="DELETE")
    print("seed %d: %d clusters, %d wrong" % (seed, count, wrong))
    sys.exit(wrong > 0)


main()
