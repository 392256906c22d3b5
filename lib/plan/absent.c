/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/absent.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/action.h"
#include "model/layout.h"
#include "model/name.h"
#include "plan/dependency.h"
#include "plan/scope.h"

/* Marks the services of a node that a list of its record names. */
static void
absent_mark(bool *marks, size_t nodes, size_t node, const struct layout *layout, const struct string_list *list,
    const struct names *services)
{
	for (size_t i = 0; i < list->count; i++) {
		int service = names_find(services, list->list[i]);

		if (service != NAMES_NONE && !layout->nodes[node].leaves && node_has(&layout->nodes[node], list->list[i]))
			marks[(size_t)service * nodes + node] = true;
	}
}

/* Decides which instances of a service are left out after a plan that starts or stops some: those that are stopped then, while
 * others run. */
static void
absent_decide(struct absent *absent, uint32_t service, const struct layout *layout, const struct names *services,
    const struct scope *scope)
{
	size_t first = service * absent->nodes;
	bool any_runs = false;

	for (size_t i = 0; i < absent->nodes; i++)
		any_runs = any_runs || (!layout->nodes[i].leaves && !scope->dead[i] && !absent->stopped[first + i] &&
		    node_has(&layout->nodes[i], services->list[service]));
	for (size_t i = 0; any_runs && i < absent->nodes; i++)
		absent->out[first + i] = absent->stopped[first + i];
}

void
absent_init(struct absent *absent, const struct layout *layout, const struct dependencies *dependencies, const struct scope *scope)
{
	const struct names *services = &dependencies->services;
	size_t nodes = layout->node_count, room = services->count * nodes;
	bool *touched = memory_zeroed(services->count, sizeof *touched);

	*absent = (struct absent){nodes, memory_zeroed(room, sizeof(bool)), memory_zeroed(room, sizeof(bool)),
	    memory_zeroed(room, sizeof(bool)), memory_zeroed(room, sizeof(bool))};
	for (size_t i = 0; i < nodes; i++) {
		absent_mark(absent->was_stopped, nodes, i, layout, &layout->nodes[i].stopped, services);
		absent_mark(absent->was_out, nodes, i, layout, &layout->nodes[i].taken_out, services);
	}
	if (room) {
		memcpy(absent->stopped, absent->was_stopped, room * sizeof(bool));
		memcpy(absent->out, absent->was_out, room * sizeof(bool));
	}
	for (size_t i = 0; i < scope->count; i++) {
		const struct placement *placement = &scope->placements[i];
		size_t at = placement->service * nodes + placement->node;

		if (placement->kind != PLACEMENT_IN_PLACE || !(placement->actions & (ACTIONS_UP | ACTIONS_STOP)))
			continue;
		absent->stopped[at] = !(placement->actions & ACTIONS_UP);
		absent->out[at] = absent->out[at] && absent->stopped[at];
		touched[placement->service] = scope->starts_or_stops;
	}
	for (uint32_t i = 0; i < services->count; i++)
		if (touched[i])
			absent_decide(absent, i, layout, services, scope);
	free(touched);
}

void
absent_release(struct absent *absent)
{
	free(absent->was_stopped);
	free(absent->stopped);
	free(absent->was_out);
	free(absent->out);
}

/* Tells whether an instance of a service is in one of the arrays and not in the other. */
static bool
absent_differs(const struct absent *absent, uint32_t service, const bool *has, const bool *lacks)
{
	bool found = false;

	for (size_t i = service * absent->nodes; i < (service + 1) * absent->nodes && !found; i++)
		found = has[i] && !lacks[i];
	return found;
}

bool
absent_leaves(const struct absent *absent, uint32_t service)
{
	return absent_differs(absent, service, absent->out, absent->was_out);
}

bool
absent_returns(const struct absent *absent, uint32_t service)
{
	return absent_differs(absent, service, absent->was_out, absent->out);
}

/* Appends "SERVICE":["NODE",...] if there are such nodes. */
static void
absent_print_service(const char *name, const bool *hidden, const struct layout *layout, struct buffer *text)
{
	bool any = false;

	for (size_t node = 0; node < layout->node_count; node++) {
		if (!hidden[node])
			continue;
		if (!any) {
			buffer_byte(text, text->length > 0 ? ',' : '{');
			json_quote(name, text);
			buffer_byte(text, ':');
		}
		buffer_byte(text, any ? ',' : '[');
		json_quote(layout->nodes[node].id, text);
		any = true;
	}
	if (any)
		buffer_byte(text, ']');
}

const char *
absent_print(const bool *hidden, const struct layout *layout, const struct dependencies *dependencies, const uint32_t *services,
    size_t count, struct arena *arena)
{
	const char **names = memory_resize(NULL, count, sizeof *names), *result;
	struct buffer text = {0};

	for (size_t i = 0; i < count; i++)
		names[i] = dependencies->services.list[services[i]];
	if (count)
		qsort(names, count, sizeof *names, name_compare);
	buffer_text(&text, "");
	for (size_t i = 0; i < count; i++)
		absent_print_service(names[i], &hidden[(size_t)names_find(&dependencies->services, names[i]) * layout->node_count], layout,
		    &text);
	buffer_text(&text, text.length ? "}" : "{}");
	result = arena_substring(arena, text.data, text.length);
	buffer_release(&text);
	free(names);
	return result;
}

const char *
absent_of_layout(const struct layout *layout, const struct dependencies *dependencies, struct arena *arena)
{
	size_t count = dependencies->services.count, nodes = layout->node_count;
	bool *out = memory_zeroed(count * nodes, sizeof *out), any = false;
	uint32_t *all = memory_resize(NULL, count, sizeof *all);
	const char *text = NULL;

	for (uint32_t i = 0; i < count; i++)
		all[i] = i;
	for (size_t i = 0; i < nodes; i++)
		absent_mark(out, nodes, i, layout, &layout->nodes[i].taken_out, &dependencies->services);
	for (size_t i = 0; i < count * nodes && !any; i++)
		any = out[i];
	if (any)
		text = absent_print(out, layout, dependencies, all, count, arena);
	free(all);
	free(out);
	return text;
}
