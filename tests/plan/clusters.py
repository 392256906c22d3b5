#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clusters.py COOPR-PLAN COUNT [SEED]: plans of random clusters have the tasks they should have, in a good order.

Clusters with aliases, several automators, local needs, addresses in their configuration, nodes that come, stay, change,
go and are dead, definitions and configurations that change; all at once and a few nodes at a time. Which tasks there have
to be is worked out here anew, from the man page; the order is for coopr-plan --check to judge. What --from makes of an
older layout has to be what the same "was" in the layout gives.
"""
import copy
import json
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # what is imported leaves nothing behind

from mutate import accepted  # noqa: E402

ACTIONS = ["install", "configure", "initialize", "start", "stop", "remove"]
EXTRA = {"status": 0.5, "reload": 0.3, "restart": 0.2, "drain": 0.2, "backup": 0.3, "restore": 0.3}
ALL = [*ACTIONS, *EXTRA]
SET_UP = ["install", "configure", "initialize", "start", "check"]
TAKE_DOWN = ["drain", "stop", "remove"]
STANDING = {
    "start": ["start", "check"],
    "stop": ["stop"],
    "restart": ["stop", "start", "check"],
    "backup": ["backup"],
    "restore": ["restore", "check"],
    "configure": ["configure"],
    "configure-with-restart": ["stop", "configure", "start", "check"],
    "upgrade": ["stop", "install", "configure", "start", "check"],
}
ROLLING = ("restart", "configure-with-restart", "upgrade", "replace", None)
WHOLE = ("delete", "shrink", "replace")
RECONFIGURE = ["configure", "reload", "check"]
DIFFERENCE = {
    None: {"new", "added", "dropped", "leaving"},
    "create": {"new"},
    "expand": {"new"},
    "add-services": {"added"},
    "remove-services": {"dropped"},
    "shrink": {"leaving"},
    "replace": {"new", "leaving"},
}


def make_fields(chance, name, others):
    """Of an action: at times it says what it looks up, or which members of the configuration it reads."""
    fields = {"script": name}
    if chance.random() < 0.05:
        fields["nodes"] = chance.sample(["s0", "s1", "s2", "alias0", *others], 2)
    if chance.random() < 0.05:
        fields["config"] = chance.sample([name, "any", *others], 2) if others else []
    return fields


def make_service(chance, name, earlier):
    """A service that needs only earlier ones, so that there is no cycle, unless through an alias."""

    def some(names, share):
        return [n for n in names if chance.random() < share]

    def needs():
        lists = {"requires": some(names, 0.3), "uses": some([*names, "elsewhere"], 0.2)}
        return {**lists, "local": some(lists["requires"] + lists["uses"], 0.3)}

    names = [n for s in earlier for n in [s["name"], *s["dependencies"]["provides"]]]
    volumes = [{"name": "data", "path": f"/data/{name}", "size_gb": 1 + chance.randrange(9), "keep": chance.random() < 0.8}]
    return {
        "name": name,
        **({"volumes": volumes} if chance.random() < 0.2 else {}),
        "dependencies": {
            "provides": [f"alias{chance.randrange(3)}" for _ in range(chance.randrange(2)) if chance.random() < 0.4],
            "conflicts": [],
            "install": needs(),
            "runtime": needs(),
        },
        "provisioner": {
            "actions": {
                action: {"type": chance.choice(["shell", "dummy"]), "fields": make_fields(chance, name, names),
                         "expect_s": chance.randrange(9)}
                for action in ALL
                if chance.random() < EXTRA.get(action, 0.8)
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
            source = chance.choice(["ip", "ip", "host", "num"])
            config[name] = {"peers": f"%join(map({source}.service.{chance.choice(names)},'$:80'),',')%"}
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
        if was and not leaves and chance.random() < 0.4:
            nodes[-1]["stopped"] = sorted(s for s in here if s in was and chance.random() < 0.5)
            nodes[-1]["taken_out"] = sorted(s for s in nodes[-1]["stopped"] if chance.random() < 0.6)
    if chance.random() < 0.3:  # all of a service was stopped, or all of the cluster
        whole = chance.choice([names, [chance.choice(names)]])
        for node in nodes:
            was = set(node["was"] or []) & set(whole)
            if was:
                node["stopped"] = sorted({*node.get("stopped", []), *was})
    return cluster, nodes


def change_definitions(chance, definitions):
    """What some of them were before, in another order of their members."""
    older = []
    for definition in definitions:
        was = copy.deepcopy(definition)
        actions = was["provisioner"]["actions"]
        action = chance.choice(ALL)
        if chance.random() < 0.6:
            continue
        if action not in actions:
            actions[action] = {"type": "dummy", "fields": {"script": "was"}}
        elif chance.random() < 0.3:
            del actions[action]
        else:
            actions[action] = {"type": chance.choice(["shell", "old"]), "fields": {"script": "was"}}
        older.append(was)
    return older


def needs_of(cluster, nodes, stage, far_only=False):
    """For each service in use all that it needs at that stage, directly; or only what is not local."""
    used = {*cluster["services"], *(s for n in nodes for s in (n["services"] or []) + (n["was"] or []))}
    services = [d for d in cluster["definitions"] if d["name"] in used]
    return {
        s["name"]: {
            o["name"]
            for o in services
            for need in s["dependencies"][stage]["requires"] + s["dependencies"][stage]["uses"]
            if o is not s and need in [o["name"], *o["dependencies"]["provides"]]
            and not (far_only and need in s["dependencies"][stage]["local"])
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


def assured(needs, far, chosen, startable):
    """The nearest that can be started, seen from what is started again; without those another one needs everywhere."""
    result = set()
    for service in chosen & startable:
        found, seen, stack = {}, set(), [(service, True)]
        while stack:
            at, near = stack.pop()
            for other in needs[at]:
                step = (other, near and other not in far[at])
                if step in seen:
                    continue
                seen.add(step)
                if other in startable:
                    found[other] = found.get(other, True) and step[1]
                else:
                    stack.append(step)
        result |= found.keys() - closure(far, [s for s in found if not found[s]])
    return result - chosen


def changed_actions(was, now):
    """What is done to a service that stands, for its definition was another."""
    def differs(action):
        a, b = was.get(action), now.get(action)
        return (a is None) != (b is None) or a is not None and (a["type"], a["fields"]) != (b["type"], b["fields"])

    if differs("install"):
        return STANDING["upgrade"], True
    if differs("configure"):
        return RECONFIGURE, True
    return (STANDING["restart"], True) if differs("start") or differs("stop") else ([], False)


def in_place(should, has):
    """What is done to a service that stands: nothing that can be reloaded is stopped, nothing that can be restarted either."""
    should = set(should)
    if "restore" in should and "restore" not in has:
        return set()
    if "reload" in should and "reload" not in has:
        should |= {"stop", "start"}
    if {"stop", "start"} <= should:
        should -= {"reload"}
        if "restart" in has:
            should = should - {"stop", "start"} | {"restart"}
    return should | ({"drain"} if "stop" in should else set())


def told(definition, field):
    """What its actions say that they read, or None."""
    lists = [does["fields"][field] for action, does in definition["provisioner"]["actions"].items()
             if action not in ("install", "remove") and field in does["fields"]]
    return {name for names in lists for name in names} if lists else None


def reads(definition, member, by_name):
    listed = told(definition, "config")
    return by_name if listed is None else member in listed


def goes_by(definition):
    return {definition["name"], *definition["dependencies"]["provides"]}


def concerned(cluster, nodes):
    """The services that are configured anew, for a member of the configuration has changed, or what its macros say."""
    was, now = cluster["was"]["config"], cluster["config"]
    both = {s: needs_of(cluster, nodes, "install")[s] | needs_of(cluster, nodes, "runtime")[s]
            for s in needs_of(cluster, nodes, "install")}
    moving = {s for n in nodes for s in set(n["services"] or []) ^ set(n["was"] or [])}
    result = set()
    for member in {*was, *now}:
        asked = {s for s in moving if f".service.{s}" in json.dumps(now.get(member))}
        if was.get(member) == now.get(member) and not asked:
            continue
        named = {d["name"] for d in cluster["definitions"] if member in goes_by(d)}
        result |= {d["name"] for d in cluster["definitions"] if reads(d, member, not named or d["name"] in named or
                   d["name"] in both and closure(both, [d["name"]]) & named)}
    moves = {name for d in cluster["definitions"] if d["name"] in moving for name in goes_by(d)}
    return result | {d["name"] for d in cluster["definitions"] if (told(d, "nodes") or set()) & moves}


def comes_stopped(service, nodes, now, was):
    """A service that is set up stays stopped if it was, wherever it stood, or if it is new and all that can be stopped was."""
    stood = [(s, s in n.get("stopped", [])) for n in nodes for s in n["was"] or []]
    of_it = [stopped for s, stopped in stood if s == service]
    of_all = [stopped for s, stopped in stood if stopped or "stop" in was[s]]
    relevant = of_it or of_all
    return "start" in now[service] and bool(relevant) and all(relevant)


def expected(cluster, nodes, action, chosen_nodes, chosen, graceful, rolling, dead):
    now = {d["name"]: d["provisioner"]["actions"] for d in cluster["definitions"]}
    was_cluster = cluster.get("was")
    was = {**now, **{d["name"]: d["provisioner"]["actions"] for d in (was_cluster or {}).get("definitions", [])}}
    runtime = needs_of(cluster, nodes, "runtime")
    with_volumes = {d["name"] for d in cluster["definitions"] if "volumes" in d}
    tasks = set()

    def work(node, service, actions, bootstraps, stands=False, along=False):
        stays_stopped = action in (None, "configure", "configure-with-restart", "upgrade") or along and action == "restart"

        def does(action):
            if action == "check":
                return now[service].get("start") and now[service].get("status")
            return (was if action in TAKE_DOWN else now)[service].get(action)

        if actions is SET_UP and service in with_volumes:
            tasks.update({(node["id"], None, "attach", "dummy"), (node["id"], None, "mount", "shell")})
        if service in (node["services"] or []) and stands:
            actions = in_place(actions, {a for a in ALL if does(a)})
            if service in node.get("stopped", []) and stays_stopped:
                actions = set(actions) - {"start", "stop", "drain", "reload", "restart", "check"}
        if actions is SET_UP and comes_stopped(service, nodes, now, was):
            actions = [a for a in SET_UP if a not in ("start", "check")]
        tasks.update((node["id"], service, a, does(a)["type"]) for a in actions if does(a))
        if bootstraps:
            tasks.update((node["id"], None, "bootstrap", does(a)["type"]) for a in ALL if does(a))

    def leave(service):
        """A removal could empty a volume that is kept."""
        kept = any(v["keep"] for d in [*(was_cluster or {}).get("definitions", []), *cluster["definitions"]] if d["name"] == service
                   for v in d.get("volumes", []))
        return [action for action in TAKE_DOWN if action != "remove" or not kept]

    def hardware(node, *actions):
        tasks.update((node["id"], None, a, "dummy") for a in actions)

    every = not chosen
    chosen = set(chosen) or set(now)
    picked = chosen
    if every and action == "upgrade" and was_cluster:
        picked = {s for s in now if changed_actions(was[s], now[s])[0]}
    anew = concerned(cluster, nodes) if was_cluster else set()
    for node in nodes:
        if chosen_nodes and node["id"] not in chosen_nodes and node["hostname"] not in chosen_nodes:
            continue
        here, before = node["services"] or [], node["was"] or []
        leaves, new, is_dead = node["services"] is None, node["was"] is None, node["id"] in dead
        if action == "delete":
            hardware(node, "delete")
            for service in before if leaves else here:
                if not is_dead and (graceful or chosen_nodes and len(chosen_nodes) < len(nodes)):
                    work(node, service, leave(service), False)
        elif action in STANDING:
            extra, sure = set(), set()
            if is_dead or leaves:
                continue
            if rolling:
                pass
            elif "stop" in STANDING[action]:
                extra = {s for s in runtime if closure(runtime, [s]) & picked} - picked
            elif action == "start":
                extra = closure(runtime, picked) - picked
            if not rolling and {"stop", "start"} <= set(STANDING[action]):
                standing = {s for n in nodes for s in n["services"] or [] if "start" in now[s]}
                sure = assured(runtime, needs_of(cluster, nodes, "runtime", True), picked | extra, standing)
            for service in here:
                if service in picked:
                    work(node, service, STANDING[action], "configure" in STANDING[action], True)
                elif service in extra:
                    work(node, service, [a for a in STANDING[action] if a in STANDING["restart"]], False, True, True)
                elif service in sure:
                    work(node, service, STANDING["start"], False)
        elif leaves:
            if "leaving" in DIFFERENCE[action] and every:
                hardware(node, "delete")
                whole = all(n["services"] is None for n in nodes) and len(chosen_nodes) in (0, len(nodes))
                for service in before:
                    if not is_dead and (graceful or not whole):
                        work(node, service, leave(service), False)
        elif is_dead:
            continue
        elif new:
            if "new" in DIFFERENCE[action] and (every or set(here) & chosen):
                hardware(node, "create", "confirm")
                for service in set(here) & chosen:
                    work(node, service, SET_UP, True)
        else:
            for service in (set(here) - set(before)) & chosen:
                if "added" in DIFFERENCE[action]:
                    work(node, service, SET_UP, True)
            for service in (set(before) - set(here)) & chosen:
                if "dropped" in DIFFERENCE[action]:
                    work(node, service, TAKE_DOWN, False)
            for service in set(here) & set(before) & chosen:
                actions, boot = changed_actions(was[service], now[service])
                if service in anew:
                    actions, boot = {*actions, *RECONFIGURE}, True
                if action is None:
                    work(node, service, actions, boot, True)
    return tasks


def is_cyclic(cluster, nodes, tasks, in_place_install, rolling):
    actions = {action for _, service, action, _ in tasks if service}
    install, runtime = needs_of(cluster, nodes, "install"), needs_of(cluster, nodes, "runtime")
    return bool(
        actions & {"install", "remove"} and has_cycle(install)
        or actions & {"initialize", "start", "stop", "reload", "restart", "drain"} and has_cycle(runtime)
        or rolling and works_in_place(nodes, tasks) and has_cycle(runtime)
        or in_place_install and has_cycle({s: install[s] | runtime[s] for s in install})
    )


def run(program, arguments, text):
    return subprocess.run([program, *arguments], input=text, text=True, capture_output=True, check=False)


def works_in_place(nodes, tasks):
    """What is done with services that stay where they are, which may be stopped; a rolling plan does so one service after another."""
    stays = {n["id"]: set(n["services"] or []) & set(n["was"] or []) for n in nodes}
    return [action for node, service, action, _ in tasks if service in stays[node]]


def installs_in_place(nodes, tasks):
    return "install" in works_in_place(nodes, tasks)


def asks_new(cluster, nodes, tasks):
    made = {node for node, _, action, _ in tasks if action == "create"}
    asked = {*re.findall(r"ip\.service\.(\w+)", json.dumps(cluster["config"]))}
    listed = {s for d in cluster["definitions"] for action, does in d["provisioner"]["actions"].items()
              for s in does["fields"].get("nodes", []) if action != "remove"}
    known = {d["name"]: goes_by(d) for d in cluster["definitions"]}
    return any(s in asked or known[s] & listed for n in nodes if n["id"] in made for s in n["services"])


def gets_volumes(cluster, nodes, tasks, dead):
    """Whether a node gets what another one, which answers, has to give up before."""
    services = {n["id"]: n for n in nodes}
    wanted = {s for node, _, action, _ in tasks if action == "attach" for s in services[node]["services"]}
    given = {s for node, _, action, _ in tasks if action == "delete" and node not in dead for s in services[node]["was"] or []}
    return any("volumes" in d and d["name"] in wanted & given for d in cluster["definitions"])


def records_from(cluster, nodes):
    """The same as two layouts: what was, and what shall be."""
    was = {d["name"]: d for d in cluster["was"]["definitions"]}
    older = {**cluster, "config": cluster["was"]["config"], "definitions": [was.get(d["name"], d) for d in cluster["definitions"]]}
    older.pop("was")
    newer = {k: v for k, v in cluster.items() if k != "was"}
    return (
        [older, *({**n, "services": n["was"], "was": None} for n in nodes if n["was"] is not None)],
        [newer, *({**n, "was": ["nonsense"]} for n in nodes if n["services"] is not None)],
    )


def text_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def try_from(program, arguments, cluster, nodes, plan):
    older, newer = records_from(cluster, nodes)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text_of(older))
        file.flush()
        done = run(program, ["--from", file.name, *arguments], text_of(newer))
    return done.returncode == 0 and done.stdout == plan


def try_one(program, chance):
    """One cluster, one action. What is wrong, and whether there was a plan."""
    cluster, nodes = make_layout(chance)
    action = chance.choice([*STANDING, *DIFFERENCE, None, None, "delete"])
    chosen_nodes = chance.sample([n["id"] for n in nodes], 1) if chance.random() < 0.2 else []
    chosen = chance.sample(cluster["services"], 1) if chance.random() < 0.4 and action not in WHOLE else []
    dead = chance.sample([n["id"] for n in nodes], 1) if chance.random() < 0.2 else []
    graceful = chance.random() < 0.2 and action in (None, *WHOLE)
    limit = chance.choice(["1", "2", "50%"]) if (action in ROLLING or action is None) and chance.random() < 0.5 else None
    if chance.random() < 0.5:
        config = {**cluster["config"], **{chance.choice([*cluster["services"], "any"]): {"v": 1} for _ in range(chance.randrange(2))}}
        cluster["was"] = {"config": config, "definitions": change_definitions(chance, cluster["definitions"])}
    arguments = [x for n in chosen_nodes for x in ("-N", n)] + [x for s in chosen for x in ("-s", s)]
    arguments += (["-a", action] if action else []) + (["--graceful"] if graceful else [])
    arguments += [x for n in dead for x in ("--dead", n)] + (["--max-unavailable", limit] if limit else [])
    text = text_of([cluster, *nodes])
    rolling = limit is not None or action is None
    wanted = expected(cluster, nodes, action, chosen_nodes, chosen, graceful, rolling, dead)
    done = run(program, arguments, text)
    what = f"{arguments}\n{text}"
    in_place = rolling and (action == "upgrade" and any(a == "install" for _, _, a, _ in wanted)
                            or action is None and installs_in_place(nodes, wanted))
    if is_cyclic(cluster, nodes, wanted, in_place, rolling):
        return (None if done.returncode == 1 and " -> " in done.stderr else f"no cycle found: {what}"), False
    if action in ("backup", "restore") and not wanted:
        return (None if done.returncode == 1 and "has an action " + action in done.stderr else f"not refused: {done.stderr}{what}"), False
    if action == "replace" and limit and asks_new(cluster, nodes, wanted):
        return (None if "have to be made at once" in done.stderr else f"addresses of later nodes are asked for: {what}"), False
    if limit and done.returncode == 1 and gets_volumes(cluster, nodes, wanted, dead) and "some of the nodes at a time" in done.stderr:
        return None, False
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr} {what}", False
    records = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(r["node"], r["service"], r["action"], r["type"]) for r in records if r["kind"] == "task" and "without" not in r]
    if len(found) != len(set(found)) or set(found) != wanted:
        return f"tasks too many {set(found) - wanted}, missing {wanted - set(found)}: {what}", True
    judged = run(program, ["--check"], done.stdout)
    if judged.returncode != 0:
        return f"--check: {judged.stderr}: {what}", True
    unseen, _ = accepted(program, chance, records)
    if unseen:
        return f"--check does not see {unseen}: {what}", True
    if "was" in cluster and not try_from(program, arguments, cluster, nodes, done.stdout):
        return f"--from makes another plan: {what}", True
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
