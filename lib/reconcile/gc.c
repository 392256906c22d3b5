/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/gc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/process.h"
#include "cluster/clusters.h"
#include "cluster/digest-user.h"
#include "content/content.h"
#include "operation/workdir.h"
#include "ssh/script-store.h"
#include "store/resources.h"
#include "store/store.h"

enum { OLD_S = 600 }; /* a dry run has ended by then */

static int
reconcile_gc_by_id(const void *a, const void *b)
{
	const int64_t *id = a;
	const struct cluster_record *cluster = b;

	return (*id > cluster->id) - (*id < cluster->id);
}

/* Removes the folder of a cluster that the store does not have, or no more. Who creates a cluster holds the lock from before
 * it is recorded, so that the store is asked under the lock. */
static int
reconcile_gc_remove_cluster(struct account *account, int64_t id, const char *name, struct error *err)
{
	struct cluster_list list = {0};
	struct workdir workdir;
	bool gone;
	int found, result = 0;

	if (workdir_open(&workdir, name, name, WORKDIR_FIND, err) < 0)
		return err->code == EX_NO || err->code == EX_TEMPFAIL ? 0 : -1;
	found = clusters_find_id(account, id, &list, err);
	gone = found == 0 ? list.list[0].status == LIFECYCLE_TERMINATED : err->code == EX_NO;
	if (gone)
		result = workdir_remove(&workdir, err);
	else if (found < 0)
		result = -1;
	workdir_close(&workdir);
	cluster_list_release(&list);
	return result;
}

/* Removes a folder unless a process has it locked. */
static int
reconcile_gc_remove_unlocked(int dir, const char *name, struct error *err)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_IOERR, "%s", name);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		result = file_remove_tree(dir, name, err);
	close(fd);
	return result;
}

/* Removes an entry of the clusters' folder if nothing needs it. ".ID" is what a removal was killed with. Any other name with
 * a dot is of a dry run, which has no lock; so only its age tells that it was killed. */
static int
reconcile_gc_consider(struct account *account, const struct cluster_list *known, int dir, const char *name, struct error *err)
{
	int64_t id = cluster_id_of(name);
	struct stat status;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (name[0] == '.' && cluster_id_of(name + 1))
		return reconcile_gc_remove_unlocked(dir, name, err);
	if (name[0] == '.')
		return fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode) ||
		    clock_wall_ms() / 1000 - status.st_mtime <= OLD_S ? 0 : file_remove_tree(dir, name, err);
	if (id == 0 || (known->count && bsearch(&id, known->list, known->count, sizeof *known->list, reconcile_gc_by_id)))
		return 0;
	return reconcile_gc_remove_cluster(account, id, name, err);
}

/* Removes the scripts that no definition of a cluster names and an earlier version has kept. An operation keeps its scripts before the
 * store knows of it: new ones stay. */
static int
reconcile_gc_scripts(const struct names *named, struct error *err)
{
	char *path = script_store_path();
	struct arguments digests = {0};
	int result = content_list_folder(path, CONTENT_NEW_S, &digests, err);

	for (size_t i = 0; i < digests.count && result == 0; i++) {
		char *script = memory_printf("%s/%s", path, digests.list[i]);

		if (names_find(named, digests.list[i]) == NAMES_NONE && unlink(script) < 0 && errno != ENOENT)
			result = error_errno(err, EX_IOERR, "%s", script);
		free(script);
	}
	arguments_release(&digests);
	free(path);
	return result;
}

/* Removes a content that neither a resource nor a cluster names. Who puts it meanwhile looks once more whether it is there, in the
 * transaction that names it; so does this. */
static int
reconcile_gc_content(struct account *account, const char *digest, struct error *err)
{
	int named;

	if (store_begin(account->store, err) < 0)
		return -1;
	named = resources_name_sum(account->store, digest, err);
	if (named == 0)
		named = digest_user_find(account, 0, digest, NULL, err);
	if (named == 0)
		named = content_remove(digest, err);
	return store_finish(account->store, named < 0 ? -1 : 0, err);
}

/* Removes the contents that nothing names; most are named, and need no transaction. */
static int
reconcile_gc_contents(struct account *account, const struct names *named, struct error *err)
{
	struct arguments digests = {0};
	int result = content_list_old(CONTENT_NEW_S, &digests, err);

	for (size_t i = 0; i < digests.count && result >= 0; i++) {
		result = names_find(named, digests.list[i]) != NAMES_NONE ? 1 : resources_name_sum(account->store, digests.list[i], err);
		if (result == 0)
			result = reconcile_gc_content(account, digests.list[i], err);
	}
	arguments_release(&digests);
	return result < 0 ? -1 : 0;
}

/* Removes what was kept of scripts and resources, and nothing names any more. */
static int
reconcile_gc_kept(struct account *account, struct error *err)
{
	struct arena arena = {0};
	struct names named = {0};
	int result = digest_user_list(account, &arena, &named, err);

	if (result == 0)
		result = reconcile_gc_scripts(&named, err);
	if (result == 0)
		result = reconcile_gc_contents(account, &named, err);
	names_release(&named);
	arena_release(&arena);
	return result;
}

int
reconcile_gc(struct account *account, struct error *err)
{
	const struct cluster_filter all = {.everywhere = true, .by_number = true};
	struct cluster_list known = {0};
	char *state = location_state(), *path = memory_printf("%s/clusters", state);
	DIR *folders = opendir(path);
	struct dirent *entry;
	struct error failure;
	int result = 0;

	if (!folders && errno != ENOENT)
		result = error_errno(err, EX_NOINPUT, "%s", path);
	else if (folders)
		result = clusters_list(account, &all, &known, err);
	while (result >= 0 && folders && (errno = 0, entry = readdir(folders)))
		if (reconcile_gc_consider(account, &known, dirfd(folders), entry->d_name, &failure) < 0) {
			*err = failure;
			result = 1;
		}
	if (result == 0 && folders && errno)
		result = error_errno(err, EX_IOERR, "%s", path);
	if (folders)
		closedir(folders);
	cluster_list_release(&known);
	free(path);
	free(state);
	if (result == 0)
		result = reconcile_gc_kept(account, err);
	return result ? -1 : 0;
}
