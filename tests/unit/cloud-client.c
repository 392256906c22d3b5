/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/client.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

enum { LONG_MS = 60 * 1000, REQUEST_BYTES = 4096 };

/* --- a server that is silent to so many connections, and then answers --- */

struct server {
	int socket;
	unsigned port, silent;
	_Atomic unsigned connections;
};

static void *
server_run(void *data)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
	struct server *server = data;
	char request[REQUEST_BYTES];
	int connection;

	while ((connection = accept(server->socket, NULL, NULL)) >= 0) {
		if (server->connections++ < server->silent)
			continue; /* which stays open */
		if (read(connection, request, sizeof request) > 0 && write(connection, answer, sizeof answer - 1) < 0)
			perror("write");
		close(connection);
	}
	return NULL;
}

static void
server_start(struct server *server)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	pthread_t thread;

	server->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->socket, (struct sockaddr *)&address, length) < 0 || listen(server->socket, 16) < 0 ||
	    getsockname(server->socket, (struct sockaddr *)&address, &length) < 0 || pthread_create(&thread, NULL, server_run, server) != 0)
		abort();
	pthread_detach(thread);
	server->port = ntohs(address.sin_port);
}

static struct client *client;

/* Sends a request that may take a second. */
static int
ask(struct server *server, const char *method, bool repeatable, struct client_answer *answer, struct error *err)
{
	struct client_request request = {.method = method, .answer_s = 1, .repeatable = repeatable};
	struct stop stop = {.deadline_ms = clock_monotonic_ms() + LONG_MS};
	char *url;
	int result;

	server_start(server);
	url = memory_printf("http://127.0.0.1:%u/machines", server->port);
	request.url = url;
	result = client_send(client, &request, &stop, answer, err);
	free(url);
	return result;
}

static void
test_slow_list(void)
{
	static struct server server = {.silent = 1};
	struct client_answer answer = {0};
	struct error err;

	tap_is_number(ask(&server, "GET", true, &answer, &err), 0, "where no answer comes in time, what may be repeated is");
	tap_is_number(answer.status, 200, "the answer is that of a later request");
	tap_ok(server.connections >= 2, "the server has got another request");
	client_answer_release(&answer);
}

static void
test_slow_creation(void)
{
	static struct server server = {.silent = 1};
	struct client_answer answer = {0};
	struct error err;

	tap_is_number(ask(&server, "POST", false, &answer, &err), -1, "where no answer comes in time, what makes something fails");
	tap_is_number(err.code, EX_TEMPFAIL, "as what may go well later");
	tap_ok(answer.unknown, "it is unknown whether it was carried out");
	tap_ok(strstr(err.text, "POST http://127.0.0.1:") && strstr(err.text, "timed out"), "the message says so: %s", err.text);
	tap_ok(server.connections <= 1, "it is not repeated");
	client_answer_release(&answer);
}

int
main(void)
{
	static const struct client_settings settings = {.proxy = "", .per_second = 1000};
	struct error err;

	if (!(client = client_open(&settings, &err)))
		return tap_ok(false, "%s", err.text), tap_end();
	test_slow_list();
	test_slow_creation();
	return tap_end();
}
