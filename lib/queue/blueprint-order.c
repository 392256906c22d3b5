/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/blueprint-order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CYCLE_SHOWN = 20 };

/* The links of a blueprint the other way round: who waits for a step. */
struct order {
	uint32_t *first;   /* by step; one more at the end */
	uint32_t *next;    /* steps */
	uint32_t *waits;   /* by step: for so many that are there */
	size_t count;      /* of next */
};

/* The link to the step that the i-th name in after stands for. */
static uint32_t
step_after(const struct blueprint *blueprint, size_t i)
{
	return blueprint->step_of[blueprint->after[i]];
}

static void
count_links(const struct blueprint *blueprint, struct order *order)
{
	for (size_t s = 0; s < blueprint->step_count; s++)
		for (uint32_t i = 0; i < blueprint->steps[s].after_count; i++) {
			uint32_t link = step_after(blueprint, blueprint->steps[s].after_first + i);

			if (!link)
				continue;
			order->first[link]++;
			order->waits[s]++;
			order->count++;
		}
}

static void
order_init(const struct blueprint *blueprint, struct order *order)
{
	size_t steps = blueprint->step_count;
	uint32_t *fill;

	*order = (struct order){.first = memory_zeroed(steps + 1, sizeof(uint32_t)),
	    .waits = memory_zeroed(steps, sizeof(uint32_t))};
	count_links(blueprint, order);
	order->next = memory_zeroed(order->count, sizeof(uint32_t));
	for (size_t s = 0; s < steps; s++)
		order->first[s + 1] += order->first[s];
	fill = memory_zeroed(steps, sizeof(uint32_t));
	for (uint32_t s = 0; s < steps; s++)
		for (uint32_t i = 0; i < blueprint->steps[s].after_count; i++) {
			uint32_t link = step_after(blueprint, blueprint->steps[s].after_first + i);

			if (link)
				order->next[order->first[link - 1] + fill[link - 1]++] = s;
		}
	free(fill);
}

static void
order_release(struct order *order)
{
	free(order->first);
	free(order->next);
	free(order->waits);
}

/* Takes away what can come first, again and again. Returns how many remain: those in cycles, and behind them. missing is
 * left with how much each of them still waits for. */
static size_t
peel(const struct order *order, size_t steps, uint32_t *missing)
{
	uint32_t *stack = memory_zeroed(steps, sizeof *stack);
	size_t depth = 0, left = steps;

	memcpy(missing, order->waits, steps * sizeof *missing);
	for (uint32_t s = 0; s < steps; s++)
		if (missing[s] == 0)
			stack[depth++] = s;
	while (depth > 0) {
		uint32_t s = stack[--depth];

		left--;
		for (uint32_t i = order->first[s]; i < order->first[s + 1]; i++)
			if (--missing[order->next[i]] == 0)
				stack[depth++] = order->next[i];
	}
	free(stack);
	return left;
}

/* A step that s waits for and that remains as well. */
static uint32_t
remaining_before(const struct blueprint *blueprint, const uint32_t *missing, uint32_t s)
{
	for (uint32_t i = 0; i < blueprint->steps[s].after_count; i++) {
		uint32_t link = step_after(blueprint, blueprint->steps[s].after_first + i);

		if (link && missing[link - 1])
			return link - 1;
	}
	return s;
}

static const char *
id_of(const struct blueprint *blueprint, uint32_t s)
{
	return blueprint->names.list[blueprint->steps[s].name];
}

/* Every step that remains waits for another one that does: walking back must come to where it was before. */
static void
name_cycle(const struct place *stream, const struct blueprint *blueprint, const uint32_t *missing)
{
	struct buffer text = {0};
	uint32_t s = 0, start;

	while (!missing[s])
		s++;
	for (size_t i = 0; i < blueprint->step_count; i++)
		s = remaining_before(blueprint, missing, s);
	start = s;
	buffer_text(&text, id_of(blueprint, s));
	for (int shown = 0; shown++ < CYCLE_SHOWN;) {
		s = remaining_before(blueprint, missing, s);
		buffer_printf(&text, " after %s", id_of(blueprint, s));
		if (s == start)
			break;
	}
	place_problem(stream, "steps wait for each other: %s%s", text.data, s == start ? "" : " ...");
	buffer_release(&text);
}

