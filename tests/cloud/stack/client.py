# SPDX-License-Identifier: Apache-2.0
#
# What openstacksdk sees in the project of stack.py, and does there: client.py URL reads a line, "list", "stop ID" or "delete ID", and prints one of
# JSON, the servers and the floating addresses that there are then.
import json
import sys
import time

import openstack

cloud = openstack.connect(auth_url=sys.argv[1] + "/identity/v3", username="svc", password="secret-token", project_name="dev", user_domain_id="default",
                          project_domain_id="default", region_name="RegionOne")


def listed():
    """A service that has much to do may not answer once."""
    for _ in range(20):
        try:
            return {"servers": [server.to_dict() for server in cloud.compute.servers()], "addresses": [ip.to_dict() for ip in cloud.network.ips()]}
        except openstack.exceptions.SDKException as why:
            print(why, file=sys.stderr)
            time.sleep(0.5)
    sys.exit(1)


for line in sys.stdin:
    what, *one = line.split()
    try:
        if what == "stop":
            cloud.compute.stop_server(*one)
        elif what == "delete":
            cloud.compute.delete_server(*one)
    except openstack.exceptions.SDKException as why:  # it is gone
        print(why, file=sys.stderr)
    print(json.dumps(listed()), flush=True)
