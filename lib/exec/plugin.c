/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/location.h"
#include "base/message.h"
#include "exec/serve.h"
#include "json/record.h"
#include "ssh/bastion.h"
#include "ssh/sockets.h"

static int
plugin_misuse(const struct plugin *plugin)
{
	message("usage: %s ACTION <task >result; see coopr-plugins(7)", plugin->name);
	return EX_USAGE;
}

/* Adds the field ssh-auth.bastion, which is the same for all providers that say "bastion": true. */
static void
plugin_describe_bastion(jv *schema)
{
	static const char text[] = "{\"type\":\"object\",\"additionalProperties\":false,\"description\":\"How machines are reached\",\"properties\":{"
	    BASTION_MEMBER("") "}}";
	jv properties = json_get(*schema, "properties"), member;
	struct error ignored; /* it is JSON */

	if (json_is(*schema, "bastion", JV_KIND_TRUE) && json_parse("ssh-auth", text, strlen(text), &member, &ignored) == 0) {
		json_set(&properties, "ssh-auth", member);
		json_set(schema, "properties", jv_copy(properties));
	}
	jv_free(properties);
}

static int
plugin_describe(const struct plugin *plugin)
{
	struct error err;
	jv schema;

	if (json_parse(plugin->name, plugin->schema, strlen(plugin->schema), &schema, &err) < 0)
		return message_error(&err);
	plugin_describe_bastion(&schema);
	record_write(schema, stdout);
	jv_free(schema);
	return 0;
}

/* Confines this process to what the plugin needs for the task; NULL: for a list, or for many. Who moves an archive runs
 * libexec/coopr/archive, which needs store and key. */
static void
plugin_confine(const struct plugin *plugin, const struct task *task, bool streams)
{
	struct confine_plugin wanted = {.wants = plugin->wants | (streams ? CONFINE_STREAM : 0), .state = plugin->state};
	char *runtime = NULL;

	if (task && action_moves_archive(task->action))
		return;
	if (plugin->wants & CONFINE_LOGIN)
		wanted.changes = sockets_keep();
	if (!wanted.changes && streams && (plugin->wants & CONFINE_LOGIN))
		wanted.changes = runtime = location_runtime();
	if (task) {
		wanted.reads[0] = task->nodes;
		wanted.reads[1] = task->catalogue;
		wanted.reads[2] = task->machine.identityfile;
	}
	confine_as_plugin(&wanted);
	free(runtime);
}

/* Has a provider asked by its entity, on standard input. */
static int
plugin_inquire(const struct plugin *plugin, int (*ask)(jv provider, struct error *err))
{
	struct error err;
	jv provider;
	int code = 0;

	plugin_confine(plugin, NULL, false);
	if (json_read_file("-", &provider, &err) < 0)
		return message_error(&err);
	if (ask(provider, &err) < 0)
		code = message_error(&err);
	jv_free(provider);
	return code;
}

/* Does the task on standard input and prints its result record. Returns its status. */
static int
plugin_perform(const struct plugin *plugin, enum action action)
{
	struct outcome outcome = OUTCOME_NONE;
	struct problems problems = {0};
	struct task task;
	struct error err;
	jv result;
	int code;

	if (task_read(STDIN_FILENO, "standard input", &task, &problems, &err) < 0) {
		code = message_error(&err);
	} else if (problems.total > 0) {
		code = problems_report(&problems, "standard input");
	} else {
		task.action = action;
		plugin_confine(plugin, &task, false);
		plugin->act(&task, &outcome);
		result = task_outcome_result(&task, &outcome);
		record_write(result, stdout);
		jv_free(result);
		code = outcome.error.code;
	}
	problems_release(&problems);
	task_outcome_release(&outcome);
	task_release(&task);
	return code;
}

int
plugin_main(const struct plugin *plugin, int argc, char **argv)
{
	const struct {
		const char *verb;
		int (*ask)(jv provider, struct error *err);
	} inquiries[] = {{"list", plugin->list}, {"test", plugin->test}, {"flavors", plugin->flavors}, {"volumes", plugin->volumes}};
	enum action action;

	message_program(plugin->name);
	if (argc != 2)
		return plugin_misuse(plugin);
	if (strcmp(argv[1], "describe") == 0)
		return message_end(plugin_describe(plugin));
	for (size_t i = 0; i < sizeof inquiries / sizeof *inquiries; i++)
		if (strcmp(argv[1], inquiries[i].verb) == 0 && inquiries[i].ask)
			return message_end(plugin_inquire(plugin, inquiries[i].ask));
	if (strcmp(argv[1], "stream") == 0 && plugin->service) {
		plugin_confine(plugin, NULL, true);
		return message_end(serve(plugin->service, plugin->name));
	}
	action = action_of_name(argv[1]);
	if (action == ACTION_NONE)
		return plugin_misuse(plugin);
	return message_end(plugin_perform(plugin, action));
}
