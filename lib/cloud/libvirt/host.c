/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/libvirt/host.h"

#include <libvirt/virterror.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"

enum { ALIVE_S = 5, ALIVE_COUNT = 6 };

/* --- the connection --- */

/* Opening one may take long, so that it has a lock of its own. */
static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER;

static void
libvirt_say_nothing(void *data, virErrorPtr error)
{
	(void)data, (void)error;
}

/* Answers what the host asks to see whether we are there, and asks that itself. */
static void *
libvirt_keep_alive(void *data)
{
	while (virEventRunDefaultImpl() == 0)
		;
	return data;
}

/* Prepares the library, once in a process and before its first call. Called under the lock. */
static int
libvirt_prepare(struct error *err)
{
	static bool is_ready;
	pthread_t thread;

	if (is_ready)
		return 0;
	virSetErrorFunc(NULL, libvirt_say_nothing);
	if (virEventRegisterDefaultImpl() < 0)
		return libvirt_refused("events", err);
	if (pthread_create(&thread, NULL, libvirt_keep_alive, NULL) != 0)
		return error_set(err, EX_TEMPFAIL, "a thread for events could not be started");
	pthread_detach(thread);
	is_ready = true;
	return 0;
}

/* Opens it anew. Called under the lock: who comes meanwhile waits for the same. */
static virConnectPtr
libvirt_connect_anew(struct libvirt *libvirt, struct error *err)
{
	if (libvirt->connection)
		virConnectClose(libvirt->connection);
	libvirt->connection = virConnectOpen(libvirt->uri);
	if (!libvirt->connection)
		libvirt_refused(libvirt->uri, err);
	else
		virConnectSetKeepAlive(libvirt->connection, ALIVE_S, ALIVE_COUNT); /* a host in this process has no need of it */
	return libvirt->connection;
}

virConnectPtr
libvirt_connect(const struct cloud *cloud, struct error *err)
{
	struct libvirt *libvirt = cloud->state;
	virConnectPtr connection = NULL;

	pthread_mutex_lock(&connecting);
	if (libvirt_prepare(err) == 0)
		connection = libvirt->connection && virConnectIsAlive(libvirt->connection) == 1 ? libvirt->connection : libvirt_connect_anew(libvirt, err);
	if (connection)
		virConnectRef(connection);
	pthread_mutex_unlock(&connecting);
	return connection;
}

/* --- errors --- */

static int
libvirt_code(int code, const char *text)
{
	switch (code) {
	case VIR_ERR_AUTH_FAILED:
	case VIR_ERR_AUTH_CANCELLED:
	case VIR_ERR_AUTH_UNAVAILABLE:
	case VIR_ERR_ACCESS_DENIED:
	case VIR_ERR_OPERATION_DENIED:
		return EX_NOPERM;
	case VIR_ERR_NO_DOMAIN:
	case VIR_ERR_NO_NETWORK:
	case VIR_ERR_NO_STORAGE_POOL:
	case VIR_ERR_NO_STORAGE_VOL:
		return EX_NOINPUT;
	case VIR_ERR_XML_ERROR:
	case VIR_ERR_XML_DETAIL:
	case VIR_ERR_XML_INVALID_SCHEMA:
	case VIR_ERR_CONFIG_UNSUPPORTED:
	case VIR_ERR_ARGUMENT_UNSUPPORTED:
	case VIR_ERR_NO_SUPPORT:
	case VIR_ERR_NO_CONNECT:
	case VIR_ERR_INVALID_ARG:
	case VIR_ERR_OS_TYPE:
		return EX_CONFIG;
	default:
		return strstr(text, "No space left") || strstr(text, "Cannot allocate memory") || strstr(text, "not enough free space") ? CLOUD_NO_CAPACITY
		    : EX_TEMPFAIL;
	}
}

int
libvirt_refused(const char *what, struct error *err)
{
	const virError *error = virGetLastError();
	const char *text = error && error->message ? error->message : "it has failed, and does not say why";

	return error_set(err, libvirt_code(error ? error->code : VIR_ERR_OK, text), "%s: %s", what, text);
}

