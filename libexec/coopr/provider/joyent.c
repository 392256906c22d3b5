/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/joyent: machines of Triton, by its CloudAPI, coopr-clouds(7). Requests are signed with a key of the account, HTTP signatures. The API takes
 * no word that names a request, so that a machine whose answer was lost is found by its tags. A machine admits the cluster's key, and reports its
 * host keys in its metadata, by a script that the cloud has it run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "address/range.h"
#include "base/clock.h"
#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/cloud.h"
#include "cloud/console.h"
#include "cloud/fields.h"
#include "cloud/known-id.h"
#include "cloud/plugin.h"
#include "cloud/signing-key.h"
#include "ssh/shell-words.h"

enum { PAGE = 1000, WINDOW_MS = 60 * 1000, SKEW_MS = 60 * 1000, KEY_SHORTEST = 128 };

#define HOST_KEYS "coopr-host-keys"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider joyent\",\"type\":\"object\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES ","
    "\"api_user\":{\"type\":\"string\",\"description\":\"The name of the account\"},"
    "\"api_key\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"A private key for ssh that the account has, in PEM, RSA or ECDSA; a secret\"},"
    "\"ssh_key_resource\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The same: a secret with the content of Coopr's resource\"},"
    "\"ssh_keypair\":{\"type\":\"string\",\"description\":\"The name of that key in the account; by default its fingerprint says which it is\"},"
    "\"api_password\":{\"type\":\"string\",\"writeOnly\":true,\"description\":\"The password of an account, which CloudAPI takes no more\"},"
    "\"joyent_api_url\":{\"type\":\"string\",\"default\":\"https://us-east-1.api.joyent.com\",\"description\":\"The URL of CloudAPI in the data center\"},"
    "\"joyent_version\":{\"type\":\"string\",\"default\":\"~8||~7\",\"description\":\"The versions of CloudAPI that are asked for\"},"
    "\"networks\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Names or ids of networks, with commas between them; by default as the account has it\"},"
    "\"public_key\":{\"type\":\"string\",\"description\":\"The public key for clusters without a key of their own; by default the account's keys open machines\"}}}";

struct account { /* what the fields say */
	const char *url, *path, *key, *key_id, *algorithm, *version, *public_key;
	struct string_list networks;
	int64_t skew_ms;         /* under the lock, as below */
	struct known_id *ids;    /* of packages, images and networks that were named */
};

/* --- fields --- */

static void
jo_read_key(struct cloud *cloud, struct account *account, const char *user)
{
	const char *field = fields_given(cloud, "api_key") ? "api_key" : "ssh_key_resource", *name = cloud_field(cloud, "ssh_keypair");
	struct buffer fingerprint = {0};
	enum signing_kind kind = SIGNING_RSA;
	struct error err = {.code = 0};
	char *escaped;

	account->key = cloud_field(cloud, field);
	if (!account->key && fields_given(cloud, "api_password")) {
		fields_problem(cloud, "api_key", "is required: CloudAPI takes no passwords since version 8; add a key for ssh to the account, and put its private half into a secret");
	} else if (!account->key) {
		fields_require(cloud, "api_key", "a private key that the account has");
	} else if (!strstr(account->key, "-----BEGIN ") && strlen(account->key) < KEY_SHORTEST) {
		fields_problem(cloud, field, "is the name of a resource of Coopr; put that file into a secret (coopr secret set %s <FILE), and write "
		    "{\"secret\": \"%s\"} here", account->key, account->key);
	} else if (signing_key_examine(account->key, NULL, &kind, &fingerprint, &err) < 0) {
		fields_problem(cloud, field, "%s", err.text);
	}
	account->algorithm = kind == SIGNING_RSA ? "rsa-sha256" : "ecdsa-sha256";
	escaped = client_escape(user);
	account->path = arena_printf(&cloud->arena, "/%s", escaped);
	account->key_id = arena_printf(&cloud->arena, "/%s/keys/%s", user, name ? name : buffer_string(&fingerprint));
	if (account->key_id[strcspn(account->key_id, "\"\\\r\n")])
		fields_problem(cloud, name ? "ssh_keypair" : "api_user", "has a character that cannot be in a header");
	free(escaped);
	buffer_release(&fingerprint);
}

