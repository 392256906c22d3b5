/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/admit.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/names.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "model/request.h"
#include "solve/program/program.h"
#include "solve/solve.h"

enum { ADMIT_EACH = 20 }; /* so many are named */

struct admission {
	const struct request *request;
	const struct service **services; /* of the cluster; NULL if there is no definition */
	size_t count;
	struct names defined;  /* in the order of the request's services, whose names differ */
	struct names offered;  /* names and aliases of the services of the cluster */
	struct names chosen;   /* names only */
	struct buffer because;
	const char *pointers[4]; /* of the first reason */
	size_t pointer_count;
	size_t reasons;
	struct arena *arena;
};

static const struct service *
admit_definition(const struct admission *a, const char *name)
{
	int number = names_find(&a->defined, name);

	return number == NAMES_NONE ? NULL : &a->request->services[number];
}

static const char *
admit_asked_at(struct admission *a, const char *service)
{
	struct buffer out = {0};
	const char *pointer;

	demand_service_pointer(a->request, service, &out);
	pointer = arena_string(a->arena, out.data);
	buffer_release(&out);
	return pointer;
}

static const char *
admit_defined_at(struct admission *a, const struct service *service, const char *member)
{
	return arena_printf(a->arena, "/services/%zu/dependencies/%s", (size_t)(service - a->request->services), member);
}

/* Starts a reason, of which only the first one's pointers are kept; its words follow. */
static struct buffer *
admit_reason(struct admission *a, const char *first, const char *second, const char *third)
{
	const char *pointers[] = {first, second, third};

	if (a->reasons++)
		buffer_text(&a->because, "; ");
	else
		for (size_t i = 0; i < 3; i++)
			if (pointers[i])
				a->pointers[a->pointer_count++] = pointers[i];
	return &a->because;
}

/* Names at first what the template allows: who asked for something else can choose among that. */
static void
admit_check_compatible(struct admission *a, const struct service *service)
{
	const struct string_list *allowed = &a->request->template.compatible_services;
	struct buffer *out;

	if (!allowed->count || name_list_has(allowed, service->name))
		return;
	out = admit_reason(a, admit_asked_at(a, service->name), "/template/compatibility/services", NULL);
	buffer_printf(out, "%s is not among the services that the template allows: ", service->name);
	for (size_t i = 0; i < allowed->count && i < ADMIT_EACH; i++)
		buffer_printf(out, "%s%s", i == 0 ? "" : ", ", allowed->list[i]);
	if (allowed->count > ADMIT_EACH)
		buffer_text(out, ", ...");
}

static void
admit_check_requires(struct admission *a, const struct service *service, const struct string_list *list,
    const char *member)
{
	struct buffer *out = NULL;

	for (size_t i = 0; i < list->count; i++) {
		if (names_find(&a->offered, list->list[i]) != NAMES_NONE)
			continue;
		if (!out) {
			out = admit_reason(a, admit_asked_at(a, service->name), admit_defined_at(a, service, member), NULL);
			buffer_printf(out, "%s requires ", service->name);
		} else
			buffer_text(out, ", ");
		buffer_text(out, list->list[i]);
	}
	if (out)
		buffer_printf(out, " (%.*s), which nothing on the cluster provides", (int)strcspn(member, "/"), member);
}

/* Names the services that a service conflicts with; a conflict that both state is named once. */
static void
admit_check_conflicts(struct admission *a, const struct service *service)
{
	for (size_t i = 0; i < service->conflicts.count; i++) {
		const char *other = service->conflicts.list[i];
		const struct service *definition_of_other;
		bool named = false;

		if (names_find(&a->chosen, other) == NAMES_NONE || strcmp(other, service->name) == 0)
			continue;
		definition_of_other = admit_definition(a, other);
		for (size_t j = 0; j < definition_of_other->conflicts.count && strcmp(other, service->name) < 0; j++)
			named = named || strcmp(definition_of_other->conflicts.list[j], service->name) == 0;
		if (!named)
			buffer_printf(admit_reason(a, admit_asked_at(a, service->name), admit_asked_at(a, other), admit_defined_at(a,
			    service, "conflicts")),
			    "%s conflicts with %s", service->name, other);
	}
}

/* Looks up the services. What is said of those without a definition goes to err, all in one. */
static int
admit_look_up(struct admission *a, struct error *err)
{
	struct buffer missing = {0};
	int rc = 0;

	for (size_t i = 0; i < a->request->service_count; i++)
		names_intern(&a->defined, a->request->services[i].name);
	a->count = demand_service_count(a->request);
	a->services = arena_alloc(a->arena, a->count, sizeof *a->services);
	for (size_t i = 0; i < a->count; i++) {
		const char *name = demand_service(a->request, i);

		a->services[i] = admit_definition(a, name);
		names_intern(&a->chosen, name);
		names_intern(&a->offered, name);
		for (size_t j = 0; a->services[i] && j < a->services[i]->provides.count; j++)
			names_intern(&a->offered, a->services[i]->provides.list[j]);
		if (!a->services[i]) {
			buffer_text(&missing, missing.length ? "; " : "");
			demand_service_pointer(a->request, name, &missing);
			buffer_printf(&missing, ": no service \"%s\" is defined", name);
		}
	}
	if (missing.length)
		rc = error_set(err, EX_DATAERR, "request: %s", missing.data);
	buffer_release(&missing);
	if (!a->count)
		rc = error_set(err, EX_DATAERR, "request: /cluster/services: no services, and the template has no defaults");
	return rc;
}

