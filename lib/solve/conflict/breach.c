/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/breach.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "solve/program/bits.h"
#include "solve/program/program.h"

struct cast { /* nodes on which the same stands */
	const struct node *node; /* the first of them */
	uint64_t *stands;        /* services of the program */
};

struct stage {
	const struct program *program;
	struct cast *casts;
	size_t count, capacity;
	size_t words;
	int64_t *instances; /* of each service of the program */
	struct arena arena;
};

static bool
breach_same_types(const struct node *a, const struct node *b)
{
	return strcmp(a->hardwaretype ? a->hardwaretype : "", b->hardwaretype ? b->hardwaretype : "") == 0 &&
	    strcmp(a->imagetype ? a->imagetype : "", b->imagetype ? b->imagetype : "") == 0;
}

/* Nodes that are alike stand next to one another in most layouts, and there are few kinds: the newest is looked at
 * first. */
static void
breach_add_cast(struct stage *s, const struct node *node, const uint64_t *stands)
{
	for (size_t i = s->count; i-- > 0;)
		if (bits_equal(s->casts[i].stands, stands, s->words) && breach_same_types(s->casts[i].node, node))
			return;
	ARRAY_ROOM(s->casts, s->count, s->capacity);
	s->casts[s->count] = (struct cast){node, arena_alloc(&s->arena, s->words, sizeof *stands)};
	bits_copy(s->casts[s->count++].stands, stands, s->words);
}

static void
breach_set_stage(struct stage *s)
{
	const struct request *r = s->program->request;
	size_t services = s->program->service_count;
	bool *stands = memory_zeroed(services, sizeof *stands);
	uint64_t *set = memory_zeroed(s->words, sizeof *set);

	for (size_t i = 0; i < r->node_count; i++) {
		if (r->nodes[i].leaves)
			continue;
		program_standing(s->program, &r->nodes[i], stands);
		memset(set, 0, s->words * sizeof *set);
		for (size_t j = 0; j < services; j++)
			if (stands[j]) {
				bits_add(set, j);
				s->instances[j]++;
			}
		if (!r->nodes[i].replaced)
			breach_add_cast(s, &r->nodes[i], set);
	}
	free(stands);
	free(set);
}

/* A service that stands somewhere and is still wanted; or NAMES_NONE. */
static int
breach_lasting(const struct stage *s, const char *name)
{
	int service = program_find_service(s->program, name);

	return service != NAMES_NONE && s->instances[service] ? service : NAMES_NONE;
}

/* How many of a set last; how many of them stand on a node. */
static size_t
breach_count_set(const struct stage *s, const struct string_list *set, const struct cast *cast, size_t *here)
{
	size_t count = 0;

	*here = 0;
	for (size_t i = 0; i < set->count; i++) {
		int service = breach_lasting(s, set->list[i]);

		for (size_t j = 0; j < i && service != NAMES_NONE; j++)
			if (strcmp(set->list[i], set->list[j]) == 0)
				service = NAMES_NONE;
		count += service != NAMES_NONE;
		*here += service != NAMES_NONE && bits_has(cast->stands, (size_t)service);
	}
	return count;
}

static bool
breach_holds_all(const struct stage *s, const struct string_list *set, const struct cast *cast)
{
	for (size_t i = 0; i < set->count; i++) {
		int service = breach_lasting(s, set->list[i]);

		if (service == NAMES_NONE || !bits_has(cast->stands, (size_t)service))
			return false;
	}
	return set->count > 0;
}

static bool
breach_names_it(const struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (name && strcmp(list->list[i], name) == 0)
			return true;
	return false;
}

static double
breach_amount(const struct amounts *amounts, const char *resource)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->list[i].resource, resource) == 0)
			return amounts->list[i].value;
	return 0;
}

/* Whether what stands on a node takes more of anything than its type offers. */
static bool
breach_is_overfull(const struct stage *s, const struct cast *cast, const struct hardware_offer *offer)
{
	const struct program *p = s->program;

	for (size_t i = 0; i < p->service_count; i++)
		for (size_t k = 0; k < p->services[i]->consumes.count && bits_has(cast->stands, i); k++) {
			const char *resource = p->services[i]->consumes.list[k].resource;
			double taken = 0;

			for (size_t j = 0; j < p->service_count; j++)
				taken += bits_has(cast->stands, j) ? breach_amount(&p->services[j]->consumes, resource) : 0;
			if (taken > breach_amount(&offer->capacity, resource) + 5e-7)
				return true;
		}
	return false;
}

static bool
breach_is_of_type(const struct cast *cast, const struct hardwaretype *type)
{
	return cast->node->hardwaretype && strcmp(cast->node->hardwaretype, type->name) == 0;
}

/* Whether a node breaks a demand by itself. */
static bool
breach_breaks(const struct stage *s, const struct cast *cast, const struct demand *demand)
{
	const struct request *r = s->program->request;
	const struct cluster_template *t = &r->template;
	size_t i = demand->index, here = 0;
	int service;

	switch (demand->kind) {
	case DEMAND_MUSTCOEXIST:
		return breach_count_set(s, &t->mustcoexist.list[i], cast, &here) > here && here;
	case DEMAND_CANTCOEXIST:
		return breach_holds_all(s, &t->cantcoexist.list[i], cast);
	case DEMAND_MUTUALLYEXCLUSIVE:
		breach_count_set(s, &t->mutuallyexclusive.list[i], cast, &here);
		return here > 1;
	case DEMAND_HARDWARETYPES: case DEMAND_IMAGETYPES:
		service = breach_lasting(s, t->constraints[i].service);
		return service != NAMES_NONE && bits_has(cast->stands, (size_t)service) &&
		    !(demand->kind == DEMAND_HARDWARETYPES ? breach_names_it(&t->constraints[i].hardwaretypes,
		    cast->node->hardwaretype)
		                                           : breach_names_it(&t->constraints[i].imagetypes,
		    cast->node->imagetype));
	case DEMAND_CAPACITY:
		return breach_is_of_type(cast, &r->hardwaretypes[i]) &&
		    breach_is_overfull(s, cast, hardwaretype_offer(&r->hardwaretypes[i], r->provider.name));
	default:
		return false;
	}
}