static void
jo_open(struct cloud *cloud, struct client_settings *settings)
{
	struct account *account = memory_zeroed(1, sizeof *account);
	const char *user = cloud_field(cloud, "api_user"), *url = cloud_field(cloud, "joyent_api_url"), *version = cloud_field(cloud, "joyent_version");

	(void)settings;
	cloud->state = account;
	fields_require(cloud, "api_user", "the name of the account");
	jo_read_key(cloud, account, user ? user : "");
	url = url ? url : "https://us-east-1.api.joyent.com";
	account->url = arena_substring(&cloud->arena, url, strlen(url) - (*url && url[strlen(url) - 1] == '/'));
	account->version = arena_printf(&cloud->arena, "Accept-Version: %s", version ? version : "~8||~7");
	account->public_key = cloud_field(cloud, "public_key");
	account->networks = fields_words(cloud, "networks");
}

/* --- requests --- */

/* Adds the date and the signature over it and the request's target. */
static int
jo_sign(const struct account *account, const char *method, const char *target, int64_t at_ms, struct arguments *headers, struct error *err)
{
	char date[64], verb[16], *text, *header, *encoded;
	struct buffer signature = {0};
	time_t at = (time_t)(at_ms / 1000);
	struct tm tm;
	size_t length = 0;
	int result;

	strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&at, &tm));
	for (; method[length] && length + 1 < sizeof verb; length++)
		verb[length] = (char)(method[length] - 'A' + 'a');
	verb[length] = '\0';
	text = memory_printf("date: %s\n(request-target): %s %s", date, verb, target);
	result = signing_key_sign(account->key, NULL, text, strlen(text), &signature, err);
	encoded = base64_encode(buffer_string(&signature), signature.length);
	header = memory_printf("Authorization: Signature keyId=\"%s\",algorithm=\"%s\",headers=\"date (request-target)\",signature=\"%s\"", account->key_id,
	    account->algorithm, encoded);
	arguments_push(headers, header);
	free(header);
	header = memory_printf("Date: %s", date);
	arguments_push(headers, header);
	free(header);
	free(encoded);
	free(text);
	buffer_release(&signature);
	return result;
}

/* Sets the code of an error by the word that CloudAPI has for it, {"code": "QuotaExceeded", "message": ...}. */
static void
jo_read_code(const struct client_answer *answer, char *code, size_t size, struct error *err)
{
	static const struct {
		const char *code;
		int exit;
	} codes[] = {{"QuotaExceeded", CLOUD_NO_QUOTA}, {"InsufficientServers", CLOUD_NO_CAPACITY}, {"InsufficientCapacity", CLOUD_NO_CAPACITY},
	    {"NoAvailableServers", CLOUD_NO_CAPACITY}, {"RequestThrottled", EX_TEMPFAIL}, {"InvalidArgument", EX_CONFIG}, {"MissingParameter", EX_CONFIG},
	    {"InvalidCredentials", EX_NOPERM}, {"NotAuthorized", EX_NOPERM}, {"DeletionProtection", EX_CONFIG}};
	struct error ignored;
	char *text = NULL;
	jv value;

	if (answer->body.length > 0 && *answer->body.data == '{' && json_parse("answer", answer->body.data, answer->body.length, &value, &ignored) == 0) {
		text = json_get_string(value, "code");
		jv_free(value);
	}
	snprintf(code, size, "%s", text ? text : "");
	for (size_t i = 0; text && i < sizeof codes / sizeof *codes; i++)
		if (strncmp(text, codes[i].code, strlen(codes[i].code)) == 0)
			err->code = codes[i].exit;
	if (text)
		error_prefix(err, "%s", text);
	free(text);
}

enum { CODE_SIZE = 64 };

