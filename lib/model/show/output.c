/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/output.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "json/credential.h"
#include "json/json.h"
#include "json/jsonpath.h"
#include "json/yaml.h"

static const char jsonpath[] = "jsonpath=";

static enum output_format
output_format_of(const char *word)
{
	static const struct {
		const char *word;
		enum output_format format;
	} formats[] = {{"table", OUTPUT_TABLE}, {"text", OUTPUT_TABLE}, {"wide", OUTPUT_WIDE}, {"name", OUTPUT_NAME},
	    {"json", OUTPUT_JSON}, {"yaml", OUTPUT_YAML}};

	if (strncmp(word, jsonpath, sizeof jsonpath - 1) == 0)
		return OUTPUT_JSONPATH;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].word, word) == 0)
			return formats[i].format;
	return OUTPUT_OTHER;
}

struct output
output_open(const char *format, const char *colour)
{
	struct output output = {.format = format ? output_format_of(format) : OUTPUT_TABLE, .stream = stdout,
	    .colour = terminal_colour(colour, stdout)};
	struct error err;

	message_reader_may_leave();
	if (output.format != OUTPUT_JSONPATH)
		return output;
	output.template = format + sizeof jsonpath - 1;
	if (jsonpath_check(output.template, &err) == 0)
		return output;
	message("--output: jsonpath template: %s; see coopr-output(7)", err.text);
	exit(EX_USAGE);
}

bool
output_is_records(const struct output *output)
{
	return output->format == OUTPUT_JSON || output->format == OUTPUT_YAML || output->format == OUTPUT_JSONPATH;
}

void
output_value(struct output *output, jv value)
{
	struct buffer text = {0};
	jv record = jv_copy(value);

	if (output->hides)
		credential_hide(&record);
	if (output->format == OUTPUT_YAML) {
		buffer_text(&text, output->records ? "---\n" : "");
		yaml_print(record, &text);
	} else if (output->format == OUTPUT_JSONPATH) {
		jsonpath_print(output->template, record, &text);
	} else {
		json_dump(record, &text);
		buffer_byte(&text, '\n');
	}
	output->records++;
	fwrite(buffer_string(&text), 1, text.length, output->stream);
	buffer_release(&text);
	jv_free(record);
}

void
output_document(struct output *output, jv value)
{
	struct buffer text = {0};
	jv document;

	if (output_is_records(output)) {
		output_value(output, value);
		return;
	}
	document = jv_copy(value);
	if (output->hides)
		credential_hide(&document);
	json_dump_pretty(document, &text);
	fwrite(buffer_string(&text), 1, text.length, output->stream);
	buffer_release(&text);
	jv_free(document);
}

/* Prints the length bytes at text as a record. */
static void
output_text(struct output *output, const char *text, size_t length)
{
	struct error err;
	jv record;

	if (output->format == OUTPUT_JSON && !output->hides) {
		fwrite(text, 1, length, output->stream);
		fputc('\n', output->stream);
		output->records++;
		return;
	}
	if (json_parse("the record", text, length, &record, &err) < 0)
		exit(message_error(&err));
	output_value(output, record);
	jv_free(record);
}

void
output_record(struct output *output, const struct buffer *text)
{
	output_text(output, buffer_string(text), text->length);
}

void
output_lines(struct output *output, const struct buffer *lines)
{
	const char *line = buffer_string(lines), *end = line + lines->length;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((newline ? newline : end) - line);

		output_text(output, line, length);
		line += length + 1;
	}
}
