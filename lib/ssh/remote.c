/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/remote.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "event/supervise.h"
#include "model/take/task.h"
#include "ssh/payload.h"
#include "ssh/ssh.h"

/* A closed standard error does not stop the task. */
static void
remote_show(void *to, const char *bytes, size_t length)
{
	(void)to;
	file_write_all(STDERR_FILENO, bytes, length);
}

/* Reads the response until ssh has ended, which it is told to do once the response is complete. Returns the signal at which ssh
 * was told to end when the script has ended on the node, or 0. */
static int
remote_read(struct response *response, struct supervisor *supervisor, struct child *child)
{
	struct child *which;
	int signal = 0;

	for (;;) {
		enum supervise_event event = supervise_next(supervisor, -1, &which);
		bool complete = response_read(response, child);

		if (event == SUPERVISE_ENDED)
			return signal;
		if (event == SUPERVISE_SIGNAL)
			signal = supervisor->signal;
		if (complete)
			supervise_stop(supervisor, child);
		else if (signal)
			supervise_ask(supervisor, child, RESPONSE_END_MS);
	}
}

int
remote_run(const struct machine *machine, const struct payload *payload, bool become_root,
    struct remote_answer *answer, struct error *err)
{
	struct response response = {.log = remote_show};
	struct child child = {.input = payload->script.data, .input_length = payload->script.length,
	    .hold_input = true, .out_limit = RESPONSE_FACTS_BYTES, .tell_out = true, .capture_err = true,
	    .die_with_us = true};
	struct buffer command = {0};
	struct supervisor supervisor;
	struct ssh ssh = {0};
	int failed = -1, signal;

	response_begin(&response, machine, payload, answer);
	if (ssh_prepare(machine, &ssh, err) < 0)
		goto out;
	ssh_share(machine, &ssh);
	ssh_address(machine, &ssh);
	payload_command(payload, become_root, &command);
	arguments_push(&ssh.argv, command.data);
	child.argv = ssh.argv.list;
	if (supervise_init(&supervisor, err) == 0 && supervise_start(&supervisor, &child, err) == 0) {
		signal = remote_read(&response, &supervisor, &child);
		if (signal)
			error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(signal));
		else
			failed = response_finish(&response, &child, err);
	}
	supervise_release(&supervisor);
	child_release(&child);
out:
	buffer_release(&command);
	response_release(&response);
	ssh_release(&ssh);
	return failed;
}
