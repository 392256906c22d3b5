/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/ec2, also called aws: instances, by the Query API of Amazon EC2 and of clouds that speak it, coopr-clouds(7). All requests are
 * forms that are posted, signed by version 4. A client token names each request for an instance, so that one which is asked again makes
 * nothing twice.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/pace.h"
#include "cloud/plugin.h"
#include "cloud/xml.h"
#include "content/content.h"
#include "content/signature.h"
#include "json/json.h"

enum { PAGE = 1000, WINDOW_MS = 60 * 1000, SKEW_MS = 60 * 1000, EBS_GB = 16384, CONSOLE_BYTES = 1024 * 1024 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider ec2\",\"type\":\"object\"," CLOUD_DESCRIBES
    "\"required\":[\"api_user\",\"api_password\"],\"properties\":{" CLOUD_PROPERTIES ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The id of an access key\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The access key's secret\"},"
    "\"session_token\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The token of a session, where the access key is a temporary one; a secret\"},"
    "\"aws_region\":{\"type\":\"string\",\"default\":\"us-east-1\",\"description\":\"The region of instances\"},"
    "\"availability_zone\":{\"type\":\"string\",\"description\":\"The zone of instances whose node has none; by default the cloud chooses\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The name of a key pair of the region, for instances of clusters without a key of their own\"},"
    "\"security_groups\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Names of security groups, with commas between them; only outside of subnets\"},"
    "\"security_group_ids\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Ids of security groups, with commas between them\"},"
    "\"subnet_id\":{\"type\":\"string\",\"description\":\"The subnet of instances; by default one of the default network\"},"
    "\"associate_public_ip\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether instances of a subnet have a public address\"},"
    "\"dedicated_instance\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether instances share their host with no other customer\"},"
    "\"placement_group\":{\"type\":\"string\",\"description\":\"The placement group of instances\"},"
    "\"iam_instance_profile\":{\"type\":\"string\",\"description\":\"The name or ARN of the instance profile that instances have\"},"
    "\"aws_root_ebs_size\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size of the root volume in GB; by default as the image has it\"},"
    "\"aws_root_ebs_type\":{\"type\":\"string\",\"description\":\"The type of the root volume, such as gp3\"},"
    "\"aws_root_ebs_delete_on_term\":{\"type\":[\"string\",\"boolean\"],\"description\":\"Whether the root volume goes with its instance; by default as the image has it, and true where its size or type is given\"},"
    "\"aws_ebs_size\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size in GB of a further volume, at /dev/sdf; by default there is none\"},"
    "\"aws_ebs_type\":{\"type\":\"string\",\"description\":\"The type of the further volume\"},"
    "\"aws_ebs_delete_on_term\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether the further volume goes with its instance\"},"
    "\"spot\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether instances are spot instances, which the cloud may take away\"},"
    "\"spot_price\":{\"type\":\"string\",\"description\":\"The highest price of a spot instance for an hour, in USD; by default that of other instances\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The URL of the API; by default that of the region\"},"
    "\"provider_hostname\":{\"type\":\"string\",\"description\":\"Not used: nodes have the hostname that coopr gives them\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used: each cluster has a key of its own\"}}}";

struct volume {
	const char *type;
	int64_t size_gb;     /* 0: not given */
	bool given, remove;  /* whether anything of it is given; whether it goes with its instance */
};

struct account { /* what the fields say */
	const char *url, *host, *path;
	struct signature_signer signer;
	const char *zone, *keypair, *subnet, *placement_group, *profile, *spot_price;
	struct string_list groups, group_ids;
	struct volume root, data;
	bool dedicated, spot, public, interface; /* interface: addresses are asked for by a network interface */
	int64_t skew_ms;                         /* under the lock */
	const char *root_image, *root_device;    /* the image that was asked for last; under the lock */
};

struct reply { /* zero-initialise but for its answer */
	struct client_answer answer;
	struct _xmlDoc *document;
	struct arena arena;
	const char *code; /* of the error, "InvalidAMIID.NotFound"; NULL: none */
};

/* --- fields: Coopr's documents have "" for what is absent, and numbers and booleans in strings --- */

static const char *
ec2_field(struct cloud *cloud, const char *name)
{
	const char *text = place_string(&cloud->fields, name, NEED_OPTIONAL, &cloud->arena);

	return text && *text ? text : NULL;
}

static bool
ec2_is_given(const struct cloud *cloud, const char *name)
{
	jv value = json_get(cloud->fields.value, name);
	const char *text = json_string(value);
	bool given = jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL && !(text && !*text);

	jv_free(value);
	return given;
}

static bool
ec2_boolean(const struct cloud *cloud, const char *name, bool otherwise)
{
	struct place place = place_member(&cloud->fields, name);
	const char *text = json_string(place.value);
	bool value = otherwise;

	if (!text)
		value = place_read_boolean(&place, otherwise);
	else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		value = *text == 't';
	else if (*text)
		place_problem(&place, "expected true or false, found \"%s\"", text);
	jv_free(place.value);
	return value;
}

/* Returns the words of a field, which is a list, or a string with commas. */
static struct string_list
ec2_words(struct cloud *cloud, const char *name)
{
	struct place place = place_member(&cloud->fields, name);
	const char *text = json_string(place.value);
	struct string_list words = {0};

	if (!text) {
		words = place_read_strings(&place, &cloud->arena);
	} else {
		words.list = arena_alloc(&cloud->arena, strlen(text) + 1, sizeof *words.list);
		for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
			words.list[words.count++] = arena_substring(&cloud->arena, text, strcspn(text, ", "));
			text += strcspn(text, ", ");
		}
	}
	jv_free(place.value);
	return words;
}