/* Sends a request, once more by the cloud's clock where that differs. path is below the account; code is set to the cloud's word for an error. */
static int
jo_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, char code[CODE_SIZE], struct error *err)
{
	struct account *account = cloud->state;
	char *target = memory_printf("%s%s", account->path, path), *url = memory_printf("%s%s", account->url, target);
	int result;

	for (bool corrected = false;; corrected = true) {
		struct client_request request = {.method = method, .url = url, .body = body, .length = body ? strlen(body) : 0,
		    .wants = "x-resource-count", .repeatable = strcmp(method, "POST") != 0};
		int64_t skew_ms;

		*code = '\0';
		*out = jv_invalid();
		stop_lock();
		skew_ms = account->skew_ms;
		stop_unlock();
		arguments_push(&request.headers, account->version);
		result = jo_sign(account, method, target, clock_wall_ms() + skew_ms, &request.headers, err);
		if (result == 0)
			result = client_ask(cloud->client, &request, stop, answer, out, err);
		arguments_release(&request.headers);
		if (result < 0 && answer->status)
			jo_read_code(answer, code, CODE_SIZE, err);
		if (result == 0 || corrected || (answer->status != 401 && answer->status != 403 && answer->status != 400) ||
		    (answer->skew_ms - skew_ms < SKEW_MS && skew_ms - answer->skew_ms < SKEW_MS))
			break;
		stop_lock();
		account->skew_ms = answer->skew_ms;
		stop_unlock();
		jv_free(*out);
	}
	free(url);
	free(target);
	return result;
}

/* Reads what a path has. Returns it; invalid with an error. */
static jv
jo_get(const struct cloud *cloud, const char *path, const struct stop *stop, long *status, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	char code[CODE_SIZE];
	jv out;

	if (jo_ask(cloud, "GET", path, NULL, stop, &answer, &out, code, err) < 0) {
		jv_free(out);
		out = jv_invalid();
	}
	*status = answer.status;
	client_answer_release(&answer);
	return out;
}

/* --- names of packages, images and networks --- */

static bool
jo_is_id(const char *text)
{
	return strlen(text) == 36 && strspn(text, "0123456789abcdefABCDEF-") == 36;
}

/* Returns the id of the newest of a list that has that name, and version where that is not NULL, in the arena; NULL where there is none. */
static const char *
jo_pick(jv list, const char *name, const char *version, struct arena *arena)
{
	const char *found = NULL, *newest = NULL;

	for (size_t i = 0; i < json_length(list); i++) {
		jv item = json_element(list, i);
		const char *its = json_arena_string(item, "name", arena), *its_version = json_arena_string(item, "version", arena);
		const char *id = json_arena_string(item, "id", arena), *at = json_arena_string(item, "published_at", arena);

		if (id && its && strcmp(its, name) == 0 && (!version || (its_version && strcmp(its_version, version) == 0)) &&
		    (!found || (at && newest && strcmp(at, newest) > 0))) {
			found = id;
			newest = at;
		}
		jv_free(item);
	}
	return found;
}

/* Returns the id that a name stands for, in the arena; kind is "packages", "images" or "networks". An image may be NAME@VERSION. NULL with an error. */
static const char *
jo_id(const struct cloud *cloud, const char *kind, const char *name, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct account *account = cloud->state;
	const char *at = strcmp(kind, "images") == 0 ? strchr(name, '@') : NULL, *word = at ? arena_substring(arena, name, (size_t)(at - name)) : name;
	const char *id;
	char *escaped, *path;
	long status;
	jv list;

	if (jo_is_id(name))
		return name;
	id = known_id_find(&account->ids, kind, name, arena);
	if (id)
		return id;
	escaped = client_escape(word);
	path = memory_printf("/%s?name=%s", kind, escaped);
	list = jo_get(cloud, path, stop, &status, err);
	if (jv_is_valid(list) && !(id = jo_pick(list, word, at ? at + 1 : NULL, arena)))
		error_set(err, EX_CONFIG, "Triton has no %.*s called %s", (int)strlen(kind) - 1, kind, name);
	if (id)
		known_id_keep(&account->ids, kind, name, id);
	jv_free(list);
	free(path);
	free(escaped);
	return id;
}

/* --- machines --- */

/* Takes one of the addresses: those of a network of its own are between machines. */
static void
jo_read_address(const char *address, struct cloud_machine *machine)
{
	bool six = strchr(address, ':') != NULL, inside = range_is_private(address);
	const char **to = six ? (inside ? &machine->bind_v6 : &machine->access_v6) : inside ? &machine->bind_v4 : &machine->access_v4;

	if (!*to)
		*to = address;
}

