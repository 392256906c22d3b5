/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "sandbox/state.h"

enum { FILE_LIMIT = 64 * 1024 };

static const struct member {
	const char *name;
	size_t offset;
} members[] = {
	{"token", offsetof(struct machine, token)},
	{"provider", offsetof(struct machine, provider)},
	{"cluster", offsetof(struct machine, cluster)},
	{"node", offsetof(struct machine, node)},
	{"hostname", offsetof(struct machine, hostname)},
	{"network", offsetof(struct machine, network)},
	{"address", offsetof(struct machine, address)},
	{"table", offsetof(struct machine, table)},
	{"route", offsetof(struct machine, route)},
	{"resolvers", offsetof(struct machine, resolvers)},
	{"image", offsetof(struct machine, image)},
	{"tree", offsetof(struct machine, tree)},
	{"files", offsetof(struct machine, files)},
	{"shares", offsetof(struct machine, shares)},
	{"masks", offsetof(struct machine, masks)},
	{"ids", offsetof(struct machine, ids)},
	{"nested", offsetof(struct machine, nested)},
	{"unconfined", offsetof(struct machine, unconfined)},
	{"cpu", offsetof(struct machine, cpu)},
	{"memory", offsetof(struct machine, memory)},
	{"processes", offsetof(struct machine, processes)},
	{"disk", offsetof(struct machine, disk)},
	{"host_key", offsetof(struct machine, host_key)},
	{"login", offsetof(struct machine, login)},
	{"pid", offsetof(struct machine, pid)},
};
enum { MEMBERS = sizeof members / sizeof *members };

static const char **
record_value_of(struct machine *machine, const struct member *member)
{
	return (const char **)((char *)machine + member->offset);
}

const char **
machine_value(struct machine *machine, const char *name, size_t length)
{
	for (size_t i = 0; i < MEMBERS; i++)
		if (strlen(members[i].name) == length && memcmp(members[i].name, name, length) == 0)
			return record_value_of(machine, &members[i]);
	return NULL;
}

const char *const *
machine_members(void)
{
	static const char *names[MEMBERS + 1];

	for (size_t i = 0; i < MEMBERS; i++)
		names[i] = members[i].name;
	return names;
}

const char *
machine_name(const char *node, const char *token, struct arena *arena)
{
	return arena_printf(arena, "%s-%012llx", node, (unsigned long long)(hash_text(HASH_START, token) >> 16));
}

static int
record_read_line(struct machine *machine, const char *line, size_t length, struct error *err)
{
	const char *equals = memchr(line, '=', length);
	size_t name = equals ? (size_t)(equals - line) : length;
	const char **value = equals ? machine_value(machine, line, name) : NULL;

	if (!value)
		return error_set(err, EX_DATAERR, "machine: unknown line \"%.*s\"", (int)length, line);
	*value = arena_substring(&machine->arena, equals + 1, length - name - 1);
	return 0;
}

int
machine_read(int dir, struct machine *machine, struct error *err)
{
	struct buffer text = {0};
	int result = 0;

	if (file_read(dir, "machine", FILE_LIMIT, &text, err) < 0) {
		err->code = file_exists(dir, "machine") ? err->code : EX_NO;
		result = -1;
	}
	for (size_t at = 0; result == 0 && at < text.length;) {
		size_t length = strcspn(text.data + at, "\n");

		result = record_read_line(machine, text.data + at, length, err);
		at += length + 1;
	}
	if (result == 0 && !machine->token)
		result = error_set(err, EX_DATAERR, "machine: is empty");
	buffer_release(&text);
	return result;
}

int
machine_write(int dir, const struct machine *machine, struct error *err)
{
	struct machine copy = *machine;
	struct buffer text = {0};
	int result;

	for (size_t i = 0; i < MEMBERS; i++)
		if (*record_value_of(&copy, &members[i]))
			buffer_printf(&text, "%s=%s\n", members[i].name, *record_value_of(&copy, &members[i]));
	result = state_write(dir, "machine", text.data, err);
	buffer_release(&text);
	return result;
}

void
machine_release(struct machine *machine)
{
	arena_release(&machine->arena);
	*machine = (struct machine){0};
}
