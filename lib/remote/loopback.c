/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "http/exchange.h"
#include "http/listener.h"

enum { LOOPBACK_WAIT_MS = 600 * 1000, LOOPBACK_LINE_MAX = 16 << 10, LOOPBACK_CONNECTIONS = 16, LOOPBACK_IDLE_S = 30 };

struct loopback {
	struct listener *listener;
	char *address;
	const char *state;          /* of who is waited for */
	char *code, *refusal;       /* with which they came */
	struct http_exchange *last; /* whose answer says so, until it was sent */
	struct buffer line;         /* of standard input */
	bool is_deaf;               /* standard input has ended */
};

/* Takes what somebody has come back with, unless it is not of this login. Returns whether it is. */
static bool
loopback_take(struct loopback *loopback, const struct http_fields *query)
{
	const char *state = http_field_find(query, "state"), *code = http_field_find(query, "code"),
	           *reason = http_field_find(query, "error_description");

	if (loopback->code || loopback->refusal || !state || strcmp(state, loopback->state) != 0)
		return false;
	if (!reason)
		reason = http_field_find(query, "error");
	if (code)
		loopback->code = memory_string(code);
	else
		loopback->refusal = memory_string(reason ? reason : "it has given no code");
	return true;
}

static void
loopback_arrived(void *context, struct http_exchange *exchange)
{
	struct loopback *loopback = context;
	bool is_taken = strcmp(exchange->path, "/") == 0 && loopback_take(loopback, &exchange->query);

	exchange->answer.status = is_taken ? 200 : 404;
	exchange->answer.type = "text/plain; charset=utf-8";
	http_field_add(exchange, &exchange->answer.headers, "Cache-Control", "no-store");
	http_field_add(exchange, &exchange->answer.headers, "Referrer-Policy", "no-referrer");
	buffer_text(&exchange->answer.body, !is_taken ? "This is no login that waits here.\n"
	    : loopback->code ? "Go back to the terminal; this page can be closed.\n" : "The provider has refused; see the terminal.\n");
	if (is_taken)
		loopback->last = exchange;
}

static void
loopback_left(void *context, struct http_exchange *exchange)
{
	struct loopback *loopback = context;

	if (loopback->last == exchange)
		loopback->last = NULL;
}

int
loopback_open(struct loopback **opened, struct error *err)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof name;
	struct loopback *loopback;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*opened = NULL;
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, length) < 0 || listen(fd, LOOPBACK_CONNECTIONS) < 0 ||
	    getsockname(fd, (struct sockaddr *)&name, &length) < 0) {
		error_errno(err, EX_OSERR, "127.0.0.1");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*opened = loopback = memory_zeroed(1, sizeof *loopback);
	loopback->address = memory_printf("http://127.0.0.1:%u/", (unsigned)ntohs(name.sin_port));
	return listener_open(&loopback->listener, &(struct listener_options){.fd = fd, .connections = LOOPBACK_CONNECTIONS,
	    .idle_s = LOOPBACK_IDLE_S, .arrived = loopback_arrived, .left = loopback_left, .context = loopback}, err);
}

const char *
loopback_address(const struct loopback *loopback)
{
	return loopback->address;
}

void
loopback_show(const char *address)
{
	const char *browser = getenv("BROWSER"), *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	bool is_shown = (display && *display) || (wayland && *wayland);
	char *copy = memory_string(address), *program = memory_string(browser && *browser ? browser : "xdg-open");
	struct process process = {.argv = (char *[]){program, copy, NULL}, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_NULL,
		.session = true};
	struct error ignored; /* the address was printed */

	if ((browser && *browser) || is_shown)
		(void)process_start(&process, &ignored);
	free(program);
	free(copy);
}

/* Takes the query of an address that was pasted. What is malformed is of no login. */
static void
loopback_take_line(struct loopback *loopback, const char *line)
{
	struct http_exchange pasted = {0};
	const char *at = strchr(line, '?');

	while (at && *at && *at != '\n') {
		size_t length = strcspn(++at, "&\n#"), name_length = strcspn(at, "=&\n#");
		const char *name = http_decode(&pasted.arena, at, name_length),
		           *value = name_length < length ? http_decode(&pasted.arena, at + name_length + 1, length - name_length - 1) : NULL;

		if (name && value)
			http_field_add(&pasted, &pasted.query, name, value);
		at += length;
		if (*at == '#')
			break;
	}
	loopback_take(loopback, &pasted.query);
	http_exchange_release(&pasted);
}

/* Reads what there is of standard input. */
static void
loopback_read(struct loopback *loopback)
{
	char bytes[1024];
	ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
	char *end;

	if (got <= 0 || loopback->line.length > LOOPBACK_LINE_MAX) {
		loopback->is_deaf = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN) || got > 0;
		return;
	}
	buffer_append(&loopback->line, bytes, (size_t)got);
	while ((end = memchr(loopback->line.data, '\n', loopback->line.length)) != NULL) {
		loopback_take_line(loopback, buffer_string(&loopback->line));
		buffer_drop(&loopback->line, (size_t)(end - loopback->line.data) + 1);
	}
}

int
loopback_wait(struct loopback *loopback, const char *state, char **code, struct error *err)
{
	int64_t until_ms = clock_monotonic_ms() + LOOPBACK_WAIT_MS, left_ms;

	loopback->state = state;
	*code = NULL;
	while ((left_ms = until_ms - clock_monotonic_ms()) > 0) {
		int64_t wait_ms = listener_run(loopback->listener);
		struct pollfd polled[2] = {{.fd = listener_descriptor(loopback->listener), .events = POLLIN},
			{.fd = loopback->is_deaf ? -1 : STDIN_FILENO, .events = POLLIN}};

		if ((loopback->code || loopback->refusal) && !loopback->last)
			break;
		if (poll(polled, 2, (int)(wait_ms >= 0 && wait_ms < left_ms ? wait_ms : left_ms)) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
		if (polled[1].revents)
			loopback_read(loopback);
	}
	if (!loopback->code)
		return error_set(err, EX_NOPERM, loopback->refusal ? "the provider: %s" : "nobody has logged in at the provider", loopback->refusal);
	*code = memory_string(loopback->code);
	return 0;
}

void
loopback_release(struct loopback *loopback)
{
	if (!loopback)
		return;
	if (loopback->listener)
		listener_close(loopback->listener);
	buffer_release(&loopback->line);
	free(loopback->address);
	free(loopback->code);
	free(loopback->refusal);
	free(loopback);
}
