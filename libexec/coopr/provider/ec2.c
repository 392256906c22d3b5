/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/ec2, also called aws: instances, by the Query API of Amazon EC2 and of clouds that speak it, coopr-clouds(7). A client token names
 * each request for an instance, so that one which is asked again makes nothing twice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/amazon/account.h"
#include "cloud/amazon/console.h"
#include "cloud/amazon/image.h"
#include "cloud/amazon/request.h"
#include "cloud/amazon/trial.h"
#include "cloud/amazon/volumes.h"
#include "cloud/base64.h"
#include "cloud/plugin.h"

enum { PAGE = 1000, WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider ec2\",\"type\":\"object\",\"flavors\":true,\"volumes\":true," CLOUD_DESCRIBES
    "\"anyOf\":[{\"required\":[\"api_user\",\"api_password\"]},{\"required\":[\"credentials\"]}],\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The id of an access key\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The access key's secret\"},"
    "\"session_token\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The token of a session, where the key is a temporary one\"},"
    "\"credentials\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"fields\",\"description\":\"fields, or instance_profile: the role of this machine\"},"
    "\"metadata_endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"http://169.254.169.254\",\"description\":\"Where that role's keys are asked for\"},"
    "\"aws_region\":{\"type\":\"string\",\"default\":\"us-east-1\",\"description\":\"The region of instances\"},"
    "\"availability_zone\":{\"type\":\"string\",\"description\":\"The zone of nodes without one; by default the cloud chooses\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"A key pair of the region, for clusters without a key of their own\"},"
    "\"security_groups\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Names of security groups; only outside of subnets\"},"
    "\"security_group_ids\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Ids of security groups\"},"
    "\"subnet_id\":{\"type\":\"string\",\"description\":\"The subnet of instances; by default one of the default network\"},"
    "\"associate_public_ip\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether instances of a subnet have a public address\"},"
    "\"dedicated_instance\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether they share their host with no other customer\"},"
    "\"placement_group\":{\"type\":\"string\",\"description\":\"The placement group of instances\"},"
    "\"iam_instance_profile\":{\"type\":\"string\",\"description\":\"The name or ARN of their instance profile\"},"
    "\"aws_root_ebs_size\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size of the root volume in GB; by default as the image has it\"},"
    "\"aws_root_ebs_type\":{\"type\":\"string\",\"description\":\"The type of the root volume, such as gp3\"},"
    "\"aws_root_ebs_delete_on_term\":{\"type\":[\"string\",\"boolean\"],\"description\":\"Whether it goes with its instance; by default as the image has it, and true where its size or type is given\"},"
    "\"aws_ebs_size\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size in GB of a further one, at /dev/sdf; by default there is none\"},"
    "\"aws_ebs_type\":{\"type\":\"string\",\"description\":\"The type of the further volume\"},"
    "\"aws_ebs_delete_on_term\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether the further volume goes with its instance\"},"
    "\"spot\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether instances are spot instances\"},"
    "\"spot_price\":{\"type\":\"string\",\"description\":\"The highest price of one for an hour, in USD; by default that of other instances\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The URL of the API; by default that of the region\"},"
    "\"provider_hostname\":{\"type\":\"string\",\"description\":\"Not used\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used\"}}}";

static void
ec2_read_state(const struct _xmlNode *instance, struct arena *arena, struct cloud_machine *machine)
{
	const char *state = xml_text(instance, "instanceState/name", arena), *reason = xml_text(instance, "stateReason/message", arena);

	machine->is_off = state && strcmp(state, "stopped") == 0;
	machine->reason = reason ? reason : xml_text(instance, "reason", arena);
	machine->state = !state ? CLOUD_PENDING : strcmp(state, "running") == 0 ? CLOUD_RUNNING
	    : strcmp(state, "shutting-down") == 0 || strcmp(state, "terminated") == 0 ? CLOUD_GONE : CLOUD_PENDING;
}

static int
ec2_read_instance(const struct _xmlNode *instance, struct cloud_machines *machines, struct error *err)
{
	struct arena *arena = &machines->arena;
	struct cloud_machine machine = {.id = xml_text(instance, "instanceId", arena), .zone = xml_text(instance, "placement/availabilityZone", arena),
	    .bind_v4 = xml_text(instance, "privateIpAddress", arena), .access_v4 = xml_text(instance, "ipAddress", arena),
	    .access_v6 = xml_text(instance, "networkInterfaceSet/item/ipv6AddressesSet/item/ipv6Address", arena)};
	const char *launched = xml_text(instance, "launchTime", arena);
	const struct _xmlNode *tags = xml_child(instance, "tagSet");

	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "the cloud's answer has an instance without an id");
	ec2_read_state(instance, arena, &machine);
	if (!machine.access_v4 && !machine.access_v6)
		machine.access_v4 = machine.bind_v4;
	machine.made_ms = cloud_time(launched);
	for (const struct _xmlNode *tag = xml_child(tags, "item"); tag; tag = xml_next(tag, "item")) {
		const char *name = xml_text(tag, "key", arena), *value = xml_text(tag, "value", arena);

		if (name && strcmp(name, "Name") == 0)
			machine.name = value;
		else if (name && value)
			cloud_machine_tag(machines, &machine, name, value);
	}
	*cloud_machines_add(machines) = machine;
	return 0;
}

