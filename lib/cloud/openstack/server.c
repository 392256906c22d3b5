/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/server.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/openstack/address.h"
#include "cloud/openstack/names.h"
#include "cloud/openstack/request.h"

struct openstack_reading { /* of the pages of a list */
	struct cloud *cloud;
	struct cloud_machines *found;
	struct string_list networks; /* names, those of the fields in their order first */
};

int
openstack_classify(const char *text, int otherwise)
{
	static const char *const capacity[] = {"No valid host", "Insufficient compute resources", "Exceeded max scheduling attempts",
	    "Exceeded maximum number of retries", "not enough hosts"};
	static const char *const quota[] = {"uota exceeded", "exceeds quota", "OverQuota", "Maximum number of ports exceeded", "Maximum number of fixed IPs"};

	for (size_t i = 0; i < sizeof quota / sizeof *quota; i++)
		if (strstr(text, quota[i]))
			return CLOUD_NO_QUOTA;
	for (size_t i = 0; i < sizeof capacity / sizeof *capacity; i++)
		if (strstr(text, capacity[i]))
			return CLOUD_NO_CAPACITY;
	return otherwise;
}

/* --- addresses --- */

struct openstack_addresses { /* of a server, of one version */
	const char *floating, *public, *inner; /* inner: of the network that comes first */
	size_t rank;                           /* of that network */
};

/* Returns where a network stands: those of the fields in their order, then "private", then others, then "public". */
static size_t
openstack_rank(const struct string_list *networks, const char *name)
{
	size_t at = 0;

	while (at < networks->count && strcmp(networks->list[at], name) != 0)
		at++;
	return at < networks->count ? at : strcmp(name, "private") == 0 ? at : strcmp(name, "public") == 0 ? at + 2 : at + 1;
}

static void
openstack_read_address(jv one, const char *network, size_t rank, struct openstack_addresses *to, struct arena *arena)
{
	char *type = json_get_string(one, "OS-EXT-IPS:type");
	const char *address = json_arena_string(one, "addr", arena);

	if (address && type && strcmp(type, "floating") == 0) {
		to->floating = address;
	} else if (address) {
		if (!to->public && strcmp(network, "public") == 0)
			to->public = address;
		if (!to->inner || rank < to->rank) {
			to->inner = address;
			to->rank = rank;
		}
	}
	free(type);
}

/* Reads {"NETWORK": [{"version": 4, "addr": "10.0.0.3", "OS-EXT-IPS:type": "fixed"}]}. */
static void
openstack_read_addresses(const struct openstack_reading *reading, jv addresses, struct openstack_addresses *four, struct openstack_addresses *six)
{
	if (jv_get_kind(addresses) != JV_KIND_OBJECT)
		return;
	jv_object_foreach(addresses, key, list) {
		const char *network = json_string(key);
		size_t rank = openstack_rank(&reading->networks, network);

		for (size_t i = 0; i < json_length(list); i++) {
			jv one = json_element(list, i);

			openstack_read_address(one, network, rank, json_get_number(one, "version", 4) == 6 ? six : four, &reading->found->arena);
			jv_free(one);
		}
		jv_free(list);
		jv_free(key);
	}
}

static void
openstack_set_addresses(const struct openstack_reading *reading, jv server, struct cloud_machine *machine)
{
	struct openstack_addresses four = {.rank = 0}, six = {.rank = 0};
	struct arena *arena = &reading->found->arena;
	const char *access_v4 = cloud_text(server, "accessIPv4", arena), *access_v6 = cloud_text(server, "accessIPv6", arena);
	jv addresses = json_get(server, "addresses");

	openstack_read_addresses(reading, addresses, &four, &six);
	machine->bind_v4 = four.inner;
	machine->bind_v6 = six.inner;
	machine->access_v4 = four.floating ? four.floating : access_v4 ? access_v4 : four.public ? four.public : four.inner;
	machine->access_v6 = access_v6 ? access_v6 : six.public ? six.public : six.inner;
	jv_free(addresses);
}

/* --- states --- */

static void
openstack_read_fault(jv server, struct cloud_machine *machine, struct arena *arena)
{
	jv fault = json_get(server, "fault");

	machine->reason = cloud_text(fault, "message", arena);
	machine->failure = machine->reason ? openstack_classify(machine->reason, 0) : 0;
	jv_free(fault);
}

/* Rackspace's RackConnect has work to do on a server that runs. */
static bool
openstack_is_connected(const struct openstack_account *account, jv metadata)
{
	char *status = account->rackconnect ? json_get_string(metadata, "rackconnect_automation_status") : NULL;
	bool is = !account->rackconnect || (status && strcmp(status, "DEPLOYED") == 0);

	free(status);
	return is;
}

static enum cloud_state
openstack_state(const char *status)
{
	return strcmp(status, "ACTIVE") == 0 ? CLOUD_RUNNING : strcmp(status, "ERROR") == 0 ? CLOUD_FAILED
	    : strcmp(status, "DELETED") == 0 || strcmp(status, "SOFT_DELETED") == 0 ? CLOUD_GONE : CLOUD_PENDING;
}

static void
openstack_read_state(const struct openstack_account *account, jv server, jv metadata, const char *status, struct cloud_machine *machine,
    struct arena *arena)
{
	char *task = json_get_string(server, "OS-EXT-STS:task_state"), *launched = json_get_string(server, "OS-SRV-USG:launched_at");

