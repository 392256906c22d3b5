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

/* Until ssh has ended, which it is told to once all has been said. Returns why it had to be left, 0 or a
 * signal: then ssh ends when the script has ended on the node. */
static int
remote_converse(struct talk *talk, struct supervisor *supervisor, struct child *child)
{
	struct child *which;
	int signal = 0;

	for (;;) {
		enum supervise_event event = supervise_next(supervisor, -1, &which);
		bool over = talk_hear(talk, child);

		if (event == SUPERVISE_ENDED)
			return signal;
		if (event == SUPERVISE_SIGNAL)
			signal = supervisor->signal;
		if (over)
			supervise_stop(supervisor, child);
		else if (signal)
			supervise_ask(supervisor, child, TALK_END_MS);
	}
}

static int
remote_talk_to(struct talk *talk, char *const *argv, const struct payload *payload, struct error *err)
{
	struct child child = {.argv = argv, .input = payload->script.data, .input_length = payload->script.length,
	    .hold_input = true, .out_limit = TALK_FACTS_BYTES, .tell_out = true, .gather_err = true,
	    .die_with_us = true};
	struct supervisor supervisor;
	int failed = -1, signal;

	if (supervise_init(&supervisor, err) == 0 && supervise_start(&supervisor, &child, err) == 0) {
		signal = remote_converse(talk, &supervisor, &child);
		if (signal)
			error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(signal));
		else
			failed = talk_finish(talk, &child, err);
	}
	supervise_release(&supervisor);
	child_release(&child);
	return failed;
}

int
remote_run(const struct machine *machine, const struct payload *payload, bool become_root,
    struct remote_answer *answer, struct error *err)
{
	struct talk talk = {.say = remote_show};
	struct buffer command = {0};
	struct ssh ssh = {0};
	int failed = -1;

	talk_begin(&talk, machine, payload, answer);
	if (ssh_prepare(machine, &ssh, err) == 0) {
		ssh_share(machine, &ssh);
		ssh_address(machine, &ssh);
		payload_command(payload, become_root, &command);
		arguments_push(&ssh.argv, command.data);
		failed = remote_talk_to(&talk, ssh.argv.list, payload, err);
	}
	buffer_release(&command);
	talk_release(&talk);
	ssh_release(&ssh);
	return failed;
}
