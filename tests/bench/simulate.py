#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulate.py PLANS SLOTS [SEED]: random plans, rehearsed: makespan over what no schedule can beat, and with stages.

A stage is what can be done once the stage before is done, all of it: the barrier that the original puts between stages. The
tasks take the same times in both.
"""
import heapq
import json
import random
import subprocess
import sys

ACTIONS = ["install", "configure", "initialize", "start"]


def make_layout(chance):
    names = [f"s{i}" for i in range(chance.randrange(2, 9))]

    def some(number, share):
        return [n for n in names[:number] if chance.random() < share]

    definitions = [
        {
            "name": name,
            "dependencies": {
                "provides": [],
                "conflicts": [],
                "install": {"requires": some(i, 0.2), "uses": []},
                "runtime": {"requires": some(i, 0.3), "uses": []},
            },
            "provisioner": {
                "actions": {
                    a: {"type": "dummy", "fields": {}, "expect_s": chance.randrange(5, 60)}
                    for a in ACTIONS
                    if chance.random() < 0.8
                }
            },
        }
        for i, name in enumerate(names)
    ]
    nodes = [sorted(n for n in names if chance.random() < 0.6) for _ in range(chance.randrange(10, 200))]
    nodes[0] = sorted({*nodes[0], *(n for n in names if not any(n in s for s in nodes))})
    cluster = {
        "kind": "cluster", "id": "00000042", "name": "random", "tenant": "bench", "services": names, "config": {},
        "definitions": definitions, "provider": {"name": "d", "providertype": "dummy"},
    }  # fmt: skip
    return [cluster] + [
        {"kind": "node", "id": f"00000042-{1000 + i}", "nodenum": 1000 + i, "hostname": f"n{i}.example.net",
         "hardwaretype": "h", "imagetype": "i", "services": services, "was": None}
        for i, services in enumerate(nodes)
    ]  # fmt: skip


def run(command, records):
    text = "".join(json.dumps(r) + "\n" for r in records)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def at_ms(event):
    hours, minutes, seconds = event["at"][11:-1].split(":")
    day = int(event["at"][8:10]) - 1
    return round((((day * 24 + int(hours)) * 60 + int(minutes)) * 60 + float(seconds)) * 1000)


def lengths_of(events):
    begun, lengths = {}, {}
    for event in events:
        if event["event"] == "take":
            begun[event["task"]] = at_ms(event)
        elif event["event"] == "done":
            lengths[event["task"]] = at_ms(event) - begun[event["task"]]
    return lengths


def stages_of(plan):
    """The tasks by how many tasks stand before them on the longest way."""
    depth, stages = {}, {}
    for step in plan:
        before = max((depth[a] for a in step["after"]), default=-1)
        depth[step["id"]] = before if step["kind"] == "milestone" else before + 1
        if step["kind"] == "task":
            stages.setdefault(before + 1, []).append(step)
    return [stages[n] for n in sorted(stages)]


def stage_length(tasks, lengths, slots):
    """One stage, the longest first, one of a node at a time."""
    left = sorted(tasks, key=lambda t: -lengths[t["id"]])
    now, running, busy = 0, [], set()
    while left or running:
        for task in list(left):
            if len(running) == slots:
                break
            if task["node"] not in busy:
                heapq.heappush(running, (now + lengths[task["id"]], task["id"], task["node"]))
                busy.add(task["node"])
                left.remove(task)
        now, _, node = heapq.heappop(running)
        busy.discard(node)
    return now


def measure(chance, slots):
    plan = run(["coopr-plan"], make_layout(chance))
    seed = ["coopr-work", "--simulate", str(chance.randrange(1 << 31)), "-j", str(slots)]
    (rehearsal,) = run([*seed, "-o", "json"], plan)
    lengths = lengths_of(r for r in run([*seed, "-e"], plan) if r["kind"] == "event")
    steps = [r for r in plan if r["kind"] in ("task", "milestone")]
    staged = sum(stage_length(tasks, lengths, slots) for tasks in stages_of(steps)) / 1000
    asked = max(rehearsal["critical_path_s"], rehearsal["work_s"] / slots)
    return rehearsal["makespan_s"] / asked, rehearsal["makespan_s"] / rehearsal["bound_s"], staged / asked


def main():
    count, slots = int(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    ratios = [sorted(column) for column in zip(*(measure(chance, slots) for _ in range(count)))]
    within = sum(r <= 1.05 for r in ratios[0])
    print(f"{slots:4d} slots, {count} plans (seed {seed}): {within} within 5% of max(critical path, work/slots)")
    what = ["makespan", "makespan, over a bound with the busiest node", "with stages"]
    for name, column in zip(what, ratios):
        middle, most = column[len(column) // 2], column[-1]
        print(f"     {name}: half within {middle:.3f}, nine of ten {column[len(column) * 9 // 10]:.3f}, all {most:.3f}")


main()
