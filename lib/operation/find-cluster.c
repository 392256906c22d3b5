/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/find-cluster.h"

#include <stdio.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "cluster/clusters.h"
#include "json/json.h"

struct recorded {
	struct account account;
	struct cluster_list list;
};

int
find_cluster_open(struct account *account, const struct account_ask *ask, enum store_mode mode, const char *cluster,
    struct error *err)
{
	int result = account_open(account, ask, mode, err);

	if (result < 0 && err->code == EX_NOINPUT && !ask->store)
		error_set(err, EX_NO, "%s: no such cluster; there is no store yet", cluster);
	return result;
}

static int
find_cluster_record(struct recorded *recorded, const struct account_ask *ask, const char *cluster, struct error *err)
{
	*recorded = (struct recorded){0};
	return find_cluster_open(&recorded->account, ask, STORE_READ, cluster, err) < 0 ? -1
	     : clusters_find(&recorded->account, cluster, &recorded->list, err);
}

static void
find_cluster_release(struct recorded *recorded)
{
	cluster_list_release(&recorded->list);
	account_release(&recorded->account);
}

int
find_cluster_check(const struct account_ask *ask, const char *cluster, struct error *err)
{
	struct recorded recorded;
	int result = find_cluster_record(&recorded, ask, cluster, err);

	find_cluster_release(&recorded);
	return result;
}

static void
find_cluster_print_config(jv request)
{
	jv cluster = json_get(request, "cluster"), config = json_get(cluster, "config");
	struct buffer text = {0};

	json_dump(config, &text);
	puts(text.data);
	buffer_release(&text);
	jv_free(config);
	jv_free(cluster);
}

int
find_cluster_config(const struct account_ask *ask, const char *cluster, struct error *err)
{
	struct cluster_documents documents = {0};
	struct recorded recorded;
	jv request;
	int result = find_cluster_record(&recorded, ask, cluster, err);

	if (result == 0)
		result = clusters_documents(&recorded.account, recorded.list.list[0].id, &documents, err);
	if (result == 0)
		result = cluster_documents_request(&documents, cluster, &request, err);
	if (result == 0) {
		find_cluster_print_config(request);
		jv_free(request);
	}
	cluster_documents_release(&documents);
	find_cluster_release(&recorded);
	return result;
}
