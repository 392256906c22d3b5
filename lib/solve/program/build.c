/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/program/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

static int
build_compare_services(const void *a, const void *b)
{
	return strcmp((*(const struct service *const *)a)->name, (*(const struct service *const *)b)->name);
}

/* Takes the services of the cluster, each once, by name. */
static int
build_take_services(struct program *p, struct error *err)
{
	const struct request *r = p->request;
	size_t asked = demand_service_count(r), count = 0;
	struct names wanted = {0};

	for (size_t i = 0; i < asked; i++)
		names_intern(&wanted, demand_service(r, i));
	p->services = arena_alloc(&p->arena, wanted.count, sizeof *p->services);
	for (size_t i = 0; i < r->service_count && count < wanted.count; i++)
		if (names_find(&wanted, r->services[i].name) != NAMES_NONE)
			p->services[count++] = &r->services[i];
	qsort(p->services, count, sizeof *p->services, build_compare_services);
	names_release(&wanted);
	p->service_count = count;
	if (count > SOLVE_SERVICES)
		return error_set(err, EX_DATAERR, "request: /cluster/services: more than %d services", SOLVE_SERVICES);
	return 0;
}

/* Returns all names that types go by, in the request and on present machines, sorted, each once. */
static const char **
build_type_names(struct program *p, bool hardware, size_t *count)
{
	const struct request *r = p->request;
	size_t known = hardware ? r->hardwaretype_count : r->imagetype_count, all = 0;
	const char **names = arena_alloc(&p->arena, known + r->node_count, sizeof *names);

	while (all < known) {
		names[all] = hardware ? r->hardwaretypes[all].name : r->imagetypes[all].name;
		all++;
	}
	for (size_t i = 0; i < r->node_count; i++) {
		const char *name = hardware ? r->nodes[i].hardwaretype : r->nodes[i].imagetype;

		names[all++] = name ? name : "";
	}
	if (all)
		qsort(names, all, sizeof *names, name_compare);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			names[(*count)++] = names[i];
	return names;
}

static void
build_take_hardware(struct program *p)
{
	const struct request *r = p->request;
	size_t types;
	const char **names = build_type_names(p, true, &types);

	p->hardware_count = types + (r->node_count ? 2 : 0);
	p->hardware_words = bits_words(p->hardware_count);
	p->hardware = arena_alloc(&p->arena, p->hardware_count, sizeof *p->hardware);
	for (size_t i = 0; i < p->hardware_count; i++)
		p->hardware[i] = (struct hardware){.name = i < types ? names[i] : "", .available = NO_MAX};
	for (size_t i = types; i < p->hardware_count; i++)
		p->hardware[i].departure = i == types ? DEPARTURE_ASKED : DEPARTURE_MOVE;
	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		struct hardware *h = &p->hardware[program_find_hardware(p, r->hardwaretypes[i].name)];

		h->type = &r->hardwaretypes[i];
		h->offer = hardwaretype_offer(h->type, r->provider.name);
		h->usable = h->offer && h->offer->flavor;
	}
}

static void
build_take_images(struct program *p)
{
	const struct request *r = p->request;
	const char **names = build_type_names(p, false, &p->image_count);

	p->image_words = bits_words(p->image_count);
	p->images = arena_alloc(&p->arena, p->image_count, sizeof *p->images);
	for (size_t i = 0; i < p->image_count; i++)
		p->images[i] = (struct image){.name = names[i]};
	for (size_t i = 0; i < r->imagetype_count; i++) {
		struct image *image = &p->images[program_find_image(p, r->imagetypes[i].name)];

		image->type = &r->imagetypes[i];
		image->offer = imagetype_offer(image->type, r->provider.name);
		image->usable = image->offer && image->offer->image;
	}
}

/* Joins the services that must coexist: of each set those that are on the cluster. A machine that holds one of a
 * set holds all of it, so sets that share a service are one. */
static void
build_join_services(struct program *p, const struct demands *demands, int *parent)
{
	const struct service_sets *sets = &p->request->template.mustcoexist;

	for (size_t i = 0; i < p->service_count; i++)
		parent[i] = (int)i;
	for (size_t i = 0; i < sets->count; i++) {
		int first = NAMES_NONE;

		for (size_t j = 0; j < sets->list[i].count && demand_holds(demands, DEMAND_MUSTCOEXIST, i); j++) {
			int service = program_find_service(p, sets->list[i].list[j]);

			if (service == NAMES_NONE)
				continue;
			if (first == NAMES_NONE)
				first = service;
			parent[program_root(parent, service)] = program_root(parent, first);
		}
	}
}

static void
build_init_unit(struct program *p, struct unit *unit)
{
	unit->services = arena_alloc(&p->arena, unit->size, sizeof *unit->services);
	unit->size = 0;
	unit->hardware = arena_alloc(&p->arena, p->hardware_words, sizeof(uint64_t));
	unit->images = arena_alloc(&p->arena, p->image_words, sizeof(uint64_t));
	unit->excludes = arena_alloc(&p->arena, p->unit_words, sizeof(uint64_t));
	unit->max = NO_MAX;
	for (size_t i = 0; i < p->hardware_count; i++)
		bits_add(unit->hardware, i);
	for (size_t i = 0; i < p->image_count; i++)
		bits_add(unit->images, i);
}

/* Makes the units, numbered by their first service. */
static void
build_make_units(struct program *p, const struct demands *demands)
{
	int *parent = memory_zeroed(p->service_count, sizeof *parent);
	int *number = memory_zeroed(p->service_count, sizeof *number);

	build_join_services(p, demands, parent);
	p->unit_of = arena_alloc(&p->arena, p->service_count, sizeof *p->unit_of);
	p->units = arena_alloc(&p->arena, p->service_count, sizeof *p->units);
	for (size_t i = 0; i < p->service_count; i++) {
		int top = program_root(parent, (int)i);

		if (!number[top])
			number[top] = (int)++p->unit_count;
		p->unit_of[i] = number[top] - 1;
		p->units[p->unit_of[i]].size++;
	}
	p->unit_words = bits_words(p->unit_count);
	for (size_t u = 0; u < p->unit_count; u++)
		build_init_unit(p, &p->units[u]);
	for (size_t i = 0; i < p->service_count; i++) {
		struct unit *unit = &p->units[p->unit_of[i]];

		unit->services[unit->size++] = (int)i;
	}
	free(parent);
	free(number);
}

int
build_program(const struct request *request, const struct demands *demands, struct program *p, struct error *err)
{
	*p = (struct program){.request = request};
	if (build_take_services(p, err) < 0)
		return -1;
	build_take_hardware(p);
	build_take_images(p);
	build_make_units(p, demands);
	if (build_amounts(p, demands, err) < 0 || build_objectives(p, err) < 0 || build_rules(p, demands, err) < 0)
		return -1;
	if (build_machines(p, demands, err) < 0)
		return -1;
	build_zones(p, demands);
	build_present(p, demands);
	build_new(p);
	return 0;
}
