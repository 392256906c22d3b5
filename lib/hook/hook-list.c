/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/hook-list.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/location.h"
#include "base/preference.h"
#include "json/json.h"
#include "model/document.h"
#include "model/name.h"
#include "store/store.h"
#include "store/tenant-document.h"

enum { ALL_EVENTS = (1 << HOOK_KIND_COUNT) - 1, PROGRAM_S = 60, URL_S = 10, BACKOFF_S = 30, PATIENCE_S = 3 * 86400 };

static bool
hook_is_among(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && strncmp(word, text, length) == 0;
}

/* Returns the events that text names; 0 where it names something else. */
static unsigned
hook_events_of(const char *text)
{
	unsigned events = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");
		int event = 0;

		while (event < HOOK_KIND_COUNT && !hook_is_among(text, length, hook_event_name((enum hook_kind)event)))
			event++;
		if (event == HOOK_KIND_COUNT)
			return 0;
		events |= 1u << event;
		text += length;
	}
	return events;
}

/* Sets a number of seconds; returns what is wrong with it, or NULL. */
static const char *
hook_set_seconds(int64_t *seconds, const char *value, int64_t min, int64_t max)
{
	char *end;
	int64_t number = strtoll(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || number < min || number > max)
		return "expected a number of seconds that is allowed: see coopr-hooks(7)";
	*seconds = number;
	return NULL;
}

/* Sets what a line of a file or a member of a document says; returns what is wrong with it, or NULL. */
static const char *
hook_set_field(struct hook *hook, const char *name, const char *value)
{
	if (strcmp(name, "url") == 0) {
		hook->url = value;
		return strncmp(value, "http://", 7) == 0 || strncmp(value, "https://", 8) == 0 ? NULL
		                                                                               : "expected http:// or https://";
	}
	if (strcmp(name, "events") == 0) {
		hook->events = hook_events_of(value);
		return hook->events ? NULL : "expected start, success, failure or reminder";
	}
	if (strcmp(name, "timeout_s") == 0)
		return hook_set_seconds(&hook->timeout_s, value, 1, 600);
	if (strcmp(name, "backoff_s") == 0)
		return hook_set_seconds(&hook->backoff_s, value, 0, 3600);
	if (strcmp(name, "patience_s") == 0)
		return hook_set_seconds(&hook->patience_s, value, 0, 366 * 86400);
	if (strcmp(name, "required") == 0) {
		hook->required = strcmp(value, "true") == 0;
		return hook->required || strcmp(value, "false") == 0 ? NULL : "expected true or false";
	}
	if (strcmp(name, "operations") == 0)
		hook->operations = value;
	else if (strcmp(name, "secret") == 0)
		hook->secret = value;
	else if (strcmp(name, "secretfile") == 0)
		hook->secretfile = value;
	else
		return "a hook has no such member: see coopr-hooks(7)";
	return NULL;
}

static struct hook *
hook_add(struct hook_list *hooks, const char *name)
{
	ARRAY_ROOM(hooks->list, hooks->count, hooks->capacity);
	hooks->list[hooks->count] = (struct hook){.name = name, .events = ALL_EVENTS, .timeout_s = URL_S,
	    .backoff_s = BACKOFF_S, .patience_s = PATIENCE_S};
	return &hooks->list[hooks->count++];
}

struct hook *
hook_list_find(const struct hook_list *hooks, const char *name)
{
	for (size_t i = 0; i < hooks->count; i++)
		if (strcmp(hooks->list[i].name, name) == 0)
			return &hooks->list[i];
	return NULL;
}

/* Adds the hook of a section that has a url; any other section says more about an executable. */
static int
hook_add_section(struct hook_list *hooks, const struct preference_section *section, struct error *err)
{
	const char *where = arena_printf(&hooks->arena, "%s:%ld", section->path, section->line), *wrong;
	bool has_url = false;
	struct hook *hook;

	if (!name_is_valid(section->name))
		return error_set(err, EX_CONFIG, "%s: \"%s\" is not a valid name of a hook", where, section->name);
	for (size_t i = 0; i < section->count && !has_url; i++)
		has_url = strcmp(section->entries[i].name, "url") == 0;
	hook = has_url ? hook_add(hooks, section->name) : hook_list_find(hooks, section->name);
	if (!hook)
		return error_set(err, EX_CONFIG, "%s: hook %s: it has no url, and there is no executable of this name", where,
		    section->name);
	if (!hook->where)
		hook->where = where;
	for (size_t i = 0; i < section->count; i++) {
		const struct preference_entry *entry = &section->entries[i];

		if ((wrong = hook_set_field(hook, entry->name, entry->value))) {
			hooks->count -= hook == &hooks->list[hooks->count - 1];
			return error_set(err, EX_CONFIG, "%s:%ld: %s: %s", section->path, entry->line, entry->name, wrong);
		}
	}
	return 0;
}

/* Returns whether only root and we could have put the file there. */
static bool
hook_is_trusted(const char *path, struct stat *st)
{
	return stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0 &&
	    (st->st_uid == 0 || st->st_uid == geteuid()) && (st->st_mode & 022) == 0;
}

