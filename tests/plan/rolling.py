#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rolling.py COOPR-PLAN COUNT [SEED]: with --max-unavailable, a service is never down on more nodes than that.

Nodes are changed in batches. In whatever order the plan is carried out: all sets of nodes are tried, and of a set all can be down at once unless on one
of them the service is up again before it goes down on another. Nor is less done at once than the limit allows. Then
random edges are taken out of the plan, and coopr-plan --check has to find out when too many may be down. The same for
nodes that are replaced, and for those that hand over volumes.
"""
import itertools
import json
import random
import sys

sys.dont_write_bytecode = True  # what is imported leaves nothing behind

from clusters import make_layout, run, text_of  # noqa: E402
from corpus import closure  # noqa: E402

STAGES = ["drain", "stop", "install", "configure", "start", "reload", "restart", "check"]


def chains(records):
    """By service and node: the first and the last task that is done to it."""
    result = {}
    for record in records:
        if record["kind"] == "task" and record["service"] and "without" not in record:
            tasks = result.setdefault(record["service"], {}).setdefault(record["node"], {})
            tasks[STAGES.index(record["action"])] = record["id"]
    return {s: {n: (t[min(t)], t[max(t)]) for n, t in nodes.items()} for s, nodes in result.items()}


def most_down(nodes, before, number):
    """On how many of the nodes a service can be down at once."""
    def up_before(a, b):
        return before[nodes[b][0]] >> number[nodes[a][1]] & 1

    for size in range(len(nodes), 0, -1):
        for some in itertools.combinations(nodes, size):
            if not any(up_before(a, b) for a, b in itertools.permutations(some, 2)):
                return size
    return 0


def all_down(records):
    """Of each service; and whether it is clear at all that it comes up after it has gone down."""
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    before, number = closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps})
    pairs = [pair for nodes in chains(records).values() for pair in nodes.values()]
    whole = all(first == last or before[last] >> number[first] & 1 for first, last in pairs)
    return {service: most_down(nodes, before, number) for service, nodes in chains(records).items()}, whole


def batches_wait(records, allowed):
    """Whether no node is changed before its service is done on all nodes of the batch before."""
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    before, number = closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps})
    order = [r["id"] for r in records if r["kind"] == "node"]
    for service, nodes in chains(records).items():
        turns = [nodes[n] for n in order if n in nodes]
        for i, (first, _) in enumerate(turns):
            start = (i // allowed[service] - 1) * allowed[service]
            if start >= 0 and not all(before[first] >> number[last] & 1 for _, last in turns[start:start + allowed[service]]):
                return False
    return True


def limits(limit, nodes, services):
    carriers = {s: sum(s in n["services"] for n in nodes) for s in services}
    return {s: max(1, c * int(limit[:-1]) // 100 if limit.endswith("%") else int(limit)) for s, c in carriers.items()}


def try_replace(program, chance):
    """Old nodes and as many new ones: of each service so many are between the two, and each is up before the other leaves."""
    cluster, nodes = make_layout(chance)
    cluster["config"] = {}
    for definition in cluster["definitions"]:
        definition.pop("volumes", None)  # their nodes are not replaced one after the other
        for does in definition["provisioner"]["actions"].values():
            does["fields"].pop("nodes", None)
    for node in nodes:
        node["services"] = node["was"] = (node["was"] if node["services"] is None else node["services"])
    count = chance.randrange(1, len(nodes) + 1)
    new = [{**n, "id": f"new{i}", "hostname": f"new{i}", "nodenum": 2000 + i, "was": None} for i, n in enumerate(nodes[:count])]
    old = [{**n, "services": None} for n in nodes[:count]]
    limit = chance.choice(["1", "2", "50%"])
    text = text_of([cluster, *old, *nodes[count:], *new])
    done = run(program, ["-a", "replace", "--max-unavailable", limit], text)
    if done.returncode == 1 and " -> " in done.stderr:
        return None
    if done.returncode != 0 or run(program, ["--check"], done.stdout).returncode != 0:
        return f"exit {done.returncode}: {done.stderr} {run(program, ['--check'], done.stdout).stderr}: {text}"
    records = [json.loads(line) for line in done.stdout.splitlines()]
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    before, number = closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps})
    task = {(r["node"], r["service"], r["action"]): r["id"] for r in steps if r["kind"] == "task"}
    allowed = limits(limit, [*nodes[count:], *new], cluster["services"])
    for service in cluster["services"]:
        ends = {o["id"]: (task[n["id"], None, "create"], task[o["id"], None, "delete"])
                for o, n in zip(old, new) if service in o["was"]}
        if most_down(ends, before, number) > allowed[service]:
            return f"{service} is replaced on {most_down(ends, before, number)} nodes at once, {limit}: {text}"
    for o, n in zip(old, new):
        ups = [i for (node, service, action), i in task.items() if node == n["id"] and (service or action == "confirm")]
        downs = [i for (node, _, _), i in task.items() if node == o["id"]]
        if not all(before[d] >> number[u] & 1 for u in ups for d in downs):
            return f"{o['id']} leaves before {n['id']} is up: {text}"
    return None


def faults_of_handover(records, pairs, limit):
    """What is wrong with the order of a plan in which nodes hand volumes over: of each service so many are on their way at most."""
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    before, number = closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps})
    tasks = [r for r in steps if r["kind"] == "task"]
    task = {(r["node"], r["action"]): r["id"] for r in tasks if not r["service"]}
    nodes = [r for r in records if r["kind"] == "node" and r["services"] is not None]
    cluster = next(r for r in records if r["kind"] == "cluster")
    allowed = limits(limit, nodes, cluster["services"])
    of = {n: [r["id"] for r in tasks if r["node"] == n] for pair in pairs for n in pair}
    made = {n: {r["id"] for r in tasks if r["node"] == n and (r["action"] in ("create", "confirm", "bootstrap"))} for _, n in pairs}

    def waits(later, earlier):
        return before[later] >> number[earlier] & 1

    for old, new in pairs:
        if not waits(task[new, "attach"], task[old, "delete"]):
            return f"{new} gets volumes before {old} is gone"
        if not all(waits(t, task[new, "confirm"]) for t in of[old]):
            return f"{old} begins to leave before {new} is there"
    was = {r["id"]: r["was"] for r in records if r["kind"] == "node"}
    in_place = chains([r for r in records if r.get("action") in STAGES and r["node"] in {n["id"] for n in nodes if n["was"]}])
    for service in cluster["services"]:
        turns = [([first], [last]) for first, last in in_place.get(service, {}).values()]
        turns += [(of[old], [t for t in of[new] if t not in made[new]]) for old, new in pairs if service in was[old]]
        for size in range(len(turns), allowed[service], -1):
            for some in itertools.combinations(turns, size):
                if not any(all(waits(f, u) for f in b[0] for u in a[1]) for a, b in itertools.permutations(some, 2)):
                    return f"{service} is on its way on {size} nodes"
    return None


def try_handover(program, chance):
    """Nodes with volumes and as many new ones, among others that stay and are changed; and the same with an edge less."""
    cluster, nodes = make_layout(chance)
    for node in nodes:
        node["services"] = node["was"] = (node["was"] if node["services"] is None else node["services"])
    for definition in chance.sample(cluster["definitions"], chance.randrange(1, len(cluster["definitions"]) + 1)):
        definition["volumes"] = [{"name": "data", "path": "/d", "size_gb": 1, "keep": True}]
    with_volumes = {d["name"] for d in cluster["definitions"] if "volumes" in d}
    count = chance.randrange(1, min(4, len(nodes)) + 1)
    new = [{**n, "id": f"new{i}", "hostname": f"new{i}", "nodenum": 2000 + i, "was": None} for i, n in enumerate(nodes[:count])]
    old = [{**n, "services": None} for n in nodes[:count]]
    if chance.random() < 0.5:
        cluster["was"] = {"config": {**cluster["config"], "any": {"v": 1}}, "definitions": []}
    limit, action = chance.choice(["1", "2", "50%"]), chance.choice([[], [], ["-a", "replace"]])
    text = text_of([cluster, *old, *nodes[count:], *new])
    done = run(program, [*action, "--max-unavailable", limit], text)
    if done.returncode == 1 and (" -> " in done.stderr or "have to be made at once" in done.stderr or "by their names" in done.stderr):
        return None, 0
    if done.returncode != 0 or run(program, ["--check"], done.stdout).returncode != 0:
        return f"exit {done.returncode}: {done.stderr} {run(program, ['--check'], done.stdout).stderr}: {action} {limit}: {text}", 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    pairs = [(o["id"], n["id"]) for o, n in zip(old, new) if with_volumes & set(o["was"])]
    fault = faults_of_handover(records, pairs, limit)
    if fault or not pairs:
        return fault and f"{fault}: {action} {limit}: {text}", 0
    edges = [(r, i) for r in records for i in range(len(r.get("after", [])))]
    step, index = chance.choice(edges)
    step["after"].pop(index)
    fault = faults_of_handover(records, pairs, limit)
    if fault and run(program, ["--check"], text_of(records)).returncode != 1:
        return f"--check does not see that {fault}: {text_of(records)}", 1
    return None, bool(fault)


def try_one(program, chance):
    if chance.random() < 0.2:
        return try_replace(program, chance), 0
    if chance.random() < 0.3:
        return try_handover(program, chance)
    cluster, nodes = make_layout(chance)
    for node in nodes:
        node["services"] = node["was"] = node["was"] if node["services"] is None else node["services"]
    limit = chance.choice(["1", "2", "3", "34%", "50%"])
    action = chance.choice(["restart", "configure-with-restart", "upgrade"])
    arguments = ["-a", action, "--max-unavailable", limit]
    what = f"{arguments}\n{text_of([cluster, *nodes])}"
    done = run(program, arguments, text_of([cluster, *nodes]))
    if done.returncode == 1 and " -> " in done.stderr:
        return None, 0
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr}: {what}", 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    allowed, (down, _) = limits(limit, nodes, cluster["services"]), all_down(records)
    for service, most in down.items():
        if most != min(allowed[service], len(chains(records)[service])):
            return f"{service} can be down on {most} nodes, {allowed[service]} are allowed: {what}", 0
    if not batches_wait(records, allowed):
        return f"a batch does not wait for the one before: {what}", 0
    edges = [(r, i) for r in records for i in range(len(r.get("after", [])))]
    if not edges:
        return None, 0
    step, index = chance.choice(edges)
    step["after"].pop(index)
    down, whole = all_down(records)
    exceeds = any(most > allowed[service] for service, most in down.items())
    judged = run(program, ["--check"], text_of(records))
    if not batches_wait(records, allowed) and judged.returncode != 1:
        return f"--check does not see that a batch does not wait: {text_of(records)}", exceeds
    if ("can be down on" in judged.stderr) != exceeds if whole else judged.returncode != 1:
        return f"--check: {judged.stderr!r}, too many down: {exceeds}: {text_of(records)}", exceeds
    return None, exceeds


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    wrong = faults = 0
    for _ in range(count):
        fault, exceeds = try_one(program, chance)
        faults += exceeds
        if fault:
            wrong += 1
            print(fault)
    print(f"seed {seed}: {count} clusters, {faults} limits broken, {wrong} wrong")
    return wrong > 0 or faults == 0


if __name__ == "__main__":
    sys.exit(main())
