/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/joyent/trial.h"

#include "base/error.h"
#include "cloud/joyent/account.h"
#include "cloud/joyent/names.h"
#include "cloud/joyent/request.h"

static int
jo_try_account(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	long status;
	jv account = jo_get(cloud, "", stop, &status, err);
	int result = jv_is_valid(account) ? 0 : -1;

	*said = json_arena_string(account, "email", arena);
	jv_free(account);
	return result;
}

static int
jo_try_networks(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct jo_account *account = cloud->state;

	for (size_t i = 0; i < account->networks.count; i++) {
		if (!jo_id(cloud, "networks", account->networks.list[i], stop, arena, err))
			return -1;
		*said = arena_printf(arena, "%s%s%s", *said ? *said : "", *said ? ", " : "", account->networks.list[i]);
	}
	return account->networks.count == 0;
}

int
jo_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	if (trial == CLOUD_TRY_CREDENTIALS)
		return jo_try_account(cloud, stop, arena, said, err);
	if (trial == CLOUD_TRY_NETWORK)
		return jo_try_networks(cloud, stop, arena, said, err);
	if (trial == CLOUD_TRY_ZONE && name)
		return error_set(err, EX_CONFIG, "a provider of Triton is one data center, that of joyent_api_url, and has no zones");
	if (trial != CLOUD_TRY_FLAVOR && trial != CLOUD_TRY_IMAGE)
		return 1;
	return (*said = jo_id(cloud, trial == CLOUD_TRY_FLAVOR ? "packages" : "images", name, stop, arena, err)) ? 0 : -1;
}

int
jo_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	long status;
	jv packages = jo_get(cloud, "/packages", stop, &status, err);
	int result = jv_is_valid(packages) ? 0 : -1;

	for (size_t i = 0; i < json_length(packages); i++) {
		jv package = json_element(packages, i);
		const char *name = json_arena_string(package, "name", &flavors->arena);

		if (name)
			*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = name, .cpus = json_get_number(package, "vcpus", 0),
			    .memory_mb = json_get_number(package, "memory", 0), .disk_gb = json_get_number(package, "disk", 0) / 1024, .per_hour = -1};
		jv_free(package);
	}
	jv_free(packages);
	return result;
}
