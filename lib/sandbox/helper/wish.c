/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/wish.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sandbox/helper/shape.h"

enum {
	CREATE = 1 << WISH_CREATE,
	DELETE = 1 << WISH_DELETE,
	LIST = 1 << WISH_LIST,
	ANY = CREATE | DELETE | LIST,
};

static const char *const verbs[WISH_VERBS] = {"create", "delete", "list"};

static const struct rule {
	const char *name;
	unsigned needed, taken; /* by which verbs */
	bool (*fits)(const char *value);
} rules[] = {
	{"installation", ANY, ANY, shape_is_mark},
	{"name", DELETE, DELETE | LIST, shape_is_name},
	{"node", CREATE, CREATE | LIST, shape_is_id},
	{"cluster", CREATE, CREATE, shape_is_id},
	{"token", CREATE, CREATE, shape_is_token},
	{"provider", CREATE, CREATE, shape_is_id},
	{"hostname", CREATE, CREATE, shape_is_hostname},
	{"login", CREATE, CREATE, shape_is_key},
	{"network", CREATE, CREATE, shape_is_network},
	{"image", CREATE, CREATE, shape_is_image},
	{"shares", 0, CREATE, shape_is_paths},
	{"route", 0, CREATE, shape_is_yes},
	{"cpu", 0, CREATE, shape_is_cpu},
	{"memory", 0, CREATE, shape_is_size},
	{"processes", 0, CREATE, shape_is_count},
	{"disk", 0, CREATE, shape_is_size},
};
enum { RULES = sizeof rules / sizeof *rules };

static const char end[] = "end\n";

const char *
wish_verb_name(enum wish_verb verb)
{
	return verbs[verb];
}

static const char **
wish_value(struct wish *wish, const struct rule *rule)
{
	if (strcmp(rule->name, "installation") == 0)
		return &wish->installation;
	if (strcmp(rule->name, "name") == 0)
		return &wish->machine.name;
	return machine_value(&wish->machine, rule->name, strlen(rule->name));
}

bool
wish_takes(enum wish_verb verb, const char *name)
{
	for (size_t i = 0; i < RULES; i++)
		if (strcmp(rules[i].name, name) == 0)
			return rules[i].taken >> verb & 1;
	return false;
}

void
wish_print(const struct wish *wish, struct buffer *out)
{
	struct wish copy = *wish;

	buffer_printf(out, "%s\n", verbs[wish->verb]);
	for (size_t i = 0; i < RULES; i++) {
		const char *value = *wish_value(&copy, &rules[i]);

		if (rules[i].taken >> wish->verb & 1 && value)
			buffer_printf(out, "%s=%s\n", rules[i].name, value);
	}
	buffer_text(out, end);
}

bool
wish_is_whole(const char *text, size_t length)
{
	return length > strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0 &&
	    text[length - strlen(end) - 1] == '\n';
}

/* Returns the rule of a line "name=value" of length bytes; NULL: there is none for this verb. */
static const struct rule *
wish_rule(enum wish_verb verb, const char *line, size_t length)
{
	const char *equals = memchr(line, '=', length);
	size_t name = equals ? (size_t)(equals - line) : 0;

	for (size_t i = 0; name && i < RULES; i++)
		if (strlen(rules[i].name) == name && memcmp(rules[i].name, line, name) == 0)
			return rules[i].taken >> verb & 1 ? &rules[i] : NULL;
	return NULL;
}

static int
wish_parse_line(struct wish *wish, const char *line, size_t length, struct error *err)
{
	const struct rule *rule = wish_rule(wish->verb, line, length);
	const char **value = rule ? wish_value(wish, rule) : NULL;
	size_t name = rule ? strlen(rule->name) + 1 : 0;

	if (!rule)
		return error_set(err, EX_DATAERR, "request: %s takes no such line", verbs[wish->verb]);
	if (*value)
		return error_set(err, EX_DATAERR, "request: %s stands twice", rule->name);
	*value = arena_substring(&wish->machine.arena, line + name, length - name);
	if (!rule->fits(*value))
		return error_set(err, EX_DATAERR, "request: the value of %s is none that the helper takes", rule->name);
	return 0;
}

static int
wish_parse_verb(struct wish *wish, const char *line, size_t length, struct error *err)
{
	for (int verb = 0; verb < WISH_VERBS; verb++)
		if (strlen(verbs[verb]) == length && memcmp(verbs[verb], line, length) == 0) {
			wish->verb = (enum wish_verb)verb;
			return 0;
		}
	return error_set(err, EX_DATAERR, "request: no such verb");
}

/* Checks what holds for all of the text, so that lines need no further look at their bytes. */
static int
wish_check_text(const char *text, size_t length, struct error *err)
{
	if (length > WISH_LIMIT)
		return error_set(err, EX_DATAERR, "request: more than %d bytes", WISH_LIMIT);
	for (size_t i = 0; i < length; i++)
		if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n')
			return error_set(err, EX_DATAERR, "request: byte %zu is not printable", i + 1);
	if (!wish_is_whole(text, length))
		return error_set(err, EX_DATAERR, "request: cut off");
	return 0;
}

int
wish_parse(const char *text, size_t length, struct wish *wish, struct error *err)
{
	*wish = (struct wish){.verb = WISH_LIST};
	if (wish_check_text(text, length, err) < 0)
		return -1;
	length -= strlen(end);
	for (size_t at = 0; at < length;) {
		size_t line = strcspn(text + at, "\n");
		int result = at == 0 ? wish_parse_verb(wish, text, line, err)
		                     : wish_parse_line(wish, text + at, line, err);

		if (result < 0)
			return -1;
		at += line + 1;
	}
	for (size_t i = 0; i < RULES; i++)
		if (rules[i].needed >> wish->verb & 1 && !*wish_value(wish, &rules[i]))
			return error_set(err, EX_DATAERR, "request: %s lacks %s", verbs[wish->verb], rules[i].name);
	return 0;
}
