/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/digitalocean/account.h"
#include "cloud/digitalocean/request.h"

/* Reads an object of the cloud: the member of the answer. Invalid with an error. */
static jv
do_read(const struct cloud *cloud, const char *path, const char *member, const struct stop *stop, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	jv out, value = jv_invalid();

	if (do_ask(cloud, "GET", path, NULL, stop, &answer, &out, err) == 0) {
		value = json_get(out, member);
		if (!jv_is_valid(value))
			error_set(err, EX_TEMPFAIL, "DigitalOcean's answer to GET %s has no %s", path, member);
	}
	jv_free(out);
	client_answer_release(&answer);
	return value;
}

/* Does the same for one that a name is a part of the path of. Returns 0, or -1 with an error. */
static int
do_find(const struct cloud *cloud, const char *folder, const char *name, const char *member, const struct stop *stop, struct error *err)
{
	char *escaped = client_escape(name), *path = memory_printf("%s/%s", folder, escaped);
	jv value = do_read(cloud, path, member, stop, err);
	int result = jv_is_valid(value) ? 0 : -1;

	jv_free(value);
	free(path);
	free(escaped);
	return result;
}

static int
do_try_credentials(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	jv account = do_read(cloud, "/v2/account", "account", stop, err);
	const char *status = json_arena_string(account, "status", arena), *why = json_arena_string(account, "status_message", arena);
	int result = jv_is_valid(account) ? 0 : -1;

	if (result == 0)
		*said = json_arena_string(account, "email", arena);
	if (result == 0 && status && strcmp(status, "locked") == 0)
		result = error_set(err, EX_NOPERM, "the account is locked%s%s", why && *why ? ": " : "", why ? why : "");
	jv_free(account);
	return result;
}

/* The limit is one of all droplets of the account, whoever has made them. */
static int
do_try_quota(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	jv account = do_read(cloud, "/v2/account", "account", stop, err), meta = jv_invalid();
	double limit = json_get_number(account, "droplet_limit", -1), count;

	if (jv_is_valid(account))
		meta = do_read(cloud, "/v2/droplets?page=1&per_page=1", "meta", stop, err);
	count = json_get_number(meta, "total", -1);
	jv_free(account);
	jv_free(meta);
	if (limit < 0 || count < 0)
		return err->code ? -1 : 1;
	*said = arena_printf(arena, "%.0f of %.0f droplets", count, limit);
	return count < limit ? 0 : error_set(err, CLOUD_NO_QUOTA, "%s, which is all", *said);
}

/* Returns all sizes, borrowed; invalid with an error. */
static jv
do_sizes(const struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct do_account *account = cloud->state;

	if (!jv_is_valid(account->sizes))
		account->sizes = do_read(cloud, "/v2/sizes?per_page=200", "sizes", stop, err);
	return account->sizes;
}

/* Tells whether droplets of the region may have the size. */
static bool
do_is_available(const struct do_account *account, jv size)
{
	jv regions = json_get(size, "regions"), available = json_get(size, "available");
	bool is_there = jv_get_kind(available) != JV_KIND_FALSE && json_array_has(regions, NULL, account->region);

	jv_free(available);
	jv_free(regions);
	return is_there;
}

static int
do_try_size(const struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct do_account *account = cloud->state;
	jv sizes = do_sizes(cloud, stop, err);

	if (!jv_is_valid(sizes))
		return -1;
	for (size_t i = 0; i < json_length(sizes); i++) {
		jv size = json_element(sizes, i);
		const char *slug = json_arena_string(size, "slug", arena);
		bool found = slug && strcmp(slug, name) == 0, available = found && do_is_available(account, size);

		if (found)
			*said = arena_printf(arena, "%g USD an hour", json_get_number(size, "price_hourly", 0));
		jv_free(size);
		if (found)
			return available ? 0 : error_set(err, EX_CONFIG, "not available in %s", account->region);
	}
	return error_set(err, EX_CONFIG, "DigitalOcean has no such size");
}

static int
do_try_region(const struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct do_account *account = cloud->state;
	const char *wanted = name ? name : account->region;
	jv regions = do_read(cloud, "/v2/regions?per_page=200", "regions", stop, err);
	int result = jv_is_valid(regions) ? error_set(err, EX_CONFIG, "DigitalOcean has no region %s", wanted) : -1;

	for (size_t i = 0; result < 0 && i < json_length(regions); i++) {
		jv region = json_element(regions, i), available = json_get(region, "available");
		const char *slug = json_arena_string(region, "slug", arena);

		if (slug && strcmp(slug, wanted) == 0)
			result = jv_get_kind(available) == JV_KIND_FALSE ? error_set(err, CLOUD_NO_CAPACITY, "region %s takes no new droplets", wanted) : 0;
		jv_free(available);
		jv_free(region);
	}
	if (result == 0 && !name)
		*said = wanted;
	jv_free(regions);
	return result;
}

static int
do_try_network(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct do_account *account = cloud->state;

	if (!account->vpc && !account->keypair)
		return 1;
	if (account->vpc && do_find(cloud, "/v2/vpcs", account->vpc, "vpc", stop, err) < 0)
		return -1;
	if (account->keypair && do_find(cloud, "/v2/account/keys", account->keypair, "ssh_key", stop, err) < 0)
		return -1;
	*said = arena_printf(arena, "%s%s%s%s%s", account->vpc ? "network " : "", account->vpc ? account->vpc : "", account->vpc && account->keypair ? ", " : "",
	    account->keypair ? "key " : "", account->keypair ? account->keypair : "");
	return 0;
}

int
do_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	switch (trial) {
	case CLOUD_TRY_CREDENTIALS:
		return do_try_credentials(cloud, stop, arena, said, err);
	case CLOUD_TRY_QUOTA:
		return do_try_quota(cloud, stop, arena, said, err);
	case CLOUD_TRY_ZONE:
		return do_try_region(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_FLAVOR:
		return do_try_size(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_IMAGE:
		return do_find(cloud, "/v2/images", name, "image", stop, err);
	case CLOUD_TRY_NETWORK:
		return do_try_network(cloud, stop, arena, said, err);
	case CLOUD_TRIALS:
		break;
	}
	return 1;
}

int
do_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	jv sizes = do_sizes(cloud, stop, err);

	if (!jv_is_valid(sizes))
		return -1;
	for (size_t i = 0; i < json_length(sizes); i++) {
		jv size = json_element(sizes, i);
		const char *slug = json_arena_string(size, "slug", &flavors->arena);

		if (slug && do_is_available(cloud->state, size))
			*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = slug, .cpus = json_get_number(size, "vcpus", 0),
			    .memory_mb = json_get_number(size, "memory", 0), .disk_gb = json_get_number(size, "disk", 0),
			    .per_hour = json_get_number(size, "price_hourly", -1)};
		jv_free(size);
	}
	return 0;
}
