/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/google: instances of Google Compute Engine, by version 1 of its REST API, coopr-clouds(7). A request id, made of the token, names each
 * request for an instance, and so does the instance's name: one that is asked again makes nothing twice. An answer only says that an operation has
 * begun; what becomes of all that have, one list for each zone tells.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/console.h"
#include "cloud/google/account.h"
#include "cloud/google/image.h"
#include "cloud/google/instance.h"
#include "cloud/google/label.h"
#include "cloud/google/operations.h"
#include "cloud/google/request.h"
#include "cloud/google/volumes.h"
#include "cloud/plugin.h"

enum { PAGE = 500, WINDOW_MS = 60 * 1000 };

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider google\",\"type\":\"object\",\"flavors\":true,\"volumes\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY ","
    "\"google_project\":{\"type\":\"string\",\"description\":\"The id of the project; by default that of the key\"},"
    "\"google_client_email\":{\"type\":\"string\",\"description\":\"The address of the service account; by default that of the key\"},"
    "\"api_key\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The service account's key: Google's file of JSON, PEM, or PKCS#12 in base64; a secret\"},"
    "\"api_key_resource\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The same: a secret with the content of Coopr's resource\"},"
    "\"zone_name\":{\"type\":\"string\",\"default\":\"us-central1-a\",\"description\":\"The zone of nodes without one\"},"
    "\"network\":{\"type\":\"string\",\"description\":\"The network of instances; by default the one called default\"},"
    "\"subnetwork\":{\"type\":\"string\",\"description\":\"The subnetwork of instances; by default that of the network\"},"
    "\"external_ip\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether instances have an external address\"},"
    "\"ipv6\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether instances have an external address of IPv6\"},"
    "\"bootstrap_interface\":{\"type\":\"string\",\"default\":\"access_v4\",\"description\":\"access_v4 or bind_v4: by which address instances are entered\"},"
    "\"network_tags\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Network tags of instances\"},"
    "\"image_project\":{\"type\":\"string\",\"description\":\"The project of images; by default that of who publishes such\"},"
    "\"google_root_disk_size_gb\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size of the boot disk in GB; by default as the image has it\"},"
    "\"google_root_disk_type\":{\"type\":\"string\",\"description\":\"Its type: standard, ssd, or such as pd-balanced\"},"
    "\"google_data_disk_size_gb\":{\"type\":[\"string\",\"integer\"],\"description\":\"The size of a further disk in GB, or several, with commas\"},"
    "\"google_data_disk_type\":{\"type\":\"string\",\"description\":\"Their type, and that of the volumes of services\"},"
    "\"auto_restart\":{\"type\":[\"string\",\"boolean\"],\"default\":true,\"description\":\"Whether one is started again whose host fails\"},"
    "\"spot\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"Whether the cloud may stop instances\"},"
    "\"preemptible\":{\"type\":[\"string\",\"boolean\"],\"default\":false,\"description\":\"The same\"},"
    "\"service_account\":{\"type\":\"string\",\"description\":\"That of programs on instances; by default none\"},"
    "\"scopes\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"What these may do, such as devstorage.read_only\"},"
    "\"ssh_user\":{\"type\":\"string\",\"description\":\"Who logs in; by default as the image type says\"},"
    "\"public_key\":{\"type\":\"string\",\"description\":\"The public key for clusters without a key of their own\"},"
    "\"token_endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"Where tokens are asked for; by default as the key says\"},"
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"https://compute.googleapis.com\",\"description\":\"The URL of the API\"},"
    "\"provider_hostname\":{\"type\":[\"string\",\"boolean\"],\"description\":\"Not used\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"description\":\"Not used\"}}}";

static const char *
google_zone(const struct cloud *cloud, const char *zone)
{
	return zone ? zone : ((const struct google_account *)cloud->state)->zone;
}

/* --- list --- */

static int
google_read_one(const struct cloud *cloud, jv instance, void *found, struct error *err)
{
	return google_read_instance(cloud, instance, found, err);
}

static int
google_read_page(const struct cloud *cloud, jv answer, void *found, struct error *err)
{
	return google_read_zones(cloud, answer, "instances", google_read_one, found, err);
}

