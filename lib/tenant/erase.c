/* SPDX-License-Identifier: Apache-2.0 */
#include "tenant/erase.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/accounts.h"
#include "account/belongings.h"
#include "account/tenants.h"
#include "archive/removal.h"
#include "archive/storage.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "cluster/archives.h"
#include "cluster/digest-user.h"
#include "content/content.h"
#include "queue/read.h"
#include "ssh/script-store.h"
#include "store/resources.h"

struct erasing {
	struct account *account;
	const struct belongings *its;
	struct erase_proof *proof;
};

static void
erase_tell(const struct erasing *erasing, const char *place, int64_t removed, int64_t left)
{
	struct erase_proof *proof = erasing->proof;

	ARRAY_ROOM(proof->list, proof->count, proof->capacity);
	proof->list[proof->count++] = (struct erase_line){erasing->its->name, place, removed, left};
}

/* Returns whether an id (of a job, an archive, a machine) begins with that of one of the tenant's clusters. */
static bool
erase_is_its(const struct erasing *erasing, const char *id)
{
	const struct arguments *clusters = &erasing->its->clusters;

	for (size_t i = 0; i < clusters->count; i++) {
		size_t length = strlen(clusters->list[i]);

		if (strncmp(id, clusters->list[i], length) == 0 && id[length] == '-')
			return true;
	}
	return false;
}

static int64_t
erase_count_its(const struct erasing *erasing, const struct arguments *ids)
{
	int64_t count = 0;

	for (size_t i = 0; i < ids->count; i++)
		count += erase_is_its(erasing, ids->list[i]);
	return count;
}

/* --- archives of services --- */

/* Deletes what the storage has of the tenant without a record of it: of a backup that was killed. */
static int
erase_stray_archives(const struct erasing *erasing, int64_t *removed, struct error *err)
{
	struct arguments keys = {0};
	int result = storage_list(&keys, err);

	for (size_t i = 0; i < keys.count && result == 0; i++)
		if (erase_is_its(erasing, keys.list[i])) {
			result = storage_delete(keys.list[i], err);
			++*removed;
		}
	arguments_release(&keys);
	return result;
}

static int
erase_archives(const struct erasing *erasing, struct error *err)
{
	struct store *store = erasing->account->store;
	struct archive_list list = {0};
	struct arguments keys = {0};
	int64_t removed = 0;
	int result = archives_of_tenant(store, erasing->its->tenant, &list, err);

	for (size_t i = 0; i < list.count && result == 0; i++, removed++)
		result = removal_do(store, &list.list[i], err);
	archive_list_release(&list);
	if (result == 0 && erasing->its->clusters.count)
		result = erase_stray_archives(erasing, &removed, err);
	if (result == 0 && erasing->its->clusters.count)
		result = storage_list(&keys, err);
	if (result == 0)
		erase_tell(erasing, "archives", removed, erase_count_its(erasing, &keys));
	arguments_release(&keys);
	return result;
}

/* --- the queue --- */

/* Ends what has not ended: the clusters are gone, so that such a job waits for a person who does not come. */
static int
erase_cancel_jobs(const struct erasing *erasing, struct queue *queue, struct error *err)
{
	struct queue_job *jobs;
	size_t count;
	int result = queue_list(queue, false, &jobs, &count, err);

	for (size_t i = 0; i < count && result == 0; i++)
		if (erase_is_its(erasing, jobs[i].id) && jobs[i].status != QUEUE_CANCELLED)
			result = queue_control(queue, QUEUE_CANCEL, jobs[i].id, NULL, err);
	free(jobs);
	return result;
}

/* Takes the tenant's limit away. */
static int
erase_limit(const struct erasing *erasing, struct queue *queue, struct error *err)
{
	struct queue_limit none = {.kind = QUEUE_LIMIT_TENANT, .max = QUEUE_UNLIMITED}, *limits;
	size_t count;
	bool has = false;
	int result = queue_limits(queue, &limits, &count, err);

	for (size_t i = 0; i < count && result == 0; i++)
		has |= limits[i].kind == QUEUE_LIMIT_TENANT && limits[i].max != QUEUE_UNLIMITED && strcmp(limits[i].name, erasing->its->name) == 0;
	free(limits);
	snprintf(none.name, sizeof none.name, "%s", erasing->its->name);
	if (result == 0 && has)
		result = queue_set_limits(queue, &none, 1, err);
	if (result == 0)
		erase_tell(erasing, "limits of tasks", has, 0);
	return result;
}

static int
erase_jobs(const struct erasing *erasing, struct queue *queue, struct error *err)
{
	char *nothing[] = {NULL};
	const struct belongings *of = erasing->its;
	struct queue_erasure erasure = {of->clusters.count ? of->clusters.list : nothing, of->names.count ? of->names.list : nothing, 0};
	struct arguments gone = {0}, left = {0};
	int result = erase_cancel_jobs(erasing, queue, err);

	if (result == 0)
		result = queue_gc(queue, &(struct queue_gc){.erasure = &erasure}, &gone, err);
	if (result == 0)
		result = queue_ids(queue, &left, err);
	if (result == 0) {
		erase_tell(erasing, "jobs", (int64_t)gone.count, erase_count_its(erasing, &left));
		erase_tell(erasing, "durations of tasks", (int64_t)erasure.durations, 0);
	}
	arguments_release(&gone);
	arguments_release(&left);
	return result;
}

static int
erase_from_queue(const struct erasing *erasing, struct error *err)
{
	struct error none;
	struct queue *queue = queue_open(NULL, QUEUE_READ, &none);
	int result;

	if (!queue && none.absent)
		return 0; /* nothing was ever put */
	queue_close(queue);
	queue = queue_open(NULL, QUEUE_WRITE, err);
	if (!queue)
		return -1;
	result = erase_limit(erasing, queue, err);
	if (result == 0)
		result = erase_jobs(erasing, queue, err);
	queue_close(queue);
	return result;
}

