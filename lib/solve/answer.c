/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/names.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve/fallback.h"
#include "solve/program/bits.h"
#include "solve/program/pattern.h"
#include "solve/search/outcome.h"
#include "solve/search/zone.h"
#include "solve/volume-zones.h"

enum { WRITE_AT_ONCE = 1 << 16 };

struct kind { /* machines that look the same in the answer */
	const struct use *use;
	size_t size, image;
	struct string_list services;
};

/* Compares in Coopr's order: more services first, then hardware type, image type, names of services. Numbers are in the
 * order of names. */
static int
answer_compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	size_t i = 0;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	if (x->use->pattern.hardware != y->use->pattern.hardware)
		return x->use->pattern.hardware - y->use->pattern.hardware;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	while (i < x->size && strcmp(x->services.list[i], y->services.list[i]) == 0)
		i++;
	return i < x->size ? strcmp(x->services.list[i], y->services.list[i])
	                   : x->use->pattern.group - y->use->pattern.group;
}

/* Returns the kinds of all machines but those that leave. */
static struct kind *
answer_kinds_of(const struct program *p, const struct outcome *outcome, struct arena *arena, size_t *count)
{
	struct kind *kinds = arena_alloc(arena, outcome->uses.count, sizeof *kinds);

	*count = 0;
	for (size_t i = 0; i < outcome->uses.count; i++) {
		const struct use *use = &outcome->uses.list[i];
		struct kind *kind = &kinds[*count];

		if (pattern_departure(p, &use->pattern))
			continue;
		*kind = (struct kind){.use = use, .size = pattern_size(p, use->pattern.units)};
		kind->image = program_image(p, use->pattern.group, use->pattern.units);
		kind->services.list = arena_alloc(arena, kind->size, sizeof *kind->services.list);
		for (size_t s = 0; s < p->service_count; s++)
			if (bits_has(use->pattern.units, (size_t)p->unit_of[s]))
				kind->services.list[kind->services.count++] = p->services[s]->name;
		++*count;
	}
	if (*count)
		qsort(kinds, *count, sizeof *kinds, answer_compare_kinds);
	return kinds;
}

/* Keeps present machines, those of each group in the order of their numbers; those that no kind takes leave. */
static void
answer_keep_present(const struct program *p, const struct kind *kinds, size_t kind_count, struct answer *answer)
{
	size_t *used = memory_zeroed(p->group_count, sizeof *used);

	for (size_t i = 0; i < kind_count; i++) {
		const struct group *group = &p->groups[kinds[i].use->pattern.group];

		for (int64_t n = 0; n < kinds[i].use->count && group != p->groups; n++) {
			const struct node *node = group->nodes[used[group - p->groups]++];

			answer->nodes[node - p->request->nodes].services = kinds[i].services;
			answer->nodes[node - p->request->nodes].leaves = false;
		}
	}
	free(used);
}

static void
answer_add_new(const struct program *p, const struct kind *kind, const int *zones, int64_t *number, struct answer *answer)
{
	const struct hardware *hardware = &p->hardware[kind->use->pattern.hardware];
	const struct image *image = &p->images[kind->image];

	for (int64_t n = 0; n < kind->use->count; n++)
		answer->nodes[answer->node_count++] = (struct node){
			.nodenum = (*number)++,
			.zone = zones[n] == ZONE_NONE ? NULL : p->zones[zones[n]],
			.hardwaretype = hardware->name,
			.imagetype = image->name,
			.flavor = hardware->offer->flavor,
			.image = image->offer->image,
			.sshuser = image->offer->sshuser,
			.of = image->type->of && strcmp(image->type->of, "installation") != 0 ? image->type->of : NULL,
			.services = kind->services,
			.is_new = true,
		};
}

