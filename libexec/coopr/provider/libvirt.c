/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/libvirt: virtual machines of a host of one's own, by the library of libvirt, coopr-clouds(7). The uuid of a domain is the token of its
 * machine, so that one is made once however often it is asked for.
 *
 * Its disks are made, then the domain is defined, with all that it will ever bear, and started. A domain that is defined and does not run is started
 * where it is asked for again; disks without a domain are made anew then, and go when their node is deleted.
 */
#include <libvirt/virterror.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cloud/libvirt/disk.h"
#include "cloud/libvirt/domain.h"
#include "cloud/libvirt/host.h"
#include "cloud/libvirt/seed.h"
#include "cloud/plugin.h"
#include "content/key-pair.h"

enum { WINDOW_MS = 10 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider libvirt\",\"type\":\"object\",\"of\":\"installation\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_TIME_PROPERTIES "," CLOUD_CONFIG_PROPERTY "," LABORATORY_PROPERTIES ","
    "\"uri\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"qemu:///system\",\"description\":\"The host, as libvirt calls it, such as qemu+tls://HOST/system\"},"
    "\"pool\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"default\",\"description\":\"The storage pool in which disks are made\"},"
    "\"image_pool\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"That in which images are; by default the same\"},"
    "\"network\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"default\",\"description\":\"The network of libvirt that machines are in\"},"
    "\"bridge\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"A bridge of the host that they are on, in its place\"},"
    "\"addresses\":{\"type\":\"string\",\"enum\":[\"lease\",\"agent\",\"arp\"],\"of\":\"installation\",\"default\":\"lease\",\"description\":\"Who says which addresses machines have\"},"
    "\"seed\":{\"type\":\"boolean\",\"of\":\"installation\",\"default\":true,\"description\":\"Give each a disk from which cloud-init takes its keys\"},"
    "\"domain_type\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"How they are run, such as kvm or qemu; by default kvm where the host has it\"},"
    "\"firmware\":{\"type\":\"string\",\"enum\":[\"bios\",\"efi\"],\"of\":\"installation\",\"description\":\"What starts them; by default as the host has it\"}}}";

/* A task with a connection of its own. */
struct call {
	const struct cloud *cloud;
	virConnectPtr connection;
	struct arena arena;
};

static int
libvirt_begin(const struct cloud *cloud, struct call *call, struct error *err)
{
	*call = (struct call){.cloud = cloud, .connection = libvirt_connect(cloud, err)};
	return call->connection ? 0 : -1;
}

static void
libvirt_end(struct call *call)
{
	if (call->connection)
		virConnectClose(call->connection);
	arena_release(&call->arena);
}

/* --- list --- */

static int
libvirt_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	virDomainPtr *domains = NULL;
	struct call call;
	int result = libvirt_begin(cloud, &call, err), count = -1;

	(void)node;
	if (result == 0 && (count = virConnectListAllDomains(call.connection, &domains, 0)) < 0)
		result = libvirt_refused("list", err);
	for (int i = 0; i < count; i++) {
		if (result == 0 && (result = stop_check(stop, err)) == 0)
			result = domain_read(cloud, domains[i], found, err);
		virDomainFree(domains[i]);
	}
	free(domains);
	libvirt_end(&call);
	return result;
}

/* --- remove --- */

static bool
libvirt_is_gone(void)
{
	const virError *error = virGetLastError();

	return error && error->code == VIR_ERR_NO_DOMAIN;
}

/* Undefines it, with what the host keeps beside its disks; not every kind of host has that. */
static int
libvirt_undefine(virDomainPtr domain)
{
	const virError *error;

	if (virDomainUndefineFlags(domain, VIR_DOMAIN_UNDEFINE_MANAGED_SAVE | VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA | VIR_DOMAIN_UNDEFINE_NVRAM) == 0)
		return 0;
	error = virGetLastError();
	return error && (error->code == VIR_ERR_INVALID_ARG || error->code == VIR_ERR_NO_SUPPORT) ? virDomainUndefine(domain) : -1;
}

