/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/account.h"

void
do_open(struct cloud *cloud, struct client_settings *settings)
{
	struct do_account *account = memory_zeroed(1, sizeof *account);
	const char *token = cloud_field(cloud, "api_token"), *endpoint = cloud_field(cloud, "endpoint"), *region = cloud_field(cloud, "digitalocean_region");
	struct place place = place_member(&cloud->fields, "api_token");

	(void)settings;
	if (!token && (cloud_field(cloud, "api_user") || cloud_field(cloud, "api_password")))
		place_problem(&place, "is required: api_user and api_password are of version 1 of DigitalOcean's API, which ended in 2015; make a personal access token in the control panel (API, Tokens)");
	else if (!token)
		place_problem(&place, "is required: a personal access token of the account");
	account->endpoint = endpoint ? endpoint : "https://api.digitalocean.com";
	account->authorization = arena_printf(&cloud->arena, "Authorization: Bearer %s", token ? token : "");
	account->region = region ? region : "nyc3";
	account->keypair = cloud_field(cloud, "ssh_keypair");
	account->vpc = cloud_field(cloud, "vpc_uuid");
	account->sizes = jv_invalid();
	account->ipv6 = place_boolean(&cloud->fields, "ipv6", false);
	cloud->state = account;
}
