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
#include "http/listener-answer.h"

enum {
	LISTENER_EVENTS = 64,
	LISTENER_PART = 32 << 10, /* of a body, which is held in any case */
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
	struct callers callers; /* whose epoll is of the library, too */
	size_t exchanges;
	size_t held;      /* bytes of bodies that came, of exchanges that are there */
	int64_t turn_ms;  /* when the turn ends in which who has asked before is served */
};

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
	struct caller *caller;

	exchange->connection = connection;
	caller = caller_of(exchange);
	exchange->listener = listener;
	exchange->is_encrypted = listener->options.certificate;
	head_read(exchange, method, path, caller->fd, listener->options.clients);
	caller->exchange = exchange;
	caller_expect_nothing(caller);
	listener->exchanges++;
	return exchange;
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

static void
listener_refuse(struct listener *listener, struct http_exchange *exchange, int status)
{
	exchange->answer.status = status;
	if (listener->options.refused)
		listener->options.refused(listener->options.context, exchange, status);
}

/* Looks at a request of which only the head has come. One that is answered by that is the last of its connection: the rest of it, and
 * whatever comes behind, is not read. */
static enum MHD_Result
listener_look(struct listener *listener, struct http_exchange *exchange, const char *version)
{
	struct http_answer *answer = &exchange->answer;
	bool malformed = head_is_malformed(exchange, version);

	if (malformed)
		listener_refuse(listener, exchange, MHD_HTTP_BAD_REQUEST);
	else if (listener->options.begun)
		listener->options.begun(listener->options.context, exchange);
	if (!answer->status && !exchange->takes_parts && listener_is_larger(listener, exchange))
		listener_refuse(listener, exchange, MHD_HTTP_CONTENT_TOO_LARGE);
	exchange->is_begun = true;
	if (!exchange->takes_parts)
		caller_expect(caller_of(exchange));
	if (!answer->status || (!malformed && listener_sends(listener, exchange)))
		return MHD_YES;
	caller_expect_nothing(caller_of(exchange));
	http_field_add(exchange, &answer->headers, "Connection", "close");
	return listener_send(exchange);
}

/* Forgets a body. */
static void
listener_drop_body(struct listener *listener, struct http_exchange *exchange)
{
	listener->held -= exchange->body.length;
	buffer_release(&exchange->body);
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
			caller_suspend(exchange);
		return MHD_YES;
	}
	if (length > listener->options.body_max - exchange->body.length) { /* a body of unknown length */
		listener_drop_body(listener, exchange);
		listener_refuse(listener, exchange, MHD_HTTP_CONTENT_TOO_LARGE);
		return MHD_YES;
	}
	if (listener->held > LISTENER_HELD && exchange->body.length > LISTENER_PART)
		return MHD_NO; /* a large one too many: it is cut off */
	buffer_append(&exchange->body, part, length);
	listener->held += length;
	return MHD_YES;
}

/* Has who has asked before wait for a turn, where this one has taken long: so who asks for the first time, or a command that ends, is not
 * behind all that many others have sent at once. */
static bool
listener_is_late(struct listener *listener, struct http_exchange *exchange)
{
	struct caller *caller = caller_of(exchange);

	if (!caller->has_asked || clock_monotonic_ms() < listener->turn_ms)
		return false;
	caller_wait_late(caller);
	caller_suspend(exchange);
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
	caller_expect_nothing(caller_of(exchange));
	if (!exchange->answer.status)
		listener->options.arrived(listener->options.context, exchange);
	if (exchange->answer.status)
		return listener_send(exchange);
	caller_suspend(exchange);
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
	struct caller *caller;

	(void)connection;
	(void)how;
	if (!exchange)
		return;
	caller = caller_of(exchange);
	caller->exchange = NULL;
	caller->has_asked = true;
	caller_expect(caller);
	if (!exchange->has_gone)
		listener->options.left(listener->options.context, exchange);
	listener->exchanges--;
	listener_drop_body(listener, exchange);
	listener->callers.answering -= exchange->in_memory;
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
		caller->callers = &listener->callers;
		caller->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		caller_watch(caller, EPOLL_CTL_ADD);
		caller_expect(caller);
	} else {
		/* What was just started may hold the descriptor a moment longer, and with it the kernel the caller. */
		epoll_ctl(listener->callers.epoll, EPOLL_CTL_DEL, caller->fd, NULL);
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
	listener->callers.options = &listener->options;
	listener->callers.epoll = epoll_create1(EPOLL_CLOEXEC);
	listener->daemon = listener->callers.epoll < 0 ? NULL : listener_start(listener);
	if (!listener->daemon) {
		if (listener->callers.epoll >= 0)
			close(listener->callers.epoll);
		free(listener);
		return error_set(err, EX_OSERR, "the socket cannot be served");
	}
	epoll_ctl(listener->callers.epoll, EPOLL_CTL_ADD, MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, &event);
	*out = listener;
	return 0;
}

int
listener_descriptor(const struct listener *listener)
{
	return listener->callers.epoll;
}

/* Tells of exchanges that wait and whose other end has gone, and has the library end their connections. */
static void
listener_find_gone(struct listener *listener)
{
	struct epoll_event events[LISTENER_EVENTS];
	int count = epoll_wait(listener->callers.epoll, events, LISTENER_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		struct caller *caller = events[i].data.ptr;
		struct http_exchange *exchange = caller ? caller->exchange : NULL;

		if (caller)
			caller_finish(caller);
		/* Who waits for a turn only is answered soon. */
		if (!exchange || !exchange->is_waiting || exchange->has_gone || caller->is_late)
			continue;
		exchange->has_gone = true;
		listener->options.left(listener->options.context, exchange);
		caller_resume(exchange);
	}
}

/* Gives those who have waited longest for a turn theirs. */
static void
listener_take_late(struct listener *listener, unsigned count)
{
	struct caller *caller;

	while (count-- > 0 && (caller = callers_take_late(&listener->callers)))
		caller_resume(caller->exchange);
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
listener_watch_no_more(struct http_exchange *exchange)
{
	struct listener *listener = exchange->listener;

	epoll_ctl(listener->callers.epoll, EPOLL_CTL_DEL, caller_of(exchange)->fd, NULL);
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
	close(listener->callers.epoll);
	free(listener);
}
