/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/container/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/container/copy.h"
#include "cloud/container/daemon.h"
#include "cloud/container/remake.h"
#include "cloud/volume.h"
#include "json/json.h"

/* Further labels of volumes: */
#define TAG_SIZE "coopr-size-gb"
#define TAG_IMAGE "coopr-image"   /* of the machine that it was made for; what copies it runs in that */
#define TAG_OF "coopr-of"         /* it is filled from this one, */
#define TAG_FILLED "coopr-filled" /* and whole when there is another volume whose label names it */
#define TAG_SNAPSHOT "coopr-snapshot"

#define FILLED_SUFFIX ".filled"

/* --- list --- */

struct listing { /* of the containers that have volumes, and of the volumes that say of others that they are filled */
	jv containers, volumes;
	struct cloud_volumes *found;
	bool snapshots;
};

/* Adds the containers that have the volume of that name: the one that is there first; a successor is the same machine. */
static void
daemon_volumes_find_machine(const struct listing *listing, struct cloud_volume *volume)
{
	struct arena *arena = &listing->found->arena;

	for (size_t i = 0; i < json_length(listing->containers) && !volume->machine; i++) {
		jv container = json_element(listing->containers, i), labels = json_get(container, "Labels");
		char *names = json_get_string(labels, CONTAINER_TAG_VOLUMES);

		for (char *rest = names, *name; rest && (name = strsep(&rest, " "));)
			if (strcmp(name, volume->name) == 0)
				volume->machine = cloud_text(container, "Id", arena);
		free(names);
		jv_free(labels);
		jv_free(container);
	}
	if (volume->machine)
		volume->state = CLOUD_VOLUME_ATTACHED;
}

/* Tells whether some volume says that the one of that name is filled. */
static bool
daemon_volumes_is_filled(const struct listing *listing, const char *name)
{
	bool is_filled = false;

	for (size_t i = 0; i < json_length(listing->volumes) && !is_filled; i++) {
		jv volume = json_element(listing->volumes, i), labels = json_get(volume, "Labels");
		char *of = json_get_string(labels, TAG_FILLED);

		is_filled = of && strcmp(of, name) == 0;
		free(of);
		jv_free(labels);
		jv_free(volume);
	}
	return is_filled;
}

/* Reads one of the list. One that only says that another is filled, which is gone, stands for that: it has to be deleted, too. */
static void
daemon_volumes_read(const struct listing *listing, jv record)
{
	struct arena *arena = &listing->found->arena;
	jv labels = json_get(record, "Labels");
	const char *filled = cloud_text(labels, TAG_FILLED, arena), *of = cloud_text(labels, TAG_OF, arena);
	const char *name = filled ? filled : cloud_text(labels, CLOUD_TAG_VOLUME, arena), *size = cloud_text(labels, TAG_SIZE, arena);
	struct cloud_volume volume = {.id = name, .name = name, .provider = cloud_text(labels, CLOUD_TAG_PROVIDER, arena),
	    .is_snapshot = json_is(labels, TAG_SNAPSHOT, JV_KIND_STRING), .state = CLOUD_VOLUME_FREE, .size_gb = size ? strtoll(size, NULL, 10) : 0};

	if (of && !daemon_volumes_is_filled(listing, name))
		volume.state = CLOUD_VOLUME_BUSY;
	jv_free(labels);
	if (!name || volume.is_snapshot != listing->snapshots)
		return;
	for (size_t i = 0; filled && i < listing->found->count; i++)
		if (strcmp(listing->found->list[i].id, name) == 0)
			return;
	daemon_volumes_find_machine(listing, &volume);
	*cloud_volumes_add(listing->found) = volume;
}

static int
daemon_volumes_get(struct cloud *cloud, const char *what, const char *member, const struct stop *stop, jv *out, struct error *err)
{
	char *filters = memory_printf("{\"label\":[\"" CLOUD_TAG_INSTALLATION "=%s\"]}", cloud->installation), *escaped = client_escape(filters);
	char *path = memory_printf("%s%s", what, escaped);
	int result = daemon_list(cloud, path, member, stop, out, err);

	free(path);
	free(escaped);
	free(filters);
	return result;
}

