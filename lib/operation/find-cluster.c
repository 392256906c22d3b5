/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/find-cluster.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "cluster/clusters.h"
#include "json/json.h"

int
find_cluster_account(struct account *account, const struct account_ask *ask, enum store_mode mode, struct error *err)
{
	char *path = location_store(ask->store);
	int result = account_open(account, ask, mode, err) < 0 ? -1 : 1;

	if (result < 0 && err->code == EX_NOINPUT && !ask->store && file_is_absent(AT_FDCWD, path))
		result = 0;
	free(path);
	return result;
}

int
find_cluster_open(struct account *account, const struct account_ask *ask, enum store_mode mode, const char *cluster,
    struct error *err)
{
	int result = find_cluster_account(account, ask, mode, err);

	return result > 0 ? 0 : result < 0 ? -1 : error_absent(err, "no cluster named \"%s\": there is no store yet", cluster);
}

int
find_cluster(struct account *account, struct cluster_list *list, const struct account_ask *ask, enum store_mode mode,
    const char *cluster, struct error *err)
{
	return find_cluster_open(account, ask, mode, cluster, err) < 0 ? -1 : clusters_find(account, cluster, list, err);
}

bool
find_cluster_hides(const struct account *account, const struct cluster_record *cluster)
{
	return account->role < ACCOUNT_ADMIN && strcmp(account->user, cluster->owner) != 0;
}

int
find_cluster_config(const struct account_ask *ask, const char *cluster, jv *config, bool *hides, struct error *err)
{
	struct cluster_documents documents = {0};
	struct cluster_list list = {0};
	struct account account;
	jv request, asked;
	int result = find_cluster(&account, &list, ask, STORE_READ, cluster, err);

	if (result == 0)
		result = clusters_documents(&account, list.list[0].id, &documents, err);
	if (result == 0)
		result = cluster_documents_request(&documents, cluster, &request, err);
	if (result == 0) {
		*hides = find_cluster_hides(&account, &list.list[0]);
		asked = json_get(request, "cluster");
		*config = json_get(asked, "config");
		jv_free(asked);
		jv_free(request);
	}
	cluster_documents_release(&documents);
	cluster_list_release(&list);
	account_release(&account);
	return result;
}
