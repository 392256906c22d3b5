#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py COOPR-PLAN CORPUS [SEED]: coopr-plan --check finds a task that does not wait for what it must.

Of the plan of each case one random edge is taken out. Where that changes the order of the tasks, --check has to say so;
where it does not, it must not.
"""
import json
import random
import subprocess
import sys

sys.dont_write_bytecode = True  # what is imported leaves nothing behind

from corpus import closure, order_of  # noqa: E402


def records_of(program, case):
    text = "".join(json.dumps(record) + "\n" for record in case["layout"])
    done = subprocess.run([program, *case["args"]], input=text, text=True, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def order(records):
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    tasks = {r["id"]: r["id"] for r in steps if r["kind"] == "task"}
    return order_of(tasks, *closure([r["id"] for r in steps], {r["id"]: r["after"] for r in steps}))


def finds_fault(program, records):
    text = "".join(json.dumps(record) + "\n" for record in records)
    done = subprocess.run([program, "--check"], input=text, text=True, capture_output=True, check=False)
    assert done.returncode in (0, 1), done
    return "does not wait for" in done.stderr


def main():
    program, path = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    wrong = faults = 0
    with open(path, encoding="utf-8") as corpus:
        next(corpus)
        for number, line in enumerate(corpus, 1):
            records = records_of(program, json.loads(line))
            edges = [(r, i) for r in records for i in range(len(r.get("after", [])))]
            if finds_fault(program, records):
                wrong += 1
                print(f"case {number}: a fault where there is none")
            if not edges:
                continue
            before = order(records)
            step, index = chance.choice(edges)
            taken = step["after"].pop(index)
            fault = order(records) != before
            faults += fault
            if finds_fault(program, records) != fault:
                wrong += 1
                print(f"case {number}: {step['id']} no longer after {taken}: expected fault: {fault}")
    print(f"seed {seed}: {faults} faults made, {wrong} wrong answers")
    return wrong > 0 or faults == 0


if __name__ == "__main__":
    sys.exit(main())
