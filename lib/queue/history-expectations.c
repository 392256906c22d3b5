/* SPDX-License-Identifier: Apache-2.0
 *
 * The expectation records of a history. Groups are joined from the finest kind of place to any place; sorted, each group then
 * stands behind those it is a part of.
 */
#include "model/print.h"
#include "queue/history.h"

enum { PLACE_ANY, PLACE_PROVIDER, PLACE_IMAGE, PLACE_HARDWARE, PLACES };

/* Returns the kind of place that the group names. */
static int
history_place_of(const struct history_group *group)
{
	return *group->hardwaretype ? PLACE_HARDWARE : *group->imagetype ? PLACE_IMAGE
	     : *group->provider ? PLACE_PROVIDER : PLACE_ANY;
}

/* Adds the last runs of a group, which are sorted, to the groups of all places that it is a part of. */
static void
history_join(const struct history_group *group, struct history *joined)
{
	struct history_group kind = {.action = group->action, .service = group->service, .type = group->type, .provider = "",
	    .imagetype = "", .hardwaretype = ""};
	size_t first = group->run_count > HISTORY_RECENT ? group->run_count - HISTORY_RECENT : 0;

	for (int place = PLACE_ANY; place < PLACES; place++) {
		const char *name = place == PLACE_PROVIDER ? group->provider : place == PLACE_IMAGE ? group->imagetype
		    : place == PLACE_HARDWARE ? group->hardwaretype : "";
		struct history_group *whole;

		if (place != PLACE_ANY && !*name)
			continue;
		kind.provider = place == PLACE_PROVIDER ? name : kind.provider;
		kind.imagetype = place == PLACE_IMAGE ? name : kind.imagetype;
		kind.hardwaretype = place == PLACE_HARDWARE ? name : kind.hardwaretype;
		whole = history_group(joined, &kind);
		for (size_t i = first; i < group->run_count; i++)
			history_add_run(whole, group->runs[i].ended_ms, group->runs[i].took_ms);
	}
}

/* Leaves the last runs, which are sorted. */
static void
history_keep_recent(struct history_group *group)
{
	if (group->run_count > HISTORY_RECENT) {
		for (size_t i = 0; i < HISTORY_RECENT; i++)
			group->runs[i] = group->runs[group->run_count - HISTORY_RECENT + i];
		group->run_count = HISTORY_RECENT;
	}
}

static void
history_print_expectation(const struct history_group *group, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(group->action));
	print_number(&print, "expect_s", (double)history_quantile_ms(group, 0.5) / 1000);
	print_string(&print, "hardwaretype", *group->hardwaretype ? group->hardwaretype : NULL);
	print_string(&print, "imagetype", *group->imagetype ? group->imagetype : NULL);
	print_string(&print, "kind", "expectation");
	print_number(&print, "p90_s", (double)history_quantile_ms(group, 0.9) / 1000);
	print_string(&print, "provider", *group->provider ? group->provider : NULL);
	print_integer(&print, "runs", (int64_t)group->run_count);
	print_string(&print, "service", *group->service ? group->service : NULL);
	print_string(&print, "type", group->type);
	print_end(&print);
}

void
history_print_expectations(const struct history *history, struct buffer *out)
{
	struct history joined = {0};
	size_t runs[PLACES] = {0}; /* of the groups that the present one is a part of; 0: there is none */

	for (size_t i = 0; i < history->keys.count; i++) {
		history_sort_runs(&history->groups[i]);
		if (history->groups[i].run_count)
			history_join(&history->groups[i], &joined);
	}
	history_sort(&joined);
	for (size_t i = 0; i < joined.keys.count; i++) {
		struct history_group *group = &joined.groups[i];
		int place = history_place_of(group), around = place - 1;

		while (around >= 0 && runs[around] == 0)
			around--;
		for (int finer = place; finer < PLACES; finer++)
			runs[finer] = finer == place ? group->run_count : 0;
		/* A part that is the whole says the same. */
		if (around >= 0 && runs[around] == group->run_count)
			continue;
		history_keep_recent(group);
		history_print_expectation(group, out);
	}
	history_release(&joined);
}
