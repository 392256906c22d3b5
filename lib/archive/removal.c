/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/removal.h"

#include <string.h>

#include "account/accounts.h"
#include "archive/storage.h"
#include "base/error.h"
#include "cluster/archives.h"
#include "cluster/clusters.h"

int
removal_do(struct store *store, const struct archive *archive, struct error *err)
{
	if (archives_leave(store, archive->id, err) < 0 || storage_delete(archive->id, err) < 0)
		return -1;
	return archives_forget(store, archive->id, err);
}

/* Returns whether it is the last one of a service of a cluster that lives: 1, 0 or -1. */
static int
removal_is_last(struct account *account, const struct archive *archive, struct error *err)
{
	struct cluster_list clusters = {0};
	struct archive_list list = {0};
	int result = clusters_find_id(account, archive->cluster, &clusters, err);

	if (result == 0 && clusters.list[0].status != LIFECYCLE_TERMINATED) {
		result = archives_of_service(account->store, archive->cluster, archive->service, &list, err);
		if (result == 0)
			result = list.count == 1;
	}
	archive_list_release(&list);
	cluster_list_release(&clusters);
	return result;
}

int
removal_ask(struct account *account, const char *id, bool discard_data, struct error *err)
{
	struct arena arena = {0};
	struct archive archive;
	int result = archives_find(account, id, &arena, &archive, err), last;

	if (result == 0 && !discard_data) {
		last = removal_is_last(account, &archive, err);
		if (last > 0) {
			error_set(err, EX_USAGE, "%s: it is the last archive of %s of %s", id, archive.service, archive.cluster_name);
			error_way_out(err, "discard-data", "; use --discard-data to delete it all the same");
		}
		result = last ? -1 : 0;
	}
	if (result == 0)
		result = removal_do(account->store, &archive, err);
	arena_release(&arena);
	return result;
}

int
removal_finish(struct store *store, struct error *err)
{
	struct archive_list list = {0};
	struct error failure;
	int result = archives_leaving(store, &list, err);

	for (size_t i = 0; i < list.count; i++)
		if (removal_do(store, &list.list[i], &failure) < 0) {
			*err = failure;
			result = -1;
		}
	archive_list_release(&list);
	return result;
}
