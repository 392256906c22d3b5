/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/change-remedy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "json/scan.h"
#include "operation/context.h"
#include "operation/run-command.h"
#include "prepare/prepare-solve.h"

enum {
	NUMBERS = 8,    /* of machines that are tried */
	REQUIRERS = 16, /* services */
	TIME_MS = 2000, /* after which nothing more is tried: who is refused has waited already */
};

static const struct change {
	const char *begins; /* the command */
	int direction;      /* in which numbers of machines are tried where none was asked for; 0: none are */
} changes[] = {{"coopr add ", 1}, {"coopr remove ", -1}, {"coopr expand ", 0}, {"coopr shrink ", 0}, {"coopr scale ", 0}};

struct attempt {
	jv request;
	const char *command; /* as it was given */
	size_t verb;         /* the length of its begin, with a blank */
	struct buffer also;  /* services that are removed as well, a blank before each */
	int64_t until_ms;    /* of the monotonic clock */
	struct buffer *remedies;
};

/* Returns whether there is a layout with that number of machines (0: as many as are asked for); sets answer (NULL: none), which the
 * caller releases, to what the solver says. */
static bool
change_remedy_solve(const struct attempt *attempt, int64_t machines, bool allow_moves, struct buffer *answer)
{
	struct arguments arguments = {0};
	struct buffer text = {0};
	struct error ignored; /* then there is none */
	jv request = jv_copy(attempt->request), cluster = json_get(request, "cluster");
	int64_t left_ms = attempt->until_ms - clock_monotonic_ms();
	bool found;

	if (machines)
		json_set_number(&cluster, "numMachines", (double)machines);
	json_set(&request, "cluster", cluster);
	json_dump(request, &text);
	run_command_init(&arguments, "coopr-solve");
	if (allow_moves)
		arguments_push(&arguments, "--allow-moves");
	arguments_printf(&arguments, "--time-limit=%g", (double)left_ms / 1000);
	found = left_ms > 0 && run_command_in_memory(&arguments, &text, answer, &ignored) == 0;
	arguments_release(&arguments);
	buffer_release(&text);
	jv_free(request);
	return found;
}

static bool
change_remedy_try(const struct attempt *attempt, int64_t machines, bool allow_moves)
{
	struct buffer answer = {0};
	bool found = change_remedy_solve(attempt, machines, allow_moves, &answer);

	buffer_release(&answer);
	return found;
}

/* Appends a command that works, and what it does. */
static void
change_remedy_tell(const struct attempt *attempt, int64_t machines, bool allow_moves, const char *does)
{
	struct buffer *out = attempt->remedies;

	buffer_printf(out, "%s%.*s%s", out->length ? ", " : "; ", (int)attempt->verb, attempt->command, allow_moves ? "--allow-moves " : "");
	if (machines)
		buffer_printf(out, "--machines=%lld ", (long long)machines);
	buffer_printf(out, "%s%s %s", attempt->command + attempt->verb, attempt->also.data ? attempt->also.data : "", does);
}

/* Tells of the number of machines that is nearest to the one asked for, in that direction, and has a layout: without moves if any has one. */
static void
change_remedy_find_number(const struct attempt *attempt, int64_t asked, int direction)
{
	for (int moves = 0; moves < 2; moves++)
		for (int64_t n = asked + direction, tried = 0; tried < NUMBERS && n > 0; n += direction, tried++)
			if (change_remedy_try(attempt, n, moves)) {
				char *does = memory_printf("%s %lld %s", direction > 0 ? "takes" : "keeps", (long long)n, plural(n, "machine", "machines"));

				change_remedy_tell(attempt, n, moves, does);
				free(does);
				return;
			}
}

