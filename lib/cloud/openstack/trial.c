/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/trial.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/openstack/keystone.h"
#include "cloud/openstack/names.h"
#include "cloud/openstack/request.h"

static int
openstack_try_credentials(struct cloud *cloud, const struct stop *stop, const char **said, struct error *err)
{
	const struct openstack_session *session = keystone_session(cloud, NULL, stop, err);

	if (session)
		*said = session->who;
	return session ? 0 : -1;
}

/* The limit is one of the project, whoever has made its servers. */
static int
openstack_try_quota(struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	jv limits = openstack_get(cloud, OPENSTACK_COMPUTE, "/limits", "limits", stop, err), absolute = json_get(limits, "absolute");
	double used = json_get_number(absolute, "totalInstancesUsed", -1), most = json_get_number(absolute, "maxTotalInstances", -1);
	int result = jv_is_valid(limits) ? 0 : -1;

	jv_free(absolute);
	jv_free(limits);
	if (result < 0 || used < 0)
		return result < 0 ? -1 : 1;
	*said = most < 0 ? arena_printf(arena, "%.0f servers, without a limit", used) : arena_printf(arena, "%.0f of %.0f servers", used, most);
	return most < 0 || used < most ? 0 : error_set(err, CLOUD_NO_QUOTA, "%s, which is all", *said);
}

static int
openstack_try_zone(struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	const char *wanted = name ? name : account->zone;
	jv zones;
	int result;

	if (!wanted)
		return 1;
	zones = openstack_get(cloud, OPENSTACK_COMPUTE, "/os-availability-zone", "availabilityZoneInfo", stop, err);
	result = jv_is_valid(zones) ? error_set(err, EX_CONFIG, "the cloud has no zone %s", wanted) : -1;
	for (size_t i = 0; result < 0 && i < json_length(zones); i++) {
		jv zone = json_element(zones, i), state = json_get(zone, "zoneState"), available = json_get(state, "available");
		const char *called = json_arena_string(zone, "zoneName", arena);

		if (called && strcmp(called, wanted) == 0)
			result = jv_get_kind(available) == JV_KIND_FALSE ? error_set(err, CLOUD_NO_CAPACITY, "zone %s is not available", wanted) : 0;
		jv_free(available);
		jv_free(state);
		jv_free(zone);
	}
	if (result == 0 && !name)
		*said = wanted;
	jv_free(zones);
	return result;
}

/* Names of images are looked up; an id is asked for. */
static int
openstack_try_image(struct cloud *cloud, const char *name, const struct stop *stop, struct error *err)
{
	char *path;
	jv image;
	int result;

	if (!openstack_is_id(name))
		return openstack_find(cloud, OPENSTACK_AN_IMAGE, name, stop, err) ? 0 : -1;
	path = memory_printf("/images/%s", name);
	image = openstack_get(cloud, OPENSTACK_IMAGE, path, "id", stop, err);
	result = jv_is_valid(image) ? 0 : -1;
	jv_free(image);
	free(path);
	return result;
}

static int
openstack_try_keypair(struct cloud *cloud, const char *name, const struct stop *stop, struct error *err)
{
	char *escaped = client_escape(name), *path = memory_printf("/os-keypairs/%s", escaped);
	jv key = openstack_get(cloud, OPENSTACK_COMPUTE, path, "keypair", stop, err);
	int result = jv_is_valid(key) ? 0 : -1;

	jv_free(key);
	free(path);
	free(escaped);
	return result;
}

/* Tries one thing of the fields, and adds it to what is said. */
static int
openstack_try_thing(struct cloud *cloud, enum openstack_kind kind, const char *noun, const char *name, const struct stop *stop, struct arena *arena,
    const char **said, struct error *err)
{
	const struct openstack_name *found = openstack_find(cloud, kind, name, stop, err);

	if (found)
		*said = arena_printf(arena, "%s%s%s %s", *said ? *said : "", *said ? ", " : "", noun, name ? name : found->name);
	return found ? 0 : -1;
}

static int
openstack_try_network(struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct openstack_account *account = cloud->state;
	int result = 0;

	for (size_t i = 0; result == 0 && i < account->networks.count; i++)
		result = openstack_try_thing(cloud, OPENSTACK_A_NETWORK, "network", account->networks.list[i], stop, arena, said, err);
	for (size_t i = 0; result == 0 && i < account->groups.count; i++)
		result = openstack_try_thing(cloud, OPENSTACK_A_SECURITY_GROUP, "group", account->groups.list[i], stop, arena, said, err);
	if (result == 0 && account->floating)
		result = openstack_try_thing(cloud, OPENSTACK_AN_EXTERNAL_NETWORK, "external network", account->floating_network, stop, arena, said, err);
	if (result == 0 && account->keypair && (result = openstack_try_keypair(cloud, account->keypair, stop, err)) == 0)
		*said = arena_printf(arena, "%s%skey %s", *said ? *said : "", *said ? ", " : "", account->keypair);
	return result < 0 ? -1 : *said ? 0 : 1;
}

int
openstack_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	switch (trial) {
	case CLOUD_TRY_CREDENTIALS:
		return openstack_try_credentials(cloud, stop, said, err);
	case CLOUD_TRY_QUOTA:
		return openstack_try_quota(cloud, stop, arena, said, err);
	case CLOUD_TRY_ZONE:
		return openstack_try_zone(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_FLAVOR:
		return openstack_find(cloud, OPENSTACK_A_FLAVOR, name, stop, err) ? 0 : -1;
	case CLOUD_TRY_IMAGE:
		return openstack_try_image(cloud, name, stop, err);
	case CLOUD_TRY_NETWORK:
		return openstack_try_network(cloud, stop, arena, said, err);
	case CLOUD_TRIALS:
		break;
	}
	return 1;
}

static int
openstack_read_flavors(jv page, void *data, struct error *err)
{
	struct cloud_flavors *flavors = data;

	(void)err;
	for (size_t i = 0; i < json_length(page); i++) {
		jv flavor = json_element(page, i);
		const char *name = json_arena_string(flavor, "name", &flavors->arena);

		if (name)
			*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = name, .cpus = json_get_number(flavor, "vcpus", 0),
			    .memory_mb = json_get_number(flavor, "ram", 0), .disk_gb = json_get_number(flavor, "disk", 0), .per_hour = -1};
		jv_free(flavor);
	}
	return 0;
}

int
openstack_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	const struct openstack_list list = {.service = OPENSTACK_COMPUTE, .path = "/flavors/detail?limit=1000", .member = "flavors",
	    .read = openstack_read_flavors, .data = flavors};

	return openstack_list(cloud, &list, stop, err);
}
