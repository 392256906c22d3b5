# SPDX-License-Identifier: Apache-2.0
#
# coopr-judge.py DOCUMENTS CLUSTER RUNS: compares what chef-solo was given on the machines of a cluster with what the plugin chef-solo of Cask's Coopr
# would have given it. DOCUMENTS is the folder of services, as published; CLUSTER the layout of its last job; RUNS a folder NODE/N
# for each node, as chef-solo-recorder makes them. Prints how many runs there were of each service and action.
import collections
import glob
import json
import os
import re
import sys

DOCUMENTS, CLUSTER, RUNS = sys.argv[1:4]
services = {}
for path in glob.glob(DOCUMENTS + "/*.json"):
    with open(path) as file:
        one = json.load(file)
    services[one["name"]] = one
with open(CLUSTER) as file:
    records = [json.loads(line) for line in file]
nodes = {one["id"]: one for one in records if one["kind"] == "node"}
cluster = next(one for one in records if one["kind"] == "cluster")


def value_of(node, kind):
    return node["hostname"] if kind == "host" else node["ipaddresses"][kind.split(".")[1]]


def having(service):
    return sorted((node for node in nodes.values() if service in node["services"]), key=lambda node: node["nodenum"])


def expand(value, own):
    """As Coopr's server expands macros in the configuration of a cluster: one of a service that no node has stays as it is."""
    if isinstance(value, dict):
        return {name: expand(one, own) for name, one in value.items()}
    if isinstance(value, list):
        return [expand(one, own) for one in value]
    if not isinstance(value, str):
        return value
    kind, service = r"(host|ip\.\w+)", r"service\.([\w-]+)"
    value = re.sub("%%join\\(map\\(%s\\.%s,'([^']*)'\\),'([^']*)'\\)%%" % (kind, service),
                   lambda m: m[4].join(m[3].replace("$", value_of(node, m[1])) for node in having(m[2])) or m[0], value)
    value = re.sub("%%join\\(%s\\.%s,'([^']*)'\\)%%" % (kind, service),
                   lambda m: m[3].join(value_of(node, m[1]) for node in having(m[2])) or m[0], value)
    value = re.sub("%%%s\\.%s%%" % (kind, service), lambda m: ",".join(value_of(node, m[1]) for node in having(m[2])) or m[0], value)
    return re.sub("%%%s\\.self%%" % kind, lambda m: value_of(own, m[1]), value)


def merge(below, above):
    if isinstance(below, dict) and isinstance(above, dict):
        return {name: merge(below[name], above[name]) if name in below and name in above else above.get(name, below.get(name)) for name in {**below, **above}}
    return above


def told(node):
    return {name: node[name] for name in ("hostname", "nodenum", "ipaddresses", "services")}


def wanted(own, fields):
    config = expand(cluster["config"], own)
    config["nodes"] = {one: told(node) for one, node in nodes.items()}
    ours = {"cluster": config, "services": own["services"], "hostname": own["hostname"], "clusterId": cluster["id"], "ipaddresses": own["ipaddresses"]}
    return merge(merge(config, json.loads(fields.get("json_attributes") or "{}")), {"coopr": ours})


def sort(value):
    """The services of a node are a set."""
    if isinstance(value, dict):
        return {name: sorted(one) if name == "services" and isinstance(one, list) else sort(one) for name, one in value.items()}
    return value


wrong, counts = [], collections.Counter()
for path in sorted(glob.glob(RUNS + "/*/*/words")):
    run, own = os.path.dirname(path), nodes[path.split("/")[-3]]
    with open(path) as file:
        words = file.read().split("\n")
    with open(run + "/attributes") as file:
        given = json.load(file)
    name, action = given["coopr"].pop("service"), given["coopr"].pop("action")
    for more in "nodenum", "nodes":
        del given["coopr"][more]
    its = services[name]["provisioner"]["actions"][action]
    counts[name, action] += 1
    if its["type"] != "chef-solo":
        wrong.append("%s: %s of %s is not chef's" % (run, action, name))
    if words[words.index("-o") + 1] != re.sub(r"\s", "", its["fields"]["run_list"]):
        wrong.append("%s: %s %s: another run list: %s" % (run, name, action, words))
    given, want = sort(given), sort(wanted(own, its["fields"]))
    if given != want:
        wrong.append("%s: %s %s: other attributes:\n  %s\n  %s" % (run, name, action, json.dumps(given, sort_keys=True), json.dumps(want, sort_keys=True)))
for (name, action), number in sorted(counts.items()):
    print(name, action, number)
if wrong:
    sys.exit("\n".join(wrong[:5] + ["%d are wrong" % len(wrong)]))
