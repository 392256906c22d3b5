/* SPDX-License-Identifier: Apache-2.0 */
#include "web/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "event/pty.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "http/listener.h"
#include "json/place.h"
#include "login/grant.h"
#include "remote/frame.h"
#include "web/asker.h"
#include "web/call.h"
#include "web/problem.h"
#include "web/route.h"
#include "web/run-call.h"

enum {
	RUNS_MAX = 64,
	RUNS_OF_USER = 16,
	RUN_KEPT = 1 << 20, /* bytes that the caller has not taken: then the command waits */
	RUN_INPUT_KEPT = 1 << 20, /* bytes that the command has not read: then it is sent no more */
	RUN_NAME_BYTES = 16,
	RUN_SIGN_MS = 15 * 1000,
	RUN_LOOK_MS = 1000,
};

struct run {
	struct child child;
	struct run_call call;
	struct http_exchange *exchange; /* NULL: nobody waits for its answer any more */
	char name[2 * RUN_NAME_BYTES + 1];
	struct grant grant;
	bool hides; /* what is typed is not shown there */
	bool is_text; /* the answer is what it prints, and nothing else */
	struct run *next;
};

struct runs {
	struct supervisor *supervisor;
	struct store *store;
	struct run *first;
	size_t count;
	bool terminals; /* browsers may log in to nodes */
	uint64_t started; /* so many, for the names of folders */
	char *folder;     /* where those are; NULL: there is none */
	int64_t sign_ms, look_ms;
};

