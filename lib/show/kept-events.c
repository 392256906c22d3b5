/* SPDX-License-Identifier: Apache-2.0 */
#include "show/kept-events.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json/record.h"
#include "model/name.h"

struct kept_tasks { /* ids */
	struct arena arena;
	struct string_list ids;
	size_t capacity;
	const struct string_list *nodes;
	const char *service;
};

/* Returns whether a member of a record is one of list. */
static bool
kept_events_has(jv record, const char *member, const struct string_list *list)
{
	char *text = json_get_string(record, member);
	bool has = text && name_list_has(list, text);

	free(text);
	return has;
}

static void
kept_events_add_task(struct kept_tasks *tasks, jv record)
{
	char *id = json_get_string(record, "id");

	if (id && strcmp(record_kind(record), "task") == 0 && kept_events_has(record, "node", tasks->nodes) &&
	    (!tasks->service || kept_events_has(record, "service", &(struct string_list){&tasks->service, 1}))) {
		ARRAY_ROOM(tasks->ids.list, tasks->ids.count, tasks->capacity);
		tasks->ids.list[tasks->ids.count++] = arena_string(&tasks->arena, id);
	}
	free(id);
}

/* Finds the tasks that are meant, sorted. */
static int
kept_events_find_tasks(const struct buffer *plan, struct kept_tasks *tasks, struct error *err)
{
	const char *line = buffer_string(plan), *end;
	jv record;

	for (; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (json_parse("the plan in the store", line, (size_t)(end - line), &record, err) < 0)
			return -1;
		kept_events_add_task(tasks, record);
		jv_free(record);
	}
	name_set_make(&tasks->ids);
	return 0;
}

int
kept_events_narrow(struct buffer *events, const struct buffer *plan, const struct string_list *nodes, const char *service,
    struct error *err)
{
	struct kept_tasks tasks = {.nodes = nodes, .service = service};
	struct buffer kept = {0};
	const char *line = buffer_string(events), *end;
	int result = kept_events_find_tasks(plan, &tasks, err);
	jv record;
	char *task;

	for (; result == 0 && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		result = json_parse("the events in the store", line, (size_t)(end - line), &record, err);
		if (result < 0)
			break;
		task = json_get_string(record, "task");
		if (task && name_set_has(&tasks.ids, task)) {
			buffer_append(&kept, line, (size_t)(end - line));
			buffer_byte(&kept, '\n');
		}
		free(task);
		jv_free(record);
	}
	if (result == 0) {
		buffer_clear(events);
		buffer_append(events, kept.data, kept.length);
	}
	buffer_release(&kept);
	free(tasks.ids.list);
	arena_release(&tasks.arena);
	return result;
}
