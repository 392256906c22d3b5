/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/shell: service scripts over ssh, coopr-shell(7). A task is one round trip: script, files and
 * configuration go to a private directory on the node, the script runs there, its output streams back, and
 * nothing is left.
 *
 * Exit code and status: the script's own; 75 the node cannot be reached, 77 it may not be entered, 78 there is no
 * such script, or the fields are wrong.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "exec/plugin.h"
#include "exec/serve.h"
#include "model/name.h"
#include "model/take/origin.h"
#include "ssh/archive-pipe.h"
#include "ssh/bundle.h"
#include "ssh/connections.h"
#include "ssh/lookup.h"
#include "ssh/mux.h"
#include "ssh/payload.h"
#include "ssh/remote.h"
#include "ssh/script-store.h"
#include "ssh/ssh.h"
#include "ssh/shell-words.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator shell\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"script\"],\"resources\":{"
    "\"files\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"},"
    "\"scripts\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0755\"}},\"properties\":{"
    "\"script\":{\"type\":\"string\",\"format\":\"script\",\"of\":\"path\",\"resources\":[\"scripts\"],\"description\":\"The script: a resource of the type scripts, a file in scripts/ of the catalogue or in share/coopr/services, or an absolute path\"},"
    "\"args\":{\"type\":\"string\",\"description\":\"Its arguments, split into words as in a shell; nothing is expanded\"},"
    "\"nodes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"The services that the script looks up with coopr_nodes\"},"
    "\"config\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"All members of the configuration that the script reads with coopr_config\"},"
    "\"files\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"files\",\"scripts\"],\"description\":\"Files and folders that the script needs, searched for like the script, separated by blanks\"},"
    "\"secrets\":{\"type\":\"string\",\"enum\":[\"memory\",\"disk\"],\"description\":\"Where a configuration with secrets in it lies on the node: memory, a tmpfs, by default\"},"
    "\"user\":{\"type\":\"string\",\"description\":\"The user to run it as on the node; root by default\"}}}";

struct work {
	const char *script, *args, *files;
	bool on_disk;           /* lies what has secrets in it, as a service says whose machines have no tmpfs */
	const char *user;       /* whom it runs as; NULL: the user who logs in, or becomes root for it */
	bool become_root;       /* first, through sudo */
	struct arguments words; /* of args */
	struct bundle bundle;
};

/* Chooses whom the script runs as. No sudo is needed to run it as the user who logs in. */
static void
shell_choose_user(const struct task *task, const char *user, struct work *work)
{
	bool is_self = user && strcmp(user, task->machine.user) == 0;

	work->user = is_self ? NULL : user;
	work->become_root = !is_self && strcmp(task->machine.user, "root") != 0;
}

static int
shell_read_fields(const struct task *task, struct arena *arena, struct work *work, struct outcome *outcome)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	const char *user, *secrets;
	int failed;

	work->script = place_string(&fields, "script", NEED_REQUIRED, arena);
	work->args = place_string(&fields, "args", NEED_OPTIONAL, arena);
	work->files = place_string(&fields, "files", NEED_OPTIONAL, arena);
	user = name_parse_as(&fields, "user", NEED_OPTIONAL, name_is_user, "user", arena);
	shell_choose_user(task, user, work);
	secrets = place_string(&fields, "secrets", NEED_OPTIONAL, arena);
	work->on_disk = secrets && strcmp(secrets, "disk") == 0;
	if (task_has_secret(task, "/fields/args"))
		place_problem(&fields, "args has a secret, which every user of the node could read; put it into the configuration");
	failed = problems_error(&problems, "fields", EX_CONFIG, &outcome->error);
	problems_release(&problems);
	return failed;
}

/* Adds the script and what it asks for by "files"; as they were kept, where the task says so. */
static int
shell_add_files(const struct task *task, struct work *work, struct error *err)
{
	struct arguments names = {0};
	int failed;

	if (task->scripts)
		return script_store_read(task->scripts, &work->bundle, err) < 0 ? error_prefix(err, "script %s", work->script) : 0;
	work->bundle.beneath = origin_is_tenants(task);
	failed = bundle_add(&work->bundle, task->catalogue, work->script, err);
	if (!failed && work->bundle.list[work->bundle.count - 1].is_folder)
		failed = error_set(err, EX_CONFIG, "it is a folder");
	if (failed)
		error_prefix(err, "script %s", work->script);
	if (!failed && work->files)
		failed = shell_words_split(work->files, &names, err);
	for (size_t i = 0; i < names.count && !failed; i++) {
		failed = bundle_add(&work->bundle, task->catalogue, names.list[i], err);
		if (failed)
			error_prefix(err, "files of script %s", work->script);
	}
	arguments_release(&names);
	return failed;
}

