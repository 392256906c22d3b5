/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/spool/job/blueprint-order.h"

static const char *
blueprint_id_of(const struct blueprint *blueprint, uint32_t s)
{
	return blueprint->names.list[blueprint->steps[s].name];
}

static struct index_sizes
blueprint_sizes_of(const struct blueprint *blueprint, const struct blueprint_order *order)
{
	struct index_sizes sizes = {(uint32_t)blueprint->step_count, (uint32_t)blueprint->node_count,
	    (uint32_t)order->count, (uint32_t)blueprint->instances.count, 1};

	for (size_t i = 0; i < blueprint->instances.count; i++)
		sizes.text += strlen(blueprint->instances.list[i]) + 1;
	for (size_t i = 0; i < blueprint->services.count; i++)
		sizes.text += strlen(blueprint->services.list[i]) + 1;
	for (uint32_t s = 0; s < blueprint->step_count; s++)
		sizes.text += strlen(blueprint_id_of(blueprint, s)) + 1;
	for (size_t n = 0; n < blueprint->node_count; n++)
		sizes.text += strlen(blueprint->nodes[n].id) + 1;
	return sizes;
}

static uint32_t
blueprint_add_text(struct index *index, uint32_t *at, const char *id)
{
	uint32_t start = *at;
	size_t size = strlen(id) + 1;

	memcpy(index->text + start, id, size);
	*at = start + (uint32_t)size;
	return start;
}

static void
blueprint_fill_steps(const struct blueprint *blueprint, const struct blueprint_order *order, struct index *index,
    uint32_t *text)
{
	uint32_t *services = memory_zeroed(blueprint->services.count, sizeof *services);

	for (size_t i = 0; i < blueprint->services.count; i++)
		services[i] = blueprint_add_text(index, text, blueprint->services.list[i]);
	for (uint32_t s = 0; s < blueprint->step_count; s++) {
		const struct blueprint_step *from = &blueprint->steps[s];
		struct index_step *step = &index->steps[s];

		*step = from->index;
		step->offset = from->offset;
		step->length = from->length;
		step->node = from->node;
		step->service = from->service == NAMES_NONE ? 0 : services[from->service];
		step->next_first = order->first[s];
		step->next_count = order->first[s + 1] - order->first[s];
		step->waits = order->waits[s];
		step->id = blueprint_add_text(index, text, blueprint_id_of(blueprint, s));
		index_enter(index, s);
	}
	free(services);
	if (order->count)
		memcpy(index->edges, order->next, order->count * sizeof *order->next);
}

static void
blueprint_fill_nodes(const struct blueprint *blueprint, struct index *index, uint32_t *text)
{
	for (size_t n = 0; n < blueprint->node_count; n++) {
		const struct blueprint_node *from = &blueprint->nodes[n];

		index->nodes[n] = (struct index_node){.offset = from->offset, .length = from->length,
		    .sum = seal_sum(blueprint->node_lines.data + from->offset, from->length, from->offset),
		    .id = blueprint_add_text(index, text, from->id), .asked = from->asked, .addressed = from->addressed};
		index->header->asked_missing += from->asked && !from->addressed;
	}
}

struct numbered { /* a node by its nodenum */
	int64_t nodenum;
	uint32_t node;
};

static int
blueprint_compare_numbers(const void *a, const void *b)
{
	int64_t x = ((const struct numbered *)a)->nodenum, y = ((const struct numbered *)b)->nodenum;

	return (x > y) - (x < y);
}

/* Instances count in the order of nodenum. */
static void
blueprint_fill_instances(const struct blueprint *blueprint, struct index *index, uint32_t *text)
{
	size_t count = blueprint->node_count;
	struct numbered *nodes = memory_zeroed(count, sizeof *nodes);

	for (size_t n = 0; n < count; n++)
		nodes[n] = (struct numbered){blueprint->nodes[n].nodenum, (uint32_t)n};
	if (count)
		qsort(nodes, count, sizeof *nodes, blueprint_compare_numbers);
	for (size_t i = 0; i < blueprint->instances.count; i++) {
		uint32_t number = 0;

		index->header->instance_service[i] = blueprint_add_text(index, text, blueprint->instances.list[i]);
		for (size_t n = 0; n < count; n++)
			if (blueprint->nodes[nodes[n].node].instances >> i & 1)
				index->instances[i * count + nodes[n].node] = ++number;
	}
	free(nodes);
}

static void
blueprint_fill_header(const struct blueprint *blueprint, const char *boot, struct index_header *header)
{
	snprintf(header->boot, sizeof header->boot, "%s", boot);
	header->plan_size = blueprint->size;
	header->job_offset = blueprint->job_offset;
	header->job_length = blueprint->job_length;
	header->cluster_offset = blueprint->cluster_offset;
	header->cluster_length = blueprint->cluster_length;
	header->macros = blueprint->macros;
	header->generation = header->macros && !header->asked_missing;
}

int
blueprint_index(const struct blueprint *blueprint, int dir, const char *name, const char *boot, struct index *index,
    struct error *err)
{
	struct index_sizes sizes;
	struct blueprint_order order;
	uint32_t text = 1; /* at 0 stands "" */
	int result;

	blueprint_order_init(blueprint, &order);
	sizes = blueprint_sizes_of(blueprint, &order);
	result = index_create(index, dir, name, &sizes, err);
	if (result == 0) {
		blueprint_fill_steps(blueprint, &order, index, &text);
		blueprint_fill_nodes(blueprint, index, &text);
		blueprint_fill_instances(blueprint, index, &text);
		blueprint_fill_header(blueprint, boot, index->header);
	}
	blueprint_order_release(&order);
	return result;
}
