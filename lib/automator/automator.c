/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/automator.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/location.h"
#include "exec/plugin.h"
#include "exec/serve.h"
#include "ssh/archive-pipe.h"
#include "ssh/connections.h"
#include "ssh/mux.h"
#include "ssh/payload.h"
#include "ssh/remote.h"
#include "ssh/ssh.h"

/* A process is one automator from beginning to end, and callbacks have no argument for it. */
static const struct automator *automator_self;

void
automator_choose_user(const struct task *task, const char *user, struct automator_work *work)
{
	bool is_self = user && strcmp(user, task->machine.user) == 0;

	work->user = is_self ? NULL : user;
	work->become_root = !is_self && strcmp(task->machine.user, "root") != 0;
}

int
automator_add_file(const char *name, enum bundle_kind kind, struct bundle *bundle, struct error *err)
{
	char *relative = memory_printf("share/coopr/shell/%s", name), *path = location_installed(relative);
	struct buffer content = {0};
	int failed = file_read(AT_FDCWD, path, BUNDLE_BYTES, &content, err);

	if (!failed)
		failed = bundle_put(bundle, name, kind, content.data, content.length, err);
	buffer_release(&content);
	free(path);
	free(relative);
	return failed;
}

/* Takes the facts that the program left behind, and if it failed the reason: what it said itself, or its last line. */
static void
automator_take_answer(const struct task *task, const struct automator_work *work, const struct remote_answer *answer,
    struct outcome *outcome)
{
	char *last, how[64];

	if (json_length(answer->facts) > 0)
		outcome->facts = jv_copy(answer->facts);
	if (automator_self->take_answer)
		automator_self->take_answer(task, answer, outcome);
	if (answer->status == 0)
		return;
	if (answer->status > 128)
		snprintf(how, sizeof how, "was killed by signal %d", answer->status - 128);
	else
		snprintf(how, sizeof how, "exited with %d", answer->status);
	last = tail_last_line_with(&answer->said, work->complaint);
	error_set(&outcome->error, answer->status, "node %s: %s%s%s %s: %s", task->machine.id, work->name,
	    work->args && *work->args ? " " : "", work->args ? work->args : "", how,
	    answer->reason ? answer->reason : *last ? last : "it printed nothing");
	free(last);
}

/* Gives a lack of room on a node, which is tried again like a node that is not reached, a code of its own if the task asks for
 * the status. */
static void
automator_tell_apart(const struct task *task, const struct remote_answer *answer, struct error *err)
{
	if (task->action == ACTION_STATUS && answer->reached && err->code == EX_TEMPFAIL)
		err->code = EX_CANTCREAT;
}

/* Makes the payload of the task; to ask a node, and for most a bootstrap, one that only looks whether it can be entered and has what a
 * script needs. Returns -1 with the reason in outcome. */
static int
automator_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct payload *payload,
    struct outcome *outcome)
{
	struct error *err = &outcome->error;
	bool is_bootstrap = task->action == ACTION_BOOTSTRAP;

	if (!task->machine.id)
		return error_set(err, EX_DATAERR, "the task names no machine");
	automator_choose_user(task, NULL, work);
	if ((is_bootstrap && !automator_self->has_bootstrap) || (task->action == ACTION_STATUS && !task->service)) {
		work->name = "looking for what scripts need";
		return payload_check(task, payload, err);
	}
	if (automator_self->prepare(task, arena, work, err) < 0)
		return -1;
	payload->ends_descendants = work->ends_descendants;
	return payload_run(task, &work->bundle, &work->words, work->user, payload, err);
}

static void
automator_release_work(struct automator_work *work)
{
	bundle_release(&work->bundle);
	arguments_release(&work->words);
}

static void
automator_act(const struct task *task, struct outcome *outcome)
{
	struct arena arena = {0};
	struct payload payload = {0};
	struct remote_answer answer;
	struct remote_archive archive = {.gives = task->action == ACTION_RESTORE};
	bool moves = action_moves_archive(task->action);
	struct automator_work work = {0};

	if (moves)
		archive.key = archive_pipe_key(task, &arena, &outcome->error);
	if ((!moves || archive.key) && automator_prepare(task, &arena, &work, &payload, outcome) == 0) {
		if (remote_run(&task->machine, &payload, work.become_root, moves ? &archive : NULL, &answer, &outcome->error) == 0)
			automator_take_answer(task, &work, &answer, outcome);
		else
			automator_tell_apart(task, &answer, &outcome->error);
		remote_answer_release(&answer);
	}
	payload_release(&payload);
	automator_release_work(&work);
	arena_release(&arena);
}

struct run { /* one of many tasks, over a connection that is kept */
	struct call *call;
	struct arena arena;
	struct automator_work work;
	struct payload payload;
	struct connection_user connection;
	struct response response;
	struct remote_answer answer;
	struct child child;
	bool started, refused;
};

static void
automator_log(void *to, const char *bytes, size_t length)
{
	serve_log(to, bytes, length);
}

