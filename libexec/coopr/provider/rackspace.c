/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/rackspace: servers of Rackspace's public cloud, an OpenStack with an identity service of its own that takes API keys, coopr-clouds(7).
 */
#include "cloud/cloud.h"
#include "cloud/openstack/account.h"
#include "cloud/openstack/nova.h"
#include "cloud/openstack/server.h"
#include "cloud/openstack/trial.h"
#include "cloud/plugin.h"

enum { WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider rackspace\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"required\":[\"api_user\",\"api_password\"],\"properties\":{" CLOUD_PROPERTIES ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The name of a user\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The user's API key\"},"
    "\"rackspace_region\":{\"type\":\"string\",\"default\":\"dfw\",\"description\":\"The region of servers\"},"
    "\"rackconnect_wait\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether to wait until RackConnect has done its work on a server\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The name of a key pair of the user, for servers of clusters without a key of their own\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The URL of the identity service; by default that of the region\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used: each cluster has a key of its own\"}}}";

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "rackspace", .schema = schema, .user = "root", .per_second = 5, .window_ms = WINDOW_MS,
	    .open = openstack_open_rackspace, .make = nova_make, .list = openstack_list_servers, .remove = nova_remove, .try = openstack_try,
	    .flavors = openstack_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
