#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""families.py            the names of the families
families.py FAMILY SEED   a request of it: the same for the same seed

Families of requests that are hard for one method or another. Those of the first list were given as examples of what was too slow; those
of the second were made to find more."""
import json
import random
import sys

from requests import count, names, request


def types(d, resources, least=1.0, most=3.0, number=5):
    """Hardware types with capacities for a handful of services, and costs that have little to do with them."""
    return {
        f"h{i}": {"cost": d.randint(20, 200), "capacity": {r: round(m * d.uniform(least, most)) for r, m in resources.items()}}
        for i in range(number)
    }


def cheapest(services, hardware, bounds, most=400, **constraints):
    template = {"objective": ["cost"], "constraints": {"size": {"min": 1, "max": most}} | constraints}
    return request(services, None, bounds, None, hardware, template)


# --- the given ones ---


def near(d, k=60, n=5000):
    """Groups of five with a mutually exclusive triple and a pair that cannot coexist, two resources; densest."""
    s = names(k)
    rules = {"cantcoexist": [], "mutuallyexclusive": []}
    for first in range(0, k, 5):
        five = s[first : first + 5]
        d.shuffle(five)
        rules["mutuallyexclusive"].append(five[:3])
        rules["cantcoexist"].append(five[3:])
    hardware = {f"h{i}": {"capacity": {"cpu": d.randint(6, 32), "memory": d.randint(9000, 64000)}} for i in range(6)}
    services = {name: {"cpu": d.randint(1, 40) / 10, "memory": d.randint(100, 5000)} for name in s}
    return request(services, n, {name: count(max(1, d.randint(1, 7) * n // 1000)) for name in s}, rules, hardware)


def huge_costs(d):
    s, unit = names(d.choice([2, 3])), 10 ** d.randint(7, 12)
    hardware = {f"h{i}": {"cost": d.randint(100, 999) * unit, "capacity": {"cpu": d.randint(8, 32)}} for i in range(3)}
    return cheapest({name: {"cpu": d.randint(1, 8)} for name in s}, hardware, {name: count(d.randint(1, 30)) for name in s})


def ratios_without_solution(d):
    s, rows = names(20), []
    for i in range(10):
        a, b, (p, q) = s[2 * i], s[2 * i + 1], d.choice([(2, 3), (3, 5), (2, 5), (4, 7), (3, 4)])
        rows.append({"name": f"r{i}", "terms": {a: p * 2, b: -q * 2}, "min": 1, "max": 1})
    template = {"objective": ["machines"], "constraints": {"size": {"min": 1, "max": 1000}, "counts": rows}}
    return request(dict.fromkeys(s), None, {name: count(1) for name in s}, None, None, template)


def ratios(d):
    s, rows = names(14), []
    for i in range(4):
        a, b = d.sample(s, 2)
        rows.append({"name": f"r{i}", "terms": {a: d.randint(2, 7), b: -d.randint(2, 7)}, "min": 0, "max": d.randint(0, 3)})
    hardware = {f"h{i}": {"cost": d.randint(5, 30), "capacity": {"cpu": d.randint(6, 16)}} for i in range(3)}
    return cheapest({name: {"cpu": d.randint(1, 6)} for name in s}, hardware, {name: count(d.randint(1, 9)) for name in s}, counts=rows)


def dimensions(d):
    s = names(40)
    services = {name: {"cpu": d.randint(1, 40) / 10, "memory": d.randint(100, 5000), "disk": d.randint(1, 90)} for name in s}
    hardware = types(d, {"cpu": 10, "memory": 20000, "disk": 300})
    return cheapest(services, hardware, {name: count(d.randint(1, 9)) for name in s})


def triples(d):
    s = names(40)
    rules = {"cantcoexist": [d.sample(s, 3) for _ in range(40)]}
    return request(dict.fromkeys(s), d.choice([50, 200, 1000]), {name: count(d.randint(1, 20)) for name in s}, rules)


def bytes_of_memory(d):
    s = names(12)
    hardware = {f"h{i}": {"cost": d.randint(10**9, 10**10), "capacity": {"memory": d.randint(2**33, 2**36)}} for i in range(4)}
    return cheapest({name: {"memory": d.randint(2**28, 2**33)} for name in s}, hardware, {name: count(d.randint(1, 20)) for name in s})


def partition(d):
    """Three services fill a machine to the last unit; of some requests one service is a unit too large."""
    sizes = []
    for _ in range(20):
        a = d.randint(251, 480)
        b = d.randint(251, 749 - a)
        sizes += [a, b, 1000 - a - b]
    sizes[0] += d.random() < 0.3
    services = {name: {"memory": size} for name, size in zip(names(60), sizes)}
    return request(services, 20, {name: count(1, 1) for name in services}, None, {"h": {"capacity": {"memory": 1000}}})


def additions(d):
    """Two hundred kinds of machines that stand, up to three services to add, and bounds near what there is: moves, then the densest."""
    s, new = names(40), [f"new{i}" for i in range(d.randint(1, 3))]
    services = {name: {"cpu": d.randint(1, 8), "memory": d.randint(1, 8)} for name in s + new}
    hardware = {f"h{i}": {"capacity": {"cpu": d.randint(24, 60), "memory": d.randint(24, 60)}} for i in range(4)}
    kinds, nodes = set(), []
    while len(kinds) < 200:
        h, own = d.choice(sorted(hardware)), sorted(d.sample(s, d.randint(2, 7)))
        if all(sum(services[name][r] for name in own) <= most for r, most in hardware[h]["capacity"].items()):
            kinds.add((h, *own))
    for number, (h, *own) in enumerate(kind for kind in sorted(kinds) for _ in range(d.randint(1, 20))):
        nodes.append({"kind": "node", "id": f"00000042-{1000 + number}", "hostname": f"bench{number}", "nodenum": 1000 + number, "hardwaretype": h,
                      "imagetype": "i", "services": own})
    there = {name: sum(name in node["services"] for node in nodes) for name in s}
    bounds = {name: count(max(0, n - d.randint(0, 3)), n + d.randint(0, 3)) for name, n in there.items()}
    for name in new:
        least = len(nodes) * d.randint(5, 50) // 100
        bounds[name] = count(least, least + d.randint(0, len(nodes) // 10))
    wanted = request(services, len(nodes), bounds, None, hardware, {"objective": ["moves", "dense"]})
    wanted["cluster"]["nodes"] = [node["id"] for node in nodes]
    return wanted | {"nodes": nodes}


# --- those made to find more ---


def twins(d):
    """Services that nothing tells apart but their names, and one size that does not go into the machines."""
    s, size = names(30), d.randint(26, 45)
    hardware = {"h0": {"cost": 100, "capacity": {"memory": 100}}, "h1": {"cost": d.randint(180, 230), "capacity": {"memory": 210}}}
    return cheapest({name: {"memory": size + (i % 3 == 0)} for i, name in enumerate(s)}, hardware, {name: count(d.choice([2, 3])) for name in s})


def colours(d):
    """Each service once; which of them keep apart is a random graph: the machines are the colours of its vertices."""
    s = names(30)
    apart = [[a, b] for i, a in enumerate(s) for b in s[:i] if d.random() < 0.4]
    template = {"objective": ["machines"], "constraints": {"size": {"min": 1, "max": 30}}}
    return request(dict.fromkeys(s), None, {name: count(1, 1) for name in s}, {"cantcoexist": apart}, None, template)


def giants(d):
    """A few services that nearly fill a machine, and crumbs."""
    sizes = [d.randint(60, 95) for _ in range(12)] + [d.randint(1, 12) for _ in range(24)]
    services = {name: {"memory": size, "cpu": d.randint(1, 30)} for name, size in zip(names(36), sizes)}
    hardware = types(d, {"memory": 60, "cpu": 40}, 1.6, 2.4, 4)
    return cheapest(services, hardware, {name: count(d.randint(1, 4)) for name in services})


def chains(d):
    """Each service keeps away from the next two, and the dearest type is the only one that holds many."""
    s = names(45)
    apart = [[a, b] for a, b in zip(s, s[1:])] + [[a, b] for a, b in zip(s, s[2:])]
    services = {name: {"cpu": d.randint(1, 9)} for name in s}
    wanted = cheapest(services, types(d, {"cpu": 15}, 1, 4, 4), {name: count(d.randint(1, 6)) for name in s})
    wanted["template"]["constraints"]["layout"] = {"cantcoexist": apart}
    return wanted


def restricted(d):
    """Each service runs on half of the types."""
    s = names(40)
    hardware = types(d, {"cpu": 12, "memory": 12}, 1, 3, 8)
    bounds = {name: count(d.randint(1, 6)) | {"hardwaretypes": sorted(d.sample(sorted(hardware), 4))} for name in s}
    return cheapest({name: {"cpu": d.randint(1, 9), "memory": d.randint(1, 9)} for name in s}, hardware, bounds)


def choices(d):
    """One of each four services, which need others in proportion."""
    s = names(32)
    groups = [s[i : i + 4] for i in range(0, 32, 4)]
    rows = [{"name": f"r{i}", "terms": {a: d.randint(1, 4), b: -d.randint(1, 4)}, "min": 0}
            for i, (a, b) in enumerate((d.choice(x), d.choice(y)) for x, y in zip(groups, groups[1:]))]
    bounds = {name: count(0, 30) for name in s}
    services = {name: {"cpu": d.randint(1, 9)} for name in s}
    return cheapest(services, types(d, {"cpu": 14}, 1, 3, 4), bounds, counts=rows, oneof=groups)


FAMILIES = [near, huge_costs, ratios_without_solution, ratios, dimensions, triples, bytes_of_memory, partition, additions,
            twins, colours, giants, chains, restricted, choices]

if __name__ == "__main__":
    found = {family.__name__: family for family in FAMILIES}
    if len(sys.argv) == 1:
        print(*found, sep="\n")
    elif len(sys.argv) == 3 and sys.argv[1] in found:
        print(json.dumps(found[sys.argv[1]](random.Random(int(sys.argv[2])))))
    else:
        sys.exit(__doc__)
