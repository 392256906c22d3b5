/* SPDX-License-Identifier: Apache-2.0 */
#include "http/listener.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/error.h"
#include "http/exchange.h"

struct listener {
	struct MHD_Daemon *daemon;
	struct listener_options options;
	int epoll;
};

/* Leaves text as it is: what is encoded there is decoded part by part, or an encoded slash would be one. */
static size_t
listener_leave_encoded(void *unused, struct MHD_Connection *connection, char *text)
{
	(void)unused;
	(void)connection;
	return strlen(text);
}

static enum MHD_Result
listener_add_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_exchange *exchange = context;

	(void)kind;
	http_field_add(exchange, &exchange->headers, name, value ? value : "");
	return MHD_YES;
}

/* Adds a part of the query, decoded; one that is malformed becomes an empty name, which nothing has. */
static enum MHD_Result
listener_add_query(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_exchange *exchange = context;
	const char *decoded_name = http_decode(&exchange->arena, name, strlen(name));
	const char *decoded_value = value ? http_decode(&exchange->arena, value, strlen(value)) : "";

	(void)kind;
	if (!decoded_name || !decoded_value)
		decoded_name = decoded_value = "";
	http_field_add(exchange, &exchange->query, decoded_name, decoded_value);
	return MHD_YES;
}

/* Returns the user at the other end; (uid_t)-1, who is nobody, where the kernel does not say. */
static uid_t
listener_find_peer(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct ucred user = {.uid = (uid_t)-1};
	socklen_t size = sizeof user;

	if (!info || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
		return (uid_t)-1;
	return user.uid;
}

static struct http_exchange *
listener_begin(struct MHD_Connection *connection, const char *method, const char *path)
{
	struct http_exchange *exchange = memory_zeroed(1, sizeof *exchange);

	exchange->method = arena_string(&exchange->arena, method);
	exchange->path = arena_string(&exchange->arena, path);
	exchange->connection = connection;
	MHD_get_connection_values(connection, MHD_HEADER_KIND, listener_add_header, exchange);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, listener_add_query, exchange);
	exchange->uid = listener_find_peer(connection);
	return exchange;
}

/* Hands the answer over, which the exchange owns until its connection has sent it. */
static enum MHD_Result
listener_send(struct MHD_Connection *connection, struct http_exchange *exchange)
{
	const struct http_answer *answer = &exchange->answer;
	struct MHD_Response *response =
	    MHD_create_response_from_buffer(answer->body.length, answer->body.data, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	if (answer->type)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	for (size_t i = 0; i < answer->headers.count; i++)
		MHD_add_response_header(response, answer->headers.list[i].name, answer->headers.list[i].value);
	result = MHD_queue_response(connection, (unsigned)answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* Refuses a body that says beforehand that it is too large, before it is sent. */
static bool
listener_is_too_large(const struct listener *listener, const struct http_exchange *exchange)
{
	const char *length = http_field_find(&exchange->headers, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length && strtoull(length, NULL, 10) > listener->options.body_max;
}

/* Is called when the head of a request has come, for each part of its body, at its end, and once more where it was suspended. */
static enum MHD_Result
listener_handle(void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *part, size_t *part_length, void **state)
{
	struct listener *listener = context;
	struct http_exchange *exchange = *state;

	(void)version;
	if (!exchange) {
		*state = exchange = listener_begin(connection, method, path);
		if (!listener_is_too_large(listener, exchange))
			return MHD_YES;
		exchange->answer.status = MHD_HTTP_CONTENT_TOO_LARGE;
		http_field_add(exchange, &exchange->answer.headers, "Connection", "close");
		return listener_send(connection, exchange);
	}
	if (*part_length > 0) {
		if (*part_length > listener->options.body_max - exchange->body.length)
			return MHD_NO; /* a body of unknown length: it is cut off */
		buffer_append(&exchange->body, part, *part_length);
		*part_length = 0;
		return MHD_YES;
	}
	if (!exchange->answer.status)
		listener->options.arrived(listener->options.context, exchange);
	if (exchange->answer.status)
		return listener_send(connection, exchange);
	exchange->is_waiting = true;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

const char *
http_reason(int status)
{
	return MHD_get_reason_phrase_for((unsigned)status);
}

static void
listener_completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode how)
{
	struct listener *listener = context;
	struct http_exchange *exchange = *state;

	(void)connection;
	(void)how;
	if (!exchange)
		return;
	listener->options.left(listener->options.context, exchange);
	http_exchange_release(exchange);
	free(exchange);
	*state = NULL;
}

int
listener_open(struct listener **out, const struct listener_options *options, struct error *err)
{
	struct listener *listener = memory_zeroed(1, sizeof *listener);
	const union MHD_DaemonInfo *info;

	listener->options = *options;
	listener->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, listener_handle, listener,
	    MHD_OPTION_LISTEN_SOCKET, options->fd,
	    MHD_OPTION_NOTIFY_COMPLETED, listener_completed, listener,
	    MHD_OPTION_UNESCAPE_CALLBACK, listener_leave_encoded, NULL,
	    MHD_OPTION_CONNECTION_LIMIT, options->connections,
	    MHD_OPTION_CONNECTION_TIMEOUT, options->idle_s,
	    MHD_OPTION_END);
	if (!listener->daemon) {
		free(listener);
		return error_set(err, EX_OSERR, "the socket cannot be served");
	}
	info = MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	listener->epoll = info->epoll_fd;
	*out = listener;
	return 0;
}

int
listener_descriptor(const struct listener *listener)
{
	return listener->epoll;
}

int64_t
listener_run(struct listener *listener)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;

	MHD_run(listener->daemon);
	return MHD_get_timeout(listener->daemon, &wait) == MHD_YES ? (int64_t)wait : -1;
}

void
listener_answer(struct http_exchange *exchange)
{
	exchange->is_waiting = false;
	MHD_resume_connection(exchange->connection);
}

void
listener_quiesce(struct listener *listener)
{
	int fd = MHD_quiesce_daemon(listener->daemon);

	if (fd >= 0)
		close(fd);
}

unsigned
listener_connections(const struct listener *listener)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}

void
listener_close(struct listener *listener)
{
	if (!listener)
		return;
	MHD_stop_daemon(listener->daemon);
	free(listener);
}
