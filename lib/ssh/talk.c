/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/supervise.h"
#include "model/take/task.h"
#include "ssh/payload.h"
#include "ssh/ssh.h"

/* Returns how many bytes at the end of text may be the beginning of line. */
static size_t
talk_overlap(const struct buffer *text, const char *line)
{
	size_t length = strlen(line) - 1;

	if (length > text->length)
		length = text->length;
	while (length > 0 && memcmp(text->data + text->length - length, line, length) != 0)
		length--;
	return length;
}

static void
talk_say(struct talk *talk, size_t length)
{
	struct tail *tail = talk->phase == TALK_LOGIN ? &talk->login : &talk->answer->said;

	if (length > 0)
		talk->say(talk->to, talk->pending.data, length);
	tail_append(tail, talk->pending.data, length);
	buffer_drop(&talk->pending, length);
}

static void
ssh_talk_hear(struct talk *talk, struct buffer *err)
{
	if (err->length == 0)
		return;
	buffer_append(&talk->pending, err->data, err->length);
	buffer_clear(err);
	while (talk->phase != TALK_OVER) {
		const char *line = talk->phase == TALK_LOGIN ? talk->begin : talk->end;
		char *found = memmem(talk->pending.data, talk->pending.length, line, strlen(line));

		if (!found) {
			talk_say(talk, talk->pending.length - talk_overlap(&talk->pending, line));
			return;
		}
		talk_say(talk, (size_t)(found - talk->pending.data));
		buffer_drop(&talk->pending, strlen(line));
		talk->phase++;
	}
}

/* KEY=VALUE, each closed by a NUL; without a KEY it is a reason. */
static void
talk_keep_facts(struct remote_answer *answer, const char *text, const char *end)
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
talk_read_status(struct talk *talk, const struct buffer *out)
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
	talk_keep_facts(talk->answer, from, to);
	talk->has_status = true;
}

/* Sets the reason why the script did not run to its end. */
static int
talk_explain(struct talk *talk, const struct child *child, struct error *err)
{
	int code = process_exit_code(child->wait_status);
	struct tail *said = talk->phase == TALK_LOGIN ? &talk->login : &talk->answer->said;
	char name[SSH_NAME_SIZE], *last = tail_last_line(said);

	ssh_name(talk->machine, name);
	if (child->out_total > TALK_FACTS_BYTES)
		error_set(err, EX_DATAERR, "%s: coopr_result was given more than %d bytes in all", name, TALK_FACTS_BYTES);
	else if (talk->phase == TALK_LOGIN && code == 255)
		ssh_explain(talk->machine, said, err);
	else if (talk->phase == TALK_LOGIN)
		error_set(err, EX_NOPERM, "%s: no shell could be had there: %s", name, *last ? last : "the login ended at once");
	else if (code == 255 || WIFSIGNALED(child->wait_status))
		error_set(err, EX_TEMPFAIL, "%s: the connection was lost while the script ran", name);
	else
		error_set(err, code == EX_CONFIG || code == EX_NOPERM ? code : EX_TEMPFAIL,
		    "%s: the script could not be started: %s", name, *last ? last : "no reason was given");
	free(last);
	return -1;
}

void
talk_begin(struct talk *talk, const struct machine *machine, const struct payload *payload,
    struct remote_answer *answer)
{
	*answer = (struct remote_answer){.facts = jv_object()};
	talk->machine = machine;
	talk->answer = answer;
	snprintf(talk->begin, sizeof talk->begin, "coopr-begin %s\n", payload->nonce);
	snprintf(talk->end, sizeof talk->end, "coopr-end %s\n", payload->nonce);
}

bool
talk_hear(struct talk *talk, struct child *child)
{
	ssh_talk_hear(talk, &child->err);
	talk->answer->reached = talk->phase != TALK_LOGIN;
	talk_read_status(talk, &child->out);
	return talk->phase == TALK_OVER && (talk->has_status || child->out_total > TALK_FACTS_BYTES);
}

int
talk_finish(struct talk *talk, const struct child *child, struct error *err)
{
	return talk->has_status ? 0 : talk_explain(talk, child, err);
}

void
talk_release(struct talk *talk)
{
	buffer_release(&talk->pending);
	tail_release(&talk->login);
}

void
remote_answer_release(struct remote_answer *answer)
{
	jv_free(answer->facts);
	free(answer->reason);
	tail_release(&answer->said);
	*answer = (struct remote_answer){.facts = jv_invalid()};
}
