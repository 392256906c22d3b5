/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/inventory-diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "cluster/inventory.h"
#include "json/json.h"
#include "operation/context.h"
#include "probe/drift.h"
#include "reconcile/machines-list.h"
#include "reconcile/scope.h"

enum { ID_DIGITS_MAX = 18 };

struct provider {
	const char *tenant, *name;
	const char *entity; /* JSON; NULL: no cluster knows it */
	bool listed;
};

struct stray { /* a machine that the store does not say is there */
	const char *id, *record;
	const struct provider *provider;
};

struct comparison {
	struct account *account;
	const struct operation_options *options;
	struct drift_list *drift;
	struct arena arena;
	const struct reconcile_scope *scope;    /* the clusters, by number */
	struct names nodes;           /* those recorded, in the order of their clusters */
	struct state {
		const struct cluster_record *cluster;
		bool present, dead;
	} *states;
	size_t state_capacity;
	struct provider *providers;
	size_t provider_count, provider_capacity;
	struct stray *strays;
	size_t stray_count, stray_capacity;
	const struct provider *listing; /* the provider that is being listed */
	int worst;
};

/* Reads the recorded nodes, except those of clusters that were created after the clusters were listed. */
static int
inventory_diff_read_nodes(struct comparison *c, struct error *err)
{
	struct inventory inventory;
	const char *node;
	int64_t id;
	int got = inventory_nodes(c->account, &inventory, err);

	while (got >= 0 && (got = inventory_next_node(&inventory, &id, &node, err)) > 0) {
		const struct cluster_record *cluster = reconcile_scope_find(c->scope, id);
		size_t before = c->nodes.count;

		if (!cluster)
			continue;
		names_intern(&c->nodes, arena_string(&c->arena, node));
		if (c->nodes.count == before)
			continue;
		if (c->state_capacity < c->nodes.count) {
			c->state_capacity = 2 * c->nodes.count;
			c->states = memory_resize(c->states, c->state_capacity, sizeof *c->states);
		}
		c->states[before] = (struct state){cluster, false, false};
	}
	inventory_end(&inventory);
	return got;
}

static int
inventory_diff_read_providers(struct comparison *c, struct error *err)
{
	struct inventory_provider found;
	struct inventory inventory;
	int got = inventory_providers(c->account, &inventory, err);

	while (got >= 0 && (got = inventory_next_provider(&inventory, &found, err)) > 0) {
		ARRAY_ROOM(c->providers, c->provider_count, c->provider_capacity);
		c->providers[c->provider_count++] = (struct provider){arena_string(&c->arena, found.tenant),
		    arena_string(&c->arena, found.name), found.entity ? arena_string(&c->arena, found.entity) : NULL, false};
	}
	inventory_end(&inventory);
	return got;
}

/* Returns whether the provider says that the machine will never run again. Only the rare record that may say so is parsed. */
static bool
inventory_diff_is_dead(const char *record, size_t length)
{
	struct error ignored; /* then it does not say so */
	char *state;
	bool dead;
	jv node;

	if (!memmem(record, length, "\"dead\"", 6) || json_parse("a machine", record, length, &node, &ignored) < 0)
		return false;
	state = json_get_string(node, "state");
	dead = state && strcmp(state, "dead") == 0;
	free(state);
	jv_free(node);
	return dead;
}

static void
inventory_diff_meet(void *context, const char *id, const char *record, size_t length)
{
	struct comparison *c = context;
	int number = names_find(&c->nodes, id);

	if (number != NAMES_NONE) {
		c->states[number].dead = inventory_diff_is_dead(record, length);
		c->states[number].present = !c->states[number].dead;
		return;
	}
	ARRAY_ROOM(c->strays, c->stray_count, c->stray_capacity);
	c->strays[c->stray_count++] = (struct stray){arena_string(&c->arena, id),
	    arena_substring(&c->arena, record, length), c->listing};
}

