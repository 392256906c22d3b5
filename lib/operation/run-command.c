/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/run-command.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "json/scan.h"
#include "operation/workdir.h"

void
run_command_init(struct arguments *arguments, const char *program)
{
	char *relative = memory_printf("bin/%s", program), *path = location_installed(relative);

	arguments_push(arguments, path);
	free(path);
	free(relative);
}

/* Returns a line of a command's messages without the name of the command and of its help: they are told as ours. */
static const char *
run_command_own_words(const char *program, char *line)
{
	const char *colon = strncmp(line, program, strlen(program)) == 0 ? strstr(line, ": ") : NULL;
	char *help = memory_printf("; see: %s --help", program), *end = strstr(line, help);

	if (end)
		*end = '\0';
	free(help);
	return colon ? colon + 2 : line;
}

/* Turns the exit code of a command into 0 or an error, whose text is the last line of its messages; the lines before are
 * notices. */
static int
run_command_judge(const struct arguments *arguments, int code, struct buffer *messages, struct error *err)
{
	const char *program = file_base_name(arguments->list[0]);
	char nothing[] = "", *line = messages->data ? messages->data : nothing, *last = NULL;

	if (code < 0)
		return -1;
	while (*line) {
		char *end = strchrnul(line, '\n'), *next = end + (*end != '\0');

		*end = '\0';
		if (*next || code == 0)
			message_notice(run_command_own_words(program, line));
		else
			last = line;
		line = next;
	}
	if (code == 0)
		return 0;
	if (last)
		return error_set(err, code, "%s", run_command_own_words(program, last));
	last = process_end_text(code);
	error_set(err, code, "%s %s", program, last);
	free(last);
	return -1;
}

/* Makes the member fresh, open as fd, the member output, durably. */
static int
run_command_keep(const struct workdir *workdir, int fd, const char *fresh, const char *output, struct error *err)
{
	if (fsync(fd) < 0 || renameat(workdir->fd, fresh, workdir->fd, output) < 0 || fsync(workdir->fd) < 0)
		return error_errno(err, EX_IOERR, "%s/%s: cannot be written", workdir->path, output);
	return 0;
}

/* Names the member in the place of what the command calls its standard output. */
static int
run_command_name_output(const struct workdir *workdir, const char *output, struct error *err)
{
	static const char own[] = "standard output: ";
	char *rest;
	int result = -1;

	if (strncmp(err->text, own, strlen(own)) == 0) {
		rest = memory_string(err->text + strlen(own));
		result = error_set(err, err->code, "%s/%s: %s", workdir->path, output, rest);
		free(rest);
	}
	return result;
}

int
run_command_in_workdir(const struct arguments *arguments, const struct workdir *workdir, const char *input,
    const char *output, struct error *err)
{
	char *fresh = memory_printf("%s.new", output);
	int in = input ? file_open(workdir->fd, input, O_RDONLY, 0, err) : PROCESS_NULL;
	int log = memfd_create("messages", MFD_CLOEXEC), out = -1, result = -1;
	struct buffer messages = {0};
	struct process process;

	if (log < 0)
		error_errno(err, EX_OSERR, "messages in memory");
	else if (in != -1)
		out = file_open(workdir->fd, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600, err);
	if (out >= 0) {
		process = (struct process){.argv = arguments->list, .in = in, .out = out, .err = log};
		result = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
		if (result >= 0 && (lseek(log, 0, SEEK_SET) < 0 || file_read_fd(log, "messages", SIZE_MAX, &messages, err) < 0))
			result = -1;
		if (run_command_judge(arguments, result, &messages, err) < 0)
			result = run_command_name_output(workdir, output, err);
	}
	if (result == 0)
		result = run_command_keep(workdir, out, fresh, output, err);
	if (out >= 0 && result < 0)
		unlinkat(workdir->fd, fresh, 0);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	if (log >= 0)
		close(log);
	buffer_release(&messages);
	free(fresh);
	return result;
}

int
run_command_in_memory(const struct arguments *arguments, const struct buffer *input, struct buffer *out,
    struct error *err)
{
	struct buffer messages = {0};
	int result = process_run(arguments->list, input ? input->data : NULL, input ? input->length : 0, out, &messages,
	    JSON_BYTES, err);

	result = run_command_judge(arguments, result, &messages, err);
	buffer_release(&messages);
	return result;
}