/* Removes the folders of runs whose server is dead: run-PID-N. */
static void
runs_sweep(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	struct error ignored; /* it is tried again by the next server */

	while (stream && (entry = readdir(stream))) {
		long pid = strncmp(entry->d_name, "run-", 4) == 0 ? strtol(entry->d_name + 4, NULL, 10) : 0;

		if (pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			file_remove_tree(dirfd(stream), entry->d_name, &ignored);
	}
	if (stream)
		closedir(stream);
}

struct runs *
runs_open(struct supervisor *supervisor, struct store *store, bool terminals)
{
	struct runs *runs = memory_zeroed(1, sizeof *runs);

	runs->supervisor = supervisor;
	runs->store = store;
	runs->terminals = terminals;
	runs->folder = location_memory();
	if (!runs->folder)
		runs->folder = location_runtime();
	if (runs->folder)
		runs_sweep(runs->folder);
	return runs;
}

/* Sends what a command prints, whose answer begins with that. */
static size_t
run_stream_text(struct run *run, const void *bytes, size_t length)
{
	if (!run->exchange->answer.status)
		http_answer_begin_stream(run->exchange, "text/plain; charset=utf-8");
	return listener_stream(run->exchange, bytes, length);
}

static void
run_stream(struct runs *runs, struct run *run, enum frame_kind kind, const void *bytes, size_t length)
{
	struct buffer frame = {0};
	size_t kept;

	if (!run->exchange || (run->is_text && kind != FRAME_OUT))
		return;
	if (!run->is_text)
		frame_append(&frame, kind, bytes, length);
	kept = run->is_text ? run_stream_text(run, bytes, length) : listener_stream(run->exchange, frame.data, frame.length);
	if (kept > RUN_KEPT)
		supervise_hold_output(runs->supervisor, &run->child, true);
	buffer_release(&frame);
}

static size_t
runs_of_user(const struct runs *runs, const char *user)
{
	size_t count = 0;

	for (const struct run *run = runs->first; run; run = run->next)
		count += strcmp(run->grant.user, user) == 0;
	return count;
}

static void
run_forget(struct run *run)
{
	child_release(&run->child);
	run_call_release(&run->call);
	grant_release(&run->grant);
	free(run);
}

/* Begins the answer, whose first frame says how the run is called. */
static void
run_begin_answer(struct runs *runs, struct run *run, struct http_exchange *exchange)
{
	unsigned char bytes[RUN_NAME_BYTES];

	randombytes_buf(bytes, sizeof bytes);
	sodium_bin2hex(run->name, sizeof run->name, bytes, sizeof bytes);
	http_answer_begin_stream(exchange, FRAME_TYPE);
	exchange->owner = run;
	run->exchange = exchange;
	run_stream(runs, run, FRAME_BEGUN, run->name, strlen(run->name));
}

/* Reads the call, and starts the command. */
static int
run_start(struct runs *runs, struct run *run, const struct http_exchange *exchange, const struct asker *asker, struct error *err)
{
	char *folder = memory_printf("%s/run-%ld-%llu", runs->folder ? runs->folder : "/nonexistent", (long)getpid(),
	    (unsigned long long)++runs->started);
	struct run_call *call = &run->call;
	int result;

	call->terminals = runs->terminals;
	result = run_call_read(call, exchange, asker, folder, err);

	free(folder);
	if (result < 0)
		return -1;
	run->child = (struct child){.argv = call->argv.list, .environment = call->environment.list, .input = buffer_string(&call->input),
	    .input_length = call->input.length, .hold_input = call->input_follows, .out_limit = SIZE_MAX, .tell_out = 1,
	    .capture_err = true, .joined = call->joined, .terminal = call->terminal, .folder = call->folder, .session = true, .owner = run};
	return supervise_start(runs->supervisor, &run->child, err);
}

/* Returns whether another command would be too many; then the exchange is answered. */
static bool
runs_refuse(const struct runs *runs, struct http_exchange *exchange, const struct asker *asker)
{
	if (runs->count < RUNS_MAX && runs_of_user(runs, asker->user) < RUNS_OF_USER)
		return false;
	problem_answer(exchange, 503, "too many commands run; try again later");
	http_field_add(exchange, &exchange->answer.headers, "Retry-After", "10");
	return true;
}

static void
runs_add(struct runs *runs, struct run *run)
{
	run->next = runs->first;
	runs->first = run;
	runs->count++;
}

void
runs_start(struct runs *runs, struct http_exchange *exchange, const struct asker *asker)
{
	struct run *run;
	struct error err;

	if (runs_refuse(runs, exchange, asker))
		return;
	run = memory_zeroed(1, sizeof *run);
	if (grant_begin(&run->grant, runs->store, asker->user, &asker->limit, &err) < 0 || run_start(runs, run, exchange, asker, &err) < 0) {
		problem_answer_error(exchange, &err);
		run_forget(run);
		return;
	}
	runs_add(runs, run);
	run_begin_answer(runs, run, exchange);
}

/* Makes the call of a route. Returns false where it is wrong, and the exchange is answered. */
static bool
run_make_call(struct run *run, struct http_exchange *exchange, const struct route_match *match, const struct asker *asker)
{
	struct problems problems = {0};
	struct call call = {0};
	bool is_made = call_make(&call, match, exchange, &problems) == 0;

	if (is_made) {
		run->call.argv = call.argv;
		call.argv = (struct arguments){0};
		asker_environment(asker, &run->call.environment);
		arguments_push(&run->call.environment, "COOPR_MESSAGES=json");
	} else if (problems.total) {
		problem_answer_all(exchange, &problems);
	} else {
		problem_answer(exchange, 503, "the command of this route cannot be run");
	}
	problems_release(&problems);
	call_release(&call);
	return is_made;
}

void
runs_follow(struct runs *runs, struct http_exchange *exchange, const struct route_match *match, const struct asker *asker)
{
	struct run *run;
	struct error err;

	if (runs_refuse(runs, exchange, asker))
		return;
	run = memory_zeroed(1, sizeof *run);
	run->is_text = true;
	if (!run_make_call(run, exchange, match, asker)) {
		run_forget(run);
		return;
	}
	run->child = (struct child){.argv = run->call.argv.list, .environment = run->call.environment.list, .out_limit = SIZE_MAX, .tell_out = 1,
	    .capture_err = true, .session = true, .owner = run};
	if (grant_begin(&run->grant, runs->store, asker->user, &asker->limit, &err) < 0 || supervise_start(runs->supervisor, &run->child, &err) < 0) {
		problem_answer_error(exchange, &err);
		run_forget(run);
		return;
	}
	exchange->owner = run;
	run->exchange = exchange;
	runs_add(runs, run);
}

/* Returns whether the caller of a command may send it the signal. */
static bool
run_heeds(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/* Does what one frame says. Returns false where it says nothing. */
static bool
run_take_frame(struct runs *runs, struct run *run, const struct frame *frame)
{
	const unsigned char *bytes = (const unsigned char *)frame->bytes;

	if (frame->kind == FRAME_INPUT && frame->length == 0)
		supervise_end_input(runs->supervisor, &run->child);
	else if (frame->kind == FRAME_INPUT)
		supervise_feed(runs->supervisor, &run->child, frame->bytes, frame->length);
	else if (frame->kind == FRAME_SIGNAL && frame->length == 2 && run_heeds(*bytes))
		supervise_signal(&run->child, *bytes, bytes[1]);
	else if (frame->kind == FRAME_WINDOW && frame->length == 4)
		pty_resize(&run->child, (unsigned)bytes[0] << 8 | bytes[1], (unsigned)bytes[2] << 8 | bytes[3]);
	else if (frame->kind == FRAME_LEFT)
		supervise_leave_output(&run->child);
	else
		return false;
	return true;
}

void
runs_tell(struct runs *runs, struct http_exchange *exchange, const struct asker *asker, const char *name)
{
	struct run *run = runs->first;
	struct frame frame;
	size_t at = 0;

	while (run && (strcmp(run->name, name) != 0 || strcmp(run->grant.user, asker->user) != 0))
		run = run->next;
	if (!run) {
		problem_answer(exchange, 404, "no such command runs");
		return;
	}
	if (run->child.fed.length - run->child.fed_used > RUN_INPUT_KEPT) {
		problem_answer(exchange, 503, "the command has not read what it was sent; try again later");
		http_field_add(exchange, &exchange->answer.headers, "Retry-After", "1");
		return;
	}
	while (frame_take(buffer_string(&exchange->body), exchange->body.length, &at, &frame) > 0)
		if (!run_take_frame(runs, run, &frame))
			break;
	if (at < exchange->body.length)
		problem_answer(exchange, 422, "the body is no frames for a running command");
	else
		exchange->answer.status = 204;
}

bool
runs_have(const struct runs *runs, const struct child *child)
{
	const struct run *run = runs->first;

	while (run && &run->child != child)
		run = run->next;
	return run;
}

void
runs_send(struct runs *runs, struct child *child)
{
	struct run *run = child->owner;
	bool hides = !pty_echoes(child);

	if (child->out.length)
		run_stream(runs, run, FRAME_OUT, child->out.data, child->out.length);
	if (child->err.length)
		run_stream(runs, run, FRAME_ERR, child->err.data, child->err.length);
	buffer_clear(&child->out);
	if (!run->is_text || child->err.length > RUN_KEPT) /* it says why there is nothing to follow */
		buffer_clear(&child->err);
	if (hides != run->hides)
		run_stream(runs, run, FRAME_ECHO, hides ? "\0" : "\1", 1);
	run->hides = hides;
}

/* Sends the files that the command has written. */
static void
run_send_outputs(struct runs *runs, struct run *run)
{
	for (size_t i = 0; i < run->call.outputs.count; i++) {
		const char *name = run->call.outputs.list[i];
		char *path = memory_printf("%s/%s", run->call.folder, name);
		struct buffer text = {0};
		struct error ignored; /* it has written none */

		buffer_append(&text, name, strlen(name) + 1);
		if (file_read(AT_FDCWD, path, FRAME_MAX - text.length, &text, &ignored) == 0)
			run_stream(runs, run, FRAME_FILE, text.data, text.length);
		buffer_release(&text);
		free(path);
	}
}

/* Ends the answer. One that follows something and has printed nothing is answered with why, if that was said. */
static void
run_end_answer(struct run *run, int code)
{
	struct http_exchange *exchange = run->exchange;

	exchange->owner = NULL;
	if (!exchange->answer.status && code != 0 && run->child.err.length) {
		problem_answer_exit(exchange, code, true, &run->child.err);
		listener_answer(exchange);
		return;
	}
	if (!exchange->answer.status)
		http_answer_begin_stream(exchange, "text/plain; charset=utf-8");
	listener_end(exchange);
}

void
runs_finish(struct runs *runs, struct child *child)
{
	struct run *run = child->owner, **at = &runs->first;
	int status = child->wait_status;
	const char code[2] = {(char)process_exit_code(status), (char)(WIFSIGNALED(status) ? WTERMSIG(status) : 0)};

	runs_send(runs, child);
	if (process_exit_code(status) == 0)
		run_send_outputs(runs, run);
	run_stream(runs, run, FRAME_EXIT, code, sizeof code);
	if (run->exchange)
		run_end_answer(run, process_exit_code(status));
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	runs->count--;
	run_forget(run);
}

static struct run *
runs_find(const struct runs *runs, const struct http_exchange *exchange)
{
	struct run *run = runs->first;

	while (run && run->exchange != exchange)
		run = run->next;
	return run;
}

void
runs_drained(struct runs *runs, struct http_exchange *exchange)
{
	struct run *run = runs_find(runs, exchange);

	if (run)
		supervise_hold_output(runs->supervisor, &run->child, false);
}

bool
runs_left(struct runs *runs, struct http_exchange *exchange)
{
	struct run *run = runs_find(runs, exchange);

	if (!run)
		return false;
	run->exchange = NULL;
	exchange->owner = NULL;
	supervise_hold_output(runs->supervisor, &run->child, false);
	supervise_end_input(runs->supervisor, &run->child);
	supervise_signal(&run->child, SIGHUP, true);
	return true;
}

static void
runs_look(struct runs *runs)
{
	for (struct run *run = runs->first; run; run = run->next)
		if (grant_is_over(&run->grant, runs->store, run->exchange))
			supervise_signal(&run->child, SIGHUP, true);
}

int64_t
runs_turn(struct runs *runs)
{
	int64_t now = clock_monotonic_ms();

	if (!runs->first)
		return -1;
	if (now >= runs->sign_ms) {
		for (struct run *run = runs->first; run; run = run->next)
			run_stream(runs, run, FRAME_ERR, "", 0);
		runs->sign_ms = now + RUN_SIGN_MS;
	}
	if (now >= runs->look_ms) {
		runs_look(runs);
		runs->look_ms = now + RUN_LOOK_MS;
	}
	return runs->look_ms < runs->sign_ms ? runs->look_ms - now : runs->sign_ms - now;
}

void
runs_end(struct runs *runs)
{
	for (struct run *run = runs->first; run; run = run->next)
		supervise_signal(&run->child, SIGTERM, false);
}

void
runs_close(struct runs *runs)
{
	if (!runs)
		return;
	for (struct run *run; (run = runs->first);) {
		runs->first = run->next;
		supervise_stop(runs->supervisor, &run->child);
		run_forget(run);
	}
	free(runs->folder);
	free(runs);
}
