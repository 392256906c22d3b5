# SPDX-License-Identifier: Apache-2.0
#
# What clients that others wrote see in our fakes: CLIENTS has, for each cloud, the name of one, and a function that is given the URL of the fake, and
# returns the nodes of the machines, and the volumes and snapshots, each with the node of the machine that has it; of what is none of coopr's, None. It
# raises Missing where there is no such client here. Keys are in key.pem and key.pub.
import importlib
import json
import os
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as tree
import xmlrpc.client

NODE_MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/clients/node_modules")
GOOGLE = """
const { InstancesClient, DisksClient, SnapshotsClient } = require("@google-cloud/compute");
const { OAuth2Client } = require("google-auth-library");
const authClient = new OAuth2Client(), project = "my-project-42";
authClient.setCredentials({ access_token: "by-hand" });
const options = { apiEndpoint: "127.0.0.1", port: +process.argv[1], protocol: "http", authClient, projectId: project, fallback: "rest" };
const instances = new InstancesClient(options), disks = new DisksClient(options), snapshots = new SnapshotsClient(options);
async function all(list, member) {
  const found = [];
  for await (const one of list) for (const each of member ? one[1][member] ?? [] : [one]) found.push(each);
  return found;
}
(async () => {
  for await (const _ of require("readline").createInterface({ input: process.stdin }))
    console.log(JSON.stringify([await all(instances.aggregatedListAsync({ project, maxResults: 3 }), "instances"),
      await all(disks.aggregatedListAsync({ project, maxResults: 3 }), "disks"), await all(snapshots.listAsync({ project, maxResults: 3 }))]));
})();
"""


class Missing(Exception):
    pass


def module(name):
    """A module that is not of this folder, where some are called as clients are."""
    before = list(sys.path)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing from None
    finally:
        sys.path[:] = before


def ec2(fake):
    client = module("boto3").client("ec2", region_name="us-east-1", endpoint_url=fake, aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret/key+EXAMPLE")
    pages = lambda what, member, **words: [one for page in client.get_paginator(what).paginate(PaginationConfig={"PageSize": 5}, **words) for one in page[member]]
    tag = lambda thing, name: next((tag["Value"] for tag in thing["Tags"] if tag["Key"] == name), None)
    instances = {one["InstanceId"]: tag(one, "coopr-node") for reservation in pages("describe_instances", "Reservations") for one in reservation["Instances"]
                 if one["State"]["Name"] not in ("shutting-down", "terminated")}
    volumes = [("volume", tag(one, "coopr-volume"), *[instances.get(its["InstanceId"]) for its in one["Attachments"]]) for one in pages("describe_volumes", "Volumes")]
    return list(instances.values()), volumes + [("snapshot", tag(one, "coopr-volume")) for one in pages("describe_snapshots", "Snapshots", OwnerIds=["self"])]


def google(fake):
    """One process looks whenever it is told to: it takes seconds to start. It has a token given by hand, as its address of tokens is fixed."""
    if not os.path.isdir(NODE_MODULES + "/@google-cloud/compute"):
        raise Missing
    if not google.process:
        google.process = subprocess.Popen(["node", "-e", GOOGLE, fake.split(":")[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                          env=dict(os.environ, NODE_PATH=NODE_MODULES, NODE_NO_WARNINGS="1"))
    urllib.request.urlopen(fake + "/_set", b'{"grant": "by-hand"}').close()
    google.process.stdin.write("look\n")
    label = lambda thing, name: thing.get("labels", {}).get("coopr-" + name)
    instances, disks, snapshots = json.loads(google.process.stdout.readline())
    instances = {one["name"]: label(one, "node") for one in instances if one["status"] != "STOPPING"}
    volumes = [("volume", label(one, "volume"), *[instances.get(user.rsplit("/", 1)[1]) for user in one.get("users", [])]) for one in disks]
    return list(instances.values()), volumes + [("snapshot", label(one, "volume")) for one in snapshots]


google.process = None


def digitalocean(fake):
    droplets = module("digitalocean").Manager(token="secret-token", end_point=fake + "/v2/").get_all_droplets()
    tags = [dict(tag.split(":", 1) for tag in one.tags if ":" in tag) for one in droplets]
    return [its.get("coopr-machine", "").split(":")[0] for its in tags], []


def joyent(fake):
    if not os.path.isdir(NODE_MODULES + "/triton"):
        raise Missing
    os.makedirs("home/.ssh", exist_ok=True)
    for name in ("id_rsa", "id_rsa.pub"):
        if not os.path.exists("home/.ssh/" + name):
            os.symlink("../../key." + ("pub" if name.endswith("pub") else "pem"), "home/.ssh/" + name)
    print_of = subprocess.run(["ssh-keygen", "-l", "-E", "md5", "-f", "key.pub"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[1].removeprefix("MD5:")
    environment = dict({name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}, HOME=os.path.abspath("home"), TRITON_URL=fake,
                       TRITON_ACCOUNT="jill", TRITON_KEY_ID=print_of, TRITON_PROFILE="env")
    lines = subprocess.run([NODE_MODULES + "/.bin/triton", "-i", "instance", "list", "-j"], stdout=subprocess.PIPE, check=True, env=environment).stdout.splitlines()
    return [json.loads(line)["tags"].get("coopr-node") for line in lines], []


def opennebula(fake):
    is_good, pool, _ = xmlrpc.client.ServerProxy(fake + "/RPC2").one.vmpool.infoextended("oneadmin:secret-password", -3, -1, -1, -1)
    if not is_good:
        raise RuntimeError(pool)
    return [vm.findtext("USER_TEMPLATE/COOPR_NODE") for vm in tree.fromstring(pool) if vm.findtext("STATE") != "6"], []


def openstack(fake):
    cloud = module("openstack").connect(region_name="RegionOne", load_yaml_config=False, load_envvars=False, auth={
        "auth_url": fake + "/identity/v3", "username": "svc", "password": "secret-token", "project_name": "dev", "user_domain_id": "default", "project_domain_id": "default"})
    servers = {one.id: one.metadata.get("coopr-node") for one in cloud.compute.servers()}
    volumes = [("volume", one.metadata.get("coopr-volume"), *[servers.get(its["server_id"]) for its in one.attachments]) for one in cloud.block_storage.volumes()]
    return list(servers.values()), volumes + [("snapshot", one.metadata.get("coopr-volume")) for one in cloud.block_storage.snapshots()]


CLIENTS = {"digitalocean": ("python3-digitalocean", digitalocean), "ec2": ("boto3", ec2), "google": ("@google-cloud/compute", google), "joyent": ("triton", joyent),
           "opennebula": ("Python's XML-RPC", opennebula), "openstack": ("openstacksdk", openstack)}
