/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/openstack/request.h"

/* Hypervisors differ in what they make of these names; they only count the volumes of a server. */
static const char *const devices[] = {"/dev/vdb", "/dev/vdc", "/dev/vdd", "/dev/vde", "/dev/vdf", "/dev/vdg", "/dev/vdh", "/dev/vdi", "/dev/vdj",
	"/dev/vdk", "/dev/vdl", "/dev/vdm", NULL};

/* --- list --- */

/* A volume in a failed state may have data nevertheless: it is neither made anew nor attached, and is deleted only by request. */
static enum cloud_volume_state
cinder_state(const char *status)
{
	return !status ? CLOUD_VOLUME_BUSY : strcmp(status, "available") == 0 ? CLOUD_VOLUME_FREE : strcmp(status, "in-use") == 0 ? CLOUD_VOLUME_ATTACHED
	    : strcmp(status, "deleting") == 0 ? CLOUD_VOLUME_GONE : CLOUD_VOLUME_BUSY;
}

/* Reads a volume or a snapshot, if it is one of this installation's. */
static int
cinder_read_one(const struct cloud *cloud, jv one, bool is_snapshot, struct cloud_volumes *found, struct error *err)
{
	struct arena *arena = &found->arena;
	jv metadata = json_get(one, "metadata"), attachments = json_get(one, "attachments");
	jv attachment = json_element(attachments, 0);
	char *installation = json_get_string(metadata, CLOUD_TAG_INSTALLATION), *status = json_get_string(one, "status");
	struct cloud_volume volume = {.id = json_arena_string(one, "id", arena), .name = json_arena_string(metadata, CLOUD_TAG_VOLUME, arena),
	    .provider = json_arena_string(metadata, CLOUD_TAG_PROVIDER, arena), .zone = json_arena_string(one, "availability_zone", arena),
	    .machine = json_arena_string(attachment, "server_id", arena), .device = json_arena_string(attachment, "device", arena),
	    .size_gb = (int64_t)json_get_number(one, "size", 0), .state = cinder_state(status), .is_snapshot = is_snapshot};
	bool is_ours = installation && strcmp(installation, cloud->installation) == 0 && volume.name;

	free(status);
	free(installation);
	jv_free(attachment);
	jv_free(attachments);
	jv_free(metadata);
	if (is_ours && !volume.id)
		return error_set(err, EX_TEMPFAIL, "the cloud's answer has a volume without an id");
	if (is_ours)
		*cloud_volumes_add(found) = volume;
	return 0;
}

struct cinder_reading {
	const struct cloud *cloud;
	struct cloud_volumes *found;
	bool snapshots;
};

static int
cinder_read(jv page, void *data, struct error *err)
{
	const struct cinder_reading *reading = data;
	int result = 0;

	for (size_t i = 0; result == 0 && i < json_length(page); i++) {
		jv one = json_element(page, i);

		result = cinder_read_one(reading->cloud, one, reading->snapshots, reading->found, err);
		jv_free(one);
	}
	return result;
}

static int
cinder_list(struct cloud *cloud, bool snapshots, const struct stop *stop, struct cloud_volumes *found, struct error *err)
{
	struct cinder_reading reading = {.cloud = cloud, .found = found, .snapshots = snapshots};
	const struct openstack_list list = {.service = OPENSTACK_VOLUME, .path = snapshots ? "/snapshots/detail?limit=1000" : "/volumes/detail?limit=1000",
	    .member = snapshots ? "snapshots" : "volumes", .read = cinder_read, .data = &reading};

	return openstack_list(cloud, &list, stop, err);
}

/* --- make and remove --- */

/* Returns {"volume": {...}} or {"snapshot": {...}} with what both have. */
static jv
cinder_body(const char *member, const struct cloud_volume_order *order, const char *of, const char *zone)
{
	jv body = jv_object(), value = jv_object(), metadata = jv_object();

	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(&metadata, order->tags[i][0], order->tags[i][1]);
	json_set(&value, "metadata", metadata);
	json_set_string(&value, "name", order->name);
	if (of)
		json_set_string(&value, of, order->of);
	if (zone)
		json_set_string(&value, "availability_zone", zone);
	if (strcmp(member, "volume") == 0)
		json_set_number(&value, "size", (double)order->size_gb);
	else
		json_set(&value, "force", jv_true()); /* of a volume that a server has */
	json_set(&body, member, value);
	return body;
}

