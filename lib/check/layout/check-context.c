/* SPDX-License-Identifier: Apache-2.0 */
#include "check/layout/check-context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/memory.h"

static void
check_add_fault(struct check *c, const char *where, const char *pointer, const char *format, va_list ap)
{
	struct fault *new = arena_alloc(c->arena, 1, sizeof *new);
	char text[1024];

	vsnprintf(text, sizeof text, format, ap);
	*new = (struct fault){where, arena_string(c->arena, text), pointer ? arena_string(c->arena, pointer) : NULL, NULL};
	*c->last = new;
	c->last = &new->next;
}

void
check_fault(struct check *c, const char *where, const char *pointer, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	check_add_fault(c, where, pointer, format, ap);
	va_end(ap);
}

void
check_broken(struct check *c, const char *where, enum demand_kind kind, size_t index, const char *format, ...)
{
	struct demand demand = {.kind = kind, .index = index};
	struct buffer pointer = {0};
	va_list ap;

	if (!demand_holds(c->demands, kind, index))
		return;
	demand_pointer(c->demands, &demand, &pointer);
	va_start(ap, format);
	check_add_fault(c, where, pointer.data, format, ap);
	va_end(ap);
	buffer_release(&pointer);
}

bool
check_exceeds(long double sum, long double bound, long double size)
{
	return sum > bound + 1e-12L * (size + fabsl(bound));
}

bool
check_on_cluster(const struct check *c, const char *service)
{
	return name_set_has(&c->layout->cluster.services, service);
}

const struct service *
check_service_of(const struct check *c, const char *name)
{
	int number = names_find(&c->defined, name);

	return number == NAMES_NONE ? NULL : &c->request->services[number];
}

const struct hardware_offer *
check_hardware_of(const struct check *c, const char *name)
{
	int number = name ? names_find(&c->hardware, name) : NAMES_NONE;

	return number == NAMES_NONE ? NULL
	                            : hardwaretype_offer(&c->request->hardwaretypes[number], c->request->provider.name);
}

const struct image_offer *
check_image_of(const struct check *c, const char *name)
{
	int number = name ? names_find(&c->images, name) : NAMES_NONE;

	return number == NAMES_NONE ? NULL : imagetype_offer(&c->request->imagetypes[number], c->request->provider.name);
}

const struct service_constraint *
check_constraint_of(const struct check *c, const char *service)
{
	int number = names_find(&c->constrained, service);

	return number == NAMES_NONE ? NULL : &c->request->template.constraints[number];
}

static void
check_mark_list(const struct string_list *list, const struct names *services, bool *named)
{
	for (size_t i = 0; i < list->count; i++) {
		int number = names_find(services, list->list[i]);

		if (number != NAMES_NONE)
			named[number] = true;
	}
}

void
check_mark_ruled(const struct cluster_template *t, const struct names *services, bool *named)
{
	const struct service_sets *sets[] = {&t->mustcoexist, &t->cantcoexist, &t->mutuallyexclusive, &t->oneof};

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		for (size_t j = 0; j < sets[i]->count; j++)
			check_mark_list(&sets[i]->list[j], services, named);
	for (size_t i = 0; i < t->count_count; i++)
		for (size_t j = 0; j < t->counts[i].term_count; j++)
			check_mark_list(&(struct string_list){&t->counts[i].terms[j].service, 1}, services, named);
	for (size_t i = 0; i < t->spread_count; i++)
		check_mark_list(&t->spreads[i].services, services, named);
}

void
check_mark_named(const struct cluster_template *t, const struct names *services, bool *named)
{
	check_mark_ruled(t, services, named);
	for (size_t i = 0; i < t->constraint_count; i++)
		check_mark_list(&(struct string_list){&t->constraints[i].service, 1}, services, named);
}

size_t
check_chosen(const struct check *c, const struct string_list *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += check_on_cluster(c, set->list[i]);
	return count;
}

int64_t
check_instances(const struct check *c, const char *service)
{
	int number = names_find(&c->standing, service);

	return number == NAMES_NONE ? 0 : c->instances[number];
}
