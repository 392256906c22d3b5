/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/gone.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"

/* Returns whether a machine, or a service of one, was seen to be gone: of most clusters none is, whose layout need not be read. */
static bool
gone_is_any(const struct observations *seen)
{
	bool any = false;

	for (size_t i = 0; i < seen->count && !any; i++)
		any = seen->list[i].answer == OBSERVATION_GONE;
	return any;
}

int
gone_find(struct store *store, int64_t id, const char *layout, struct gone *gone, struct error *err)
{
	if (observations_read(store, id, &gone->seen, err) < 0)
		return -1;
	if (!gone_is_any(&gone->seen))
		return 0;
	if (layout_parse_text(layout ? layout : "", &gone->layout, err) < 0)
		return -1;
	gone->nodes.list = arena_alloc(&gone->layout.arena, gone->layout.node_count + 1, sizeof *gone->nodes.list);
	for (size_t i = 0; i < gone->layout.node_count; i++)
		if (!gone->layout.nodes[i].is_new && observations_is_gone(&gone->seen, gone->layout.nodes[i].id))
			gone->nodes.list[gone->nodes.count++] = gone->layout.nodes[i].id;
	return 0;
}

void
gone_tell(const struct gone *gone, const struct string_list *nodes, struct buffer *out)
{
	char ago[CLOCK_RFC3339_SIZE];
	int64_t seen_ms = 0;

	buffer_printf(out, "%s ", plural(nodes->count, "the machine of node", "the machines of the nodes"));
	for (size_t i = 0; i < nodes->count; i++) {
		const struct observation *machine = observations_find(&gone->seen, nodes->list[i], "");

		buffer_printf(out, "%s%" PRId64, plural_before(i, nodes->count, " and "),
		    layout_node(&gone->layout, nodes->list[i])->nodenum);
		if (machine->observed_ms > seen_ms)
			seen_ms = machine->observed_ms;
	}
	clock_span(clock_wall_ms() - seen_ms, ago);
	buffer_printf(out, " %s gone, as seen %s ago", plural(nodes->count, "is", "are"), ago);
}

void
gone_tell_remedy(const struct gone *gone, const char *cluster, const struct string_list *nodes, struct buffer *out)
{
	buffer_printf(out, "; coopr replace --dead %s", cluster);
	for (size_t i = 0; i < nodes->count; i++)
		buffer_printf(out, " %" PRId64, layout_node(&gone->layout, nodes->list[i])->nodenum);
	buffer_printf(out, " replaces %s", plural(nodes->count, "it", "them"));
}

int
gone_refuse(const struct gone *gone, const char *cluster, const struct string_list *nodes, struct error *err)
{
	struct buffer text = {0};

	gone_tell(gone, nodes, &text);
	gone_tell_remedy(gone, cluster, nodes, &text);
	error_set(err, EX_NO, "%s: %s", cluster, text.data);
	buffer_release(&text);
	return -1;
}

void
gone_release(struct gone *gone)
{
	observations_release(&gone->seen);
	layout_release(&gone->layout);
	*gone = (struct gone){0};
}
