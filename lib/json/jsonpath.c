/* SPDX-License-Identifier: Apache-2.0 */
#include "json/jsonpath.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"

enum step_kind { STEP_END, STEP_NAME, STEP_INDEX, STEP_EACH };

enum { INDEX_DIGITS = 9 };

struct step { /* of a path */
	enum step_kind kind;
	struct buffer name; /* of a member; released by who reads the step */
	long index;         /* of an element; negative: from the end */
	const char *wrong;  /* why there is no step, where that is so */
};

static const char *
jsonpath_skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static const char wrong_escape[] = "a backslash in quotes is followed by one of n t r \\ \" ' /";
static const char escapes[] = "ntr\\\"'/";

/* Returns the first backslash in a string in quotes that does not begin an escape; NULL where there is none. */
static const char *
jsonpath_wrong_escape(const char *at)
{
	char quote = *at++;

	for (; *at && *at != quote; at++)
		if (*at == '\\' && at[1] && !strchr(escapes, *++at))
			return at - 1;
	return NULL;
}

/* Reads a string in quotes into out. Returns what is behind it, or NULL where no quote ends it. */
static const char *
jsonpath_read_string(const char *at, struct buffer *out)
{
	static const char letters[] = "ntr", meant[] = "\n\t\r";
	char quote = *at++;

	for (; *at && *at != quote; at++) {
		const char *letter = NULL;

		if (*at == '\\' && at[1]) {
			at++;
			letter = strchr(letters, *at);
		}
		buffer_byte(out, letter ? meant[letter - letters] : *at);
	}
	return *at ? at + 1 : NULL;
}

/* Reads "name", in which a backslash takes what is special from the character behind it. */
static const char *
jsonpath_read_name(const char *at, struct buffer *out)
{
	while (*at && !strchr(".[]{} \t(),:?\"'", *at)) {
		at += *at == '\\' && at[1];
		buffer_byte(out, *at++);
	}
	return at;
}

static const char *
jsonpath_wrong(struct step *step, const char *at, const char *wrong)
{
	step->wrong = wrong;
	return at;
}

/* Reads what stands behind "[": a number, "*", or a name in quotes, up to behind "]". */
static const char *
jsonpath_read_bracket(const char *at, struct step *step)
{
	const char *end = at;

	if (*at == '*') {
		step->kind = STEP_EACH;
		end = at + 1;
	} else if (*at == '"' || *at == '\'') {
		step->kind = STEP_NAME;
		end = jsonpath_wrong_escape(at);
		if (end)
			return jsonpath_wrong(step, end, wrong_escape);
		end = jsonpath_read_string(at, &step->name);
		if (!end)
			return jsonpath_wrong(step, at, "a quote that ends the name is missing");
	} else if (*at == '?') {
		return jsonpath_wrong(step, at, "filters are not supported; use -o json and jq(1)");
	} else {
		size_t digits = strspn(at + (*at == '-'), "0123456789");

		if (digits == 0 || digits > INDEX_DIGITS)
			return jsonpath_wrong(step, at, "expected a number, * or a name in quotes");
		step->kind = STEP_INDEX;
		step->index = strtol(at, NULL, 10);
		end = at + (*at == '-') + digits;
	}
	return *end == ']' ? end + 1 : jsonpath_wrong(step, end, "expected ']'");
}

/* Reads a step of a path. Returns what is behind it; where step->wrong is set, the place that is wrong. */
static const char *
jsonpath_read_step(const char *at, struct step *step)
{
	const char *name = at + 1;

	*step = (struct step){.kind = STEP_END};
	if (*at == '[')
		return jsonpath_read_bracket(at + 1, step);
	if (*at != '.')
		return at;
	if (*name == '.')
		return jsonpath_wrong(step, name, "'..' is not supported; use -o json and jq(1)");
	if (*name == '[')
		return jsonpath_read_bracket(name + 1, step);
	if (*name == '*') {
		step->kind = STEP_EACH;
		return name + 1;
	}
	step->kind = STEP_NAME;
	at = jsonpath_read_name(name, &step->name);
	if (at == name && *at && !strchr("} \t", *at))
		return jsonpath_wrong(step, at, "expected the name of a member");
	if (at == name) { /* "{.}": the whole value */
		step->kind = STEP_END;
		buffer_release(&step->name);
	}
	return at;
}

