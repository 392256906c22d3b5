/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/google/account.h"
#include "cloud/google/label.h"
#include "cloud/google/request.h"

enum { NAME_LENGTH = 63, TOKEN_LENGTH = 12 };

/* --- as it is asked for --- */

const char *
google_instance_name(const struct cloud_order *order, struct arena *arena)
{
	/* A letter is first, and all are small. */
	bool letter = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *order->name) != NULL;
	char *name = arena_printf(arena, "%s%.*s-%.*s", letter ? "" : "n", NAME_LENGTH - TOKEN_LENGTH - 2, order->name, TOKEN_LENGTH, order->token);

	for (char *at = name; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return name;
}

static void
instance_add_metadata(jv *items, const char *key, const char *value)
{
	jv item = jv_object();

	json_set_string(&item, "key", key);
	json_set_string(&item, "value", value);
	*items = jv_array_append(*items, item);
}

/* Adds labels, and to the metadata those values that are too long for them. */
static void
instance_add_labels(const struct cloud_order *order, jv *labels, jv *items)
{
	struct arena arena = {0};

	for (size_t i = 0; i < order->tag_count; i++) {
		bool whole;

		json_set_string(labels, order->tags[i][0], google_label(order->tags[i][1], &arena, &whole));
		if (!whole)
			instance_add_metadata(items, order->tags[i][0], order->tags[i][1]);
	}
	arena_release(&arena);
}

/* The key is admitted by Google's guest agent, and by cloud-init where the image has that. Logins by accounts of Google would shut it out. */
static void
instance_add_login(const struct cloud *cloud, const struct cloud_order *order, jv *items)
{
	const struct google_account *account = cloud->state;
	const char *key = order->key ? order->key : account->public_key;
	char *line = key ? memory_printf("%s:%s", order->user, key) : NULL;

	if (line)
		instance_add_metadata(items, "ssh-keys", line);
	if (*order->user_data)
		instance_add_metadata(items, "user-data", order->user_data);
	instance_add_metadata(items, "enable-oslogin", "FALSE");
	instance_add_metadata(items, "enable-guest-attributes", "TRUE");
	free(line);
}

static jv
instance_disk(const struct google_disk *disk, const char *zone, const char *image, const char *name, jv labels)
{
	jv made = jv_object(), parameters = jv_object();
	char *type = disk->type ? memory_printf("zones/%s/diskTypes/%s", zone, disk->type) : NULL, *size = memory_printf("%lld", (long long)disk->size_gb);

	json_set(&parameters, "labels", jv_copy(labels));
	if (image)
		json_set_string(&parameters, "sourceImage", image);
	if (type)
		json_set_string(&parameters, "diskType", type);
	if (disk->size_gb > 0)
		json_set_string(&parameters, "diskSizeGb", size);
	json_set(&made, "boot", image ? jv_true() : jv_false());
	json_set(&made, "autoDelete", jv_true());
	json_set_string(&made, "deviceName", name);
	json_set(&made, "initializeParams", parameters);
	free(size);
	free(type);
	return made;
}

static jv
instance_disks(const struct google_account *account, const char *zone, const char *image, jv labels)
{
	jv disks = jv_array_append(jv_array(), instance_disk(&account->boot, zone, image, "boot", labels));

	for (size_t i = 0; i < account->data_count; i++) {
		char *name = i ? memory_printf("data%zu", i + 1) : memory_string("data");

		disks = jv_array_append(disks, instance_disk(&account->data[i], zone, NULL, name, labels));
		free(name);
	}
	return disks;
}

/* Sets a member to a path that begins as given, where the value is a name alone. */
static void
instance_set_path(jv *object, const char *member, const char *folder, const char *value)
{
	char *path = strchr(value, '/') ? memory_string(value) : memory_printf("%s/%s", folder, value);

	json_set_string(object, member, path);
	free(path);
}

static jv
instance_access(const char *type, const char *name, const char *tier)
{
	jv access = jv_object();

	json_set_string(&access, "type", type);
	json_set_string(&access, "name", name);
	if (tier)
		json_set_string(&access, "networkTier", tier);
	return jv_array_append(jv_array(), access);
}

