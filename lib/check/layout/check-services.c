/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks which services are on the cluster: those asked for, with all that they require, and none that conflict.
 */
#include <string.h>

#include "base/memory.h"
#include "check/layout/check-context.h"

/* Returns whether something on the cluster is called that, or provides it. */
static bool
check_is_provided(const struct check *c, const char *name)
{
	const struct string_list *services = &c->layout->cluster.services;

	for (size_t i = 0; i < services->count; i++) {
		const struct service *s = check_service_of(c, services->list[i]);

		if (strcmp(services->list[i], name) == 0 || (s && name_list_has(&s->provides, name)))
			return true;
	}
	return false;
}

static const char *
check_pointer_to(const struct check *c, const struct service *s, const char *member)
{
	return arena_printf(c->arena, "/services/%zu/dependencies/%s", (size_t)(s - c->request->services), member);
}

static void
check_requirements(struct check *c, const struct service *s)
{
	const struct {
		const struct string_list *list;
		const char *member;
	} kinds[] = {{&s->install_requires, "install/requires"}, {&s->runtime_requires, "runtime/requires"}};
	const struct string_list *allowed = &c->request->template.compatible_services;

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < kinds[k].list->count; i++)
			if (!check_is_provided(c, kinds[k].list->list[i]))
				check_fault(c, "cluster", check_pointer_to(c, s, kinds[k].member), "%s requires %s", s->name,
				    kinds[k].list->list[i]);
	for (size_t i = 0; i < s->conflicts.count; i++)
		if (check_on_cluster(c, s->conflicts.list[i]) && strcmp(s->conflicts.list[i], s->name) != 0)
			check_fault(c, "cluster", check_pointer_to(c, s, "conflicts"), "%s conflicts with %s", s->name,
			    s->conflicts.list[i]);
	if (allowed->count && !name_list_has(allowed, s->name))
		check_fault(c, "cluster", "/template/compatibility/services", "the template does not allow %s", s->name);
}

void
check_services(struct check *c)
{
	const struct request *r = c->request;
	const struct string_list *services = &c->layout->cluster.services;
	const char *asked_at = r->cluster.services.count ? "/cluster/services" : "/template/defaults/services";
	struct names wanted = {0};

	for (size_t i = 0; i < demand_service_count(r); i++) {
		names_intern(&wanted, demand_service(r, i));
		if (!check_on_cluster(c, demand_service(r, i)))
			check_fault(c, "cluster", asked_at, "%s is asked for, and is not on the cluster", demand_service(r, i));
	}
	for (size_t i = 0; i < services->count; i++) {
		const struct service *s = check_service_of(c, services->list[i]);

		if (names_find(&wanted, services->list[i]) == NAMES_NONE)
			check_fault(c, "cluster", asked_at, "%s is not asked for", services->list[i]);
		if (s)
			check_requirements(c, s);
		else
			check_fault(c, "cluster", "/services", "%s is not defined", services->list[i]);
	}
	names_release(&wanted);
}
