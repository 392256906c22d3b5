/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/account.h"

#include "cloud/fields.h"

enum { PENDING_S = 60 };

void
one_open(struct cloud *cloud, struct client_settings *settings)
{
	struct one_account *account = memory_zeroed(1, sizeof *account);
	const char *user = cloud_field(cloud, "api_user"), *password = cloud_field(cloud, "api_password");

	(void)settings;
	cloud->state = account;
	fields_require(cloud, "api_user", "the name of a user");
	fields_require(cloud, "api_password", "its password or login token");
	fields_require(cloud, "endpoint", "the URL of the API, such as https://one.example.net:2633/RPC2");
	account->url = cloud_field(cloud, "endpoint");
	account->session = arena_printf(&cloud->arena, "%s:%s", user ? user : "", password ? password : "");
	account->networks = fields_words(cloud, "networks");
	account->groups = fields_words(cloud, "security_groups");
	account->disk_gb = fields_integer(cloud, "disk_size_gb", 1, 1024 * 1024);
	account->disk_target = cloud_field(cloud, "disk_target");
	account->context_target = cloud_field(cloud, "context_target");
	account->arch = cloud_field(cloud, "os_arch");
	account->root = cloud_field(cloud, "os_root");
	account->public_key = cloud_field(cloud, "public_key");
	account->pending_s = place_number(&cloud->fields, "pending_s", PENDING_S, 0, 86400);
}