/* Adds those that are volumes; then those that are left of some. */
static void
daemon_volumes_read_all(const struct listing *listing)
{
	for (int filled = 0; filled < 2; filled++)
		for (size_t i = 0; i < json_length(listing->volumes); i++) {
			jv volume = json_element(listing->volumes, i), labels = json_get(volume, "Labels");
			bool is_mark = json_is(labels, TAG_FILLED, JV_KIND_STRING);

			if (is_mark == (filled == 1))
				daemon_volumes_read(listing, volume);
			jv_free(labels);
			jv_free(volume);
		}
}

static int
daemon_volumes_list(struct cloud *cloud, bool snapshots, const struct stop *stop, struct cloud_volumes *found, struct error *err)
{
	struct listing listing = {.containers = jv_invalid(), .volumes = jv_invalid(), .found = found, .snapshots = snapshots};
	jv out = jv_invalid();
	/* The containers last: one that has got a volume meanwhile is seen. */
	int result = daemon_volumes_get(cloud, "/volumes?filters=", "Volumes", stop, &out, err);

	if (result == 0)
		result = daemon_volumes_get(cloud, "/containers/json?all=true&filters=", "", stop, &listing.containers, err);
	if (result == 0) {
		listing.volumes = json_get(out, "Volumes");
		daemon_volumes_read_all(&listing);
	}
	jv_free(listing.volumes);
	jv_free(listing.containers);
	jv_free(out);
	return result;
}

/* --- make --- */

static int
daemon_volumes_post(struct cloud *cloud, jv body, const struct stop *stop, jv *out, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	int result = daemon_post(cloud, "/volumes/create", body, stop, &answer, out, err);

	client_answer_release(&answer);
	return result;
}

/* Has the daemon have a volume of that name with these labels, which is freed. The daemon gives back one that is there: it has to be ours. */
static int
daemon_volumes_have(struct cloud *cloud, const char *name, jv labels, const struct stop *stop, struct error *err)
{
	jv body = jv_object(), out = jv_invalid(), its;
	char *installation;
	int result;

	json_set_string(&body, "Name", name);
	json_set(&body, "Labels", labels);
	result = daemon_volumes_post(cloud, body, stop, &out, err);
	its = json_get(out, "Labels");
	installation = json_get_string(its, CLOUD_TAG_INSTALLATION);
	if (result == 0 && (!installation || strcmp(installation, cloud->installation) != 0))
		result = error_set(err, EX_CONFIG, "the volume %s is somebody else's", name);
	free(installation);
	jv_free(its);
	jv_free(out);
	jv_free(body);
	return result;
}

/* Returns the label of that name of a volume, owned; NULL where it has none, or there is no such volume. */
static char *
daemon_volumes_label(struct cloud *cloud, const char *volume, const char *name, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/volumes/%s", volume), *value = NULL;
	long status;
	jv out, labels;

	if (daemon_do(cloud, "GET", path, stop, &status, &out, err) == 0) {
		labels = json_get(out, "Labels");
		value = json_get_string(labels, name);
		jv_free(labels);
	}
	jv_free(out);
	free(path);
	return value;
}

/* --- fill --- */

/* Returns the labels of a volume that says that another is filled. */
static jv
daemon_volumes_mark(struct cloud *cloud, const char *name, bool is_snapshot)
{
	jv labels = jv_object();

	json_set_string(&labels, CLOUD_TAG_INSTALLATION, cloud->installation);
	json_set_string(&labels, CLOUD_TAG_PROVIDER, cloud->name);
	json_set_string(&labels, TAG_FILLED, name);
	if (is_snapshot)
		json_set_string(&labels, TAG_SNAPSHOT, "true");
	return labels;
}

