/* SPDX-License-Identifier: Apache-2.0 */
#include "http/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/error.h"
#include "http/certificate-use.h"
#include "http/client-certificate.h"
#include "http/exchange.h"

enum {
	LISTENER_EVENTS = 64,
	LISTENER_PART = 32 << 10,
	LISTENER_MEMORY = 16 << 10, /* of a connection, for its head and what is read at a time; a silent one keeps it */
};

/* An exchange that waits is no concern of the library's, which then does not see that the other end has gone: so we wait for that. */
struct listener {
	struct MHD_Daemon *daemon;
	struct listener_options options;
	int epoll; /* of the library's, and the connections of exchanges that wait */
	size_t exchanges;
};

static int
listener_find_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static void
listener_suspend(struct http_exchange *exchange)
{
	struct listener *listener = exchange->listener;
	struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = exchange};

	if (exchange->is_waiting)
		return;
	exchange->is_waiting = true;
	epoll_ctl(listener->epoll, EPOLL_CTL_ADD, listener_find_fd(exchange->connection), &event);
	MHD_suspend_connection(exchange->connection);
}

static void
listener_resume(struct http_exchange *exchange)
{
	struct listener *listener = exchange->listener;

	if (!exchange->is_waiting)
		return;
	exchange->is_waiting = false;
	epoll_ctl(listener->epoll, EPOLL_CTL_DEL, listener_find_fd(exchange->connection), NULL);
	MHD_resume_connection(exchange->connection);
}

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
listener_find_peer(int fd)
{
	struct ucred user = {.uid = (uid_t)-1};
	socklen_t size = sizeof user;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
		return (uid_t)-1;
	return user.uid;
}

/* Fills in who is at the other end. */
static void
listener_find_asker(struct http_exchange *exchange)
{
	int fd = listener_find_fd(exchange->connection);
	struct sockaddr_storage peer = {0};
	socklen_t size = sizeof peer;
	char address[INET6_ADDRSTRLEN] = "";

	exchange->uid = (uid_t)-1;
	if (fd < 0 || getpeername(fd, (struct sockaddr *)&peer, &size) < 0)
		return;
	if (peer.ss_family == AF_UNIX)
		exchange->uid = listener_find_peer(fd);
	else if (getnameinfo((struct sockaddr *)&peer, size, address, sizeof address, NULL, 0, NI_NUMERICHOST) == 0)
		exchange->address = arena_string(&exchange->arena, address);
}

/* Fills in whose certificate the client has shown. */
static void
listener_find_certificate(struct listener *listener, struct http_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = listener->options.clients
	    ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) : NULL;

	if (info)
		client_certificate_look(listener->options.clients, info->tls_session, exchange);
}

bool
listener_still_believes(const struct http_exchange *exchange)
{
	struct http_exchange now = {.connection = exchange->connection};
	bool does;

	if (!exchange->certificate_name)
		return true;
	listener_find_certificate(exchange->listener, &now);
	does = now.certificate_name != NULL;
	http_exchange_release(&now);
	return does;
}

static struct http_exchange *
listener_begin(struct listener *listener, struct MHD_Connection *connection, const char *method, const char *path)
{
	struct http_exchange *exchange = memory_zeroed(1, sizeof *exchange);

	exchange->method = arena_string(&exchange->arena, method);
	exchange->path = arena_string(&exchange->arena, path);
	exchange->connection = connection;
	exchange->listener = listener;
	exchange->is_encrypted = listener->options.certificate;
	listener->exchanges++;
	MHD_get_connection_values(connection, MHD_HEADER_KIND, listener_add_header, exchange);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, listener_add_query, exchange);
	listener_find_asker(exchange);
	listener_find_certificate(listener, exchange);
	return exchange;
}

