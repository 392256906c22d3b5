/* SPDX-License-Identifier: Apache-2.0 */
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/printable.h"

static const char *program = "coopr";
static bool as_records; /* lines are for a program */

void
message_program(const char *name)
{
	const char *form = getenv("COOPR_MESSAGES");

	program = name;
	if (!form)
		return;
	as_records = strcmp(form, "json") == 0;
	unsetenv("COOPR_MESSAGES"); /* what we start speaks to us */
}

const char *
message_program_name(void)
{
	return program;
}

static bool log_begins;

void
message_begin_log(void)
{
	struct stat out, err;
	int flags = fcntl(STDERR_FILENO, F_GETFL);

	log_begins = flags >= 0 && (flags & O_APPEND) && fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
	    S_ISREG(err.st_mode) && err.st_dev == out.st_dev && err.st_ino == out.st_ino;
}

/* Prints at most length bytes of a printable text as a string of JSON. */
static void
message_print_string(const char *text, size_t length)
{
	putc('"', stderr);
	for (; *text && length; text++, length--) {
		if (*text == '"' || *text == '\\')
			putc('\\', stderr);
		putc(*text, stderr);
	}
	putc('"', stderr);
}

/* Prints a line as a record; err is the error that it tells of, or NULL. */
static void
message_print_record(const char *line, const struct error *err)
{
	fputs("{\"kind\":\"message\",\"program\":", stderr);
	message_print_string(program, SIZE_MAX);
	fputs(",\"text\":", stderr);
	message_print_string(line, SIZE_MAX);
	if (err)
		fprintf(stderr, ",\"absent\":%s,\"too_large\":%s,\"code\":%d", err->absent ? "true" : "false",
		    err->too_large ? "true" : "false", err->code);
	if (err && err->option) {
		fprintf(stderr, ",\"option\":\"%s\",\"reason\":", err->option);
		message_print_string(line, err->reason);
	}
	fputs("}\n", stderr);
}

/* Prints the line, which it makes printable. */
static void
message_print(char *line, const struct error *err)
{
	char now[CLOCK_RFC3339_SIZE];

	printable(line);
	if (as_records) {
		message_print_record(line, err);
		return;
	}
	if (log_begins)
		fprintf(stderr, "%s: at %s\n", program, clock_seconds(clock_wall_ms(), now));
	log_begins = false;
	fprintf(stderr, "%s: %s\n", program, line);
}

void
message(const char *format, ...)
{
	char line[4096];
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (length >= (int)sizeof line)
		memcpy(line + sizeof line - 4, "...", 4);
	message_print(line, NULL);
}

const char *
message_own_words(const char *name, const char *line)
{
	const char *slash = strchr(name, '/');
	size_t kind = slash ? (size_t)(slash + 1 - name) : 0, length = strcspn(line, ": ");

	if (strncmp(line + length, ": ", 2) != 0)
		return line;
	if (slash ? length <= kind || strncmp(line, name, kind) != 0 : length != strlen(name) || strncmp(line, name, length) != 0)
		return line;
	return line + length + 2;
}

static bool quiet;

void
message_notice(const char *text)
{
	if (!quiet)
		message("%s", text);
}

void
message_quiet(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	quiet = true;
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
}

int
message_error(const struct error *err)
{
	char line[sizeof err->text];

	memcpy(line, err->text, sizeof line);
	message_print(line, err);
	return err->code;
}

static bool reader_may_leave;

/* A handler, other than SIG_IGN, is not handed to programs that are started. */
static void
message_ignore(int signal)
{
	(void)signal;
}

void
message_reader_may_leave(void)
{
	const struct sigaction action = {.sa_handler = message_ignore, .sa_flags = SA_RESTART};

	reader_may_leave = true;
	sigaction(SIGPIPE, &action, NULL);
}

bool
message_reader_left(void)
{
	struct pollfd fd = {.fd = STDOUT_FILENO};

	return reader_may_leave && poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLHUP));
}

static int lost; /* errno of the first flush of stdout that failed */

int
message_flush(void)
{
	if (fflush(stdout) == 0)
		return 0;
	if (!lost)
		lost = errno;
	return -1;
}

int
message_end(int code)
{
	struct error err;

	if ((message_flush() == 0 && !ferror(stdout)) || message_reader_left())
		return code;
	/* A write that failed without our flush has left a mark, and mostly its errno. */
	errno = lost ? lost : errno ? errno : EIO;
	error_errno(&err, EX_IOERR, "standard output");
	return message_error(&err);
}
