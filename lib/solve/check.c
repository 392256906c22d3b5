/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/check.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "solve/check-context.h"

static int64_t
instances(const struct check *c, const char *service)
{
	int64_t count = 0;

	for (size_t i = 0; i < c->layout->node_count; i++)
		count += !c->layout->nodes[i].leaves && node_has(&c->layout->nodes[i], service);
	return count;
}

static void
check_quantity(struct check *c, const char *service)
{
	const struct service_constraint *constraint = check_constraint_of(c, service);
	int64_t count = instances(c, service), min = check_in_sets(&c->request->template.oneof, service) ? 0 : 1, max = INT64_MAX;

	if (constraint && constraint->has_min)
		min = constraint->min;
	if (constraint && constraint->has_max)
		max = constraint->max;
	if (count < min)
		check_fault(c, "cluster", "%s has %" PRId64 " instances, its least is %" PRId64, service, count, min);
	if (count > max)
		check_fault(c, "cluster", "%s has %" PRId64 " instances, its most is %" PRId64, service, count, max);
}

static void
check_rules(struct check *c)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->count_count; i++) {
		double sum = 0;

		for (size_t j = 0; j < t->counts[i].term_count; j++)
			sum += t->counts[i].terms[j].coefficient * (double)instances(c, t->counts[i].terms[j].service);
		if (sum < t->counts[i].min - 5e-7 || sum > t->counts[i].max + 5e-7)
			check_fault(c, "cluster", "a count rule is broken: it gives %g (counts/%zu)", sum, i);
	}
	for (size_t i = 0; i < t->oneof.count; i++) {
		size_t with = 0;

		for (size_t j = 0; j < t->oneof.list[i].count; j++)
			with += instances(c, t->oneof.list[i].list[j]) > 0;
		if (with != 1 && check_chosen(c, &t->oneof.list[i]))
			check_fault(c, "cluster", "%zu of what there should be one of has instances (oneof/%zu)", with, i);
	}
}

/* Zones that the instances of a service stand in. */
static int64_t
zones_of(const struct check *c, const char *service)
{
	const struct layout *l = c->layout;
	int64_t count = 0;

	for (size_t i = 0; i < l->node_count; i++) {
		bool seen = l->nodes[i].leaves || !l->nodes[i].zone || !node_has(&l->nodes[i], service);

		for (size_t j = 0; j < i && !seen; j++)
			seen = !l->nodes[j].leaves && l->nodes[j].zone && node_has(&l->nodes[j], service) &&
			    strcmp(l->nodes[i].zone, l->nodes[j].zone) == 0;
		count += !seen;
	}
	return count;
}

static void
check_spread(struct check *c)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->spread_count; i++)
		for (size_t j = 0; j < t->spreads[i].services.count; j++) {
			const char *service = t->spreads[i].services.list[j];

			if (check_on_cluster(c, service) && zones_of(c, service) < t->spreads[i].min)
				check_fault(c, "cluster", "%s stands in %" PRId64 " zones, its least is %" PRId64, service,
				    zones_of(c, service), t->spreads[i].min);
		}
}

static void
check_size(struct check *c)
{
	const struct request *r = c->request;
	int64_t count = 0;

	for (size_t i = 0; i < c->layout->node_count; i++)
		count += !c->layout->nodes[i].leaves;
	if (count < r->cluster.machines_min || count > r->cluster.machines_max)
		check_fault(c, "cluster", "%" PRId64 " nodes are not the number that is asked for", count);
	if (count > r->template.size_max)
		check_fault(c, "cluster", "%" PRId64 " nodes are more than the template allows", count);
	if (count < r->template.size_min && r->cluster.machines_min != r->cluster.machines_max)
		check_fault(c, "cluster", "%" PRId64 " nodes are fewer than the template needs", count);
	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[i], r->provider.name);
		int64_t of_type = 0;

		for (size_t j = 0; j < c->layout->node_count; j++)
			of_type += !c->layout->nodes[j].leaves && c->layout->nodes[j].hardwaretype &&
			    strcmp(c->layout->nodes[j].hardwaretype, r->hardwaretypes[i].name) == 0;
		if (offer && offer->available >= 0 && of_type > offer->available)
			check_fault(c, "cluster", "%" PRId64 " machines of type %s, %" PRId64 " are available", of_type,
			    r->hardwaretypes[i].name, offer->available);
	}
}

/* Whether something on the cluster is called that, or provides it. */
static bool
is_provided(const struct check *c, const char *name)
{
	const struct string_list *services = &c->layout->cluster.services;

	for (size_t i = 0; i < services->count; i++) {
		const struct service *s = check_service_of(c, services->list[i]);

		if (strcmp(services->list[i], name) == 0 || (s && check_listed(&s->provides, name)))
			return true;
	}
	return false;
}

static void
check_requirements(struct check *c, const struct service *s)
{
	const struct string_list *allowed = &c->request->template.compatible_services;
	const struct string_list *lists[] = {&s->install_requires, &s->runtime_requires};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k]->count; i++)
			if (!is_provided(c, lists[k]->list[i]))
				check_fault(c, "cluster", "%s requires %s", s->name, lists[k]->list[i]);
	for (size_t i = 0; i < s->conflicts.count; i++)
		if (check_on_cluster(c, s->conflicts.list[i]) && strcmp(s->conflicts.list[i], s->name) != 0)
			check_fault(c, "cluster", "%s conflicts with %s", s->name, s->conflicts.list[i]);
	if (allowed->count && !check_listed(allowed, s->name))
		check_fault(c, "cluster", "the template does not allow %s", s->name);
}

