/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/account.h"

#include <string.h>

enum { EBS_GB = 16384 };

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
	return words;
}

static struct ec2_volume
ec2_volume(struct cloud *cloud, const char *size, const char *type, const char *remove)
{
	struct ec2_volume volume = {.type = cloud_field(cloud, type), .given = ec2_is_given(cloud, size) || ec2_is_given(cloud, type) ||
	    ec2_is_given(cloud, remove), .remove = ec2_boolean(cloud, remove, true)};

	if (ec2_is_given(cloud, size))
		volume.size_gb = place_integer(&cloud->fields, size, 0, 1, EBS_GB);
	return volume;
}

static void
ec2_open_endpoint(struct cloud *cloud, struct ec2_account *account)
{
	const char *endpoint = cloud_field(cloud, "endpoint"), *region = account->signer.region, *host, *path;
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
}

/* The region is a part of the name of the host that is asked, and of what is signed. */
static void
ec2_check_region(struct cloud *cloud, const char *region)
{
	struct place place = place_member(&cloud->fields, "aws_region");

	if (region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		place_problem(&place, "not the name of a region, such as us-east-1");
}

void
ec2_open(struct cloud *cloud, struct client_settings *settings)
{
	struct ec2_account *account = memory_zeroed(1, sizeof *account);
	const char *id = cloud_field(cloud, "api_user"), *secret = cloud_field(cloud, "api_password"), *region = cloud_field(cloud, "aws_region");

	(void)settings;
	ec2_require(cloud, "api_user", "the id of an access key");
	ec2_require(cloud, "api_password", "the secret of the access key");
	account->signer = (struct signature_signer){.id = id ? id : "", .secret = secret ? secret : "",
	    .token = cloud_field(cloud, "session_token"), .region = region ? region : "us-east-1", .service = "ec2"};
	ec2_check_region(cloud, account->signer.region);
	ec2_open_endpoint(cloud, account);
	account->zone = cloud_field(cloud, "availability_zone");
	account->keypair = cloud_field(cloud, "ssh_keypair");
	account->subnet = cloud_field(cloud, "subnet_id");
	account->placement_group = cloud_field(cloud, "placement_group");
	account->profile = cloud_field(cloud, "iam_instance_profile");
	account->spot_price = cloud_field(cloud, "spot_price");
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
	}
	cloud->state = account;
}