/* Reads all pages of the instances whose label is that of this installation. */
static int
google_list_instances(const struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	struct arena arena = {0};
	bool whole;
	char *filter = memory_printf("labels.%s=\"%s\"", CLOUD_TAG_INSTALLATION, google_label(cloud->installation, &arena, &whole));
	char *escaped = client_escape(filter), *path = memory_printf("/aggregated/instances?filter=%s&maxResults=%d", escaped, PAGE);
	const struct google_list list = {.path = path, .read = google_read_page, .data = found};
	int result = google_pages(cloud, &list, stop, err);

	free(path);
	free(escaped);
	free(filter);
	arena_release(&arena);
	return result;
}

static int
google_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	if (google_operations_refresh(cloud, stop, err) < 0 || google_list_instances(cloud, stop, found, err) < 0)
		return -1;
	google_operations_report(cloud, found);
	return 0;
}

/* --- make --- */

/* Looks for an instance whose making had ended before it was asked for again: somebody may have deleted it since. */
static int
google_find_made(const struct cloud *cloud, const char *zone, const char *name, const struct stop *stop, struct cloud_machines *made, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	char *path = memory_printf("/zones/%s/instances/%s", zone, name);
	int result = google_ask(cloud, "GET", path, NULL, true, stop, &reply, err);

	if (result == 0) {
		result = google_read_instance(cloud, reply.value, made, err);
	} else if (reply.answer.status == 404) {
		cloud_machines_add(made)->state = CLOUD_GONE;
		result = 0;
	}
	google_release(&reply);
	free(path);
	return result;
}

static int
google_insert(const struct cloud *cloud, const struct cloud_order *order, const char *zone, const char *image, const struct stop *stop,
    struct cloud_machines *made, bool *unknown, struct error *err)
{
	const char *name = google_instance_name(order, &made->arena);
	char *path = memory_printf("/zones/%s/instances?requestId=%s", zone, google_request_id(order->token, &made->arena));
	jv body = google_instance(cloud, order, name, image, zone);
	struct google_reply reply = GOOGLE_REPLY_NONE;
	struct error failed;
	int result = google_ask(cloud, "POST", path, &body, false, stop, &reply, err), end;

	*unknown = reply.answer.unknown;
	if (result == 0) {
		/* Why it failed, the list of machines tells, as if that had come later. */
		end = google_operation_add(cloud, reply.value, zone, name, order, &failed);
		if (end < 0) {
			*unknown = true;
			*err = failed;
			result = -1;
		} else if (end == GOOGLE_DONE) {
			result = google_find_made(cloud, zone, name, stop, made, err);
			*unknown = result < 0;
		}
	} else if (reply.answer.status == 409 && reply.reason && strcmp(reply.reason, "alreadyExists") == 0) {
		/* The name has a part of the token in it: it was made by an earlier request, whose id the cloud does not know any more. */
		result = 0;
	} else if (reply.answer.status == 404) {
		err->code = EX_CONFIG; /* of the zone, or of what the request names */
	}
	if (result == 0 && made->count == 0)
		cloud_machines_add(made)->id = name;
	google_release(&reply);
	jv_free(body);
	free(path);
	return result;
}

static int
google_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	const struct google_account *account = cloud->state;
	const char *image;

	if (!cloud_key(order, account->public_key, "public_key", err))
		return -1;
	image = google_image(cloud, order->image, stop, &made->arena, err);
	return image ? google_insert(cloud, order, google_zone(cloud, order->zone), image, stop, made, unknown, err) : -1;
}

/* --- remove --- */

static int
google_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	const char *zone = google_zone(cloud, machine->zone);
	enum google_end end = google_operations_deletion(cloud, zone, machine->id, err);
	char *path;
	int result;

	if (end != GOOGLE_DONE)
		return end == GOOGLE_FAILED ? -1 : 0;
	path = memory_printf("/zones/%s/instances/%s", zone, machine->id);
	result = google_ask(cloud, "DELETE", path, NULL, true, stop, &reply, err);
	if (result == 0)
		result = google_operation_add(cloud, reply.value, zone, machine->id, NULL, err) < 0 ? -1 : 0;
	else if (reply.answer.status == 404 || (reply.reason && strcmp(reply.reason, "resourceNotReady") == 0))
		result = 0; /* it is gone, or going */
	google_release(&reply);
	free(path);
	return result;
}

/* --- host keys --- */

