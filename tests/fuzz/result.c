/* SPDX-License-Identifier: Apache-2.0
 *
 * result_parse: whatever the document is, it comes back.
 */
#include "fuzz.h"
#include "model/result.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jv record = fuzz_value(data, size);
	struct problems problems = {0};
	struct result result;

	if (jv_is_valid(record)) {
		struct place root = place_root(record, &problems);

		result_parse(&root, &result);
		fuzz_promise(problems.total || result.attempt >= 0, "attempts are counted from 1; 0 where none is given");
		result_release(&result);
	}
	problems_release(&problems);
	jv_free(record);
	return 0;
}