static int
ec2_read_instances(const struct _xmlNode *set, struct cloud_machines *machines, struct error *err)
{
	for (const struct _xmlNode *item = xml_child(set, "item"); item; item = xml_next(item, "item"))
		if (ec2_read_instance(item, machines, err) < 0)
			return -1;
	return 0;
}

static int
ec2_read_reservation(const struct _xmlNode *reservation, void *data, struct error *err)
{
	return ec2_read_instances(xml_child(reservation, "instancesSet"), data, err);
}

/* Adds all instances that have the value in the filter. */
static int
ec2_describe(const struct cloud *cloud, const char *filter, const char *value, const struct stop *stop, struct cloud_machines *found,
    struct error *err)
{
	struct ec2_list list = {.action = "DescribeInstances", .set = "reservationSet", .page = PAGE, .read = ec2_read_reservation, .data = found};
	struct buffer only = {0};
	int result;

	ec2_add(&only, filter, "Filter.1.Name");
	ec2_add(&only, value, "Filter.1.Value.1");
	list.only = buffer_string(&only);
	result = ec2_pages(cloud, &list, stop, err);
	buffer_release(&only);
	return result;
}

static int
ec2_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return ec2_describe(cloud, "tag:" CLOUD_TAG_INSTALLATION, cloud->installation, stop, found, err);
}

/* Finds the name of the image's root device, where volumes are to differ from what the image says. NULL with an error. */
static const char *
ec2_root_device(struct cloud *cloud, const char *image, const struct stop *stop, struct error *err)
{
	struct ec2_account *account = cloud->state;
	struct ec2_reply reply = EC2_REPLY_NONE;
	struct buffer form = {0};
	const char *device;

	stop_lock();
	device = account->root_image && strcmp(account->root_image, image) == 0 ? account->root_device : NULL;
	stop_unlock();
	if (device)
		return device;
	ec2_begin(&form, "DescribeImages");
	ec2_add(&form, image, "ImageId.1");
	if (ec2_ask(cloud, &form, true, stop, &reply, err) == 0) {
		stop_lock();
		device = xml_text(xml_root(reply.document), "imagesSet/item/rootDeviceName", &cloud->arena);
		account->root_image = arena_string(&cloud->arena, image);
		account->root_device = device;
		stop_unlock();
		if (!device)
			error_set(err, EX_CONFIG, "image %s has no root volume, so that aws_root_ebs_size cannot be given", image);
	}
	buffer_release(&form);
	ec2_release(&reply);
	return device;
}

static void
ec2_add_volume(struct buffer *form, unsigned number, const char *device, const struct ec2_volume *volume)
{
	ec2_add(form, device, "BlockDeviceMapping.%u.DeviceName", number);
	if (volume->size_gb > 0)
		buffer_printf(form, "&BlockDeviceMapping.%u.Ebs.VolumeSize=%lld", number, (long long)volume->size_gb);
	ec2_add(form, volume->type, "BlockDeviceMapping.%u.Ebs.VolumeType", number);
	ec2_add(form, volume->remove ? "true" : "false", "BlockDeviceMapping.%u.Ebs.DeleteOnTermination", number);
}

static void
ec2_add_network(struct buffer *form, const struct ec2_account *account)
{
	const char *prefix = account->interface ? "NetworkInterface.1." : "";

	if (account->interface) {
		buffer_text(form, "&NetworkInterface.1.DeviceIndex=0&NetworkInterface.1.DeleteOnTermination=true");
		ec2_add(form, account->public ? "true" : "false", "NetworkInterface.1.AssociatePublicIpAddress");
	}
	ec2_add(form, account->subnet, "%sSubnetId", prefix);
	for (size_t i = 0; i < account->group_ids.count; i++)
		ec2_add(form, account->group_ids.list[i], "%sSecurityGroupId.%zu", prefix, i + 1);
	for (size_t i = 0; i < account->groups.count; i++)
		ec2_add(form, account->groups.list[i], "SecurityGroup.%zu", i + 1);
}

static void
ec2_add_tags(struct buffer *form, const struct ec2_account *account, const struct cloud_order *order)
{
	static const char *const types[] = {"instance", "volume", "spot-instances-request"};

	for (unsigned type = 1; type <= (account->spot ? 3 : 2); type++) {
		ec2_add(form, types[type - 1], "TagSpecification.%u.ResourceType", type);
		ec2_add(form, "Name", "TagSpecification.%u.Tag.1.Key", type);
		ec2_add(form, order->name, "TagSpecification.%u.Tag.1.Value", type);
		for (size_t i = 0; i < order->tag_count; i++) {
			ec2_add(form, order->tags[i][0], "TagSpecification.%u.Tag.%zu.Key", type, i + 2);
			ec2_add(form, order->tags[i][1], "TagSpecification.%u.Tag.%zu.Value", type, i + 2);
		}
	}
}