	machine->state = openstack_state(status);
	machine->is_off = !task && strcmp(status, "SHUTOFF") == 0;
	/* One that ran is gone when it is: it may write until then, and what fails to be deleted would be forgotten. One that is being built may run yet. */
	machine->is_going = task && strcmp(task, "deleting") == 0;
	if (machine->is_going)
		machine->state = launched || strcmp(status, "BUILD") == 0 ? CLOUD_PENDING : CLOUD_GONE;
	free(launched);
	free(task);
	if (machine->state == CLOUD_FAILED)
		openstack_read_fault(server, machine, arena);
	if (machine->state == CLOUD_RUNNING && !openstack_is_connected(account, metadata))
		machine->state = CLOUD_PENDING;
}

/* --- servers --- */

/* Tells whether the server bears the tag of this installation. */
static bool
openstack_is_ours(const struct cloud *cloud, jv metadata)
{
	char *installation = json_get_string(metadata, CLOUD_TAG_INSTALLATION);
	bool ours = installation && strcmp(installation, cloud->installation) == 0;

	free(installation);
	return ours;
}

static int
openstack_read_ours(const struct openstack_reading *reading, jv server, jv metadata, const char *status, struct error *err)
{
	struct arena *arena = &reading->found->arena;
	struct cloud_machine machine = {.id = cloud_text(server, "id", arena), .name = cloud_text(server, "name", arena),
	    .zone = cloud_text(server, "OS-EXT-AZ:availability_zone", arena)};
	char *made = json_get_string(server, "created");

	machine.made_ms = cloud_time(made);
	free(made);
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "the cloud's answer has a server without an id");
	openstack_read_state(reading->cloud->state, server, metadata, status, &machine, arena);
	cloud_machine_tags(reading->found, &machine, metadata);
	openstack_set_addresses(reading, server, &machine);
	*cloud_machines_add(reading->found) = machine;
	return 0;
}

/* Nova knows no more than the id of a server in a part of the cloud that does not answer: it may be any of ours, so a list without it is incomplete. */
static int
openstack_read_server(const struct openstack_reading *reading, jv server, struct error *err)
{
	char *status = json_get_string(server, "status"), *id = json_get_string(server, "id");
	jv metadata = json_get(server, "metadata");
	int result = 0;

	if (status && strcmp(status, "UNKNOWN") == 0)
		result = error_set(err, EX_TEMPFAIL, "a part of the cloud does not answer, which has server %s; whose that is cannot be told", id ? id : "");
	else if (openstack_is_ours(reading->cloud, metadata))
		result = openstack_read_ours(reading, server, metadata, status ? status : "", err);
	jv_free(metadata);
	free(id);
	free(status);
	return result;
}

static int
openstack_read_page(jv page, void *data, struct error *err)
{
	int result = jv_get_kind(page) == JV_KIND_ARRAY ? 0 : error_set(err, EX_TEMPFAIL, "the cloud's answer has no list of servers");

	for (size_t i = 0; result == 0 && i < json_length(page); i++) {
		jv server = json_element(page, i);

		result = openstack_read_server(data, server, err);
		jv_free(server);
	}
	return result;
}

/* Finds the names of the fields' networks: addresses are told by these. */
static int
openstack_name_networks(struct openstack_reading *reading, struct arena *arena, const struct stop *stop, struct error *err)
{
	const struct openstack_account *account = reading->cloud->state;
	struct string_list *names = &reading->networks;

	names->list = arena_alloc(arena, account->networks.count + 1, sizeof *names->list);
	for (size_t i = 0; account->networks.count > 1 && i < account->networks.count; i++) {
		const struct openstack_name *name = openstack_find(reading->cloud, OPENSTACK_A_NETWORK, account->networks.list[i], stop, err);

		if (!name)
			return -1;
		names->list[names->count++] = name->name;
	}
	return 0;
}

/* Reads the list once. Without the version of the API that is asked for first, Nova leaves out what it cannot see; as it does where a request
 * says anything of limits or order. Returns 1 where it is to be read anew. */
static int
openstack_read_servers(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	struct openstack_account *account = cloud->state;
	struct openstack_reading reading = {.cloud = cloud, .found = found};
	struct openstack_list list = {.service = OPENSTACK_COMPUTE, .path = "/servers/detail", .member = "servers",
	    .read = openstack_read_page, .data = &reading};
	struct arena arena = {0};
	bool old;
	long status = 0;
	int result;

	stop_lock();
	old = account->old;
	stop_unlock();
	list.header = old ? NULL : "OpenStack-API-Version: compute 2.69";
	result = openstack_name_networks(&reading, &arena, stop, err);
	if (result == 0)
		result = openstack_pages(cloud, &list, stop, &status, err);
	arena_release(&arena);
	if (result < 0 && status == 406 && !old) {
		stop_lock();
		account->old = true;
		stop_unlock();
		result = 1;
	}
	return result;
}

/* Reads why the server has failed; it may be gone meanwhile. */
static int
openstack_ask_fault(struct cloud *cloud, struct arena *arena, struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/servers/%s", machine->id);
	jv server = openstack_get(cloud, OPENSTACK_COMPUTE, path, "server", stop, err);
	int result = 0;

	if (jv_is_valid(server))
		openstack_read_fault(server, machine, arena);
	else if (err->code == EX_NOINPUT)
		machine->state = CLOUD_GONE;
	else
		result = -1;
	jv_free(server);
	free(path);
	return result;
}

/* Lists of Nova have no faults of servers for which there was no host: it keeps these in a cell of their own. */
static int
openstack_ask_faults(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].state == CLOUD_FAILED && !found->list[i].reason &&
		    openstack_ask_fault(cloud, &found->arena, &found->list[i], stop, err) < 0)
			return -1;
	return 0;
}

int
openstack_list_servers(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	if (cloud_list_whole(cloud, openstack_read_servers, "the list of servers", stop, found, err) < 0 ||
	    openstack_ask_faults(cloud, stop, found, err) < 0)
		return -1;
	return openstack_list_addresses(cloud, stop, found, err);
}
