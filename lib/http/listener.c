/* SPDX-License-Identifier: Apache-2.0 */
#include "http/listener.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "base/error.h"
#include "http/caller.h"
#include "http/certificate-use.h"
#include "http/client-certificate.h"
#include "http/exchange.h"
#include "http/head.h"

enum {
	LISTENER_EVENTS = 64,
	LISTENER_PART = 32 << 10,
	LISTENER_MEMORY = 16 << 10, /* of a connection, for its head and what is read at a time; a silent one keeps it */
	LISTENER_HELD = 256 << 20,  /* of all bodies that are held */
	LISTENER_TURN_MS = 2,
	LISTENER_LATE = 16, /* so many of those who wait for a turn have it at a time */
};

/* An exchange that waits is no concern of the library's, which then does not see that the other end has gone; nor does it where the end of
 * what is sent comes together with the last bytes: so we wait for that. */
struct listener {
	struct MHD_Daemon *daemon;
	struct listener_options options;
	int epoll; /* of the library's, and the ends of connections */
	struct callers callers;
	size_t exchanges;
	size_t held;      /* bytes of bodies that came, of exchanges that are there */
	int64_t turn_ms;  /* when the turn ends in which who has asked before is served */
};

static struct caller *
listener_caller(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Has the kernel tell, also once more, that the other end of a connection sends nothing more. */
static void
listener_watch(struct listener *listener, struct caller *caller, int how)
{
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.ptr = caller};

	epoll_ctl(listener->epoll, how, caller->fd, &event);
}

static void
listener_suspend(struct http_exchange *exchange)
{
	if (exchange->is_waiting)
		return;
	exchange->is_waiting = true;
	listener_watch(exchange->listener, listener_caller(exchange->connection), EPOLL_CTL_MOD);
	MHD_suspend_connection(exchange->connection);
}

