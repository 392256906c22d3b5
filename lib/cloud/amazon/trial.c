/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/amazon/account.h"
#include "cloud/amazon/image.h"
#include "cloud/amazon/request.h"

enum { TYPES_PAGE = 100 };

/* Asks for one thing by its name or id, and finds what the answer says of it at a path. */
static int
ec2_find(const struct cloud *cloud, const char *action, const char *parameter, const char *name, const char *path, const struct stop *stop,
    struct arena *arena, const char **found, struct error *err)
{
	struct ec2_reply reply = EC2_REPLY_NONE;
	struct buffer form = {0};
	int result;

	ec2_begin(&form, action);
	ec2_add(&form, name, "%s", parameter);
	result = ec2_ask(cloud, &form, true, stop, &reply, err);
	if (result == 0) {
		*found = xml_text(xml_root(reply.document), path, arena);
		if (!*found)
			result = error_set(err, EX_CONFIG, "%s: the cloud has no %s", action, name);
	}
	buffer_release(&form);
	ec2_release(&reply);
	return result;
}

static int
ec2_try_zone(struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct ec2_account *account = cloud->state;
	const char *zone = name ? name : account->zone, *state;

	if (!zone)
		return 1;
	if (ec2_find(cloud, "DescribeAvailabilityZones", "ZoneName.1", zone, "availabilityZoneInfo/item/zoneState", stop, arena, &state, err) < 0)
		return -1;
	if (strcmp(state, "available") != 0)
		return error_set(err, CLOUD_NO_CAPACITY, "zone %s is %s", zone, state);
	*said = name ? NULL : zone;
	return 0;
}

static int
ec2_try_network(struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct ec2_account *account = cloud->state;
	const char *id;
	int result = 1;

	if (account->subnet)
		result = ec2_find(cloud, "DescribeSubnets", "SubnetId.1", account->subnet, "subnetSet/item/subnetId", stop, arena, &id, err);
	for (size_t i = 0; i < account->group_ids.count && result >= 0; i++)
		result = ec2_find(cloud, "DescribeSecurityGroups", "GroupId.1", account->group_ids.list[i], "securityGroupInfo/item/groupId", stop, arena, &id, err);
	for (size_t i = 0; i < account->groups.count && result >= 0; i++)
		result = ec2_find(cloud, "DescribeSecurityGroups", "GroupName.1", account->groups.list[i], "securityGroupInfo/item/groupId", stop, arena, &id, err);
	if (account->keypair && result >= 0)
		result = ec2_find(cloud, "DescribeKeyPairs", "KeyName.1", account->keypair, "keySet/item/keyName", stop, arena, &id, err);
	if (result == 0)
		*said = "subnet, security groups and key pair are there, as far as the fields name them";
	return result;
}

int
ec2_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const char *found;

	switch (trial) {
	case CLOUD_TRY_ZONE:
		return ec2_try_zone(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_FLAVOR:
		return ec2_find(cloud, "DescribeInstanceTypes", "InstanceType.1", name, "instanceTypeSet/item/instanceType", stop, arena, &found, err);
	case CLOUD_TRY_IMAGE:
		if (!(found = ec2_image(cloud, name, stop, arena, err)))
			return -1;
		*said = strcmp(found, name) == 0 ? NULL : found;
		return *said ? 0 : ec2_find(cloud, "DescribeImages", "ImageId.1", name, "imagesSet/item/imageId", stop, arena, &found, err);
	case CLOUD_TRY_NETWORK:
		return ec2_try_network(cloud, stop, arena, said, err);
	case CLOUD_TRY_CREDENTIALS:
	case CLOUD_TRY_QUOTA:
	case CLOUD_TRIALS:
		break;
	}
	return 1;
}

static double
ec2_number(const struct _xmlNode *element, const char *path, struct arena *arena)
{
	const char *text = xml_text(element, path, arena);

	return text ? strtod(text, NULL) : 0;
}

static int
ec2_read_flavor(const struct _xmlNode *item, void *data, struct error *err)
{
	struct cloud_flavors *flavors = data;
	struct arena *arena = &flavors->arena;
	const char *name = xml_text(item, "instanceType", arena);

	(void)err;
	if (name)
		*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = name, .cpus = ec2_number(item, "vCpuInfo/defaultVCpus", arena),
		    .memory_mb = ec2_number(item, "memoryInfo/sizeInMiB", arena), .per_hour = -1};
	return 0;
}

int
ec2_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	const struct ec2_list list = {.action = "DescribeInstanceTypes", .set = "instanceTypeSet", .page = TYPES_PAGE, .read = ec2_read_flavor,
	    .data = flavors};

	return ec2_pages(cloud, &list, stop, err);
}
