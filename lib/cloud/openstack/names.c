/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cloud/openstack/request.h"

enum { NAMES_MS = 60 * 1000 };

static const struct {
	const char *noun;
	enum openstack_service service;
	const char *path, *member;
	bool filters; /* the service finds it by name or id */
} openstack_kinds[] = {
	[OPENSTACK_A_FLAVOR] = {"flavor", OPENSTACK_COMPUTE, "/flavors?limit=1000", "flavors", false},
	[OPENSTACK_AN_IMAGE] = {"image", OPENSTACK_IMAGE, "/images?limit=1000&status=active", "images", true},
	[OPENSTACK_A_NETWORK] = {"network", OPENSTACK_NETWORK, "/networks?limit=1000", "networks", true},
	[OPENSTACK_AN_EXTERNAL_NETWORK] = {"external network", OPENSTACK_NETWORK, "/networks?limit=1000&router:external=True", "networks", false},
	[OPENSTACK_A_SECURITY_GROUP] = {"security group", OPENSTACK_NETWORK, "/security-groups?limit=1000", "security_groups", true},
};

struct openstack_search {
	const char *text;
	char *id, *name;   /* of the first that was found */
	bool exact;        /* by its id */
	unsigned count;
};

bool
openstack_is_id(const char *text)
{
	size_t length = strlen(text);

	return (length == 36 || length == 32) && text[strspn(text, "0123456789abcdefABCDEF-")] == '\0';
}

static void
openstack_search_one(struct openstack_search *search, jv one)
{
	char *id = json_get_string(one, "id"), *name = json_get_string(one, "name");
	bool exact = id && search->text && strcmp(id, search->text) == 0;
	bool found = id && (exact || !search->text || (name && strcmp(name, search->text) == 0));

	if (found && !search->exact) {
		search->count = exact ? 1 : search->count + 1;
		search->exact = exact;
		free(search->id);
		free(search->name);
		search->id = id;
		search->name = name;
		return;
	}
	free(name);
	free(id);
}

static int
openstack_search_page(jv page, void *data, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < json_length(page); i++) {
		jv one = json_element(page, i);

		openstack_search_one(data, one);
		jv_free(one);
	}
	return 0;
}

/* Returns what is kept of it, under the lock; NULL if that is nothing, or old. */
static const struct openstack_name *
openstack_kept(const struct openstack_account *account, const char *kind, const char *text)
{
	for (const struct openstack_name *name = account->names; name; name = name->next)
		if (name->kind == kind && strcmp(name->text, text ? text : "") == 0)
			return clock_monotonic_ms() - name->found_ms < NAMES_MS ? name : NULL;
	return NULL;
}

/* Keeps it, under the lock. Others may read the one that it replaces, which stays. */
static const struct openstack_name *
openstack_keep_name(struct cloud *cloud, const char *kind, const struct openstack_search *search)
{
	struct openstack_account *account = cloud->state;
	struct openstack_name *name = arena_alloc(&cloud->arena, 1, sizeof *name);

	*name = (struct openstack_name){.kind = kind, .text = arena_string(&cloud->arena, search->text ? search->text : ""),
	    .id = arena_string(&cloud->arena, search->id), .name = arena_string(&cloud->arena, search->name ? search->name : ""),
	    .found_ms = clock_monotonic_ms(), .next = account->names};
	return account->names = name;
}

static int
openstack_search(struct cloud *cloud, enum openstack_kind kind, struct openstack_search *search, const struct stop *stop, struct error *err)
{
	char *escaped = search->text && openstack_kinds[kind].filters ? client_escape(search->text) : NULL;
	char *path = escaped ? memory_printf("%s&%s=%s", openstack_kinds[kind].path, openstack_is_id(search->text) ? "id" : "name", escaped)
	    : memory_string(openstack_kinds[kind].path);
	const struct openstack_list list = {.service = openstack_kinds[kind].service, .path = path, .member = openstack_kinds[kind].member,
	    .read = openstack_search_page, .data = search};
	const char *noun = openstack_kinds[kind].noun;
	int result = openstack_list(cloud, &list, stop, err);

	if (result == 0 && search->count == 0)
		result = error_set(err, EX_CONFIG, "the cloud has no %s%s%s", noun, search->text ? " " : "", search->text ? search->text : "");
	else if (result == 0 && search->count > 1 && search->text)
		result = error_set(err, EX_CONFIG, "%u things are each a %s called %s (give the id)", search->count, noun, search->text);
	else if (result == 0 && search->count > 1)
		result = error_set(err, EX_CONFIG, "the cloud has more than one %s (say which)", noun);
	free(path);
	free(escaped);
	return result;
}

/* Waits while another thread searches, which may be for the same, and returns what is kept then. NULL where the caller is to search, who has the
 * turn then; or with *result -1 and an error. */
static const struct openstack_name *
openstack_await_turn(struct openstack_account *account, const char *noun, const char *text, const struct stop *stop, int *result, struct error *err)
{
	const struct openstack_name *name;

	stop_lock();
	while (!(name = openstack_kept(account, noun, text)) && *result == 0 && account->searching)
		*result = stop_wait(stop, INT64_MAX, err);
	if (!name && *result == 0)
		account->searching = true;
	stop_unlock();
	return name;
}

const struct openstack_name *
openstack_find(struct cloud *cloud, enum openstack_kind kind, const char *text, const struct stop *stop, struct error *err)
{
	struct openstack_account *account = cloud->state;
	struct openstack_search search = {.text = text};
	const char *noun = openstack_kinds[kind].noun;
	int result = 0;
	const struct openstack_name *name = openstack_await_turn(account, noun, text, stop, &result, err);

	if (name || result < 0)
		return name;
	result = openstack_search(cloud, kind, &search, stop, err);
	stop_lock();
	if (result == 0)
		name = openstack_keep_name(cloud, noun, &search);
	account->searching = false;
	stop_wake_all();
	stop_unlock();
	free(search.id);
	free(search.name);
	return name;
}
