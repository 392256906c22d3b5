/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat [-n TIMES] [-i FILE] [-l LABEL] COMMAND [ARGUMENT]...
 *
 * Runs COMMAND again and again with FILE as its standard input and nobody listening, and prints one line with how long
 * a run takes, from fork to the end: the median, the quickest and the slowest. Exit code 1 where the command's was not 0.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"

static long times = 50;
static const char *input = "/dev/null", *label;
static const struct option_spec options[] = {
	OPTION_NUMBER('n', "times", &times, "TIMES", "run it so often (50)"),
	OPTION_STRING('i', "input", &input, "FILE", "its standard input (/dev/null)"),
	OPTION_STRING('l', "label", &label, "LABEL", "what to call it (its name)"),
	OPTION_END
};
static const struct command command = {"repeat", "COMMAND: [OPTION]... COMMAND [ARGUMENT]...",
	"measure how long a command takes", options, "  repeat -n 100 -i layout coopr-plan\n"};

static int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The microseconds of one run, -1 where it failed. */
static int64_t
measure(char *const *argv, struct error *err)
{
	int in = file_open(AT_FDCWD, input, O_RDONLY, 0, err), code;
	struct process process = {.argv = argv, .in = in, .out = PROCESS_NULL, .err = PROCESS_INHERIT};
	int64_t start = now_us();

	if (in < 0)
		return -1;
	code = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
	close(in);
	if (code > 0)
		error_set(err, EX_NO, "%s: exit code %d", argv[0], code);
	return code == 0 ? now_us() - start : -1;
}

int
main(int argc, char **argv)
{
	struct error err;
	int64_t *us, median;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || times == 0)
		return option_misuse(&command, "expected COMMAND, and to run it at least once");
	us = memory_zeroed((size_t)times, sizeof *us);
	for (long i = 0; i < times; i++)
		if ((us[i] = measure(argv, &err)) < 0)
			return message_error(&err);
	qsort(us, (size_t)times, sizeof *us, ascending);
	median = us[times / 2];
	printf("%-32s %9.2f ms  (%.2f to %.2f, %ld runs)\n", label ? label : file_base_name(argv[0]),
	    (double)median / 1000, (double)us[0] / 1000, (double)us[times - 1] / 1000, times);
	free(us);
	return message_end(0);
}
