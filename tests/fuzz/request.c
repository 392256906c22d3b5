/* SPDX-License-Identifier: Apache-2.0
 *
 * request_parse: whatever the document is, it comes back, and what it accepts keeps its ranges.
 */
#include "fuzz.h"
#include "model/request.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jv document = fuzz_value(data, size);
	struct problems problems = {0};
	struct request request;

	if (jv_is_valid(document)) {
		request_parse(document, &request, &problems);
		if (problems.total == 0) {
			fuzz_promise(request.cluster.name != NULL, "a cluster that is wanted has a name");
			fuzz_promise(request.cluster.machines_min >= 0, "machines are counted from 0");
			fuzz_promise(request.template.objective_count <= OBJECTIVE_COUNT, "an objective counts once");
		}
		request_release(&request);
	}
	problems_release(&problems);
	jv_free(document);
	return 0;
}
