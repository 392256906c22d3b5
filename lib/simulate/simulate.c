/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "json/record.h"
#include "model/print.h"
#include "simulate/simulation.h"

enum { LISTED_MAX = 20 };

double
simulate_parse_part(const char *text)
{
	char *end;
	double part = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0))
		return -1;
	if (*end)
		part /= 100;
	return part >= 0 && part <= 1 ? part : -1;
}

static double
simulate_seconds(int64_t ms)
{
	return (double)ms / 1000;
}

static double
simulate_utilisation(const struct simulation *simulation, uint32_t slots)
{
	double available = (double)simulation->duration_ms * slots;

	return available > 0 ? (double)simulation->work_ms / available : 0;
}

static bool
simulate_has_failed(struct simulation *simulation, uint32_t step)
{
	return !simulation->index.steps[step].is_milestone && state_live(&simulation->index, step)->status == STEP_FAILED;
}

/* Appends the id of a step to an array that begins at start. */
static void
simulate_append_id(struct simulation *simulation, uint32_t step, size_t start, struct buffer *out)
{
	if (out->length > start)
		buffer_byte(out, ',');
	json_quote(state_step_id(&simulation->index, step), out);
}

static void
simulate_print_record(const struct simulate_options *options, struct simulation *simulation, struct buffer *out)
{
	const uint32_t *count = simulation->index.header->count;
	struct print print, tasks;
	size_t start;

	print_begin(&print, (jv){0}, out);
	print_integer(&print, "attempts", simulation->attempts);
	print_number(&print, "bound_s", simulate_seconds(simulation_bound_ms(simulation, options->slots)));
	print_number(&print, "busiest_node_s", simulate_seconds(simulation->node_ms));
	print_name(&print, "critical_path");
	buffer_byte(out, '[');
	start = out->length;
	for (uint32_t i = 0; i < simulation->path_count; i++)
		simulate_append_id(simulation, simulation->path[i], start, out);
	buffer_byte(out, ']');
	print_number(&print, "critical_path_s", simulate_seconds(simulation->critical_ms));
	print_name(&print, "failed");
	buffer_byte(out, '[');
	start = out->length;
	for (uint32_t i = 0; i < simulation->index.header->step_count; i++)
		if (simulate_has_failed(simulation, i))
			simulate_append_id(simulation, i, start, out);
	buffer_byte(out, ']');
	print_integer(&print, "failed_attempts", simulation->failures);
	print_string(&print, "kind", "rehearsal");
	print_number(&print, "makespan_s", simulate_seconds(simulation->duration_ms));
	print_integer(&print, "peak", simulation->peak);
	print_integer(&print, "retries", simulation->retries);
	print_integer(&print, "seed", (int64_t)options->seed);
	print_integer(&print, "slots", options->slots);
	print_name(&print, "tasks");
	print_begin(&tasks, (jv){0}, out);
	print_integer(&tasks, "blocked", count[STEP_BLOCKED]);
	print_integer(&tasks, "done", count[STEP_DONE]);
	print_integer(&tasks, "failed", count[STEP_FAILED]);
	print_integer(&tasks, "total", (int64_t)count[STEP_BLOCKED] + count[STEP_DONE] + count[STEP_FAILED]);
	print_close(&tasks);
	print_integer(&print, "undone", simulation->undone);
	print_number(&print, "utilisation", simulate_utilisation(simulation, options->slots));
	print_number(&print, "work_s", simulate_seconds(simulation->work_ms));
	print_end(&print);
}

static void
simulate_print_step(struct simulation *simulation, uint32_t step)
{
	struct job_state *index = &simulation->index;
	const char *service = state_step_service(index, step);

	printf("  %s %s%s%s on %s\n", state_step_id(index, step), action_name((enum action)state_step(index, step)->action),
	    *service ? " " : "", service, state_node_id(index, state_step(index, step)->node));
}

