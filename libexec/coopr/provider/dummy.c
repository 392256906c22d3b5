/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/dummy: machines that are not there. It knows which it has "made" (a file for each, in a folder of their
 * provider below location_state(): so that very many are listed without a look into any), gives them addresses from the
 * nets kept for benchmarks, and takes as much time and fails as often as its fields say.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/location.h"
#include "exec/dummy.h"
#include "exec/plugin.h"
#include "exec/serve.h"
#include "json/record.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider dummy\",\"type\":\"object\",\"stream\":true,"
    "\"properties\":{" DUMMY_PROPERTIES "}}";

/* Returns whether the name can be a file's, and needs no escape in JSON. */
static bool
dummy_is_plain(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	return *name && *name != '.' && !name[strspn(name, plain)];
}

/* Makes the folder of the provider's machines. Returns its path, which the caller frees; NULL if it cannot be made. */
static char *
dummy_open_folder(jv provider, struct error *err)
{
	char *state = location_state(), *name = json_get_string(provider, "name"), *folder;

	folder = memory_printf("%s/dummy/%s", state, name && dummy_is_plain(name) ? name : "unnamed");
	free(name);
	free(state);
	if (file_make_dirs(AT_FDCWD, folder, 0700, err) == 0)
		return folder;
	free(folder);
	return NULL;
}

/* Returns addresses that differ for each node of a cluster: 198.18.0.0/15 from outside, 10.0.0.0/8 between nodes. */
static jv
dummy_addresses_of(const struct machine *machine)
{
	unsigned number = (unsigned)machine->nodenum;
	jv addresses = jv_object();
	char text[32];

	snprintf(text, sizeof text, "198.%u.%u.%u", 18 + (number >> 16 & 1), number >> 8 & 255, number & 255);
	json_set_string(&addresses, "access_v4", text);
	snprintf(text, sizeof text, "10.%u.%u.%u", number >> 16 & 255, number >> 8 & 255, number & 255);
	json_set_string(&addresses, "bind_v4", text);
	return addresses;
}

/* Returns the name under which the file of a machine is written, which the caller frees: who was killed meanwhile has left no more than that. */
static char *
dummy_fresh_name(const char *path)
{
	return memory_printf("%s.new", path);
}

/* Writes the file of the machine whole or not at all, but not durably: a machine that is not there survives no loss of power
 * either. */
static void
dummy_write_machine(const struct task *task, const char *path, struct outcome *outcome)
{
	char *fresh = dummy_fresh_name(path);
	struct buffer text = {0};
	jv node = jv_object();
	int fd;

	json_set_string(&node, "kind", "node");
	json_set_string(&node, "id", task->machine.id);
	json_set_string(&node, "hostname", task->machine.hostname);
	json_set_string(&node, "cluster", task->cluster_id);
	json_set(&node, "provider", json_get(task->provider, "name"));
	json_set(&node, "ipaddresses", jv_copy(outcome->ipaddresses));
	json_set(&node, "facts", jv_copy(outcome->facts));
	json_dump(node, &text);
	fd = file_open(AT_FDCWD, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600, &outcome->error);
	if (fd >= 0) {
		bool written = file_write_all(fd, text.data, text.length) == 0;

		if (close(fd) < 0 || !written || rename(fresh, path) < 0)
			error_errno(&outcome->error, EX_IOERR, "%s", path);
	}
	buffer_release(&text);
	jv_free(node);
	free(fresh);
}

static void
dummy_delete_machine(const char *path, struct error *err)
{
	char *fresh = dummy_fresh_name(path);

	unlink(fresh);
	if (unlink(path) < 0 && errno != ENOENT)
		error_errno(err, EX_IOERR, "%s", path);
	free(fresh);
}

/* Does the task, once its time is over, unless it was drawn to fail. Making a machine that is there, and removing one that is
 * not, changes nothing. */
static void
dummy_provider_carry_out(const struct task *task, struct outcome *outcome)
{
	char *folder, *path, *id;

	if (outcome->error.code || !(folder = dummy_open_folder(task->provider, &outcome->error)))
		return;
	path = memory_printf("%s/%s", folder, task->machine.id);
	if (task->action == ACTION_CREATE) {
		id = memory_printf("dummy-%s", task->machine.id);
		outcome->ipaddresses = dummy_addresses_of(&task->machine);
		outcome->facts = jv_object();
		json_set_string(&outcome->facts, "providerid", id);
		free(id);
		dummy_write_machine(task, path, outcome);
	} else if (task->action == ACTION_CONFIRM && !file_exists(AT_FDCWD, path)) {
		error_set(&outcome->error, EX_UNAVAILABLE, "node %s: there is no such machine", task->machine.id);
	} else if (task->action == ACTION_DELETE) {
		dummy_delete_machine(path, &outcome->error);
	}
	free(path);
	free(folder);
}

static int
dummy_check_machine(const struct task *task, struct outcome *outcome)
{
	return task->machine.id ? 0 : error_set(&outcome->error, EX_DATAERR, "the task names no machine");
}

static void
dummy_provider_act(const struct task *task, struct outcome *outcome)
{
	double delay_ms;

	if (dummy_check_machine(task, outcome) < 0)
		return;
	dummy_draw(task, &delay_ms, outcome);
	dummy_wait(delay_ms);
	dummy_provider_carry_out(task, outcome);
}

static void
dummy_provider_begin(struct server *server, struct call *call)
{
	if (dummy_check_machine(&call->task, &call->outcome) < 0)
		serve_answer(server, call);
	else
		dummy_begin(server, call);
}

static void
dummy_provider_due(struct server *server, struct call *call)
{
	dummy_provider_carry_out(&call->task, &call->outcome);
	serve_answer(server, call);
}

static int
dummy_is_machine(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return dummy_is_plain(entry->d_name) && (length < 4 || strcmp(entry->d_name + length - 4, ".new") != 0);
}

static int
dummy_list(jv provider, struct error *err)
{
	char *name = json_get_string(provider, "name"), *folder = dummy_open_folder(provider, err);
	struct dirent **entries;
	int count = folder ? scandir(folder, &entries, dummy_is_machine, alphasort) : -1;

	if (folder && count < 0)
		error_errno(err, EX_IOERR, "%s", folder);
	for (int i = 0; i < count; i++) {
		printf("{\"facts\":{\"providerid\":\"dummy-%s\"},\"id\":\"%s\",\"kind\":\"node\",\"provider\":\"%s\"}\n",
		    entries[i]->d_name, entries[i]->d_name, name && dummy_is_plain(name) ? name : "unnamed");
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(folder);
	free(name);
	return count < 0 ? -1 : 0;
}

int
main(int argc, char **argv)
{
	static const struct service service = {.begin = dummy_provider_begin, .due = dummy_provider_due, .end = serve_answer};
	static const char *const state[] = {"dummy", NULL};
	static const struct plugin plugin = {.name = "provider/dummy", .schema = schema, .act = dummy_provider_act, .list = dummy_list, .service = &service,
	    .state = state};

	return plugin_main(&plugin, argc, argv);
}
