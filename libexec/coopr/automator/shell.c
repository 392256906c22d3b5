/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/shell: service scripts over ssh, coopr-shell(7). A task is one round trip: script, files and
 * configuration go to a private directory on the node, the script runs there, its output streams back, and
 * nothing is left.
 *
 * Exit code and status: the script's own; 75 the node cannot be reached, 77 it may not be entered, 78 the
 * script is not to be found or the fields are wrong.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/process.h"
#include "exec/bundle.h"
#include "exec/lookup.h"
#include "exec/payload.h"
#include "exec/plugin.h"
#include "exec/remote.h"
#include "exec/words.h"
#include "model/name.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator shell\",\"type\":\"object\","
    "\"required\":[\"script\"],\"properties\":{"
    "\"script\":{\"type\":\"string\",\"description\":\"The script: an absolute path, or one below the catalogue's scripts or share/coopr/services\"},"
    "\"args\":{\"type\":\"string\",\"description\":\"Its arguments, split into words as a shell does, with nothing expanded\"},"
    "\"files\":{\"type\":\"string\",\"description\":\"Files and folders that go with it, found as the script is; blanks between\"},"
    "\"user\":{\"type\":\"string\",\"description\":\"The user to run it as on the node; root if not given\"}}}";

struct work {
	const char *script, *args, *files;
	const char *user;       /* whom it runs as; NULL: the user who logs in, or becomes root for it */
	bool become_root;       /* first, through sudo */
	struct arguments words; /* of args */
	struct bundle bundle;
};

/* Who logs in need not become anybody else to run a script as just that user. */
static void
choose_user(const struct task *task, const char *user, struct work *work)
{
	bool is_self = user && strcmp(user, task->machine.user) == 0;

	work->user = is_self ? NULL : user;
	work->become_root = !is_self && strcmp(task->machine.user, "root") != 0;
}

static int
read_fields(const struct task *task, struct arena *arena, struct work *work, struct outcome *outcome)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	const char *user;
	int failed;

	work->script = place_string(&fields, "script", NEED_REQUIRED, arena);
	work->args = place_string(&fields, "args", NEED_OPTIONAL, arena);
	work->files = place_string(&fields, "files", NEED_OPTIONAL, arena);
	user = name_parse_as(&fields, "user", NEED_OPTIONAL, name_is_user, "user", arena);
	choose_user(task, user, work);
	failed = plugin_check_fields(&problems, outcome);
	problems_release(&problems);
	return failed;
}

/* The script and what it asked for by "files". */
static int
add_files(const struct task *task, struct work *work, struct error *err)
{
	struct arguments names = {0};
	int failed = bundle_add(&work->bundle, task->catalogue, work->script, err);

	if (!failed && work->bundle.list[work->bundle.count - 1].is_folder)
		failed = error_set(err, EX_CONFIG, "it is a folder");
	if (failed)
		error_prefix(err, "script %s", work->script);
	if (!failed && work->files)
		failed = words_split(work->files, &names, err);
	for (size_t i = 0; i < names.count && !failed; i++) {
		failed = bundle_add(&work->bundle, task->catalogue, names.list[i], err);
		if (failed)
			error_prefix(err, "files of script %s", work->script);
	}
	arguments_release(&names);
	return failed;
}

/* lib.sh: its functions and the tables for this task. The list of nodes goes along only where it is asked for: it
 * grows with the cluster. */
static int
add_library(const struct task *task, struct work *work, struct error *err)
{
	char *path = location_installed("share/coopr/shell/lib.sh");
	struct buffer library = {0};
	int failed = file_read(AT_FDCWD, path, BUNDLE_BYTES, &library, err);

	lookup_config(task->config, task->unexpanded, &library);
	if (!failed && bundle_mentions(&work->bundle, "coopr_nodes"))
		failed = lookup_nodes(task->nodes, &library, err);
	if (!failed)
		failed = bundle_add_text(&work->bundle, "lib.sh", library.data, library.length, err);
	buffer_release(&library);
	free(path);
	return failed;
}

static int
add_config(const struct task *task, struct work *work, struct error *err)
{
	struct buffer text = {0};
	int failed;

	if (jv_is_valid(task->config))
		json_dump(task->config, &text);
	else
		buffer_text(&text, "{}");
	buffer_byte(&text, '\n');
	failed = bundle_add_text(&work->bundle, "config.json", text.data, text.length, err);
	buffer_release(&text);
	return failed;
}

static int
collect(const struct task *task, struct work *work, struct error *err)
{
	if (work->args && words_split(work->args, &work->words, err) < 0)
		return error_prefix(err, "args of script %s", work->script);
	if (add_files(task, work, err) < 0)
		return -1;
	return add_library(task, work, err) < 0 || add_config(task, work, err) < 0 ? -1 : 0;
}

/* The sentence for a script that failed: what it said itself, or its last line. */
static void
explain(const struct task *task, const struct work *work, const struct remote_answer *answer, struct error *err)
{
	char *last = tail_last_line(&answer->said), how[64];

	if (answer->status > 128)
		snprintf(how, sizeof how, "was killed by signal %d", answer->status - 128);
	else
		snprintf(how, sizeof how, "exited with %d", answer->status);
	error_set(err, answer->status, "node %s: %s%s%s %s: %s", task->machine.id, work->script,
	    work->args && *work->args ? " " : "", work->args ? work->args : "", how,
	    answer->reason ? answer->reason : *last ? last : "it printed nothing");
	free(last);
}

static void
send_payload(const struct task *task, const struct work *work, const struct payload *payload, struct outcome *outcome)
{
	struct remote_answer answer;

	if (remote_run(&task->machine, payload, work->become_root, &answer, &outcome->error) == 0) {
		if (json_length(answer.facts) > 0)
			outcome->facts = jv_copy(answer.facts);
		if (answer.status)
			explain(task, work, &answer, &outcome->error);
	}
	remote_answer_release(&answer);
}

static void
run_script(const struct task *task, struct outcome *outcome)
{
	struct arena arena = {0};
	struct payload payload = {0};
	struct work work = {0};

	if (read_fields(task, &arena, &work, outcome) == 0 && collect(task, &work, &outcome->error) == 0 &&
	    payload_run(task, &work.bundle, &work.words, work.user, &payload, &outcome->error) == 0)
		send_payload(task, &work, &payload, outcome);
	payload_release(&payload);
	bundle_release(&work.bundle);
	arguments_release(&work.words);
	arena_release(&arena);
}

/* Whether the node can be entered and has what a script needs; nothing is installed. */
static void
bootstrap(const struct task *task, struct outcome *outcome)
{
	struct work work = {.script = "looking for what scripts need"};
	struct payload payload = {0};

	choose_user(task, NULL, &work);
	if (payload_check(&payload, &outcome->error) == 0)
		send_payload(task, &work, &payload, outcome);
	payload_release(&payload);
}

static void
act(const struct task *task, struct outcome *outcome)
{
	if (!task->machine.id)
		error_set(&outcome->error, EX_DATAERR, "the task names no machine");
	else if (task->action == ACTION_BOOTSTRAP)
		bootstrap(task, outcome);
	else
		run_script(task, outcome);
}

int
main(int argc, char **argv)
{
	static const struct plugin plugin = {"automator/shell", schema, act, NULL, NULL};

	return plugin_main(&plugin, argc, argv);
}
