#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""corpus.py COOPR-PLAN CORPUS: each case's plan has exactly its tasks, in exactly its order.

Order is compared as the transitive closure over tasks; milestones only lead through. A node's bootstraps, one for each
automator, count as one. Prints each case that differs, and how many there are; exits with 1 where one does.
"""
import json
import subprocess
import sys


def closure(steps, after):
    """For each step, in topological order, the set of all before it, as bits."""
    before, number = {}, {step: i for i, step in enumerate(steps)}
    for step in steps:
        before[step] = 0
        for other in after[step]:
            before[step] |= before[other] | 1 << number[other]
    return before, number


def order_of(tasks, before, number):
    """The pairs of names in order; several steps may share a name: any of them counts."""
    steps_of = {}
    for step, name in tasks.items():
        steps_of.setdefault(name, []).append(step)
    return {
        (a, b)
        for b, latter in steps_of.items()
        for a, former in steps_of.items()
        if a != b and any(before[y] >> number[x] & 1 for x in former for y in latter)
    }


def planned(program, case):
    text = "".join(json.dumps(record) + "\n" for record in case["layout"])
    done = subprocess.run([program, *case["args"]], input=text, text=True, stdout=subprocess.PIPE, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    tasks = {r["id"]: (r["node"], r["service"] or "", r["action"]) for r in steps if r["kind"] == "task"}
    before, number = closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps})
    return set(tasks.values()), order_of(tasks, before, number)


def expected(case):
    tasks = dict(enumerate(map(tuple, case["expect"]["tasks"])))
    after = {i: [] for i in tasks}
    for a, b in case["expect"]["before"]:
        after[b].append(a)
    steps, seen = [], set()
    while len(steps) < len(tasks):
        free = [i for i in tasks if i not in seen and all(a in seen for a in after[i])]
        seen.update(free)
        steps += free
    return set(tasks.values()), order_of(tasks, *closure(steps, after))


def main():
    program, path = sys.argv[1:]
    different = cases = 0
    with open(path, encoding="utf-8") as corpus:
        next(corpus)
        for number, line in enumerate(corpus, 1):
            case = json.loads(line)
            ours, theirs = planned(program, case), expected(case)
            cases += 1
            if ours == theirs:
                continue
            different += 1
            print(f"case {number} {case['args']}:")
            for what, a, b in (("task", ours[0], theirs[0]), ("order", ours[1], theirs[1])):
                print(f"  {what} only in ours: {sorted(a - b)[:5]}, only in the corpus: {sorted(b - a)[:5]}")
    print(f"{cases} cases, {different} differ")
    return different > 0 or cases == 0


if __name__ == "__main__":
    sys.exit(main())
