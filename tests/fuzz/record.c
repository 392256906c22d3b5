/* SPDX-License-Identifier: Apache-2.0
 *
 * record_read: a stream ends with its end or with an error, and each record has a kind.
 */
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_reader reader = fuzz_stream(data, size);
	struct error err;
	jv record;
	int more;

	while ((more = record_read(&reader, &record, &err)) == 1) {
		fuzz_promise(record_kind(record) != NULL, "a record has a kind");
		jv_free(record);
	}
	fuzz_promise(more == 0 || err.code == EX_DATAERR, "a broken stream is EX_DATAERR");
	fuzz_stream_end(&reader);
	return 0;
}
