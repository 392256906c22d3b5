/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/volumes-diff.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/names.h"
#include "cluster/inventory.h"
#include "cluster/volumes.h"
#include "json/json.h"
#include "operation/context.h"
#include "probe/drift.h"
#include "worker/entity-ask.h"

struct comparison {
	struct account *account;
	struct drift_list *drift;
	struct arena arena;
	struct names entities; /* tenant and entity of each provider to ask, once */
	const char **tenants, **providers; /* of each */
	struct names seen;     /* ids that were listed: tenants may have the same provider */
	size_t asking;
	int64_t began_ms;
};

/* Lists the providers. One that several tenants have, word for word, and without secrets, is asked once. */
static int
volumes_diff_read_providers(struct comparison *c, struct error *err)
{
	struct inventory_provider found;
	struct inventory inventory;
	int got = inventory_volume_providers(c->account, &inventory, err);

	while (got >= 0 && (got = inventory_next_provider(&inventory, &found, err)) > 0) {
		size_t before = c->entities.count;

		if (!found.entity)
			continue;
		names_intern(&c->entities, strstr(found.entity, "\"secret\"") ? arena_printf(&c->arena, "%s\n%s", found.entity, found.tenant)
		    : arena_string(&c->arena, found.entity));
		if (c->entities.count == before)
			continue;
		c->tenants = memory_resize(c->tenants, c->entities.count, sizeof *c->tenants);
		c->providers = memory_resize(c->providers, c->entities.count, sizeof *c->providers);
		c->tenants[before] = arena_string(&c->arena, found.tenant);
		c->providers[before] = arena_string(&c->arena, found.name);
	}
	inventory_end(&inventory);
	return got;
}

/* Takes a record of one. It is recorded before its provider is asked for it, and until that has deleted it. */
static int
volumes_diff_take(void *context, const char *line, size_t length, struct error *err)
{
	struct comparison *c = context;
	size_t before = c->seen.count;
	char *id, *node;
	jv record;
	int known = 1;

	if (json_parse("its list", line, length, &record, err) < 0)
		return -1;
	id = json_get_string(record, "id");
	node = json_get_string(record, "node");
	if (id)
		names_intern(&c->seen, arena_string(&c->arena, id));
	if (id && c->seen.count > before)
		known = volumes_is_known(c->account->store, id, c->began_ms, err);
	if (known == 0)
		drift_add(c->drift, &(struct drift){.what = DRIFT_ORPHANED_VOLUME, .tenant = c->tenants[c->asking], .node = id,
		    .provider_name = c->providers[c->asking], .message = arena_printf(&c->arena, "provider %s has it%s%s; delete it there, if nobody needs "
		    "its data", c->providers[c->asking], node ? ", at the machine " : "", node ? node : "")});
	free(node);
	free(id);
	jv_free(record);
	return known < 0 ? -1 : 0;
}

int
volumes_diff(struct account *account, const struct operation_options *options, struct drift_list *drift, struct error *err)
{
	struct comparison c = {.account = account, .drift = drift, .began_ms = clock_wall_ms()};
	int worst = 0, result = volumes_diff_read_providers(&c, err);

	for (c.asking = 0; result == 0 && c.asking < c.entities.count; c.asking++) {
		char *entity = memory_printf("%.*s", (int)strcspn(c.entities.list[c.asking], "\n"), c.entities.list[c.asking]);
		struct error why;

		if (entity_ask(entity, c.tenants[c.asking], "volumes", volumes_diff_take, &c, &why) < 0) {
			error_prefix(&why, "provider %s of tenant %s: its volumes cannot be compared", c.providers[c.asking], c.tenants[c.asking]);
			operation_warn(options, &worst, &why);
		}
		free(entity);
	}
	names_release(&c.seen);
	names_release(&c.entities);
	free(c.tenants);
	free(c.providers);
	arena_release(&c.arena);
	return result < 0 ? -1 : worst;
}
