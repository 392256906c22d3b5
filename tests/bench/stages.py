#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stages.py SLOTS <REHEARSAL: makespans in seconds: rehearsed, the bound that none beats, and in Coopr 0.9.9's stages.

REHEARSAL is a plan with the events of `coopr-work --simulate -e`. The bound is the longer of the critical path and the
work over the slots, with the times that the tasks took. Coopr's stages: a task's level is one more than the highest of
what it waits for; of each level, the j-th tasks of all nodes are a stage; the next begins when all of one are done.
"""
import json
import sys
from datetime import datetime
from heapq import heappop, heappush


def read(lines):
    """Of each task and milestone in topological order (after, node, seconds), and how long the rehearsal took."""
    steps, started, took, last = {}, {}, {}, 0
    for record in map(json.loads, lines):
        if record["kind"] in ("task", "milestone"):
            steps[record["id"]] = record
        elif record["kind"] == "event" and "task" in record:
            at = datetime.fromisoformat(record["at"].replace("Z", "+00:00")).timestamp()
            if record["event"] == "take":
                started[record["task"]] = at
            elif record["event"] == "done":
                took[record["task"]] = at - started[record["task"]]
                last = max(last, at)
    return {i: (s["after"], s.get("node"), took.get(i, 0)) for i, s in steps.items()}, last


def critical_path(steps):
    end = {}
    for step, (after, _, seconds) in steps.items():
        end[step] = max((end[a] for a in after), default=0) + seconds
    return max(end.values())


def staged(steps, slots):
    level, stages = {}, {}
    for step, (after, node, seconds) in steps.items():
        level[step] = max((level[a] for a in after), default=0) + (node is not None)
        if node is not None:
            stages.setdefault(level[step], {}).setdefault(node, []).append(seconds)
    total = 0
    for _, nodes in sorted(stages.items()):
        for j in range(max(map(len, nodes.values()))):
            busy = []
            for seconds in (tasks[j] for tasks in nodes.values() if len(tasks) > j):
                heappush(busy, seconds + (heappop(busy) if len(busy) == slots else 0))
            total += max(busy)
    return total


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    plan, makespan = read(sys.stdin)
    bound = max(critical_path(plan), sum(seconds for _, _, seconds in plan.values()) / int(sys.argv[1]))
    print(f"{makespan:.3f} {bound:.3f} {staged(plan, int(sys.argv[1])):.3f}")
