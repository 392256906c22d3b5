/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/needs.h"
#include "model/take/macro.h"

static const struct service *
asked_service(const struct judge *judge, size_t number)
{
	return &judge->plan->layout.cluster.definitions[number];
}

static bool
asked_goes_by(const struct service *service, const char *name)
{
	return strcmp(service->name, name) == 0 || name_list_has(&service->provides, name);
}

/* Completes a relation: what a leads to leads on. */
static void
asked_close(bool *relation, size_t services)
{
	for (size_t through = 0; through < services; through++)
		for (size_t a = 0; a < services; a++)
			for (size_t b = 0; relation[a * services + through] && b < services; b++)
				relation[a * services + b] = relation[a * services + b] || relation[through * services + b];
}

/* Tells whether a service reads a member of the configuration. */
static bool
asked_reads(const struct judge *judge, const bool *needs, size_t number, const char *member)
{
	const struct service *service = asked_service(judge, number);
	size_t services = judge->services.count;
	bool owned = false;

	if (service->reads.tells_config)
		return name_set_has(&service->reads.config, member);
	for (size_t i = 0; i < services; i++) {
		if (!asked_goes_by(asked_service(judge, i), member))
			continue;
		owned = true;
		if (i == number || needs[number * services + i])
			return true;
	}
	return !owned;
}

/* Notes what the macros of one member ask for. */
static void
asked_add_member(struct asked *asked, const struct judge *judge, const bool *needs, const struct place *member)
{
	struct arena arena = {0};
	struct string_list hosts = macro_services_of(member->value, MACRO_HOST, &arena),
	    addresses = macro_services_of(member->value, MACRO_IP, &arena);

	for (size_t i = 0; i < asked->services; i++) {
		const struct service_reads *install = &asked_service(judge, i)->actions[ACTION_INSTALL].reads;
		bool reads = asked_reads(judge, needs, i, member->name);

		for (size_t j = 0; j < asked->services; j++) {
			bool address = name_set_has(&addresses, judge->services.list[j]);

			asked->addressed[j] = asked->addressed[j] || address;
			if (reads && (address || name_set_has(&hosts, judge->services.list[j])))
				*(i == j ? &asked->own[i] : &asked->of[i * asked->services + j]) = true;
		}
		if (addresses.count && (install->tells_config ? name_set_has(&install->config, member->name) : reads))
			asked->installs[i] = true;
	}
	arena_release(&arena);
}

/* Notes what the scripts of one service say that they look up. */
static void
asked_add_nodes(struct asked *asked, const struct judge *judge, size_t number)
{
	const struct service *service = asked_service(judge, number);
	const struct string_list *lists[] = {&service->reads.nodes, &service->actions[ACTION_INSTALL].reads.nodes};

	asked->installs[number] = asked->installs[number] || lists[1]->count > 0;
	for (int list = 0; list < 2; list++)
		for (size_t i = 0; i < lists[list]->count; i++)
			for (size_t j = 0; j < asked->services; j++) {
				if (!asked_goes_by(asked_service(judge, j), lists[list]->list[i]))
					continue;
				asked->addressed[j] = true;
				if (list == 0)
					*(j == number ? &asked->own[j] : &asked->of[number * asked->services + j]) = true;
			}
}

void
asked_find(struct asked *asked, const struct judge *judge)
{
	size_t services = judge->services.count;
	struct needs needs = needs_find(judge, true, true, false);
	jv config = judge->plan->layout.cluster.config;
	struct place root = place_root(config, NULL), member;
	bool *all_needs = memory_zeroed(services * services, sizeof *all_needs);

	*asked = (struct asked){services, memory_zeroed(services * services, sizeof *asked->of), all_needs,
	    memory_zeroed(services, sizeof *asked->addressed), memory_zeroed(services, sizeof *asked->own),
	    memory_zeroed(services, sizeof *asked->installs)};
	for (size_t i = 0; i < services; i++)
		for (size_t j = needs.first[i]; j < needs.first[i + 1]; j++)
			all_needs[i * services + needs.list[j].to] = true;
	asked_close(all_needs, services);
	if (jv_get_kind(config) == JV_KIND_OBJECT) {
		struct members members = members_of(&root);

		while (members_next(&members, &member))
			asked_add_member(asked, judge, all_needs, &member);
	}
	for (size_t i = 0; i < services; i++)
		asked_add_nodes(asked, judge, i);
	for (size_t i = 0; i < services * services; i++)
		asked->waits[i] = asked->waits[i] || asked->of[i];
	asked_close(asked->waits, services);
	needs_release(&needs);
}

void
asked_release(struct asked *asked)
{
	free(asked->of);
	free(asked->waits);
	free(asked->addressed);
	free(asked->own);
	free(asked->installs);
}
