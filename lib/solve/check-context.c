/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/check-context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/name.h"

void
check_fault(struct check *c, const char *where, const char *format, ...)
{
	struct fault *new = arena_alloc(c->arena, 1, sizeof *new);
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	*new = (struct fault){where, arena_string(c->arena, text), NULL};
	*c->last = new;
	c->last = &new->next;
}

bool
check_listed(const struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], name) == 0)
			return true;
	return false;
}

bool
check_on_cluster(const struct check *c, const char *service)
{
	return name_set_has(&c->layout->cluster.services, service);
}

const struct service *
check_service_of(const struct check *c, const char *name)
{
	for (size_t i = 0; i < c->request->service_count; i++)
		if (strcmp(c->request->services[i].name, name) == 0)
			return &c->request->services[i];
	return NULL;
}

const struct hardware_offer *
check_hardware_of(const struct check *c, const char *name)
{
	for (size_t i = 0; name && i < c->request->hardwaretype_count; i++)
		if (strcmp(c->request->hardwaretypes[i].name, name) == 0)
			return hardwaretype_offer(&c->request->hardwaretypes[i], c->request->provider.name);
	return NULL;
}

const struct image_offer *
check_image_of(const struct check *c, const char *name)
{
	for (size_t i = 0; name && i < c->request->imagetype_count; i++)
		if (strcmp(c->request->imagetypes[i].name, name) == 0)
			return imagetype_offer(&c->request->imagetypes[i], c->request->provider.name);
	return NULL;
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
		if (check_listed(&sets->list[i], service))
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
