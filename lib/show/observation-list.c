/* SPDX-License-Identifier: Apache-2.0 */
#include "show/observation-list.h"

#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/printable.h"
#include "model/node.h"
#include "model/show/list.h"

const char *
observation_list_machine(const struct observations *seen, const struct node *node, int64_t fresh_ms)
{
	const struct observation *machine = observations_find(seen, node->id, "");

	if (node->leaves)
		return "to be removed";
	if (node->is_new)
		return "to be created";
	if (!machine || machine->observed_ms < fresh_ms || machine->observed_ms > observation_latest_ms())
		return "unknown";
	return machine->answer == OBSERVATION_HEALTHY ? "up" : observation_answer_name(machine->answer);
}

/* Returns what is wrong with an instance in a word; NULL if nothing is known to be. */
static const char *
observation_list_word(const struct observation *instance)
{
	if (!instance || instance->answer == OBSERVATION_HEALTHY || instance->answer == OBSERVATION_UNKNOWN)
		return NULL;
	return instance->message && strcmp(instance->message, OBSERVATION_STOPPED) == 0 ? "stopped" : observation_answer_name(instance->answer);
}

const char *
observation_list_services(const struct observations *seen, const struct node *node, struct arena *arena)
{
	struct buffer text = {0};
	const char *kept;

	for (size_t i = 0; i < node->services.count; i++) {
		const char *word = observation_list_word(observations_find(seen, node->id, node->services.list[i]));

		buffer_printf(&text, "%s%s", i ? " " : "", node->services.list[i]);
		if (word)
			buffer_printf(&text, " (%s)", word);
	}
	kept = arena_string(arena, buffer_string(&text));
	buffer_release(&text);
	return kept;
}

/* Appends one fault: "not ready: mysql on 00000001-1000, since 2 min: exit code 1". A machine that is down tells for its services. */
static void
observation_list_append_fault(const struct observations *seen, const struct observation *fault, const char *cluster, struct buffer *out)
{
	const struct observation *machine = observations_find(seen, fault->node, "");
	char since[CLOCK_RFC3339_SIZE], ago[CLOCK_RFC3339_SIZE];

	if (fault->answer == OBSERVATION_HEALTHY || fault->answer == OBSERVATION_UNKNOWN ||
	    (*fault->service && machine && machine->answer == fault->answer && fault->answer != OBSERVATION_UNHEALTHY))
		return;
	clock_span(clock_wall_ms() - fault->since_ms, since);
	clock_span(clock_wall_ms() - fault->observed_ms, ago);
	buffer_printf(out, "%s: %s%s%s, since %s, seen %s ago%s", *fault->service ? "not ready" : observation_answer_name(fault->answer),
	    fault->service, *fault->service ? " on " : "", fault->node, since, ago, fault->message ? ": " : "");
	printable_line(fault->message ? fault->message : "", out);
	if (fault->answer == OBSERVATION_GONE && !*fault->service && cluster)
		buffer_printf(out, "; coopr replace --dead %s %s replaces it", cluster, fault->node);
	buffer_byte(out, '\n');
}

void
observation_list_print_faults(const struct observations *seen, const char *cluster, FILE *out)
{
	struct buffer text = {0};

	for (size_t i = 0; i < seen->count; i++)
		observation_list_append_fault(seen, &seen->list[i], cluster, &text);
	if (text.length)
		fprintf(out, "\n%s", text.data);
	buffer_release(&text);
}

static void
observation_list_fill_answer(const void *row, struct list_cell *cell)
{
	const struct observation *observation = row;

	list_cell_text(cell, observation_answer_name(observation->answer));
}

#define AT(type, member) LIST_AT(type, struct observation, member)

static const struct list_column columns[] = {
	{"NODE", "node", AT(TEXT, node)},
	{"SERVICE", "service", AT(WORD, service)},
	{"ANSWER", "answer", .fill = observation_list_fill_answer},
	{"DETAILS", "message", AT(TEXT, message)},
	{"OBSERVED", "observed", AT(TIME, observed_ms)},
	{"SINCE", "since", AT(TIME, since_ms)},
	{"BY", "by", AT(WORD, by)},
	{0}};

static const struct list rows = {.kind = "observation", .columns = columns, .row_size = sizeof(struct observation)};

void
observation_list_records(const struct observations *seen, struct buffer *out)
{
	for (size_t i = 0; i < seen->count; i++) {
		list_record(&rows, &seen->list[i], NULL, out);
		buffer_byte(out, '\n');
	}
}
