/* SPDX-License-Identifier: Apache-2.0
 *
 * job_parse and step_parse: a record without problems prints as one that is the same.
 */
#include "fuzz.h"
#include "model/plan.h"

static bool
reprint(jv record, struct buffer *out)
{
	struct problems problems = {0};
	struct arena arena = {0};
	struct place root = place_root(record, &problems);
	char *kind = json_get_string(record, "kind");
	bool is_job = kind && strcmp(kind, "job") == 0, whole;
	struct step step;
	struct job job;

	if (is_job)
		job_parse(&root, &arena, &job);
	else
		step_parse(&root, &arena, &step);
	whole = problems.total == 0;
	if (whole && is_job)
		job_print(&job, out);
	else if (whole)
		step_print(&step, out);
	arena_release(&arena);
	problems_release(&problems);
	free(kind);
	return whole;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jv record = fuzz_value(data, size), again;
	struct buffer first = {0}, second = {0};

	if (jv_is_valid(record) && reprint(record, &first)) {
		again = fuzz_reread(&first);
		fuzz_promise(reprint(again, &second), "a printed step is one");
		fuzz_promise(strcmp(first.data, second.data) == 0, "printing is canonical");
		jv_free(again);
	}
	jv_free(record);
	buffer_release(&first);
	buffer_release(&second);
	return 0;
}
