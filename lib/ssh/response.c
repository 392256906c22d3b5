/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "event/supervise.h"
#include "model/take/task.h"
#include "ssh/payload.h"
#include "ssh/ssh.h"

/* Returns how many bytes at the end of text may be the beginning of line. */
static size_t
response_overlap(const struct buffer *text, const char *line)
{
	size_t length = strlen(line) - 1;

	if (length > text->length)
		length = text->length;
	while (length > 0 && memcmp(text->data + text->length - length, line, length) != 0)
		length--;
	return length;
}

/* Hands on so many bytes of what is pending. */
static void
response_log(struct response *response, size_t length)
{
	struct tail *tail = response->phase == RESPONSE_LOGIN ? &response->login : &response->answer->said;

	if (length > 0)
		response->log(response->log_to, response->pending.data, length);
	tail_append(tail, response->pending.data, length);
	buffer_drop(&response->pending, length);
}

static void
response_take_stderr(struct response *response, struct buffer *err)
{
	if (err->length == 0)
		return;
	buffer_append(&response->pending, err->data, err->length);
	buffer_clear(err);
	while (response->phase != RESPONSE_OVER) {
		const char *line = response->phase == RESPONSE_LOGIN ? response->begin : response->end;
		char *found = memmem(response->pending.data, response->pending.length, line, strlen(line));

		if (!found) {
			response_log(response, response->pending.length - response_overlap(&response->pending, line));
			return;
		}
		response_log(response, (size_t)(found - response->pending.data));
		buffer_drop(&response->pending, strlen(line));
		response->phase++;
	}
}

/* Returns whether a script may say that of its machine. Which machine it is, and how to enter it, only the provider says: a machine
 * that could name another would have that deleted in its place. */
static bool
response_is_fact(const char *key, size_t length)
{
	static const char *const providers[] = {"names", "providerid", "ssh-auth", "ssh_host_keys", "ssh_host_keys_from"};

	for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
		if (strlen(providers[i]) == length && memcmp(providers[i], key, length) == 0)
			return false;
	return true;
}

/* Takes the facts, KEY=VALUE, each closed by a NUL; without a KEY it is a reason. */
static void
response_parse_facts(struct remote_answer *answer, const char *text, const char *end)
{
	const char *stop;

	for (; (stop = memchr(text, '\0', (size_t)(end - text))); text = stop + 1) {
		const char *value = strchr(text, '=');

		if (!value)
			continue;
		if (value == text) {
			free(answer->reason);
			answer->reason = memory_string(value + 1);
		} else if (response_is_fact(text, (size_t)(value - text))) {
			answer->facts = jv_object_set(answer->facts, jv_string_sized(text, (int)(value - text)),
			    jv_string(value + 1));
		}
	}
}

/* Hands on what is the archive's: what stands between the BEGIN line and the line that ends it. */
static void
response_take_archive(struct response *response, struct buffer *out)
{
	char line[sizeof response->end];
	const char *found;
	size_t length;

	if (response->archived == RESPONSE_NO_ARCHIVE) {
		found = memmem(buffer_string(out), out->length, response->begin, strlen(response->begin));
		if (!found)
			return;
		buffer_drop(out, (size_t)(found - out->data) + strlen(response->begin));
		response->archived = RESPONSE_ARCHIVE;
	}
	if (response->archived != RESPONSE_ARCHIVE || out->length == 0)
		return;
	snprintf(line, sizeof line, "coopr-archive %s", response->begin + strlen("coopr-begin "));
	found = memmem(out->data, out->length, line, strlen(line));
	length = found ? (size_t)(found - out->data) : out->length - response_overlap(out, line);
	if (file_write_all(response->archive, out->data, length) < 0)
		response->archived = RESPONSE_ARCHIVE_FAILED;
	else if (found)
		response->archived = RESPONSE_ARCHIVED;
	length += found ? strlen(line) : 0;
	buffer_drop(out, length);
	response->passed += length;
}

/* Gives the node the part of the payload that it has not cached, if it asks for it: behind the BEGIN line, and once. */
static void
response_give(struct response *response, struct supervisor *supervisor, struct child *child)
{
	struct buffer *cached = &response->payload->cached;
	char lines[2 * sizeof response->begin];
	char *asked;

	if (cached->length == 0 || child->out.length == 0)
		return;
	snprintf(lines, sizeof lines, "%scoopr-want %s", response->begin, response->begin + strlen("coopr-begin "));
	asked = memmem(child->out.data, child->out.length, lines, strlen(lines));
	if (!asked)
		return;
	buffer_drop(&child->out, (size_t)(asked - child->out.data));
	memmove(child->out.data + strlen(lines) - strlen(response->begin), response->begin, strlen(response->begin));
	buffer_drop(&child->out, strlen(lines) - strlen(response->begin));
	supervise_feed(supervisor, child, cached->data, cached->length);
	buffer_release(cached);
}

