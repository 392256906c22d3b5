/* SPDX-License-Identifier: Apache-2.0 */
#include "json/yaml-plain.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "json/scan.h"

static bool
yaml_plain_is_one_of(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncasecmp(*words, text, length) == 0)
			return true;
	return false;
}

bool
yaml_plain_is_true(const char *text, size_t length)
{
	static const char *const words[] = {"true", "yes", "on", "y", NULL};

	return yaml_plain_is_one_of(text, length, words);
}

static const char *
yaml_plain_digits(const char *at, const char *end)
{
	while (at < end && (isdigit((unsigned char)*at) || *at == '_'))
		at++;
	return at;
}

/* Tells whether it is digits with a base before them: 0x1f, 0b1, 0o17. */
static bool
yaml_plain_has_base(const char *at, const char *end)
{
	if (end - at < 3 || at[0] != '0' || !strchr("xXoObB", at[1]))
		return false;
	for (at += 2; at < end; at++)
		if (!isxdigit((unsigned char)*at) && *at != '_')
			return false;
	return true;
}

/* Tells whether some reader takes it for a number: digits and underscores, a fraction, an exponent, a base, infinity. */
static bool
yaml_plain_is_number(const char *text, size_t length)
{
	static const char *const not_finite[] = {".inf", ".nan", NULL};
	const char *at = text, *end = text + length, *start;
	size_t digits;

	if (at < end && (*at == '+' || *at == '-'))
		at++;
	if (yaml_plain_is_one_of(at, (size_t)(end - at), not_finite) || yaml_plain_has_base(at, end))
		return true;
	if (at == end || *at == '_')
		return false;
	start = at;
	at = yaml_plain_digits(at, end);
	digits = (size_t)(at - start);
	if (at < end && *at == '.') {
		start = ++at;
		at = yaml_plain_digits(at, end);
		digits += (size_t)(at - start);
	}
	if (digits > 0 && at < end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < end && (*at == '+' || *at == '-');
		start = at;
		at = yaml_plain_digits(at, end);
		digits = (size_t)(at - start);
	}
	return digits > 0 && at == end;
}

enum yaml_plain
yaml_plain(const char *text, size_t length, const char **reason)
{
	static const char *const json[] = {"true", "false", "null"};
	static const char *const truths[] = {"true", "false", "yes", "no", "on", "off", "y", "n", NULL};
	static const char *const nothings[] = {"null", "~", NULL};

	for (size_t i = 0; i < sizeof json / sizeof *json; i++)
		if (strlen(json[i]) == length && memcmp(json[i], text, length) == 0)
			return YAML_PLAIN_JSON;
	if (yaml_plain_is_one_of(text, length, truths))
		return YAML_PLAIN_TRUTH;
	if (yaml_plain_is_one_of(text, length, nothings))
		return YAML_PLAIN_NOTHING;
	if (json_scan_number(text, length, reason))
		return *reason ? YAML_PLAIN_LOST : YAML_PLAIN_JSON;
	return yaml_plain_is_number(text, length) ? YAML_PLAIN_NUMBER : YAML_PLAIN_TEXT;
}
