/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/options.h"

#include <stddef.h>

#include "base/process.h"

/* -F none: neither the user's nor the system's configuration. The keep-alives notice a node that vanished
 * after 45 s. */
static const char *const fixed_options[] = {
	"-F", "none", "-T", "-a", "-x",
	"-o", "BatchMode=yes",
	"-o", "StrictHostKeyChecking=yes",
	"-o", "GlobalKnownHostsFile=none",
	"-o", "UpdateHostKeys=no",
	"-o", "CheckHostIP=no",
	"-o", "ConnectTimeout=10",
	"-o", "ServerAliveInterval=15",
	"-o", "ServerAliveCountMax=3",
	"-o", "LogLevel=ERROR",
};

void
options_push(struct arguments *argv)
{
	for (size_t i = 0; i < sizeof fixed_options / sizeof *fixed_options; i++)
		arguments_push(argv, fixed_options[i]);
}