/* Adds the executables of a folder, whose path is freed. */
static int
hook_add_folder(struct hook_list *hooks, char *folder, struct error *err)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort), result = 0;

	for (int i = 0; i < count; i++) {
		const char *name = arena_string(&hooks->arena, entries[i]->d_name);
		const char *path = arena_printf(&hooks->arena, "%s/%s", folder, name);
		struct stat st;

		free(entries[i]);
		if (!name_is_valid(name) || strchr(name, '.'))
			continue;
		if (hook_is_trusted(path, &st))
			*hook_add(hooks, name) = (struct hook){.name = name, .program = path, .where = arena_string(&hooks->arena, folder),
			    .events = ALL_EVENTS, .timeout_s = PROGRAM_S, .backoff_s = BACKOFF_S, .patience_s = PATIENCE_S};
		else if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111))
			result = error_set(err, EX_CONFIG,
			    "%s: others may change this hook; it must belong to root or to you, and be writable "
			    "by nobody else", path);
	}
	if (count >= 0)
		free(entries);
	free(folder);
	return result;
}

/* Returns a member's value as a line of a file has it. */
static const char *
hook_text_of(jv value, struct arena *arena)
{
	struct buffer text = {0};
	const char *result;

	if (jv_get_kind(value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(value); i++) {
			jv element = json_element(value, i);

			buffer_printf(&text, "%s%s", i ? " " : "", json_string(element) ? json_string(element) : "?");
			jv_free(element);
		}
	} else if (json_string(value)) {
		buffer_text(&text, json_string(value));
	} else {
		json_dump(value, &text);
	}
	result = arena_string(arena, buffer_string(&text));
	buffer_release(&text);
	return result;
}

static int
hook_add_member(struct hook_list *hooks, const struct place *place, const char *tenant, struct error *err)
{
	struct hook *hook = hook_add(hooks, NULL);
	struct members members;
	struct place member;
	const char *wrong = NULL;

	hook->where = arena_printf(&hooks->arena, "tenant %s", tenant);
	if (jv_get_kind(place->value) != JV_KIND_OBJECT)
		return error_set(err, EX_CONFIG, "%s: /hooks: expected objects", hook->where);
	members = members_of(place);
	while (members_next(&members, &member)) {
		const char *text = hook_text_of(member.value, &hooks->arena), *found = NULL;

		if (jv_get_kind(member.value) == JV_KIND_NULL)
			continue;
		if (strcmp(member.name, "name") == 0)
			hook->name = text;
		else if (strcmp(member.name, "secretfile") == 0)
			found = "a tenant's hook has a secret of the tenant";
		else
			found = hook_set_field(hook, arena_string(&hooks->arena, member.name), text);
		if (found && !wrong)
			wrong = arena_printf(&hooks->arena, "%s: %s", member.name, found);
	}
	if (!wrong && (!hook->name || !name_is_valid(hook->name) || !hook->url))
		wrong = "expected a name and a url";
	return wrong ? error_set(err, EX_CONFIG, "%s: /hooks/%zu: %s", hook->where, place->index, wrong) : 0;
}

/* Adds the hooks of the tenant's document, if there is a store and the tenant is in it. */
static int
hook_add_tenant(struct hook_list *hooks, const char *tenant, struct error *err)
{
	struct store *store = NULL;
	struct error none;
	jv document;
	int result = 0;

	if (store_open(&store, NULL, STORE_READ, tenant, &none) == 0 &&
	    (result = tenant_document(store, &document, err)) == 0) {
		struct place root = place_root(document, NULL), list = place_member(&root, "hooks");

		for (size_t i = 0; i < json_length(list.value) && jv_get_kind(list.value) == JV_KIND_ARRAY; i++) {
			struct place element = place_element(&list, i);

			if (hook_add_member(hooks, &element, tenant, err) < 0) {
				hooks->count--;
				result = -1;
			}
		}
		jv_free(document);
	}
	store_release(store);
	return result;
}

/* Checks that no two hooks have one name, by which their messages know them. */
static int
hook_check_names(const struct hook_list *hooks, struct error *err)
{
	for (size_t i = 0; i < hooks->count; i++) {
		const struct hook *first = hook_list_find(hooks, hooks->list[i].name);

		if (first != &hooks->list[i])
			return error_set(err, EX_CONFIG, "%s: hook %s: there is one of this name already: %s", hooks->list[i].where,
			    first->name, first->where);
	}
	return 0;
}

int
hook_list_gather(struct hook_list *hooks, const char *tenant, struct error *err)
{
	size_t count;
	const struct preference_section *sections = preference_sections(&count);
	bool wrong = hook_add_folder(hooks, location_installed("libexec/coopr/hook"), err) < 0;

	wrong |= hook_add_folder(hooks, home_system_config("hooks"), err) < 0;
	wrong |= hook_add_folder(hooks, home_user_config("hooks"), err) < 0;
	for (size_t i = 0; i < count; i++)
		wrong |= strcmp(sections[i].kind, "hook") == 0 && hook_add_section(hooks, &sections[i], err) < 0;
	wrong |= tenant && hook_add_tenant(hooks, tenant, err) < 0;
	wrong |= hook_check_names(hooks, err) < 0;
	return wrong ? -1 : 0;
}

bool
hook_wants(const struct hook *hook, enum hook_kind event, const char *operation)
{
	const char *each = hook->operations;

	if (!(hook->events & 1u << event))
		return false;
	while (each && *(each += strspn(each, " "))) {
		if (operation && hook_is_among(each, strcspn(each, " "), operation))
			return true;
		each += strcspn(each, " ");
	}
	return !hook->operations;
}

const char *
hook_event_name(enum hook_kind event)
{
	static const char *const names[] = {"start", "success", "failure", "reminder"};

	return names[event];
}

void
hook_list_release(struct hook_list *hooks)
{
	free(hooks->list);
	arena_release(&hooks->arena);
	*hooks = (struct hook_list){0};
}
