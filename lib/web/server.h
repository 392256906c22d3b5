/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: it has each request that arrives on its sockets done by the command that the route names, as the user who asks, and
 * sends what that prints. One loop; what takes time runs in children.
 */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct certificate;
struct client_authority;
struct error;
struct proxies;
struct server;
struct store;

enum { SERVER_SOCKETS = 8 };

struct server_options {
	struct {
		int fd;      /* listens; the server's from now on */
		bool is_tcp; /* whoever comes is nobody, unless a token or a session says who it is */
		bool is_for_provisioners; /* of Coopr, and for nobody else */
	} sockets[SERVER_SOCKETS];
	int count;
	char address[320]; /* of the first that is TCP, for a browser: "https://127.0.0.1:8443" */
	struct store *store; /* where tokens are looked up, borrowed */
	const struct proxies *proxies; /* borrowed */
	struct client_authority *clients; /* who may have signed certificates of clients, borrowed; NULL: nobody */
	struct certificate *certificate; /* of all that are TCP, borrowed; NULL: these have no TLS */
	int64_t tls_only_s;   /* for how long browsers are told to come by TLS alone */
	bool no_terminal;     /* browsers log in to no node */
	unsigned connections; /* of a socket, at most */
	unsigned children;    /* commands that run at once, at most */
	unsigned waiting;     /* requests that wait for one to end, at most; then 503 */
};

int server_open(struct server **server, const struct server_options *options, struct error *err);

/* Serves until SIGTERM or SIGINT; then takes no new connection, and returns once each request that has come is answered, and who reads
 * has the answer. SIGHUP has the certificate read again. */
void server_run(struct server *server);

void server_release(struct server *server);

#endif