/* --- folders of clusters --- */

static int
erase_folders(const struct erasing *erasing, struct error *err)
{
	const struct arguments *clusters = &erasing->its->clusters;
	char *state = location_state();
	int64_t removed = 0, left = 0;
	int result = 0;

	for (size_t i = 0; i < 2 * clusters->count && result == 0; i++) { /* ".ID" is what a removal was killed with */
		char *path = memory_printf("%s/clusters/%s%s", state, i % 2 ? "." : "", clusters->list[i / 2]);
		bool had = file_exists(AT_FDCWD, path);

		if (had)
			result = file_remove_tree(AT_FDCWD, path, err);
		removed += had;
		left += file_exists(AT_FDCWD, path);
		free(path);
	}
	if (result == 0)
		erase_tell(erasing, "folders of clusters", removed, left);
	free(state);
	return result;
}

/* --- the store, and contents --- */

/* Adds the digests of the contents that the tenant names, inside the transaction, before it is erased. */
static int
erase_find_contents(const struct erasing *erasing, struct arguments *digests, struct error *err)
{
	char *scripts = script_store_path();
	struct arguments all = {0};
	int result = content_list_old(CONTENT_ANY_AGE, &all, err), its;

	if (result == 0)
		result = content_list_folder(scripts, CONTENT_ANY_AGE, &all, err);
	for (size_t i = 0; i < all.count && result == 0; i++) {
		its = belongings_name_digest(erasing->account->store, erasing->its, all.list[i], err);
		if (its > 0)
			arguments_push(digests, all.list[i]);
		result = its < 0 ? -1 : 0;
	}
	arguments_release(&all);
	free(scripts);
	return result;
}

/* Removes a content that nobody else names, inside the transaction: who uploads the same looks into the store before. */
static int
erase_content(const struct erasing *erasing, const char *digest, int64_t *removed, int64_t *left, struct error *err)
{
	int named = resources_name_sum(erasing->account->store, digest, err);
	char *folder, *script;

	if (named == 0)
		named = digest_user_find(erasing->account, 0, digest, NULL, err);
	if (named != 0)
		return named < 0 ? -1 : 0;
	folder = script_store_path();
	script = memory_printf("%s/%s", folder, digest);
	unlink(script);
	free(folder);
	named = content_remove(digest, err);
	++*removed;
	*left += content_has(digest) || file_exists(AT_FDCWD, script);
	free(script);
	return named;
}

static void
erase_tell_table(void *context, const char *table, int64_t removed, int64_t left)
{
	erase_tell(context, table, removed, left);
}

static int
erase_from_store(struct erasing *erasing, struct error *err)
{
	struct store *store = erasing->account->store;
	struct arguments digests = {0};
	int64_t removed = 0, left = 0;
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = erase_find_contents(erasing, &digests, err);
	if (result == 0)
		result = belongings_erase(store, erasing->its, erase_tell_table, erasing, err);
	for (size_t i = 0; i < digests.count && result == 0; i++)
		result = erase_content(erasing, digests.list[i], &removed, &left, err);
	if (result == 0)
		erase_tell(erasing, "contents", removed, left);
	arguments_release(&digests);
	return store_finish(store, result, err);
}

/* Returns 1 where one of that name was erased, 0 where there is none, -1. */
static int
erase_one(struct account *account, const char *name, struct erase_proof *proof, struct error *err)
{
	struct belongings its;
	struct erasing erasing = {account, &its, proof};
	int got = belongings_find_deleted(account->store, name, &its, err);

	if (got > 0 && (erase_archives(&erasing, err) < 0 || erase_from_queue(&erasing, err) < 0 || erase_folders(&erasing, err) < 0 ||
	        erase_from_store(&erasing, err) < 0))
		got = -1;
	belongings_release(&its);
	return got;
}

/* Adds the name to those that are to be deleted first, unless that is done; EX_NO where there is no such tenant. */
static int
erase_consider(struct account *account, const char *name, struct arguments *living, struct error *err)
{
	struct tenant_list list = {0};
	struct belongings its = {0};
	int64_t tenant;
	int got = store_find_tenant(account->store, name, &tenant, err), deleted = 0;

	if (got > 0)
		arguments_push(living, name);
	else if (got == 0)
		deleted = belongings_find_deleted(account->store, name, &its, err);
	if (got == 0 && deleted == 0)
		deleted = tenants_list(account, name, &list, err);
	belongings_release(&its);
	tenant_list_release(&list);
	return got < 0 || deleted < 0 ? -1 : 0;
}

int
erase_tenants(struct account *account, char *const *names, struct erase_proof *proof, struct error *err)
{
	struct arguments living = {0};
	int result = account_need(account, ACCOUNT_SUPERADMIN, "tenants and their quotas", err);

	for (char *const *name = names; *name && result == 0; name++)
		result = erase_consider(account, *name, &living, err);
	if (result == 0 && living.count)
		result = tenants_delete(account, living.list, err);
	for (; *names && result == 0; names++)
		do {
			result = erase_one(account, *names, proof, err);
		} while (result > 0);
	arguments_release(&living);
	if (result == 0)
		store_wipe(account->store);
	return result;
}

int64_t
erase_left(const struct erase_proof *proof)
{
	int64_t left = 0;

	for (size_t i = 0; i < proof->count; i++)
		left += proof->list[i].left;
	return left;
}

void
erase_proof_release(struct erase_proof *proof)
{
	free(proof->list);
	*proof = (struct erase_proof){0};
}
