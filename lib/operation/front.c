/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/preference.h"
#include "json/credential.h"
#include "model/duration.h"
#include "model/name.h"
#include "operation/secret-input.h"
#include "operation/summary.h"
#include "preview/preview.h"
#include "ssh/shell-words.h"

enum { JOBS = 20 }; /* tasks at one time */

static struct { /* that the operation is given: they are read once, and live until the exit */
	struct operation_secret *list;
	size_t count, capacity;
	bool are_read;
} front_given;

/* Returns whether only a plan is to be made. */
static bool
front_is_dry(const struct front *front)
{
	return front->dry || front->save;
}

/* Adds a secret, whose value is not there yet. Exits where its name is none. */
static struct operation_secret *
front_add_secret(const struct command *command, const char *option, const char *name, size_t length)
{
	struct operation_secret secret = {.name = memory_substring(name, length)};

	if (!name_is_valid(secret.name))
		exit(option_misuse(command, "%s: invalid name '%s': expected 1 to 255 letters, digits, _ . -", option, secret.name));
	ARRAY_ROOM(front_given.list, front_given.count, front_given.capacity);
	front_given.list[front_given.count] = secret;
	return &front_given.list[front_given.count++];
}

/* Reads the secret NAME=FILE, or NAME from standard input. */
static int
front_read_secret(const struct command *command, const char *text, struct error *err)
{
	size_t length = strcspn(text, "=");
	const char *file = text[length] ? text + length + 1 : "-";
	struct operation_secret *secret = front_add_secret(command, "--secret", text, length);

	return guest_refuse_file(file, err) < 0 ? -1 : secret_input(file, false, "secret", &secret->value, err);
}

/* Reads several. */
static int
front_read_secrets_file(const struct command *command, const char *file, struct error *err)
{
	jv object;
	int result = guest_refuse_file(file, err) < 0 ? -1 : secret_input_line(file, &object, err);
	struct problems problems = {0};
	struct place root, member;
	struct members members;

	if (result < 0)
		return -1;
	root = place_root(object, &problems);
	if (place_object(&root, NEED_REQUIRED))
		for (members = members_of(&root); members_next(&members, &member);) {
			struct operation_secret *secret = front_add_secret(command, "--secrets", member.name, strlen(member.name));

			if (result == 0 && place_text(&member, NEED_REQUIRED))
				result = secret_input_text(member.name, json_string(member.value), &secret->value, err);
		}
	if (result == 0)
		result = problems_error(&problems, "the secrets", EX_DATAERR, err);
	problems_release(&problems);
	jv_free(object);
	return result;
}

void
front_read_secrets(const struct command *command, const struct front *front)
{
	struct error err;
	int result = 0;

	if (front_given.are_read)
		return;
	front_given.are_read = true;
	if (front->secrets_file)
		result = front_read_secrets_file(command, front->secrets_file, &err);
	for (size_t i = 0; i < front->secrets.count && result == 0; i++)
		result = front_read_secret(command, front->secrets.list[i], &err);
	if (result < 0)
		exit(message_error(&err));
}

struct operation_options
front_options(const struct command *command, const struct front *front)
{
	long jobs = front->jobs < 0 ? preference_jobs(JOBS) : front->jobs;
	struct error err;

	if (guest_refuse_options(&err) < 0)
		exit(message_error(&err));
	if (jobs < 1 || jobs > PREFERENCE_JOBS_MAX)
		exit(option_misuse(command, "--jobs: expected a number from 1 to %d, found %ld", PREFERENCE_JOBS_MAX, jobs));
	if (front->save && !*front->save)
		exit(option_misuse(command, "--save: expected the name of a file, or -"));
	if (front->save && (front->secrets.count || front->secrets_file))
		exit(option_misuse(command, "--secret: no secret is kept in a plan that is saved; give it to coopr run"));
	if (front->timeout && !front->wait)
		exit(option_misuse(command, "--timeout: has no effect without --wait"));
	option_excludes(command, "output", "quiet");
	if (front->quiet)
		message_quiet();
	front_read_secrets(command, front);
	return (struct operation_options){
		.ask = {.store = front->store, .tenant = front->tenant, .user = front->user, .why = front->why},
		.runner = {front->spool, jobs, message_notice, front->quiet},
		.wait = front->wait, .wait_ms = front->timeout ? front_duration(command, "--timeout", front->timeout) : 0,
		.secrets = front_given.list, .secret_count = front_given.count,
		.detach = front->detach, .discard_data = front->discard, .dry = front_is_dry(front), .save = front->save,
	};
}

char *
front_first(const struct command *command, char **operands)
{
	if (!operands[0])
		exit(option_misuse(command, "missing argument CLUSTER"));
	return operands[0];
}

char *
front_cluster(const struct command *command, char **operands)
{
	char *cluster = front_first(command, operands);

	if (operands[1])
		exit(option_misuse(command, "expected one cluster, found also '%s'", operands[1]));
	return cluster;
}

struct string_list
front_rest(char **operands)
{
	struct string_list rest = {(const char **)(operands + 1), 0};

	while (rest.list[rest.count])
		rest.count++;
	return rest;
}

struct string_list
front_services(const struct command *command, char **operands)
{
	struct string_list services;

	front_first(command, operands);
	services = front_rest(operands);
	if (services.count == 0)
		exit(option_misuse(command, "missing argument SERVICE"));
	return services;
}

int64_t
front_duration(const struct command *command, const char *what, const char *text)
{
	int64_t ms = strcmp(text, "0") == 0 ? 0 : duration_parse(text);

	if (ms < 0)
		exit(option_misuse(command, "%s: expected a duration as 30s, 15m, 12h or 2d, or 0, found '%s'", what, text));
	return ms;
}