static void
listener_resume(struct http_exchange *exchange)
{
	if (!exchange->is_waiting)
		return;
	exchange->is_waiting = false;
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

bool
listener_still_believes(const struct http_exchange *exchange)
{
	struct http_exchange now = {.connection = exchange->connection};
	const struct listener *listener = exchange->listener;
	bool does;

	if (!exchange->certificate_name)
		return true;
	head_find_certificate(&now, listener->options.clients);
	does = now.certificate_name != NULL;
	http_exchange_release(&now);
	return does;
}

/* Begins an exchange, of which only the head has come. */
static struct http_exchange *
listener_begin(struct listener *listener, struct MHD_Connection *connection, const char *method, const char *path)
{
	struct http_exchange *exchange = memory_zeroed(1, sizeof *exchange);
	struct caller *caller = listener_caller(connection);

	exchange->connection = connection;
	exchange->listener = listener;
	exchange->is_encrypted = listener->options.certificate;
	head_read(exchange, method, path, caller->fd, listener->options.clients);
	caller->exchange = exchange;
	caller_expect_nothing(caller);
	listener->exchanges++;
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

/* What every answer says unless it says otherwise: only who has asked keeps it, and asks again whether it is still so; a browser takes
 * it for nothing but its type, runs and shows nothing of it, and tells no other site where it was. */
static const struct http_field listener_guards[] = {
	{"Cache-Control", "private, no-cache"},
	{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
};

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
	for (size_t i = 0; i < sizeof listener_guards / sizeof *listener_guards; i++)
		if (!http_field_find(&answer->headers, listener_guards[i].name))
			MHD_add_response_header(response, listener_guards[i].name, listener_guards[i].value);
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
	bool malformed = head_is_malformed(exchange, version);

	if (malformed)
		answer->status = MHD_HTTP_BAD_REQUEST;
	else if (listener->options.begun)
		listener->options.begun(listener->options.context, exchange);
	if (!answer->status && !exchange->takes_parts && listener_is_larger(listener, exchange))
		answer->status = MHD_HTTP_CONTENT_TOO_LARGE;
	exchange->is_begun = true;
	if (!exchange->takes_parts)
		caller_expect(&listener->callers, listener_caller(exchange->connection));
	if (!answer->status || (!malformed && listener_sends(listener, exchange)))
		return MHD_YES;
	caller_expect_nothing(listener_caller(exchange->connection));
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
	if (length > listener->options.body_max - exchange->body.length ||
	    (listener->held > LISTENER_HELD && exchange->body.length > LISTENER_PART))
		return MHD_NO; /* a body of unknown length, or a large one too many: it is cut off */
	buffer_append(&exchange->body, part, length);
	listener->held += length;
	return MHD_YES;
}

/* Has who has asked before wait for a turn, where this one has taken long: so who asks for the first time, or a command that ends, is not
 * behind all that many others have sent at once. */
static bool
listener_is_late(struct listener *listener, struct http_exchange *exchange)
{
	struct caller *caller = listener_caller(exchange->connection);

	if (!caller->has_asked || clock_monotonic_ms() < listener->turn_ms)
		return false;
	callers_add_late(&listener->callers, caller);
	listener_suspend(exchange);
	return true;
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
		if (listener_is_late(listener, exchange))
			return MHD_YES;
	}
	if (exchange->has_gone)
		return MHD_NO;
	if (!exchange->is_begun)
		return listener_look(listener, exchange, version);
	if (*part_length > 0) {
		size_t length = *part_length;

		*part_length = 0;
		return listener_take(listener, exchange, part, length);
	}
	caller_expect_nothing(listener_caller(connection));
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
	struct caller *caller = listener_caller(connection);

	(void)how;
	if (!exchange)
		return;
	caller->exchange = NULL;
	caller->has_asked = true;
	caller_expect(&listener->callers, caller);
	if (!exchange->has_gone)
		listener->options.left(listener->options.context, exchange);
	listener->exchanges--;
	listener->held -= exchange->body.length;
	http_exchange_release(exchange);
	free(exchange);
	*state = NULL;
}

/* Is called for each connection, when it begins and when it has ended. */
static void
listener_notice(void *context, struct MHD_Connection *connection, void **socket_context, enum MHD_ConnectionNotificationCode what)
{
	struct listener *listener = context;
	struct caller *caller = *socket_context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = caller = memory_zeroed(1, sizeof *caller);
		caller->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		listener_watch(listener, caller, EPOLL_CTL_ADD);
		caller_expect(&listener->callers, caller);
	} else {
		/* What was just started may hold the descriptor a moment longer, and with it the kernel the caller. */
		epoll_ctl(listener->epoll, EPOLL_CTL_DEL, caller->fd, NULL);
		caller_expect_nothing(caller);
		free(caller);
	}
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
	    MHD_OPTION_NOTIFY_CONNECTION, listener_notice, listener,
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
		struct caller *caller = events[i].data.ptr;
		struct http_exchange *exchange = caller ? caller->exchange : NULL;

		if (caller)
			caller_finish(&listener->callers, caller);
		/* Who waits for a turn only is answered soon. */
		if (!exchange || !exchange->is_waiting || exchange->has_gone || caller->is_late)
			continue;
		exchange->has_gone = true;
		listener->options.left(listener->options.context, exchange);
		listener_resume(exchange);
	}
}

/* Gives those who have waited longest for a turn theirs. */
static void
listener_take_late(struct listener *listener, unsigned count)
{
	struct caller *caller;

	while (count-- > 0 && (caller = callers_take_late(&listener->callers)))
		listener_resume(caller->exchange);
}

int64_t
listener_run(struct listener *listener)
{
	MHD_UNSIGNED_LONG_LONG wait = 0;
	int64_t slow;

	listener_find_gone(listener);
	listener_take_late(listener, LISTENER_LATE);
	listener->turn_ms = clock_monotonic_ms() + LISTENER_TURN_MS;
	MHD_run(listener->daemon);
	slow = callers_end_slow(&listener->callers);
	if (listener->callers.first_late)
		return 0;
	return MHD_get_timeout(listener->daemon, &wait) == MHD_YES && (slow < 0 || (int64_t)wait < slow) ? (int64_t)wait : slow;
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
		shutdown(listener_caller(exchange->connection)->fd, SHUT_RDWR);
	listener_resume(exchange);
}

void
listener_watch_no_more(struct http_exchange *exchange)
{
	struct listener *listener = exchange->listener;

	epoll_ctl(listener->epoll, EPOLL_CTL_DEL, listener_caller(exchange->connection)->fd, NULL);
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
	listener_take_late(listener, UINT_MAX);
	MHD_stop_daemon(listener->daemon);
	close(listener->epoll);
	free(listener);
}