/* Cinder takes no word that names a request: one that may have been heard is not sent again, and the list shows what became of it. Its zones are not
 * always those of Nova, where volumes of any zone may be attached then. */
static int
cinder_make(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	const char *of = order->of ? "snapshot_id" : NULL;
	long status;
	int result = openstack_do(cloud, OPENSTACK_VOLUME, "POST", "/volumes", cinder_body("volume", order, of, order->zone), false, stop, &status, err);

	if (result < 0 && status == 400 && order->zone && strstr(err->text, "vailability zone"))
		result = openstack_do(cloud, OPENSTACK_VOLUME, "POST", "/volumes", cinder_body("volume", order, of, NULL), false, stop, &status, err);
	if (result < 0 && status == 413)
		err->code = CLOUD_NO_QUOTA;
	if (result < 0 && status == 400 && strstr(err->text, "Invalid snapshot"))
		err->code = EX_TEMPFAIL; /* it is being made */
	return result;
}

static int
cinder_snapshot(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	long status;
	int result = openstack_do(cloud, OPENSTACK_VOLUME, "POST", "/snapshots", cinder_body("snapshot", order, "volume_id", NULL), false, stop, &status, err);

	if (result < 0 && status == 413)
		err->code = CLOUD_NO_QUOTA;
	return result;
}

static int
cinder_remove(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/%s/%s", volume->is_snapshot ? "snapshots" : "volumes", volume->id);
	long status;
	int result = openstack_delete(cloud, OPENSTACK_VOLUME, path, stop, &status, err);

	if (result < 0 && status == 400)
		err->code = EX_TEMPFAIL; /* it has another thing to do first */
	free(path);
	return result;
}

/* --- attach and detach --- */

/* A refusal because of a state is looked at again: an earlier request may have been heard. */
static int
cinder_attach(struct cloud *cloud, const struct cloud_volume *volume, const char *machine, const char *device, const struct stop *stop,
    struct error *err)
{
	char *path = memory_printf("/servers/%s/os-volume_attachments", machine);
	jv body = jv_object(), attachment = jv_object();
	long status;
	int result;

	(void)device;
	json_set_string(&attachment, "volumeId", volume->id);
	json_set(&body, "volumeAttachment", attachment);
	result = openstack_do(cloud, OPENSTACK_COMPUTE, "POST", path, body, true, stop, &status, err);
	if (result < 0 && (status == 409 || (status == 400 && strstr(err->text, "Invalid volume"))))
		result = 0;
	free(path);
	return result;
}

static int
cinder_detach(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/servers/%s/os-volume_attachments/%s", volume->machine, volume->id);
	long status;
	int result = openstack_delete(cloud, OPENSTACK_COMPUTE, path, stop, &status, err);

	if (result < 0 && (status == 409 || (status == 400 && strstr(err->text, "Invalid volume"))))
		result = 0;
	free(path);
	return result;
}

/* The serial number is the volume's id, of which virtio takes 20 characters; VMware has a number of its own for it. */
static const char *
cinder_paths(const struct cloud_volume *volume, struct arena *arena)
{
	char *digits = memory_string(volume->id), *to = digits;
	const char *paths;

	for (const char *at = volume->id; *at; at++)
		if (*at != '-')
			*to++ = *at;
	*to = '\0';
	paths = arena_printf(arena, "/dev/disk/by-id/virtio-%.20s /dev/disk/by-id/virtio-%s /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_%s /dev/disk/by-id/wwn-0x%s",
	    volume->id, volume->id, volume->id, digits);
	free(digits);
	return paths;
}

const struct cloud_volume_api openstack_volumes = {.devices = devices, .list = cinder_list, .make = cinder_make, .attach = cinder_attach,
	.detach = cinder_detach, .snapshot = cinder_snapshot, .remove = cinder_remove, .paths = cinder_paths};
