/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/attempt-result.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/printable.h"
#include "base/process.h"
#include "exec/redaction.h"
#include "model/take/task.h"
#include "json/record.h"
#include "json/build.h"
#include "json/scan.h"
#include "model/result.h"

enum {
	EXCERPT_BYTES = 120,
	COOPR_UNAUTHORIZED = 201,
};

/* Sets the members that name the attempt, whatever the plugin says. */
static void
attempt_sign(jv *result, const struct task *task)
{
	json_set_string(result, "kind", "result");
	json_set_string(result, "task", task->id);
	json_set_number(result, "attempt", (double)task->attempt);
	if (task->job)
		json_set_string(result, "job", task->job);
}

jv
attempt_refusal(const struct task *task, int status, const char *message)
{
	jv result = jv_object();

	attempt_sign(&result, task);
	json_set_number(&result, "status", status);
	json_set_string(&result, "message", message);
	return result;
}

/* Quotes the beginning of what the plugin printed, for a message. */
static char *
attempt_excerpt(const struct plugin_end *end)
{
	struct buffer out = {0}, shown = {0};
	size_t length;
	char *begin;

	redaction_text(end->secrets, end->out->data, end->out->length, &out);
	length = out.length < EXCERPT_BYTES ? out.length : EXCERPT_BYTES;
	begin = memory_substring(buffer_string(&out), length);
	buffer_byte(&shown, '"');
	printable_line(begin, &shown);
	buffer_text(&shown, length < out.length ? "...\"" : "\"");
	free(begin);
	buffer_release(&out);
	return buffer_take(&shown);
}

/* Checks the members of the answer, and makes its status a number. Returns -1 with the first problem in err. */
static int
attempt_check(const struct task *task, jv *answer, int exit_code, struct error *err)
{
	struct problems problems = {0};
	struct result result;
	struct place root;
	jv given = json_get(*answer, "status");
	bool wrong;

	attempt_sign(answer, task);
	if (!jv_is_valid(given) || jv_get_kind(given) == JV_KIND_NULL)
		json_set_number(answer, "status", exit_code);
	jv_free(given);
	root = place_root(*answer, &problems);
	result_parse(&root, &result);
	if (problems.count > 0)
		error_set(err, EX_SOFTWARE, "printed a wrong result: %s: %s", problems.list[0].pointer,
		    problems.list[0].text);
	wrong = problems.total > 0;
	json_set_number(answer, "status", (double)result.status);
	result_release(&result);
	problems_release(&problems);
	return wrong ? -1 : 0;
}

/* Reads the one result record that a plugin is to print, owned. Returns -1 with what it did instead in err. */
static int
attempt_read_answer(const struct task *task, const struct plugin_end *end, int exit_code, jv *answer, struct error *err)
{
	const struct buffer *out = end->out;
	char *printed;
	struct error why;
	ssize_t used;
	int result;

	if (end->out_total > ATTEMPT_ANSWER_BYTES)
		return error_set(err, EX_SOFTWARE, "printed a result of %zu bytes; at most %d are taken",
		    end->out_total, ATTEMPT_ANSWER_BYTES);
	used = json_scan(buffer_string(out), out->length, true, &why);
	if (used == 0)
		return error_set(err, exit_code ? exit_code : EX_SOFTWARE, "printed no result");
	*answer = used > 0 ? build_value(out->data, (size_t)used) : jv_invalid();
	printed = attempt_excerpt(end);
	if (jv_get_kind(*answer) != JV_KIND_OBJECT || !record_kind(*answer) || strcmp(record_kind(*answer), "result") != 0)
		result = error_set(err, EX_SOFTWARE, "printed something that is not a result: %s", printed);
	else if (strspn(out->data + used, " \t\r\n") < out->length - (size_t)used)
		result = error_set(err, EX_SOFTWARE, "printed more than one result: %s", printed);
	else
		result = attempt_check(task, answer, exit_code, err);
	free(printed);
	if (result < 0)
		jv_free(*answer);
	return result;
}