/* Has the domain not run, and not be there any more. One that is gone is no error, nor one that has just stopped. */
static int
libvirt_drop(virDomainPtr domain, struct error *err)
{
	if (virDomainIsActive(domain) == 1 && virDomainDestroy(domain) < 0 && virDomainIsActive(domain) == 1)
		return libvirt_refused(virDomainGetName(domain), err);
	return libvirt_undefine(domain) == 0 || libvirt_is_gone() ? 0 : libvirt_refused(virDomainGetName(domain), err);
}

static int
libvirt_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	virDomainPtr domain = NULL;
	struct call call;
	int result = libvirt_begin(cloud, &call, err);

	(void)stop;
	if (result == 0 && (domain = virDomainLookupByUUIDString(call.connection, machine->id)))
		result = libvirt_drop(domain, err);
	else if (result == 0 && !libvirt_is_gone())
		result = libvirt_refused(machine->id, err);
	if (result == 0 && machine->node)
		result = disks_remove(cloud, call.connection, machine->node, err);
	if (domain)
		virDomainFree(domain);
	libvirt_end(&call);
	return result;
}

static int
libvirt_clear(struct cloud *cloud, const char *node, const struct stop *stop, struct error *err)
{
	struct call call;
	int result = libvirt_begin(cloud, &call, err);

	(void)stop;
	if (result == 0)
		result = disks_remove(cloud, call.connection, node, err);
	libvirt_end(&call);
	return result;
}

/* --- make --- */

static const char *
libvirt_node(const struct cloud_order *order)
{
	for (size_t i = 0; i < order->tag_count; i++)
		if (strcmp(order->tags[i][0], CLOUD_TAG_NODE) == 0)
			return order->tags[i][1];
	return order->name;
}

/* Starts the domain of that name, which an earlier request has defined, if it is ours. */
static int
libvirt_take_up(struct call *call, virDomainPtr domain, const struct cloud_order *order, struct error *err)
{
	const char *token = domain_metadata(domain, "token", &call->arena, err);

	if (!token && err->code)
		return -1;
	if (!token || strcmp(token, order->token) != 0)
		return error_set(err, EX_CONFIG, "the domain %s is somebody else's", order->name);
	if (virDomainIsActive(domain) == 1 || virDomainCreate(domain) == 0 || virDomainIsActive(domain) == 1)
		return 0;
	return libvirt_refused(order->name, err);
}

/* Defines the domain and starts it, also when its host is started. Where that fails it is not defined any more. */
static int
libvirt_start_new(struct call *call, const char *description, struct error *err)
{
	virDomainPtr domain = virDomainDefineXML(call->connection, description);
	struct error ignored;
	int result = 0;

	if (!domain)
		return libvirt_refused("define", err);
	virDomainSetAutostart(domain, 1); /* not every kind of host has that */
	if (virDomainCreate(domain) < 0) {
		result = libvirt_refused("start", err);
		libvirt_drop(domain, &ignored);
	}
	virDomainFree(domain);
	return result;
}

/* Makes the disks, with the seed or without one, and the domain. */
static int
libvirt_make_with(struct call *call, const struct cloud_order *order, const struct laboratory_size *size, const struct buffer *seed,
    const char *host_key, struct error *err)
{
	const char *node = libvirt_node(order), *description;
	struct disks disks;
	struct error ignored;
	int result = disks_make(call->cloud, call->connection, node, order->image, (uint64_t)(size->disk * 1024 * 1024), seed, &call->arena, &disks, err);

	if (result == 0) {
		description = domain_describe(call->cloud, call->connection, order, size, &disks, host_key, &call->arena, err);
		result = description ? libvirt_start_new(call, description, err) : -1;
	}
	if (result < 0)
		disks_remove(call->cloud, call->connection, node, &ignored);
	return result;
}

