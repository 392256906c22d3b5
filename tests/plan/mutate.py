#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py COOPR-PLAN CORPUS [SEED]: coopr-plan --check finds a task that does not wait for what it must.

Of the plan of each case one random edge is taken out. Where that changes the order of the tasks, --check has to say so;
where it does not, it must not. Of the same plan one random task is taken out, or does something else: --check has to see that too.
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


def rank(records):
    """Gives the steps the ranks that they have now."""
    steps = [r for r in records if r["kind"] in ("task", "milestone")]
    behind = {r["id"]: 0 for r in steps}
    for step in reversed(steps):
        step["rank"] = step.get("expect_s", 0) + behind[step["id"]]
        for other in step["after"]:
            behind[other] = max(behind[other], step["rank"])
    job = next(r for r in records if r["kind"] == "job")
    job["critical_path_s"] = max((s["rank"] for s in steps), default=0)
    job["tasks"] = sum(r["kind"] == "task" for r in records)


def without(records, task):
    """The same plan without a task: what waited for it waits for all that it waited for."""
    result = json.loads(json.dumps([r for r in records if r is not task]))
    for step in result:
        if task["id"] in step.get("after", []):
            step["after"] = [a for a in step["after"] if a != task["id"]] + [a for a in task["after"] if a not in step["after"]]
    rank(result)
    return result


def otherwise(chance, records, task):
    """The same plan, in which a task does something else, and nothing twice."""
    actions = {"create", "confirm", "delete", "bootstrap"} if not task["service"] else {
        "install", "configure", "initialize", "start", "reload", "restart", "check", "drain", "stop", "remove",
        "backup", "restore"}
    there = {r["action"] for r in records
             if r["kind"] == "task" and (r["node"], r["service"]) == (task["node"], task["service"])}
    result = json.loads(json.dumps(records))
    for step in result:
        if step.get("id") == task["id"] and sorted(actions - there):
            step["action"] = chance.choice(sorted(actions - there))
    return result


def is_assured(records, task):
    """A start for the sake of another service, which changes nothing where that runs, may be there or not."""
    job = next(r for r in records if r["kind"] == "job")
    chain = [r["action"] for r in records
             if r["kind"] == "task" and (r["node"], r["service"]) == (task["node"], task["service"])]
    return chain == ["start"] and not job.get("rolling") and job["action"] in (
        "restart_services", "cluster_configure_with_restart", "cluster_upgrade")


def accepted(program, chance, records):
    """What of one missing and one wrong task --check does not see; and how many there were."""
    tasks = [r for r in records if r["kind"] == "task"]
    result, count = [], 0
    for what in ("missing", "wrong") if tasks else ():
        task = chance.choice(tasks)
        changed = without(records, task) if what == "missing" else otherwise(chance, records, task)
        if is_assured(records, task) or changed == records:
            continue
        count += 1
        text = "".join(json.dumps(record) + "\n" for record in changed)
        done = subprocess.run([program, "--check"], input=text, text=True, capture_output=True, check=False)
        if done.returncode != 1:
            result.append(f"{what}: {task['action']} {task['service']} on {task['node']}: {done}")
    return result, count


def main():
    program, path = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    chance = random.Random(seed)
    wrong = faults = changes = 0
    with open(path, encoding="utf-8") as corpus:
        next(corpus)
        for number, line in enumerate(corpus, 1):
            records = records_of(program, json.loads(line))
            edges = [(r, i) for r in records for i in range(len(r.get("after", [])))]
            if finds_fault(program, records):
                wrong += 1
                print(f"case {number}: a fault where there is none")
            unseen, made = accepted(program, chance, records)
            changes += made
            wrong += len(unseen)
            for what in unseen:
                print(f"case {number}: {what}")
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
    print(f"seed {seed}: {faults} faults made, {changes} tasks taken out or changed, {wrong} wrong answers")
    return wrong > 0 or faults == 0 or changes == 0


if __name__ == "__main__":
    sys.exit(main())
