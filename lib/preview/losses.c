/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/losses.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/names.h"
#include "base/plural.h"
#include "model/name.h"
#include "preview/effects.h"

enum { NAMED = 4 }; /* nodes of a service by their numbers */

/* Returns whether the service was on the node, and what it has there goes: with the machine, unless all of it is on volumes that are kept,
 * since it is removed, or with an archive in its place. */
static bool
losses_leaves(const struct effects *effects, size_t node, const char *service)
{
	const struct service *was = cluster_definition_before(&effects->plan->layout.cluster, service);

	if (effects->deleted[node] && was && service_is_on_volumes(was))
		return false;
	return name_set_has(effects_before(effects, node), service) && (effects->deleted[node] ||
	    (effects_on(effects, node, service) & ACTION_BIT(ACTION_RESTORE)) ||
	    !name_set_has(&effects->plan->layout.nodes[node].services, service) ||
	    (effects_on(effects, node, service) & ACTION_BIT(ACTION_REMOVE)));
}

/* Tells whether an archive takes the place of what the service has. */
static bool
losses_replaces(const struct effects *effects, const char *service)
{
	for (size_t i = 0; i < effects->plan->layout.node_count; i++)
		if (effects_on(effects, i, service) & ACTION_BIT(ACTION_RESTORE))
			return true;
	return false;
}

/* Adds the names of the services that were there before, each once. */
static void
losses_services(const struct effects *effects, struct names *names)
{
	for (size_t i = 0; i < effects->plan->layout.node_count; i++) {
		const struct string_list *before = effects_before(effects, i);

		for (size_t j = 0; j < before->count; j++)
			names_intern(names, before->list[j]);
	}
}

/* Appends the nodes that the service leaves, "1003 1004 and 3 more"; returns how many they are. */
static size_t
losses_nodes(const struct effects *effects, const char *service, struct buffer *text)
{
	size_t count = 0;

	for (size_t i = 0; i < effects->plan->layout.node_count; i++)
		if (losses_leaves(effects, i, service) && count++ < NAMED)
			buffer_printf(text, "%s%" PRId64, count > 1 ? " " : "", effects->plan->layout.nodes[i].nodenum);
	if (count > NAMED)
		buffer_printf(text, " and %zu more", count - NAMED);
	return count;
}

int
losses_describe(const struct effects *effects, jv today, struct buffer *text)
{
	struct names services = {0};
	struct buffer nodes = {0};
	int lost = 0;

	losses_services(effects, &services);
	for (size_t i = 0; i < services.count; i++) {
		buffer_clear(&nodes);
		if ((!cluster_is_stateful(&effects->plan->layout.cluster, today, services.list[i]) &&
		    !losses_replaces(effects, services.list[i])) || losses_nodes(effects, services.list[i], &nodes) == 0)
			continue;
		buffer_printf(text, "%s%s on %s", lost ? ", " : "", services.list[i], nodes.data);
		lost = 1;
	}
	buffer_release(&nodes);
	names_release(&services);
	return lost;
}

/* Returns whether the service prepared data when it was set up, of which nothing says whether it may be lost. */
static bool
losses_may_be(const struct cluster *cluster, const char *service)
{
	const struct service *definition = cluster_definition_before(cluster, service);

	return definition && definition->actions[ACTION_INITIALIZE].present && !service_says_data(definition);
}

static void
losses_print_service(const struct cluster *cluster, const char *service, const char *becomes, const char *nodes, size_t count, FILE *out)
{
	const struct service *definition = cluster_definition_before(cluster, service);

	fprintf(out, "! the data of %s on node%s %s %s", service, plural(count, "", "s"), nodes, becomes);
	for (size_t i = 0; definition && i < definition->data.count; i++)
		fprintf(out, "%s%s", i ? ", " : ": ", definition->data.list[i]);
	putc('\n', out);
}

void
losses_print(const struct effects *effects, jv today, FILE *out)
{
	const struct cluster *cluster = &effects->plan->layout.cluster;
	struct names services = {0};
	struct buffer nodes = {0};

	losses_services(effects, &services);
	for (size_t i = 0; i < services.count; i++) {
		const char *service = services.list[i];
		bool is_lost = cluster_is_stateful(cluster, today, service), is_replaced = losses_replaces(effects, service);
		size_t count;

		buffer_clear(&nodes);
		if (!is_lost && !is_replaced && !losses_may_be(cluster, service))
			continue;
		count = losses_nodes(effects, service, &nodes);
		if (count)
			losses_print_service(cluster, service, is_replaced ? "is replaced by that of an archive" : is_lost ? "is lost" : "may be lost",
			    nodes.data, count, out);
	}
	buffer_release(&nodes);
	names_release(&services);
}
