/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/hold.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "automator/automator.h"
#include "base/error.h"
#include "base/file.h"
#include "ssh/shell-words.h"

/* Passes on what the login says. What the program for the node says is a reason, or that the node is held. */
static void
hold_log(void *to, const char *bytes, size_t length)
{
	const struct hold *hold = to;

	if (hold->response.phase == RESPONSE_LOGIN)
		file_write_all(STDERR_FILENO, bytes, length);
}

int
hold_prepare(struct hold *hold, const struct task *task, struct error *err)
{
	struct automator_work work = {0};
	struct buffer command = {0};
	int result;

	hold->response.log = hold_log;
	hold->response.log_to = hold;
	automator_choose_user(task, NULL, &work);
	hold->become_root = work.become_root;
	hold->payload.ends_descendants = true;
	result = automator_add_file("hold.sh", BUNDLE_FILE, &work.bundle, err);
	if (result == 0)
		result = payload_run(task, &work.bundle, &work.words, NULL, &hold->payload, err);
	response_begin(&hold->response, &task->machine, &hold->payload, &hold->answer);
	if (result == 0)
		result = ssh_prepare(&task->machine, &hold->ssh, err);
	if (result == 0) {
		ssh_address(&task->machine, &hold->ssh);
		payload_command(&hold->payload, hold->become_root, &command);
		arguments_push(&hold->ssh.argv, buffer_string(&command));
	}
	buffer_release(&command);
	bundle_release(&work.bundle);
	return result;
}

void
hold_release(struct hold *hold)
{
	child_release(&hold->child);
	response_release(&hold->response);
	remote_answer_release(&hold->answer);
	ssh_release(&hold->ssh);
	payload_release(&hold->payload);
}

void
hold_print_entry(const struct hold *hold, struct buffer *out)
{
	const char *root = hold->become_root ? "sudo -n -- " : "";
	char *words = memory_printf("shell=$PPID; exec %s/bin/sh -c \"exec /bin/sh \\\"\\${TMPDIR:-/tmp}/coopr.%s/work/hold.sh\\\" $shell\" </dev/null",
	    root, hold->payload.nonce);

	buffer_text(out, "/bin/sh -c ");
	shell_words_quote(words, out);
	buffer_text(out, " || exit 75; ");
	free(words);
}

int
hold_begin(struct hold *hold, struct supervisor *supervisor, struct error *err)
{
	struct child *child;

	hold->child = (struct child){.argv = hold->ssh.argv.list, .input = hold->payload.script.data,
	    .input_length = hold->payload.script.length, .hold_input = true, .out_limit = RESPONSE_FACTS_BYTES, .tell_out = 1,
	    .capture_err = true, .die_with_us = true};
	if (supervise_start(supervisor, &hold->child, err) < 0)
		return -1;
	hold->started = true;
	while (!buffer_contains(&hold->answer.said.kept, "held\n")) {
		enum supervise_event event = supervise_next(supervisor, -1, &child);

		if (event == SUPERVISE_SIGNAL)
			return error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(supervisor->signal));
		if (hold_child_event(hold, supervisor, event, err) < 0)
			return -1;
	}
	return 0;
}

int
hold_child_event(struct hold *hold, struct supervisor *supervisor, enum supervise_event event, struct error *err)
{
	response_read(&hold->response, supervisor, &hold->child);
	if (event != SUPERVISE_ENDED)
		return 0;
	hold->over = true;
	if (hold->child.stopped)
		return 0;
	if (response_finish(&hold->response, &hold->child, err) == 0)
		error_set(err, EX_TEMPFAIL, "node %s: what held it for the task was ended there", hold->response.machine->id);
	return -1;
}

void
hold_ask(struct hold *hold, struct supervisor *supervisor)
{
	if (hold->started && !hold->over)
		supervise_ask(supervisor, &hold->child, RESPONSE_END_MS);
}
