/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/operations.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/google/account.h"
#include "cloud/google/request.h"

enum { PAGE = 500, SAID_BYTES = 400 };

struct google_operation { /* under the lock of cloud/stop.h */
	char *name, *zone, *machine;
	char *tags[4];       /* node, token, cluster and provider of a machine that is made; NULL where one is deleted */
	enum google_end end;
	int code;            /* why it failed */
	char *reason;
	bool seen;           /* in the list that is read now */
	struct google_operation *next;
};

static const char *const operation_tags[] = {CLOUD_TAG_NODE, CLOUD_TAG_TOKEN, CLOUD_TAG_CLUSTER, CLOUD_TAG_PROVIDER};

static void
operation_free(struct google_operation *operation)
{
	for (size_t i = 0; i < sizeof operation_tags / sizeof *operation_tags; i++)
		free(operation->tags[i]);
	free(operation->reason);
	free(operation->machine);
	free(operation->zone);
	free(operation->name);
	free(operation);
}

static bool
operation_is_of(const struct google_operation *operation, const char *zone, const char *machine)
{
	return strcmp(operation->machine, machine) == 0 && strcmp(operation->zone, zone) == 0;
}

/* Reads how it has ended, {"status": "DONE", "error": {"errors": [{"code", "message"}]}}. */
static void
operation_read(struct google_operation *operation, jv answer)
{
	jv error = json_get(answer, "error"), errors = json_get(error, "errors"), first = json_element(errors, 0);
	char *status = json_get_string(answer, "status"), *code = json_get_string(first, "code"), *text = json_get_string(first, "message");

	if (status && strcmp(status, "DONE") == 0 && operation->end == GOOGLE_UNDONE) {
		operation->end = jv_get_kind(error) == JV_KIND_OBJECT ? GOOGLE_FAILED : GOOGLE_DONE;
		if (operation->end == GOOGLE_FAILED) {
			operation->code = google_error_code(code, EX_TEMPFAIL);
			operation->reason = memory_printf("%s%s%.*s", code ? code : "", code && text ? ": " : "", SAID_BYTES, text ? text : "");
		}
	}
	free(text);
	free(code);
	free(status);
	jv_free(first);
	jv_free(errors);
	jv_free(error);
}

static void
operation_take_tags(struct google_operation *operation, const struct cloud_order *order)
{
	for (size_t i = 0; i < order->tag_count; i++)
		for (size_t k = 0; k < sizeof operation_tags / sizeof *operation_tags; k++)
			if (strcmp(order->tags[i][0], operation_tags[k]) == 0)
				operation->tags[k] = memory_string(order->tags[i][1]);
}

int
google_operation_add(const struct cloud *cloud, jv answer, const char *zone, const char *machine, const struct cloud_order *order,
    struct error *err)
{
	struct google_account *account = cloud->state;
	struct google_operation *operation;
	char *name = json_get_string(answer, "name");
	enum google_end end;

	if (!name)
		return error_set(err, EX_TEMPFAIL, "Google's answer for instance %s tells of no operation", machine);
	operation = memory_zeroed(1, sizeof *operation);
	*operation = (struct google_operation){.name = name, .zone = memory_string(zone), .machine = memory_string(machine)};
	if (order)
		operation_take_tags(operation, order);
	operation_read(operation, answer);
	end = operation->end;
	if (end == GOOGLE_FAILED)
		error_set(err, operation->code, "instance %s: %s", machine, operation->reason);
	stop_lock();
	operation->next = account->operations;
	account->operations = operation;
	stop_unlock();
	return (int)end;
}

/* Asks for the operation anew. */
static int
operation_ask(const struct cloud *cloud, const char *path, struct google_operation *operation, const struct stop *stop, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	int result = google_ask(cloud, "GET", path, NULL, true, stop, &reply, err);

	if (result == 0)
		operation_read(operation, reply.value);
	google_release(&reply);
	return result;
}

int
google_operation_end(const struct cloud *cloud, jv answer, const char *what, bool waits, const struct stop *stop, struct error *err)
{
	struct google_operation operation = {.end = GOOGLE_UNDONE};
	char *link = json_get_string(answer, "selfLink"), *path = link ? strstr(link, "projects/") : NULL;
	int result = 0;

	if (!path)
		result = error_set(err, EX_TEMPFAIL, "%s: Google's answer tells of no operation", what);
	operation_read(&operation, answer);
	while (result == 0 && waits && operation.end == GOOGLE_UNDONE) {
		result = stop_sleep(stop, cloud->poll_ms, err);
		if (result == 0)
			result = operation_ask(cloud, path, &operation, stop, err);
	}
	if (result == 0 && operation.end == GOOGLE_FAILED)
		result = error_set(err, operation.code, "%s: %s", what, operation.reason);
	free(operation.reason);
	free(link);
	return result;
}

