# SPDX-License-Identifier: Apache-2.0
#
# An LXD that is real, as the lxc command sees it; see real.py.
import os

import real

os.environ.update(LXD_DIR=os.path.dirname(real.AT), HOME=os.getcwd())


class Cloud(real.Cloud):
    def owned(self):
        return [{"id": one["name"], "config": one["config"], "made": real.seconds(one["created_at"])} for one in self.client_list("lxc", "list", "--format", "json")]

    def set(self, value):
        if "stop" in value:
            self.client("lxc", "stop", "--force", value["stop"])

    def lose(self, one):
        self.client("lxc", "delete", "--force", one)
