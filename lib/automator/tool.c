/* SPDX-License-Identifier: Apache-2.0 */
#include "automator/tool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "exec/task-outcome.h"
#include "model/take/origin.h"
#include "ssh/response.h"
#include "ssh/script-store.h"
#include "ssh/shell-words.h"

/* Checks the fields. Arguments can be read by everybody on the node, and the words of fields become some. */
static int
tool_read_fields(const struct tool *tool, const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	int failed;

	place_string(&fields, "secrets", NEED_OPTIONAL, arena);
	work->args = tool->main ? place_string(&fields, tool->main, NEED_REQUIRED, arena) : NULL;
	for (size_t i = 0; tool->files[i]; i++)
		place_string(&fields, tool->files[i], NEED_OPTIONAL, arena);
	if (task_has_secret(task, "/fields"))
		place_problem(&fields, "there is a secret in the fields, which others could read; put it into the configuration");
	failed = problems_error(&problems, "fields", EX_CONFIG, err);
	problems_release(&problems);
	return failed;
}

/* Adds the files that a field names, unless they were kept, and tells the program of each word: "modules=nginx". */
static int
tool_add_field(const struct task *task, const char *field, struct automator_work *work, struct error *err)
{
	char *line = json_get_string(task->fields, field);
	struct arguments names = {0};
	int failed = line ? shell_words_split(line, &names, err) : 0;

	for (size_t i = 0; i < names.count && !failed; i++) {
		arguments_printf(&work->words, "%s=%s", field, names.list[i]);
		if (!task->scripts && bundle_add(&work->bundle, task->catalogue, names.list[i], err) < 0)
			failed = -1;
	}
	if (failed)
		error_prefix(err, "field %s", field);
	arguments_release(&names);
	free(line);
	return failed;
}

/* Adds all that the catalogue has for a field that is absent. What was kept for the action has all that the store had. */
static int
tool_add_all(const struct task *task, const char *field, struct automator_work *work, struct error *err)
{
	char *line = json_get_string(task->fields, field);
	int failed = 0;

	if (!line && !task->scripts && task->catalogue && !work->bundle.beneath)
		failed = bundle_add_all(&work->bundle, task->catalogue, field, err);
	free(line);
	return failed;
}

static int
tool_add_files(const struct tool *tool, const struct task *task, struct automator_work *work, struct arena *arena, struct error *err)
{
	work->bundle.plugin = arena_printf(arena, "automator/%s", task->type);
	work->bundle.beneath = origin_is_tenants(task);
	work->bundle.caches = true;
	if (task->scripts && script_store_read(task->scripts, &work->bundle, err) < 0)
		return error_prefix(err, "%s %s", work->name, work->args);
	for (size_t i = 0; tool->files[i]; i++)
		if (tool_add_field(task, tool->files[i], work, err) < 0 || (tool->sends_all && tool_add_all(task, tool->files[i], work, err) < 0))
			return -1;
	work->bundle.caches = false;
	return 0;
}

static int
tool_add_programs(const struct tool *tool, struct automator_work *work, struct error *err)
{
	work->bundle.program = tool->program;
	if (automator_add_file(tool->program, BUNDLE_FILE, &work->bundle, err) < 0 || automator_add_file("tool.sh", BUNDLE_FILE, &work->bundle, err) < 0)
		return -1;
	return automator_add_file("lib.sh", BUNDLE_FILE, &work->bundle, err);
}

bool
tool_stays_in_memory(const struct task *task)
{
	char *secrets = json_get_string(task->fields, "secrets");
	bool may_lie = secrets && strcmp(secrets, "disk") == 0;

	free(secrets);
	return task_has_secret(task, "/cluster/config") && !may_lie;
}

int
tool_put(const struct task *task, const char *name, const struct buffer *text, struct bundle *bundle, struct error *err)
{
	return bundle_put(bundle, name, tool_stays_in_memory(task) ? BUNDLE_SECRET : BUNDLE_FILE, buffer_string(text), text->length, err);
}

static int
tool_add_data(const struct task *task, jv data, struct bundle *bundle, struct error *err)
{
	struct buffer text = {0};
	int failed;

	if (!jv_is_valid(data))
		return 0;
	json_dump(data, &text);
	buffer_byte(&text, '\n');
	failed = tool_put(task, "config.json", &text, bundle, err);
	buffer_release(&text);
	return failed;
}

int
tool_prepare(const struct tool *tool, const struct task *task, jv data, struct arena *arena, struct automator_work *work,
    struct error *err)
{
	work->name = tool->name;
	work->ends_descendants = true;
	if (action_moves_archive(task->action))
		return error_set(err, EX_CONFIG, "%s moves no archive: let the automator shell do the action %s", tool->name, action_name(task->action));
	if (tool_add_programs(tool, work, err) < 0)
		return -1;
	if (task->action == ACTION_BOOTSTRAP)
		return 0;
	if (tool_read_fields(tool, task, arena, work, err) < 0 || tool_add_files(tool, task, work, arena, err) < 0)
		return -1;
	return tool_add_data(task, data, &work->bundle, err);
}

char *
tool_without_blanks(const char *text)
{
	struct buffer out = {0};

	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			buffer_byte(&out, *text);
	buffer_string(&out);
	return buffer_take(&out);
}

void
tool_take_facts(jv facts, struct outcome *outcome)
{
	char *changed = json_get_string(facts, "changed");

	if (changed)
		json_set(&outcome->facts, "changed", jv_bool(strcmp(changed, "true") == 0));
	free(changed);
}

void
tool_take_answer(const struct task *task, const struct remote_answer *answer, struct outcome *outcome)
{
	(void)task;
	tool_take_facts(answer->facts, outcome);
}
