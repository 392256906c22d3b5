/* SPDX-License-Identifier: Apache-2.0
 *
 * event_parse: an event without problems prints as one that is the same.
 */
#include "base/memory.h"
#include "fuzz.h"
#include "model/event.h"

static bool
reprint(jv record, struct buffer *out)
{
	struct problems problems = {0};
	struct arena arena = {0};
	struct place root = place_root(record, &problems);
	struct event event;
	bool whole;

	event_parse(&root, &arena, &event);
	whole = problems.total == 0;
	if (whole)
		event_print(&event, out);
	arena_release(&arena);
	problems_release(&problems);
	return whole;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jv record = fuzz_value(data, size), again;
	struct buffer first = {0}, second = {0};

	if (jv_is_valid(record) && reprint(record, &first)) {
		again = fuzz_reread(&first);
		fuzz_promise(reprint(again, &second), "a printed event is one");
		fuzz_promise(strcmp(first.data, second.data) == 0, "printing is canonical");
		jv_free(again);
	}
	jv_free(record);
	buffer_release(&first);
	buffer_release(&second);
	return 0;
}
