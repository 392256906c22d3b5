/* SPDX-License-Identifier: Apache-2.0
 *
 * macro_expand_text: any text, over a cluster of two nodes. Text without a "%" is left as it is.
 */
#include "base/memory.h"
#include "fuzz.h"
#include "model/take/macro.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *services[] = {"db", "web"};
	jv addresses = jv_object_set(jv_object(), jv_string("bind_v4"), jv_string("10.0.0.4"));
	struct macro_node nodes[] = {
		{"00000042-1000", "a.example.net", 1000, {services, 2}, addresses},
		{"00000042-1001", "b.example.net", 1001, {services, 1}, addresses},
	};
	struct macro_context context = {nodes, 2, &nodes[size % 2], "owner", NULL, NULL};
	char *text = memory_substring((const char *)data, size);
	struct buffer out = {0};
	struct error err;
	int result = macro_expand_text(text, &context, &out, &err);

	if (!strchr(text, '%')) {
		fuzz_promise(result == 0, "text without a macro expands");
		fuzz_promise(strcmp(out.data ? out.data : "", text) == 0, "to itself");
	}
	context.self = NULL;
	macro_expand_text(text, &context, &out, &err);
	buffer_release(&out);
	free(text);
	jv_free(addresses);
	return 0;
}