/* Explains a failure for which no reason was given, by the last line of the log. */
static char *
attempt_explain(const struct plugin_end *end, const char *what)
{
	char *last = tail_last_line(end->log), *text;

	text = *last ? memory_printf("%s %s; the last line of its log: %s", end->name, what, message_own_words(end->name, last))
	             : memory_printf("%s %s", end->name, what);
	free(last);
	return text;
}

/* Makes the answer agree with the exit code: a plugin that says 0 and exits with 1 has failed. */
static void
attempt_reconcile(jv *answer, const struct plugin_end *end, int exit_code)
{
	double status = json_get_number(*answer, "status", 0);
	jv given = json_get(*answer, "message");
	char what[64] = "", *text;

	if (status == 0 && exit_code != 0) {
		json_set_number(answer, "status", exit_code);
		snprintf(what, sizeof what, "exited with %d", exit_code);
	} else if (status != 0 && !json_string(given)) {
		snprintf(what, sizeof what, "gave status %.0f", status);
	}
	if (*what) {
		text = attempt_explain(end, what);
		json_set_string(answer, "message", text);
		free(text);
	}
	jv_free(given);
}

/* Returns the result of an attempt whose plugin was not stopped. */
static jv
attempt_evaluate_exit(const struct task *task, const struct plugin_end *end)
{
	int status = process_exit_code(end->wait_status);
	struct error err;
	char *text, *what;
	jv answer;

	if (attempt_read_answer(task, end, status, &answer, &err) == 0) {
		attempt_reconcile(&answer, end, status);
		return answer;
	}
	what = status ? memory_printf("exited with %d and %s", status, err.text) : memory_string(err.text);
	text = attempt_explain(end, what);
	answer = attempt_refusal(task, err.code, text);
	free(what);
	free(text);
	return answer;
}

static jv
attempt_evaluate(const struct task *task, const struct plugin_end *end)
{
	int signal = WTERMSIG(end->wait_status);
	struct error err;

	if (end->stopped)
		error_set(&err, EX_TEMPFAIL, "stopped: %s", end->stopped);
	else if (end->timed_out)
		error_set(&err, ATTEMPT_TIMEOUT, "timed out: %s was ended after %lld s", end->name, (long long)task->timeout_s);
	else if (WIFSIGNALED(end->wait_status))
		error_set(&err, process_exit_code(end->wait_status), "%s was killed by signal %d (%s)", end->name, signal,
		    strsignal(signal));
	else
		return attempt_evaluate_exit(task, end);
	return attempt_refusal(task, err.code, err.text);
}

/* Makes the status with which Coopr's providers say that credentials are refused the one that means that everywhere. */
static void
attempt_translate(const struct task *task, jv *result)
{
	if (action_is_providers(task->action) && json_get_number(*result, "status", 0) == COOPR_UNAUTHORIZED)
		json_set_number(result, "status", EX_NOPERM);
}

/* Keeps at most TAIL_BYTES of a text that the plugin gave itself. */
static void
attempt_shorten(jv *result, const char *member)
{
	jv value = json_get(*result, member);
	struct tail tail = {0};

	if (json_string(value)) {
		tail_append(&tail, json_string(value), strlen(json_string(value)));
		json_set(result, member, tail_text(&tail));
	}
	tail_release(&tail);
	jv_free(value);
}

jv
attempt_result(const struct task *task, const struct plugin_end *end)
{
	jv result = attempt_evaluate(task, end), names, own;

	attempt_translate(task, &result);
	names = jv_keys(jv_copy(result));
	/* The names of the members, and what names the attempt, are not the plugin's. */
	for (size_t i = 0; i < json_length(names); i++) {
		jv name = json_element(names, i), member = json_get(result, json_string(name));

		redaction_value(end->secrets, &member);
		json_set(&result, json_string(name), member);
		jv_free(name);
	}
	jv_free(names);
	attempt_sign(&result, task);
	own = json_get(result, "stderr");
	attempt_shorten(&result, "stdout");
	attempt_shorten(&result, "stderr");
	if (!json_string(own))
		json_set(&result, "stderr", tail_text(end->log));
	jv_free(own);
	return result;
}
