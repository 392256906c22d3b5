/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tenant-hooks.h"

#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/document.h"
#include "model/name.h"

struct tenant_hook {
	const char *name, *secret, *url;
	struct string_list events, operations;
	int64_t backoff_s, patience_s, timeout_s;
	bool required;
};

static void
tenant_check_events(const struct place *list)
{
	static const char *const known[] = {"start", "success", "failure", "reminder"};

	for (size_t i = 0; i < json_length(list->value); i++) {
		struct place element = place_element(list, i);
		const char *text = json_string(element.value);
		size_t k = 0;

		while (text && k < sizeof known / sizeof *known && strcmp(known[k], text) != 0)
			k++;
		if (k == sizeof known / sizeof *known)
			place_problem(&element, "expected start, success, failure or reminder");
	}
}

static void
tenant_check_operations(const struct place *list)
{
	for (size_t i = 0; i < json_length(list->value); i++) {
		struct place element = place_element(list, i);
		const char *text = json_string(element.value);

		if (text && !name_is_valid(text))
			place_problem(&element, "expected a word");
	}
}

static void
tenant_check_url(const struct place *place)
{
	const char *url = json_string(place->value);

	if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		place_problem(place, "expected http:// or https://");
}

static const struct member members[] = {
	{"backoff_s", MEMBER_INTEGER(struct tenant_hook, backoff_s), 0, .integer = {0, 3600, 30}},
	{"events", MEMBER_STRINGS(struct tenant_hook, events), 0, .check = tenant_check_events},
	{"name", MEMBER_NAME(struct tenant_hook, name), MEMBER_REQUIRED},
	{"operations", MEMBER_STRINGS(struct tenant_hook, operations), 0, .check = tenant_check_operations},
	{"patience_s", MEMBER_INTEGER(struct tenant_hook, patience_s), 0, .integer = {0, 366 * 86400, 0}},
	{"required", MEMBER_BOOLEAN(struct tenant_hook, required), 0},
	{"secret", MEMBER_NAME(struct tenant_hook, secret), 0},
	{"timeout_s", MEMBER_INTEGER(struct tenant_hook, timeout_s), 0, .integer = {1, 600, 10}},
	{"url", MEMBER_STRING(struct tenant_hook, url), MEMBER_REQUIRED, .check = tenant_check_url},
};
const struct document tenant_hook_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct tenant_hook),
	.unknown = "a hook has no such member: see coopr-hooks(7)"};

void
tenant_hooks_parse(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct names names = {0};

	(void)to;
	for (size_t i = 0; place_array(place, NEED_OPTIONAL) && i < json_length(place->value); i++) {
		struct place element = place_element(place, i);
		struct tenant_hook hook;
		size_t before = names.count;

		document_parse(member->inner, &element, arena, &hook);
		if (hook.name && (size_t)names_intern(&names, hook.name) < before)
			place_problem(&element, "there is a hook of this name already");
	}
	names_release(&names);
}
