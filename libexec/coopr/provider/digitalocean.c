/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/digitalocean: droplets, by version 2 of DigitalOcean's API, coopr-clouds(7). The API takes no word that names a request, so
 * that a droplet whose answer was lost is found by its tags; tags are words of letters, digits, ":", "-" and "_", one for each of ours:
 * "coopr-node:00000042-1000".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/plugin.h"
#include "json/json.h"

enum { PAGE = 200, WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider digitalocean\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES ","
    "\"api_token\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"A personal access token that may read and write droplets and tags; a secret\"},"
    "\"digitalocean_region\":{\"type\":\"string\",\"description\":\"The region of droplets whose node has no zone\",\"default\":\"nyc3\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The fingerprint or id of a key that the account has, for droplets of clusters without a key of their own\"},"
    "\"vpc_uuid\":{\"type\":\"string\",\"description\":\"The private network of droplets; by default that of the region\"},"
    "\"ipv6\":{\"type\":\"boolean\",\"default\":false,\"description\":\"Whether droplets have an address of IPv6\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"https://api.digitalocean.com\",\"description\":\"The URL of the API\"},"
    "\"api_user\":{\"type\":\"string\",\"description\":\"The client id of version 1 of the API, which is gone\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The key of version 1 of the API, which is gone\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used: each cluster has a key of its own\"}}}";

struct account { /* what the fields say */
	const char *endpoint, *authorization, *region, *keypair, *vpc;
	bool ipv6;
	jv sizes; /* those that the cloud has, once a trial has asked, of which there is one at a time */
};

static void
do_open(struct cloud *cloud, struct client_settings *settings)
{
	struct account *account = memory_zeroed(1, sizeof *account);
	const char *token = cloud_field(cloud, "api_token"), *endpoint = cloud_field(cloud, "endpoint"), *region = cloud_field(cloud, "digitalocean_region");
	struct place place = place_member(&cloud->fields, "api_token");

	(void)settings;
	if (!token && (cloud_field(cloud, "api_user") || cloud_field(cloud, "api_password")))
		place_problem(&place, "is required: api_user and api_password are of version 1 of DigitalOcean's API, which ended in 2015; make a personal access token in the control panel (API, Tokens)");
	else if (!token)
		place_problem(&place, "is required: a personal access token of the account");
	account->endpoint = endpoint ? endpoint : "https://api.digitalocean.com";
	account->authorization = arena_printf(&cloud->arena, "Authorization: Bearer %s", token ? token : "");
	account->region = region ? region : "nyc3";
	account->keypair = cloud_field(cloud, "ssh_keypair");
	account->vpc = cloud_field(cloud, "vpc_uuid");
	account->sizes = jv_invalid();
	account->ipv6 = place_boolean(&cloud->fields, "ipv6", false);
	cloud->state = account;
}

/* Sends a request. path is below the endpoint; body may be NULL. */
static int
do_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, struct error *err)
{
	const struct account *account = cloud->state;
	char *url = memory_printf("%s%s", account->endpoint, path);
	struct client_request request = {.method = method, .url = url, .body = body, .length = body ? strlen(body) : 0,
	    .repeatable = strcmp(method, "POST") != 0};
	int result;

	arguments_push(&request.headers, account->authorization);
	result = client_ask(cloud->client, &request, stop, answer, out, err);
	arguments_release(&request.headers);
	free(url);
	return result;
}

/* --- tags --- */

/* Appends a value as a tag may have it; what it may not is "_" and a number. */
static char *
do_tag(const char *name, const char *value)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s:", name);
	for (; *value; value++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *value))
			buffer_byte(&text, *value);
		else
			buffer_printf(&text, "_%02x", (unsigned char)*value);
	return buffer_take(&text);
}

static void
do_read_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *tag)
{
	char *text = memory_string(tag), *value = strchr(text, ':'), *to;

	if (value) {
		*value++ = '\0';
		to = value;
		for (const char *at = value; *at; at++) {
			unsigned code;

			if (*at == '_' && sscanf(at + 1, "%2x", &code) == 1 && strlen(at) > 2) {
				*to++ = (char)code;
				at += 2;
			} else {
				*to++ = *at;
			}
		}
		*to = '\0';
		cloud_machine_tag(machines, machine, text, value);
	}
	free(text);
}