/* Gives the library the next part of an answer that streams; suspends the connection where there is none. */
static ssize_t
listener_read(void *context, uint64_t position, char *part, size_t size)
{
	struct http_exchange *exchange = context;
	struct http_answer *answer = &exchange->answer;
	struct listener *listener = exchange->listener;
	size_t length = answer->body.length - answer->sent;

	(void)position;
	if (exchange->has_gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (length == 0 && answer->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (length == 0) {
		listener_suspend(exchange);
		return 0;
	}
	if (length > size)
		length = size;
	memcpy(part, answer->body.data + answer->sent, length);
	answer->sent += length;
	if (answer->sent == answer->body.length) {
		buffer_clear(&answer->body);
		answer->sent = 0;
		if (!answer->ended && listener->options.drained)
			listener->options.drained(listener->options.context, exchange);
	}
	return (ssize_t)length;
}

/* Returns the body of an answer, which the exchange owns until its connection has sent it; a file is closed then. */
static struct MHD_Response *
listener_response(struct http_exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	struct MHD_Response *response;

	if (answer->streams)
		return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, LISTENER_PART, listener_read, exchange, NULL);
	if (!answer->is_file)
		return MHD_create_response_from_buffer(answer->body.length, answer->body.data, MHD_RESPMEM_PERSISTENT);
	response = MHD_create_response_from_fd_at_offset64(answer->length, answer->fd, answer->from);
	if (response)
		answer->fd = -1;
	return response;
}

/* Hands the answer over. */
static enum MHD_Result
listener_send(struct MHD_Connection *connection, struct http_exchange *exchange)
{
	const struct http_answer *answer = &exchange->answer;
	struct MHD_Response *response = listener_response(exchange);
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

/* Returns whether a body says beforehand that it is larger than what is held. */
static bool
listener_is_larger(const struct listener *listener, const struct http_exchange *exchange)
{
	const char *length = http_field_find(&exchange->headers, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length && strtoull(length, NULL, 10) > listener->options.body_max;
}

/* Returns how many headers have that name. */
static size_t
listener_count(const struct http_fields *headers, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < headers->count; i++)
		count += strcasecmp(headers->list[i].name, name) == 0;
	return count;
}

/* Returns whether what stands in front of us could read the head in another way than we do, and so the end of the request elsewhere:
 * RFC 9112, sections 3.2, 5.1 and 6.3. The library is more tolerant. */
static bool
listener_is_malformed(const struct http_exchange *exchange, const char *version)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const struct http_fields *headers = &exchange->headers;
	size_t hosts = listener_count(headers, MHD_HTTP_HEADER_HOST), lengths = listener_count(headers, MHD_HTTP_HEADER_CONTENT_LENGTH);

	for (size_t i = 0; i < headers->count; i++)
		if (!*headers->list[i].name || headers->list[i].name[strspn(headers->list[i].name, token)])
			return true;
	return hosts > 1 || (hosts == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0) || lengths > 1 ||
	    (lengths > 0 && listener_count(headers, MHD_HTTP_HEADER_TRANSFER_ENCODING) > 0);
}

/* Returns whether the other end may not see an answer before it has sent the body: while it sends, and does not expect to be told to,
 * a connection that is closed is an error to it. Then the body is dropped, unless that is long. */
static bool
listener_sends(const struct listener *listener, const struct http_exchange *exchange)
{
	return !http_field_find(&exchange->headers, MHD_HTTP_HEADER_EXPECT) && !listener_is_larger(listener, exchange);
}

/* Looks at a request of which only the head has come. One that is answered by that is the last of its connection: the rest of it, and
 * whatever comes behind, is not read. */
static enum MHD_Result
listener_look(struct listener *listener, struct http_exchange *exchange, const char *version)
{
	struct http_answer *answer = &exchange->answer;
	bool malformed = listener_is_malformed(exchange, version);

	if (malformed)
		answer->status = MHD_HTTP_BAD_REQUEST;
	else if (listener->options.begun)
		listener->options.begun(listener->options.context, exchange);
	if (!answer->status && !exchange->takes_parts && listener_is_larger(listener, exchange))
		answer->status = MHD_HTTP_CONTENT_TOO_LARGE;
	if (!answer->status || (!malformed && listener_sends(listener, exchange)))
		return MHD_YES;
	http_field_add(exchange, &answer->headers, "Connection", "close");
	return listener_send(exchange->connection, exchange);
}

/* Takes a part of a body. What comes behind an answer is dropped: the library sends that at the end of the body only. Who was refused at the
 * head is not listened to for ever. */
static enum MHD_Result
listener_take(struct listener *listener, struct http_exchange *exchange, const char *part, size_t length)
{
	if (exchange->answer.status) {
		exchange->dropped += length;
		return exchange->takes_parts || exchange->dropped <= listener->options.body_max ? MHD_YES : MHD_NO;
	}
	if (exchange->takes_parts) {
		if (!listener->options.part(listener->options.context, exchange, part, length))
			listener_suspend(exchange);
		return MHD_YES;
	}
	if (length > listener->options.body_max - exchange->body.length)
		return MHD_NO; /* a body of unknown length: it is cut off */
	buffer_append(&exchange->body, part, length);
	return MHD_YES;
}

/* Is called when the head of a request has come, for each part of its body, at its end, and once more where it was suspended. */
static enum MHD_Result
listener_handle(void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *part, size_t *part_length, void **state)
{
	struct listener *listener = context;
	struct http_exchange *exchange = *state;

	if (!exchange) {
		*state = exchange = listener_begin(listener, connection, method, path);
		return listener_look(listener, exchange, version);
	}
	if (exchange->has_gone)
		return MHD_NO;
	if (*part_length > 0) {
		size_t length = *part_length;

		*part_length = 0;
		return listener_take(listener, exchange, part, length);
	}
	if (!exchange->answer.status)
		listener->options.arrived(listener->options.context, exchange);
	if (exchange->answer.status)
		return listener_send(connection, exchange);
	listener_suspend(exchange);
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
	if (!exchange->has_gone)
		listener->options.left(listener->options.context, exchange);
	listener->exchanges--;
	http_exchange_release(exchange);
	free(exchange);
	*state = NULL;
}

/* Starts the library on the socket. */
static struct MHD_Daemon *
listener_start(struct listener *listener)
{
	const struct listener_options *options = &listener->options;
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (options->certificate ? MHD_USE_TLS : 0);

	return MHD_start_daemon(flags, 0, NULL, NULL, listener_handle, listener,
	    MHD_OPTION_LISTEN_SOCKET, options->fd,
	    MHD_OPTION_NOTIFY_COMPLETED, listener_completed, listener,
	    MHD_OPTION_UNESCAPE_CALLBACK, listener_leave_encoded, NULL,
	    MHD_OPTION_CONNECTION_LIMIT, options->connections,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LISTENER_MEMORY,
	    MHD_OPTION_CONNECTION_TIMEOUT, options->idle_s,
	    options->certificate ? MHD_OPTION_HTTPS_CERT_CALLBACK2 : MHD_OPTION_END, certificate_show,
	    MHD_OPTION_HTTPS_PRIORITIES, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2",
	    /* With that the library asks for a certificate, and names the authorities to the client; who is believed, we say. */
	    options->clients ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, options->clients ? client_authority_text(options->clients) : NULL,
	    MHD_OPTION_END);
}

int
listener_open(struct listener **out, const struct listener_options *options, struct error *err)
{
	struct listener *listener = memory_zeroed(1, sizeof *listener);
	struct epoll_event event = {.events = EPOLLIN};

	listener->options = *options;
	listener->epoll = epoll_create1(EPOLL_CLOEXEC);
	listener->daemon = listener->epoll < 0 ? NULL : listener_start(listener);
	if (!listener->daemon) {
		if (listener->epoll >= 0)
			close(listener->epoll);
		free(listener);
		return error_set(err, EX_OSERR, "the socket cannot be served");
	}
	epoll_ctl(listener->epoll, EPOLL_CTL_ADD, MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, &event);
	*out = listener;
	return 0;
}

int
listener_descriptor(const struct listener *listener)
{
	return listener->epoll;
}

/* Tells of exchanges that wait and whose other end has gone, and has the library end their connections. */
static void
listener_find_gone(struct listener *listener)
{
	struct epoll_event events[LISTENER_EVENTS];
	int count = epoll_wait(listener->epoll, events, LISTENER_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		struct http_exchange *exchange = events[i].data.ptr;

		if (!exchange)
			continue;
		exchange->has_gone = true;
		listener->options.left(listener->options.context, exchange);
		listener_resume(exchange);
	}
}

int64_t
listener_run(struct listener *listener)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;

	listener_find_gone(listener);
	MHD_run(listener->daemon);
	return MHD_get_timeout(listener->daemon, &wait) == MHD_YES ? (int64_t)wait : -1;
}

