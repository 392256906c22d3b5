/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/gc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "operation/workdir.h"

enum { OLD_S = 600 };

/* Whether nothing was made or removed in it for a while. */
static bool
reconcile_gc_is_old(int dir, const char *name)
{
	struct stat status;

	return fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
	    clock_wall_ms() / 1000 - status.st_mtime > OLD_S;
}

static int
reconcile_gc_by_id(const void *a, const void *b)
{
	const int64_t *id = a;
	const struct cluster_record *cluster = b;

	return (*id > cluster->id) - (*id < cluster->id);
}

/* Whether the store has the cluster, and it is not gone; a new one may have come since the list was made. -1 on error. */
static int
reconcile_gc_is_alive(struct account *account, const struct cluster_list *known, int64_t id, struct error *err)
{
	struct cluster_list list = {0};
	int alive;

	if (known->count && bsearch(&id, known->list, known->count, sizeof *known->list, reconcile_gc_by_id))
		return 1;
	alive = clusters_find_id(account, id, &list, err);
	if (alive == 0)
		alive = list.list[0].status != LIFE_TERMINATED;
	else
		alive = err->code == EX_NO ? 0 : -1;
	cluster_list_release(&list);
	return alive;
}

static int
reconcile_gc_remove_unlocked(const char *id, struct error *err)
{
	struct workdir folder;

	if (workdir_open(&folder, id, id, WORKDIR_FIND, err) < 0)
		return err->code == EX_NO || err->code == EX_TEMPFAIL ? 0 : -1;
	return workdir_remove(&folder, err);
}

/* Names with a dot are nobody's: what a dry run, or a removal, was killed with. */
static int
reconcile_gc_consider(struct account *account, const struct cluster_list *known, int dir, const char *name, struct error *err)
{
	int64_t id = cluster_id_of(name);
	int alive;

	if (name[0] == '.')
		return name[1] && name[1] != '.' && reconcile_gc_is_old(dir, name) ? file_remove_tree(dir, name, err) : 0;
	if (id == 0)
		return 0;
	alive = reconcile_gc_is_alive(account, known, id, err);
	return alive == 0 && reconcile_gc_is_old(dir, name) ? reconcile_gc_remove_unlocked(name, err) : alive < 0 ? -1 : 0;
}

static int
reconcile_gc_go_through(struct account *account, const struct cluster_list *known, DIR *folders, struct error *err)
{
	struct dirent *entry;
	struct error failure;
	int result = 0;

	while ((errno = 0, entry = readdir(folders)))
		if (reconcile_gc_consider(account, known, dirfd(folders), entry->d_name, &failure) < 0) {
			*err = failure;
			result = -1;
		}
	return errno ? error_errno(err, EX_IOERR, "the folder of the clusters") : result;
}

int
reconcile_gc(struct account *account, struct error *err)
{
	const struct cluster_filter all = {.everywhere = true, .by_number = true};
	struct cluster_list known = {0};
	char *state = location_state(), *path = memory_printf("%s/clusters", state);
	DIR *folders = opendir(path);
	int result = 0;

	if (!folders && errno != ENOENT)
		result = error_errno(err, EX_NOINPUT, "%s", path);
	else if (folders)
		result = clusters_list(account, &all, &known, err) < 0 ? -1 : reconcile_gc_go_through(account, &known, folders, err);
	if (folders)
		closedir(folders);
	cluster_list_release(&known);
	free(path);
	free(state);
	return result;
}