static void
check_links(const struct place *stream, const struct blueprint *blueprint)
{
	for (size_t s = 0; s < blueprint->step_count; s++) {
		const struct blueprint_step *step = &blueprint->steps[s];
		struct place record = {.up = stream, .index = step->record, .problems = stream->problems};
		struct place after = place_named(&record, "after", (jv){0});

		for (uint32_t i = 0; i < step->after_count; i++) {
			struct place element = {.up = &after, .index = i, .problems = stream->problems};

			if (!step_after(blueprint, step->after_first + i))
				place_problem(&element, "there is no step \"%s\"",
				    blueprint->names.list[blueprint->after[step->after_first + i]]);
		}
	}
}

void
blueprint_check_order(const struct place *stream, const struct blueprint *blueprint)
{
	uint32_t *missing = memory_zeroed(blueprint->step_count, sizeof *missing);
	struct order order;

	check_links(stream, blueprint);
	order_init(blueprint, &order);
	if (peel(&order, blueprint->step_count, missing) > 0)
		name_cycle(stream, blueprint, missing);
	order_release(&order);
	free(missing);
}

static struct index_sizes
sizes_of(const struct blueprint *blueprint, const struct order *order)
{
	struct index_sizes sizes = {(uint32_t)blueprint->step_count, (uint32_t)blueprint->node_count,
	    (uint32_t)order->count, 1};

	for (size_t i = 0; i < blueprint->services.count; i++)
		sizes.text += strlen(blueprint->services.list[i]) + 1;
	for (size_t s = 0; s < blueprint->step_count; s++)
		sizes.text += strlen(id_of(blueprint, (uint32_t)s)) + 1;
	for (size_t n = 0; n < blueprint->node_count; n++)
		sizes.text += strlen(blueprint->nodes[n].id) + 1;
	return sizes;
}

static uint32_t
add_text(struct index *index, uint32_t *at, const char *id)
{
	uint32_t start = *at;
	size_t size = strlen(id) + 1;

	memcpy(index->text + start, id, size);
	*at = start + (uint32_t)size;
	return start;
}

static void
fill_steps(const struct blueprint *blueprint, const struct order *order, struct index *index, uint32_t *text)
{
	uint32_t *services = memory_zeroed(blueprint->services.count, sizeof *services);

	for (size_t i = 0; i < blueprint->services.count; i++)
		services[i] = add_text(index, text, blueprint->services.list[i]);
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
		step->id = add_text(index, text, id_of(blueprint, s));
		index_enter(index, s);
	}
	free(services);
	if (order->count)
		memcpy(index->edges, order->next, order->count * sizeof *order->next);
}

static void
fill_nodes(const struct blueprint *blueprint, struct index *index, uint32_t *text)
{
	for (size_t n = 0; n < blueprint->node_count; n++) {
		const struct blueprint_node *from = &blueprint->nodes[n];

		index->nodes[n] = (struct index_node){.offset = from->offset, .length = from->length,
		    .id = add_text(index, text, from->id), .asked = from->asked, .addressed = from->addressed};
		index->header->asked_missing += from->asked && !from->addressed;
	}
}

int
blueprint_index(const struct blueprint *blueprint, int dir, const char *name, const char *boot, struct index *index,
    struct error *err)
{
	struct index_header *header;
	struct index_sizes sizes;
	struct order order;
	uint32_t text = 1; /* at 0 stands "" */
	int result;

	order_init(blueprint, &order);
	sizes = sizes_of(blueprint, &order);
	result = index_create(index, dir, name, &sizes, err);
	if (result == 0) {
		header = index->header;
		snprintf(header->boot, sizeof header->boot, "%s", boot);
		header->plan_size = blueprint->size;
		header->job_offset = blueprint->job_offset;
		header->job_length = blueprint->job_length;
		header->cluster_offset = blueprint->cluster_offset;
		header->cluster_length = blueprint->cluster_length;
		header->macros = blueprint->macros;
		header->generation = header->macros && !header->asked_missing;
		fill_steps(blueprint, &order, index, &text);
		fill_nodes(blueprint, index, &text);
	}
	order_release(&order);
	return result;
}
