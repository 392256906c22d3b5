#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What workers would do for the documents that walls-documents.py prints, were all of them accepted: walls-tasks.py NODE PROVIDERS reads
# those, and prints take records for coopr-exec, one a line: {"place": WHERE, "record": RECORD}. NODE is the result of a machine's create, on
# which services are done; PROVIDERS is an object with the provisioner of the installation's provider of each type, of which machines are made.
# A string of a document comes to a plugin as a field of a service, a setting of a provider, an image, flavor or user of a machine, a domain,
# or a part of the configuration. Of the tasks for one place one is printed, another for each $SEED, and no more than MOST, among them one
# of each kind of document, plugin and action; with WALLS_ALL=1 for all places.
import json
import os
import random
import sys

node = json.load(open(sys.argv[1]))
providers = json.loads(sys.argv[2])
script = {"script": "x"}
MOST = 60


def machine(number, **more):
    return {"kind": "node", "id": "00000002-%d" % number, "nodenum": number, "hostname": "own2-%d.example.net" % number, "services": ["evil"],
            "was": None, "flavor": "small", "image": "host", "sshuser": "root", **more}


def reached(**more):
    return machine(1000, ipaddresses=node["ipaddresses"], facts=node["result"], **more)


def record(action, kind, where, provider, config=None, **more):
    return {"kind": "task", "id": "t1", "job": "00000002-001", "token": "00000002-001:t1", "attempt": 1, "action": action, "type": kind, "of": "tenant",
            "service": None, "fields": None, "timeout_s": 60, "machine": where, **more,
            "cluster": {"id": "00000002", "name": "own", "tenant": "qa", "config": config if config is not None else {"a": "b"}, "provider": provider}}


def installations(kind):
    return {"name": kind, "of": "installation", "providertype": kind, "provisioner": providers[kind]}


def of_service(document):
    """Each action, by a plugin that there is, with what that requires."""
    actions = (document.get("provisioner") or {}).get("actions") or {}
    for name, action in actions.items():
        if isinstance(action, dict):
            kind = action.get("type")
            fields = action.get("fields") or {}
            if kind in ("x", "shell"):
                kind, fields = "shell", {**script, **fields}
            yield record(name, kind, reached(), installations("sandbox"), service=document["name"], fields=fields)


def of_provider(document):
    kind = document.get("providertype")
    for action, number in (("create", 1001), ("confirm", 1001), ("delete", 1001)):
        yield record(action, "dummy" if kind == "x" else kind, machine(number), {**document, "of": "tenant"})


def of_types(document):
    """A machine of this hardware type or image type, and the user to log in as."""
    for kind, offer in (document.get("providermap") or {}).items():
        if isinstance(offer, dict):
            members = {name: offer[name] for name in ("flavor", "image", "sshuser") if name in offer}
            for provider in providers if str(kind) not in providers else [kind]:
                yield record("create", provider, machine(1001, of="tenant", **members), installations(provider))
                yield record("delete", provider, machine(1001), installations(provider))
            if "sshuser" in members:
                facts = {**node["result"], "ssh-auth": {**node["result"]["ssh-auth"], "user": members["sshuser"]}}
                for where in (reached(**members), {**reached(**members), "facts": facts}):
                    yield record("install", "shell", where, installations("sandbox"), service="evil", fields=script)


def of_settings(document):
    """The configuration and the domain that a template or a specification gives."""
    of = document.get("defaults") or document
    config, suffix = of.get("config"), of.get("dnsSuffix")
    if config is not None:
        yield record("install", "shell", reached(), installations("sandbox"), config, service="evil", fields={**script, "config": ["*"]})
    if isinstance(suffix, str):
        for provider in providers:
            yield record("create", provider, machine(1001, hostname="own2-1001." + suffix), installations(provider))
            yield record("delete", provider, machine(1001), installations(provider))
        yield record("install", "shell", reached(hostname="own2-1000." + suffix), installations("sandbox"), service="evil", fields=script)


TASKS = {"service": of_service, "provider": of_provider, "hardwaretype": of_types, "imagetype": of_types, "clustertemplate": of_settings,
         "partialtemplate": of_settings, "clusterspec": of_settings}

def main():
    choice = random.Random(int(os.environ.get("SEED", "1")))
    places = {}
    for line in sys.stdin:
        one = json.loads(line)
        for task in TASKS[one["kind"]](one["document"]):
            places.setdefault((one["kind"], one["place"], str(task["type"]), task["action"]), []).append(task)
    chosen = [(place, choice.choice(tasks)) for place, tasks in places.items()]
    if not os.environ.get("WALLS_ALL"):
        choice.shuffle(chosen)
        seen = set()
        first, others = [], []
        for place, task in chosen:
            group = (place[0], *place[2:])
            (others if group in seen else first).append((place, task))
            seen.add(group)
        chosen = first + others[:max(0, MOST - len(first))]
    for place, task in chosen:
        print(json.dumps({"place": " ".join(place), "record": task}))


main()
