/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/itamae: recipes of itamae on the node, coopr-automators(7). The configuration becomes the attributes of the node.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no itamae on it, no such recipe, or the fields are wrong.
 */
#include "automator/attributes.h"
#include "automator/automator.h"
#include "automator/tool.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator itamae\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"recipes\"],\"resources\":{"
    "\"recipes\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"},"
    "\"files\":{\"formats\":[\"file\",\"archive\"],\"permissions\":\"0644\"}},\"properties\":{"
    "\"recipes\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"recipes\"],\"description\":\"The recipes, separated by blanks, in this order: resources of the type recipes, files in scripts/ of the catalogue, or absolute paths\"},"
    "\"files\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"files\",\"recipes\"],\"description\":\"Files and folders that the recipes need, separated by blanks\"},"
    TOOL_PROPERTIES "}}";

static int
itamae_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"recipes", "files", NULL};
	static const struct tool tool = {"itamae", "itamae.sh", "recipes", files, false};
	jv data;
	int failed = attributes_all(task, &data, err);

	work->complaint = "ERROR :";
	if (!failed)
		failed = tool_prepare(&tool, task, data, arena, work, err);
	jv_free(data);
	return failed;
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/itamae", .schema = schema, .prepare = itamae_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
