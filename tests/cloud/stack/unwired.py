# SPDX-License-Identifier: Apache-2.0
#
# A mechanism of Neutron's ML2 that says of every port that it is bound, and does nothing: servers of Nova's fake hypervisor have no wire.
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class Unwired(api.MechanismDriver):
    def initialize(self):
        pass

    def bind_port(self, context):
        segment = context.segments_to_bind[0]
        context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OVS, {portbindings.CAP_PORT_FILTER: False}, status="ACTIVE")
