/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/remote.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "exec/payload.h"
#include "exec/ssh.h"
#include "exec/supervise.h"
#include "exec/task.h"

enum phase { PHASE_LOGIN, PHASE_SCRIPT, PHASE_OVER }; /* of stderr */

struct conversation {
	const struct machine *machine;
	struct remote_answer *answer;
	char begin[64], end[64]; /* the lines that part the phases; on stdout the status follows end */
	enum phase phase;
	struct buffer pending; /* of stderr: what may be the start of such a line */
	struct tail login;     /* what ssh and the login said */
	bool has_status;
};

/* How many bytes at the end of text may be the start of line. */
static size_t
overlap(const struct buffer *text, const char *line)
{
	size_t length = strlen(line) - 1;

	if (length > text->length)
		length = text->length;
	while (length > 0 && memcmp(text->data + text->length - length, line, length) != 0)
		length--;
	return length;
}

static void
say(struct conversation *talk, size_t length)
{
	struct tail *tail = talk->phase == PHASE_LOGIN ? &talk->login : &talk->answer->said;

	/* Where nobody listens, the task goes on. */
	file_write_all(STDERR_FILENO, talk->pending.data, length);
	tail_append(tail, talk->pending.data, length);
	buffer_drop(&talk->pending, length);
}

static void
hear(struct conversation *talk, struct buffer *err)
{
	if (err->length == 0)
		return;
	buffer_append(&talk->pending, err->data, err->length);
	buffer_clear(err);
	while (talk->phase != PHASE_OVER) {
		const char *line = talk->phase == PHASE_LOGIN ? talk->begin : talk->end;
		char *found = memmem(talk->pending.data, talk->pending.length, line, strlen(line));

		if (!found) {
			say(talk, talk->pending.length - overlap(&talk->pending, line));
			return;
		}
		say(talk, (size_t)(found - talk->pending.data));
		buffer_drop(&talk->pending, strlen(line));
		talk->phase++;
	}
}

/* KEY=VALUE, each closed by a NUL; without a KEY it is a reason. */
static void
keep_facts(struct remote_answer *answer, const char *text, const char *end)
{
	const char *stop;

	for (; (stop = memchr(text, '\0', (size_t)(end - text))); text = stop + 1) {
		const char *value = strchr(text, '=');

		if (!value)
			continue;
		if (value == text) {
			free(answer->reason);
			answer->reason = memory_string(value + 1);
		} else {
			answer->facts = jv_object_set(answer->facts, jv_string_sized(text, (int)(value - text)),
			    jv_string(value + 1));
		}
	}
}

/* Looks whether stdout is complete: BEGIN line, facts, END line with the status. */
static void
read_status(struct conversation *talk, const struct buffer *out)
{
	char line[sizeof talk->end];
	const char *from, *to, *stop;

	if (talk->has_status || out->length == 0)
		return;
	stop = out->data + out->length;
	snprintf(line, sizeof line, "%.*s ", (int)strlen(talk->end) - 1, talk->end);
	from = memmem(out->data, out->length, talk->begin, strlen(talk->begin));
	if (!from)
		return;
	/* The node may print what it likes, an END in front of the BEGIN too. */
	from += strlen(talk->begin);
	to = memmem(from, (size_t)(stop - from), line, strlen(line));
	if (!to || !memchr(to, '\n', (size_t)(stop - to)))
		return;
	talk->answer->status = atoi(to + strlen(line));
	keep_facts(talk->answer, from, to);
	talk->has_status = true;
}

/* Until ssh has ended, which it is told to once all has been said. Returns why it had to be left, 0 or a
 * signal. */
static int
converse(struct conversation *talk, struct supervisor *supervisor, struct child *child)
{
	struct child *which;
	int signal = 0;

	for (;;) {
		enum supervise_event event = supervise_next(supervisor, -1, &which);

		hear(talk, &child->err);
		read_status(talk, &child->out);
		if (event == SUPERVISE_ENDED)
			return signal;
		if (event == SUPERVISE_SIGNAL)
			signal = supervisor->signal;
		if (signal || (talk->phase == PHASE_OVER && (talk->has_status || child->out_total > REMOTE_FACTS_BYTES)))
			supervise_stop(supervisor, child);
	}
}

/* What is to be said where the script did not come to its end. */
static int
explain(struct conversation *talk, const struct child *child, struct error *err)
{
	int code = process_exit_code(child->wait_status);
	struct tail *said = talk->phase == PHASE_LOGIN ? &talk->login : &talk->answer->said;
	char name[SSH_NAME_SIZE], *last = tail_last_line(said);

	ssh_name(talk->machine, name);
	if (child->out_total > REMOTE_FACTS_BYTES)
		error_set(err, EX_DATAERR, "%s: coopr_result was given more than %d bytes in all", name, REMOTE_FACTS_BYTES);
	else if (talk->phase == PHASE_LOGIN && code == 255)
		ssh_explain(talk->machine, said, err);
	else if (talk->phase == PHASE_LOGIN)
		error_set(err, EX_NOPERM, "%s: no shell could be had there: %s", name, *last ? last : "the login ended at once");
	else if (code == 255 || WIFSIGNALED(child->wait_status))
		error_set(err, EX_TEMPFAIL, "%s: the connection was lost while the script ran", name);
	else
		error_set(err, code == EX_CONFIG || code == EX_NOPERM ? code : EX_TEMPFAIL,
		    "%s: the script could not be started: %s", name, *last ? last : "no reason was given");
	free(last);
	return -1;
}

static int
talk_to(struct conversation *talk, char *const *argv, const struct payload *payload, struct error *err)
{
	struct child child = {.argv = argv, .input = payload->script.data, .input_length = payload->script.length,
	    .hold_input = true, .out_limit = REMOTE_FACTS_BYTES, .tell_out = true, .gather_err = true,
	    .die_with_us = true};
	struct supervisor supervisor;
	int failed = -1, signal;

	if (supervise_init(&supervisor, err) == 0 && supervise_start(&supervisor, &child, err) == 0) {
		signal = converse(talk, &supervisor, &child);
		if (signal)
			error_set(err, EX_TEMPFAIL, "stopped by %s", strsignal(signal));
		else
			failed = talk->has_status ? 0 : explain(talk, &child, err);
	}
	supervise_release(&supervisor);
	child_release(&child);
	return failed;
}

int
remote_run(const struct machine *machine, const struct payload *payload, bool become_root,
    struct remote_answer *answer, struct error *err)
{
	struct conversation talk = {.machine = machine, .answer = answer};
	struct buffer command = {0};
	struct ssh ssh = {0};
	int failed = -1;

	*answer = (struct remote_answer){.facts = jv_object()};
	if (ssh_prepare(machine, &ssh, err) == 0) {
		snprintf(talk.begin, sizeof talk.begin, "coopr-begin %s\n", payload->nonce);
		snprintf(talk.end, sizeof talk.end, "coopr-end %s\n", payload->nonce);
		payload_command(payload, become_root, &command);
		arguments_push(&ssh.argv, command.data);
		failed = talk_to(&talk, ssh.argv.list, payload, err);
	}
	buffer_release(&command);
	buffer_release(&talk.pending);
	tail_release(&talk.login);
	ssh_release(&ssh);
	return failed;
}

void
remote_answer_release(struct remote_answer *answer)
{
	jv_free(answer->facts);
	free(answer->reason);
	tail_release(&answer->said);
	*answer = (struct remote_answer){.facts = jv_invalid()};
}