/* Returns the name of the service whose requirement is part of the conflict, which the caller frees; NULL if there is none. */
static char *
change_remedy_requirer(const struct attempt *attempt, const struct buffer *answer)
{
	jv conflict, pointers, services = json_get(attempt->request, "services");
	struct error ignored; /* then there is none */
	char *name = NULL;
	size_t number;

	if (!answer->length || json_parse("the answer", answer->data, strcspn(answer->data, "\n"), &conflict, &ignored) < 0)
		conflict = jv_object();
	pointers = json_get(conflict, "conflict");
	for (size_t i = 0; i < json_length(pointers) && !name; i++) {
		jv pointer = json_element(pointers, i);

		if (json_string(pointer) && sscanf(json_string(pointer), "/services/%zu/dependencies/", &number) == 1 &&
		    number < json_length(services) && strstr(json_string(pointer), "/requires")) {
			jv service = json_element(services, number);

			name = json_get_string(service, "name");
			jv_free(service);
		}
		jv_free(pointer);
	}
	jv_free(pointers);
	jv_free(conflict);
	jv_free(services);
	return name;
}

/* Has the attempt do without a service; returns how many are left. */
static size_t
change_remedy_leave_out(struct attempt *attempt, const char *name)
{
	jv cluster = json_get(attempt->request, "cluster"), services = json_get(cluster, "services"), rest = jv_array();
	size_t left;

	for (size_t i = 0; i < json_length(services); i++) {
		jv service = json_element(services, i);

		if (json_string(service) && strcmp(json_string(service), name) != 0)
			rest = jv_array_append(rest, jv_copy(service));
		jv_free(service);
	}
	left = json_length(rest);
	json_set(&cluster, "services", rest);
	json_set(&attempt->request, "cluster", cluster);
	jv_free(services);
	buffer_printf(&attempt->also, " %s", name);
	return left;
}

/* Has the attempt do without whatever requires what is removed. Returns whether services are left. */
static bool
change_remedy_leave_requirers(struct attempt *attempt)
{
	for (int tried = 0; tried < REQUIRERS; tried++) {
		struct buffer answer = {0};
		char *requirer = change_remedy_solve(attempt, 0, false, &answer) ? NULL : change_remedy_requirer(attempt, &answer);
		size_t left = requirer ? change_remedy_leave_out(attempt, requirer) : 1;
		bool over = !requirer || left == 0;

		buffer_release(&answer);
		free(requirer);
		if (over)
			return left > 0;
	}
	return false;
}

static void
change_remedy_find(struct attempt *attempt, int direction)
{
	jv cluster = json_get(attempt->request, "cluster");
	int64_t asked = (int64_t)json_get_number(cluster, "numMachines", 0);

	jv_free(cluster);
	if (direction < 0 && !change_remedy_leave_requirers(attempt))
		return;
	if (attempt->also.length && change_remedy_try(attempt, 0, false)) {
		change_remedy_tell(attempt, 0, false, "removes what requires it, too");
		return;
	}
	if (!strstr(attempt->command, " --allow-moves") && change_remedy_try(attempt, 0, true))
		change_remedy_tell(attempt, 0, true, "lets services move");
	if (direction && asked && !strstr(attempt->command, " --machines="))
		change_remedy_find_number(attempt, asked, direction);
}

void
change_remedy_append(const struct operation_context *context, struct error *err)
{
	struct error told = *err, ignored; /* without remedies the reason is told alone */
	struct buffer remedies = {0};
	char *command = workdir_line(&context->job_dir, "command", &ignored), *path;
	struct attempt attempt = {.command = command, .until_ms = clock_monotonic_ms() + TIME_MS, .remedies = &remedies};
	int direction = 0;

	for (size_t i = 0; command && i < sizeof changes / sizeof *changes; i++)
		if (strncmp(command, changes[i].begins, strlen(changes[i].begins)) == 0) {
			attempt.verb = strlen(changes[i].begins);
			direction = changes[i].direction;
		}
	path = workdir_path(&context->job_dir, "request.json");
	if (attempt.verb && json_read_file(path, &attempt.request, &ignored) == 0) {
		change_remedy_find(&attempt, direction);
		jv_free(attempt.request);
	}
	buffer_release(&attempt.also);
	if (remedies.length)
		error_set(err, told.code, "%s%s", told.text, remedies.data);
	buffer_release(&remedies);
	free(path);
	free(command);
}