static void
ec2_add_user_data(struct buffer *form, const char *text)
{
	char *encoded = base64_encode(text, strlen(text));

	if (*text)
		ec2_add(form, encoded, "UserData");
	free(encoded);
}

static void
ec2_add_order(struct buffer *form, const struct ec2_account *account, const struct cloud_order *order)
{
	bool arn = account->profile && strncmp(account->profile, "arn:", 4) == 0;

	ec2_begin(form, "RunInstances");
	buffer_text(form, "&MinCount=1&MaxCount=1");
	ec2_add(form, order->token, "ClientToken");
	ec2_add(form, order->image, "ImageId");
	ec2_add(form, order->flavor, "InstanceType");
	ec2_add(form, order->key ? NULL : account->keypair, "KeyName");
	ec2_add(form, order->zone ? order->zone : account->zone, "Placement.AvailabilityZone");
	ec2_add(form, account->placement_group, "Placement.GroupName");
	ec2_add(form, account->dedicated ? "dedicated" : NULL, "Placement.Tenancy");
	ec2_add(form, account->profile, "IamInstanceProfile.%s", arn ? "Arn" : "Name");
	if (account->spot) {
		buffer_text(form, "&InstanceMarketOptions.MarketType=spot");
		ec2_add(form, account->spot_price, "InstanceMarketOptions.SpotOptions.MaxPrice");
	}
	ec2_add_network(form, account);
	ec2_add_tags(form, account, order);
	ec2_add_user_data(form, order->user_data);
}

/* Finds what became of a request whose client token the cloud has seen with other parameters, or whose instance is gone: that instance, if
 * it is still there. */
static int
ec2_find_made(struct cloud *cloud, const struct cloud_order *order, const struct ec2_reply *reply, const struct stop *stop,
    struct cloud_machines *made, struct error *err)
{
	struct error why = *err;

	if (strcmp(reply->code, "IdempotentInstanceTerminated") == 0) {
		cloud_machines_add(made)->state = CLOUD_GONE;
		return 0;
	}
	if (ec2_describe(cloud, "client-token", order->token, stop, made, err) < 0)
		return -1;
	if (made->count > 0)
		return 0;
	*err = why;
	err->code = EX_TEMPFAIL;
	return -1;
}

static int
ec2_run(struct cloud *cloud, const struct cloud_order *order, const struct buffer *form, const struct stop *stop, struct cloud_machines *made,
    bool *unknown, struct error *err)
{
	static const char *const seen[] = {"IdempotentParameterMismatch", "IdempotentInstanceTerminated", NULL};
	struct ec2_reply reply = EC2_REPLY_NONE;
	int result = ec2_ask(cloud, form, false, stop, &reply, err);

	if (result == 0) {
		result = ec2_read_instances(xml_child(xml_root(reply.document), "instancesSet"), made, err);
		if (result == 0 && made->count == 0)
			result = error_set(err, EX_TEMPFAIL, "RunInstances: the answer has no instance");
		*unknown = result < 0;
	} else if (ec2_is_one_of(reply.code, seen)) {
		result = ec2_find_made(cloud, order, &reply, stop, made, err);
	} else {
		*unknown = !ec2_is_refused(reply.code) && (reply.answer.unknown || reply.answer.status / 100 == 2);
	}
	ec2_release(&reply);
	return result;
}

static int
ec2_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct ec2_account *account = cloud->state;
	struct cloud_order with_id = *order;
	const char *device = NULL;
	struct buffer form = {0};
	int result;

	if (!cloud_key(order, account->keypair, "ssh_keypair", err) || !(with_id.image = ec2_image(cloud, order->image, stop, &made->arena, err)))
		return -1;
	if (account->root.given && !(device = ec2_root_device(cloud, with_id.image, stop, err)))
		return -1;
	ec2_add_order(&form, account, &with_id);
	if (device)
		ec2_add_volume(&form, 1, device, &account->root);
	if (account->data.size_gb > 0)
		ec2_add_volume(&form, device ? 2 : 1, "/dev/sdf", &account->data);
	result = ec2_run(cloud, order, &form, stop, made, unknown, err);
	buffer_release(&form);
	return result;
}

static int
ec2_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	struct ec2_reply reply = EC2_REPLY_NONE;
	struct buffer form = {0};
	int result;

	ec2_begin(&form, "TerminateInstances");
	ec2_add(&form, machine->id, "InstanceId.1");
	result = ec2_ask(cloud, &form, true, stop, &reply, err);
	if (result < 0 && reply.code && strcmp(reply.code, "InvalidInstanceID.NotFound") == 0)
		result = 0;
	ec2_release(&reply);
	buffer_release(&form);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "ec2", .schema = schema, .user = "root", .per_second = 5, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = ec2_open, .make = ec2_make, .list = ec2_list, .remove = ec2_remove, .volumes = &ec2_volumes,
	    .host_keys = ec2_host_keys, .try = ec2_try, .flavors = ec2_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
