/* SPDX-License-Identifier: Apache-2.0 */
#include "event/supervise.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

static struct supervisor supervisor;

static char *shell[] = {(char []){"/bin/sh"}, (char []){"-c"}, NULL, NULL};

/* Starts a shell with the script. */
static void
start(struct child *child, const char *script)
{
	struct error err;

	child->argv = shell;
	shell[2] = (char *)(uintptr_t)script;
	if (supervise_start(&supervisor, child, &err) < 0)
		tap_ok(false, "start: %s", err.text);
}

/* Turns the loop until a child has ended. */
static struct child *
until_ended(void)
{
	struct child *child;

	while (supervise_next(&supervisor, -1, &child) != SUPERVISE_ENDED)
		;
	return child;
}

static void
release(struct child *child)
{
	child_release(child);
	*child = (struct child){0};
}

static void
test_one(void)
{
	struct child child = {.out_limit = 1000, .capture_err = true, .input = "hello\n", .input_length = 6};

	start(&child, "cat; echo said >&2; exit 3");
	until_ended();
	tap_is_text(child.out.data, "hello\n", "a child reads its input and its stdout is gathered");
	tap_is_text(child.err.data, "said\n", "so is its stderr");
	tap_is_number(process_exit_code(child.wait_status), 3, "its exit code is known");
	tap_is_number(supervisor.count, 0, "it is no longer counted");
	release(&child);
}

static void
test_streams(void)
{
	struct child child = {.out_limit = 10};
	size_t length = 4 * 1024 * 1024;
	char *much = memory_zeroed(length, 1);

	child.input = much;
	child.input_length = length;
	start(&child, "cat");
	until_ended();
	tap_is_number(child.out_total, length, "4 MB go through a child");
	tap_is_number(child.out.length, 10, "of which only what was asked for is kept");
	release(&child);

	child = (struct child){.input = much, .input_length = length, .out_limit = 100};
	start(&child, "exec <&-; echo unread");
	until_ended();
	tap_is_text(child.out.data, "unread\n", "a child need not read");
	release(&child);

	child = (struct child){.out_limit = 100};
	start(&child, "sleep 1000 & echo $!");
	until_ended();
	tap_ok(child.out.length > 1, "what it leaves in the background is not waited for");
	kill((pid_t)atoi(child.out.data ? child.out.data : "0"), SIGKILL);
	release(&child);

	child = (struct child){.input = "line\n", .input_length = 5, .hold_input = true, .out_limit = 100};
	start(&child, "exec 3<&0; read -r line; { read -r more <&3 || echo end of input; } & echo \"$line\"");
	until_ended();
	tap_is_text(child.out.data, "line\n", "input that is held open does not end while the child lives");
	release(&child);
	free(much);
}

/* What it is fed is never all written: what has been must not gather. */
static void
test_fed(void)
{
	struct child child = {.hold_input = true, .out_limit = 1 << 20, .tell_out = 1}, *heard;
	size_t length = 256 * 1024, most = 0, told = 0;
	char *piece = memory_zeroed(length, 1);

	start(&child, "exec cat");
	for (int i = 0; i < 8; i++)
		supervise_feed(&supervisor, &child, piece, length);
	for (int fed = 8; told < 64 * length;) {
		if (supervise_next(&supervisor, -1, &heard) == SUPERVISE_OUTPUT)
			buffer_clear(&child.out);
		told = child.out_total;
		for (; fed < 64 && fed < (int)(told / length) + 8; fed++)
			supervise_feed(&supervisor, &child, piece, length);
		most = child.fed.length > most ? child.fed.length : most;
	}
	tap_ok(most <= 24 * length, "a child that is fed all the time costs as much memory as it has not read");
	supervise_end_input(&supervisor, &child);
	until_ended();
	tap_is_number(child.out_total, 64 * length, "and reads it all");
	free(piece);
	release(&child);
}

static void
test_time(void)
{
	struct child child = {.timeout_ms = 100}, other = {0};
	int64_t before = clock_monotonic_ms();

	start(&child, "sleep 1000 & wait");
	tap_ok(until_ended() == &child && child.timed_out && !child.stopped, "a child that takes too long is ended");
	tap_ok(clock_monotonic_ms() - before >= 100, "but not before its time");
	tap_ok(WIFSIGNALED(child.wait_status) && WTERMSIG(child.wait_status) == SIGTERM, "by SIGTERM");
	/* Whose child it has become may need an instant to bury it. */
	while (kill(-child.pid, 0) == 0)
		;
	tap_ok(true, "and with it all of its group");
	release(&child);

	start(&other, "sleep 1000");
	supervise_stop(&supervisor, &other);
	tap_ok(until_ended() == &other && other.stopped && !other.timed_out, "one that is stopped is told apart");
	release(&other);
}

static void
test_many(void)
{
	enum { MANY = 200 };
	struct child *children = memory_zeroed(MANY, sizeof *children);
	char scripts[MANY][32];
	bool right = true;

	for (int i = 0; i < MANY; i++) {
		snprintf(scripts[i], sizeof scripts[i], "echo %d; exit %d", i, i % 100);
		children[i].out_limit = 100;
		start(&children[i], scripts[i]);
	}
	tap_is_number(supervisor.count, MANY, "200 children run at the same time");
	for (int i = 0; i < MANY; i++) {
		struct child *child = until_ended();
		long number = child - children;

		right = right && atoi(child->out.data) == number && process_exit_code(child->wait_status) == number % 100;
	}
	tap_ok(right && supervisor.count == 0, "each is told once, with what it printed and its exit code");
	for (int i = 0; i < MANY; i++)
		release(&children[i]);
	free(children);
}

static void
test_events(void)
{
	struct child child = {.capture_err = true}, *which;
	int ends[2];

	tap_ok(supervise_next(&supervisor, 0, &which) == SUPERVISE_TIME, "nothing is waited for in no time");
	kill(getpid(), SIGTERM);
	tap_ok(supervise_next(&supervisor, -1, &which) == SUPERVISE_SIGNAL && supervisor.signal == SIGTERM,
	    "a signal is an event");
	if (pipe(ends) == 0 && tap_ok(supervise_watch(&supervisor, ends[1], 0), "a pipe can be watched")) {
		tap_ok(supervise_next(&supervisor, 0, &which) == SUPERVISE_TIME, "it has nothing to tell while it is read");
		close(ends[0]);
		tap_ok(supervise_next(&supervisor, -1, &which) == SUPERVISE_READY && supervisor.ready == ends[1],
		    "that nobody reads it any more is an event");
		supervise_unwatch(&supervisor, ends[1]);
		tap_ok(supervise_next(&supervisor, 0, &which) == SUPERVISE_TIME, "until it is watched no more");
		close(ends[1]);
	}
	start(&child, "echo one >&2; read -r go");
	tap_ok(supervise_next(&supervisor, -1, &which) == SUPERVISE_OUTPUT && which == &child, "output is an event, at once");
	until_ended();
	release(&child);
}

static void
test_absent(void)
{
	char *argv[] = {(char []){"/no/such/program"}, NULL};
	struct child child = {.argv = argv};
	struct error err;

	tap_ok(supervise_start(&supervisor, &child, &err) < 0 && supervisor.count == 0, "a program that is not there cannot be started");
	tap_ok(strstr(err.text, "/no/such/program") != NULL, "which is said");
}

int
main(void)
{
	struct error err;

	if (supervise_init(&supervisor, &err) < 0)
		return 1;
	test_one();
	test_streams();
	test_fed();
	test_time();
	test_many();
	test_events();
	test_absent();
	supervise_release(&supervisor);
	return tap_end();
}
