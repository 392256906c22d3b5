/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/shell: service scripts over ssh, coopr-shell(7). A task is one round trip: script, files and
 * configuration go to a private directory on the node, the script runs there, its output streams back, and
 * nothing is left but files that the next task would bring again.
 *
 * Exit code and status: the script's own; 75 the node cannot be reached, 77 it may not be entered, 78 there is no
 * such script, or the fields are wrong.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "automator/automator.h"
#include "automator/volumes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "exec/plugin.h"
#include "json/json.h"
#include "model/name.h"
#include "model/take/origin.h"
#include "ssh/lookup.h"
#include "ssh/script-store.h"
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

struct shell_fields {
	const char *script, *args, *files;
	bool on_disk; /* lies what has secrets in it, as a service says whose machines have no tmpfs */
};

static int
shell_read_fields(const struct task *task, struct arena *arena, struct shell_fields *its, struct automator_work *work, struct error *err)
{
	struct problems problems = {0};
	struct place fields = place_root(task->fields, &problems);
	const char *secrets;
	int failed;

	its->script = place_string(&fields, "script", NEED_REQUIRED, arena);
	its->args = place_string(&fields, "args", NEED_OPTIONAL, arena);
	its->files = place_string(&fields, "files", NEED_OPTIONAL, arena);
	automator_choose_user(task, name_parse_as(&fields, "user", NEED_OPTIONAL, name_is_user, "a user name", arena), work);
	secrets = place_string(&fields, "secrets", NEED_OPTIONAL, arena);
	its->on_disk = secrets && strcmp(secrets, "disk") == 0;
	if (task_has_secret(task, "/fields/args"))
		place_problem(&fields, "args has a secret, which every user of the node could read; put it into the configuration");
	failed = problems_error(&problems, "fields", EX_CONFIG, err);
	problems_release(&problems);
	return failed;
}

/* Adds the script and what it asks for by "files"; as they were kept, where the task says so. */
static int
shell_add_files(const struct task *task, const struct shell_fields *its, struct bundle *bundle, struct error *err)
{
	struct arguments names = {0};
	int failed;

	bundle->caches = true;
	if (task->scripts)
		return script_store_read(task->scripts, bundle, err) < 0 ? error_prefix(err, "script %s", its->script) : 0;
	bundle->beneath = origin_is_tenants(task);
	bundle->plugin = "automator/shell";
	failed = bundle_add(bundle, task->catalogue, its->script, err);
	if (!failed && bundle->list[bundle->count - 1].is_folder)
		failed = error_set(err, EX_CONFIG, "it is a folder");
	if (failed)
		error_prefix(err, "script %s", its->script);
	if (!failed && its->files)
		failed = shell_words_split(its->files, &names, err);
	for (size_t i = 0; i < names.count && !failed; i++) {
		failed = bundle_add(bundle, task->catalogue, names.list[i], err);
		if (failed)
			error_prefix(err, "files of script %s", its->script);
	}
	arguments_release(&names);
	return failed;
}

/* Adds lib.sh, its functions and the tables for this task, and config.json, the two that have the configuration in them. The list of
 * nodes goes along only if it is asked for: it grows with the cluster. */
static int
shell_add_library(const struct task *task, bool on_disk, struct bundle *bundle, struct error *err)
{
	char *path = location_installed("share/coopr/shell/lib.sh");
	struct buffer library = {0}, config = {0};
	enum bundle_kind kind = task_has_secret(task, "/cluster/config") && !on_disk ? BUNDLE_SECRET : BUNDLE_FILE;
	int failed = file_read(AT_FDCWD, path, BUNDLE_BYTES, &library, err);
	jv without = json_get(task->source, "without"), cluster = json_get(task->source, "cluster");

	lookup_declared(cluster, task->fields, &library);
	lookup_config(task->config, task->unexpanded, &library);
	if (!failed && bundle_mentions(bundle, "coopr_nodes"))
		failed = lookup_nodes(task->nodes, without, &library, err);
	if (!failed)
		failed = bundle_put(bundle, "lib.sh", kind, library.data, library.length, err);
	if (jv_is_valid(task->config))
		json_dump(task->config, &config);
	else
		buffer_text(&config, "{}");
	buffer_byte(&config, '\n');
	if (!failed)
		failed = bundle_put(bundle, "config.json", kind, config.data, config.length, err);
	jv_free(without);
	jv_free(cluster);
	buffer_release(&library);
	buffer_release(&config);
	free(path);
	return failed;
}

static int
shell_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	struct shell_fields its = {0};

	if (task->action == ACTION_MOUNT)
		return volumes_prepare(task, arena, work, err);
	if (shell_read_fields(task, arena, &its, work, err) < 0)
		return -1;
	work->name = its.script;
	work->args = its.args;
	if (its.args && shell_words_split(its.args, &work->words, err) < 0)
		return error_prefix(err, "args of script %s", its.script);
	if (shell_add_files(task, &its, &work->bundle, err) < 0)
		return -1;
	work->bundle.caches = false;
	return shell_add_library(task, its.on_disk, &work->bundle, err);
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/shell", .schema = schema, .prepare = shell_prepare};

	return automator_main(&automator, argc, argv);
}