/* Returns the zones of the new machines, kind after kind. */
static int *
answer_zones_of(const struct program *p, const struct kind *kinds, size_t count, const struct answer *answer)
{
	struct machine_classes classes = {0};
	uint64_t *none = memory_zeroed(p->unit_words, sizeof *none);
	int64_t machines = 0;
	int *zones;

	for (size_t i = 0; i < count; i++) {
		machine_classes_add(&classes, kinds[i].use->pattern.units, p->groups[kinds[i].use->pattern.group].zone,
		    kinds[i].use->count);
		machines += kinds[i].use->count;
	}
	for (size_t i = 0; i < answer->node_count && !p->spread; i++)
		if (!answer->nodes[i].leaves)
			machine_classes_add(&classes, none, program_zone(p, &answer->nodes[i]), 1);
	zones = memory_zeroed((size_t)machines, sizeof *zones);
	for (int64_t i = 0; i < machines; i++)
		zones[i] = ZONE_NONE;
	if (!p->zones_unlimited)
		zones_place(p, &(struct budget){0}, &classes, p->spread ? p->spread : none, zones);
	free(classes.list);
	free(none);
	return zones;
}

static void
answer_make_nodes(const struct program *p, const struct outcome *outcome, struct answer *answer)
{
	const struct request *r = p->request;
	size_t kind_count, kept = 0;
	struct kind *kinds = answer_kinds_of(p, outcome, &answer->arena, &kind_count);
	int64_t total = 0, number = request_next_nodenum(r);
	int *zones, *zone;

	for (size_t i = 0; i < kind_count; i++)
		total += kinds[i].use->count;
	answer->nodes = arena_alloc(&answer->arena, r->node_count + (size_t)total, sizeof *answer->nodes);
	for (size_t i = 0; i < r->node_count; i++) {
		struct node *node = &answer->nodes[answer->node_count++];

		*node = r->nodes[i];
		node->was = node->services;
		node->is_new = false;
		if (node->leaves)
			node->id = NULL;
		node->leaves = true;
	}
	answer_keep_present(p, kinds, kind_count, answer);
	for (size_t i = 0; i < answer->node_count; i++) /* those that had left before are dropped */
		if (answer->nodes[i].id)
			answer->nodes[kept++] = answer->nodes[i];
	answer->node_count = kept;
	zone = zones = answer_zones_of(p, kinds, kind_count, answer);
	for (size_t i = 0; i < kind_count; i++)
		if (kinds[i].use->pattern.group == 0) {
			answer_add_new(p, &kinds[i], zone, &number, answer);
			zone += kinds[i].use->count;
		}
	free(zones);
}

/* Returns a sum of weights in the unit of the request. A whole number is divided, once: 87 thousandths are 0.087. */
static double
answer_value(const struct program *p, enum objective objective, int64_t sum)
{
	return (double)(sum * p->weights[objective].scale.step) / pow(10, p->weights[objective].scale.places);
}

/* Gives the amounts their decimals, where doubles do not hold them. */
static void
answer_keep_digits(const struct program *p, const int64_t sums[OBJECTIVE_COUNT], struct amounts *amounts, struct arena *arena)
{
	for (size_t i = 0; i < amounts->count; i++) {
		enum objective objective = objective_find(amounts->list[i].resource);
		const struct weights *weights = &p->weights[objective];

		amounts->list[i].exact = whole_decimal(sums[objective] * weights->scale.step, weights->scale.places, arena);
	}
}

