/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat [OPTION]... COMMAND [ARGUMENT]...
 *
 * Runs COMMAND again and again and prints one line with how long a run takes, from fork to the end: the median, the
 * quickest and the slowest; and the most memory that it, or a process it waited for, held at once. With --brief the
 * line is MILLISECONDS CPU-MILLISECONDS KILOBYTES END, for scripts: END is the exit code of the last run, or "limit" where the time limit
 * ended it; then the exit code of COMMAND is no failure of ours. Exit code 1 where COMMAND's was not 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"

static long times = 50, limit, patience, memory;
static const char *input = "/dev/null", *output = "/dev/null", *label;
static bool brief;
static const struct option_spec options[] = {
	OPTION_NUMBER('n', "times", &times, "TIMES", "run it so often (50)"),
	OPTION_NUMBER('p', "patience", &patience, "SECONDS", "begin no further run after so long"),
	OPTION_NUMBER('t', "time", &limit, "SECONDS", "end a run that takes more CPU, or four times that by the clock"),
	OPTION_NUMBER('m', "memory", &memory, "MB", "as much address space as it may have"),
	OPTION_STRING('i', "input", &input, "FILE", "its standard input (/dev/null)"),
	OPTION_STRING('o', "output", &output, "FILE", "what its last run prints (/dev/null)"),
	OPTION_STRING('l', "label", &label, "LABEL", "what to call it (its name)"),
	OPTION_FLAG('b', "brief", &brief, "print MILLISECONDS CPU-MILLISECONDS KILOBYTES END"),
	OPTION_END
};
static const struct command command = {"repeat", "COMMAND: [OPTION]... COMMAND [ARGUMENT]...",
	"measure how long a command takes", options, "  repeat -n 100 -i layout coopr-plan\n"};

struct run {
	int64_t us, cpu_us;
	long kb;
	int code;
	bool limited;
};

static volatile pid_t running;
static volatile sig_atomic_t rang;

static void
end_run(int signal)
{
	(void)signal;
	rang = 1;
	kill(-running, SIGKILL);
}

static int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t
us_of(struct timeval time)
{
	return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = ((const struct run *)a)->us, y = ((const struct run *)b)->us;

	return (x > y) - (x < y);
}

/* Waits for the process, at most as long as the limit says. */
static int
await(struct process *process, struct run *run, struct error *err)
{
	struct rusage usage;
	int status;

	rang = 0;
	running = process->pid;
	alarm((unsigned)limit * 4);
	while (wait4(process->pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return error_errno(err, EX_OSERR, "%s: wait4", process->argv[0]);
	alarm(0);
	run->cpu_us = us_of(usage.ru_utime) + us_of(usage.ru_stime);
	run->kb = usage.ru_maxrss;
	run->limited = rang || (limit > 0 && run->cpu_us >= limit * 900000);
	run->code = process_exit_code(status);
	return 0;
}

static int
measure(char *const *argv, struct run *run, struct error *err)
{
	int in, out, done = -1;
	int64_t start;

	if ((in = file_open(AT_FDCWD, input, O_RDONLY, 0, err)) < 0)
		return -1;
	if ((out = file_open(AT_FDCWD, output, O_WRONLY | O_CREAT | O_TRUNC, 0666, err)) >= 0) {
		struct process process = {.argv = argv, .in = in, .out = out, .err = PROCESS_INHERIT, .group = true};

		start = now_us();
		if (process_start(&process, err) == 0)
			done = await(&process, run, err);
		run->us = now_us() - start;
		close(out);
	}
	close(in);
	return done;
}

/* Runs it again and again, as long as that is wanted: how often it ran, -1 on error. */
static long
measure_all(char *const *argv, struct run *runs, struct error *err)
{
	int64_t start = now_us();
	long count = 0;

	do {
		if (measure(argv, &runs[count], err) < 0)
			return -1;
		if (!brief && runs[count].code != 0) {
			error_set(err, EX_NO, "%s: exit code %d", argv[0], runs[count].code);
			return -1;
		}
	} while (!runs[count++].limited && count < times && (patience == 0 || now_us() - start < patience * 1000000));
	return count;
}

static void
print(const char *name, struct run *runs, long count)
{
	struct run last = runs[count - 1], *median = &runs[count / 2];
	long kb = 0;

	for (long i = 0; i < count; i++)
		kb = runs[i].kb > kb ? runs[i].kb : kb;
	qsort(runs, (size_t)count, sizeof *runs, ascending);
	if (brief && last.limited)
		printf("%.3f %.3f %ld limit\n", (double)last.us / 1000, (double)last.cpu_us / 1000, kb);
	else if (brief)
		printf("%.3f %.3f %ld %d\n", (double)median->us / 1000, (double)median->cpu_us / 1000, kb, last.code);
	else
		printf("%-32s %9.2f ms  (%.2f to %.2f, %ld runs)  %5.1f MB\n", name, (double)median->us / 1000,
		    (double)runs[0].us / 1000, (double)runs[count - 1].us / 1000, count, (double)kb / 1024);
}

/* What the runs inherit; 0 is no limit. */
static int
set_limit(__rlimit_resource_t resource, long amount, rlim_t unit, struct error *err)
{
	struct rlimit wanted = {(rlim_t)amount * unit, RLIM_INFINITY};

	if (amount > 0 && setrlimit(resource, &wanted) < 0)
		return error_errno(err, EX_OSERR, "setrlimit");
	return 0;
}

int
main(int argc, char **argv)
{
	struct error err;
	struct run *runs;
	long count;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || times == 0)
		return option_misuse(&command, "expected COMMAND, and to run it at least once");

	signal(SIGALRM, end_run);
	if (set_limit(RLIMIT_CPU, limit, 1, &err) < 0 || set_limit(RLIMIT_AS, memory, 1 << 20, &err) < 0)
		return message_error(&err);

	runs = memory_zeroed((size_t)times, sizeof *runs);
	if ((count = measure_all(argv, runs, &err)) < 0)
		return message_error(&err);
	print(label ? label : file_base_name(argv[0]), runs, count);
	free(runs);
	return message_end(0);
}
