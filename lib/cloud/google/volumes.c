/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/google/account.h"
#include "cloud/google/label.h"
#include "cloud/google/operations.h"
#include "cloud/google/request.h"
#include "content/content.h"

enum { PAGE = 500, INSTALLATION_LENGTH = 8 };

/* --- list --- */

static enum cloud_volume_state
disks_state(const char *status, bool is_used)
{
	if (status && strcmp(status, "DELETING") == 0)
		return CLOUD_VOLUME_GONE;
	if (!status || strcmp(status, "READY") != 0)
		return CLOUD_VOLUME_BUSY;
	return is_used ? CLOUD_VOLUME_ATTACHED : CLOUD_VOLUME_FREE;
}

/* Sets what a tag says, if it is one of a volume's. */
static void
disks_read_tag(struct cloud_volume *volume, const char *name, const char *value)
{
	if (value && strcmp(name, CLOUD_TAG_VOLUME) == 0)
		volume->name = value;
	else if (value && strcmp(name, CLOUD_TAG_PROVIDER) == 0)
		volume->provider = value;
}

/* Takes tags from labels, and what those do not tell from the description. */
static void
disks_read_tags(jv one, struct arena *arena, struct cloud_volume *volume)
{
	const char *text = json_arena_string(one, "description", arena);
	jv labels = json_get(one, "labels"), whole = jv_invalid();
	struct error ignored;

	if (jv_get_kind(labels) == JV_KIND_OBJECT) {
		jv_object_foreach(labels, name, value) {
			if (json_string(value))
				disks_read_tag(volume, json_string(name), google_label_value(json_string(value), arena));
			jv_free(value);
			jv_free(name);
		}
	}
	if (text && *text == '{' && json_parse("description", text, strlen(text), &whole, &ignored) == 0) {
		disks_read_tag(volume, CLOUD_TAG_VOLUME, json_arena_string(whole, CLOUD_TAG_VOLUME, arena));
		disks_read_tag(volume, CLOUD_TAG_PROVIDER, json_arena_string(whole, CLOUD_TAG_PROVIDER, arena));
	}
	jv_free(whole);
	jv_free(labels);
}

/* Reads a disk or a snapshot. The id is the end of its URL, as requests name it. */
static int
disks_read_one(jv one, bool is_snapshot, struct cloud_volumes *found, struct error *err)
{
	struct arena *arena = &found->arena;
	jv users = json_get(one, "users"), user = json_element(users, 0);
	const char *name = json_arena_string(one, "name", arena), *zone = google_last_part(json_arena_string(one, "zone", arena), arena);
	const char *size = json_arena_string(one, is_snapshot ? "diskSizeGb" : "sizeGb", arena), *status = json_arena_string(one, "status", arena);
	struct cloud_volume volume = {.zone = zone, .size_gb = size ? strtoll(size, NULL, 10) : 0, .is_snapshot = is_snapshot};

	volume.machine = json_string(user) ? google_last_part(json_string(user), arena) : NULL;
	volume.state = disks_state(status, volume.machine != NULL);
	disks_read_tags(one, arena, &volume);
	jv_free(user);
	jv_free(users);
	if (!name || (!zone && !is_snapshot))
		return error_set(err, EX_TEMPFAIL, "Google's answer has a disk or snapshot without a name or a zone");
	volume.id = is_snapshot ? arena_printf(arena, "global/snapshots/%s", name) : arena_printf(arena, "zones/%s/disks/%s", zone, name);
	/* The disks of an instance bear its tags, and no name. */
	if (volume.name)
		*cloud_volumes_add(found) = volume;
	return 0;
}

static int
disks_read_disk(const struct cloud *cloud, jv disk, void *found, struct error *err)
{
	(void)cloud;
	return disks_read_one(disk, false, found, err);
}

static int
disks_read_disks(const struct cloud *cloud, jv answer, void *found, struct error *err)
{
	return google_read_zones(cloud, answer, "disks", disks_read_disk, found, err);
}

static int
disks_read_snapshots(const struct cloud *cloud, jv answer, void *found, struct error *err)
{
	jv items = json_get(answer, "items");
	int result = 0;

	(void)cloud;
	for (size_t i = 0; result == 0 && i < json_length(items); i++) {
		jv one = json_element(items, i);

		result = disks_read_one(one, true, found, err);
		jv_free(one);
	}
	jv_free(items);
	return result;
}

