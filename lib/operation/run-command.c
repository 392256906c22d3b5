/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/run-command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
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

/* Turns the exit code of a command, which has said itself on stderr what is wrong, into 0 or an error. */
static int
run_command_judge(const struct arguments *arguments, int code, const char *input, struct error *err)
{
	const char *program = file_base_name(arguments->list[0]);

	if (code <= 0)
		return code;
	if (code > 128)
		return error_set(err, code, "%s: ended by signal %d", program, code - 128);
	if (!input)
		return error_set(err, code, "%s ended with exit code %d", program, code);
	return error_set(err, code, "%s ended with exit code %d; its input was %s", program, code, input);
}

/* Makes the member fresh, open as fd, the member output, durably. */
static int
run_command_keep(const struct workdir *workdir, int fd, const char *fresh, const char *output, struct error *err)
{
	if (fsync(fd) < 0 || renameat(workdir->fd, fresh, workdir->fd, output) < 0 || fsync(workdir->fd) < 0)
		return error_errno(err, EX_IOERR, "%s/%s: cannot be written", workdir->path, output);
	return 0;
}

int
run_command_in_workdir(const struct arguments *arguments, const struct workdir *workdir, const char *input,
    const char *output, struct error *err)
{
	char *fresh = memory_printf("%s.new", output), *path = input ? workdir_path(workdir, input) : NULL;
	int in = input ? file_open(workdir->fd, input, O_RDONLY, 0, err) : PROCESS_NULL, out = -1, result = -1;
	struct process process;

	if (in != -1)
		out = file_open(workdir->fd, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600, err);
	if (out >= 0) {
		process = (struct process){.argv = arguments->list, .in = in, .out = out, .err = PROCESS_INHERIT};
		result = process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
		result = run_command_judge(arguments, result, path, err);
	}
	if (result == 0)
		result = run_command_keep(workdir, out, fresh, output, err);
	if (out >= 0 && result < 0)
		unlinkat(workdir->fd, fresh, 0);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	free(path);
	free(fresh);
	return result;
}

int
run_command_in_memory(const struct arguments *arguments, const struct buffer *input, struct buffer *out,
    struct error *err)
{
	int code = process_run(arguments->list, input ? input->data : NULL, input ? input->length : 0, out, NULL,
	    JSON_BYTES, err);

	return run_command_judge(arguments, code, NULL, err);
}
