# SPDX-License-Identifier: Apache-2.0
#
# All of Nova in one process: its API, conductor, scheduler and a compute host. So the messages between them need no broker: oslo.messaging's fake
# transport reaches what is in the process.
import sys

import nova.cmd.api  # noqa: F401 (replaces what blocks in the standard library, before anything else is imported)
import nova.compute.rpcapi
import nova.conductor.rpcapi
import nova.conf
import nova.config
import nova.objects
import nova.scheduler.rpcapi
import nova.service
import oslo_log.log
import oslo_service.service


def main():
    nova.config.parse_args(sys.argv)
    oslo_log.log.setup(nova.conf.CONF, "nova")
    nova.objects.register_all()
    launcher = oslo_service.service.ServiceLauncher(nova.conf.CONF, restart_method="mutate")
    for name in ("conductor", "scheduler", "compute"):
        topic = getattr(nova, name).rpcapi.RPC_TOPIC
        launcher.launch_service(nova.service.Service.create(binary="nova-" + name, topic=topic))
    launcher.launch_service(nova.service.WSGIService("osapi_compute"))
    launcher.wait()


main()