static int
admit_check_size(const char *what, size_t count, size_t most, struct error *err)
{
	return count > most ? error_set(err, EX_DATAERR, "request: %s: %zu of them, more than %zu", what, count, most) : 0;
}

static int
admit_check_sets(const char *what, const struct service_sets *sets, struct error *err)
{
	int rc = admit_check_size(what, sets->count, SOLVE_LIST, err);

	for (size_t i = 0; i < sets->count && rc == 0; i++)
		rc = admit_check_size(what, sets->list[i].count, SOLVE_LIST, err);
	return rc;
}

/* Refuses, before any work, what is so large that time or memory would not be bounded. */
static int
admit_check_sizes(const struct request *request, struct error *err)
{
	const struct cluster_template *t = &request->template;

	if (admit_check_size("/cluster/services", demand_service_count(request), SOLVE_SERVICES, err) < 0 ||
	    admit_check_size("/hardwaretypes", request->hardwaretype_count, SOLVE_LIST, err) < 0 ||
	    admit_check_size("/imagetypes", request->imagetype_count, SOLVE_LIST, err) < 0 ||
	    admit_check_size("/provider/zones", request->provider.zones.count, SOLVE_LIST, err) < 0 ||
	    admit_check_size("/template/constraints/counts", t->count_count, SOLVE_RULES, err) < 0 ||
	    admit_check_size("/template/constraints/spread", t->spread_count, SOLVE_LIST, err) < 0)
		return -1;
	if (admit_check_sets("/template/constraints/layout/mustcoexist", &t->mustcoexist, err) < 0 ||
	    admit_check_sets("/template/constraints/layout/cantcoexist", &t->cantcoexist, err) < 0 ||
	    admit_check_sets("/template/constraints/layout/mutuallyexclusive", &t->mutuallyexclusive, err) < 0)
		return -1;
	return admit_check_sets("/template/constraints/oneof", &t->oneof, err);
}

/* Refuses node numbers that JSON would not keep: they are exact up to 2^53 - 1. */
static int
admit_check_numbers(const struct request *request, struct error *err)
{
	const int64_t last = INT64_C(9007199254740991) - SOLVE_MACHINES;

	if (request_next_nodenum(request) <= last)
		return 0;
	return error_set(err, EX_DATAERR, "request: %s: numbers of new nodes must begin at %lld at most",
	    request->cluster.next_nodenum > last ? "/cluster/nextNodenum" : "/nodes", (long long)last);
}

static int
admit_check_costs(const struct request *request, struct error *err)
{
	const struct cluster_template *t = &request->template;
	const struct objective_row *objective = NULL;

	for (size_t i = 0; i < t->objective_count && !objective; i++)
		if (objective_row(t->objectives[i])->needs_cost)
			objective = objective_row(t->objectives[i]);
	for (size_t i = 0; i < request->hardwaretype_count && objective; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&request->hardwaretypes[i], request->provider.name);

		if (offer && offer->flavor && !offer->has_cost)
			return error_set(err, EX_DATAERR,
			    "request: /hardwaretypes/%zu/providermap/%s/cost: required by the objective %s", i,
			    request->provider.name, objective->name);
	}
	return 0;
}

/* Refuses an amount with more digits than it is computed with. */
static int
admit_check_amounts(const char *list, size_t index, const char *member, const struct amounts *amounts, struct error *err)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (amounts->list[i].exact)
			return error_set(err, EX_DATAERR, "request: /%s/%zu: %s: %s: \"%.60s\" " PLACE_LOSES_DIGITS,
			    list, index, member, amounts->list[i].resource, amounts->list[i].exact);
	return 0;
}

static int
admit_check_digits(const struct request *request, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < request->service_count && rc == 0; i++)
		rc = admit_check_amounts("services", i, "consumes", &request->services[i].consumes, err);
	for (size_t i = 0; i < request->hardwaretype_count && rc == 0; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&request->hardwaretypes[i], request->provider.name);

		if (offer)
			rc = admit_check_amounts("hardwaretypes", i, "capacity", &offer->capacity, err);
	}
	return rc;
}

int
admit(const struct request *request, struct arena *arena, struct unsatisfiable *refusal, struct error *err)
{
	struct admission a = {.request = request, .arena = arena};
	int rc = -1;

	if (admit_check_sizes(request, err) == 0 && admit_check_numbers(request, err) == 0 &&
	    admit_check_costs(request, err) == 0 && admit_check_digits(request, err) == 0 && admit_look_up(&a, err) == 0) {
		for (size_t i = 0; i < a.count; i++) {
			admit_check_compatible(&a, a.services[i]);
			admit_check_requires(&a, a.services[i], &a.services[i]->install_requires, "install/requires");
			admit_check_requires(&a, a.services[i], &a.services[i]->runtime_requires, "runtime/requires");
			admit_check_conflicts(&a, a.services[i]);
		}
		if (a.reasons) {
			const char **list = arena_alloc(arena, a.pointer_count, sizeof *list);

			memcpy(list, a.pointers, a.pointer_count * sizeof *list);
			*refusal = (struct unsatisfiable){.because = arena_string(arena, a.because.data), .conflict = {list, a.pointer_count},
			    .minimal = true};
		}
		rc = a.reasons == 0;
	}
	names_release(&a.defined);
	names_release(&a.offered);
	names_release(&a.chosen);
	buffer_release(&a.because);
	return rc;
}
