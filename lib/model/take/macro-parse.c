/* SPDX-License-Identifier: Apache-2.0
 *
 *	macro  = "%" value "%"
 *	value  = "join(" mapped "," literal ")" | mapped
 *	mapped = "map(" source "," literal ")" | source
 *	source = "host.self" | "ip." [TYPE "."] "self" | "instance.self.service." NAME | "num.service." NAME
 *	       | "cluster.owner" | "cluster.address" | "host.service." NAME ["[" n "]"] | "ip." [TYPE "."] "service." NAME ["[" n "]"]
 *
 * White space may stand inside the parentheses. Each function below takes what it is named for from the
 * cursor, or says false.
 */
#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "model/take/macro.h"

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

enum { INSTANCE_DIGITS = 9 };

static bool
macro_take(const char **cursor, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*cursor, text, length) != 0)
		return false;
	*cursor += length;
	return true;
}

static void
macro_take_blank(const char **cursor)
{
	*cursor += strspn(*cursor, " \t\r\n");
}

static bool
macro_take_comma(const char **cursor)
{
	macro_take_blank(cursor);
	if (!macro_take(cursor, ","))
		return false;
	macro_take_blank(cursor);
	return true;
}

static bool
macro_take_literal(const char **cursor, struct macro_text *literal)
{
	char quote = **cursor;
	const char *end;

	if (quote != '\'' && quote != '"')
		return false;
	end = strchr(*cursor + 1, quote);
	if (!end)
		return false;
	*literal = (struct macro_text){*cursor + 1, (size_t)(end - *cursor - 1)};
	*cursor = end + 1;
	return true;
}

static bool
macro_take_name(const char **cursor, char name[static 256])
{
	size_t length = strspn(*cursor, NAME_LETTERS);

	if (length == 0 || length > 255)
		return false;
	memcpy(name, *cursor, length);
	name[length] = '\0';
	*cursor += length;
	return name_is_valid(name);
}

/* "[2]", where it is there. */
static bool
macro_take_instance(const char **cursor, struct macro *macro)
{
	size_t digits;

	if (!macro_take(cursor, "["))
		return true;
	digits = strspn(*cursor, "0123456789");
	if (digits == 0 || digits > INSTANCE_DIGITS)
		return false;
	macro->instance = strtol(*cursor, NULL, 10);
	*cursor += digits;
	return macro_take(cursor, "]");
}

/* Reads the part behind "host." or "ip.TYPE.". */
static bool
macro_take_owner(const char **cursor, struct macro *macro)
{
	if (macro_take(cursor, "service."))
		return macro_take_name(cursor, macro->service) && macro_take_instance(cursor, macro);
	macro->is_self = macro_take(cursor, "self");
	return macro->is_self && !strspn(*cursor, NAME_LETTERS);
}

static bool
macro_take_address(const char **cursor, struct macro *macro)
{
	const char *start = *cursor;
	size_t length = strcspn(start, ".%");

	strcpy(macro->address, "bind_v4");
	if (macro_take_owner(cursor, macro))
		return true;
	/* The first word was no owner, so it is the type of address. */
	macro->instance = -1;
	if (length == 0 || length > 255 || start[length] != '.' || strspn(start, NAME_LETTERS) < length)
		return false;
	memcpy(macro->address, start, length);
	macro->address[length] = '\0';
	*cursor = start + length + 1;
	return macro_take_owner(cursor, macro);
}

static bool
macro_take_source(const char **cursor, struct macro *macro)
{
	macro->instance = -1;
	if (macro_take(cursor, "host.")) {
		macro->source = MACRO_HOST;
		return macro_take_owner(cursor, macro);
	}
	if (macro_take(cursor, "ip.")) {
		macro->source = MACRO_IP;
		return macro_take_address(cursor, macro);
	}
	if (macro_take(cursor, "num.service.")) {
		macro->source = MACRO_NUM;
		return macro_take_name(cursor, macro->service);
	}
	if (macro_take(cursor, "instance.self.service.")) {
		macro->source = MACRO_INSTANCE;
		macro->is_self = true;
		return macro_take_name(cursor, macro->service);
	}
	macro->source = MACRO_OWNER;
	if (macro_take(cursor, "cluster.owner"))
		return true;
	macro->source = MACRO_ADDRESS;
	return macro_take(cursor, "cluster.address");
}

/* The rest of "map(" or "join(" behind its first argument. */
static bool
macro_take_argument(const char **cursor, struct macro_text *literal)
{
	if (!macro_take_comma(cursor) || !macro_take_literal(cursor, literal))
		return false;
	macro_take_blank(cursor);
	return macro_take(cursor, ")");
}

static bool
macro_take_mapped(const char **cursor, struct macro *macro)
{
	if (!macro_take(cursor, "map("))
		return macro_take_source(cursor, macro);
	macro_take_blank(cursor);
	return macro_take_source(cursor, macro) && macro_take_argument(cursor, &macro->format);
}

static bool
macro_take_value(const char **cursor, struct macro *macro)
{
	if (!macro_take(cursor, "join("))
		return macro_take_mapped(cursor, macro);
	macro_take_blank(cursor);
	return macro_take_mapped(cursor, macro) && macro_take_argument(cursor, &macro->separator);
}

static bool
macro_begins_like_macro(const char *text)
{
	static const char *const beginnings[] = {"host.", "ip.", "num.", "instance.", "cluster.", "join(", "map("};

	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

bool
macro_next(const char **cursor, struct macro *macro)
{
	const char *start = *cursor, *end;

	while ((start = strchr(start, '%')) && !macro_begins_like_macro(start + 1))
		start += start[1] == '%' ? 2 : 1; /* "%%" hides what follows it */
	if (!start)
		return false;
	memset(macro, 0, sizeof *macro);
	end = start + 1;
	if (!macro_take_value(&end, macro) || *end != '%') {
		*macro = (struct macro){.is_malformed = true};
		end = strchr(start + 1, '%');
		if (!end)
			return false;
	}
	*cursor = end + 1;
	macro->text = (struct macro_text){start, (size_t)(end + 1 - start)};
	return true;
}
