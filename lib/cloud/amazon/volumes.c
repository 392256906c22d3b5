/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/amazon/account.h"
#include "cloud/amazon/request.h"
#include "cloud/cloud.h"

enum { PAGE = 500 };

/* The first are those of the image, and of aws_ebs_size. */
static const char *const devices[] = {"/dev/sdg", "/dev/sdh", "/dev/sdi", "/dev/sdj", "/dev/sdk", "/dev/sdl", "/dev/sdm", "/dev/sdn", "/dev/sdo",
	"/dev/sdp", NULL};

static enum cloud_volume_state
ec2_volume_state(const char *state)
{
	static const struct {
		const char *word;
		enum cloud_volume_state state;
	} states[] = {{"available", CLOUD_VOLUME_FREE}, {"in-use", CLOUD_VOLUME_ATTACHED}, {"deleting", CLOUD_VOLUME_GONE}, {"deleted", CLOUD_VOLUME_GONE},
	    {"error", CLOUD_VOLUME_GONE}, {"completed", CLOUD_VOLUME_FREE}, {"recoverable", CLOUD_VOLUME_GONE}};

	for (size_t i = 0; state && i < sizeof states / sizeof *states; i++)
		if (strcmp(state, states[i].word) == 0)
			return states[i].state;
	return CLOUD_VOLUME_BUSY;
}

struct ec2_reading {
	struct cloud_volumes *found;
	bool snapshots;
};

/* Reads a volume, or a snapshot. */
static int
ec2_read_volume(const struct _xmlNode *item, void *data, struct error *err)
{
	struct cloud_volumes *found = ((const struct ec2_reading *)data)->found;
	bool is_snapshot = ((const struct ec2_reading *)data)->snapshots;
	struct arena *arena = &found->arena;
	struct cloud_volume volume = {.id = xml_text(item, is_snapshot ? "snapshotId" : "volumeId", arena), .is_snapshot = is_snapshot,
	    .zone = xml_text(item, "availabilityZone", arena), .machine = xml_text(item, "attachmentSet/item/instanceId", arena),
	    .device = xml_text(item, "attachmentSet/item/device", arena), .state = ec2_volume_state(xml_text(item, "status", arena))};
	const char *size = xml_text(item, is_snapshot ? "volumeSize" : "size", arena), *attached = xml_text(item, "attachmentSet/item/status", arena);
	const struct _xmlNode *tags = xml_child(item, "tagSet");

	if (!volume.id)
		return error_set(err, EX_TEMPFAIL, "the cloud's answer has a volume without an id");
	volume.size_gb = size ? strtoll(size, NULL, 10) : 0;
	if (volume.state == CLOUD_VOLUME_ATTACHED && (!attached || strcmp(attached, "attached") != 0))
		volume.state = CLOUD_VOLUME_BUSY;
	for (const struct _xmlNode *tag = xml_child(tags, "item"); tag; tag = xml_next(tag, "item")) {
		const char *name = xml_text(tag, "key", arena);

		if (name && strcmp(name, CLOUD_TAG_VOLUME) == 0)
			volume.name = xml_text(tag, "value", arena);
		if (name && strcmp(name, CLOUD_TAG_PROVIDER) == 0)
			volume.provider = xml_text(tag, "value", arena);
	}
	/* The volumes of an instance bear its tags, and no name. */
	if (volume.name)
		*cloud_volumes_add(found) = volume;
	return 0;
}

static int
ec2_list_volumes(struct cloud *cloud, bool snapshots, const struct stop *stop, struct cloud_volumes *found, struct error *err)
{
	struct ec2_reading reading = {.found = found, .snapshots = snapshots};
	struct ec2_list list = {.action = snapshots ? "DescribeSnapshots" : "DescribeVolumes", .set = snapshots ? "snapshotSet" : "volumeSet",
	    .page = PAGE, .read = ec2_read_volume, .data = &reading};
	struct buffer only = {0};
	int result;

	ec2_add(&only, snapshots ? "self" : NULL, "Owner.1");
	ec2_add(&only, "tag:" CLOUD_TAG_INSTALLATION, "Filter.1.Name");
	ec2_add(&only, cloud->installation, "Filter.1.Value.1");
	ec2_add(&only, "tag-key", "Filter.2.Name");
	ec2_add(&only, CLOUD_TAG_VOLUME, "Filter.2.Value.1");
	list.only = buffer_string(&only);
	result = ec2_pages(cloud, &list, stop, err);
	buffer_release(&only);
	return result;
}