/* --- fields --- */

static unsigned
libvirt_read_addresses(struct cloud *cloud)
{
	static const struct {
		const char *name;
		unsigned source;
	} sources[] = {{"lease", VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_LEASE}, {"agent", VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_AGENT},
	    {"arp", VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_ARP}};
	const char *text = cloud_field(cloud, "addresses");

	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (!text || strcmp(text, sources[i].name) == 0)
			return sources[i].source;
	fields_problem(cloud, "addresses", "expected lease, agent or arp");
	return 0;
}

void
libvirt_open(struct cloud *cloud, struct client_settings *settings)
{
	struct libvirt *libvirt = memory_zeroed(1, sizeof *libvirt);
	const char *uri = cloud_field(cloud, "uri"), *pool = cloud_field(cloud, "pool"), *images = cloud_field(cloud, "image_pool");

	(void)settings;
	laboratory_open(cloud, &libvirt->laboratory);
	libvirt->uri = uri ? uri : "qemu:///system";
	libvirt->pool = pool ? pool : "default";
	libvirt->image_pool = images ? images : libvirt->pool;
	libvirt->bridge = cloud_field(cloud, "bridge");
	libvirt->network = cloud_field(cloud, "network");
	if (libvirt->bridge && libvirt->network)
		fields_problem(cloud, "bridge", "there is a network as well, and a machine has one of them");
	if (!libvirt->bridge && !libvirt->network)
		libvirt->network = "default";
	libvirt->domain_type = cloud_field(cloud, "domain_type");
	libvirt->firmware = cloud_field(cloud, "firmware");
	libvirt->addresses = libvirt_read_addresses(cloud);
	libvirt->seed = place_boolean(&cloud->fields, "seed", true);
	cloud->state = libvirt;
}

/* --- what is there --- */

virStoragePoolPtr
libvirt_find_pool(virConnectPtr connection, const char *name, struct error *err)
{
	virStoragePoolPtr pool = virStoragePoolLookupByName(connection, name);

	if (!pool) {
		libvirt_refused("pool", err);
		if (err->code == EX_NOINPUT)
			err->code = EX_CONFIG;
	}
	return pool;
}

int
libvirt_try_host(virConnectPtr connection, struct arena *arena, const char **said, struct error *err)
{
	const char *type = virConnectGetType(connection);
	unsigned long version = 0;

	if (!type || virConnectGetVersion(connection, &version) < 0)
		return libvirt_refused("host", err);
	*said = arena_printf(arena, "%s %lu.%lu.%lu", type, version / 1000000, version / 1000 % 1000, version % 1000);
	return 0;
}

static int
libvirt_try_network(virConnectPtr connection, const char *name, struct error *err)
{
	virNetworkPtr network = virNetworkLookupByName(connection, name);
	int is_active = network ? virNetworkIsActive(network) : -1, result = 0;

	if (is_active < 0)
		result = libvirt_refused("network", err);
	else if (!is_active)
		result = error_set(err, EX_CONFIG, "network %s is not active", name);
	if (network)
		virNetworkFree(network);
	return result;
}

static int
libvirt_try_pool(virConnectPtr connection, const char *name, struct error *err)
{
	virStoragePoolPtr pool = libvirt_find_pool(connection, name, err);
	int is_active = pool ? virStoragePoolIsActive(pool) : -1, result = pool ? 0 : -1;

	if (pool && is_active < 0)
		result = libvirt_refused("pool", err);
	else if (is_active == 0)
		result = error_set(err, EX_CONFIG, "pool %s is not active", name);
	if (pool)
		virStoragePoolFree(pool);
	return result;
}

int
libvirt_try_places(const struct cloud *cloud, virConnectPtr connection, struct error *err)
{
	const struct libvirt *libvirt = cloud->state;

	if (libvirt_try_pool(connection, libvirt->pool, err) < 0 || libvirt_try_pool(connection, libvirt->image_pool, err) < 0)
		return -1;
	return libvirt->network ? libvirt_try_network(connection, libvirt->network, err) : 0;
}