static void
front_append_word(const char *word, struct buffer *line)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";

	if (*word && !word[strspn(word, plain)])
		buffer_text(line, word);
	else
		shell_words_quote(word, line);
}

static void
front_append_option(const char *name, const char *value, struct buffer *line)
{
	buffer_printf(line, " --%s%s", name, value ? "=" : "");
	if (value)
		front_append_word(value, line);
}

/* Appends an element of a list; a password that is set is not for the history. */
static void
front_append_list_option(const char *name, const char *value, struct buffer *line)
{
	char *shown = strcmp(name, "set") == 0 ? credential_hide_assignment(value) : memory_string(value);

	front_append_option(name, shown, line);
	free(shown);
}

/* Appends the option as far as it was given, or has a default. */
static void
front_append_options(const struct option_spec *spec, struct buffer *line)
{
	const struct option_list *list = spec->value;
	const char *text;

	switch (spec->kind) {
	case OPTION_KIND_FLAG:
		if (*(const bool *)spec->value)
			front_append_option(spec->name, NULL, line);
		break;
	case OPTION_KIND_STRING:
		text = *(const char *const *)spec->value;
		if (text)
			front_append_option(spec->name, text, line);
		break;
	case OPTION_KIND_LIST:
		for (size_t i = 0; i < list->count; i++)
			front_append_list_option(spec->name, list->list[i], line);
		break;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_UPTO:
	case OPTION_KIND_RETIRED:
	case OPTION_KIND_END:
		break;
	}
}

/* Returns the command that would repeat the request; the caller frees it. How it is to be done, and how it is to be
 * answered, which the options in front say, is not part of that. */
static char *
front_command_line(const struct command *command, const struct front *front, const struct operation_request *request,
    char **operands)
{
	struct buffer line = {0};

	buffer_printf(&line, "coopr %s", request->verb ? request->verb : request->action);
	for (const struct option_spec *spec = command->options; spec->kind != OPTION_KIND_END; spec++)
		if ((const char *)spec->value < (const char *)front || (const char *)spec->value >= (const char *)(front + 1))
			front_append_options(spec, &line);
	for (; *operands; operands++) {
		buffer_byte(&line, ' ');
		front_append_word(*operands, &line);
	}
	return buffer_take(&line);
}

static void
front_print_job(const char *job, struct output *output)
{
	jv record = jv_object();

	json_set_string(&record, "kind", "begun");
	json_set_string(&record, "job", job);
	if (output_is_records(output))
		output_value(output, record);
	else
		puts(job);
	jv_free(record);
}

/* Returns whether the plan that is saved has been printed, so that nothing else may be. */
static bool
front_saves_to_output(const struct front *front)
{
	return front->save && strcmp(front->save, "-") == 0;
}

/* Prints the result: of a dry run the plan, else the job that workers run, or the layout that was made. Without a job nothing is left. */
static int
front_answer(const struct front *front, const struct operation_result *done, struct output *output, struct error *err)
{
	output->hides = done->hides;
	if (front_saves_to_output(front))
		return fflush(stdout) == 0 ? 0 : error_errno(err, EX_IOERR, "standard output");
	if (front_is_dry(front))
		return output_is_records(output) ? summary_copy(done->plan, output, err)
		                                 : preview_print(done->plan, &done->basis, stdout, output->colour, err);
	if (!done->job)
		return 0;
	if (front->detach) {
		front_print_job(done->job, output);
		return fflush(stdout) == 0 ? 0 : error_errno(err, EX_IOERR,
		    "job %s runs, but standard output cannot be written", done->job);
	}
	if (!done->layout)
		return 0;
	return output_is_records(output) ? summary_copy(done->layout, output, err)
	                                 : summary_print(done->layout, done->name, &done->efficiency, stdout, output->colour, err);
}

int
front_operate(const struct command *command, const struct front *front, struct operation_request *request, char **operands)
{
	struct output output = output_open(front->format, front->colour);
	struct operation_options options = front_options(command, front);
	char *line = request->command ? NULL : front_command_line(command, front, request, operands);
	struct operation_result done;
	struct error err;
	int result;

	options.ask_consent = !front->yes;
	options.has_person = true;
	request->consent.colour = front->colour;
	if (line)
		request->command = line;
	result = operate(request, &options, &done, &err);
	if (result == 0)
		result = front_answer(front, &done, &output, &err);
	if (result == 0 && front->save && !front_saves_to_output(front) && !front->quiet)
		message("%s: plan saved; coopr run %s carries out exactly this", front->save, front->save);
	operation_result_release(&done);
	free(line);
	return result < 0 ? message_error(&err) : message_end(0);
}

int
front_retry(const struct command *command, const struct front *front, struct operation_request *anew, char **operands)
{
	struct output output = output_open(front->format, front->colour);
	struct operation_options options = front_options(command, front);
	struct operation_result done;
	struct error err;
	char *line;
	int result;

	if (front->dry)
		return option_misuse(command, "--dry-run: a retry makes no plan; coopr-queue show prints the existing one");
	options.ask_consent = !front->yes;
	options.has_person = true;
	anew->consent.colour = front->colour;
	anew->command = line = front_command_line(command, front, anew, operands);
	result = operate_retry(anew, &options, &done, &err);
	if (result == 0)
		result = front_answer(front, &done, &output, &err);
	operation_result_release(&done);
	free(line);
	return result < 0 ? message_error(&err) : message_end(0);
}
