# SPDX-License-Identifier: Apache-2.0
#
# A podman that is real, as the podman command sees it; see real.py.
import json

import real

PODMAN = ("podman", "--remote", "--url", "unix://" + real.AT)


class Cloud(real.Cloud):
    def __init__(self, settings):
        super().__init__(settings)
        self.told = {}  # of containers, by their ids, what never changes

    def containers(self):
        found = self.client_list(*PODMAN, "container", "ls", "--all", "--no-trunc", "--format", "json")
        for one in found:
            told = None if one["Id"] in self.told else self.client(*PODMAN, "container", "inspect", one["Id"])
            if told:
                self.told[one["Id"]] = json.loads(told)[0]
        return [one for one in found if one["Id"] in self.told]

    def owned(self):
        """A container that takes the place of one, with its volumes, is the same machine."""
        return [{"id": one["Id"], "name": one["Names"][0], "same": one["Names"][0].removesuffix(".next"), "tags": one["Labels"], "state": one["State"],
                 "made": real.seconds(self.told[one["Id"]]["Created"])} for one in self.containers()]

    def disks(self):
        """A volume that only says that another is filled, which is gone, stands for that."""
        volumes = self.client_list(*PODMAN, "volume", "ls", "--format", "json")
        names = {one["Name"] for one in volumes}
        users = {mount.get("Name"): one["Id"] for one in self.containers() for mount in self.told[one["Id"]]["Mounts"]}
        return [{"id": one["Name"], "name": one["Labels"].get("coopr-filled", one["Name"]), "snapshot": "coopr-snapshot" in one["Labels"],
                 "machine": users.get(one["Name"]), "made": real.seconds(one["CreatedAt"])}
                for one in volumes if one["Labels"].get("coopr-filled") not in names]

    def set(self, value):
        if "stop" in value:
            self.client(*PODMAN, "kill", value["stop"])

    def lose(self, one):
        self.client(*PODMAN, "rm", "--force", one)
