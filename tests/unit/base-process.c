/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "tap.h"

static struct error err;

/* The exit code of a shell script; its stdout is appended to out. */
static int
shell(const char *script, const void *input, size_t length, struct buffer *out, struct buffer *log, size_t limit)
{
	struct arguments argv = {0};
	int code;

	arguments_push(&argv, "sh");
	arguments_push(&argv, "-c");
	arguments_push(&argv, script);
	code = process_run(argv.list, input, length, out, log, limit, &err);
	arguments_release(&argv);
	return code;
}

static void
test_exit_codes(void)
{
	tap_is_number(shell("exit 7", NULL, 0, NULL, NULL, 0), 7, "the exit code is that of the program");
	tap_is_number(shell("kill -TERM $$", NULL, 0, NULL, NULL, 0), 128 + SIGTERM, "128 + signal where one ended it");
}

static void
test_exec_failure(void)
{
	char absent_name[] = "no-such-program-here", folder_name[] = "/tmp";
	char *absent[] = {absent_name, NULL}, *folder[] = {folder_name, NULL};
	struct process process = {.argv = absent, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_NULL};

	setenv("PATH", "/usr/bin:/bin", 1); /* a folder of it that may not be read would be another reason */
	tap_is_number(process_start(&process, &err), -1, "a program that is not there is an error of the start");
	tap_is_number(err.code, EX_UNAVAILABLE, "EX_UNAVAILABLE");
	tap_is_text(err.text, "no-such-program-here: cannot be run: No such file or directory", "which names it");
	tap_is_number(process_run(folder, NULL, 0, NULL, NULL, 0, &err), -1, "a folder cannot be run either");
	tap_is_number(process_run(absent, "x", 1, NULL, NULL, 0, &err), -1, "nor can what is absent be given input");
}

static void
test_both_ways(void)
{
	enum { SIZE = 5 * 1024 * 1024 };
	struct buffer out = {0}, log = {0};
	char *input = memory_resize(NULL, SIZE, 1);

	for (int i = 0; i < SIZE; i++)
		input[i] = (char)(i % 251);
	tap_is_number(shell("tee /dev/stderr", input, SIZE, &out, &log, 2 * SIZE), 0, "5 MiB go in and come out twice");
	tap_ok(out.length == SIZE && memcmp(out.data, input, SIZE) == 0, "stdout is what went in");
	tap_ok(log.length == SIZE && memcmp(log.data, input, SIZE) == 0, "so is stderr");
	buffer_clear(&out);
	tap_is_number(shell("cat", input, SIZE, &out, NULL, 1000), 0, "more than the limit is read and dropped");
	tap_is_number(out.length, 1000, "the limit is kept");
	tap_is_number(shell("exit 3", input, SIZE, &out, NULL, 1000), 3, "a program need not read its input");
	buffer_release(&out);
	buffer_release(&log);
	free(input);
}

static void
test_what_a_child_inherits(void)
{
	struct buffer out = {0};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigset_t some;

	sigaction(SIGPIPE, &ignore, &before);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	/* The two signals above 31 that the C library keeps to itself do not count. */
	shell("sed -n 's/^Sig\\(Blk\\|Ign\\):[[:space:]]*........//p' /proc/self/status | tr 8 0 | tr '\\n' ' '",
	    NULL, 0, &out, NULL, 1000);
	tap_is_text(out.data, "00000000 00000000 ",
	    "a child starts with default signals and an empty mask");
	sigprocmask(SIG_UNBLOCK, &some, NULL);
	sigaction(SIGPIPE, &before, NULL);
	buffer_clear(&out);
	shell("cat", NULL, 0, &out, NULL, 1000);
	tap_is_number(out.length, 0, "a child without input reads an end of file");
	buffer_clear(&out);
	shell("ls /proc/self/fd | wc -l", NULL, 0, &out, NULL, 1000);
	tap_is_number(atoi(out.data), 4, "it has three descriptors, and that of the folder it lists");
	buffer_release(&out);
}

static void
test_group(void)
{
	char name[] = "sleep", seconds[] = "1000", *argv[] = {name, seconds, NULL};
	struct process process = {.argv = argv, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_NULL, .group = true};

	tap_is_number(process_start(&process, &err), 0, "a process can be started");
	tap_is_number(getpgid(process.pid), process.pid, "as the leader of a group");
	kill(-process.pid, SIGKILL);
	tap_is_number(process_wait(&process, &err), 128 + SIGKILL, "which can be killed");
	tap_is_number(process_wait(&process, &err), -1, "nobody waits twice");
}

static void
test_arguments(void)
{
	struct arguments arguments = {0};
	struct buffer out = {0};

	arguments_push(&arguments, "printf");
	arguments_push(&arguments, "<%s>");
	for (int i = 0; i < 20; i++)
		arguments_printf(&arguments, "%d", i);
	arguments_push(&arguments, "a b\n'\"$x");
	tap_ok(!arguments.list[arguments.count], "the vector ends with NULL");
	process_run(arguments.list, NULL, 0, &out, NULL, 1000, &err);
	tap_is_text(out.data, "<0><1><2><3><4><5><6><7><8><9><10><11><12><13><14><15><16><17><18><19><a b\n'\"$x>",
	    "arguments arrive as they are");
	arguments_release(&arguments);
	buffer_release(&out);
}

int
main(void)
{
	close_range(3, ~0U, 0); /* what a shell may have left us */
	test_exit_codes();
	test_exec_failure();
	test_both_ways();
	test_what_a_child_inherits();
	test_group();
	test_arguments();
	return tap_end();
}
