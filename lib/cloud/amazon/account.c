/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/account.h"

#include <string.h>

#include "base/error.h"
#include "cloud/amazon/credentials.h"
#include "cloud/fields.h"

enum { EBS_GB = 16384 };

static struct ec2_volume
ec2_volume(struct cloud *cloud, const char *size, const char *type, const char *remove)
{
	struct ec2_volume volume = {.type = cloud_field(cloud, type), .given = fields_given(cloud, size) || fields_given(cloud, type) ||
	    fields_given(cloud, remove), .remove = fields_boolean(cloud, remove, true)};

	volume.size_gb = fields_integer(cloud, size, 1, EBS_GB);
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

/* The region is a part of the name of the host that is asked, and of what is signed. */
static void
ec2_check_region(struct cloud *cloud, const char *region)
{
	if (region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		fields_problem(cloud, "aws_region", "not the name of a region, such as us-east-1");
}

/* A tenant's own provider has no part in the role of this machine, whatever its document says. */
static void
ec2_open_credentials(struct cloud *cloud, struct ec2_account *account)
{
	const char *from = cloud_field(cloud, "credentials"), *url = cloud_field(cloud, "metadata_endpoint");
	struct error err;

	if (!from || strcmp(from, "fields") == 0) {
		fields_require(cloud, "api_user", "the id of an access key");
		fields_require(cloud, "api_password", "the secret of the access key");
	} else if (strcmp(from, "instance_profile") != 0) {
		fields_problem(cloud, "credentials", "expected fields or instance_profile");
	} else if (cloud->tenants) {
		fields_problem(cloud, "credentials", "the role of this machine is the installation's");
	} else if (!(account->role = ec2_role_new(url ? url : "http://169.254.169.254", &err))) {
		fields_problem(cloud, "credentials", "%s", err.text);
	}
}

void
ec2_open(struct cloud *cloud, struct client_settings *settings)
{
	struct ec2_account *account = memory_zeroed(1, sizeof *account);
	const char *id = cloud_field(cloud, "api_user"), *secret = cloud_field(cloud, "api_password"), *region = cloud_field(cloud, "aws_region");

	(void)settings;
	ec2_open_credentials(cloud, account);
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
	account->groups = fields_words(cloud, "security_groups");
	account->group_ids = fields_words(cloud, "security_group_ids");
	account->root = ec2_volume(cloud, "aws_root_ebs_size", "aws_root_ebs_type", "aws_root_ebs_delete_on_term");
	account->data = ec2_volume(cloud, "aws_ebs_size", "aws_ebs_type", "aws_ebs_delete_on_term");
	account->dedicated = fields_boolean(cloud, "dedicated_instance", false);
	account->spot = fields_boolean(cloud, "spot", false);
	account->public = fields_boolean(cloud, "associate_public_ip", true);
	account->interface = account->subnet || (fields_given(cloud, "associate_public_ip") && account->groups.count == 0);
	if (account->subnet && account->groups.count > 0)
		fields_problem(cloud, "security_groups", "a subnet takes security groups by id (use security_group_ids)");
	cloud->state = account;
}