/* --- the lists of zones --- */

/* Takes what a page of the zone's operations tells. Returns 1 where there are none left that no page has had. */
static int
operations_read(const struct cloud *cloud, jv answer, void *data, struct error *err)
{
	const char *const *zone = data;
	struct google_account *account = cloud->state;
	jv items = json_get(answer, "items");
	bool missing = false;

	(void)err;
	stop_lock();
	for (size_t i = 0; i < json_length(items); i++) {
		jv item = json_element(items, i);
		char *name = json_get_string(item, "name");

		for (struct google_operation *at = account->operations; at; at = at->next)
			if (name && strcmp(at->name, name) == 0) {
				operation_read(at, item);
				at->seen = true;
			}
		free(name);
		jv_free(item);
	}
	for (const struct google_operation *at = account->operations; at; at = at->next)
		missing |= at->end == GOOGLE_UNDONE && !at->seen && strcmp(at->zone, *zone) == 0;
	stop_unlock();
	jv_free(items);
	return !missing;
}

/* Reads the list of a zone, the newest first, as far as there is something to be found in it. */
static int
operations_list(const struct cloud *cloud, const char *zone, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/zones/%s/operations?maxResults=%d&orderBy=creationTimestamp%%20desc", zone, PAGE);
	const struct google_list list = {.path = path, .read = operations_read, .data = &zone};
	int result = google_pages(cloud, &list, stop, err);

	free(path);
	return result;
}

int
google_operations_refresh(const struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct google_account *account = cloud->state;
	struct string_list zones = {0};
	struct arena arena = {0};
	size_t capacity = 0;
	int result = 0;

	stop_lock();
	for (struct google_operation *at = account->operations; at; at = at->next) {
		bool known = at->end != GOOGLE_UNDONE;

		at->seen = false;
		for (size_t i = 0; i < zones.count; i++)
			known |= strcmp(zones.list[i], at->zone) == 0;
		if (known)
			continue;
		ARRAY_ROOM(zones.list, zones.count, capacity);
		zones.list[zones.count++] = arena_string(&arena, at->zone);
	}
	stop_unlock();
	for (size_t i = 0; result == 0 && i < zones.count; i++)
		result = operations_list(cloud, zones.list[i], stop, err);
	free((void *)zones.list);
	arena_release(&arena);
	return result;
}

/* --- what is told of them --- */

/* Tells of a machine whose making has failed, whether it is in the list or not. */
static void
operation_report(const struct google_operation *operation, struct cloud_machines *found)
{
	struct cloud_machine *machine = NULL;

	for (size_t i = 0; i < found->count && !machine; i++)
		if (found->list[i].zone && operation_is_of(operation, found->list[i].zone, found->list[i].id))
			machine = &found->list[i];
	if (!machine) {
		machine = cloud_machines_add(found);
		machine->id = arena_string(&found->arena, operation->machine);
		machine->zone = arena_string(&found->arena, operation->zone);
		for (size_t i = 0; i < sizeof operation_tags / sizeof *operation_tags; i++)
			if (operation->tags[i])
				cloud_machine_tag(found, machine, operation_tags[i], operation->tags[i]);
	}
	machine->state = CLOUD_FAILED;
	machine->failure = operation->code;
	machine->reason = arena_string(&found->arena, operation->reason);
}

void
google_operations_report(const struct cloud *cloud, struct cloud_machines *found)
{
	struct google_account *account = cloud->state;

	stop_lock();
	for (struct google_operation **at = &account->operations; *at;) {
		struct google_operation *operation = *at;

		if (operation->end == GOOGLE_DONE) {
			*at = operation->next;
			operation_free(operation);
			continue;
		}
		if (operation->end == GOOGLE_FAILED && operation->tags[0])
			operation_report(operation, found);
		at = &operation->next;
	}
	stop_unlock();
}

enum google_end
google_operations_deletion(const struct cloud *cloud, const char *zone, const char *machine, struct error *err)
{
	struct google_account *account = cloud->state;
	enum google_end end = GOOGLE_DONE;

	stop_lock();
	for (struct google_operation **at = &account->operations; *at;) {
		struct google_operation *operation = *at;

		if (!operation_is_of(operation, zone, machine) || (!operation->tags[0] && operation->end == GOOGLE_UNDONE)) {
			if (operation_is_of(operation, zone, machine))
				end = GOOGLE_UNDONE;
			at = &operation->next;
			continue;
		}
		if (!operation->tags[0] && operation->end == GOOGLE_FAILED) {
			end = GOOGLE_FAILED;
			error_set(err, operation->code, "instance %s: %s", machine, operation->reason);
		}
		*at = operation->next;
		operation_free(operation);
	}
	stop_unlock();
	return end;
}
