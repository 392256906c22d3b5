/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"
#include "cloud/google/token.h"
#include "cloud/signing-key.h"

enum { DISK_GB = 64 * 1024 };

/* Returns the name of a type of disk; Coopr's documents say "standard" and "ssd". */
static const char *
google_disk_type(struct cloud *cloud, const char *field)
{
	const char *type = cloud_field(cloud, field);

	return !type ? NULL : strcmp(type, "standard") == 0 ? "pd-standard" : strcmp(type, "ssd") == 0 ? "pd-ssd" : type;
}

/* Reads the sizes of further disks: a number, or several with commas between them. A size of 0 is none. */
static void
google_read_data_disks(struct cloud *cloud, struct google_account *account)
{
	static const char field[] = "google_data_disk_size_gb";
	jv value = json_get(cloud->fields.value, field);
	struct string_list words = {0};
	struct google_disk *disks;

	account->data_type = google_disk_type(cloud, "google_data_disk_type");
	if (jv_get_kind(value) != JV_KIND_NUMBER)
		words = fields_words(cloud, field);
	disks = arena_alloc(&cloud->arena, words.count + 1, sizeof *disks);
	if (jv_get_kind(value) == JV_KIND_NUMBER && (disks->size_gb = place_integer(&cloud->fields, field, 0, 0, DISK_GB)) > 0)
		disks[account->data_count++].type = account->data_type;
	for (size_t i = 0; i < words.count; i++) {
		char *end;
		long size = strtol(words.list[i], &end, 10);

		if (*end || size < 0 || size > DISK_GB)
			fields_problem(cloud, field, "expected sizes in GB from 0 to %d, found \"%s\"", DISK_GB, words.list[i]);
		else if (size > 0)
			disks[account->data_count++] = (struct google_disk){.type = account->data_type, .size_gb = size};
	}
	account->data = disks;
	jv_free(value);
}

/* Reads the key of a service account: the file of JSON that Google gives, or the private key alone. */
static void
google_read_key(struct cloud *cloud, struct google_account *account)
{
	const char *field = fields_given(cloud, "api_key") ? "api_key" : "api_key_resource", *text = cloud_field(cloud, field);
	enum signing_kind kind = SIGNING_RSA;
	struct error err = {.code = 0};
	jv file;

	if (!text) {
		fields_require(cloud, "api_key", "the key of a service account");
		return;
	}
	account->key = text;
	if (text[strspn(text, " \t\r\n")] == '{') {
		if (json_parse("the key", text, strlen(text), &file, &err) == 0) {
			account->key = json_arena_string(file, "private_key", &cloud->arena);
			account->key_id = json_arena_string(file, "private_key_id", &cloud->arena);
			account->token_url = json_arena_string(file, "token_uri", &cloud->arena);
			account->email = account->email ? account->email : json_arena_string(file, "client_email", &cloud->arena);
			account->project = account->project ? account->project : json_arena_string(file, "project_id", &cloud->arena);
			jv_free(file);
		}
		if (err.code || !account->key)
			fields_problem(cloud, field, "%s", err.code ? err.text : "has no private_key; a service account's key has one");
	} else if (!fields_given(cloud, "api_key") && !strstr(text, "-----BEGIN ") && strlen(text) < GOOGLE_KEY_SHORTEST) {
		fields_problem(cloud, field, "is the name of a resource of Coopr; put that file into a secret (coopr secret set %s <FILE; one of PKCS#12 by "
		    "base64 FILE | coopr secret set %s), and write {\"secret\": \"%s\"} here", text, text, text);
		account->key = NULL;
	}
	if (!account->key || err.code)
		return;
	if (signing_key_examine(account->key, GOOGLE_KEY_PASSWORD, &kind, NULL, &err) < 0 || kind != SIGNING_RSA)
		fields_problem(cloud, field, "%s", err.code ? err.text : "expected a key for RSA");
}

/* The names of a project and of a zone are parts of URLs. */
static void
google_check_name(struct cloud *cloud, const char *field, const char *name, const char *example)
{
	if (name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.:")])
		fields_problem(cloud, field, "not a name such as %s", example);
}

static void
google_read_machine(struct cloud *cloud, struct google_account *account)
{
	const char *interface = cloud_field(cloud, "bootstrap_interface"), *user = cloud_field(cloud, "ssh_user");

	account->zone = cloud_field(cloud, "zone_name");
	account->zone = account->zone ? account->zone : "us-central1-a";
	account->network = cloud_field(cloud, "network");
	account->subnetwork = cloud_field(cloud, "subnetwork");
	account->public_key = cloud_field(cloud, "public_key");
	account->service_account = cloud_field(cloud, "service_account");
	account->image_project = cloud_field(cloud, "image_project");
	account->network_tags = fields_words(cloud, "network_tags");
	account->scopes = fields_words(cloud, "scopes");
	account->boot = (struct google_disk){.type = google_disk_type(cloud, "google_root_disk_type"),
	    .size_gb = fields_integer(cloud, "google_root_disk_size_gb", 1, DISK_GB)};
	account->external = fields_boolean(cloud, "external_ip", true);
	account->restart = fields_boolean(cloud, "auto_restart", true);
	account->spot = fields_boolean(cloud, "spot", false) || fields_boolean(cloud, "preemptible", false);
	account->ipv6 = fields_boolean(cloud, "ipv6", false);
	account->inside = !account->external || (interface && strcmp(interface, "bind_v4") == 0);
	if (interface && strcmp(interface, "bind_v4") != 0 && strcmp(interface, "access_v4") != 0)
		fields_problem(cloud, "bootstrap_interface", "expected access_v4 or bind_v4");
	google_read_data_disks(cloud, account);
	if (user)
		cloud->login = user;
	if (cloud->login && cloud->login[strspn(cloud->login, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")])
		fields_problem(cloud, "ssh_user", "not the name of a user");
}

void
google_open(struct cloud *cloud, struct client_settings *settings)
{
	struct google_account *account = memory_zeroed(1, sizeof *account);
	const char *endpoint = cloud_field(cloud, "endpoint");

	(void)settings;
	cloud->state = account;
	account->project = cloud_field(cloud, "google_project");
	account->email = cloud_field(cloud, "google_client_email");
	google_read_key(cloud, account);
	if (!account->project)
		fields_require(cloud, "google_project", "the id of the project");
	if (!account->email)
		fields_require(cloud, "google_client_email", "the service account's address");
	if (cloud_field(cloud, "token_endpoint"))
		account->token_url = cloud_field(cloud, "token_endpoint");
	if (!account->token_url)
		account->token_url = "https://oauth2.googleapis.com/token";
	google_read_machine(cloud, account);
	google_check_name(cloud, "google_project", account->project, "my-project-42");
	google_check_name(cloud, "zone_name", account->zone, "us-central1-a");
	google_check_name(cloud, "image_project", account->image_project, "debian-cloud");
	account->root = arena_printf(&cloud->arena, "%s/compute/v1/projects/%s", endpoint ? endpoint : "https://compute.googleapis.com",
	    account->project ? account->project : "");
}
