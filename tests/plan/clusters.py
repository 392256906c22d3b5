#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clusters.py COOPR-PLAN COUNT [SEED]: plans of random clusters have the tasks they should have, in a good order.

Clusters with aliases, several automators, addresses in their configuration, nodes that come, stay, change and go. Which
tasks there have to be is worked out here anew, from the man page; the order is for coopr-plan --check to judge.
"""
import json
import random
import subprocess
import sys

ACTIONS = ["install", "configure", "initialize", "start", "stop", "remove"]
SET_UP = ["install", "configure", "initialize", "start"]
TAKE_DOWN = ["stop", "remove"]
STANDING = {
    "start": ["start"],
    "stop": ["stop"],
    "restart": ["stop", "start"],
    "configure": ["configure"],
    "configure-with-restart": ["stop", "configure", "start"],
}
DIFFERENCE = {
    None: {"new", "added", "dropped", "leaving"},
    "create": {"new"},
    "expand": {"new"},
    "add-services": {"added"},
    "remove-services": {"dropped"},
    "shrink": {"leaving"},
}


def make_service(chance, name, earlier):
    """A service that needs only earlier ones, so that there is no cycle, unless through an alias."""

    def some(names, share):
        return [n for n in names if chance.random() < share]

    names = [n for s in earlier for n in [s["name"], *s["dependencies"]["provides"]]]
    return {
        "name": name,
        "dependencies": {
            "provides": [f"alias{chance.randrange(3)}" for _ in range(chance.randrange(2)) if chance.random() < 0.4],
            "conflicts": [],
            "install": {"requires": some(names, 0.3), "uses": some([*names, "elsewhere"], 0.2)},
            "runtime": {"requires": some(names, 0.3), "uses": some([*names, "elsewhere"], 0.2)},
        },
        "provisioner": {
            "actions": {
                action: {"type": chance.choice(["shell", "dummy"]), "fields": {"script": name}, "expect_s": chance.randrange(9)}
                for action in ACTIONS
                if chance.random() < 0.8
            }
        },
    }


def make_layout(chance):
    definitions = []
    for i in range(chance.randrange(1, 9)):
        definitions.append(make_service(chance, f"s{i}", definitions))
    if len(definitions) > 3 and chance.random() < 0.5:  # a real service beside one that provides its name
        definitions[-1]["dependencies"]["provides"].append(definitions[0]["name"])
        definitions[-1]["dependencies"]["install"] = {"requires": [], "uses": []}
        definitions[-1]["dependencies"]["runtime"] = {"requires": [], "uses": []}
    names = [d["name"] for d in definitions]
    config = {}
    for name in names:
        if chance.random() < 0.2:
            config[name] = {"peers": f"%join(map(ip.service.{name},'$:80'),',')%"}
    chance.shuffle(definitions)
    cluster = {
        "kind": "cluster", "id": "00000007", "name": "c", "tenant": "t", "services": names, "config": config,
        "provider": {"name": "p", "providertype": "dummy", "provisioner": {}}, "definitions": definitions,
    }
    nodes = []
    for i in range(chance.randrange(1, 8)):
        here = sorted(n for n in names if chance.random() < 0.5)
        was = chance.choice([None, None, here, sorted(n for n in names if chance.random() < 0.5)])
        leaves = was is not None and chance.random() < 0.25
        nodes.append({
            "kind": "node", "id": f"n{i}", "hostname": f"h{i}.example.net", "nodenum": 1000 + i,
            "services": None if leaves else here, "was": was,
        })
    return cluster, nodes


def needs_of(cluster, nodes, stage):
    """For each service in use all that it needs at that stage, directly."""
    used = {*cluster["services"], *(s for n in nodes for s in (n["services"] or []) + (n["was"] or []))}
    services = [d for d in cluster["definitions"] if d["name"] in used]
    return {
        s["name"]: {
            o["name"]
            for o in services
            for need in s["dependencies"][stage]["requires"] + s["dependencies"][stage]["uses"]
            if o is not s and need in [o["name"], *o["dependencies"]["provides"]]
        }
        for s in services
    }


def closure(needs, start):
    found, stack = set(), list(start)
    while stack:
        for other in needs[stack.pop()] - found:
            found.add(other)
            stack.append(other)
    return found


def has_cycle(needs):
    return any(s in closure(needs, [s]) for s in needs)


def assured(needs, chosen, startable):
    """The nearest that can be started, seen from what is started again; without those another one needs."""
    result = set()
    for service in chosen & startable:
        found, seen, stack = set(), set(), list(needs[service])
        while stack:
            other = stack.pop()
            if other in seen:
                continue
            seen.add(other)
            if other in startable:
                found.add(other)
            else:
                stack += needs[other]
        result |= found - closure(needs, found)
    return result - chosen


def expected(cluster, nodes, action, chosen_nodes, chosen, graceful):
    does = {d["name"]: d["provisioner"]["actions"] for d in cluster["definitions"]}
    runtime = needs_of(cluster, nodes, "runtime")
    tasks = set()

    def work(node, service, actions, bootstraps):
        tasks.update((node["id"], service, a, does[service][a]["type"]) for a in actions if a in does[service])
        if bootstraps:
            tasks.update((node["id"], None, "bootstrap", a["type"]) for a in does[service].values())

    def hardware(node, *actions):
        tasks.update((node["id"], None, a, "dummy") for a in actions)

    every = not chosen
    chosen = set(chosen) or set(does)
    for node in nodes:
        if chosen_nodes and node["id"] not in chosen_nodes and node["hostname"] not in chosen_nodes:
            continue
        here, was = node["services"] or [], node["was"] or []
        leaves, new = node["services"] is None, node["was"] is None
        if action == "delete":
            hardware(node, "delete")
            for service in was if leaves else here:
                if graceful or chosen_nodes and len(chosen_nodes) < len(nodes):
                    work(node, service, TAKE_DOWN, False)
        elif action in STANDING:
            extra, sure = set(), set()
            if "stop" in STANDING[action] and not every:
                extra = {s for s in runtime if closure(runtime, [s]) & chosen} - chosen
            elif action == "start":
                extra = closure(runtime, chosen) - chosen
            if {"stop", "start"} <= set(STANDING[action]) and not every:
                standing = {s for n in nodes for s in n["services"] or [] if "start" in does[s]}
                sure = assured(runtime, chosen | extra, standing)
            for service in [] if leaves else here:
                if service in chosen:
                    work(node, service, STANDING[action], "configure" in STANDING[action])
                elif service in extra:
                    work(node, service, [a for a in STANDING[action] if a != "configure"], False)
                elif service in sure:
                    work(node, service, ["start"], False)
        elif leaves:
            if "leaving" in DIFFERENCE[action] and every:
                hardware(node, "delete")
                whole = all(n["services"] is None for n in nodes) and len(chosen_nodes) in (0, len(nodes))
                for service in was:
                    if graceful or not whole:
                        work(node, service, TAKE_DOWN, False)
        elif new:
            if "new" in DIFFERENCE[action] and (every or set(here) & chosen):
                hardware(node, "create", "confirm")
                for service in set(here) & chosen:
                    work(node, service, SET_UP, True)
        else:
            for service in (set(here) - set(was)) & chosen:
                if "added" in DIFFERENCE[action]:
                    work(node, service, SET_UP, True)
            for service in (set(was) - set(here)) & chosen:
                if "dropped" in DIFFERENCE[action]:
                    work(node, service, TAKE_DOWN, False)
    return tasks


def is_cyclic(cluster, nodes, tasks):
    actions = {action for _, service, action, _ in tasks if service}
    return bool(
        actions & {"install", "remove"} and has_cycle(needs_of(cluster, nodes, "install"))
        or actions & {"initialize", "start", "stop"} and has_cycle(needs_of(cluster, nodes, "runtime"))
    )


def run(program, arguments, text):
    return subprocess.run([program, *arguments], input=text, text=True, capture_output=True, check=False)


def try_one(program, chance):
    """One cluster, one action. What is wrong, and whether there was a plan."""
    cluster, nodes = make_layout(chance)
    action = chance.choice([*STANDING, *DIFFERENCE, None, "delete"])
    chosen_nodes = chance.sample([n["id"] for n in nodes], 1) if chance.random() < 0.2 else []
    whole = action in ("delete", "shrink")
    chosen = chance.sample(cluster["services"], 1) if chance.random() < 0.4 and not whole else []
    graceful = chance.random() < 0.2
    arguments = [x for n in chosen_nodes for x in ("-n", n)] + [x for s in chosen for x in ("-s", s)]
    arguments += (["-a", action] if action else []) + (["--graceful"] if graceful else [])
    text = "".join(json.dumps(record) + "\n" for record in [cluster, *nodes])
    wanted = expected(cluster, nodes, action, chosen_nodes, chosen, graceful)
    done = run(program, arguments, text)
    what = f"{arguments}\n{text}"
    if is_cyclic(cluster, nodes, wanted):
        return (None if done.returncode == 1 and " -> " in done.stderr else f"no cycle found: {what}"), False
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr} {what}", False
    records = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(r["node"], r["service"], r["action"], r["type"]) for r in records if r["kind"] == "task"]
    if len(found) != len(set(found)) or set(found) != wanted:
        return f"tasks too many {set(found) - wanted}, missing {wanted - set(found)}: {what}", True
    judged = run(program, ["--check"], done.stdout)
    if judged.returncode != 0:
        return f"--check: {judged.stderr}: {what}", True
    return None, True


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    wrong = plans = 0
    for _ in range(count):
        fault, planned = try_one(program, chance)
        plans += planned
        if fault:
            wrong += 1
            print(fault)
    print(f"seed {seed}: {count} clusters, {plans} plans, {wrong} wrong")
    return wrong > 0 or plans == 0


if __name__ == "__main__":
    sys.exit(main())