/* --- droplets --- */

static void
do_read_addresses(struct cloud_machines *machines, struct cloud_machine *machine, jv networks, const char *version)
{
	jv list = json_get(networks, version);
	bool six = strcmp(version, "v6") == 0;

	for (size_t i = 0; i < json_length(list); i++) {
		jv one = json_element(list, i), type = json_get(one, "type");
		const char *address = json_arena_string(one, "ip_address", &machines->arena);
		bool public = json_string(type) && strcmp(json_string(type), "public") == 0;

		*(public ? six ? &machine->access_v6 : &machine->access_v4 : six ? &machine->bind_v6 : &machine->bind_v4) = address;
		jv_free(type);
		jv_free(one);
	}
	jv_free(list);
}

static enum cloud_state
do_state(const char *status)
{
	return !status || strcmp(status, "new") == 0 || strcmp(status, "off") == 0 ? CLOUD_PENDING
	    : strcmp(status, "active") == 0 ? CLOUD_RUNNING : strcmp(status, "archive") == 0 ? CLOUD_GONE : CLOUD_PENDING;
}

static int
do_read_droplet(jv droplet, struct cloud_machines *machines, struct error *err)
{
	struct cloud_machine machine = {.state = CLOUD_PENDING};
	jv networks = json_get(droplet, "networks"), tags = json_get(droplet, "tags"), region = json_get(droplet, "region");
	char *status = json_get_string(droplet, "status"), *made = json_get_string(droplet, "created_at");
	double id = json_get_number(droplet, "id", -1);

	if (id >= 0)
		machine.id = arena_printf(&machines->arena, "%.0f", id);
	machine.name = json_arena_string(droplet, "name", &machines->arena);
	machine.zone = json_arena_string(region, "slug", &machines->arena);
	machine.state = do_state(status);
	machine.made_ms = cloud_time(made);
	do_read_addresses(machines, &machine, networks, "v4");
	do_read_addresses(machines, &machine, networks, "v6");
	for (size_t i = 0; i < json_length(tags); i++) {
		jv tag = json_element(tags, i);

		if (json_string(tag))
			do_read_tag(machines, &machine, json_string(tag));
		jv_free(tag);
	}
	free(made);
	free(status);
	jv_free(region);
	jv_free(tags);
	jv_free(networks);
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "DigitalOcean's answer has a droplet without an id");
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* --- make --- */

static void
do_add_keys(const struct account *account, const struct cloud_order *order, jv *body)
{
	jv keys = jv_array();
	char *end;
	long id;

	if (!order->key && account->keypair) {
		id = strtol(account->keypair, &end, 10);
		keys = jv_array_append(keys, *end ? jv_string(account->keypair) : jv_number((double)id));
	}
	json_set(body, "ssh_keys", keys);
}

static jv
do_image(const char *image)
{
	char *end;
	long id = strtol(image, &end, 10);

	return *end ? jv_string(image) : jv_number((double)id);
}

static jv
do_droplet(const struct account *account, const struct cloud_order *order)
{
	jv body = jv_object(), tags = jv_array();

	for (size_t i = 0; i < order->tag_count; i++) {
		char *tag = do_tag(order->tags[i][0], order->tags[i][1]);

		tags = jv_array_append(tags, jv_string(tag));
		free(tag);
	}
	json_set_string(&body, "name", order->name);
	json_set_string(&body, "region", order->zone ? order->zone : account->region);
	json_set_string(&body, "size", order->flavor);
	json_set(&body, "image", do_image(order->image));
	json_set(&body, "tags", tags);
	json_set_string(&body, "user_data", order->user_data);
	json_set(&body, "ipv6", account->ipv6 ? jv_true() : jv_false());
	json_set(&body, "monitoring", jv_false());
	if (account->vpc)
		json_set_string(&body, "vpc_uuid", account->vpc);
	do_add_keys(account, order, &body);
	return body;
}

/* Gives a refusal of a droplet its class, which the API tells only by its sentences. */
static void
do_classify(struct error *err)
{
	static const char *const capacity[] = {"Size is not available in this region", "Region is not available"};

	if (strstr(err->text, "droplet limit"))
		err->code = CLOUD_NO_QUOTA;
	for (size_t i = 0; i < sizeof capacity / sizeof *capacity; i++)
		if (strstr(err->text, capacity[i]))
			err->code = CLOUD_NO_CAPACITY;
}

