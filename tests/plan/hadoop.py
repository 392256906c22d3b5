#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hadoop.py NODES: the layout of a hadoop-distributed cluster with base on every node, for coopr-plan.

One master, the rest workers; the dependencies are those of the services that Coopr published.
"""
import json
import sys

KERBEROS = {"install": ["kerberos-client"], "runtime": ["kerberos-master"]}
SERVICES = {  # name: (actions, install, runtime)
    "base": ("ic", [], []),
    "hadoop-hdfs-datanode": ("icsp", ["base"], ["hadoop-hdfs-namenode", "hadoop-hdfs-secondarynamenode"]),
    "hadoop-hdfs-namenode": ("ictsp", ["base"], []),
    "hadoop-yarn-nodemanager": ("icsp", ["base"], ["hadoop-yarn-resourcemanager"]),
    "hadoop-yarn-resourcemanager": ("ictsp", ["base"], ["hadoop-hdfs-namenode", "hadoop-hdfs-datanode"]),
    "hbase-master": (
        "ictsp",
        ["base", "zookeeper-server"],
        ["hadoop-hdfs-namenode", "hadoop-hdfs-datanode", "zookeeper-server"],
    ),
    "hbase-regionserver": ("icsp", ["base", "zookeeper-server"], ["hbase-master", "zookeeper-server"]),
    "zookeeper-server": ("icsp", ["base"], []),
}
ACTIONS = {"i": "install", "c": "configure", "t": "initialize", "s": "start", "p": "stop"}
MASTER = ["base", "hadoop-hdfs-namenode", "hadoop-yarn-resourcemanager", "hbase-master", "zookeeper-server"]
WORKER = ["base", "hadoop-hdfs-datanode", "hadoop-yarn-nodemanager", "hbase-regionserver"]


def definition(name):
    actions, install, runtime = SERVICES[name]
    return {
        "name": name,
        "dependencies": {
            "provides": [],
            "conflicts": [],
            "install": {"requires": install, "uses": KERBEROS["install"] if name != "base" else []},
            "runtime": {"requires": runtime, "uses": KERBEROS["runtime"] if name != "base" else []},
        },
        "provisioner": {"actions": {ACTIONS[a]: {"type": "dummy", "fields": {}} for a in actions}},
    }


def main():
    count = int(sys.argv[1])
    cluster = {
        "kind": "cluster", "id": "00000042", "name": "hadoop", "tenant": "default", "config": {},
        "services": sorted(SERVICES), "definitions": [definition(name) for name in sorted(SERVICES)],
        "provider": {"name": "dummy", "providertype": "dummy", "provisioner": {}}, "template": {"name": "hadoop"},
    }
    print(json.dumps(cluster, sort_keys=True))
    for i in range(count):
        node = {
            "kind": "node", "id": f"00000042-{1000 + i}", "nodenum": 1000 + i,
            "hostname": f"hadoop42-{1000 + i}.example.net", "zone": None, "hardwaretype": "standard-large",
            "imagetype": "debian12", "flavor": "large", "image": "debian-12", "sshuser": "root",
            "services": WORKER if i else MASTER, "was": None,
        }
        print(json.dumps(node, sort_keys=True))


if __name__ == "__main__":
    main()
