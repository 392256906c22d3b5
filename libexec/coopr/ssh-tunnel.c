/* SPDX-License-Identifier: Apache-2.0
 *
 * ssh-tunnel: the ProxyCommand with which ssh(1) comes to a node through a server, coopr-ssh(1). Its operands are the server, the cluster,
 * the node, and the tenant and the user of --tenant and --as, both "" where these were not given. Exits with 0; 64 on misuse; 69 where the
 * server is not reached; else as the reason of the server says.
 */
#include <stddef.h>

#include "base/error.h"
#include "base/message.h"
#include "remote/destination.h"
#include "remote/tunnel.h"

int
main(int argc, char **argv)
{
	struct destination destination = {0};
	struct error err;
	int code = 0;

	message_program("coopr-ssh");
	if (argc != 6) {
		message("expected SERVER CLUSTER NODE TENANT USER");
		return EX_USAGE;
	}
	if (destination_find(&destination, argv[1], &err) < 0 || tunnel_run(&destination, argv[2], argv[3], *argv[4] ? argv[4] : NULL,
	    *argv[5] ? argv[5] : NULL, &err) < 0)
		code = message_error(&err);
	destination_release(&destination);
	return code;
}