static int
jo_read_machine(jv value, struct cloud_machines *machines, struct error *err)
{
	struct arena *arena = &machines->arena;
	struct cloud_machine machine = {.id = json_arena_string(value, "id", arena), .name = json_arena_string(value, "name", arena)};
	const char *state = json_arena_string(value, "state", arena), *made = json_arena_string(value, "created", arena);
	jv ips = json_get(value, "ips"), tags = json_get(value, "tags");

	machine.state = state && strcmp(state, "running") == 0 ? CLOUD_RUNNING : state && strcmp(state, "failed") == 0 ? CLOUD_FAILED
	    : state && strcmp(state, "deleted") == 0 ? CLOUD_GONE : CLOUD_PENDING;
	machine.made_ms = cloud_time(made);
	for (size_t i = 0; i < json_length(ips); i++) {
		jv ip = json_element(ips, i);

		if (json_string(ip))
			jo_read_address(arena_substring(arena, json_string(ip), strcspn(json_string(ip), "/")), &machine);
		jv_free(ip);
	}
	jv_free(ips);
	if (!machine.access_v4 && !machine.access_v6)
		machine.access_v4 = machine.bind_v4;
	cloud_machine_tags(machines, &machine, tags);
	jv_free(tags);
	if (machine.state == CLOUD_FAILED)
		machine.reason = "Triton could not provision it";
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "Triton's answer has a machine without an id");
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* Reads the pages. They begin at an offset, so that a machine which goes moves another from the next page to the one that was read. Returns 1 where a
 * list of several pages has not as many as the first of them says that there are. */
static int
jo_list_pages(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	char *escaped = client_escape(cloud->installation), code[CODE_SIZE];
	int result = 0;
	size_t count = PAGE;
	long total = -1;

	for (size_t offset = 0; result == 0 && count == PAGE; offset += PAGE) {
		char *path = memory_printf("/machines?tag." CLOUD_TAG_INSTALLATION "=%s&limit=%d&offset=%zu", escaped, PAGE, offset);
		struct client_answer answer = {.wait_ms = -1};
		jv list;

		result = jo_ask(cloud, "GET", path, NULL, stop, &answer, &list, code, err);
		if (result == 0 && jv_get_kind(list) != JV_KIND_ARRAY)
			result = error_set(err, EX_TEMPFAIL, "Triton's answer is no list of machines");
		if (offset == 0)
			total = answer.wanted ? strtol(answer.wanted, NULL, 10) : -1;
		count = result == 0 ? json_length(list) : 0;
		for (size_t i = 0; result == 0 && i < count; i++) {
			jv machine = json_element(list, i);

			result = jo_read_machine(machine, found, err);
			jv_free(machine);
		}
		jv_free(list);
		client_answer_release(&answer);
		free(path);
	}
	free(escaped);
	return result < 0 ? -1 : found->count >= PAGE && total >= 0 && found->count != (size_t)total;
}

static int
jo_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	(void)node;
	return cloud_list_whole(cloud, jo_list_pages, "Triton's list of machines", stop, found, err);
}

/* --- make --- */

/* Returns the script that a machine runs when it boots: it admits the key, and tells the host keys. Where its programs are differs among images. */
static char *
jo_script(const char *key)
{
	struct buffer text = {0}, quoted = {0};

	buffer_text(&text, "#!/bin/sh\nPATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin:/native/usr/sbin:/lib/smartdc\n");
	if (key) {
		shell_words_quote(key, &quoted);
		buffer_printf(&text, "umask 077\nmkdir -p /root/.ssh\ngrep -qxF %s /root/.ssh/authorized_keys 2>/dev/null || echo %s >>/root/.ssh/authorized_keys\n",
		    buffer_string(&quoted), buffer_string(&quoted));
	}
	buffer_text(&text, "( for i in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
	    "keys=$(cat /etc/ssh/ssh_host_*_key.pub /var/ssh/ssh_host_*_key.pub 2>/dev/null)\n"
	    "[ -z \"$keys\" ] || { mdata-put " HOST_KEYS " \"$keys\" && break; }\nsleep 5\ndone ) >/dev/null 2>&1 &\n");
	buffer_release(&quoted);
	return buffer_take(&text);
}