/* Reads the attributes that Google's guest agent sets, {"queryValue": {"items": [{"key": "ssh-rsa", "value": "AAAA..."}]}}. */
static void
google_read_attributes(jv answer, struct arena *arena, struct string_list *keys)
{
	jv query = json_get(answer, "queryValue"), items = json_get(query, "items");

	keys->list = arena_alloc(arena, json_length(items) + 1, sizeof *keys->list);
	for (size_t i = 0; i < json_length(items); i++) {
		jv item = json_element(items, i);
		char *type = json_get_string(item, "key"), *value = json_get_string(item, "value");

		if (type && value && (strncmp(type, "ssh-", 4) == 0 || strncmp(type, "ecdsa-", 6) == 0) && !type[strcspn(type, " \r\n")])
			keys->list[keys->count++] = arena_printf(arena, "%s %.*s", type, (int)strcspn(value, " \r\n"), value);
		free(value);
		free(type);
		jv_free(item);
	}
	jv_free(items);
	jv_free(query);
}

/* Asks for the attributes, and where there are none, for what the machine has printed on its first serial port. */
static int
google_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	const char *zone = google_zone(cloud, machine->zone);
	char *attributes = memory_printf("/zones/%s/instances/%s/getGuestAttributes?queryPath=hostkeys%%2F", zone, machine->id);
	char *serial = memory_printf("/zones/%s/instances/%s/serialPort?port=1", zone, machine->id), *console = NULL;
	int result = google_ask(cloud, "GET", attributes, NULL, true, stop, &reply, err);

	*keys = (struct string_list){0};
	if (result == 0)
		google_read_attributes(reply.value, arena, keys);
	if (keys->count == 0 && (result == 0 || reply.answer.status == 404 || reply.answer.status == 403 || reply.answer.status == 400)) {
		result = google_ask(cloud, "GET", serial, NULL, true, stop, &reply, err);
		if (result == 0 && (console = json_get_string(reply.value, "contents")))
			console_read_keys(console, arena, keys);
		else if (reply.answer.status / 100 == 4 && reply.answer.status != 401)
			result = 0; /* an account may not be let read it: then the machine tells nothing */
	}
	free(console);
	free(serial);
	free(attributes);
	google_release(&reply);
	return result;
}

/* --- what is asked without making anything --- */

/* Asks for an object, whose words are in the reply. */
static int
google_get(const struct cloud *cloud, const char *path, const char *name, const struct stop *stop, struct google_reply *reply, struct error *err)
{
	char *escaped = client_escape(name), *whole = memory_printf("%s%s", path, escaped);
	int result = google_ask(cloud, "GET", whole, NULL, true, stop, reply, err);

	if (result < 0 && reply->answer.status == 404)
		err->code = EX_CONFIG;
	free(whole);
	free(escaped);
	return result;
}

/* Tells the quotas of the region that bear on instances, and fails where one is used up. */
static int
google_read_quotas(jv region, struct arena *arena, const char **said, struct error *err)
{
	jv quotas = json_get(region, "quotas");
	int result = 0;

	for (size_t i = 0; i < json_length(quotas); i++) {
		jv quota = json_element(quotas, i);
		const char *metric = json_arena_string(quota, "metric", arena);
		double limit = json_get_number(quota, "limit", -1), usage = json_get_number(quota, "usage", 0);

		if (metric && (strcmp(metric, "INSTANCES") == 0 || strcmp(metric, "CPUS") == 0 || strcmp(metric, "IN_USE_ADDRESSES") == 0)) {
			*said = arena_printf(arena, "%s%s%.15g of %.15g %s", *said ? *said : "", *said ? ", " : "", usage, limit, metric);
			if (limit >= 0 && usage >= limit && result == 0)
				result = error_set(err, CLOUD_NO_QUOTA, "%.15g of %.15g %s are in use, which is all", usage, limit, metric);
		}
		jv_free(quota);
	}
	jv_free(quotas);
	return result;
}

static int
google_try_quota(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const char *zone = google_zone(cloud, NULL), *dash = strrchr(zone, '-');
	struct google_reply reply = GOOGLE_REPLY_NONE;
	int result = google_get(cloud, "/regions/", arena_substring(arena, zone, dash ? (size_t)(dash - zone) : strlen(zone)), stop, &reply, err);

	if (result == 0)
		result = google_read_quotas(reply.value, arena, said, err);
	google_release(&reply);
	return result;
}

