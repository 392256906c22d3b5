/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/dummy: does nothing, in as much time and with as many failures as the fields of the action say.
 * For rehearsals, and to see how much a plan of that size costs. A file in STATE/dummy-down makes status say that something is
 * down: NODE, a machine that does not answer; NODE.SERVICE, a service that has stopped, until it is started.
 */
#include "exec/dummy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "exec/plugin.h"
#include "exec/serve.h"
#include "ssh/archive-pipe.h"

enum { MARK_BYTES = 64 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator dummy\",\"type\":\"object\",\"stream\":true,"
    "\"status\":true,\"properties\":{" DUMMY_PROPERTIES "," DUMMY_START_PROPERTIES "}}";

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

/* Tells whether a service is down: its mark is empty, or says when it is healthy, and that time has not come. */
static bool
dummy_is_down(const char *mark)
{
	struct buffer text = {0};
	struct error ignored;
	bool down = file_read(AT_FDCWD, mark, MARK_BYTES, &text, &ignored) == 0;

	if (down && text.length > 0)
		down = strtoll(buffer_string(&text), NULL, 10) > clock_boottime_ms();
	buffer_release(&text);
	return down;
}

static void
dummy_tell_status(const struct task *task, struct outcome *outcome)
{
	char *mark = dummy_mark_of(task);

	if (task->service && dummy_is_down(mark))
		error_set(&outcome->error, 1, "node %s: %s does not run: there is %s", task->machine.id, task->service, mark);
	else if (!task->service && (dummy_is_gone(task) || file_exists(AT_FDCWD, mark)))
		error_set(&outcome->error, EX_TEMPFAIL, "node %s: does not answer", task->machine.id);
	free(mark);
}

/* Notes when a service that is started is healthy, if that is not at once. */
static void
dummy_start_service(const struct task *task, struct outcome *outcome)
{
	char *mark = dummy_mark_of(task), *folder = memory_substring(mark, (size_t)(strrchr(mark, '/') - mark)), *when;
	int64_t ready_ms;

	if (unlink(mark) < 0 && errno != ENOENT)
		error_errno(&outcome->error, EX_IOERR, "%s", mark);
	else if (dummy_draw_readiness(task, &ready_ms, outcome) == 0 && ready_ms != 0) {
		when = ready_ms < 0 ? memory_string("") : memory_printf("%" PRId64 "\n", clock_boottime_ms() + ready_ms);
		if (file_make_dirs(AT_FDCWD, folder, 0700, &outcome->error) == 0)
			file_replace(AT_FDCWD, mark, when, strlen(when), 0600, &outcome->error);
		free(when);
	}
	free(folder);
	free(mark);
}

/* Makes an archive that says what it is of, and reads one. */
static void
dummy_move_archive(const struct task *task, struct outcome *outcome)
{
	struct error *err = &outcome->error;
	struct arena arena = {0};
	const char *key = archive_pipe_key(task, &arena, err);
	struct archive_pipe pipe;
	char piece[4096];

	if (key && archive_pipe_open(&pipe, key, task->action == ACTION_RESTORE, err) == 0) {
		while (pipe.gives && read(pipe.fd, piece, sizeof piece) > 0)
			;
		if (!pipe.gives && file_write_all(pipe.fd, key, strlen(key)) < 0)
			error_errno(err, EX_TEMPFAIL, "archive %s", key);
		archive_pipe_close(&pipe, err);
	}
	arena_release(&arena);
}

/* Does the task, once its time is over, unless it was drawn to fail. */
static void
dummy_carry_out(const struct task *task, struct outcome *outcome)
{
	if (outcome->error.code || !task->machine.id)
		return;
	if (task->action == ACTION_STATUS)
		dummy_tell_status(task, outcome);
	else if (task->action == ACTION_START && task->service)
		dummy_start_service(task, outcome);
	else if (action_moves_archive(task->action))
		dummy_move_archive(task, outcome);
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
	static const char *const state[] = {"dummy", "dummy-down", NULL};
	static const struct plugin plugin = {.name = "automator/dummy", .schema = schema, .act = dummy_act, .service = &service, .state = state};

	return plugin_main(&plugin, argc, argv);
}