static jv
instance_interface(const struct google_account *account, const char *zone)
{
	const char *dash = strrchr(zone, '-');
	char *region = memory_printf("regions/%.*s/subnetworks", dash ? (int)(dash - zone) : (int)strlen(zone), zone);
	jv interface = jv_object();

	if (account->network || !account->subnetwork)
		instance_set_path(&interface, "network", "global/networks", account->network ? account->network : "default");
	if (account->subnetwork)
		instance_set_path(&interface, "subnetwork", region, account->subnetwork);
	if (account->external)
		json_set(&interface, "accessConfigs", instance_access("ONE_TO_ONE_NAT", "External NAT", NULL));
	if (account->ipv6) {
		json_set_string(&interface, "stackType", "IPV4_IPV6");
		json_set(&interface, "ipv6AccessConfigs", instance_access("DIRECT_IPV6", "External IPv6", "PREMIUM"));
	}
	free(region);
	return interface;
}

static jv
instance_scheduling(const struct google_account *account)
{
	jv scheduling = jv_object();

	json_set(&scheduling, "automaticRestart", account->restart && !account->spot ? jv_true() : jv_false());
	if (account->spot) {
		json_set_string(&scheduling, "provisioningModel", "SPOT");
		json_set_string(&scheduling, "onHostMaintenance", "TERMINATE");
		json_set_string(&scheduling, "instanceTerminationAction", "STOP");
	}
	return scheduling;
}

static jv
instance_service_accounts(const struct google_account *account)
{
	static const char prefix[] = "https://www.googleapis.com/auth/";
	jv one = jv_object(), scopes = jv_array();

	if (!account->service_account && account->scopes.count == 0) {
		jv_free(scopes);
		jv_free(one);
		return jv_array();
	}
	for (size_t i = 0; i < account->scopes.count; i++) {
		char *scope = memory_printf("%s%s", strstr(account->scopes.list[i], "://") ? "" : prefix, account->scopes.list[i]);

		scopes = jv_array_append(scopes, jv_string(scope));
		free(scope);
	}
	if (account->scopes.count == 0)
		scopes = jv_array_append(scopes, jv_string("https://www.googleapis.com/auth/cloud-platform"));
	json_set_string(&one, "email", account->service_account ? account->service_account : "default");
	json_set(&one, "scopes", scopes);
	return jv_array_append(jv_array(), one);
}

jv
google_instance(const struct cloud *cloud, const struct cloud_order *order, const char *name, const char *image, const char *zone)
{
	const struct google_account *account = cloud->state;
	jv body = jv_object(), labels = jv_object(), items = jv_array(), metadata = jv_object(), tags = jv_object();
	char *flavor = memory_printf("zones/%s/machineTypes", zone);

	instance_add_labels(order, &labels, &items);
	instance_add_login(cloud, order, &items);
	json_set(&metadata, "items", items);
	json_set_string(&body, "name", name);
	instance_set_path(&body, "machineType", flavor, order->flavor);
	json_set(&body, "disks", instance_disks(account, zone, image, labels));
	json_set(&body, "labels", labels);
	json_set(&body, "metadata", metadata);
	json_set(&body, "networkInterfaces", jv_array_append(jv_array(), instance_interface(account, zone)));
	json_set(&body, "scheduling", instance_scheduling(account));
	json_set(&body, "serviceAccounts", instance_service_accounts(account));
	if (account->network_tags.count > 0) {
		json_set(&tags, "items", json_strings(account->network_tags.list, account->network_tags.count));
		json_set(&body, "tags", jv_copy(tags));
	}
	jv_free(tags);
	free(flavor);
	return body;
}

/* --- as it is listed --- */

