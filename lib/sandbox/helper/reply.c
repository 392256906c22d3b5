/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/reply.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* Members of a reply about a machine, beside its name and state; the others are the helper's own. */
static const char *const members[] = {"address", "cluster", "host_key", "hostname", "image", "login", "node", "pid", "provider", "token"};
enum { MEMBERS = sizeof members / sizeof *members };

static const char end[] = "end\n";

/* Appends a line; control characters of a message would be lines of their own. */
static void
reply_print_line(const char *name, const char *value, struct buffer *out)
{
	buffer_printf(out, "%s=", name);
	for (; *value; value++)
		buffer_byte(out, (unsigned char)*value < ' ' ? ' ' : *value);
	buffer_byte(out, '\n');
}

static void
reply_print_machine(const struct found *found, struct buffer *out)
{
	struct machine machine = found->machine;

	reply_print_line("name", machine.name, out);
	reply_print_line("state", machine_state_name(found->state), out);
	for (size_t i = 0; i < MEMBERS; i++) {
		const char *value = *machine_value(&machine, members[i], strlen(members[i]));

		if (value)
			reply_print_line(members[i], value, out);
	}
}

void
reply_print(const struct reply *reply, struct buffer *out)
{
	buffer_printf(out, "status=%d\n", reply->error.code);
	if (reply->error.code)
		reply_print_line("message", reply->error.text, out);
	if (*reply->notice)
		reply_print_line("notice", reply->notice, out);
	for (size_t i = 0; reply->error.code == 0 && i < reply->found.count; i++)
		reply_print_machine(&reply->found.list[i], out);
	buffer_text(out, end);
}

static bool
reply_parse_state(struct found *found, const char *value)
{
	for (int state = 0; state < MACHINE_STATES; state++)
		if (strcmp(machine_state_name((enum machine_state)state), value) == 0) {
			found->state = (enum machine_state)state;
			return true;
		}
	return false;
}

/* Reads a line of the machine that was begun last. */
static bool
reply_parse_machine(struct reply *reply, const char *name, const char *value)
{
	struct found *found = reply->found.count ? &reply->found.list[reply->found.count - 1] : NULL;

	if (found && strcmp(name, "state") == 0)
		return reply_parse_state(found, value);
	for (size_t i = 0; found && i < MEMBERS; i++)
		if (strcmp(members[i], name) == 0) {
			*machine_value(&found->machine, name, strlen(name)) = arena_string(&found->machine.arena, value);
			return true;
		}
	return false;
}

static bool
reply_parse_line(struct reply *reply, const char *name, const char *value)
{
	struct found *found;

	if (strcmp(name, "status") == 0)
		reply->error.code = atoi(value);
	else if (strcmp(name, "message") == 0)
		snprintf(reply->error.text, sizeof reply->error.text, "%s", value);
	else if (strcmp(name, "notice") == 0)
		snprintf(reply->notice, sizeof reply->notice, "%s", value);
	else if (strcmp(name, "name") == 0 && *value) {
		found = found_add(&reply->found);
		found->machine.name = arena_string(&found->machine.arena, value);
	} else {
		return reply_parse_machine(reply, name, value);
	}
	return true;
}

/* Reads the lines of text, which it cuts into names and values. */
static bool
reply_parse_lines(char *text, struct reply *reply)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *equals = strchr(line, '=');

		if (!equals)
			return false;
		*equals = '\0';
		if (!reply_parse_line(reply, line, equals + 1))
			return false;
	}
	return true;
}

int
reply_parse(const char *text, size_t length, struct reply *reply, struct error *err)
{
	size_t lines = length >= strlen(end) ? length - strlen(end) : 0;
	char *copy = memory_substring(text, lines);
	bool fine;

	*reply = (struct reply){.error = {.code = 0}};
	fine = lines > 0 && strncmp(copy, "status=", 7) == 0 && memcmp(text + lines, end, strlen(end)) == 0 && reply_parse_lines(copy, reply);
	fine = fine && strlen(text) >= length && (reply->error.code == 0 || *reply->error.text);
	free(copy);
	if (!fine)
		return error_set(err, EX_PROTOCOL, "the helper's answer %s; \"journalctl -t sandbox-helper\" may tell why",
		    length ? "is cut off" : "is empty");
	if (reply->error.code == 0)
		return 0;
	*err = reply->error;
	return -1;
}

void
reply_release(struct reply *reply)
{
	found_release(&reply->found);
}