static void
ec2_add_volume_tags(struct buffer *form, const char *type, const struct cloud_volume_order *order)
{
	ec2_add(form, type, "TagSpecification.1.ResourceType");
	ec2_add(form, "Name", "TagSpecification.1.Tag.1.Key");
	ec2_add(form, order->name, "TagSpecification.1.Tag.1.Value");
	for (size_t i = 0; i < order->tag_count; i++) {
		ec2_add(form, order->tags[i][0], "TagSpecification.1.Tag.%zu.Key", i + 2);
		ec2_add(form, order->tags[i][1], "TagSpecification.1.Tag.%zu.Value", i + 2);
	}
}

/* Sends a form, and releases it. An error whose code is one of passed is none. */
static int
ec2_do(struct cloud *cloud, struct buffer *form, bool repeatable, const char *const *passed, const struct stop *stop, struct error *err)
{
	struct ec2_reply reply = EC2_REPLY_NONE;
	int result = ec2_ask(cloud, form, repeatable, stop, &reply, err);

	if (result < 0 && ec2_is_one_of(reply.code, passed))
		result = 0;
	ec2_release(&reply);
	buffer_release(form);
	return result;
}

static const char *const none[] = {NULL};

static int
ec2_make_volume(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	const struct ec2_account *account = cloud->state;
	const char *zone = order->zone ? order->zone : account->zone;
	struct buffer form = {0};

	if (!zone)
		return error_set(err, EX_TEMPFAIL, "volume %s: the cloud does not say in which zone its machine is", order->name);
	ec2_begin(&form, "CreateVolume");
	ec2_add(&form, zone, "AvailabilityZone");
	buffer_printf(&form, "&Size=%lld", (long long)order->size_gb);
	ec2_add(&form, order->of, "SnapshotId");
	ec2_add(&form, account->data.type, "VolumeType");
	ec2_add(&form, order->name, "ClientToken");
	ec2_add_volume_tags(&form, "volume", order);
	return ec2_do(cloud, &form, true, none, stop, err);
}

static int
ec2_attach_volume(struct cloud *cloud, const struct cloud_volume *volume, const char *machine, const char *device, const struct stop *stop,
    struct error *err)
{
	/* It is looked at again: an earlier request may have been heard, and the device be another one's meanwhile. */
	static const char *const again[] = {"VolumeInUse", "IncorrectState", "IncorrectInstanceState", NULL};
	struct buffer form = {0};

	ec2_begin(&form, "AttachVolume");
	ec2_add(&form, volume->id, "VolumeId");
	ec2_add(&form, machine, "InstanceId");
	ec2_add(&form, device, "Device");
	return ec2_do(cloud, &form, true, again, stop, err);
}

static int
ec2_detach_volume(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	static const char *const again[] = {"IncorrectState", NULL};
	struct buffer form = {0};

	ec2_begin(&form, "DetachVolume");
	ec2_add(&form, volume->id, "VolumeId");
	ec2_add(&form, volume->machine, "InstanceId");
	return ec2_do(cloud, &form, true, again, stop, err);
}

/* No token names the request, so that it is not sent again. */
static int
ec2_snapshot_volume(struct cloud *cloud, const struct cloud_volume_order *order, const struct stop *stop, struct error *err)
{
	struct buffer form = {0};

	ec2_begin(&form, "CreateSnapshot");
	ec2_add(&form, order->of, "VolumeId");
	ec2_add_volume_tags(&form, "snapshot", order);
	return ec2_do(cloud, &form, false, none, stop, err);
}

static int
ec2_remove_volume(struct cloud *cloud, const struct cloud_volume *volume, const struct stop *stop, struct error *err)
{
	static const char *const gone[] = {"InvalidVolume.NotFound", "InvalidSnapshot.NotFound", NULL};
	struct buffer form = {0};

	ec2_begin(&form, volume->is_snapshot ? "DeleteSnapshot" : "DeleteVolume");
	ec2_add(&form, volume->id, volume->is_snapshot ? "SnapshotId" : "VolumeId");
	return ec2_do(cloud, &form, true, gone, stop, err);
}

/* The serial number of an NVMe disk is the volume's id; the kernel calls other disks xvdX or sdX, after the device that was asked for. */
static const char *
ec2_volume_paths(const struct cloud_volume *volume, struct arena *arena)
{
	const char *id = strncmp(volume->id, "vol-", 4) == 0 ? volume->id + 4 : volume->id;
	const char *letter = volume->device && *volume->device ? volume->device + strlen(volume->device) - 1 : "";

	return arena_printf(arena, "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol%s /dev/xvd%s %s", id, letter, volume->device ? volume->device : "");
}

const struct cloud_volume_api ec2_volumes = {.devices = devices, .list = ec2_list_volumes, .make = ec2_make_volume, .attach = ec2_attach_volume,
	.detach = ec2_detach_volume, .snapshot = ec2_snapshot_volume, .remove = ec2_remove_volume, .paths = ec2_volume_paths};
