#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requests.py FAMILY [NUMBER]...: a request for coopr-solve, on standard output.

  wordpress N OFFERS        N wordpress behind balancers on the cheapest of OFFERS machines (CSPLib prob090, with offers drawn)
  openstack                 38 instances with anti-affinity on six blades, memory as the "complicated" cases have it
  masters K N               K services on N machines: half of them once, the others at least twice, one pair apart
  groups SEED               60 services in 12 constraint groups, six hardware types, 50,000 machines; 0 is the tame one
  cheapest SEED             the same, for the least cost
  packed SEED               the same, on as many machines as cost least
  grown K N                 masters K N, living, and three services to add
  wider K N                 masters K N, living, and ten machines to add
  f1 K N | f1b K N | f4 K N MIN | f5 K N | f7 K N
                            the families on which Coopr 0.9.9 gave up: K services on N machines. f1: each at least once;
                            f1b: masters; f4: one apart from the first must stand MIN times; f5: one that needs hardware which
                            is not there; f7: each exactly once
"""
import json
import random
import subprocess
import sys


def request(services, machines, constraints, layout=None, hardware=None, template=None):
    """A request; services: name -> what it consumes; hardware: name -> members of its provider's entry."""
    rules = {"services": constraints, "layout": layout or {}}
    rules.update((template or {}).pop("constraints", {}))
    return {
        "kind": "request",
        "cluster": {"id": "00000042", "name": "bench", "services": list(services), "config": {}}
        | ({"numMachines": machines} if machines else {}),
        "template": {"name": "bench", "constraints": rules} | (template or {}),
        "provider": {"name": "p", "providertype": "dummy"},
        "hardwaretypes": [
            {"name": name, "providermap": {"p": {"flavor": name} | entry}}
            for name, entry in (hardware or {"h": {}}).items()
        ],
        "imagetypes": [{"name": "i", "providermap": {"p": {"image": "i"}}}],
        "services": [{"name": name} | ({"consumes": needs} if needs else {}) for name, needs in services.items()],
    }


def count(least=None, most=None):
    bounds = {"min": least, "max": most}
    return {"quantities": {name: bound for name, bound in bounds.items() if bound is not None}}


def wordpress(n, offers):
    draw = random.Random(offers)
    hardware = {}
    for i in range(offers):
        cpu = draw.choice([1, 2, 2, 2, 4, 4, 4, 8, 8, 16, 16, 32, 64])
        memory = draw.choice([850, 1700, 1875, 3750, 7625, 15250]) * cpu
        storage = draw.choice([500, 1000, 1000, 2000, 4000])
        price = round((30 * cpu + memory / 200 + storage / 100) * draw.uniform(0.6, 1.6))
        hardware[f"offer-{i:03}"] = {"cost": price, "capacity": {"cpu": cpu, "memory": memory, "storage": storage}}
    services = {
        "wordpress": {"cpu": 2, "memory": 512, "storage": 1000},
        "mysql": {"cpu": 2, "memory": 512, "storage": 2000},
        "dns-lb": {"cpu": 4, "memory": 2048, "storage": 500},
        "http-lb": {"cpu": 4, "memory": 2048, "storage": 500},
        "varnish": {"cpu": 4, "memory": 4000, "storage": 500},
    }
    apart = "varnish dns-lb,varnish http-lb,varnish mysql,dns-lb wordpress,dns-lb mysql,http-lb wordpress,http-lb mysql"
    bounds = {"wordpress": count(n), "mysql": count(2), "varnish": count(2), "dns-lb": count(0, 1), "http-lb": count(0)}
    rules = {
        "size": {"min": 1, "max": 200},
        "counts": [
            {"name": "two mysql serve three wordpress", "terms": {"mysql": 3, "wordpress": -2}, "min": 0},
            {"name": "a dns balancer serves seven", "terms": {"dns-lb": 7, "http-lb": 3, "wordpress": -1}, "min": 0},
        ],
        "oneof": [["dns-lb", "http-lb"]],
    }
    exclusive = [pair.split() for pair in apart.split(",")]
    template = {"objective": ["cost"], "constraints": rules}
    return request(services, None, bounds, {"mutuallyexclusive": exclusive}, hardware, template)


def openstack():
    shapes = {name: (64, 2) for name in ("mysql-lb", "keystone-lb", "glance-lb", "registry-lb", "nova-lb", "queue-lb")}
    shapes |= {"mysql": (512, 3), "keystone": (256, 3), "glance-api": (256, 3), "glance-registry": (256, 3)}
    shapes |= {"nova-api": (256, 3), "queue": (512, 3), "nova-scheduler": (256, 1), "nova-conductor": (256, 1)}
    shapes |= {"glance-db": (0, 1), "nova-db": (0, 1), "nova-compute": (1024, 4)}
    hardware = {"blade": {"cost": 1, "available": 6, "capacity": {"memory": 2048}}}
    template = {"objective": ["machines"], "constraints": {"size": {"min": 1, "max": 6}}}
    services = {name: {"memory": memory} for name, (memory, _) in shapes.items()}
    return request(services, None, {name: count(n, n) for name, (_, n) in shapes.items()}, None, hardware, template)


def names(k):
    return [f"s{i:03}" for i in range(k)]


