/* SPDX-License-Identifier: Apache-2.0
 *
 * The sockets that the server listens on: Unix sockets and addresses of TCP, or those that systemd hands over.
 */
#ifndef WEB_LISTENING_H
#define WEB_LISTENING_H

#include <stdbool.h>

#include "base/option.h"

struct error;
struct server_options;

struct listening {
	const char *path;       /* of a Unix socket, or NULL */
	struct option_list addresses; /* of TCP: "127.0.0.1:8443", "[::1]:8443", "*:8443" */
	struct option_list provisioners; /* the same, for provisioners of Coopr */
	bool insecure;          /* addresses may be reached from other machines without TLS */
};

/* Opens all of them; where nothing is named, takes those that systemd has handed over, else "serve" of the runtime folder. A Unix socket
 * that a dead server has left is replaced; one that is served is refused, with EX_TEMPFAIL, as an address in use is. Tells on stderr
 * where they are. */
int listening_open(const struct listening *what, struct server_options *options, struct error *err);

#endif
