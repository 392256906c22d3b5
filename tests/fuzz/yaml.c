/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_read: what is let through is JSON, has a place for each of its parts, and is the same when it is printed as YAML and read;
 * JSON is let through as it is.
 */
#include "fuzz.h"

#include "json/scan.h"
#include "json/yaml-read.h"
#include "json/yaml.h"

static void
fuzz_places(const struct yaml_source *source, const struct place *place)
{
	struct buffer pointer = {0};
	struct members members;
	struct place member;
	size_t line = 0, column = 0;

	place_pointer(place, &pointer);
	buffer_text(&pointer, "");
	/* libyaml does not know all of JSON: then the last place before that is found, or none. */
	if (yaml_locate(source, pointer.data, &line, &column))
		fuzz_promise(line > 0 && column > 0, "lines and columns are counted from 1");
	buffer_release(&pointer);
	if (jv_get_kind(place->value) != JV_KIND_OBJECT)
		return;
	for (members = members_of(place); members_next(&members, &member);)
		fuzz_places(source, &member);
}

static void
fuzz_round_trip(jv value)
{
	struct buffer yaml = {0}, json = {0}, first = {0}, second = {0};
	struct error err;
	jv again;

	yaml_print(value, &yaml);
	fuzz_promise(yaml_read("printed", yaml.data, yaml.length, YAML_ONE, &json, &err) == 0, "what is printed can be read");
	again = fuzz_reread(&json);
	json_dump(value, &first);
	json_dump(again, &second);
	fuzz_promise(strcmp(first.data, second.data) == 0, "a value printed and read is the same");
	jv_free(again);
	buffer_release(&yaml);
	buffer_release(&json);
	buffer_release(&first);
	buffer_release(&second);
}

/* Takes the documents one by one, as a reader of records does. */
static void
fuzz_documents(const struct buffer *json, struct yaml_source *source)
{
	const char *at = json->data ? json->data : "", *end = at + json->length;
	struct error err;
	ssize_t used;

	for (; (used = json_scan(at, (size_t)(end - at), true, &err)) > 0; at += used) {
		jv value = jv_invalid();
		struct place root;

		fuzz_promise(json_parse("read", at, (size_t)used, &value, &err) == 0, "a document is a value of JSON");
		root = place_root(value, NULL);
		fuzz_places(source, &root);
		fuzz_round_trip(value);
		jv_free(value);
		source->document++;
	}
	fuzz_promise(used == 0, "what is read is JSON");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer json = {0};
	struct yaml_source source;
	struct error err = {0};
	jv value = fuzz_value(data, size);
	int result = yaml_read("input", (const char *)data, size, YAML_MANY, &json, &err);

	fuzz_promise(result == 0 || (err.code == EX_DATAERR && strncmp(err.text, "input: ", 7) == 0),
	    "what is no YAML is EX_DATAERR and has a reason");
	if (jv_is_valid(value) && (jv_get_kind(value) == JV_KIND_OBJECT || jv_get_kind(value) == JV_KIND_ARRAY))
		fuzz_promise(result == 0 && json.length == size && memcmp(json.data, data, size) == 0, "JSON stays as it is");
	yaml_source_set(&source, (const char *)data, size);
	if (result == 0)
		fuzz_documents(&json, &source);
	yaml_source_release(&source);
	buffer_release(&json);
	jv_free(value);
	return 0;
}