static int
disks_list(struct cloud *cloud, bool snapshots, const struct stop *stop, struct cloud_volumes *found, struct error *err)
{
	bool whole;
	const char *label = google_label(cloud->installation, &found->arena, &whole);
	char *filter = memory_printf("(labels.%s=\"%s\") (labels.%s:*)", CLOUD_TAG_INSTALLATION, label, CLOUD_TAG_VOLUME), *escaped = client_escape(filter);
	char *path = memory_printf("%s?filter=%s&maxResults=%d", snapshots ? "/global/snapshots" : "/aggregated/disks", escaped, PAGE);
	const struct google_list list = {.path = path, .read = snapshots ? disks_read_snapshots : disks_read_disks, .data = found};
	int result = google_pages(cloud, &list, stop, err);

	free(path);
	free(escaped);
	free(filter);
	return result;
}

/* --- what changes them --- */

struct disks_request {
	const char *path; /* without the request id */
	const char *what; /* it is about, for people */
	jv body;          /* invalid: none */
	bool begins;      /* that its operation has begun is enough */
};

/* Sends a request by a name that is drawn for it, so that it is heard once however often it is sent, and waits until it has been carried out. It
 * consumes the body. */
static int
disks_do(const struct cloud *cloud, const char *method, const struct disks_request *request, const struct stop *stop, long *status, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	struct arena arena = {0};
	char *path = memory_printf("%s%crequestId=%s", request->path, strchr(request->path, '?') ? '&' : '?', google_request_id(NULL, &arena));
	int result = google_ask(cloud, method, path, jv_is_valid(request->body) ? &request->body : NULL, true, stop, &reply, err);

	*status = reply.answer.status;
	if (result == 0)
		result = google_operation_end(cloud, reply.value, request->what, !request->begins, stop, err);
	google_release(&reply);
	jv_free(request->body);
	arena_release(&arena);
	free(path);
	return result;
}

/* Tells whether an error is one of a state, which may be another by now: an earlier request may have been heard. */
static bool
disks_is_busy(const struct error *err)
{
	return strstr(err->text, "resourceInUse") || strstr(err->text, "RESOURCE_IN_USE") || strstr(err->text, "resourceNotReady") ||
	    strstr(err->text, "RESOURCE_NOT_READY");
}

/* Returns what a disk or snapshot is called, in the arena: restored stores have the same volumes in one project. */
static const char *
disks_name(const struct cloud *cloud, const char *name, struct arena *arena)
{
	char sum[CONTENT_DIGEST_SIZE];

	content_digest(cloud->installation, strlen(cloud->installation), sum);
	return arena_printf(arena, "coopr-%s-%.*s", name, INSTALLATION_LENGTH, sum);
}

/* Returns what both a disk and a snapshot are asked for with. */
static jv
disks_body(const struct cloud *cloud, const struct cloud_volume_order *order)
{
	jv body = jv_object(), labels = jv_object(), longer = jv_object();
	struct arena arena = {0};

	for (size_t i = 0; i < order->tag_count; i++) {
		bool whole;

		json_set_string(&labels, order->tags[i][0], google_label(order->tags[i][1], &arena, &whole));
		if (!whole)
			json_set_string(&longer, order->tags[i][0], order->tags[i][1]);
	}
	if (json_length(longer) > 0) {
		struct buffer text = {0};

		json_dump(longer, &text);
		json_set_string(&body, "description", buffer_string(&text));
		buffer_release(&text);
	}
	json_set_string(&body, "name", disks_name(cloud, order->name, &arena));
	json_set(&body, "labels", labels);
	jv_free(longer);
	arena_release(&arena);
	return body;
}

/* Deletes a disk or snapshot. */
static int
disks_delete(const struct cloud *cloud, const char *path, const char *what, const struct stop *stop, struct error *err)
{
	long status;
	int result = disks_do(cloud, "DELETE", &(struct disks_request){.path = path, .what = what, .body = jv_invalid()}, stop, &status, err);

	if (result < 0 && status == 404)
		result = 0;
	if (result < 0 && disks_is_busy(err))
		err->code = EX_TEMPFAIL;
	return result;
}