static int
do_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct account *account = cloud->state;
	struct client_answer answer = {.wait_ms = -1};
	struct buffer text = {0};
	jv body, out, droplet;
	int result;

	if (!cloud_key(order, account->keypair, "ssh_keypair", err))
		return -1;
	body = do_droplet(account, order);
	json_dump(body, &text);
	result = do_ask(cloud, "POST", "/v2/droplets", buffer_string(&text), stop, &answer, &out, err);
	*unknown = answer.unknown;
	if (result == 0) {
		droplet = json_get(out, "droplet");
		result = do_read_droplet(droplet, made, err);
		*unknown |= result < 0;
		jv_free(droplet);
	} else if (answer.status == 422 || answer.status == 403) {
		do_classify(err);
	}
	jv_free(out);
	jv_free(body);
	client_answer_release(&answer);
	buffer_release(&text);
	return result;
}

/* --- list --- */

/* Reads a page. Returns 1 where another follows, 0 where none does, -1 on error. */
static int
do_read_page(jv out, struct cloud_machines *found, struct error *err)
{
	jv droplets = json_get(out, "droplets"), links = json_get(out, "links"), pages = json_get(links, "pages"), next = json_get(pages, "next");
	int result = json_string(next) != NULL;

	if (jv_get_kind(droplets) != JV_KIND_ARRAY)
		result = error_set(err, EX_TEMPFAIL, "DigitalOcean's answer has no list of droplets");
	for (size_t i = 0; result >= 0 && i < json_length(droplets); i++) {
		jv droplet = json_element(droplets, i);

		if (do_read_droplet(droplet, found, err) < 0)
			result = -1;
		jv_free(droplet);
	}
	jv_free(next);
	jv_free(pages);
	jv_free(links);
	jv_free(droplets);
	return result;
}

/* Reads all pages. They have numbers, so that a droplet which goes moves another from the next page to the one that was read. Returns 1 where the list
 * has not as many as the last page says that there are. */
static int
do_list_pages(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	char *tag = do_tag(CLOUD_TAG_INSTALLATION, cloud->installation), *escaped = client_escape(tag);
	double total = -1;
	int result = 1;

	for (unsigned page = 1; result > 0; page++) {
		char *path = memory_printf("/v2/droplets?tag_name=%s&page=%u&per_page=%d", escaped, page, PAGE);
		struct client_answer answer = {.wait_ms = -1};
		jv out;

		result = do_ask(cloud, "GET", path, NULL, stop, &answer, &out, err);
		if (result == 0) {
			jv meta = json_get(out, "meta");

			total = json_get_number(meta, "total", -1);
			result = do_read_page(out, found, err);
			jv_free(meta);
		}
		jv_free(out);
		client_answer_release(&answer);
		free(path);
	}
	free(escaped);
	free(tag);
	return result < 0 ? -1 : total >= 0 && (double)found->count != total;
}

static int
do_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, do_list_pages, "DigitalOcean's list of droplets", stop, found, err);
}

static int
do_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/v2/droplets/%s", machine->id);
	struct client_answer answer = {.wait_ms = -1};
	int result = do_ask(cloud, "DELETE", path, NULL, stop, &answer, NULL, err);

	if (result < 0 && answer.status == 404)
		result = 0;
	client_answer_release(&answer);
	free(path);
	return result;
}

/* --- what is asked without making anything --- */

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
	struct account *account = cloud->state;

	if (!jv_is_valid(account->sizes))
		account->sizes = do_read(cloud, "/v2/sizes?per_page=200", "sizes", stop, err);
	return account->sizes;
}

/* Tells whether droplets of the region may have the size. */
static bool
do_is_available(const struct account *account, jv size)
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
	const struct account *account = cloud->state;
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
	const struct account *account = cloud->state;
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
	const struct account *account = cloud->state;

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

static int
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

static int
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

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "digitalocean", .schema = schema, .user = "root", .per_second = 1.3,
	    .window_ms = WINDOW_MS, .open = do_open, .make = do_make, .list = do_list, .remove = do_remove, .try = do_try, .flavors = do_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