/* Of a service that is no longer wanted, too. */
static int64_t
breach_instances_before(const struct stage *s, const char *name)
{
	const struct request *r = s->program->request;
	int service = program_find_service(s->program, name);
	int64_t count = 0;

	if (service != NAMES_NONE)
		return s->instances[service];
	for (size_t i = 0; i < r->node_count; i++)
		count += !r->nodes[i].leaves && node_has(&r->nodes[i], name);
	return count;
}

/* Whether a rule was not kept before, and is not once the services that are no longer wanted are gone: if removing
 * them is what breaks it, or mends it, the present layout is not to blame. */
static bool
breach_breaks_rule(const struct stage *s, const struct count_rule *rule)
{
	double before = 0, after = 0;

	for (size_t i = 0; i < rule->term_count; i++) {
		int service = breach_lasting(s, rule->terms[i].service);

		before += rule->terms[i].coefficient * (double)breach_instances_before(s, rule->terms[i].service);
		after += service == NAMES_NONE ? 0 : rule->terms[i].coefficient * (double)s->instances[service];
	}
	return (before < rule->min - 5e-7 || before > rule->max + 5e-7) && (after < rule->min - 5e-7 ||
	    after > rule->max + 5e-7);
}

static int64_t
breach_machines_of(const struct request *r, const struct hardwaretype *type)
{
	int64_t count = 0;

	for (size_t i = 0; i < r->node_count; i++)
		count += !r->nodes[i].leaves && !r->nodes[i].replaced && r->nodes[i].hardwaretype &&
		    strcmp(r->nodes[i].hardwaretype, type->name) == 0;
	return count;
}

/* Zones in which a service stands. */
static int64_t
breach_zones_of(const struct request *r, const char *service)
{
	struct names zones = {0};
	int64_t count;

	for (size_t i = 0; i < r->node_count; i++)
		if (!r->nodes[i].leaves && r->nodes[i].zone && node_has(&r->nodes[i], service))
			names_intern(&zones, r->nodes[i].zone);
	count = (int64_t)zones.count;
	names_release(&zones);
	return count;
}

/* Whether all nodes together break a demand. */
static bool
breach_break_together(const struct stage *s, const struct demand *demand)
{
	const struct request *r = s->program->request;
	const struct cluster_template *t = &r->template;
	size_t i = demand->index, chosen = 0;
	int service;

	switch (demand->kind) {
	case DEMAND_MIN: case DEMAND_MAX:
		service = breach_lasting(s, t->constraints[i].service);
		return service != NAMES_NONE && (demand->kind == DEMAND_MIN ? s->instances[service] < t->constraints[i].min
		                                                            : s->instances[service] > t->constraints[i].max);
	case DEMAND_COUNT_RULE:
		return breach_breaks_rule(s, &t->counts[i]);
	case DEMAND_ONEOF:
		for (size_t j = 0; j < t->oneof.list[i].count; j++)
			chosen += breach_lasting(s, t->oneof.list[i].list[j]) != NAMES_NONE;
		return chosen > 1;
	case DEMAND_SPREAD:
		for (size_t j = 0; j < t->spreads[i].services.count && !chosen; j++)
			chosen = breach_lasting(s, t->spreads[i].services.list[j]) != NAMES_NONE &&
			    breach_zones_of(r, t->spreads[i].services.list[j]) < t->spreads[i].min;
		return chosen;
	case DEMAND_AVAILABLE:
		return breach_machines_of(r, &r->hardwaretypes[i]) > hardwaretype_offer(&r->hardwaretypes[i],
		    r->provider.name)->available;
	default:
		return false;
	}
}

void
breaches_find(const struct program *p, const struct demands *demands, struct breaches *breaches)
{
	struct stage s = {.program = p, .words = bits_words(p->service_count)};

	s.instances = memory_zeroed(p->service_count, sizeof *s.instances);
	breach_set_stage(&s);
	for (size_t i = 0; i < demands->count && s.count; i++) {
		const struct demand *demand = &demands->list[i];
		size_t cast = 0;

		while (cast < s.count && !breach_breaks(&s, &s.casts[cast], demand))
			cast++;
		if (cast == s.count && !breach_break_together(&s, demand))
			continue;
		ARRAY_ROOM(breaches->list, breaches->count, breaches->capacity);
		breaches->list[breaches->count++] = (struct breach){*demand, cast < s.count ? s.casts[cast].node : NULL};
	}
	free(s.casts);
	free(s.instances);
	arena_release(&s.arena);
}

const struct breach *
breach_of(const struct breaches *breaches, const struct demand *demand)
{
	for (size_t i = 0; i < breaches->count; i++)
		if (breaches->list[i].demand.kind == demand->kind && breaches->list[i].demand.index == demand->index)
			return &breaches->list[i];
	return NULL;
}

void
breach_words(const struct breach *breach, const struct demands *demands, struct buffer *out)
{
	demand_pointer(demands, &breach->demand, out);
	buffer_text(out, ": ");
	demand_words(demands, &breach->demand, out);
	buffer_text(out, ": the present layout breaks that");
	if (breach->node)
		buffer_printf(out, ", on %s", breach->node->id);
}
