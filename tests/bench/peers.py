#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peers.py goal PEER REQUEST                what PEER is asked for: least, dense, any
peers.py PEER REQUEST [MACHINES]             the request as gecode, clingo or cbc read it
peers.py answer PEER REQUEST OUTPUT          what PEER (coopr, too) printed, in one word: cost=N, layout=HASH, some, never, nothing

The same rules for everyone, from the request alone. Where the number of machines is free, MACHINES is how many suffice:
the peers are told, coopr-solve is not. What is asked for: the least cost or number of machines; Coopr's own preference
("dense"); for a change of a living cluster any layout. Models: tests/bench/models/; that for cbc is `mip` here: linear
programs have no language of their own. cbc is asked for any layout instead of the densest, for the order of preference
cannot be said in one linear objective; so is clingo where that order has more places than its heuristic has levels.
They have the easier question then.
"""
import hashlib
import json
import re
import sys
from collections import Counter
from decimal import Decimal


CLINGO_LEVELS = 32767


class Case:
    """A request in numbers: services and hardware types (kinds) count from 0, amounts and prices are integers."""

    def __init__(self, request, machines=0):
        cluster, constraints = request["cluster"], request["template"]["constraints"]
        self.objective = request["template"].get("objective", ["dense"])[0]
        self.nodes = request.get("nodes", [])
        self.goal = "any" if self.nodes else "dense" if self.objective == "dense" else "least"
        self.fixed = isinstance(cluster.get("numMachines"), int)
        self.machines = cluster["numMachines"] if self.fixed else machines or constraints["size"]["max"]
        self.services = sorted(cluster["services"])
        self.number = {name: i for i, name in enumerate(self.services)}
        self._rules(constraints)
        self._kinds(request)

    def _rules(self, constraints):
        bounds, layout = constraints["services"], constraints["layout"]
        sets = layout.get("mustcoexist", []), layout.get("cantcoexist", []), layout.get("mutuallyexclusive", [])
        known = [[[self.number[s] for s in names if s in self.number] for names in some] for some in sets]
        self.together, self.apart = known[0], known[2]
        self.not_all = [known for known, names in zip(known[1], sets[1]) if len(known) == len(names)]
        self.one_of = [[self.number[s] for s in names] for names in constraints.get("oneof", [])]
        named = set(bounds).union(*map(set, sets[0] + sets[1]))
        self.everywhere = [i for i, s in enumerate(self.services) if s not in named]
        optional = {i for some in self.one_of for i in some}
        quantities = [bounds.get(s, {}).get("quantities", {}) for s in self.services]
        self.least = [q.get("min", 0 if i in optional else 1) for i, q in enumerate(quantities)]
        self.most = [min(q.get("max", self.machines), self.machines) for q in quantities]
        self.hardware = [bounds.get(s, {}).get("hardwaretypes") for s in self.services]
        self.rules = []
        for rule in constraints.get("counts", []):
            terms = {self.number[s]: factor for s, factor in rule["terms"].items()}
            self.rules += [(terms, rule["min"])] if "min" in rule else []
            self.rules += [({s: -f for s, f in terms.items()}, -rule["max"])] if "max" in rule else []

    def _kinds(self, request):
        provider = request["provider"]["name"]
        entries = {h["name"]: h["providermap"][provider] for h in request["hardwaretypes"]}
        consumes = {s["name"]: s.get("consumes", {}) for s in request["services"]}
        dear = {name: (entry.get("cost", 0), name) for name, entry in entries.items()}
        self.kinds = sorted(entries, key=None if self.goal == "dense" else dear.get)
        self.resources = sorted({r for entry in entries.values() for r in entry.get("capacity", {})})
        self.capacity, self.needs = [], []
        for r in self.resources:
            room = [entries[k]["capacity"].get(r, 0) for k in self.kinds]
            need = [consumes[s].get(r, 0) for s in self.services]
            scale = self.scale(room + need)
            self.capacity.append([int(Decimal(str(x)) * scale) for x in room])
            self.needs.append([int(Decimal(str(x)) * scale) for x in need])
        prices = [1 if self.objective == "machines" else entries[k].get("cost", 0) for k in self.kinds]
        self.price_scale = self.scale(prices)
        self.price = [int(Decimal(str(x)) * self.price_scale) for x in prices]
        self.available = [min(entries[k].get("available", self.machines), self.machines) for k in self.kinds]
        self.may = [[i for i, k in enumerate(self.kinds) if not names or k in names] for names in self.hardware]

    @staticmethod
    def scale(numbers):
        return 10 ** max(max(0, -Decimal(str(x)).as_tuple().exponent) for x in numbers)

    def asked(self, peer):
        places = self.machines * (len(self.services) + len(self.kinds) + 1)
        easier = peer == "cbc" or (peer == "clingo" and places > CLINGO_LEVELS)
        return "any" if self.goal == "dense" and easier else self.goal

    def stood(self):
        """Per present machine and service: 1 stays, 0 stays away, -1 is free (it stood nowhere)."""
        present = {s for node in self.nodes for s in node["services"]}
        return [[int(s in node["services"]) if s in present else -1 for s in self.services] for node in self.nodes]


# --- MiniZinc: the data of models/layout.mzn ---


def gecode(case):
    def one(numbers):
        return "{%s}" % ", ".join(str(n + 1) for n in numbers)

    def matrix(rows, width):
        return "array2d(1..%d, 1..%d, [%s])" % (len(rows), width, ", ".join(str(x) for row in rows for x in row))

    n, k = len(case.services), len(case.kinds)
    factors = [[terms.get(s, 0) for s in range(n)] for terms, _ in case.rules]
    values = {
        "machines": case.machines, "all_used": str(case.fixed).lower(), "present": len(case.nodes),
        "services": n, "kinds": k, "resources": len(case.resources),
        "price": case.price, "available": case.available,
        "capacity": matrix(case.capacity, k), "needs": matrix(case.needs, n),
        "least": case.least, "most": case.most,
        "may_stand_on": "[%s]" % ", ".join(map(one, case.may)), "everywhere": one(case.everywhere),
        "rules": len(case.rules), "factor": matrix(factors, n), "at_least": [low for _, low in case.rules],
        "stood": matrix(case.stood(), n),
    }  # fmt: skip
    for name in ("together", "not_all", "apart", "one_of"):
        values[name] = "[%s]" % ", ".join(map(one, getattr(case, name)))
    return (f"{name} = {value};\n" for name, value in values.items())


# --- clingo: the facts of models/layout.lp ---


def clingo(case):
    everywhere = set(case.everywhere)
    yield f"#const machines = {case.machines}.\n#const services = {len(case.services)}.\n#const kinds = {len(case.kinds)}.\n"
    yield "all_used.\n" if case.fixed else ""
    for s in range(len(case.services)):
        yield f"service({s + 1}).\nleast({s + 1},{case.least[s]}).\n"
        yield f"most({s + 1},{case.most[s]}).\n" if case.most[s] < case.machines else ""
        yield f"everywhere({s + 1}).\n" if s in everywhere else ""
        yield from (f"never({s + 1},{k + 1}).\n" for k in range(len(case.kinds)) if k not in case.may[s])
    for k, price in enumerate(case.price):
        yield f"price({k + 1},{price}).\n"
        yield f"available({k + 1},{case.available[k]}).\n" if case.available[k] < case.machines else ""
    for r, (room, need) in enumerate(zip(case.capacity, case.needs)):
        yield f"resource({r}).\n"
        yield from (f"capacity({r},{k + 1},{amount}).\n" for k, amount in enumerate(room))
        yield from (f"needs({r},{s + 1},{amount}).\n" for s, amount in enumerate(need) if amount)
    for name in ("together", "not_all", "apart", "one_of"):
        yield from (f"{name}({i},{s + 1}).\n" for i, some in enumerate(getattr(case, name)) for s in some)
    for i, (terms, low) in enumerate(case.rules):
        yield f"rule({i},{low}).\n"
        yield from (f"factor({i},{s + 1},{f}).\n" for s, f in terms.items())
    stood = case.stood()
    yield from (f"free({s + 1}).\n" for s in range(len(case.services)) if stood and stood[0][s] < 0)
    for m, row in enumerate(stood):
        yield f"present({m + 1}).\n"
        yield from (f"stood({m + 1},{s + 1}).\n" for s, value in enumerate(row) if value > 0)


# --- cbc: a mixed integer program, machine by machine ---


def mip(case):
    """y: machine m is used and of kind k; x: service s stands on it; z: service s has instances (for oneof)."""
    machines, services, kinds = range(case.machines), range(len(case.services)), range(len(case.kinds))
    some = case.goal == "least"
    choice = {s for group in case.one_of for s in group}
    yield "Minimize\n cost: "
    yield "\n ".join(f"+ {case.price[k]} y{m}_{k}" for m in machines for k in kinds) if some else "0 y0_0"
    yield "\nSubject To\n"
    for m in machines:
        used = " ".join(f"+ y{m}_{k}" for k in kinds)
        not_used = " ".join(f"- y{m}_{k}" for k in kinds)
        held = " ".join(f"+ x{m}_{s}" for s in services)
        yield f" {used} = 1\n" if case.fixed else f" {used} <= 1\n"
        yield f" {held} {not_used} >= 0\n"
        if not case.fixed:
            yield from (f" x{m}_{s} {not_used} <= 0\n" for s in services)
        yield from (f" x{m}_{s} {not_used} = 0\n" for s in case.everywhere)
        for room, need in zip(case.capacity, case.needs):
            load = " ".join(f"+ {need[s]} x{m}_{s}" for s in services if need[s])
            yield f" {load} " + " ".join(f"- {room[k]} y{m}_{k}" for k in kinds if room[k]) + " <= 0\n"
        for s in services:
            yield from (f" x{m}_{s} + y{m}_{k} <= 1\n" for k in kinds if k not in case.may[s])
        yield from (f" x{m}_{s} - x{m}_{group[0]} = 0\n" for group in case.together for s in group[1:])
        yield from (f" {' '.join(f'+ x{m}_{s}' for s in group)} <= {len(group) - 1}\n" for group in case.not_all)
        yield from (f" {' '.join(f'+ x{m}_{s}' for s in group)} {not_used} <= 0\n" for group in case.apart)
        yield from (f" x{m}_{s} - z{s} <= 0\n" for s in choice)
        if m >= len(case.nodes) and m + 1 < case.machines:  # interchangeable machines, in order
            if some and len(kinds) > 1:
                yield " " + " ".join(f"+ {k + 1} y{m}_{k} - {k + 1} y{m + 1}_{k}" for k in kinds) + " >= 0\n"
            else:
                yield " " + " ".join(f"+ x{m}_{s} - x{m + 1}_{s}" for s in services) + " >= 0\n"
    for s in services:
        instances = "\n ".join(f"+ x{m}_{s}" for m in machines)
        yield f" {instances} >= {case.least[s]}\n"
        yield f" {instances} <= {case.most[s]}\n" if case.most[s] < case.machines else ""
        yield f" {instances} - z{s} >= 0\n" if s in choice else ""
    for k in kinds:
        if case.available[k] < case.machines:
            yield " " + "\n ".join(f"+ y{m}_{k}" for m in machines) + f" <= {case.available[k]}\n"
    yield from (f" {' '.join(f'+ z{s}' for s in group)} = 1\n" for group in case.one_of)
    for terms, low in case.rules:
        yield " " + "\n ".join(f"{f:+} x{m}_{s}" for m in machines for s, f in terms.items()) + f" >= {low}\n"
    yield "Bounds\n"
    for m, row in enumerate(case.stood()):
        yield from (f" x{m}_{s} = {value}\n" for s, value in enumerate(row) if value >= 0)
    yield "Binaries\n"
    for m in machines:
        yield "".join(f" x{m}_{s}\n" for s in services) + "".join(f" y{m}_{k}\n" for k in kinds)
    yield from (f" z{s}\n" for s in choice)
    yield "End\n"


# --- answers ---


def fingerprint(rows):
    """Of a layout: how many nodes there are of each hardware type and list of services."""
    kinds = Counter((hardware, *sorted(services)) for hardware, services in rows)
    return "layout=" + hashlib.sha256(repr(sorted(kinds.items())).encode()).hexdigest()[:8]


def answer_coopr(case, text):
    records = [json.loads(line) for line in text.splitlines()]
    nodes = [r for r in records if r["kind"] == "node" and r["services"] is not None]
    if not nodes:
        return "never" if any(r["kind"] == "unsatisfiable" for r in records) else "nothing"
    if records[0]["solution"]["status"] != "optimal":
        return "nothing"
    if case.goal == "dense":
        return fingerprint((n["hardwaretype"], n["services"]) for n in nodes)
    return cost(case, sum(case.price[case.kinds.index(n["hardwaretype"])] for n in nodes))


def cost(case, total):
    return f"cost={total / case.price_scale:g}" if case.goal == "least" else "some"


def answer_gecode(case, text):
    if "UNSATISFIABLE" in text:
        return "never"
    if "----------" not in text or (case.goal == "least" and "==========" not in text):
        return "nothing"
    if case.goal != "dense":
        return cost(case, int(re.findall(r"^cost (\d+)$", text, re.M)[-1]))
    rows = [(int(kind) - 1, json.loads(row)) for kind, row in re.findall(r"^(\d+) (\[.*\])$", text, re.M)]
    return fingerprint((case.kinds[kind], [s for s, on in zip(case.services, row) if on]) for kind, row in rows)


def answer_clingo(case, text):
    if "UNSATISFIABLE" in text:
        return "never"
    if "OPTIMUM FOUND" not in text and (case.goal == "least" or "SATISFIABLE" not in text):
        return "nothing"
    if case.asked("clingo") != "dense":
        return cost(case, int(re.findall(r"^Optimization : (\d+)", text, re.M)[-1]) if case.goal == "least" else 0)
    kinds = dict(re.findall(r"kind\((\d+),(\d+)\)", text))
    rows = {machine: [] for machine in kinds}
    for machine, service in re.findall(r"on\((\d+),(\d+)\)", text):
        rows[machine].append(case.services[int(service) - 1])
    return fingerprint((case.kinds[int(kinds[machine]) - 1], row) for machine, row in rows.items())


def answer_cbc(case, text):
    if re.search(r"infeasible", text, re.I) and "Objective value:" not in text:
        return "never"
    found = re.search(r"Result - Optimal solution found\s+Objective value: +(\S+)", text)
    if not found:
        return "nothing"
    return cost(case, round(float(found[1]))) if case.goal == "least" else "some"


def main(what, *rest):
    peer, request = (rest[0], rest[1]) if what in ("answer", "goal") else (what, rest[0])
    with open(request) as file:
        document = json.load(file)
    if what == "answer":
        with open(rest[2]) as file:
            print(globals()[f"answer_{peer}"](Case(document), file.read()))
    elif what == "goal":
        print(Case(document).asked(peer))
    else:
        case = Case(document, int(rest[1]) if rest[1:] else 0)
        sys.stdout.writelines({"gecode": gecode, "clingo": clingo, "cbc": mip}[peer](case))


if __name__ == "__main__":
    if len(sys.argv) < 3 or (sys.argv[1] == "answer" and len(sys.argv) < 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