/* Makes a machine that is to show a host key of ours, which is in its seed. */
static int
libvirt_make_seeded(struct call *call, const struct cloud_order *order, const struct laboratory_size *size, const char *key, struct error *err)
{
	struct buffer disk = {0};
	struct key_pair pair;
	int result = key_pair_make(order->name, &pair, err);

	if (result < 0)
		return -1;
	seed_write(&(struct seed){order->token, order->name, call->cloud, key, &pair}, &disk);
	result = libvirt_make_with(call, order, size, &disk, pair.public, err);
	sodium_memzero(disk.data, disk.length);
	buffer_release(&disk);
	sodium_free(pair.private);
	free(pair.public);
	return result;
}

static int
libvirt_make_new(struct call *call, const struct cloud_order *order, const struct laboratory_size *size, struct error *err)
{
	const struct libvirt *libvirt = call->cloud->state;
	const char *key;

	if (!libvirt->seed)
		return libvirt_make_with(call, order, size, NULL, NULL, err);
	key = cloud_key(order, libvirt->laboratory.public_key, "public_key", err);
	return key ? libvirt_make_seeded(call, order, size, key, err) : -1;
}

/* Looks by name whether a domain was defined before its host was no longer reached. */
static int
libvirt_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct laboratory_size *size = laboratory_find_size(cloud, order->flavor, err);
	virDomainPtr domain = NULL;
	struct call call;
	int result;

	if (!size || stop_check(stop, err) < 0)
		return -1;
	if (order->zone)
		return error_set(err, EX_CONFIG, "provider %s is one host, and has no zone %s", cloud->name, order->zone);
	if (libvirt_begin(cloud, &call, err) == 0) {
		if ((domain = virDomainLookupByName(call.connection, order->name)))
			result = libvirt_take_up(&call, domain, order, err);
		else
			result = libvirt_is_gone() ? libvirt_make_new(&call, order, size, err) : libvirt_refused(order->name, err);
		*unknown = result < 0 && virConnectIsAlive(call.connection) != 1;
	} else {
		result = -1;
	}
	if (result == 0)
		cloud_machines_add(made)->id = arena_string(&made->arena, order->token);
	if (domain)
		virDomainFree(domain);
	libvirt_end(&call);
	return result;
}

/* --- what is asked beside that --- */

static int
libvirt_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	virDomainPtr domain = NULL;
	struct call call;
	int result = libvirt_begin(cloud, &call, err);

	(void)stop;
	keys->list = arena_alloc(arena, 1, sizeof *keys->list);
	keys->count = 0;
	if (result == 0 && (domain = virDomainLookupByUUIDString(call.connection, machine->id))) {
		keys->list[0] = domain_metadata(domain, DOMAIN_HOST_KEY, arena, err);
		keys->count = keys->list[0] != NULL;
		result = err->code ? -1 : keys->list[0] ? 0 : 1;
		virDomainFree(domain);
	}
	libvirt_end(&call);
	return result;
}

static int
libvirt_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	struct call call;
	int result = libvirt_begin(cloud, &call, err);

	(void)stop;
	if (result < 0)
		return -1;
	if (trial == CLOUD_TRY_CREDENTIALS)
		result = libvirt_try_host(call.connection, arena, said, err);
	else if (trial == CLOUD_TRY_FLAVOR)
		result = laboratory_find_size(cloud, name, err) ? 0 : -1;
	else if (trial == CLOUD_TRY_IMAGE)
		result = disks_try_image(cloud, call.connection, name, arena, said, err);
	else if (trial == CLOUD_TRY_NETWORK)
		result = libvirt_try_places(cloud, call.connection, err);
	else
		result = 1;
	libvirt_end(&call);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "libvirt", .schema = schema, .user = "root", .per_second = 100, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = libvirt_open, .make = libvirt_make, .list = libvirt_list, .clear = libvirt_clear, .remove = libvirt_remove,
	    .host_keys = libvirt_host_keys, .try = libvirt_try, .flavors = laboratory_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