/* Checks what stands in braces, whose first character is at. Returns what is behind them, or NULL with *wrong and *place. */
static const char *
jsonpath_check_braces(const char *at, const char **wrong, const char **place)
{
	struct step step = {.kind = STEP_NAME};

	at = jsonpath_skip_blanks(at);
	*place = at;
	*wrong = "expected a path as .name, or text in quotes";
	if (*at == '"' || *at == '\'') {
		const char *escape = jsonpath_wrong_escape(at);

		if (escape) {
			*place = escape;
			*wrong = wrong_escape;
			return NULL;
		}
		at = jsonpath_read_string(at, &step.name);
		buffer_release(&step.name);
		*wrong = "a quote that ends the text is missing";
		if (!at)
			return NULL;
	} else if (strncmp(at, "range", 5) == 0 || strncmp(at, "end", 3) == 0) {
		*wrong = "range and end are not supported: the template is used for each record";
		return NULL;
	} else {
		at += *at == '$' || *at == '@';
		if (at == *place && *at != '.' && *at != '[')
			return NULL;
		while (step.kind != STEP_END && !step.wrong) {
			*place = at = jsonpath_read_step(at, &step);
			buffer_release(&step.name);
		}
		*wrong = step.wrong;
		if (step.wrong)
			return NULL;
	}
	*place = at = jsonpath_skip_blanks(at);
	*wrong = "expected '}'";
	return *at == '}' ? at + 1 : NULL;
}

int
jsonpath_check(const char *template, struct error *err)
{
	const char *at = strchr(template, '{'), *wrong, *place;

	if (!at)
		return error_set(err, EX_USAGE, "it has no path in braces, such as {.name}");
	while (at) {
		at = jsonpath_check_braces(at + 1, &wrong, &place);
		if (!at)
			return error_set(err, EX_USAGE, "column %zu: %s", (size_t)(place - template) + 1, wrong);
		at = strchr(at, '{');
	}
	return 0;
}

struct printing {
	struct buffer *out;
	bool further; /* a value of this path was printed */
};

static void
jsonpath_print_value(struct printing *printing, jv value)
{
	jv_kind kind = jv_get_kind(value);

	if (kind == JV_KIND_INVALID || kind == JV_KIND_NULL)
		return;
	if (printing->further)
		buffer_byte(printing->out, ' ');
	printing->further = true;
	if (kind == JV_KIND_STRING)
		buffer_append(printing->out, json_string(value), (size_t)jv_string_length_bytes(jv_copy(value)));
	else
		json_dump(value, printing->out);
}

static void jsonpath_walk(struct printing *printing, const char *at, jv value);

static void
jsonpath_walk_each(struct printing *printing, const char *at, jv value)
{
	jv names = jv_get_kind(value) == JV_KIND_OBJECT ? jv_keys(jv_copy(value)) : jv_invalid();
	size_t count = jv_get_kind(value) == JV_KIND_ARRAY ? json_length(value) : json_length(names);

	for (size_t i = 0; i < count; i++) {
		jv name = jv_is_valid(names) ? json_element(names, i) : jv_invalid();

		jsonpath_walk(printing, at, jv_is_valid(name) ? json_get(value, json_string(name)) : json_element(value, i));
		jv_free(name);
	}
	jv_free(names);
}

static jv
jsonpath_element(jv value, long index)
{
	long count = jv_get_kind(value) == JV_KIND_ARRAY ? (long)json_length(value) : 0;

	index += index < 0 ? count : 0;
	return index >= 0 && index < count ? json_element(value, (size_t)index) : jv_invalid();
}

/* Prints what is at the rest of a path in the value, which it frees. It calls itself no deeper than the value is. */
static void
jsonpath_walk(struct printing *printing, const char *at, jv value)
{
	struct step step;

	if (!jv_is_valid(value)) {
		jv_free(value);
		return;
	}
	at = jsonpath_read_step(at, &step);
	switch (step.kind) {
	case STEP_END:
		jsonpath_print_value(printing, value);
		break;
	case STEP_NAME:
		jsonpath_walk(printing, at, json_get(value, buffer_string(&step.name)));
		break;
	case STEP_INDEX:
		jsonpath_walk(printing, at, jsonpath_element(value, step.index));
		break;
	case STEP_EACH:
		jsonpath_walk_each(printing, at, value);
		break;
	}
	buffer_release(&step.name);
	jv_free(value);
}

/* Prints what stands in braces, whose first character is at. */
static void
jsonpath_print_braces(const char *at, jv value, struct buffer *out)
{
	struct printing printing = {.out = out};

	at = jsonpath_skip_blanks(at);
	if (*at == '"' || *at == '\'')
		jsonpath_read_string(at, out);
	else
		jsonpath_walk(&printing, at + (*at == '$' || *at == '@'), jv_copy(value));
}

void
jsonpath_print(const char *template, jv value, struct buffer *out)
{
	const char *wrong, *place;

	while (*template) {
		size_t length = strcspn(template, "{");

		buffer_append(out, template, length);
		template += length;
		if (*template != '{')
			return;
		jsonpath_print_braces(template + 1, value, out);
		template = jsonpath_check_braces(template + 1, &wrong, &place);
	}
}