/* Fills a volume with what another has, and says so. */
static int
daemon_volumes_fill(struct cloud *cloud, const struct cloud_volume_order *order, const char *image, bool is_snapshot, const struct stop *stop, struct error *err)
{
	char *mark = memory_printf("%s" FILLED_SUFFIX, order->name);
	int result = container_copy(cloud, order->of, order->name, image, stop, err);

	if (result == 0)
		result = daemon_volumes_have(cloud, mark, daemon_volumes_mark(cloud, order->name, is_snapshot), stop, err);
	free(mark);
	return result;
}

static int
daemon_volumes_make_any(struct cloud *cloud, const struct cloud_volume_order *order, bool is_snapshot, const struct stop *stop,
    struct error *err)
{
	jv labels = jv_object();
	char *size = memory_printf("%lld", (long long)order->size_gb), *image;
	int result;

	image = order->image ? memory_string(order->image) : daemon_volumes_label(cloud, order->of, TAG_IMAGE, stop, err);
	if (order->of && !image) {
		free(size);
		jv_free(labels);
		return error_set(err, EX_CONFIG, "volume %s: nothing is known of an image in which it can be copied", order->of);
	}
	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(&labels, order->tags[i][0], order->tags[i][1]);
	json_set_string(&labels, TAG_SIZE, size);
	if (image)
		json_set_string(&labels, TAG_IMAGE, image);
	if (order->of)
		json_set_string(&labels, TAG_OF, order->of);
	if (is_snapshot)
		json_set_string(&labels, TAG_SNAPSHOT, "true");
	result = daemon_volumes_have(cloud, order->name, labels, stop, err);
	if (result == 0 && order->of)
		result = daemon_volumes_fill(cloud, order, image, is_snapshot, stop, err);
	free(image);
	free(size);
	return result;
}

static int
daemon_volumes_make(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	return daemon_volumes_make_any(cloud, order, false, stop, err);
}

/* --- snapshot, remove --- */

/* Sets *running to the name of a container that runs and has the volume; the caller frees it. */
static int
daemon_volumes_find_running(struct cloud *cloud, const char *volume, const struct stop *stop, char **running, struct error *err)
{
	struct cloud_volumes all = {.list = NULL};
	struct listing listing = {.found = &all};
	struct cloud_volume its = {.name = volume};
	int result = daemon_volumes_get(cloud, "/containers/json?filters=", "", stop, &listing.containers, err);

	*running = NULL;
	if (result == 0)
		daemon_volumes_find_machine(&listing, &its);
	if (its.machine)
		*running = memory_string(its.machine);
	jv_free(listing.containers);
	cloud_volumes_release(&all);
	return result;
}

/* Copies a volume that no machine writes to: files that change meanwhile would not be of one moment. */
static int
daemon_volumes_snapshot(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	char *running;

	if (daemon_volumes_find_running(cloud, order->of, stop, &running, err) < 0)
		return -1;
	if (running) {
		error_set(err, EX_TEMPFAIL, "volume %s: the container %.12s, which runs, has it, and %s copies only volumes that nobody writes to", order->of,
		    running, cloud->name);
		free(running);
		return -1;
	}
	return daemon_volumes_make_any(cloud, order, true, stop, err);
}

static int
daemon_volumes_delete(struct cloud *cloud, const char *name, const char *suffix, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/volumes/%s%s", name, suffix);
	int result = daemon_ensure(cloud, "DELETE", path, 404, stop, err);

	free(path);
	return result;
}

/* The container that copies to it may have been cut off. What says that it is filled goes last: it is what is seen of it until then. */
static int
daemon_volumes_remove(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	if (container_copy_stop(cloud, volume->id, stop, err) < 0)
		return -1;
	return daemon_volumes_delete(cloud, volume->id, "", stop, err) < 0 ? -1 : daemon_volumes_delete(cloud, volume->id, FILLED_SUFFIX, stop, err);
}

const struct cloud_volume_api container_volumes = {.fills = true, .list = daemon_volumes_list, .make = daemon_volumes_make, .give = container_remake,
	.snapshot = daemon_volumes_snapshot, .remove = daemon_volumes_remove};
