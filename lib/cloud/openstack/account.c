/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/account.h"

#include <string.h>

#include "cloud/fields.h"

/* Cuts what follows the name of a version: Coopr's documents have ".../v2.0/tokens". Returns where the version is, or NULL. */
static const char *
openstack_cut_version(struct openstack_account *account, struct arena *arena, const char *url)
{
	static const char *const versions[] = {"/v2.0", "/v3"};
	const char *at = NULL;
	size_t length = strlen(url);

	for (size_t i = 0; !at && i < sizeof versions / sizeof *versions; i++)
		if ((at = strstr(url, versions[i])) && at[strlen(versions[i])] && at[strlen(versions[i])] != '/')
			at = NULL;
	if (at)
		length = (size_t)(at - url);
	while (length > 0 && url[length - 1] == '/')
		length--;
	account->url = arena_substring(arena, url, length);
	return at;
}

static const char *
openstack_field(struct cloud *cloud, const char *name, const char *otherwise)
{
	const char *text = cloud_field(cloud, name);

	return text ? text : otherwise;
}

static void
openstack_open_login(struct cloud *cloud, struct openstack_account *account)
{
	const char *url = cloud_field(cloud, "openstack_auth_url"), *version;

	fields_require(cloud, "openstack_auth_url", "the URL of Keystone, such as https://cloud.example.net:5000/v3");
	version = openstack_cut_version(account, &cloud->arena, url ? url : "");
	account->two = version && strncmp(version, "/v2", 3) == 0;
	account->credential = cloud_field(cloud, "application_credential_id");
	account->secret = cloud_field(cloud, "application_credential_secret");
	if (account->credential) {
		fields_require(cloud, "application_credential_secret", "the secret of the application credential");
		account->two = false;
	} else {
		fields_require(cloud, "api_user", "the name of a user (or application_credential_id)");
		fields_require(cloud, "api_password", "the user's password");
		fields_require(cloud, "openstack_tenant", "the name of a project");
	}
	account->user_domain = openstack_field(cloud, "openstack_domain", "default");
	account->project_domain = openstack_field(cloud, "openstack_project_domain", account->user_domain);
}

void
openstack_open(struct cloud *cloud, struct client_settings *settings)
{
	struct openstack_account *account = memory_zeroed(1, sizeof *account);

	account->user = openstack_field(cloud, "api_user", "");
	account->password = openstack_field(cloud, "api_password", "");
	account->project = openstack_field(cloud, "openstack_tenant", "");
	openstack_open_login(cloud, account);
	account->region = cloud_field(cloud, "openstack_region");
	account->interface = openstack_field(cloud, "openstack_interface", "public");
	if (strcmp(account->interface, "public") != 0 && strcmp(account->interface, "internal") != 0 && strcmp(account->interface, "admin") != 0)
		fields_problem(cloud, "openstack_interface", "expected public, internal or admin, found \"%s\"", account->interface);
	account->zone = cloud_field(cloud, "availability_zone");
	account->keypair = cloud_field(cloud, "ssh_keypair");
	account->networks = fields_words(cloud, "network_ids");
	account->groups = fields_words(cloud, "security_groups");
	account->floating = fields_boolean(cloud, "floating_ip", false);
	account->floating_network = cloud_field(cloud, "floating_network");
	account->config_drive = fields_boolean(cloud, "config_drive", false);
	if (!fields_boolean(cloud, "openstack_ssl_verify_peer", true))
		settings->unverified = true;
	cloud->state = account;
}

void
openstack_open_rackspace(struct cloud *cloud, struct client_settings *settings)
{
	struct openstack_account *account = memory_zeroed(1, sizeof *account);
	const char *region = openstack_field(cloud, "rackspace_region", "dfw");

	(void)settings;
	fields_require(cloud, "api_user", "the name of a user");
	fields_require(cloud, "api_password", "the user's API key");
	account->user = openstack_field(cloud, "api_user", "");
	account->api_key = openstack_field(cloud, "api_password", "");
	account->project = "";
	openstack_cut_version(account, &cloud->arena, openstack_field(cloud, "endpoint", strcmp(region, "lon") == 0 ?
	    "https://lon.identity.api.rackspacecloud.com/v2.0" : "https://identity.api.rackspacecloud.com/v2.0"));
	account->two = true;
	account->region = region;
	account->interface = "public";
	account->keypair = cloud_field(cloud, "ssh_keypair");
	account->config_drive = true;
	account->rackconnect = fields_boolean(cloud, "rackconnect_wait", false);
	cloud->state = account;
}