static int
jo_add_networks(const struct cloud *cloud, const struct stop *stop, struct arena *arena, jv *body, struct error *err)
{
	const struct account *account = cloud->state;
	jv networks = jv_array();

	for (size_t i = 0; i < account->networks.count; i++) {
		const char *id = jo_id(cloud, "networks", account->networks.list[i], stop, arena, err);

		if (!id) {
			jv_free(networks);
			return -1;
		}
		networks = jv_array_append(networks, jv_string(id));
	}
	if (account->networks.count > 0)
		json_set(body, "networks", jv_copy(networks));
	jv_free(networks);
	return 0;
}

/* Sets what is asked for. The name has a part of the token in it, as an account's machines have no name twice. */
static int
jo_fill(const struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct arena *arena, jv *body, struct error *err)
{
	const struct account *account = cloud->state;
	const char *package = jo_id(cloud, "packages", order->flavor, stop, arena, err);
	const char *image = package ? jo_id(cloud, "images", order->image, stop, arena, err) : NULL;
	char *script = jo_script(order->key ? order->key : account->public_key);

	json_set_string(body, "name", arena_printf(arena, "%.50s-%.12s", order->name, order->token));
	json_set_string(body, "package", package);
	json_set_string(body, "image", image);
	json_set_string(body, "metadata.user-script", script);
	if (*order->user_data)
		json_set_string(body, "metadata.cloud-init:user-data", order->user_data);
	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(body, arena_printf(arena, "tag.%s", order->tags[i][0]), order->tags[i][1]);
	free(script);
	return image ? jo_add_networks(cloud, stop, arena, body, err) : -1;
}

static int
jo_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	struct buffer text = {0};
	char code[CODE_SIZE] = "";
	jv body = jv_object(), out = jv_invalid();
	int result;

	if (order->zone)
		result = error_set(err, EX_CONFIG, "node has the zone %s; a provider of Triton is one data center, that of joyent_api_url", order->zone);
	else
		result = jo_fill(cloud, order, stop, &made->arena, &body, err);
	if (result == 0) {
		json_dump(body, &text);
		result = jo_ask(cloud, "POST", "/machines", buffer_string(&text), stop, &answer, &out, code, err);
		*unknown = answer.unknown;
		/* The name is taken: by the machine of an earlier request. */
		*unknown |= result < 0 && answer.status == 409 && strcmp(code, "InvalidArgument") == 0;
		if (result == 0) {
			result = jo_read_machine(out, made, err);
			*unknown |= result < 0;
		}
	}
	jv_free(out);
	jv_free(body);
	client_answer_release(&answer);
	buffer_release(&text);
	return result;
}

/* --- remove --- */

static int
jo_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/machines/%s", machine->id), code[CODE_SIZE];
	struct client_answer answer = {.wait_ms = -1};
	jv out;
	int result = jo_ask(cloud, "DELETE", path, NULL, stop, &answer, &out, code, err);

	/* It is gone; or it is half made, or going, and is asked for again where it stays. */
	if (result < 0 && (answer.status == 404 || answer.status == 410 || (answer.status == 409 && strcmp(code, "InvalidState") == 0)))
		result = 0;
	jv_free(out);
	client_answer_release(&answer);
	free(path);
	return result;
}

/* --- host keys --- */

static int
jo_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	char *path = memory_printf("/machines/%s/metadata", machine->id), *text;
	long status;
	jv metadata = jo_get(cloud, path, stop, &status, err);
	int result = jv_is_valid(metadata) || status == 404 || status == 410 ? 0 : -1;

	*keys = (struct string_list){0};
	text = json_get_string(metadata, HOST_KEYS);
	if (text)
		console_read_lines(text, arena, keys);
	free(text);
	jv_free(metadata);
	free(path);
	return result;
}

/* --- what is asked without making anything --- */

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
	const struct account *account = cloud->state;

	for (size_t i = 0; i < account->networks.count; i++) {
		if (!jo_id(cloud, "networks", account->networks.list[i], stop, arena, err))
			return -1;
		*said = arena_printf(arena, "%s%s%s", *said ? *said : "", *said ? ", " : "", account->networks.list[i]);
	}
	return account->networks.count == 0;
}

static int
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

static int
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

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "joyent", .schema = schema, .user = "root", .per_second = 5, .window_ms = WINDOW_MS,
	    .open = jo_open, .make = jo_make, .list = jo_list, .remove = jo_remove, .host_keys = jo_host_keys, .try = jo_try, .flavors = jo_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