/* Returns whether a cluster in scope is of that provider. */
static bool
inventory_diff_is_wanted(const struct comparison *c, const struct provider *provider)
{
	const struct cluster_list *clusters = &c->scope->clusters;
	bool wanted = c->scope->all;

	for (size_t i = 0; i < clusters->count && !wanted; i++)
		wanted = clusters->list[i].provider && strcmp(clusters->list[i].provider, provider->name) == 0 &&
		    strcmp(clusters->list[i].tenant, provider->tenant) == 0;
	return wanted;
}

/* Lists the machines of all providers of clusters in scope. Providers of tenants may be the same word for word, as those of a
 * shared catalogue are: such are asked once. */
static void
inventory_diff_list_all(struct comparison *c)
{
	for (struct provider *provider = c->providers; provider < c->providers + c->provider_count; provider++) {
		struct error err;

		if (!provider->entity || !inventory_diff_is_wanted(c, provider))
			continue;
		for (const struct provider *other = c->providers; other < provider && !provider->listed; other++)
			provider->listed = other->listed && strcmp(other->entity, provider->entity) == 0 &&
			    !strstr(provider->entity, "\"secret\"");
		if (provider->listed)
			continue;
		c->listing = provider;
		if (machines_list(provider->entity, provider->tenant, inventory_diff_meet, c, &err) == 0) {
			provider->listed = true;
		} else {
			error_prefix(&err, "provider %s of tenant %s: cannot be compared", provider->name, provider->tenant);
			operation_warn(c->options, &c->worst, &err);
		}
	}
}

static struct provider *
inventory_diff_provider_of(const struct comparison *c, const struct cluster_record *cluster)
{
	for (size_t i = 0; cluster->provider && i < c->provider_count; i++)
		if (strcmp(c->providers[i].name, cluster->provider) == 0 && strcmp(c->providers[i].tenant, cluster->tenant) == 0)
			return &c->providers[i];
	return NULL;
}

/* The provider's entity may have changed since the cluster was made: then the cluster's own is asked, too. Returns 0, or -1
 * where that is not possible. */
static int
inventory_diff_list_own(struct comparison *c, const struct operation_context *context, const struct provider *known,
    struct error *err)
{
	jv request, mine, listed, text;
	int result = 0;

	if (!context->documents.request)
		return 0;
	if (cluster_documents_request(&context->documents, context->cluster->name, &request, err) < 0)
		return -1;
	mine = json_get(request, "provider");
	if (json_parse(known->name, known->entity, strlen(known->entity), &listed, err) == 0) {
		if (!jv_equal(jv_copy(mine), jv_copy(listed))) {
			struct provider *own = arena_alloc(&c->arena, 1, sizeof *own);

			text = jv_dump_string(jv_copy(mine), 0);
			*own = *known;
			own->entity = arena_string(&c->arena, jv_string_value(text));
			jv_free(text);
			c->listing = own;
			result = machines_list(own->entity, own->tenant, inventory_diff_meet, c, err);
			c->listing = NULL;
		}
		jv_free(listed);
	}
	jv_free(mine);
	jv_free(request);
	return result;
}

/* Adds those of the cluster's nodes, numbers first to end, that are not listed under the cluster's lock either. */
static void
inventory_diff_look_again(struct comparison *c, const struct cluster_record *cluster, size_t first, size_t end)
{
	const struct provider *provider = inventory_diff_provider_of(c, cluster);
	struct operation_options options = *c->options;
	char id[CLUSTER_ID_SIZE];
	struct operation_context context;
	struct error err;
	int result;

	if (cluster->status == LIFECYCLE_PENDING || !provider || !provider->listed)
		return;
	options.ask.tenant = cluster->tenant;
	result = operation_context_open(&context, &options, cluster_id_text(cluster->id, id), &err);
	if (result == 0 && reconcile_scope_is_unchanged(cluster, context.cluster)) {
		result = inventory_diff_list_own(c, &context, provider, &err);
		for (size_t i = first; i < end && result == 0; i++)
			if (!c->states[i].present)
				drift_add(c->drift, &(struct drift){.what = DRIFT_VANISHED, .cluster = cluster->id,
				    .tenant = cluster->tenant, .operation = cluster->operation, .name = cluster->name,
				    .node = c->nodes.list[i],
				    .message = c->states[i].dead ? "its provider says that it is dead" : NULL});
	}
	if (result < 0 && err.code != EX_TEMPFAIL && err.code != EX_NO)
		operation_warn(c->options, &c->worst, &err);
	operation_context_release(&context);
}

