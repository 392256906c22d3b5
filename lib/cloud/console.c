/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/console.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "json/place.h"

/* Adds the key that a line begins with. */
static void
console_add_key(const char *line, struct arena *arena, struct string_list *keys)
{
	char type[64], text[4096];

	if ((strncmp(line, "ssh-", 4) == 0 || strncmp(line, "ecdsa-", 6) == 0) && sscanf(line, "%63[a-z0-9@.-] %4095[A-Za-z0-9+/=]", type, text) == 2)
		keys->list[keys->count++] = arena_printf(arena, "%s %s", type, text);
}

void
console_read_lines(const char *text, struct arena *arena, struct string_list *keys)
{
	*keys = (struct string_list){.list = arena_alloc(arena, strlen(text) + 1, sizeof *keys->list)};
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		console_add_key(arena_substring(arena, text, strcspn(text, "\r\n")), arena, keys);
}

void
console_read_keys(const char *console, struct arena *arena, struct string_list *keys)
{
	static const char begin[] = "-----BEGIN SSH HOST KEY KEYS-----", end[] = "-----END SSH HOST KEY KEYS-----";
	const char *at = NULL, *stop;

	*keys = (struct string_list){0};
	for (const char *next = console; (next = strstr(next, begin)); next += strlen(begin))
		if (strstr(next, end))
			at = next + strlen(begin);
	if (!at)
		return;
	stop = strstr(at, end);
	keys->list = arena_alloc(arena, (size_t)(stop - at), sizeof *keys->list);
	for (; at < stop; at += strcspn(at, "\n") + 1) {
		char *line = arena_substring(arena, at, strcspn(at, "\r\n")), *key = strstr(line, "ssh-");

		if (!key)
			key = strstr(line, "ecdsa-");
		if (key && at + strlen(line) <= stop)
			console_add_key(key, arena, keys);
	}
}