/* Sets the value by each objective and, unless the layout is the best, the proved bound and the gap to it. */
static void
answer_make_solution(const struct program *p, const struct outcome *outcome, unsigned long explored, struct answer *answer)
{
	bool best = outcome->status == SEARCH_FOUND && outcome->proved;
	double values[OBJECTIVE_COUNT], bounds[OBJECTIVE_COUNT], gaps[OBJECTIVE_COUNT];
	int64_t sums[OBJECTIVE_COUNT] = {0}, least[OBJECTIVE_COUNT] = {0};

	for (enum objective objective = 0; objective < OBJECTIVE_COUNT; objective++) {
		const struct bound *bound = &outcome->bound[objective];

		values[objective] = bounds[objective] = gaps[objective] = NAN;
		if (objective != OBJECTIVE_MACHINES && objective != OBJECTIVE_MOVES && !p->weights[objective].known)
			continue;
		for (size_t i = 0; i < outcome->uses.count; i++) {
			const struct pattern *pattern = &outcome->uses.list[i].pattern;
			int64_t each = objective == OBJECTIVE_MACHINES ? pattern_departure(p, pattern) == DEPARTURE_NONE
			    : objective == OBJECTIVE_MOVES ? pattern_moves(p, pattern) : pattern_weight(p, objective, pattern);

			sums[objective] += outcome->uses.list[i].count * each;
		}
		values[objective] = answer_value(p, objective, sums[objective]);
		if (best || !bound->known)
			continue;
		least[objective] = bound->least;
		bounds[objective] = answer_value(p, objective, bound->least);
		gaps[objective] = values[objective] > 0 ? (values[objective] - bounds[objective]) / values[objective] : 0;
	}
	answer->solution = (struct solution){
		.status = best ? "optimal" : "feasible",
		.objective = objective_amounts(values, &answer->arena),
		.bound = objective_amounts(bounds, &answer->arena),
		.gap = objective_amounts(gaps, &answer->arena),
		.explored = (int64_t)explored,
	};
	answer_keep_digits(p, sums, &answer->solution.objective, &answer->arena);
	answer_keep_digits(p, least, &answer->solution.bound, &answer->arena);
}

void
answer_fill(const struct program *p, const struct outcome *outcome, unsigned long explored, struct answer *answer)
{
	answer_make_nodes(p, outcome, answer);
	volume_zones_keep(p->request, answer->nodes, answer->node_count);
	answer_make_solution(p, outcome, explored, answer);
	answer->services = (struct string_list){arena_alloc(&answer->arena, p->service_count, sizeof(char *)),
	    p->service_count};
	for (size_t i = 0; i < p->service_count; i++)
		answer->services.list[i] = p->services[i]->name;
}

void
answer_release(struct answer *answer)
{
	arena_release(&answer->arena);
	*answer = (struct answer){0};
}

void
answer_write(const struct request *request, const struct answer *answer, FILE *stream)
{
	struct buffer out = {0};

	if (answer->satisfiable)
		answer_print(request, &answer->services, &answer->solution, &out);
	else
		unsatisfiable_print(&answer->refusal, &out);
	for (size_t i = 0; i < answer->node_count; i++) {
		struct node node = answer->nodes[i];
		struct arena names = {0}; /* thousands of names need not be kept */

		if (node.is_new) {
			jv choices = fallback_choices(request, &node);

			request_name_node(request, &node, &names);
			if (jv_is_valid(choices)) {
				node.source = jv_object();
				json_set(&node.source, "choices", choices);
			}
		}
		node_print(&node, &out);
		if (node.is_new && jv_get_kind(node.source) == JV_KIND_OBJECT)
			jv_free(node.source);
		arena_release(&names);
		if (out.length > WRITE_AT_ONCE) {
			fwrite(out.data, 1, out.length, stream);
			buffer_clear(&out);
		}
	}
	fwrite(out.data, 1, out.length, stream);
	buffer_release(&out);
}

void
answer_layout(const struct request *request, const struct answer *answer, struct arena *arena, struct layout *layout)
{
	const struct cluster_request *asked = &request->cluster;
	struct cluster *cluster = &layout->cluster;
	struct names numbers = {0}; /* of the request's services */

	*layout = (struct layout){.node_count = answer->node_count};
	*cluster = (struct cluster){
		.id = asked->id, .name = asked->name, .tenant = asked->tenant, .services = answer->services,
		.provider = request->provider,
	};
	for (size_t i = 0; i < request->service_count; i++)
		names_intern(&numbers, request->services[i].name);
	cluster->definitions = arena_alloc(arena, answer->services.count, sizeof *cluster->definitions);
	for (size_t i = 0; i < answer->services.count; i++) {
		int number = names_find(&numbers, answer->services.list[i]);

		if (number != NAMES_NONE)
			cluster->definitions[cluster->definition_count++] = request->services[number];
	}
	names_release(&numbers);
	layout->nodes = arena_alloc(arena, answer->node_count, sizeof *layout->nodes);
	for (size_t i = 0; i < answer->node_count; i++) {
		layout->nodes[i] = answer->nodes[i];
		if (layout->nodes[i].is_new)
			request_name_node(request, &layout->nodes[i], arena);
	}
}
