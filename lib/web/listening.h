/* SPDX-License-Identifier: Apache-2.0
 *
 * The sockets that the server listens on: those that systemd hands over, or a Unix socket.
 */
#ifndef WEB_LISTENING_H
#define WEB_LISTENING_H

struct error;
struct server_options;

/* Opens the socket at path; NULL: those that systemd has handed over, else "serve" of the runtime folder. A socket that a dead server
 * has left is replaced; one that is served is refused, with EX_TEMPFAIL. Tells on stderr where it is. */
int listening_open(const char *path, struct server_options *options, struct error *err);

#endif