static void
simulate_print_path(struct simulation *simulation)
{
	uint32_t count = simulation->path_count, skipped = count > LISTED_MAX ? count - LISTED_MAX : 0;

	if (count > 0)
		printf("\nCritical path:\n");
	for (uint32_t i = 0; i < count; i++) {
		if (skipped && i == LISTED_MAX / 2) {
			printf("  ... %u more ...\n", skipped);
			i += skipped;
		}
		simulate_print_step(simulation, simulation->path[i]);
	}
}

static void
simulate_print_failed(struct simulation *simulation)
{
	uint32_t failed = simulation->index.header->count[STEP_FAILED], listed = 0;

	if (failed > 0)
		printf("\nFailed for good, with %u %s behind them that could not start:\n",
		    simulation->index.header->count[STEP_BLOCKED],
		    plural(simulation->index.header->count[STEP_BLOCKED], "task", "tasks"));
	for (uint32_t i = 0; listed < failed && listed < LISTED_MAX; i++)
		if (simulate_has_failed(simulation, i)) {
			simulate_print_step(simulation, i);
			listed++;
		}
	if (listed < failed)
		printf("  ... %u more\n", failed - listed);
}

static void
simulate_print_summary(const struct simulate_options *options, struct simulation *simulation)
{
	int64_t bound_ms = simulation_bound_ms(simulation, options->slots);
	char duration[CLOCK_RFC3339_SIZE], critical[CLOCK_RFC3339_SIZE], work[CLOCK_RFC3339_SIZE], share[CLOCK_RFC3339_SIZE],
	    node[CLOCK_RFC3339_SIZE];

	printf("duration       %s, %.3f times what no schedule can beat\n", clock_duration(simulation->duration_ms, duration),
	    bound_ms ? (double)simulation->duration_ms / (double)bound_ms : 1);
	printf("critical path  %s, %u %s\n", clock_duration(simulation->critical_ms, critical), simulation->path_count,
	    plural(simulation->path_count, "task", "tasks"));
	printf("work           %s, which takes %u %s %s\n", clock_duration(simulation->work_ms, work), options->slots,
	    plural(options->slots, "slot", "slots"),
	    clock_duration((simulation->work_ms + options->slots - 1) / options->slots, share));
	if (simulation->node_ms > 0)
		printf("busiest node   %s, %s\n", clock_duration(simulation->node_ms, node),
		    state_node_id(&simulation->index, simulation->node));
	printf("slots          %.1f%% used, at most %u in parallel\n", simulate_utilisation(simulation, options->slots) * 100,
	    simulation->peak);
	printf("attempts       %u: %u failed, %u tried again, %u of these after an undo\n", simulation->attempts,
	    simulation->failures, simulation->retries, simulation->undone);
	simulate_print_path(simulation);
	simulate_print_failed(simulation);
}

static int
simulate_play(const struct simulate_options *options, const struct plan_loader *loader)
{
	struct buffer out = {0};
	struct simulation_options how = {options->seed, options->slots, options->failures,
	    loader->job.id ? loader->job.id : "rehearsal", options->events ? &out : NULL};
	struct simulation simulation;
	struct error err;
	int code = 0;

	if (simulation_run(loader, &how, &simulation, &err) < 0)
		code = message_error(&err);
	else if (options->json && !options->events)
		simulate_print_record(options, &simulation, &out);
	else if (!options->events)
		simulate_print_summary(options, &simulation);
	if (code == 0 && simulation.index.header->count[STEP_FAILED] > 0)
		code = EX_NO;
	buffer_print(&out);
	simulation_release(&simulation);
	return code;
}

int
simulate(const struct simulate_options *options)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct plan_loader loader;
	struct error err;
	int code;

	if (record_reader_open(&reader, options->plan, &err) < 0)
		return message_error(&err);
	if (plan_loader_read(&loader, &reader, options->events ? STDOUT_FILENO : -1, &problems, &err) < 0)
		code = message_error(&err);
	else if (problems.total > 0)
		code = problems_report(&problems, reader.name);
	else
		code = simulate_play(options, &loader);
	record_reader_release(&reader);
	problems_release(&problems);
	plan_loader_release(&loader);
	return message_end(code);
}