/* Sees to one that is there already when it is asked for: what has failed to be made is deleted, so that it can be asked for again. */
static int
disks_find_made(const struct cloud *cloud, const char *folder, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	struct arena arena = {0};
	const char *path = arena_printf(&arena, "%s/%s", folder, disks_name(cloud, order->name, &arena)), *status;
	int result = google_ask(cloud, "GET", path, NULL, true, stop, &reply, err);

	status = result == 0 ? json_arena_string(reply.value, "status", &arena) : NULL;
	if (status && strcmp(status, "FAILED") == 0) {
		result = disks_delete(cloud, path, order->name, stop, err);
		if (result == 0)
			result = error_set(err, EX_TEMPFAIL, "%s: Google has failed to make it, and it was deleted", order->name);
	} else if (reply.answer.status == 404) {
		err->code = EX_TEMPFAIL;
	}
	google_release(&reply);
	arena_release(&arena);
	return result;
}

static int
disks_make(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	const struct google_account *account = cloud->state;
	const char *zone = order->zone ? order->zone : account->zone;
	char *folder = memory_printf("/zones/%s/disks", zone), *size = memory_printf("%lld", (long long)order->size_gb);
	char *type = account->data_type ? memory_printf("projects/%s/zones/%s/diskTypes/%s", account->project, zone, account->data_type) : NULL;
	struct disks_request request = {.path = folder, .what = order->name, .body = disks_body(cloud, order)};
	long status;
	int result;

	json_set_string(&request.body, "sizeGb", size);
	if (type)
		json_set_string(&request.body, "type", type);
	if (order->of)
		json_set_string(&request.body, "sourceSnapshot", order->of);
	result = disks_do(cloud, "POST", &request, stop, &status, err);
	if (result < 0 && status == 409)
		result = disks_find_made(cloud, folder, order, stop, err);
	else if (result < 0 && disks_is_busy(err))
		err->code = EX_TEMPFAIL; /* of the snapshot, which is being made */
	free(type);
	free(size);
	free(folder);
	return result;
}

/* A snapshot that is being uploaded is a copy of its moment already. */
static int
disks_snapshot(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/%s/createSnapshot", order->of);
	struct disks_request request = {.path = path, .what = order->name, .body = disks_body(cloud, order), .begins = true};
	long status;
	int result = disks_do(cloud, "POST", &request, stop, &status, err);

	if (result < 0 && status == 409)
		result = disks_find_made(cloud, "/global/snapshots", order, stop, err);
	free(path);
	return result;
}

static int
disks_remove(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/%s", volume->id);
	int result = disks_delete(cloud, path, volume->name, stop, err);

	free(path);
	return result;
}

/* --- attach and detach --- */

static int
disks_attach(struct cloud *cloud, const struct cloud_volume *volume, const char *machine, const char *device, const struct stop *stop,
    struct error *err)
{
	const struct google_account *account = cloud->state;
	char *path = memory_printf("/zones/%s/instances/%s/attachDisk", volume->zone, machine), *source = memory_printf("projects/%s/%s", account->project, volume->id);
	struct disks_request request = {.path = path, .what = volume->name, .body = jv_object()};
	long status;
	int result;

	(void)device;
	json_set_string(&request.body, "source", source);
	json_set_string(&request.body, "deviceName", strrchr(volume->id, '/') + 1);
	json_set_string(&request.body, "mode", "READ_WRITE");
	json_set(&request.body, "autoDelete", jv_false());
	result = disks_do(cloud, "POST", &request, stop, &status, err);
	if (result < 0 && disks_is_busy(err))
		result = 0;
	free(source);
	free(path);
	return result;
}

static int
disks_detach(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/zones/%s/instances/%s/detachDisk?deviceName=%s", volume->zone, volume->machine, strrchr(volume->id, '/') + 1);
	struct disks_request request = {.path = path, .what = volume->name, .body = jv_invalid()};
	long status;
	int result = disks_do(cloud, "POST", &request, stop, &status, err);

	if (result < 0 && disks_is_busy(err))
		result = 0;
	free(path);
	return result;
}

/* The serial number is the device's name. Rules of Google's guest environment make the first link of it, those of systemd the second for disks on SCSI. */
static const char *
disks_paths(const struct cloud_volume *volume, struct arena *arena)
{
	const char *name = strrchr(volume->id, '/') + 1;

	return arena_printf(arena, "/dev/disk/by-id/google-%s /dev/disk/by-id/scsi-0Google_PersistentDisk_%s", name, name);
}

const struct cloud_volume_api google_volumes = {.fills = true, .list = disks_list, .make = disks_make, .attach = disks_attach,
	.detach = disks_detach, .snapshot = disks_snapshot, .remove = disks_remove, .paths = disks_paths};
