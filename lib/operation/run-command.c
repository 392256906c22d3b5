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

/* What a stage's exit code means to us. The stage has said itself what is wrong, on stderr. */
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

static int
run_command_to_fd(const struct arguments *arguments, int in, int out, struct error *err)
{
	struct process process = {.argv = arguments->list, .in = in, .out = out, .err = PROCESS_INHERIT};

	return process_start(&process, err) < 0 ? -1 : process_wait(&process, err);
}

/* Makes what stands in fresh the member output, durably. */
static int
run_command_keep(const struct workdir *folder, int fd, const char *fresh, const char *output, struct error *err)
{
	if (fsync(fd) < 0 || renameat(folder->fd, fresh, folder->fd, output) < 0 || fsync(folder->fd) < 0)
		return error_errno(err, EX_IOERR, "%s/%s: cannot be written", folder->path, output);
	return 0;
}

int
run_command_in_workdir(const struct arguments *arguments, const struct workdir *folder, const char *input,
    const char *output, struct error *err)
{
	char *fresh = memory_printf("%s.new", output), *path = input ? workdir_path(folder, input) : NULL;
	int in = input ? file_open(folder->fd, input, O_RDONLY, 0, err) : PROCESS_NULL, out = -1, result = -1;

	if (in != -1)
		out = file_open(folder->fd, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600, err);
	if (out >= 0)
		result = run_command_judge(arguments, run_command_to_fd(arguments, in, out, err), path, err);
	if (result == 0)
		result = run_command_keep(folder, out, fresh, output, err);
	if (out >= 0 && result < 0)
		unlinkat(folder->fd, fresh, 0);
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
