/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/chef: chef-solo or cinc-solo on the node, coopr-automators(7). Run lists and attributes are those of the plugin chef-solo of
 * Cask's Coopr.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no chef-solo on it, no such cookbook, or the fields are wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "automator/attributes.h"
#include "automator/automator.h"
#include "automator/tool.h"
#include "base/error.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator chef\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"run_list\"],\"resources\":{"
    "\"cookbooks\":{\"formats\":[\"archive\"]},"
    "\"data_bags\":{\"formats\":[\"archive\"]},"
    "\"roles\":{\"formats\":[\"file\"],\"permissions\":\"0644\"}},\"properties\":{"
    "\"run_list\":{\"type\":\"string\",\"description\":\"What is run, as recipe[web],role[base]\"},"
    "\"json_attributes\":{\"type\":\"string\",\"description\":\"More attributes, an object of JSON in a string; they take precedence over the configuration\"},"
    "\"cookbooks\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"cookbooks\"],\"all\":true,\"description\":\"The cookbooks, separated by blanks; by default all that there are\"},"
    "\"roles\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"roles\"],\"all\":true,\"description\":\"The files of roles, separated by blanks; by default all that there are\"},"
    "\"data_bags\":{\"type\":\"string\",\"format\":\"files\",\"of\":\"path\",\"resources\":[\"data_bags\"],\"all\":true,\"description\":\"The data bags, separated by blanks; by default all that there are\"},"
    TOOL_PROPERTIES "}}";

/* Returns the attributes that the service has of its own, owned, from a text; none where that is empty. */
static int
chef_read_attributes(const struct task *task, jv *out, struct error *err)
{
	char *text = json_get_string(task->fields, "json_attributes");
	int failed = 0;

	if (text && *text)
		failed = json_parse("field json_attributes", text, strlen(text), out, err);
	else
		*out = jv_object();
	if (!failed && jv_get_kind(*out) != JV_KIND_OBJECT) {
		failed = error_set(err, EX_CONFIG, "field json_attributes: expected an object of JSON, found %s", json_kind_name(*out));
		jv_free(*out);
	}
	if (failed)
		err->code = EX_CONFIG;
	free(text);
	return failed;
}

/* Makes the attributes of the run, owned: the cluster's configuration and its nodes, what the service has of its own, which takes
 * precedence, and under "coopr" what is known of cluster and node. */
static int
chef_make_attributes(const struct task *task, jv *out, struct error *err)
{
	jv own, cluster, coopr, nodes, told = jv_object();
	int failed;

	if (chef_read_attributes(task, &own, err) < 0) {
		jv_free(told);
		*out = jv_invalid();
		return -1;
	}
	cluster = attributes_config(task);
	failed = attributes_coopr(task, &coopr, err);
	nodes = json_get(coopr, "nodes");
	json_set(&cluster, "nodes", jv_copy(nodes));
	json_set(&coopr, "cluster", jv_copy(cluster));
	json_set(&told, "coopr", coopr);
	*out = jv_object_merge_recursive(jv_object_merge_recursive(cluster, own), told);
	jv_free(nodes);
	return failed;
}

/* Tells the program the run list, in which chef-solo allows no blanks. */
static void
chef_add_run_list(const struct task *task, struct automator_work *work)
{
	char *list = json_get_string(task->fields, "run_list"), *plain = tool_without_blanks(list ? list : "");

	arguments_printf(&work->words, "run_list=%s", plain);
	free(plain);
	free(list);
}

static int
chef_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	static const char *const files[] = {"cookbooks", "roles", "data_bags", NULL};
	static const struct tool tool = {"chef", "chef.sh", "run_list", files, true};
	jv attributes;
	int failed;

	if (task->action == ACTION_STATUS)
		return error_set(err, EX_CONFIG, "chef does not say what a run would change: let the automator shell do the action status");
	if (chef_make_attributes(task, &attributes, err) < 0) {
		jv_free(attributes);
		return -1;
	}
	work->complaint = "FATAL: ";
	failed = tool_prepare(&tool, task, attributes, arena, work, err);
	chef_add_run_list(task, work);
	jv_free(attributes);
	return failed;
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/chef", .schema = schema, .prepare = chef_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