/* Adds lib.sh, its functions and the tables for this task, and config.json, the two that have the configuration in them. The list of
 * nodes goes along only if it is asked for: it grows with the cluster. */
static int
shell_add_library(const struct task *task, struct work *work, struct error *err)
{
	char *path = location_installed("share/coopr/shell/lib.sh");
	struct buffer library = {0}, config = {0};
	enum bundle_kind kind = task_has_secret(task, "/cluster/config") && !work->on_disk ? BUNDLE_SECRET : BUNDLE_FILE;
	int failed = file_read(AT_FDCWD, path, BUNDLE_BYTES, &library, err);
	jv without = json_get(task->source, "without"), cluster = json_get(task->source, "cluster");

	lookup_declared(cluster, task->fields, &library);
	lookup_config(task->config, task->unexpanded, &library);
	if (!failed && bundle_mentions(&work->bundle, "coopr_nodes"))
		failed = lookup_nodes(task->nodes, without, &library, err);
	if (!failed)
		failed = bundle_put(&work->bundle, "lib.sh", kind, library.data, library.length, err);
	if (jv_is_valid(task->config))
		json_dump(task->config, &config);
	else
		buffer_text(&config, "{}");
	buffer_byte(&config, '\n');
	if (!failed)
		failed = bundle_put(&work->bundle, "config.json", kind, config.data, config.length, err);
	jv_free(without);
	jv_free(cluster);
	buffer_release(&library);
	buffer_release(&config);
	free(path);
	return failed;
}

/* Takes the facts that the script left behind, and if it failed the reason: what it said itself, or its last line. */
static void
shell_take_answer(const struct task *task, const struct work *work, const struct remote_answer *answer,
    struct outcome *outcome)
{
	char *last, how[64];

	if (json_length(answer->facts) > 0)
		outcome->facts = jv_copy(answer->facts);
	if (answer->status == 0)
		return;
	if (answer->status > 128)
		snprintf(how, sizeof how, "was killed by signal %d", answer->status - 128);
	else
		snprintf(how, sizeof how, "exited with %d", answer->status);
	last = tail_last_line(&answer->said);
	error_set(&outcome->error, answer->status, "node %s: %s%s%s %s: %s", task->machine.id, work->script,
	    work->args && *work->args ? " " : "", work->args ? work->args : "", how,
	    answer->reason ? answer->reason : *last ? last : "it printed nothing");
	free(last);
}

/* Gives a lack of room on a node, which is tried again like a node that is not reached, a code of its own if the task asks for
 * the status. */
static void
shell_tell_apart(const struct task *task, const struct remote_answer *answer, struct error *err)
{
	if (task->action == ACTION_STATUS && answer->reached && err->code == EX_TEMPFAIL)
		err->code = EX_CANTCREAT;
}

/* Makes the payload of the task; for bootstrap, and to ask a node, one that only looks whether it can be entered and has what a
 * script needs: nothing is installed. Returns -1 with the reason in outcome. */
static int
shell_prepare(const struct task *task, struct arena *arena, struct work *work, struct payload *payload,
    struct outcome *outcome)
{
	struct error *err = &outcome->error;

	if (!task->machine.id)
		return error_set(err, EX_DATAERR, "the task names no machine");
	if (task->action == ACTION_BOOTSTRAP || (task->action == ACTION_STATUS && !task->service)) {
		work->script = "looking for what scripts need";
		shell_choose_user(task, NULL, work);
		return payload_check(task, payload, err);
	}
	if (shell_read_fields(task, arena, work, outcome) < 0)
		return -1;
	if (work->args && shell_words_split(work->args, &work->words, err) < 0)
		return error_prefix(err, "args of script %s", work->script);
	if (shell_add_files(task, work, err) < 0 || shell_add_library(task, work, err) < 0)
		return -1;
	return payload_run(task, &work->bundle, &work->words, work->user, payload, err);
}

static void
shell_release_work(struct work *work)
{
	bundle_release(&work->bundle);
	arguments_release(&work->words);
}

