/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/job/plan-loader-order.h"

static struct state_sizes
plan_loader_sizes_of(const struct plan_loader *loader, const struct plan_loader_order *order)
{
	struct state_sizes sizes = {(uint32_t)loader->step_count, (uint32_t)loader->node_count,
	    (uint32_t)order->count, (uint32_t)loader->instances.count, 1};

	for (size_t i = 0; i < loader->instances.count; i++)
		sizes.text += strlen(loader->instances.list[i]) + 1;
	for (size_t i = 0; i < loader->services.count; i++)
		sizes.text += strlen(loader->services.list[i]) + 1;
	for (uint32_t s = 0; s < loader->step_count; s++)
		sizes.text += strlen(plan_loader_step_id(loader, s)) + 1;
	for (size_t n = 0; n < loader->node_count; n++)
		sizes.text += strlen(loader->nodes[n].id) + 1;
	return sizes;
}

static uint32_t
plan_loader_add_text(struct job_state *state, uint32_t *at, const char *id)
{
	uint32_t start = *at;
	size_t size = strlen(id) + 1;

	memcpy(state->text + start, id, size);
	*at = start + (uint32_t)size;
	return start;
}

static void
plan_loader_fill_steps(const struct plan_loader *loader, const struct plan_loader_order *order, struct job_state *state,
    uint32_t *text)
{
	uint32_t *services = memory_zeroed(loader->services.count, sizeof *services);

	for (size_t i = 0; i < loader->services.count; i++)
		services[i] = plan_loader_add_text(state, text, loader->services.list[i]);
	for (uint32_t s = 0; s < loader->step_count; s++) {
		const struct plan_loader_step *from = &loader->steps[s];
		struct state_step *step = &state->steps[s];

		*step = from->state;
		step->offset = from->offset;
		step->length = from->length;
		step->sum = from->sum;
		step->node = from->node;
		step->service = from->service == NAMES_NONE ? 0 : services[from->service];
		step->next_first = order->first[s];
		step->next_count = order->first[s + 1] - order->first[s];
		step->waits = order->waits[s];
		step->id = plan_loader_add_text(state, text, plan_loader_step_id(loader, s));
		state_enter(state, s);
	}
	free(services);
	if (order->count)
		memcpy(state->edges, order->next, order->count * sizeof *order->next);
}

static void
plan_loader_fill_nodes(const struct plan_loader *loader, struct job_state *state, uint32_t *text)
{
	for (size_t n = 0; n < loader->node_count; n++) {
		const struct plan_loader_node *from = &loader->nodes[n];

		state->nodes[n] = (struct state_node){.offset = from->offset, .length = from->length,
		    .sum = checksum_sum(loader->node_lines.data + from->offset, from->length, from->offset),
		    .id = plan_loader_add_text(state, text, from->id), .asked = from->asked, .addressed = from->addressed};
		state->header->asked_missing += from->asked && !from->addressed;
	}
}

struct numbered { /* a node by its nodenum */
	int64_t nodenum;
	uint32_t node;
};

static int
plan_loader_compare_numbers(const void *a, const void *b)
{
	int64_t x = ((const struct numbered *)a)->nodenum, y = ((const struct numbered *)b)->nodenum;

	return (x > y) - (x < y);
}

/* Instances count in the order of nodenum. */
static void
plan_loader_fill_instances(const struct plan_loader *loader, struct job_state *state, uint32_t *text)
{
	size_t count = loader->node_count;
	struct numbered *nodes = memory_zeroed(count, sizeof *nodes);

	for (size_t n = 0; n < count; n++)
		nodes[n] = (struct numbered){loader->nodes[n].nodenum, (uint32_t)n};
	if (count)
		qsort(nodes, count, sizeof *nodes, plan_loader_compare_numbers);
	for (size_t i = 0; i < loader->instances.count; i++) {
		uint32_t number = 0;

		state->header->instance_service[i] = plan_loader_add_text(state, text, loader->instances.list[i]);
		for (size_t n = 0; n < count; n++)
			if (loader->nodes[nodes[n].node].instances >> i & 1)
				state->instances[i * count + nodes[n].node] = ++number;
	}
	free(nodes);
}

int
plan_loader_state(const struct plan_loader *loader, int dir, const char *name, const char *boot, struct job_state *state,
    struct error *err)
{
	struct state_header *header;
	struct state_sizes sizes;
	struct plan_loader_order order;
	uint32_t text = 1; /* at 0 stands "" */
	int result;

	plan_loader_order_init(loader, &order);
	sizes = plan_loader_sizes_of(loader, &order);
	result = state_create(state, dir, name, &sizes, err);
	if (result == 0) {
		plan_loader_fill_steps(loader, &order, state, &text);
		plan_loader_fill_nodes(loader, state, &text);
		plan_loader_fill_instances(loader, state, &text);
		header = state->header;
		snprintf(header->boot, sizeof header->boot, "%s", boot);
		header->plan_size = loader->size;
		header->job_offset = loader->job_offset;
		header->job_length = loader->job_length;
		header->cluster_offset = loader->cluster_offset;
		header->cluster_length = loader->cluster_length;
		header->macros = loader->macros;
		header->generation = header->macros && !header->asked_missing;
	}
	plan_loader_order_release(&order);
	return result;
}
