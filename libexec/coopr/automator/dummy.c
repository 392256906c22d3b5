/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/dummy: does nothing, in as much time and with as many failures as the fields of the action say.
 * For rehearsals, and to see how much a plan of that size costs. A file in STATE/dummy-down makes status say that something is
 * down: NODE, a machine that does not answer; NODE.SERVICE, a service that has stopped, until it is started.
 */
#include "exec/dummy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "exec/plugin.h"
#include "exec/serve.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator dummy\",\"type\":\"object\",\"stream\":true,"
    "\"status\":true,\"properties\":{" DUMMY_PROPERTIES "}}";

/* Returns the path of the file that says that it is down; the caller frees it. */
static char *
dummy_mark_of(const struct task *task)
{
	char *state = location_state(), *mark;

	mark = task->service ? memory_printf("%s/dummy-down/%s.%s", state, task->machine.id, task->service)
	                     : memory_printf("%s/dummy-down/%s", state, task->machine.id);
	free(state);
	return mark;
}

/* Returns whether it is a machine of the provider dummy that was deleted outside of coopr. */
static bool
dummy_is_gone(const struct task *task)
{
	char *type = json_get_string(task->provider, "providertype"), *name = json_get_string(task->provider, "name");
	char *state = location_state(), *machine = memory_printf("%s/dummy/%s/%s", state, name ? name : "", task->machine.id);
	bool gone = type && strcmp(type, "dummy") == 0 && name && !file_exists(AT_FDCWD, machine);

	free(machine);
	free(state);
	free(name);
	free(type);
	return gone;
}

static void
dummy_tell_status(const struct task *task, struct outcome *outcome)
{
	char *mark = dummy_mark_of(task);

	if (task->service && file_exists(AT_FDCWD, mark))
		error_set(&outcome->error, 1, "node %s: %s does not run: there is %s", task->machine.id, task->service, mark);
	else if (!task->service && (dummy_is_gone(task) || file_exists(AT_FDCWD, mark)))
		error_set(&outcome->error, EX_TEMPFAIL, "node %s: does not answer", task->machine.id);
	free(mark);
}

/* Does the task, once its time is over, unless it was drawn to fail. */
static void
dummy_carry_out(const struct task *task, struct outcome *outcome)
{
	if (outcome->error.code || !task->machine.id)
		return;
	if (task->action == ACTION_STATUS) {
		dummy_tell_status(task, outcome);
	} else if (task->action == ACTION_START && task->service) {
		char *mark = dummy_mark_of(task);

		if (unlink(mark) < 0 && errno != ENOENT)
			error_errno(&outcome->error, EX_IOERR, "%s", mark);
		free(mark);
	}
}

static void
dummy_act(const struct task *task, struct outcome *outcome)
{
	double delay_ms;

	dummy_draw(task, &delay_ms, outcome);
	dummy_wait(delay_ms);
	dummy_carry_out(task, outcome);
}

static void
dummy_due(struct server *server, struct call *call)
{
	dummy_carry_out(&call->task, &call->outcome);
	serve_answer(server, call);
}

int
main(int argc, char **argv)
{
	static const struct service service = {.begin = dummy_begin, .due = dummy_due, .end = serve_answer};
	static const struct plugin plugin = {"automator/dummy", schema, dummy_act, NULL, &service};

	return plugin_main(&plugin, argc, argv);
}