static void
shell_act(const struct task *task, struct outcome *outcome)
{
	struct arena arena = {0};
	struct payload payload = {0};
	struct remote_answer answer;
	struct remote_archive archive = {.gives = task->action == ACTION_RESTORE};
	bool moves = action_moves_archive(task->action);
	struct work work = {0};

	if (moves)
		archive.key = archive_pipe_key(task, &arena, &outcome->error);
	if ((!moves || archive.key) && shell_prepare(task, &arena, &work, &payload, outcome) == 0) {
		if (remote_run(&task->machine, &payload, work.become_root, moves ? &archive : NULL, &answer, &outcome->error) == 0)
			shell_take_answer(task, &work, &answer, outcome);
		else
			shell_tell_apart(task, &answer, &outcome->error);
		remote_answer_release(&answer);
	}
	payload_release(&payload);
	shell_release_work(&work);
	arena_release(&arena);
}

struct run { /* one of many tasks, over a connection that is kept */
	struct call *call;
	struct arena arena;
	struct work work;
	struct payload payload;
	struct connection_user connection;
	struct response response;
	struct remote_answer answer;
	struct child child;
	bool started, refused;
};

static void
shell_log(void *to, const char *bytes, size_t length)
{
	serve_log(to, bytes, length);
}

static void
shell_finish(struct server *server, struct run *run)
{
	struct call *call = run->call;

	connections_leave(&run->connection);
	response_release(&run->response);
	remote_answer_release(&run->answer);
	child_release(&run->child);
	payload_release(&run->payload);
	shell_release_work(&run->work);
	arena_release(&run->arena);
	free(run);
	serve_answer(server, call);
}

/* Begins the run on its connection, or ends it if there is none. */
static void
shell_connected(struct server *server, struct run *run)
{
	struct error *err = &run->connection.error;
	struct buffer command = {0};

	if (err->code) {
		run->call->outcome.error = *err;
		shell_finish(server, run);
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
		shell_finish(server, run);
	}
}

/* Begins the runs that have got their connection. */
static void
shell_serve_connections(struct server *server)
{
	struct connections *connections = server->state;
	struct connection_user *user;

	while ((user = connections_next(connections)))
		shell_connected(server, user->owner);
	server->wake_ms = connections->due_ms;
}

static void
shell_begin(struct server *server, struct call *call)
{
	struct run *run = memory_zeroed(1, sizeof *run);

	call->state = run;
	*run = (struct run){.call = call, .response = {.log = shell_log, .log_to = call},
	    .connection = {.machine = &call->task.machine, .owner = run}, .answer = {.facts = jv_invalid()}};
	if (shell_prepare(&call->task, &run->arena, &run->work, &run->payload, &call->outcome) < 0) {
		shell_finish(server, run);
		return;
	}
	response_begin(&run->response, &call->task.machine, &run->payload, &run->answer);
	/* All that is still needed is the payload: thousands wait for their end at the same time. */
	bundle_release(&run->work.bundle);
	run->work.bundle = (struct bundle){0};
	task_release_record(&call->task);
	connections_request(server->state, &run->connection);
	shell_serve_connections(server);
}

static void
shell_child_event(struct server *server, struct child *child, enum supervise_event event)
{
	struct run *run = child->owner;
	struct call *call;
	enum mux_news news;
	bool over;

	if (connections_child_event(child, event)) {
		shell_serve_connections(server);
		return;
	}
	call = run->call;
	over = response_read(&run->response, child);
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
		shell_take_answer(&call->task, &run->work, &run->answer, &call->outcome);
	else if (!call->ending)
		shell_tell_apart(&call->task, &run->answer, &call->outcome.error);
	shell_finish(server, run);
	shell_serve_connections(server);
}

static void
shell_end(struct server *server, struct call *call)
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
	shell_finish(server, run);
}

static void
shell_due(struct server *server, struct call *call)
{
	(void)call;
	connections_keep_time(server->state, clock_monotonic_ms());
	shell_serve_connections(server);
}

static void
shell_ready(struct server *server, int fd)
{
	(void)fd;
	connections_read_notify(server->state);
	shell_serve_connections(server);
}

static int
shell_open_connections(struct server *server, struct error *err)
{
	server->state = memory_zeroed(1, sizeof(struct connections));
	return connections_open(server->state, &server->supervisor, err);
}

static void
shell_close_connections(struct server *server)
{
	connections_close(server->state);
	free(server->state);
}

int
main(int argc, char **argv)
{
	static const struct service service = {shell_begin, shell_due, shell_child_event, shell_end, shell_ready,
	    shell_open_connections, shell_close_connections};
	static const struct plugin plugin = {"automator/shell", schema, shell_act, NULL, &service, CONFINE_HOST | CONFINE_LOGIN, NULL};

	return plugin_main(&plugin, argc, argv);
}
