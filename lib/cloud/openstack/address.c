/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/address.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/openstack/keystone.h"
#include "cloud/openstack/names.h"
#include "cloud/openstack/request.h"

/* Returns what an address of the node is described by, which the caller frees. */
static char *
openstack_describe(const struct cloud *cloud, const char *node)
{
	return memory_printf("%s:%s %s:%s", CLOUD_TAG_INSTALLATION, cloud->installation, CLOUD_TAG_NODE, node);
}

struct openstack_sight { /* of addresses, by those who read a list of them */
	const struct cloud *cloud;
	struct cloud_machines *found;
};

/* Sets the address of the server that it is for. Servers that were made twice for a node have their own addresses inside. */
static void
openstack_match_address(const struct openstack_sight *sight, jv address)
{
	char *description = json_get_string(address, "description"), *fixed = json_get_string(address, "fixed_ip_address");

	for (size_t i = 0; description && fixed && i < sight->found->count; i++) {
		struct cloud_machine *machine = &sight->found->list[i];
		char *ours = machine->node ? openstack_describe(sight->cloud, machine->node) : NULL;

		if (ours && machine->bind_v4 && strcmp(ours, description) == 0 && strcmp(machine->bind_v4, fixed) == 0)
			machine->access_v4 = json_arena_string(address, "floating_ip_address", &sight->found->arena);
		free(ours);
	}
	free(fixed);
	free(description);
}

static int
openstack_read_addresses_page(jv page, void *data, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < json_length(page); i++) {
		jv address = json_element(page, i);

		openstack_match_address(data, address);
		jv_free(address);
	}
	return 0;
}

int
openstack_list_addresses(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	struct openstack_sight sight = {.cloud = cloud, .found = found};
	const struct openstack_list list = {.service = OPENSTACK_NETWORK, .path = "/floatingips?limit=1000", .member = "floatingips",
	    .read = openstack_read_addresses_page, .data = &sight};
	bool wanted = false;

	/* Nova learns of an address late; until Neutron tells of it, the one inside is not the one from outside. */
	for (size_t i = 0; account->floating && i < found->count; i++)
		if (found->list[i].access_v4 && found->list[i].bind_v4 && strcmp(found->list[i].access_v4, found->list[i].bind_v4) == 0) {
			found->list[i].access_v4 = found->list[i].access_v6 = NULL;
			wanted |= found->list[i].state == CLOUD_RUNNING;
		}
	return wanted ? openstack_list(cloud, &list, stop, err) : 0;
}

/* Returns the id of the port of the server that has the address, which the caller frees; NULL with an error. */
static char *
openstack_find_port(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/ports?device_id=%s", machine->id), *id = NULL;
	jv ports = openstack_get(cloud, OPENSTACK_NETWORK, path, "ports", stop, err);

	for (size_t i = 0; !id && i < json_length(ports); i++) {
		jv port = json_element(ports, i), addresses = json_get(port, "fixed_ips");

		if (machine->bind_v4 && json_array_has(addresses, "ip_address", machine->bind_v4))
			id = json_get_string(port, "id");
		jv_free(addresses);
		jv_free(port);
	}
	if (!id && jv_is_valid(ports))
		error_set(err, EX_TEMPFAIL, "server %s has no port with an address of IPv4 to which a floating one could belong", machine->id);
	jv_free(ports);
	free(path);
	return id;
}

static int
openstack_ask_address(struct cloud *cloud, const struct cloud_machine *machine, const char *network, const char *port, const struct stop *stop,
    struct error *err)
{
	char *description = openstack_describe(cloud, machine->node ? machine->node : "");
	jv body = jv_object(), address = jv_object();
	long status;
	int result;

	json_set_string(&address, "floating_network_id", network);
	json_set_string(&address, "port_id", port);
	json_set_string(&address, "fixed_ip_address", machine->bind_v4);
	json_set_string(&address, "description", description);
	json_set(&body, "floatingip", address);
	result = openstack_do(cloud, OPENSTACK_NETWORK, "POST", "/floatingips", body, true, stop, &status, err);
	if (result < 0 && status == 409 && !strstr(err->text, "uota"))
		result = 0; /* the port has one, by a request whose answer was lost; the next list shows it */
	else if (result < 0 && (strstr(err->text, "uota") || strstr(err->text, "No more IP addresses")))
		err->code = CLOUD_NO_QUOTA;
	free(description);
	return result;
}

int
openstack_give_address(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	const struct openstack_name *network;
	char *port;
	int result = -1;

	if (!account->floating)
		return 0;
	network = openstack_find(cloud, OPENSTACK_AN_EXTERNAL_NETWORK, account->floating_network, stop, err);
	if (network && (port = openstack_find_port(cloud, machine, stop, err))) {
		result = openstack_ask_address(cloud, machine, network->id, port, stop, err);
		free(port);
	}
	return result;
}

static int
openstack_remove_address(struct cloud *cloud, const char *id, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/floatingips/%s", id);
	long status;
	int result = openstack_delete(cloud, OPENSTACK_NETWORK, path, stop, &status, err);

	free(path);
	return result;
}

/* Whatever the fields say now: an address may be from a time when they asked for one. */
int
openstack_clear_addresses(struct cloud *cloud, const char *node, const struct stop *stop, struct error *err)
{
	const struct openstack_session *session = keystone_session(cloud, NULL, stop, err);
	char *description, *escaped, *path;
	jv addresses;
	int result;

	if (!session || !session->urls[OPENSTACK_NETWORK])
		return session ? 0 : -1;
	description = openstack_describe(cloud, node);
	escaped = client_escape(description);
	path = memory_printf("/floatingips?description=%s", escaped);
	addresses = openstack_get(cloud, OPENSTACK_NETWORK, path, "floatingips", stop, err);
	result = jv_is_valid(addresses) || err->code == EX_NOINPUT ? 0 : -1; /* 404: the cloud has no floating addresses */
	for (size_t i = 0; result == 0 && i < json_length(addresses); i++) {
		jv address = json_element(addresses, i);
		char *id = json_get_string(address, "id"), *described = json_get_string(address, "description");

		if (id && described && strcmp(described, description) == 0)
			result = openstack_remove_address(cloud, id, stop, err);
		free(described);
		free(id);
		jv_free(address);
	}
	jv_free(addresses);
	free(path);
	free(escaped);
	free(description);
	return result;
}
