/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/openstack: servers of an OpenStack, by the APIs of Keystone, Nova, Neutron, Glance and Cinder, coopr-clouds(7). Nova takes no word that names
 * a request, so that a server whose answer was lost is found by its metadata, which are our tags.
 */
#include "cloud/cloud.h"
#include "cloud/openstack/account.h"
#include "cloud/openstack/address.h"
#include "cloud/openstack/nova.h"
#include "cloud/openstack/server.h"
#include "cloud/openstack/trial.h"
#include "cloud/openstack/volumes.h"
#include "cloud/plugin.h"

enum { WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider openstack\",\"type\":\"object\",\"flavors\":true,\"volumes\":true," CLOUD_DESCRIBES
    "\"required\":[\"openstack_auth_url\"],\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"openstack_auth_url\":{\"type\":\"string\",\"description\":\"The URL of Keystone, with or without its version\"},"
    "\"api_user\":{\"type\":\"string\",\"description\":\"The name of a user\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The user's password\"},"
    "\"openstack_tenant\":{\"type\":\"string\",\"description\":\"The name of the project\"},"
    "\"openstack_domain\":{\"type\":\"string\",\"default\":\"default\",\"description\":\"The name of the domain of user and project\"},"
    "\"openstack_project_domain\":{\"type\":\"string\",\"description\":\"The name of the domain of the project, where that is another one\"},"
    "\"application_credential_id\":{\"type\":\"string\",\"description\":\"The id of an application credential, in place of user, password and project\"},"
    "\"application_credential_secret\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The secret of the application credential\"},"
    "\"openstack_region\":{\"type\":\"string\",\"description\":\"The region of servers; by default the first of the catalogue\"},"
    "\"openstack_interface\":{\"type\":\"string\",\"enum\":[\"public\",\"internal\",\"admin\"],\"default\":\"public\",\"description\":\"Which endpoints of the catalogue are used\"},"
    "\"availability_zone\":{\"type\":\"string\",\"description\":\"The zone of servers whose node has none; by default the cloud chooses\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The name of a key pair of the user, for servers of clusters without a key of their own\"},"
    "\"network_ids\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Networks by name or id, with commas between them; by default the only one of the project\"},"
    "\"security_groups\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Security groups by name or id, with commas between them; by default the project's default\"},"
    "\"floating_ip\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether servers have a floating address, which is allocated and released with them\"},"
    "\"floating_network\":{\"type\":\"string\",\"description\":\"The external network of floating addresses by name or id; by default the only one\"},"
    "\"config_drive\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether servers get their user data by a drive too\"},"
    "\"openstack_ssl_verify_peer\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"of\":\"installation\",\"description\":\"Whether certificates are verified\"},"
    "\"user_data_resource\":{\"type\":\"string\",\"description\":\"Not used: cloud_config says what cloud-init does on each machine\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used: each cluster has a key of its own\"}}}";

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "openstack", .schema = schema, .user = "root", .per_second = 20, .window_ms = WINDOW_MS,
	    .open = openstack_open, .make = nova_make, .list = openstack_list_servers, .give_address = openstack_give_address,
	    .clear = openstack_clear_addresses, .remove = nova_remove, .volumes = &openstack_volumes, .host_keys = nova_host_keys, .try = openstack_try, .flavors = openstack_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