static bool
is_wanted(const struct request *r, const char *service)
{
	if (r->cluster.services.count)
		return check_listed(&r->cluster.services, service);
	for (size_t i = 0; i < r->template.default_service_count; i++)
		if (strcmp(r->template.default_services[i].name, service) == 0)
			return true;
	return false;
}

static void
check_services(struct check *c)
{
	const struct request *r = c->request;
	const struct string_list *services = &c->layout->cluster.services;

	for (size_t i = 0; i < services->count; i++) {
		const struct service *s = check_service_of(c, services->list[i]);

		if (!is_wanted(r, services->list[i]))
			check_fault(c, "cluster", "%s is not asked for", services->list[i]);
		check_quantity(c, services->list[i]);
		if (s)
			check_requirements(c, s);
		else
			check_fault(c, "cluster", "%s is not defined", services->list[i]);
	}
	for (size_t i = 0; i < r->cluster.services.count; i++)
		if (!check_on_cluster(c, r->cluster.services.list[i]))
			check_fault(c, "cluster", "%s is asked for", r->cluster.services.list[i]);
	for (size_t i = 0; i < r->template.default_service_count && !r->cluster.services.count; i++)
		if (!check_on_cluster(c, r->template.default_services[i].name))
			check_fault(c, "cluster", "%s is asked for by default", r->template.default_services[i].name);
}

static bool
stood_somewhere(const struct request *r, const char *service)
{
	for (size_t i = 0; i < r->node_count; i++)
		if (!r->nodes[i].leaves && node_has(&r->nodes[i], service))
			return true;
	return false;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* A node that stays keeps its types and what stood on it; only services that stood nowhere come, and only such as
 * are no longer asked for go. */
static void
check_kept(struct check *c, const struct node *was, const struct node *is)
{
	if (!same_text(was->hardwaretype, is->hardwaretype) || !same_text(was->imagetype, is->imagetype))
		check_fault(c, is->id, "has changed its hardware or image type");
	for (size_t i = 0; i < was->services.count; i++)
		if (check_on_cluster(c, was->services.list[i]) && !node_has(is, was->services.list[i]))
			check_fault(c, is->id, "has lost %s", was->services.list[i]);
	for (size_t i = 0; i < is->services.count; i++)
		if (!node_has(was, is->services.list[i]) && stood_somewhere(c->request, is->services.list[i]))
			check_fault(c, is->id, "has got %s, which stood elsewhere before", is->services.list[i]);
}

static const struct node *
node_of(const struct node *nodes, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(nodes[i].id, id) == 0)
			return &nodes[i];
	return NULL;
}

static void
check_change(struct check *c)
{
	const struct request *r = c->request;
	const struct layout *l = c->layout;
	int64_t present = 0, leaving = 0;

	for (size_t i = 0; i < r->node_count; i++)
		present += !r->nodes[i].leaves;
	for (size_t i = 0; i < l->node_count; i++)
		leaving += l->nodes[i].leaves;
	for (size_t i = 0; i < r->node_count; i++) {
		const struct node *is = node_of(l->nodes, l->node_count, r->nodes[i].id);

		if (r->nodes[i].leaves)
			continue;
		if (!is)
			check_fault(c, r->nodes[i].id, "is present, and the layout does not say what becomes of it");
		else if (is->leaves && present <= r->cluster.machines_max && present <= r->template.size_max)
			check_fault(c, is->id, "leaves without need");
		else if (!is->leaves)
			check_kept(c, &r->nodes[i], is);
	}
	for (size_t i = 0; i < l->node_count; i++) {
		if (!l->nodes[i].is_new && !node_of(r->nodes, r->node_count, l->nodes[i].id))
			check_fault(c, l->nodes[i].id, "is said to be present, and is not");
		else if (l->nodes[i].is_new && leaving)
			check_fault(c, l->nodes[i].id, "is new, while present nodes leave");
	}
}

/* Whether some rule names the service. */
static bool
is_named(const struct check *c, const char *service)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->count_count; i++)
		for (size_t j = 0; j < t->counts[i].term_count; j++)
			if (strcmp(t->counts[i].terms[j].service, service) == 0)
				return true;
	return check_constraint_of(c, service) || check_in_sets(&t->mustcoexist, service) || check_in_sets(&t->cantcoexist, service) ||
	    check_in_sets(&t->mutuallyexclusive, service) || check_in_sets(&t->oneof, service);
}

static void
begin(struct check *c)
{
	const struct cluster_template *t = &c->request->template;
	const struct string_list *services = &c->layout->cluster.services;

	for (size_t i = 0; i < t->constraint_count; i++)
		names_intern(&c->constrained, t->constraints[i].service);
	c->everywhere.list = arena_alloc(c->arena, services->count, sizeof *c->everywhere.list);
	for (size_t i = 0; i < services->count; i++)
		if (!is_named(c, services->list[i]))
			c->everywhere.list[c->everywhere.count++] = services->list[i];
}

struct fault *
check_layout(const struct request *request, const struct layout *layout, struct arena *arena)
{
	struct fault *first = NULL;
	struct check c = {.request = request, .layout = layout, .arena = arena, .last = &first};

	begin(&c);
	check_size(&c);
	check_services(&c);
	check_rules(&c);
	check_spread(&c);
	check_change(&c);
	for (size_t i = 0; i < layout->node_count; i++)
		check_node(&c, &layout->nodes[i]);
	names_release(&c.constrained);
	return first;
}
