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

bool
check_in_sets(const struct service_sets *sets, const char *service)
{
	for (size_t i = 0; i < sets->count; i++)
		if (name_list_has(&sets->list[i], service))
			return true;
	return false;
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
