/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/claims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/lock.h"
#include "base/memory.h"
#include "exec/machines.h"
#include "model/take/task.h"

struct claims { /* the folder, locked; a claim is the file ID.json */
	char *path;
	int lock;
	jv list; /* owned: an array of all claims, sorted by machine */
};

static int
claims_is_claim(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static int
claims_compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
claims_read_claims(struct claims *claims, struct error *err)
{
	struct dirent **entries;
	int count = scandir(claims->path, &entries, claims_is_claim, claims_compare_entries), failed = 0;

	if (count < 0)
		return error_errno(err, EX_IOERR, "%s", claims->path);
	for (int i = 0; i < count; i++) {
		char *path = memory_printf("%s/%s", claims->path, entries[i]->d_name);
		jv claim;

		if (!failed)
			failed = json_read_file(path, &claim, err);
		if (!failed)
			claims->list = jv_array_append(claims->list, claim);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return failed;
}

static void
claims_release(struct claims *claims)
{
	if (claims->lock >= 0)
		close(claims->lock);
	jv_free(claims->list);
	free(claims->path);
}

static int
claims_open(struct claims *claims, struct error *err)
{
	char *state = location_state(), *lock;

	*claims = (struct claims){.path = memory_printf("%s/static", state), .lock = -1, .list = jv_array()};
	free(state);
	if (file_make_dirs(AT_FDCWD, claims->path, 0700, err) < 0)
		return -1;
	lock = memory_printf("%s/lock", claims->path);
	claims->lock = file_open(AT_FDCWD, lock, O_RDWR | O_CREAT, 0600, err);
	if (claims->lock >= 0 && lock_wait(claims->lock, LOCK_EX) < 0) {
		error_errno(err, EX_OSERR, "%s: cannot be locked", lock);
		close(claims->lock);
		claims->lock = -1;
	}
	free(lock);
	return claims->lock < 0 ? -1 : claims_read_claims(claims, err);
}

/* A member of claim number i; the caller's to free, NULL where it is none. */
static char *
claims_claim_member(const struct claims *claims, size_t i, const char *name)
{
	jv claim = jv_array_get(jv_copy(claims->list), (int)i);
	char *text = json_get_string(claim, name);

	jv_free(claim);
	return text;
}

/* The number of the claim whose member is value, -1 where there is none. */
static long
claims_find_claim(const struct claims *claims, const char *name, const char *value)
{
	for (size_t i = 0; i < json_length(claims->list); i++) {
		char *member = claims_claim_member(claims, i, name);
		bool is_it = member && strcmp(member, value) == 0;

		free(member);
		if (is_it)
			return (long)i;
	}
	return -1;
}

static char *
claims_claim_path(const struct claims *claims, const char *id)
{
	return memory_printf("%s/%s.json", claims->path, id);
}

static int
claims_write_claim(const struct claims *claims, const struct machines *machines, const struct task *task,
    const struct static_machine *machine, struct error *err)
{
	char *path = claims_claim_path(claims, machine->id), *provider = json_get_string(task->provider, "name");
	struct buffer text = {0};
	jv claim = jv_object();
	int failed;

	json_set_string(&claim, "machine", machine->id);
	json_set_string(&claim, "node", task->machine.id);
	json_set_string(&claim, "hostname", machine->hostname ? machine->hostname : task->machine.hostname);
	json_set_string(&claim, "cluster", task->cluster_id);
	json_set_string(&claim, "provider", provider);
	json_set_string(&claim, "file", machines->path);
	json_dump_pretty(claim, &text);
	failed = file_replace(AT_FDCWD, path, text.data, text.length, 0600, err);
	buffer_release(&text);
	jv_free(claim);
	free(provider);
	free(path);
	return failed;
}

/* A machine that names a flavor or a zone is for nodes of it only. */
static bool
claims_is_fit(const struct static_machine *machine, const struct machine *node)
{
	if (machine->flavor && node->flavor && strcmp(machine->flavor, node->flavor) != 0)
		return false;
	return !machine->zone || !node->zone || strcmp(machine->zone, node->zone) == 0;
}

static int
claims_take_free(const struct claims *claims, const struct machines *machines, const struct task *task,
    const struct static_machine **machine, struct error *err)
{
	size_t fit = 0;

	for (size_t i = 0; i < machines->count; i++) {
		if (!claims_is_fit(&machines->list[i], &task->machine))
			continue;
		fit++;
		if (claims_find_claim(claims, "machine", machines->list[i].id) >= 0)
			continue;
		*machine = &machines->list[i];
		return claims_write_claim(claims, machines, task, *machine, err);
	}
	if (fit == 0)
		return error_set(err, EX_CONFIG, "no machine for node %s in %s: none of the %zu is of its flavor and zone",
		    task->machine.id, machines->path, machines->count);
	return error_set(err, EX_TEMPFAIL, "no free machine in %s: %zu of %zu in use", machines->path, fit, fit);
}

int
machine_claims_take(const struct machines *machines, const struct task *task, const struct static_machine **machine,
    struct error *err)
{
	struct claims claims;
	int failed = claims_open(&claims, err);
	long held = failed ? -1 : claims_find_claim(&claims, "node", task->machine.id);

	if (!failed && held >= 0) {
		char *id = claims_claim_member(&claims, (size_t)held, "machine");

		*machine = id ? machines_find(machines, id) : NULL;
		if (!*machine)
			failed = error_set(err, EX_CONFIG, "node %s has the machine %s, which is not in %s any more",
			    task->machine.id, id ? id : "?", machines->path);
		free(id);
	} else if (!failed) {
		failed = claims_take_free(&claims, machines, task, machine, err);
	}
	claims_release(&claims);
	return failed;
}

int
machine_claims_give_back(const char *node, struct error *err)
{
	struct claims claims;
	int failed = claims_open(&claims, err);
	long held = failed ? -1 : claims_find_claim(&claims, "node", node);

	if (held >= 0) {
		char *id = claims_claim_member(&claims, (size_t)held, "machine"), *path = claims_claim_path(&claims,
		    id ? id : "");

		if (unlink(path) < 0 || file_sync_dir(AT_FDCWD, claims.path) < 0)
			failed = error_errno(err, EX_IOERR, "%s", path);
		free(path);
		free(id);
	}
	claims_release(&claims);
	return failed;
}

/* The claim as one sees a node. */
static jv
claims_node_of(jv claim)
{
	jv node = jv_object(), facts = jv_object();

	json_set_string(&node, "kind", "node");
	json_set(&node, "id", json_get(claim, "node"));
	json_set(&node, "hostname", json_get(claim, "hostname"));
	json_set(&node, "cluster", json_get(claim, "cluster"));
	json_set(&node, "provider", json_get(claim, "provider"));
	json_set(&facts, "providerid", json_get(claim, "machine"));
	json_set(&node, "facts", facts);
	return node;
}

int
machine_claims_list(const char *provider, jv *records, struct error *err)
{
	struct claims claims;
	int failed = claims_open(&claims, err);

	*records = jv_array();
	for (size_t i = 0; !failed && i < json_length(claims.list); i++) {
		jv claim = jv_array_get(jv_copy(claims.list), (int)i);
		char *owner = json_get_string(claim, "provider");

		if (!provider || (owner && strcmp(owner, provider) == 0))
			*records = jv_array_append(*records, claims_node_of(claim));
		free(owner);
		jv_free(claim);
	}
	claims_release(&claims);
	return failed;
}