static int
google_try_zone(const struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	const char *zone = google_zone(cloud, name), *status;
	int result = google_get(cloud, "/zones/", zone, stop, &reply, err);

	status = result == 0 ? json_arena_string(reply.value, "status", arena) : NULL;
	if (status && strcmp(status, "UP") != 0)
		result = error_set(err, CLOUD_NO_CAPACITY, "zone %s is %s", zone, status);
	else if (result == 0 && !name)
		*said = zone;
	google_release(&reply);
	return result;
}

static int
google_try_flavor(const struct cloud *cloud, const char *name, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	char *path = memory_printf("/zones/%s/machineTypes/", google_zone(cloud, NULL));
	int result = google_get(cloud, path, name, stop, &reply, err);

	if (result == 0)
		*said = arena_printf(arena, "%.15g CPUs, %.15g MB", json_get_number(reply.value, "guestCpus", 0), json_get_number(reply.value, "memoryMb", 0));
	google_release(&reply);
	free(path);
	return result;
}

static int
google_try_network(const struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct google_account *account = cloud->state;
	const char *dash = strrchr(account->zone, '-'), *name = account->subnetwork ? account->subnetwork : account->network ? account->network : "default";
	struct google_reply reply = GOOGLE_REPLY_NONE;
	const char *path = account->subnetwork ? arena_printf(arena, "/regions/%.*s/subnetworks/", dash ? (int)(dash - account->zone) : 0, account->zone)
	    : "/global/networks/";
	int result;

	/* A path is that of another project, which may let its networks be used and not looked at. */
	if (strchr(name, '/'))
		return 1;
	result = google_get(cloud, path, name, stop, &reply, err);
	*said = arena_printf(arena, "%s %s", account->subnetwork ? "subnetwork" : "network", name);
	google_release(&reply);
	return result;
}

static int
google_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const struct google_account *account = cloud->state;
	struct google_reply reply = GOOGLE_REPLY_NONE;
	int result;

	switch (trial) {
	case CLOUD_TRY_CREDENTIALS:
		result = google_ask(cloud, "GET", "", NULL, true, stop, &reply, err);
		*said = arena_printf(arena, "%s in project %s", account->email, account->project);
		google_release(&reply);
		return result;
	case CLOUD_TRY_QUOTA:
		return google_try_quota(cloud, stop, arena, said, err);
	case CLOUD_TRY_ZONE:
		return google_try_zone(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_FLAVOR:
		return google_try_flavor(cloud, name, stop, arena, said, err);
	case CLOUD_TRY_IMAGE:
		return (*said = google_image(cloud, name, stop, arena, err)) ? 0 : -1;
	case CLOUD_TRY_NETWORK:
		return google_try_network(cloud, stop, arena, said, err);
	case CLOUD_TRIALS:
		break;
	}
	return 1;
}

/* The API has no prices. */
static int
google_read_flavors(const struct cloud *cloud, jv answer, void *data, struct error *err)
{
	struct cloud_flavors *flavors = data;
	jv items = json_get(answer, "items");

	(void)cloud, (void)err;
	for (size_t i = 0; i < json_length(items); i++) {
		jv item = json_element(items, i);
		const char *name = json_arena_string(item, "name", &flavors->arena);

		if (name)
			*cloud_flavors_add(flavors) = (struct cloud_flavor){.name = name, .cpus = json_get_number(item, "guestCpus", 0),
			    .memory_mb = json_get_number(item, "memoryMb", 0), .per_hour = -1};
		jv_free(item);
	}
	jv_free(items);
	return 0;
}

static int
google_flavors(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err)
{
	char *path = memory_printf("/zones/%s/machineTypes?maxResults=%d", google_zone(cloud, NULL), PAGE);
	const struct google_list list = {.path = path, .read = google_read_flavors, .data = flavors};
	int result = google_pages(cloud, &list, stop, err);

	free(path);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "google", .schema = schema, .user = "coopr", .per_second = 15, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = google_open, .make = google_make, .list = google_list, .remove = google_remove, .volumes = &google_volumes,
	    .host_keys = google_host_keys, .try = google_try, .flavors = google_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