def masters(k, n):
    s = names(k)
    bounds = {name: count(1, 1) if i < k // 2 else count(2) for i, name in enumerate(s)}
    return request(dict.fromkeys([*s, "base"]), n, bounds, {"cantcoexist": [[s[0], s[k // 2]]]})


def groups(seed, objective=None):
    """60 services that consume, in 12 groups of five: in each some exclude, attract or cannot all stand with each other."""
    draw = random.Random(seed)
    s = names(60)
    if seed == 0:
        needs = [{"cpu": [0.1, 0.5, 1, 2][i * 13 % 4], "memory": [128, 512, 1024, 4096][i * 11 % 7 % 4]} for i in range(60)]
        least = [[1, 2, 3, 500, 2500][i * 7 % 5] for i in range(60)]
        most = [None] * 60
        capacity = [(4 * i, 8000 * i) for i in range(1, 7)]
    else:
        needs = [{"cpu": draw.randint(1, 40) / 10, "memory": draw.randint(100, 5000)} for _ in range(60)]
        least = [draw.choice([1, 2, 3, 7, 50, 500, 2500]) for _ in range(60)]
        most = [draw.choice([None, None, 2, 10]) and draw.randint(3, 6) * bound for bound in least]
        capacity = [(draw.randint(6, 32), draw.randint(9000, 64000)) for _ in range(6)]
    rules = {"cantcoexist": [], "mutuallyexclusive": [], "mustcoexist": []}
    for first in range(0, 60, 5):
        five = s[first : first + 5]
        if seed == 0:
            kind = first // 5 % 3
            rules["mustcoexist"] += [[five[0], five[3]]] if kind == 0 else []
            rules["mutuallyexclusive"] += [five[:3]] if kind == 1 else []
            rules["cantcoexist"] += [five[1:3]] if kind != 1 else []
            continue
        draw.shuffle(five)
        rules[draw.choice(["cantcoexist", "mutuallyexclusive"])].append(five[:3])
        rules["cantcoexist"].append(five[2:4])
        if draw.random() < 0.4:  # the two that stand together have bounds that allow it
            rules["mustcoexist"].append([five[0], five[4]])
            a, b = s.index(five[0]), s.index(five[4])
            most[a] = most[b] = None
    # Otherwise no machine might take what is unbounded, and 50,000 of them could not be filled.
    most[draw.randrange(60)] = None
    hardware = {
        f"h{i}": {"cost": round(cpu * 3 + memory / 1000 + draw.random() * 9, 2), "capacity": {"cpu": cpu, "memory": memory}}
        for i, (cpu, memory) in enumerate(capacity)
    }
    template = {"objective": objective} if objective else None
    bounds = {name: count(least[i], most[i]) for i, name in enumerate(s)}
    return request(dict(zip(s, needs)), 50000, bounds, rules, hardware, template)


def packed(seed):
    wanted = groups(seed, ["cost"])
    del wanted["cluster"]["numMachines"]
    wanted["template"]["constraints"]["size"] = {"min": 1, "max": 50000}
    return wanted


def living(wanted):
    """The same request, of a cluster that stands."""
    answer = subprocess.run(["coopr-solve"], input=json.dumps(wanted), capture_output=True, text=True, check=True).stdout
    records = map(json.loads, answer.splitlines())
    return wanted | {"nodes": [record for record in records if record["kind"] == "node"]}


def grown(k, n):
    """One more master, a service that must keep away from the first, and one for every machine that may hold it."""
    wanted = living(masters(k, n))
    wanted["cluster"]["services"] += ["x", "y", "z"]
    wanted["services"] += [{"name": name} for name in "xyz"]
    wanted["template"]["constraints"]["services"] |= {"x": count(1, 1), "y": count(3), "z": count(1)}
    wanted["template"]["constraints"]["layout"]["cantcoexist"] += [["s000", "y"], ["x", "z"]]
    return wanted


def wider(k, n):
    wanted = living(masters(k, n))
    wanted["cluster"]["numMachines"] += 10
    return wanted


def plain(n, bounds, layout=None):
    return request(dict.fromkeys([*bounds, "base"]), n, bounds, layout)


def f5(k, n):
    bounds = dict.fromkeys(names(k), count(1))
    bounds["s000"] = count(1) | {"hardwaretypes": ["gone"]}
    return plain(n, bounds)


FAMILIES = {
    "wordpress": wordpress,
    "openstack": openstack,
    "masters": masters,
    "groups": groups,
    "cheapest": lambda seed: groups(seed, ["cost"]),
    "packed": packed,
    "grown": grown,
    "wider": wider,
    "f1": lambda k, n: plain(n, dict.fromkeys(names(k), count(1))),
    "f1b": masters,
    "f4": lambda k, n, least: plain(
        n, dict.fromkeys(names(k), count(1)) | {"s001": count(least)}, {"cantcoexist": [["s000", "s001"]]}
    ),
    "f5": f5,
    "f7": lambda k, n: plain(n, dict.fromkeys(names(k), count(1, 1))),
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in FAMILIES:
        sys.exit(__doc__)
    print(json.dumps(FAMILIES[sys.argv[1]](*map(int, sys.argv[2:]))))