static void
automator_finish(struct server *server, struct run *run)
{
	struct call *call = run->call;

	connections_leave(&run->connection);
	response_release(&run->response);
	remote_answer_release(&run->answer);
	child_release(&run->child);
	payload_release(&run->payload);
	automator_release_work(&run->work);
	arena_release(&run->arena);
	free(run);
	serve_answer(server, call);
}

/* Begins the run on its connection, or ends it if there is none. */
static void
automator_connected(struct server *server, struct run *run)
{
	struct error *err = &run->connection.error;
	struct buffer command = {0};

	if (err->code) {
		run->call->outcome.error = *err;
		automator_finish(server, run);
		return;
	}
	child_release(&run->child);
	run->child = (struct child){.input = run->payload.script.data, .input_length = run->payload.script.length,
	    .hold_input = true, .out_limit = RESPONSE_FACTS_BYTES, .tell_out = 1, .capture_err = true, .owner = run};
	payload_command(&run->payload, run->work.become_root, &command);
	run->started = mux_start(&server->supervisor, &run->child, run->connection.socket, command.data, err) == 0;
	buffer_release(&command);
	if (!run->started && err->code == EX_UNAVAILABLE) {
		connections_lost(server->state, &run->connection);
	} else if (!run->started) {
		run->call->outcome.error = *err;
		automator_finish(server, run);
	}
}

/* Begins the runs that have got their connection. */
static void
automator_serve_connections(struct server *server)
{
	struct connections *connections = server->state;
	struct connection_user *user;

	while ((user = connections_next(connections)))
		automator_connected(server, user->owner);
	server->wake_ms = connections->due_ms;
}

static void
automator_begin(struct server *server, struct call *call)
{
	struct run *run = memory_zeroed(1, sizeof *run);

	call->state = run;
	*run = (struct run){.call = call, .response = {.log = automator_log, .log_to = call},
	    .connection = {.machine = &call->task.machine, .owner = run}, .answer = {.facts = jv_invalid()}};
	if (automator_prepare(&call->task, &run->arena, &run->work, &run->payload, &call->outcome) < 0) {
		automator_finish(server, run);
		return;
	}
	response_begin(&run->response, &call->task.machine, &run->payload, &run->answer);
	/* All that is still needed is the payload: thousands wait for their end at the same time. */
	bundle_release(&run->work.bundle);
	run->work.bundle = (struct bundle){0};
	task_release_record(&call->task);
	connections_request(server->state, &run->connection);
	automator_serve_connections(server);
}

static void
automator_child_event(struct server *server, struct child *child, enum supervise_event event)
{
	struct run *run = child->owner;
	struct call *call;
	enum mux_news news;
	bool over;

	if (connections_child_event(child, event)) {
		automator_serve_connections(server);
		return;
	}
	call = run->call;
	over = response_read(&run->response, &server->supervisor, child);
	news = run->refused ? MUX_QUIET : mux_read(child, &call->outcome.error);
	if (news == MUX_REFUSED)
		run->refused = over = true;
	/* The session of a stopped script that left a process in the background ends, but its output stays open. */
	if (news == MUX_EXITED && call->ending)
		over = true;
	if (event != SUPERVISE_ENDED) {
		if (over)
			supervise_stop(&server->supervisor, child);
		return;
	}
	if (!call->ending && !run->refused && response_finish(&run->response, &run->child, &call->outcome.error) == 0)
		automator_take_answer(&call->task, &run->work, &run->answer, &call->outcome);
	else if (!call->ending)
		automator_tell_apart(&call->task, &run->answer, &call->outcome.error);
	automator_finish(server, run);
	automator_serve_connections(server);
}

static void
automator_end(struct server *server, struct call *call)
{
	struct run *run = call->state;
	char name[SSH_NAME_SIZE];

	/* The node is not free for anything else before the script has ended there. */
	if (run->started) {
		supervise_ask(&server->supervisor, &run->child, RESPONSE_END_MS);
		return;
	}
	/* It has not begun: that may be otherwise another time. */
	error_set(&call->outcome.error, EX_TEMPFAIL, "%s: no connection to it in time",
	    ssh_name(&call->task.machine, name));
	automator_finish(server, run);
}

static void
automator_due(struct server *server, struct call *call)
{
	(void)call;
	connections_keep_time(server->state, clock_monotonic_ms());
	automator_serve_connections(server);
}

static void
automator_ready(struct server *server, int fd)
{
	(void)fd;
	connections_read_notify(server->state);
	automator_serve_connections(server);
}

static int
automator_open_connections(struct server *server, struct error *err)
{
	server->state = memory_zeroed(1, sizeof(struct connections));
	return connections_open(server->state, &server->supervisor, err);
}

static void
automator_close_connections(struct server *server)
{
	connections_close(server->state);
	free(server->state);
}

int
automator_main(const struct automator *automator, int argc, char **argv)
{
	static const struct service service = {automator_begin, automator_due, automator_child_event, automator_end, automator_ready,
	    automator_open_connections, automator_close_connections};
	const struct plugin plugin = {.name = automator->name, .schema = automator->schema, .act = automator_act, .service = &service,
	    .wants = CONFINE_HOST | CONFINE_LOGIN};

	automator_self = automator;
	return plugin_main(&plugin, argc, argv);
}