/* Returns the time of a text such as "2026-01-01T00:00:00.000-07:00"; 0 where it is none. */
static int64_t
instance_time(const char *text)
{
	char plain[32], sign = 'Z';
	int hours = 0, minutes = 0;
	int64_t ms;

	if (!text || strlen(text) < strlen("2026-01-01T00:00:00Z"))
		return 0;
	snprintf(plain, sizeof plain, "%.19sZ", text);
	ms = cloud_time(plain);
	text += 19;
	if (*text == '.')
		text += 1 + strspn(text + 1, "0123456789");
	sign = *text;
	if ((sign == '+' || sign == '-') && sscanf(text + 1, "%2d:%2d", &hours, &minutes) != 2)
		return 0;
	return ms == 0 ? 0 : ms + (sign == '-' ? 1 : -1) * (hours * 60 + minutes) * INT64_C(60000);
}

/* Takes tags from labels, and what those do not tell from the metadata. */
static void
instance_read_tags(jv instance, struct cloud_machines *machines, struct cloud_machine *machine)
{
	jv labels = json_get(instance, "labels"), metadata = json_get(instance, "metadata"), items = json_get(metadata, "items");

	if (jv_get_kind(labels) == JV_KIND_OBJECT) {
		jv_object_foreach(labels, name, value) {
			const char *whole = json_string(value) ? google_label_value(json_string(value), &machines->arena) : NULL;

			if (whole)
				cloud_machine_tag(machines, machine, json_string(name), whole);
			jv_free(value);
			jv_free(name);
		}
	}
	for (size_t i = 0; i < json_length(items); i++) {
		jv item = json_element(items, i);
		const char *key = json_arena_string(item, "key", &machines->arena), *value = json_arena_string(item, "value", &machines->arena);

		if (key && value)
			cloud_machine_tag(machines, machine, key, value);
		jv_free(item);
	}
	jv_free(items);
	jv_free(metadata);
	jv_free(labels);
}

/* Returns the text of a member of the first object of a list that is a member, in the arena. */
static const char *
instance_first(jv object, const char *list, const char *member, struct arena *arena)
{
	jv items = json_get(object, list), first = json_element(items, 0);
	const char *text = cloud_text(first, member, arena);

	jv_free(first);
	jv_free(items);
	return text;
}

static void
instance_read_addresses(const struct google_account *account, jv instance, struct arena *arena, struct cloud_machine *machine)
{
	jv interfaces = json_get(instance, "networkInterfaces"), first = json_element(interfaces, 0);

	machine->bind_v4 = json_arena_string(first, "networkIP", arena);
	machine->access_v4 = instance_first(first, "accessConfigs", "natIP", arena);
	machine->access_v6 = instance_first(first, "ipv6AccessConfigs", "externalIpv6", arena);
	machine->bind_v6 = json_arena_string(first, "ipv6Address", arena);
	if (account->inside)
		machine->access_v4 = machine->bind_v4;
	jv_free(first);
	jv_free(interfaces);
}

int
google_read_instance(const struct cloud *cloud, jv instance, struct cloud_machines *machines, struct error *err)
{
	struct arena *arena = &machines->arena;
	struct cloud_machine machine = {.state = CLOUD_PENDING, .id = json_arena_string(instance, "name", arena)};
	const char *status = json_arena_string(instance, "status", arena), *zone = json_arena_string(instance, "zone", arena);

	if (!machine.id || !zone)
		return error_set(err, EX_TEMPFAIL, "Google's answer has an instance without a name or a zone");
	machine.name = machine.id;
	machine.zone = google_last_part(zone, arena);
	/* What is STOPPING or TERMINATED is switched off, and is still there. */
	machine.state = status && strcmp(status, "RUNNING") == 0 ? CLOUD_RUNNING : CLOUD_PENDING;
	machine.is_off = status && (strcmp(status, "TERMINATED") == 0 || strcmp(status, "STOPPED") == 0);
	machine.reason = json_arena_string(instance, "statusMessage", arena);
	machine.made_ms = instance_time(json_arena_string(instance, "creationTimestamp", arena));
	instance_read_addresses(cloud->state, instance, arena, &machine);
	instance_read_tags(instance, machines, &machine);
	*cloud_machines_add(machines) = machine;
	return 0;
}
