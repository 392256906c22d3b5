/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/violation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/name.h"
#include "solve/program/bits.h"
#include "solve/program/program.h"

#define VIOLATION_ROUNDING 1e-12 /* of sums of doubles */

struct node_class { /* nodes on which the same stands */
	const struct node *node; /* the first of them */
	uint64_t *stands;        /* services of the program */
};

struct present {
	const struct program *program;
	struct node_class *classes;
	size_t count, capacity;
	size_t words;
	int64_t *instances; /* of each service of the program */
	struct arena arena;
};

/* Adds a class for a node unless there is one already. In most layouts equal nodes stand next to each other, so the newest
 * class is compared first. A node without a type is like others without. */
static void
violation_add_class(struct present *s, const struct node *node, const uint64_t *stands)
{
	for (size_t i = s->count; i-- > 0;) {
		const struct node *other = s->classes[i].node;

		if (bits_equal(s->classes[i].stands, stands, s->words) &&
		    strcmp(other->hardwaretype ? other->hardwaretype : "", node->hardwaretype ? node->hardwaretype : "") == 0 &&
		    strcmp(other->imagetype ? other->imagetype : "", node->imagetype ? node->imagetype : "") == 0)
			return;
	}
	ARRAY_ROOM(s->classes, s->count, s->capacity);
	s->classes[s->count++] = (struct node_class){node, bits_duplicate(stands, s->words, &s->arena)};
}

static void
violation_read_nodes(struct present *s)
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
			violation_add_class(s, &r->nodes[i], set);
	}
	free(stands);
	free(set);
}

/* Returns the number of a service that stands somewhere and is still wanted, else NAMES_NONE. */
static int
violation_lasting(const struct present *s, const char *name)
{
	int service = program_find_service(s->program, name);

	return service != NAMES_NONE && s->instances[service] ? service : NAMES_NONE;
}

/* Returns how many different services of a set stand somewhere and are still wanted; sets here to how many of them stand on
 * nodes of the class. */
static size_t
violation_count_set(const struct present *s, const struct string_list *set, const struct node_class *class, size_t *here)
{
	size_t count = 0;

	*here = 0;
	for (size_t i = 0; i < set->count; i++) {
		int service = violation_lasting(s, set->list[i]);

		for (size_t j = 0; j < i && service != NAMES_NONE; j++)
			if (strcmp(set->list[i], set->list[j]) == 0)
				service = NAMES_NONE;
		count += service != NAMES_NONE;
		*here += service != NAMES_NONE && bits_has(class->stands, (size_t)service);
	}
	return count;
}

static bool
violation_holds_all(const struct present *s, const struct string_list *set, const struct node_class *class)
{
	for (size_t i = 0; i < set->count; i++) {
		int service = violation_lasting(s, set->list[i]);

		if (service == NAMES_NONE || !bits_has(class->stands, (size_t)service))
			return false;
	}
	return set->count > 0;
}

/* Returns whether the services on a node take more of any resource than its type offers. */
static bool
violation_is_overfull(const struct present *s, const struct node_class *class, const struct hardware_offer *offer)
{
	const struct program *p = s->program;

	for (size_t i = 0; i < p->service_count; i++)
		for (size_t k = 0; k < p->services[i]->consumes.count && bits_has(class->stands, i); k++) {
			const char *resource = p->services[i]->consumes.list[k].resource;
			double taken = 0;

			for (size_t j = 0; j < p->service_count; j++)
				taken += bits_has(class->stands, j) ? amounts_value(&p->services[j]->consumes, resource, 0) : 0;
			if (taken > amounts_value(&offer->capacity, resource, 0) + VIOLATION_ROUNDING * taken)
				return true;
		}
	return false;
}

static bool
violation_is_of_type(const struct node *node, const struct hardwaretype *type)
{
	return node->hardwaretype && strcmp(node->hardwaretype, type->name) == 0;
}

/* Returns whether a node breaks a demand by itself. */
static bool
violation_breaks(const struct present *s, const struct node_class *class, const struct demand *demand)
{
	const struct request *r = s->program->request;
	const struct cluster_template *t = &r->template;
	const struct string_list *types;
	size_t i = demand->index, here = 0;
	const char *type;
	int service;

	switch (demand->kind) {
	case DEMAND_MUSTCOEXIST:
		return violation_count_set(s, &t->mustcoexist.list[i], class, &here) > here && here;
	case DEMAND_CANTCOEXIST:
		return violation_holds_all(s, &t->cantcoexist.list[i], class);
	case DEMAND_MUTUALLYEXCLUSIVE:
		violation_count_set(s, &t->mutuallyexclusive.list[i], class, &here);
		return here > 1;
	case DEMAND_HARDWARETYPES: case DEMAND_IMAGETYPES:
		service = violation_lasting(s, t->constraints[i].service);
		type = demand->kind == DEMAND_HARDWARETYPES ? class->node->hardwaretype : class->node->imagetype;
		types = demand->kind == DEMAND_HARDWARETYPES ? &t->constraints[i].hardwaretypes : &t->constraints[i].imagetypes;
		return service != NAMES_NONE && bits_has(class->stands, (size_t)service) && !(type && name_list_has(types, type));
	case DEMAND_CAPACITY:
		return violation_is_of_type(class->node, &r->hardwaretypes[i]) &&
		    violation_is_overfull(s, class, hardwaretype_offer(&r->hardwaretypes[i], r->provider.name));
	default:
		return false;
	}
}

