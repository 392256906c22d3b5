/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster that is made again from today's entities. What its users have chosen (names, number of machines, configuration) stays,
 * unless others are given now; what they have left as the template gave it follows the template.
 */
#include "prepare/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "catalogue/follow.h"
#include "inspect/digest.h"
#include "operation/context.h"
#include "prepare/choices.h"

/* Asks for the template of today; the caller frees it. */
static int
prepare_find_template(const struct operation_context *context, jv request, const struct arguments *more, jv *template, struct error *err)
{
	struct arguments given = {0};
	struct buffer text = {0};
	jv today = jv_invalid();
	int result = choices_of(request, &context->job_dir, &given, err);

	for (size_t i = 0; i < more->count; i++)
		arguments_push(&given, more->list[i]);
	if (result == 0)
		result = prepare_describe(context, &given, NULL, &text, err);
	if (result == 0)
		result = json_parse("the request", buffer_string(&text), text.length, &today, err);
	*template = json_get(today, "template");
	jv_free(today);
	buffer_release(&text);
	arguments_release(&given);
	return result;
}

/* Adds the arguments of the request, and to lines what follows the template and what stays. */
static int
prepare_choose_again(const struct operation_context *context, const struct make_parameters *parameters, struct arguments *given,
    struct buffer *lines, struct error *err)
{
	char *config;
	jv request, template = jv_invalid();
	int result = cluster_documents_request(&context->documents, context->workdir.name, &request, err);

	if (result < 0)
		return -1;
	result = prepare_find_template(context, request, parameters->request, &template, err);
	if (result == 0) {
		follow_template(&request, template, lines);
		result = choices_of(request, &context->job_dir, given, err);
	}
	jv_free(template);
	jv_free(request);
	config = workdir_path(&context->job_dir, "config.json");
	arguments_printf(given, "--config=%s", config);
	for (size_t i = 0; i < parameters->request->count; i++)
		arguments_push(given, parameters->request->list[i]);
	free(config);
	return result;
}

/* Tells a person each of the lines. */
static void
prepare_tell(const struct operation_context *context, const struct buffer *lines)
{
	const char *line = buffer_string(lines);

	while (*line) {
		size_t length = strcspn(line, "\n");
		char *text = memory_printf("%s: %.*s", context->workdir.name, (int)length, line);

		context->options->runner.notice(text);
		free(text);
		line += length + (line[length] == '\n');
	}
}

/* Adds which definitions are behind those of today. */
static int
prepare_list_behind(const struct operation_context *context, struct buffer *lines, struct error *err)
{
	char *path = workdir_path(&context->job_dir, "request.json");
	jv older, newer;
	int result = cluster_documents_request(&context->documents, context->workdir.name, &older, err);

	if (result == 0) {
		result = json_read_file(path, &newer, err);
		if (result == 0) {
			digest_list_changes(older, newer, lines);
			jv_free(newer);
		}
		jv_free(older);
	}
	free(path);
	return result;
}

int
prepare_upgrade(struct operation_context *context, const void *data, struct error *err)
{
	const struct make_parameters *parameters = data;
	struct arguments given = {0};
	struct buffer lines = {0};
	int result = prepare_choose_again(context, parameters, &given, &lines, err);

	if (result == 0)
		result = prepare_by_request(context, parameters, &given, NULL, err);
	if (result == 0)
		result = prepare_list_behind(context, &lines, err);
	if (result == 0)
		prepare_tell(context, &lines);
	buffer_release(&lines);
	arguments_release(&given);
	return result;
}

int
prepare_describe_upgrade(struct operation_context *context, const void *data, struct buffer *text, struct error *err)
{
	struct arguments given = {0};
	struct buffer lines = {0};
	int result = prepare_choose_again(context, data, &given, &lines, err);

	if (result == 0)
		result = prepare_describe(context, &given, NULL, text, err);
	buffer_release(&lines);
	arguments_release(&given);
	return result;
}