static struct volume
ec2_volume(struct cloud *cloud, const char *size, const char *type, const char *remove)
{
	struct volume volume = {.type = ec2_field(cloud, type), .given = ec2_is_given(cloud, size) || ec2_is_given(cloud, type) ||
	    ec2_is_given(cloud, remove), .remove = ec2_boolean(cloud, remove, true)};

	if (ec2_is_given(cloud, size))
		volume.size_gb = place_integer(&cloud->fields, size, 0, 1, EBS_GB);
	return volume;
}

static void
ec2_open_endpoint(struct cloud *cloud, struct account *account)
{
	const char *endpoint = ec2_field(cloud, "endpoint"), *region = account->signer.region, *host, *path;
	size_t length;

	if (!endpoint)
		endpoint = arena_printf(&cloud->arena, "https://ec2.%s.amazonaws.com%s", region, strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
	host = strstr(endpoint, "://");
	host = host ? host + 3 : endpoint;
	length = strcspn(host, "/");
	path = host[length] ? host + length : "/";
	account->host = arena_substring(&cloud->arena, host, length);
	account->path = path;
	account->url = arena_printf(&cloud->arena, "%.*s%s", (int)(host - endpoint + (ptrdiff_t)length), endpoint, path);
}

static void
ec2_require(struct cloud *cloud, const char *name, const char *what)
{
	struct place place = place_member(&cloud->fields, name);

	if (!ec2_is_given(cloud, name))
		place_problem(&place, "is required: %s", what);
	jv_free(place.value);
}

static void
ec2_open(struct cloud *cloud, struct client_settings *settings)
{
	struct account *account = memory_zeroed(1, sizeof *account);
	const char *id = ec2_field(cloud, "api_user"), *secret = ec2_field(cloud, "api_password"), *region = ec2_field(cloud, "aws_region");

	(void)settings;
	ec2_require(cloud, "api_user", "the id of an access key");
	ec2_require(cloud, "api_password", "the secret of the access key");
	account->signer = (struct signature_signer){.id = id ? id : "", .secret = secret ? secret : "",
	    .token = ec2_field(cloud, "session_token"), .region = region ? region : "us-east-1", .service = "ec2"};
	ec2_open_endpoint(cloud, account);
	account->zone = ec2_field(cloud, "availability_zone");
	account->keypair = ec2_field(cloud, "ssh_keypair");
	account->subnet = ec2_field(cloud, "subnet_id");
	account->placement_group = ec2_field(cloud, "placement_group");
	account->profile = ec2_field(cloud, "iam_instance_profile");
	account->spot_price = ec2_field(cloud, "spot_price");
	account->groups = ec2_words(cloud, "security_groups");
	account->group_ids = ec2_words(cloud, "security_group_ids");
	account->root = ec2_volume(cloud, "aws_root_ebs_size", "aws_root_ebs_type", "aws_root_ebs_delete_on_term");
	account->data = ec2_volume(cloud, "aws_ebs_size", "aws_ebs_type", "aws_ebs_delete_on_term");
	account->dedicated = ec2_boolean(cloud, "dedicated_instance", false);
	account->spot = ec2_boolean(cloud, "spot", false);
	account->public = ec2_boolean(cloud, "associate_public_ip", true);
	account->interface = account->subnet || (ec2_is_given(cloud, "associate_public_ip") && account->groups.count == 0);
	if (account->subnet && account->groups.count > 0) {
		struct place place = place_member(&cloud->fields, "security_groups");

		place_problem(&place, "a subnet takes security groups by id (use security_group_ids)");
		jv_free(place.value);
	}
	cloud->state = account;
}

/* --- requests --- */

/* Adds a parameter to a form, whose name is NAME, or as printf makes it. What has no value is not added. */
static void __attribute__((format(printf, 3, 4)))
ec2_add(struct buffer *form, const char *value, const char *format, ...)
{
	va_list ap;
	char *name, *escaped;

	if (!value)
		return;
	va_start(ap, format);
	name = memory_vprintf(format, ap);
	va_end(ap);
	escaped = client_escape(value);
	buffer_printf(form, "&%s=%s", name, escaped);
	free(escaped);
	free(name);
}

static void
ec2_begin(struct buffer *form, const char *action)
{
	buffer_printf(form, "Action=%s&Version=2016-11-15", action);
}

static void
ec2_release(struct reply *reply)
{
	xml_free(reply->document);
	arena_release(&reply->arena);
	client_answer_release(&reply->answer);
	*reply = (struct reply){.answer = {.wait_ms = -1}};
}

static bool
ec2_is_one_of(const char *code, const char *const *codes)
{
	for (; *codes; codes++)
		if (code && strcmp(code, *codes) == 0)
			return true;
	return false;
}

/* Tells whether the request was refused before anything was done, because there were too many. */
static bool
ec2_is_throttled(const char *code)
{
	static const char *const codes[] = {"RequestLimitExceeded", "Throttling", "ThrottlingException", NULL};

	return ec2_is_one_of(code, codes);
}

/* Tells whether it is refused now, and may be made later or elsewhere; nothing was made. */
static bool
ec2_is_capacity(const char *code)
{
	static const char *const codes[] = {"InsufficientInstanceCapacity", "InsufficientHostCapacity", "InsufficientCapacity",
	    "InsufficientReservedInstanceCapacity", "SpotMaxPriceTooLow", "InsufficientFreeAddressesInSubnet", NULL};

	return ec2_is_one_of(code, codes);
}

static int
ec2_exit_code(const char *code, long status)
{
	static const char *const credentials[] = {"AuthFailure", "UnauthorizedOperation", "InvalidClientTokenId", "SignatureDoesNotMatch",
	    "RequestExpired", "Blocked", "OptInRequired", "PendingVerification", "ExpiredToken", "MissingAuthenticationToken", NULL};
	static const char *const later[] = {"Unavailable", "ServiceUnavailable", "InternalError", "InternalFailure", NULL};

	return ec2_is_one_of(code, credentials) ? EX_NOPERM
	    : ec2_is_one_of(code, later) || ec2_is_throttled(code) || ec2_is_capacity(code) || status >= 500 ? EX_TEMPFAIL : EX_CONFIG;
}

/* Reads what the answer says; an error is one in the cloud's words. */
static int
ec2_read(const char *action, const struct client_request *request, struct reply *reply, struct error *err)
{
	const struct _xmlNode *error;
	const char *text;
	struct error ignored;

	reply->document = xml_parse(action, &reply->answer.body, reply->answer.status / 100 == 2 ? err : &ignored);
	if (reply->answer.status / 100 == 2)
		return reply->document ? 0 : -1;
	error = reply->document ? xml_find(xml_root(reply->document), "Errors/Error") : NULL;
	if (!error || !(reply->code = xml_text(error, "Code", &reply->arena)))
		return client_refused(request, &reply->answer, err);
	text = xml_text(error, "Message", &reply->arena);
	return error_set(err, ec2_exit_code(reply->code, reply->answer.status), "%s: %s: %.400s", action, reply->code, text ? text : "");
}

/* Signs the form by the cloud's clock, as far as it is known, and sends it. */
static int
ec2_send(const struct cloud *cloud, const struct buffer *form, bool repeatable, const struct stop *stop, struct reply *reply, struct error *err)
{
	const struct account *account = cloud->state;
	char sum[CONTENT_DIGEST_SIZE], *action = memory_substring(form->data + strlen("Action="), strcspn(form->data + strlen("Action="), "&"));
	const struct signature_request signed_request = {.method = "POST", .host = account->host, .path = account->path, .query = "", .sum = sum};
	struct client_request request = {.method = "POST", .url = account->url, .type = "application/x-www-form-urlencoded; charset=utf-8",
	    .body = form->data, .length = form->length, .repeatable = repeatable};
	int64_t skew_ms;
	int result;

	stop_lock();
	skew_ms = account->skew_ms;
	stop_unlock();
	content_digest(form->data, form->length, sum);
	signature_add(&account->signer, &signed_request, clock_wall_ms() + skew_ms, &request.headers);
	result = client_send(cloud->client, &request, stop, &reply->answer, err);
	if (result == 0)
		result = ec2_read(action, &request, reply, err);
	arguments_release(&request.headers);
	free(action);
	return result;
}

/* Tells whether the signature was refused for its time, and remembers what the cloud's clock says. */
static bool
ec2_set_clock(const struct cloud *cloud, const struct reply *reply)
{
	static const char *const codes[] = {"RequestExpired", "SignatureDoesNotMatch", "AuthFailure", NULL};
	struct account *account = cloud->state;
	int64_t difference;

	if (!ec2_is_one_of(reply->code, codes))
		return false;
	stop_lock();
	difference = reply->answer.skew_ms - account->skew_ms;
	account->skew_ms = reply->answer.skew_ms;
	stop_unlock();
	return difference > SKEW_MS || difference < -SKEW_MS || strcmp(reply->code, "RequestExpired") == 0;
}

/* Sends the form until the cloud takes it, and reads the answer. The clock is corrected once; too many requests wait for their turn. */
static int
ec2_ask(const struct cloud *cloud, const struct buffer *form, bool repeatable, const struct stop *stop, struct reply *reply, struct error *err)
{
	bool corrected = false;

	for (unsigned number = 1;; number++) {
		int result;

		ec2_release(reply);
		result = ec2_send(cloud, form, repeatable, stop, reply, err);
		if (result == 0 || number == CLIENT_TRIES)
			return result;
		if (!corrected && ec2_set_clock(cloud, reply))
			corrected = true;
		else if (!ec2_is_throttled(reply->code) || repeatable)
			return result;
		else if (stop_sleep(stop, pace_backoff_ms(number), err) < 0)
			return -1;
	}
}

/* --- instances --- */

static void
ec2_read_state(const struct _xmlNode *instance, struct arena *arena, struct cloud_machine *machine)
{
	const char *state = xml_text(instance, "instanceState/name", arena), *reason = xml_text(instance, "stateReason/message", arena);

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
	machine.made_ms = launched && clock_parse_rfc3339(launched) > 0 ? clock_parse_rfc3339(launched) : 0;
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

/* Adds all instances that have the value in the filter. */
static int
ec2_describe(const struct cloud *cloud, const char *filter, const char *value, const struct stop *stop, struct cloud_machines *found,
    struct error *err)
{
	struct reply reply = {.answer = {.wait_ms = -1}};
	struct arena arena = {0};
	const char *next = NULL;
	int result;

	do {
		struct buffer form = {0};

		ec2_begin(&form, "DescribeInstances");
		ec2_add(&form, filter, "Filter.1.Name");
		ec2_add(&form, value, "Filter.1.Value.1");
		buffer_printf(&form, "&MaxResults=%d", PAGE);
		ec2_add(&form, next, "NextToken");
		next = NULL;
		result = ec2_ask(cloud, &form, true, stop, &reply, err);
		if (result == 0) {
			const struct _xmlNode *root = xml_root(reply.document), *set = xml_child(root, "reservationSet");

			if (!set)
				result = error_set(err, EX_TEMPFAIL, "DescribeInstances: the answer has no reservations");
			for (const struct _xmlNode *one = xml_child(set, "item"); result == 0 && one; one = xml_next(one, "item"))
				result = ec2_read_instances(xml_child(one, "instancesSet"), found, err);
			next = xml_text(root, "nextToken", &arena);
		}
		buffer_release(&form);
	} while (result == 0 && next);
	arena_release(&arena);
	ec2_release(&reply);
	return result;
}

static int
ec2_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return ec2_describe(cloud, "tag:" CLOUD_TAG_INSTALLATION, cloud->installation, stop, found, err);
}

/* --- make --- */

/* Finds the name of the image's root device, where volumes are to differ from what the image says. NULL with an error. */
static const char *
ec2_root_device(struct cloud *cloud, const char *image, const struct stop *stop, struct error *err)
{
	struct account *account = cloud->state;
	struct reply reply = {.answer = {.wait_ms = -1}};
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
ec2_add_volume(struct buffer *form, unsigned number, const char *device, const struct volume *volume)
{
	ec2_add(form, device, "BlockDeviceMapping.%u.DeviceName", number);
	if (volume->size_gb > 0)
		buffer_printf(form, "&BlockDeviceMapping.%u.Ebs.VolumeSize=%lld", number, (long long)volume->size_gb);
	ec2_add(form, volume->type, "BlockDeviceMapping.%u.Ebs.VolumeType", number);
	ec2_add(form, volume->remove ? "true" : "false", "BlockDeviceMapping.%u.Ebs.DeleteOnTermination", number);
}

static void
ec2_add_network(struct buffer *form, const struct account *account)
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
ec2_add_tags(struct buffer *form, const struct cloud_order *order)
{
	static const char *const types[] = {"instance", "volume"};

	for (unsigned type = 1; type <= 2; type++) {
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
	size_t size = sodium_base64_encoded_len(strlen(text), sodium_base64_VARIANT_ORIGINAL);
	char *encoded = memory_zeroed(size, 1);

	if (*text)
		ec2_add(form, sodium_bin2base64(encoded, size, (const unsigned char *)text, strlen(text), sodium_base64_VARIANT_ORIGINAL), "UserData");
	free(encoded);
}

static void
ec2_add_order(struct buffer *form, const struct account *account, const struct cloud_order *order)
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
	ec2_add_tags(form, order);
	ec2_add_user_data(form, order->user_data);
}

/* Finds what became of a request whose client token the cloud has seen with other parameters, or whose instance is gone: that instance, if
 * it is still there. */
static int
ec2_find_made(struct cloud *cloud, const struct cloud_order *order, const struct reply *reply, const struct stop *stop,
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
	struct reply reply = {.answer = {.wait_ms = -1}};
	int result = ec2_ask(cloud, form, false, stop, &reply, err);

	if (result == 0) {
		result = ec2_read_instances(xml_child(xml_root(reply.document), "instancesSet"), made, err);
		if (result == 0 && made->count == 0)
			result = error_set(err, EX_TEMPFAIL, "RunInstances: the answer has no instance");
		*unknown = result < 0;
	} else if (ec2_is_one_of(reply.code, seen)) {
		result = ec2_find_made(cloud, order, &reply, stop, made, err);
	} else {
		*unknown = !ec2_is_capacity(reply.code) && !ec2_is_throttled(reply.code) && (reply.answer.unknown || reply.answer.status / 100 == 2);
	}
	ec2_release(&reply);
	return result;
}

static int
ec2_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct account *account = cloud->state;
	const char *device = NULL;
	struct buffer form = {0};
	int result;

	if (!order->image)
		return error_set(err, EX_CONFIG, "the task names no image");
	if (!order->key && !account->keypair)
		return error_set(err, EX_CONFIG, "the cluster has no key of its own, so that the provider needs ssh_keypair");
	if (account->root.given && !(device = ec2_root_device(cloud, order->image, stop, err)))
		return -1;
	ec2_add_order(&form, account, order);
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
	struct reply reply = {.answer = {.wait_ms = -1}};
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

/* --- host keys --- */

/* Adds the keys that stand between the last two lines which cloud-init puts around them on the console: those of the last boot. */
static void
ec2_read_keys(const char *console, struct arena *arena, struct string_list *keys)
{
	static const char begin[] = "-----BEGIN SSH HOST KEY KEYS-----", end[] = "-----END SSH HOST KEY KEYS-----";
	const char *at = NULL, *stop;

	for (const char *next = console; (next = strstr(next, begin)); next += strlen(begin))
		if (strstr(next, end))
			at = next + strlen(begin);
	if (!at)
		return;
	stop = strstr(at, end);
	keys->list = arena_alloc(arena, (size_t)(stop - at), sizeof *keys->list);
	for (; at < stop; at += strcspn(at, "\n") + 1) {
		char *line = arena_substring(arena, at, strcspn(at, "\r\n")), *key = strstr(line, "ssh-"), type[64], text[4096];

		if (!key)
			key = strstr(line, "ecdsa-");
		if (key && at + strlen(line) <= stop && sscanf(key, "%63[a-z0-9@.-] %4095[A-Za-z0-9+/=]", type, text) == 2)
			keys->list[keys->count++] = arena_printf(arena, "%s %s", type, text);
	}
}

/* Asks for the console of this moment, or where instances of its type do not have that, for what the cloud has kept of its start. */
static int
ec2_ask_console(const struct cloud *cloud, const char *id, const struct stop *stop, struct reply *reply, struct error *err)
{
	static const char *const no_latest[] = {"UnsupportedOperation", "UnknownParameter", "InvalidParameterCombination", NULL};
	struct buffer form = {0};
	int result;

	ec2_begin(&form, "GetConsoleOutput");
	ec2_add(&form, id, "InstanceId");
	buffer_text(&form, "&Latest=true");
	result = ec2_ask(cloud, &form, true, stop, reply, err);
	if (result < 0 && ec2_is_one_of(reply->code, no_latest)) {
		buffer_clear(&form);
		ec2_begin(&form, "GetConsoleOutput");
		ec2_add(&form, id, "InstanceId");
		result = ec2_ask(cloud, &form, true, stop, reply, err);
	}
	buffer_release(&form);
	return result;
}

static int
ec2_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	struct reply reply = {.answer = {.wait_ms = -1}};
	int result = ec2_ask_console(cloud, machine->id, stop, &reply, err);
	const char *encoded = result == 0 ? xml_text(xml_root(reply.document), "output", &reply.arena) : NULL;

	*keys = (struct string_list){0};
	if (encoded && strlen(encoded) <= CONSOLE_BYTES) {
		size_t length = 0;
		char *text = memory_zeroed(strlen(encoded) + 1, 1);

		if (sodium_base642bin((unsigned char *)text, strlen(encoded), encoded, strlen(encoded), " \r\n", &length, NULL,
		        sodium_base64_VARIANT_ORIGINAL) == 0) {
			for (size_t i = 0; i < length; i++)
				text[i] = text[i] ? text[i] : ' ';
			text[length] = '\0';
			ec2_read_keys(text, arena, keys);
		}
		free(text);
	} else if (result < 0 && reply.code && strcmp(reply.code, "InvalidInstanceID.NotFound") == 0) {
		result = 0;
	}
	ec2_release(&reply);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "ec2", .schema = schema, .user = "root", .per_second = 5, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = ec2_open, .make = ec2_make, .list = ec2_list, .remove = ec2_remove, .host_keys = ec2_host_keys};

	return cloud_plugin_main(&api, argc, argv);
}
