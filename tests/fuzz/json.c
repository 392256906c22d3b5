/* SPDX-License-Identifier: Apache-2.0
 *
 * json_parse: what is read and printed reads as the same, and prints as the same bytes.
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer first = {0}, second = {0};
	jv value = fuzz_value(data, size), again;

	if (jv_is_valid(value)) {
		json_dump(value, &first);
		again = fuzz_reread(&first);
		json_dump(again, &second);
		fuzz_promise(jv_equal(jv_copy(value), jv_copy(again)), "a value printed and read is the same");
		fuzz_promise(strcmp(first.data, second.data) == 0, "printing is canonical");
		fuzz_promise(!strchr(first.data, '\n'), "a value is one line");
		jv_free(again);
	}
	jv_free(value);
	buffer_release(&first);
	buffer_release(&second);
	return 0;
}
