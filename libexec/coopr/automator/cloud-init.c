/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/cloud-init: documents of cloud-init on a node that runs already, coopr-automators(7). The node's own cloud-init merges them,
 * with what keeps the node reachable last, and runs the modules that they ask for.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no cloud-init on it, no such document, or the fields are wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "automator/automator.h"
#include "automator/tool.h"
#include "base/error.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator cloud-init\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"resources\":{\"documents\":{\"formats\":[\"file\"],\"permissions\":\"0644\"}},\"properties\":{"
    "\"documents\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"documents\"],\"description\":\"Documents that begin with #cloud-config, separated by blanks, in this order: resources of the type documents, files in scripts/ of the catalogue, or absolute paths\"},"
    "\"cloud_config\":{\"type\":\"string\",\"description\":\"One more document, after these\"},"
    TOOL_PROPERTIES "}}";

/* Sends the document that is a field, and tells the program of it. */
static int
cloud_init_add_inline(const struct task *task, struct automator_work *work, struct error *err)
{
	char *text = json_get_string(task->fields, "cloud_config");
	int failed = 0;

	if (text && *text) {
		failed = bundle_put(&work->bundle, "cloud_config", BUNDLE_FILE, text, strlen(text), err);
		arguments_push(&work->words, "documents=cloud_config");
	}
	free(text);
	return failed;
}

static int
cloud_init_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"documents", NULL};
	static const struct tool tool = {"cloud-init", "cloud-init.sh", NULL, files, false};
	jv data;
	int failed;

	if (task->action == ACTION_STATUS)
		return error_set(err, EX_CONFIG, "cloud-init does not say what a run would change: let the automator shell do the action status");
	failed = attributes_all(task, &data, err);
	work->complaint = "cloud-init: ";
	if (!failed)
		failed = tool_prepare(&tool, task, data, arena, work, err);
	if (!failed && task->action != ACTION_BOOTSTRAP)
		failed = cloud_init_add_inline(task, work, err);
	if (!failed)
		failed = automator_add_file("cloud-init.py", BUNDLE_FILE, &work->bundle, err);
	if (!failed && task->action != ACTION_BOOTSTRAP && !work->words.count)
		failed = error_set(err, EX_CONFIG, "fields: documents or cloud_config is required");
	jv_free(data);
	return failed;
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/cloud-init", .schema = schema, .prepare = cloud_init_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
