/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/plan-loader-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CYCLE_SHOWN = 20 };

/* The link to the step that the i-th name in after stands for. */
static uint32_t
plan_loader_step_after(const struct plan_loader *loader, size_t i)
{
	return loader->step_of[loader->after[i]];
}

void
plan_loader_order_init(const struct plan_loader *loader, struct plan_loader_order *order)
{
	size_t steps = loader->step_count;
	uint32_t *fill;

	*order = (struct plan_loader_order){.first = memory_zeroed(steps + 1, sizeof(uint32_t)),
	    .waits = memory_zeroed(steps, sizeof(uint32_t))};
	for (size_t s = 0; s < steps; s++)
		for (uint32_t i = 0; i < loader->steps[s].after_count; i++) {
			uint32_t link = plan_loader_step_after(loader, loader->steps[s].after_first + i);

			if (!link)
				continue;
			order->first[link]++;
			order->waits[s]++;
			order->count++;
		}
	order->next = memory_zeroed(order->count, sizeof(uint32_t));
	for (size_t s = 0; s < steps; s++)
		order->first[s + 1] += order->first[s];
	fill = memory_zeroed(steps, sizeof(uint32_t));
	for (uint32_t s = 0; s < steps; s++)
		for (uint32_t i = 0; i < loader->steps[s].after_count; i++) {
			uint32_t link = plan_loader_step_after(loader, loader->steps[s].after_first + i);

			if (link)
				order->next[order->first[link - 1] + fill[link - 1]++] = s;
		}
	free(fill);
}

void
plan_loader_order_release(struct plan_loader_order *order)
{
	free(order->first);
	free(order->next);
	free(order->waits);
}

/* Takes away what can come first, again and again. Returns how many remain: those in cycles, and behind them. missing is
 * left with how much each of them still waits for. */
static size_t
plan_loader_peel(const struct plan_loader_order *order, size_t steps, uint32_t *missing)
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
plan_loader_remaining_before(const struct plan_loader *loader, const uint32_t *missing, uint32_t s)
{
	for (uint32_t i = 0; i < loader->steps[s].after_count; i++) {
		uint32_t link = plan_loader_step_after(loader, loader->steps[s].after_first + i);

		if (link && missing[link - 1])
			return link - 1;
	}
	return s;
}

const char *
plan_loader_step_id(const struct plan_loader *loader, uint32_t s)
{
	return loader->names.list[loader->steps[s].name];
}

/* Every step that remains waits for another one that does: walking back must come to where it was before. */
static void
plan_loader_name_cycle(const struct place *stream, const struct plan_loader *loader, const uint32_t *missing)
{
	struct buffer text = {0};
	uint32_t s = 0, start;

	while (!missing[s])
		s++;
	for (size_t i = 0; i < loader->step_count; i++)
		s = plan_loader_remaining_before(loader, missing, s);
	start = s;
	buffer_text(&text, plan_loader_step_id(loader, s));
	for (int shown = 0; shown++ < CYCLE_SHOWN;) {
		s = plan_loader_remaining_before(loader, missing, s);
		buffer_printf(&text, " after %s", plan_loader_step_id(loader, s));
		if (s == start)
			break;
	}
	place_problem(stream, "steps wait for each other: %s%s", text.data, s == start ? "" : " ...");
	buffer_release(&text);
}

static void
plan_loader_check_links(const struct place *stream, const struct plan_loader *loader)
{
	for (size_t s = 0; s < loader->step_count; s++) {
		const struct plan_loader_step *step = &loader->steps[s];
		struct place record = {.up = stream, .index = step->record, .problems = stream->problems};
		struct place after = place_named(&record, "after", (jv){0});

		for (uint32_t i = 0; i < step->after_count; i++) {
			struct place element = {.up = &after, .index = i, .problems = stream->problems};

			if (!plan_loader_step_after(loader, step->after_first + i))
				place_problem(&element, "there is no step \"%s\"",
				    loader->names.list[loader->after[step->after_first + i]]);
		}
	}
}

void
plan_loader_check_order(const struct place *stream, const struct plan_loader *loader)
{
	uint32_t *missing = memory_zeroed(loader->step_count, sizeof *missing);
	struct plan_loader_order order;

	plan_loader_check_links(stream, loader);
	plan_loader_order_init(loader, &order);
	if (plan_loader_peel(&order, loader->step_count, missing) > 0)
		plan_loader_name_cycle(stream, loader, missing);
	plan_loader_order_release(&order);
	free(missing);
}