static void
inventory_diff_find_vanished(struct comparison *c)
{
	size_t first = 0, count = c->nodes.count;

	while (first < count) {
		const struct cluster_record *cluster = c->states[first].cluster;
		size_t end = first;
		bool all = true;

		for (; end < count && c->states[end].cluster == cluster; end++)
			all = all && c->states[end].present;
		if (!all)
			inventory_diff_look_again(c, cluster, first, end);
		first = end;
	}
}

/* Returns the number of the cluster that a node's id begins with; 0 where it is no such id. */
static int64_t
inventory_diff_cluster_of_node(const char *id)
{
	char text[CLUSTER_ID_SIZE];
	size_t length = strcspn(id, "-");

	if (!id[length] || length > ID_DIGITS_MAX)
		return 0;
	memcpy(text, id, length);
	text[length] = '\0';
	return cluster_id_of(text);
}

/* Returns whether the machine may be of the cluster of that id: something is, or was since we began, done to it. Else sets owner
 * to that cluster, NULL where it is not there any more. */
static bool
inventory_diff_may_be_owned(struct comparison *c, int64_t id, const struct cluster_record **owner, struct cluster_list *list)
{
	const struct cluster_record *before = reconcile_scope_find(c->scope, id), *now;
	struct error err;

	*owner = NULL;
	if (!c->scope->all && !before)
		return true;
	if (id == 0)
		return false;
	if (clusters_find_id(c->account, id, list, &err) < 0) {
		if (err.code != EX_NO)
			operation_warn(c->options, &c->worst, &err);
		return err.code != EX_NO;
	}
	now = &list->list[list->count - 1];
	if (now->status == LIFECYCLE_PENDING || (before && !reconcile_scope_is_unchanged(before, now)) ||
	    now->changed_ms >= c->scope->listed_ms)
		return true;
	*owner = now->status == LIFECYCLE_TERMINATED ? NULL : now;
	return false;
}

static void
inventory_diff_find_orphaned(struct comparison *c)
{
	struct names seen = {0};

	for (size_t i = 0; i < c->stray_count; i++) {
		const struct stray *stray = &c->strays[i];
		const struct cluster_record *owner;
		struct cluster_list list = {0};

		if (names_intern(&seen, stray->id) == (int)seen.count - 1 && seen.list[seen.count - 1] == stray->id &&
		    !inventory_diff_may_be_owned(c, inventory_diff_cluster_of_node(stray->id), &owner, &list))
			drift_add(c->drift, &(struct drift){.what = DRIFT_ORPHANED, .cluster = owner ? owner->id : 0,
			    .tenant = stray->provider->tenant, .name = owner ? owner->name : NULL, .node = stray->id,
			    .record = stray->record, .provider = stray->provider->entity, .provider_name = stray->provider->name});
		cluster_list_release(&list);
	}
	names_release(&seen);
}

int
inventory_diff(struct account *account, const struct operation_options *options, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	struct comparison c = {.account = account, .options = options, .scope = scope, .drift = drift};
	int result = -1;

	/* The store is read first: a machine is created after its operation is recorded, and clusters that change are left out. */
	if (inventory_diff_read_nodes(&c, err) == 0 && inventory_diff_read_providers(&c, err) == 0) {
		inventory_diff_list_all(&c);
		inventory_diff_find_vanished(&c);
		inventory_diff_find_orphaned(&c);
		result = c.worst;
	}
	names_release(&c.nodes);
	free(c.states);
	free(c.providers);
	free(c.strays);
	arena_release(&c.arena);
	return result;
}
