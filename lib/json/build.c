/* SPDX-License-Identifier: Apache-2.0 */
#include "json/build.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	NAMES = 512,       /* that are kept, a power of two; another of the same hash takes the place of the one before */
	NAME_BYTES = 40,   /* longer ones are hardly ever the same */
	EXACT_DIGITS = 15, /* an integer of so many digits is exactly a double */
};

static bool shares_nothing;

void
build_share_nothing(void)
{
	shares_nothing = true;
}

jv
build_name(const char *text, size_t length)
{
	static jv names[NAMES];
	uint64_t head = 0, tail = 0, hash;
	jv *kept;

	if (length == 0 || length > NAME_BYTES || shares_nothing)
		return jv_string_sized(text, (int)length);
	memcpy(&head, text, length < sizeof head ? length : sizeof head);
	if (length > sizeof head)
		memcpy(&tail, text + length - sizeof tail, sizeof tail);
	hash = (head ^ (tail + length) * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9fb21c651e98df25);
	kept = &names[hash >> 32 & (NAMES - 1)];
	if (jv_get_kind(*kept) == JV_KIND_STRING && strncmp(jv_string_value(*kept), text, length) == 0 &&
	    jv_string_value(*kept)[length] == '\0')
		return jv_copy(*kept);
	jv_free(*kept);
	*kept = jv_string_sized(text, (int)length);
	return jv_copy(*kept);
}

struct build {
	const char *at, *end;
};

static void
build_skip_space(struct build *build)
{
	while (build->at < build->end && (*build->at == ' ' || *build->at == '\n' || *build->at == '\t' || *build->at == '\r'))
		build->at++;
}

/* At the opening quote. What has escapes is left to libjq. */
static jv
build_string(struct build *build, bool is_name)
{
	const char *start = build->at + 1, *at = start;
	bool escaped = false;

	for (; *at != '"'; at++)
		if (*at == '\\') {
			escaped = true;
			at++;
		}
	build->at = at + 1;
	if (escaped)
		return jv_parse_sized(start - 1, (int)(build->at - start) + 1);
	return is_name ? build_name(start, (size_t)(at - start)) : jv_string_sized(start, (int)(at - start));
}

/* Integers that are exact; all other numbers, and -0, are left to libjq. */
static jv
build_number(struct build *build)
{
	const char *start = build->at, *digits;
	int64_t value = 0;
	bool negative = *start == '-';

	build->at += negative;
	for (digits = build->at; build->at < build->end && *build->at >= '0' && *build->at <= '9'; build->at++)
		if (build->at - digits < EXACT_DIGITS)
			value = 10 * value + (*build->at - '0');
	if (build->at - digits <= EXACT_DIGITS && !(negative && value == 0) &&
	    (build->at == build->end || !strchr(".eE", *build->at) || !*build->at))
		return jv_number((double)(negative ? -value : value));
	while (build->at < build->end && *build->at && strchr("0123456789.eE+-", *build->at))
		build->at++;
	return jv_parse_sized(start, (int)(build->at - start));
}

/* Steps over an opening bracket or a comma; false, and over it, where the closing one stands there. */
static bool
build_next(struct build *build, char closing)
{
	build_skip_space(build);
	if (*build->at == closing) {
		build->at++;
		return false;
	}
	build->at += *build->at == ',';
	build_skip_space(build);
	return true;
}

/* json_scan bounds the depth. */
static jv
build_any(struct build *build)
{
	jv value;

	switch (*build->at) {
	case '{':
		build->at++;
		for (value = jv_object(); build_next(build, '}');) {
			jv name = build_string(build, true);

			build_skip_space(build);
			build->at++; /* the colon */
			build_skip_space(build);
			value = jv_object_set(value, name, build_any(build));
		}
		return value;
	case '[':
		build->at++;
		for (value = jv_array(); build_next(build, ']');)
			value = jv_array_append(value, build_any(build));
		return value;
	case '"':
		return build_string(build, false);
	case 't':
		build->at += strlen("true");
		return jv_true();
	case 'f':
		build->at += strlen("false");
		return jv_false();
	case 'n':
		build->at += strlen("null");
		return jv_null();
	default:
		return build_number(build);
	}
}

jv
build_value(const char *text, size_t length)
{
	struct build build = {text, text + length};

	build_skip_space(&build);
	return build_any(&build);
}
