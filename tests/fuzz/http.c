/* SPDX-License-Identifier: Apache-2.0
 *
 * The way of a request to its command: the listener, routes, who asks, and the call. The bytes come by a socket, as those of any client,
 * who then ends what it sends, and leaves. Some requests are answered later, and uploads make their sender wait. Nothing of a request
 * becomes an option that is not for requests, and what is answered begins as an answer.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "admin/command-table.h"
#include "base/memory.h"
#include "base/process.h"
#include "fuzz.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "json/place.h"
#include "store/store.h"
#include "web/answer.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/page.h"
#include "web/problem.h"
#include "web/route.h"

enum { TURNS = 64, QUIET = 3 };

static struct listener *listener;
static struct store *store;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct http_exchange *later, *paused; /* that wait to be answered, to be read on; or NULL */

/* Returns whether the route has the option itself, perhaps with a variable of its path as the value. */
static bool
is_fixed(const struct route *route, const char *word, const char *name)
{
	char *variable = memory_printf("%s={", name);
	bool is = route->fixed && (strstr(route->fixed, word) || strstr(route->fixed, variable));

	free(variable);
	return is;
}

/* Checks an option of a command: it is one that requests have, or the server's own. */
static void
check_option(const struct route *route, const char *word)
{
	char *name = memory_substring(word, strcspn(word, "="));
	const struct command_table *table = call_table(route);
	const struct command_option *option = command_table_option(table, name);

	fuzz_promise(strncmp(word, "--", 2) == 0, "before the operands there are options in full");
	fuzz_promise(option, "a command is given options that it has");
	fuzz_promise(call_takes(route, table, option) || strcmp(word, "--output=json") == 0 || is_fixed(route, word, name),
	    "a request has no option that is the server's");
	fuzz_promise(!option->kind || strcmp(option->kind, "FILE") != 0 || strcmp(word + strlen(name), "=-") == 0 || !word[strlen(name)],
	    "a request names no file");
	free(name);
}

/* Checks an option of a program that does a request as a whole: it has what the query says, and nothing else. */
static void
check_whole(const char *word)
{
	fuzz_promise(strncmp(word, "--query=", 8) == 0 || strcmp(word, "--stream") == 0, "a request is given as a whole");
}

static void
check_call(const struct route *route, const struct call *call)
{
	size_t i = 1 + (strchr(route->command, ' ') != NULL);

	for (; i < call->argv.count && strcmp(call->argv.list[i], "--") != 0; i++)
		if (route->answer == ROUTE_WHOLE)
			check_whole(call->argv.list[i]);
		else
			check_option(route, call->argv.list[i]);
	fuzz_promise(i < call->argv.count || !route->operands, "operands are behind the end of the options");
}

/* Makes the call of a request, which is not run. */
static void
answer_by_call(const struct route_match *match, struct http_exchange *exchange)
{
	struct problems problems = {0};
	struct call call = {0};

	if (call_make(&call, match, exchange, &problems) == 0)
		check_call(match->route, &call);
	if (problems.total)
		problem_answer_all(exchange, &problems);
	else
		exchange->answer.status = 204;
	problems_release(&problems);
	call_release(&call);
}

static void
answer(struct http_exchange *exchange)
{
	struct route_match match = {0};
	struct asker asker = {0};
	const char *allow;
	int status = route_find(route_table(exchange->path), exchange->method, exchange->path, &exchange->arena, &match, &allow);

	if (status)
		problem_answer(exchange, status, NULL);
	else if (match.route->answer == ROUTE_OWN)
		answer_own(match.route, exchange, true);
	else if (match.route->answer == ROUTE_FILE)
		page_answer(&match, exchange);
	else if (asker_find(&asker, store, exchange) && match.route->command)
		answer_by_call(&match, exchange);
	else if (!exchange->answer.status)
		exchange->answer.status = 204;
	asker_release(&asker);
}

static void
begun(void *context, struct http_exchange *exchange)
{
	struct route_match match = {0};
	const char *allow;

	(void)context;
	exchange->takes_parts = route_find(route_table(exchange->path), exchange->method, exchange->path, &exchange->arena, &match, &allow) == 0 &&
	    match.route->body == ROUTE_UPLOAD;
}

static bool
part(void *context, struct http_exchange *exchange, const char *bytes, size_t length)
{
	(void)context;
	fuzz_promise(length > 0 && exchange->body.length == 0, "an upload is not held");
	if (paused || bytes[0] % 2 == 0)
		return true;
	paused = exchange;
	return false;
}

static void
arrived(void *context, struct http_exchange *exchange)
{
	(void)context;
	if (!later && strlen(exchange->path) % 2)
		later = exchange;
	else
		answer(exchange);
}

static void
left(void *context, struct http_exchange *exchange)
{
	(void)context;
	later = later == exchange ? NULL : later;
	paused = paused == exchange ? NULL : paused;
}

static char folder[] = "/tmp/coopr-fuzz.XXXXXX";

static void
remove_folder(void)
{
	struct error ignored;

	file_remove_tree(AT_FDCWD, folder, &ignored);
}

static void
make_store(void)
{
	char *program = memory_string("bin/coopr-store"), *init = memory_string("init"), *argv[] = {program, init, NULL};
	struct error err;

	if (!mkdtemp(folder) || setenv("COOPR_STATE", folder, 1) < 0 || process_run(argv, "", 0, NULL, NULL, 0, &err) != 0 ||
	    store_open(&store, NULL, STORE_READ, NULL, &err) < 0)
		abort();
	atexit(remove_folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
	free(program);
	free(init);
}

static void
make_listener(void)
{
	struct listener_options options = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), .body_max = 4096,
	    .connections = 64, .idle_s = 60, .begun = begun, .part = part, .arrived = arrived, .left = left};
	struct error err;

	if (bind(options.fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(options.fd, 64) < 0 ||
	    listener_open(&listener, &options, &err) < 0)
		abort();
}

/* Does what there is to do, and appends what is answered. Returns whether there was any. */
static bool
turn(int fd, struct buffer *said)
{
	struct http_exchange *waits = paused ? paused : later;
	ssize_t got;

	listener_run(listener);
	if (waits && waits == paused) {
		paused = NULL;
		listener_answer(waits);
	} else if (waits && waits == later) {
		later = NULL;
		answer(waits);
		listener_answer(waits);
	}
	while ((got = recv(fd, buffer_room(said, 65536), 65536, MSG_DONTWAIT)) > 0)
		said->length += (size_t)got;
	return waits || got > 0;
}

static void
turn_until_quiet(int fd, struct buffer *said)
{
	for (int i = 0, quiet = 0; i < TURNS && quiet < QUIET; i++)
		quiet = turn(fd, said) ? 0 : quiet + 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer said = {0};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!store) {
		make_store();
		make_listener();
	}
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 || send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		abort();
	turn_until_quiet(fd, &said);
	shutdown(fd, SHUT_WR);
	turn_until_quiet(fd, &said);
	fuzz_promise(said.length == 0 || strncmp(buffer_string(&said), "HTTP/1.", 7) == 0, "an answer begins as one");
	close(fd);
	for (int i = 0; i < TURNS && listener_exchanges(listener) > 0; i++)
		listener_run(listener);
	fuzz_promise(listener_exchanges(listener) == 0 && !later && !paused, "whose sender has left is forgotten");
	buffer_release(&said);
	return 0;
}
