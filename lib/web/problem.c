/* SPDX-License-Identifier: Apache-2.0 */
#include "web/problem.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "http/exchange.h"
#include "json/dump.h"
#include "json/place.h"

#define PROBLEM_TYPE "application/problem+json"

static const struct {
	int code, status;
} statuses[] = {
	{EX_NO, 409},      {EX_USAGE, 422},    {EX_DATAERR, 422}, {EX_NOINPUT, 404}, {EX_NOUSER, 404},  {EX_UNAVAILABLE, 503},
	{EX_CANTCREAT, 409}, {EX_IOERR, 503},  {EX_TEMPFAIL, 409}, {EX_PROTOCOL, 502}, {EX_NOPERM, 403}, {EX_CONFIG, 500},
};

struct problem_signs { /* of what has failed, besides an exit code */
	bool absent; /* what was named is not there, or nothing of what was to be shown */
	bool too_large;
	jv errors; /* the members of the request that are named, as problem_answer_all lists them; invalid: none */
};

static int
problem_status(int code, struct problem_signs signs)
{
	if (signs.absent && code == EX_NO)
		return 404;
	if (signs.too_large && code == EX_DATAERR)
		return 413;
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].code == code)
			return statuses[i].status;
	return 500;
}

static void
problem_send(struct http_exchange *exchange, int status, jv problem)
{
	json_set_number(&problem, "status", status);
	json_set_string(&problem, "title", http_reason(status));
	buffer_clear(&exchange->answer.body);
	json_dump(problem, &exchange->answer.body);
	buffer_byte(&exchange->answer.body, '\n');
	jv_free(problem);
	exchange->answer.status = status;
	exchange->answer.type = PROBLEM_TYPE;
}

void
problem_answer(struct http_exchange *exchange, int status, const char *detail)
{
	jv problem = jv_object();

	if (detail)
		json_set_string(&problem, "detail", detail);
	problem_send(exchange, status, problem);
}

void
problem_answer_error(struct http_exchange *exchange, const struct error *err)
{
	problem_answer(exchange, problem_status(err->code, (struct problem_signs){.absent = true, .too_large = err->too_large}), err->text);
}

void
problem_answer_all(struct http_exchange *exchange, const struct problems *problems)
{
	jv problem = jv_object(), list = jv_array();

	for (size_t i = 0; i < problems->count; i++) {
		jv one = jv_object();

		json_set_string(&one, "pointer", problems->list[i].pointer);
		json_set_string(&one, "detail", problems->list[i].text);
		list = jv_array_append(list, one);
	}
	if (problems->count)
		json_set_string(&problem, "detail", problems->list[0].text);
	json_set(&problem, "errors", list);
	problem_send(exchange, 422, problem);
}

static bool
problem_says(jv record, const char *name)
{
	jv member = json_get(record, name);
	bool is_true = jv_get_kind(member) == JV_KIND_TRUE;

	jv_free(member);
	return is_true;
}

/* Notes the member of the request that is the way out of an error, which the record calls an option. */
static void
problem_note_option(jv record, struct problem_signs *signs)
{
	char *option = json_get_string(record, "option");

	if (option) {
		jv one = JV_OBJECT(jv_string("pointer"), jv_string_fmt("/%s", option), jv_string("detail"), json_get(record, "reason"),
		    jv_string("permits"), jv_true());

		signs->errors = jv_array_append(jv_is_valid(signs->errors) ? signs->errors : jv_array(), one);
	}
	free(option);
}

/* Adds a line of stderr to the messages; of a record of coopr's, its text, and what it says. */
static void
problem_add_line(const char *line, size_t length, jv *messages, jv *detail, struct problem_signs *signs)
{
	struct error ignored;
	jv record, text;

	if (json_parse("the message", line, length, &record, &ignored) < 0) {
		text = jv_string_sized(line, (int)length); /* of another program */
	} else {
		signs->absent |= problem_says(record, "absent");
		signs->too_large |= problem_says(record, "too_large");
		problem_note_option(record, signs);
		text = json_get(record, "text");
		jv_free(record);
	}
	*messages = jv_array_append(*messages, jv_copy(text));
	jv_free(*detail);
	*detail = text;
}

/* Answers with a status, or 0: that of the exit code, and with what a command has said. */
static void
problem_answer_said(struct http_exchange *exchange, int status, int code, bool looks, const struct buffer *said)
{
	jv problem = jv_object(), messages = jv_array(), detail = jv_null();
	const char *at = buffer_string(said);
	struct problem_signs signs = {.absent = looks, .errors = jv_invalid()};

	while (*at) {
		size_t length = strcspn(at, "\n");

		if (length > 0)
			problem_add_line(at, length, &messages, &detail, &signs);
		at += length + (at[length] == '\n');
	}
	if (code > 128 && jv_get_kind(detail) != JV_KIND_STRING)
		detail = jv_string_fmt("the command was killed by signal %d; check what was done before you repeat the request", code - 128);
	json_set(&problem, "detail", detail);
	json_set(&problem, "messages", messages);
	if (jv_is_valid(signs.errors))
		json_set(&problem, "errors", signs.errors);
	json_set_number(&problem, "exit_code", code);
	problem_send(exchange, status ? status : problem_status(code, signs), problem);
}

void
problem_answer_exit(struct http_exchange *exchange, int code, bool looks, const struct buffer *said)
{
	problem_answer_said(exchange, 0, code, looks, said);
}

void
problem_answer_status(struct http_exchange *exchange, int status, int code, const struct buffer *said)
{
	problem_answer_said(exchange, status, code, false, said);
}

void
problem_make_text(struct http_exchange *exchange)
{
	struct buffer *body = &exchange->answer.body;
	struct error ignored;
	char *detail = NULL;
	jv problem;

	if (!exchange->answer.type || strcmp(exchange->answer.type, PROBLEM_TYPE) != 0)
		return;
	if (json_parse("the problem", buffer_string(body), body->length, &problem, &ignored) == 0) {
		detail = json_get_string(problem, "detail");
		jv_free(problem);
	}
	buffer_clear(body);
	buffer_text(body, detail ? detail : http_reason(exchange->answer.status));
	exchange->answer.type = "text/plain; charset=utf-8";
	free(detail);
}