void
listener_answer(struct http_exchange *exchange)
{
	listener_resume(exchange);
}

size_t
listener_stream(struct http_exchange *exchange, const void *bytes, size_t length)
{
	struct http_answer *answer = &exchange->answer;

	if (answer->sent > answer->body.length / 2) {
		buffer_drop(&answer->body, answer->sent);
		answer->sent = 0;
	}
	buffer_append(&answer->body, bytes, length);
	listener_resume(exchange);
	return answer->body.length - answer->sent;
}

void
listener_end(struct http_exchange *exchange)
{
	exchange->answer.ended = true;
	listener_resume(exchange);
}

void
listener_cut(struct http_exchange *exchange)
{
	exchange->has_gone = true;
	if (!exchange->is_waiting)
		shutdown(listener_find_fd(exchange->connection), SHUT_RDWR);
	listener_resume(exchange);
}

void
listener_watch_no_more(struct http_exchange *exchange)
{
	struct listener *listener = exchange->listener;

	epoll_ctl(listener->epoll, EPOLL_CTL_DEL, listener_find_fd(exchange->connection), NULL);
}

void
listener_quiesce(struct listener *listener)
{
	int fd = MHD_quiesce_daemon(listener->daemon);

	if (fd >= 0)
		close(fd);
}

size_t
listener_exchanges(const struct listener *listener)
{
	return listener->exchanges;
}

void
listener_close(struct listener *listener)
{
	if (!listener)
		return;
	MHD_stop_daemon(listener->daemon);
	close(listener->epoll);
	free(listener);
}
