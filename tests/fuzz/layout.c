/* SPDX-License-Identifier: Apache-2.0
 *
 * layout_read: a layout without problems prints as records that are a layout, and that print the same.
 */
#include "fuzz.h"
#include "model/layout.h"

/* Reads a layout and appends what it prints as; whether it was one without problems. */
static bool
reprint(const uint8_t *data, size_t size, struct buffer *out)
{
	struct record_reader reader = fuzz_stream(data, size);
	struct problems problems = {0};
	struct layout layout;
	struct error err;
	bool whole = layout_read(&reader, &layout, &problems, &err) == 0 && problems.total == 0;

	if (whole) {
		cluster_print(&layout.cluster, out);
		for (size_t i = 0; i < layout.node_count; i++)
			node_print(&layout.nodes[i], out);
	}
	layout_release(&layout);
	problems_release(&problems);
	fuzz_stream_end(&reader);
	return whole;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer first = {0}, second = {0};

	if (reprint(data, size, &first)) {
		fuzz_promise(reprint((const uint8_t *)first.data, first.length, &second), "a printed layout is one");
		fuzz_promise(strcmp(first.data, second.data) == 0, "printing is canonical");
	}
	buffer_release(&first);
	buffer_release(&second);
	return 0;
}
