/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tenant-hooks.h"

#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/document.h"
#include "model/name.h"

static bool
tenant_is_among(const char *text, const char *const *list)
{
	while (*list && strcmp(*list, text) != 0)
		list++;
	return *list != NULL;
}

/* A member that is misspelled would say nothing. */
static void
tenant_check_members(const struct place *hook)
{
	static const char *const known[] = {"backoff_s", "events", "name", "operations", "patience_s", "required", "secret",
		"timeout_s", "url", NULL};
	struct members members = members_of(hook);
	struct place member;

	while (members_next(&members, &member))
		if (!tenant_is_among(member.name, known))
			place_problem(&member, "a hook has no such member: see coopr-hooks(7)");
}

static void
tenant_check_events(const struct place *hook, struct arena *arena)
{
	static const char *const known[] = {"start", "success", "failure", "reminder", NULL};
	struct string_list events = place_strings(hook, "events", arena);
	struct place list = place_member(hook, "events");

	for (size_t i = 0; i < events.count; i++) {
		struct place element = place_element(&list, i);

		if (!tenant_is_among(events.list[i], known))
			place_problem(&element, "expected start, success, failure or reminder");
	}
}

static void
tenant_check_words(const struct place *hook, const char *member, struct arena *arena)
{
	struct string_list words = place_strings(hook, member, arena);
	struct place list = place_member(hook, member);

	for (size_t i = 0; i < words.count; i++) {
		struct place element = place_element(&list, i);

		if (!name_is_valid(words.list[i]))
			place_problem(&element, "expected a word");
	}
}

static void
tenant_check_hook(const struct place *hook, struct names *names, struct arena *arena)
{
	struct place member = place_member(hook, "url");
	const char *url, *name;

	if (!place_object(hook, NEED_REQUIRED))
		return;
	tenant_check_members(hook);
	name = name_parse(hook, "name", NEED_REQUIRED, arena);
	if (name && names_find(names, name) != NAMES_NONE)
		place_problem(hook, "there is a hook of this name already");
	if (name)
		names_intern(names, name);
	url = place_string(hook, "url", NEED_REQUIRED, arena);
	if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		place_problem(&member, "expected http:// or https://");
	tenant_check_events(hook, arena);
	tenant_check_words(hook, "operations", arena);
	name_parse(hook, "secret", NEED_OPTIONAL, arena);
	place_integer(hook, "timeout_s", 10, 1, 600);
	place_integer(hook, "backoff_s", 30, 0, 3600);
	place_integer(hook, "patience_s", 0, 0, 366 * 86400);
	place_boolean(hook, "required", false);
}

void
tenant_hooks_check(const struct place *document, struct arena *arena)
{
	struct place list = place_member(document, "hooks");
	struct names names = {0};

	if (!place_array(&list, NEED_OPTIONAL))
		return;
	for (size_t i = 0; i < json_length(list.value); i++) {
		struct place hook = place_element(&list, i);

		tenant_check_hook(&hook, &names, arena);
	}
	names_release(&names);
}