/* Returns whether a rule was broken before, and still is once the services that are no longer wanted are gone: if their
 * removal breaks it, or repairs it, the present layout is not to blame. */
static bool
violation_breaks_rule(const struct present *s, const struct count_rule *rule)
{
	const struct request *r = s->program->request;
	double before = 0, after = 0, size = 0;

	for (size_t i = 0; i < rule->term_count; i++) {
		double coefficient = rule->terms[i].coefficient;
		int service = program_find_service(s->program, rule->terms[i].service);
		int64_t instances = service == NAMES_NONE ? 0 : s->instances[service];

		after += coefficient * (double)instances;
		for (size_t j = 0; j < r->node_count && service == NAMES_NONE; j++)
			instances += !r->nodes[j].leaves && node_has(&r->nodes[j], rule->terms[i].service);
		before += coefficient * (double)instances;
		size += VIOLATION_ROUNDING * fabs(coefficient) * (double)instances;
	}
	return (before < rule->min - size || before > rule->max + size) && (after < rule->min - size || after > rule->max + size);
}

/* Returns the number of zones in which a service stands. */
static int64_t
violation_zones_of(const struct request *r, const char *service)
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

/* Returns whether all nodes together break a demand. */
static bool
violation_break_together(const struct present *s, const struct demand *demand)
{
	const struct request *r = s->program->request;
	const struct cluster_template *t = &r->template;
	size_t i = demand->index, chosen = 0;
	int64_t machines = 0;
	int service;

	switch (demand->kind) {
	case DEMAND_MIN: case DEMAND_MAX:
		service = violation_lasting(s, t->constraints[i].service);
		return service != NAMES_NONE && (demand->kind == DEMAND_MIN ? s->instances[service] < t->constraints[i].min
		                                                            : s->instances[service] > t->constraints[i].max);
	case DEMAND_COUNT_RULE: /* a number of instances is what the change is about */
		return !request_instances_rule(r, i) && violation_breaks_rule(s, &t->counts[i]);
	case DEMAND_ONEOF:
		for (size_t j = 0; j < t->oneof.list[i].count; j++)
			chosen += violation_lasting(s, t->oneof.list[i].list[j]) != NAMES_NONE;
		return chosen > 1;
	case DEMAND_SPREAD:
		for (size_t j = 0; j < t->spreads[i].services.count && !chosen; j++)
			chosen = violation_lasting(s, t->spreads[i].services.list[j]) != NAMES_NONE &&
			    violation_zones_of(r, t->spreads[i].services.list[j]) < t->spreads[i].min;
		return chosen;
	case DEMAND_AVAILABLE:
		for (size_t j = 0; j < r->node_count; j++)
			machines += !r->nodes[j].leaves && !r->nodes[j].replaced &&
			    violation_is_of_type(&r->nodes[j], &r->hardwaretypes[i]);
		return machines > hardwaretype_offer(&r->hardwaretypes[i], r->provider.name)->available;
	default:
		return false;
	}
}

void
violations_find(const struct program *p, const struct demands *demands, struct violations *violations)
{
	struct present s = {.program = p, .words = bits_words(p->service_count)};

	s.instances = memory_zeroed(p->service_count, sizeof *s.instances);
	violation_read_nodes(&s);
	for (size_t i = 0; i < demands->count && s.count; i++) {
		const struct demand *demand = &demands->list[i];
		size_t class = 0;

		while (class < s.count && !violation_breaks(&s, &s.classes[class], demand))
			class++;
		if (class == s.count && !violation_break_together(&s, demand))
			continue;
		ARRAY_ROOM(violations->list, violations->count, violations->capacity);
		violations->list[violations->count++] = (struct violation){*demand, class < s.count ? s.classes[class].node : NULL};
	}
	free(s.classes);
	free(s.instances);
	arena_release(&s.arena);
}

const struct violation *
violation_of(const struct violations *violations, const struct demand *demand)
{
	for (size_t i = 0; i < violations->count; i++)
		if (violations->list[i].demand.kind == demand->kind && violations->list[i].demand.index == demand->index)
			return &violations->list[i];
	return NULL;
}

void
violation_words(const struct violation *violation, const struct demands *demands, struct buffer *out)
{
	demand_pointer(demands, &violation->demand, out);
	buffer_text(out, ": ");
	demand_words(demands, &violation->demand, out);
	buffer_text(out, ": the present layout breaks that");
	if (violation->node)
		buffer_printf(out, ", on %s", violation->node->id);
}
