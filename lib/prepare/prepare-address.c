/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/prepare-address.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/addresses.h"
#include "json/place.h"
#include "model/request.h"
#include "model/take/macro.h"
#include "model/take/origin.h"
#include "operation/context.h"

/* Finds the address, and sets it in the cluster of the request. */
static int
prepare_address_set(const struct operation_context *context, jv *request, struct error *err)
{
	struct problems ignored = {0}; /* whoever solves says what is wrong */
	struct arena arena = {0};
	struct request parsed;
	const char *address = NULL;
	int got = -1;

	request_parse(*request, &parsed, &ignored);
	if (parsed.provider.addresses.count == 0)
		error_set(err, EX_CONFIG, "%s: its configuration has %%cluster.address%%, and the provider %s names no addresses; add some to it, or set an "
		    "address that nobody has", context->workdir.name, parsed.provider.name ? parsed.provider.name : "");
	else
		got = cluster_address_find(context->account.store, context->id, &parsed.provider.addresses,
		    origin_of(parsed.provider.source, ORIGIN_INSTALLATION) == ORIGIN_INSTALLATION, &arena, &address, err);
	if (got == 0)
		error_set(err, EX_NO, "%s: other clusters have all addresses that the provider %s names; add some to it, or delete a cluster "
		    "that has one", context->workdir.name, parsed.provider.name);
	if (got > 0) {
		jv cluster = json_get(*request, "cluster");

		json_set_string(&cluster, "address", address);
		json_set(request, "cluster", cluster);
	}
	request_release(&parsed);
	problems_release(&ignored);
	arena_release(&arena);
	return got > 0 ? 1 : -1;
}

int
prepare_address(const struct operation_context *context, jv *request, struct error *err)
{
	jv cluster = json_get(*request, "cluster"), config = json_get(cluster, "config");
	bool asks = !json_is(cluster, "address", JV_KIND_STRING) && macro_asks_for_address(config);

	jv_free(config);
	jv_free(cluster);
	return asks ? prepare_address_set(context, request, err) : 0;
}