/* Takes stdout once it is complete: BEGIN line, facts, END line with the status. */
static void
response_read_status(struct response *response, const struct buffer *out)
{
	char line[sizeof response->end];
	const char *from, *to, *stop;

	if (response->has_status || out->length == 0)
		return;
	stop = out->data + out->length;
	snprintf(line, sizeof line, "%.*s ", (int)strlen(response->end) - 1, response->end);
	if (response->archive >= 0) {
		from = response->archived == RESPONSE_ARCHIVED ? out->data : NULL;
	} else {
		/* The node may print what it likes, an END in front of the BEGIN too. */
		from = memmem(out->data, out->length, response->begin, strlen(response->begin));
		from = from ? from + strlen(response->begin) : NULL;
	}
	if (!from)
		return;
	to = memmem(from, (size_t)(stop - from), line, strlen(line));
	if (!to || !memchr(to, '\n', (size_t)(stop - to)))
		return;
	response->answer->status = atoi(to + strlen(line));
	response_parse_facts(response->answer, from, to);
	response->has_status = true;
}

/* Sets the reason why the script did not run to its end. */
static int
response_explain(struct response *response, const struct child *child, struct error *err)
{
	int code = process_exit_code(child->wait_status);
	struct tail *said = response->phase == RESPONSE_LOGIN ? &response->login : &response->answer->said;
	char name[SSH_NAME_SIZE], *last = tail_last_line(said);

	ssh_name(response->machine, name);
	if (response->archived == RESPONSE_ARCHIVE_FAILED)
		error_set(err, EX_TEMPFAIL, "%s: what the script prints is not taken any more", name);
	else if (child->out_total - response->passed > RESPONSE_FACTS_BYTES)
		error_set(err, EX_DATAERR, "%s: coopr_result was given more than %d bytes in all", name, RESPONSE_FACTS_BYTES);
	else if (response->phase == RESPONSE_LOGIN && code == 255)
		ssh_explain(response->machine, said, err);
	else if (response->phase == RESPONSE_LOGIN)
		error_set(err, EX_NOPERM, "%s: no shell starts there: %s", name, *last ? last : "the login ended at once");
	else if (code == 255 || WIFSIGNALED(child->wait_status))
		error_set(err, EX_TEMPFAIL, "%s: the connection was lost while the script ran", name);
	else
		error_set(err, code == EX_CONFIG || code == EX_NOPERM ? code : EX_TEMPFAIL,
		    "%s: the script could not be started: %s", name, *last ? last : "no reason was given");
	free(last);
	return -1;
}

void
response_begin(struct response *response, const struct machine *machine, struct payload *payload, struct remote_answer *answer)
{
	*answer = (struct remote_answer){.facts = jv_object()};
	response->machine = machine;
	response->payload = payload;
	response->answer = answer;
	response->archive = -1;
	snprintf(response->begin, sizeof response->begin, "coopr-begin %s\n", payload->nonce);
	snprintf(response->end, sizeof response->end, "coopr-end %s\n", payload->nonce);
}

bool
response_read(struct response *response, struct supervisor *supervisor, struct child *child)
{
	response_give(response, supervisor, child);
	response_take_stderr(response, &child->err);
	response->answer->reached = response->phase != RESPONSE_LOGIN;
	if (response->archive >= 0)
		response_take_archive(response, &child->out);
	response_read_status(response, &child->out);
	return response->archived == RESPONSE_ARCHIVE_FAILED || (response->phase == RESPONSE_OVER &&
	    (response->has_status || child->out_total - response->passed > RESPONSE_FACTS_BYTES));
}

int
response_finish(struct response *response, const struct child *child, struct error *err)
{
	return response->has_status ? 0 : response_explain(response, child, err);
}

void
response_release(struct response *response)
{
	buffer_release(&response->pending);
	tail_release(&response->login);
}

void
remote_answer_release(struct remote_answer *answer)
{
	jv_free(answer->facts);
	free(answer->reason);
	tail_release(&answer->said);
	*answer = (struct remote_answer){.facts = jv_invalid()};
}
