/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/lxd: containers of LXD or Incus that are machines, coopr-clouds(7). The name of an instance is that of its machine, so that one is made
 * once however often it is asked for; keys "user.coopr-..." of its configuration are our tags.
 *
 * An instance is made, gets its keys, and is started. That it has them is said by its tag with the public half of the host key, which is set last;
 * one without it, or that does not run, is completed when it is asked for again.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/lxd/daemon.h"
#include "cloud/plugin.h"
#include "content/key-pair.h"
#include "json/json.h"

enum { WINDOW_MS = 20 * 1000, FINGERPRINT_MIN = 12, FINGERPRINT = 64, START_S = 30 };

#define USER "user."
#define TAG_HOST_KEY USER "coopr-host-key"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider lxd\",\"type\":\"object\",\"of\":\"installation\",\"flavors\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES "," CLOUD_CONFIG_PROPERTY "," LABORATORY_PROPERTIES "," LABORATORY_DAEMON_PROPERTIES ","
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"unix:///var/lib/lxd/unix.socket\",\"description\":\"Where LXD or Incus answers: unix:///PATH, or https://HOST:8443\"},"
    "\"project\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The project of instances\"},"
    "\"profiles\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"of\":\"installation\",\"description\":\"Their profiles; by default that called default\"},"
    "\"network\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The network of their eth0; by default as the profiles say\"},"
    "\"pool\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The storage pool of their root; by default as the profiles say\"},"
    "\"image_server\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The URL of a server, simplestreams, from which images are fetched\"},"
    "\"config\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},\"of\":\"installation\",\"description\":\"Further settings of instances, as security.nesting\"}}}";

/* --- list --- */

static enum cloud_state
lxd_state(const char *status)
{
	return !status ? CLOUD_PENDING : strcmp(status, "Running") == 0 || strcmp(status, "Ready") == 0 ? CLOUD_RUNNING
	    : strcmp(status, "Stopped") == 0 ? CLOUD_STOPPED : strcmp(status, "Error") == 0 ? CLOUD_FAILED : CLOUD_PENDING;
}

static void
lxd_read_address(jv address, struct cloud_machines *machines, struct cloud_machine *machine)
{
	char *scope = json_get_string(address, "scope"), *family = json_get_string(address, "family");
	bool global = scope && strcmp(scope, "global") == 0;

	if (global && family && strcmp(family, "inet") == 0 && !machine->access_v4)
		machine->access_v4 = json_arena_string(address, "address", &machines->arena);
	else if (global && family && strcmp(family, "inet6") == 0 && !machine->access_v6)
		machine->access_v6 = json_arena_string(address, "address", &machines->arena);
	free(family);
	free(scope);
}

/* Takes the first addresses of its devices but the loopback. */
static void
lxd_read_addresses(jv instance, struct cloud_machines *machines, struct cloud_machine *machine)
{
	jv state = json_get(instance, "state"), networks = json_get(state, "network");
	struct place place = place_root(networks, NULL), device;
	struct members members;

	if (place_object(&place, NEED_OPTIONAL)) {
		members = members_of(&place);
		while (members_next(&members, &device)) {
			jv list = json_get(device.value, "addresses");

			for (size_t i = 0; strcmp(device.name, "lo") != 0 && i < json_length(list); i++) {
				jv address = json_element(list, i);

				lxd_read_address(address, machines, machine);
				jv_free(address);
			}
			jv_free(list);
		}
	}
	jv_free(networks);
	jv_free(state);
}

static void
lxd_read_tags(jv config, struct cloud_machines *machines, struct cloud_machine *machine)
{
	static const char *const names[] = {CLOUD_TAG_PROVIDER, CLOUD_TAG_NODE, CLOUD_TAG_CLUSTER, CLOUD_TAG_TOKEN};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *key = memory_printf(USER "%s", names[i]), *value = json_get_string(config, key);

		if (value)
			cloud_machine_tag(machines, machine, names[i], value);
		free(value);
		free(key);
	}
}

/* Reads one of a list, if it is of this installation. */
static int
lxd_read_instance(const struct cloud *cloud, jv instance, struct cloud_machines *machines, struct error *err)
{
	struct cloud_machine machine = {.name = json_arena_string(instance, "name", &machines->arena)};
	jv config = json_get(instance, "config");
	char *owner = json_get_string(config, USER CLOUD_TAG_INSTALLATION), *status = json_get_string(instance, "status");
	char *made = json_get_string(instance, "created_at");
	bool ours = owner && strcmp(owner, cloud->installation) == 0;

	machine.id = json_arena_string(config, "volatile.uuid", &machines->arena);
	if (!machine.id)
		machine.id = machine.name;
	machine.zone = json_arena_string(instance, "location", &machines->arena);
	if (machine.zone && (strcmp(machine.zone, "none") == 0 || !*machine.zone))
		machine.zone = NULL;
	machine.state = lxd_state(status);
	machine.reason = machine.state == CLOUD_STOPPED ? "it does not run" : NULL;
	machine.made_ms = cloud_time(made);
	lxd_read_addresses(instance, machines, &machine);
	lxd_read_tags(config, machines, &machine);
	free(made);
	free(status);
	free(owner);
	jv_free(config);
	if (ours && !machine.name)
		return error_set(err, EX_TEMPFAIL, "the daemon's list has an instance without a name");
	if (ours)
		*cloud_machines_add(machines) = machine;
	return 0;
}

static int
lxd_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	const struct lxd_request request = {.method = "GET", .path = "/instances?recursion=2", .body = jv_invalid()};
	struct lxd_outcome outcome;
	jv out;
	int result = lxd_ask(cloud, &request, stop, &out, &outcome, err);

	(void)node;
	if (result == 0 && jv_get_kind(out) != JV_KIND_ARRAY)
		result = error_set(err, EX_TEMPFAIL, "the daemon's answer has no list of instances");
	for (size_t i = 0; result == 0 && i < json_length(out); i++) {
		jv instance = json_element(out, i);

		result = lxd_read_instance(cloud, instance, found, err);
		jv_free(instance);
	}
	jv_free(out);
	return result;
}

/* --- the life of an instance, by its name --- */

/* Has it run, or not run any more. */
static int
lxd_set_state(const struct cloud *cloud, const char *name, const char *action, const struct stop *stop, struct lxd_outcome *outcome,
    struct error *err)
{
	char *path = memory_printf("/instances/%s/state", name);
	struct lxd_request request = {.method = "PUT", .path = path, .body = jv_object()};
	int result;

	json_set_string(&request.body, "action", action);
	json_set_number(&request.body, "timeout", START_S);
	json_set(&request.body, "force", strcmp(action, "stop") == 0 ? jv_true() : jv_false());
	result = lxd_ask(cloud, &request, stop, NULL, outcome, err);
	jv_free(request.body);
	free(path);
	return result;
}

/* Deletes it. One that is gone is no error, nor one that has stopped already. */
static int
lxd_delete(const struct cloud *cloud, const char *name, const struct stop *stop, struct error *err)
{
	char *path = memory_printf("/instances/%s", name);
	const struct lxd_request request = {.method = "DELETE", .path = path, .body = jv_invalid()};
	struct lxd_outcome outcome;
	struct error ignored;
	int result = lxd_settle(cloud, name, stop, err);

	if (result == 0) {
		lxd_set_state(cloud, name, "stop", stop, &outcome, &ignored);
		result = lxd_ask(cloud, &request, stop, NULL, &outcome, err);
		if (result < 0 && (outcome.status == 404 || strstr(err->text, "not found")))
			result = 0;
	}
	free(path);
	return result;
}

static int
lxd_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	return lxd_delete(cloud, machine->name, stop, err);
}

/* --- make --- */

/* A task and the instance that it makes. */
struct lxd_task {
	const struct cloud *cloud;
	const struct cloud_order *order;
	const struct stop *stop;
	const char *key; /* that logs in */
	bool unknown;    /* whether there is one */
};

static jv
lxd_source(const struct lxd *lxd, const char *image)
{
	size_t length = strlen(image);
	bool fingerprint = length >= FINGERPRINT_MIN && length <= FINGERPRINT && strspn(image, "0123456789abcdef") == length;
	jv source = jv_object();

	json_set_string(&source, "type", "image");
	json_set_string(&source, fingerprint ? "fingerprint" : "alias", image);
	if (lxd->image_server) {
		json_set_string(&source, "mode", "pull");
		json_set_string(&source, "protocol", "simplestreams");
		json_set_string(&source, "server", lxd->image_server);
	}
	return source;
}

static jv
lxd_config(const struct cloud *cloud, const struct lxd *lxd, const struct cloud_order *order, const struct laboratory_size *size)
{
	jv config = jv_is_valid(lxd->config) ? jv_copy(lxd->config) : jv_object();
	char text[64];

	for (size_t i = 0; i < order->tag_count; i++) {
		char *key = memory_printf(USER "%s", order->tags[i][0]);

		json_set_string(&config, key, order->tags[i][1]);
		free(key);
	}
	if (size->cpu > 0) {
		snprintf(text, sizeof text, "%.0fms/100ms", size->cpu * 100);
		json_set_string(&config, "limits.cpu.allowance", text);
	}
	if (size->memory > 0) {
		snprintf(text, sizeof text, "%.0fMiB", size->memory);
		json_set_string(&config, "limits.memory", text);
	}
	if (size->processes > 0) {
		snprintf(text, sizeof text, "%.0f", size->processes);
		json_set_string(&config, "limits.processes", text);
	}
	if (*order->user_data) { /* where the image has cloud-init, it is not to make other host keys */
		struct buffer data = {0};

		cloud_user_data(cloud, order->key, "ssh_deletekeys: false\n", &data);
		json_set_string(&config, "user.user-data", buffer_string(&data));
		buffer_release(&data);
	}
	return config;
}

static jv
lxd_devices(const struct lxd *lxd, const struct laboratory_size *size)
{
	jv devices = jv_object(), device;
	char text[64];

	if (lxd->network) {
		device = jv_object();
		json_set_string(&device, "type", "nic");
		json_set_string(&device, "name", "eth0");
		json_set_string(&device, "network", lxd->network);
		json_set(&devices, "eth0", device);
	}
	if (lxd->pool) {
		device = jv_object();
		json_set_string(&device, "type", "disk");
		json_set_string(&device, "path", "/");
		json_set_string(&device, "pool", lxd->pool);
		if (size->disk > 0) {
			snprintf(text, sizeof text, "%.0fMiB", size->disk);
			json_set_string(&device, "size", text);
		}
		json_set(&devices, "root", device);
	}
	return devices;
}

/* Asks for the instance, and waits until it is made. */
static int
lxd_create(struct lxd_task *task, const struct laboratory_size *size, struct lxd_outcome *outcome, struct error *err)
{
	const struct lxd *lxd = task->cloud->state;
	const struct cloud_order *order = task->order;
	char *target = order->zone ? client_escape(order->zone) : NULL, *path = memory_printf("/instances%s%s", target ? "?target=" : "",
	    target ? target : "");
	struct lxd_request request = {.method = "POST", .path = path, .body = jv_object(), .once = true};
	int result;

	json_set_string(&request.body, "name", order->name);
	json_set_string(&request.body, "type", "container");
	json_set(&request.body, "source", lxd_source(lxd, order->image));
	json_set(&request.body, "config", lxd_config(task->cloud, lxd, order, size));
	json_set(&request.body, "devices", lxd_devices(lxd, size));
	if (lxd->profiles.count > 0)
		json_set(&request.body, "profiles", json_strings(lxd->profiles.list, lxd->profiles.count));
	result = lxd_ask(task->cloud, &request, task->stop, NULL, outcome, err);
	jv_free(request.body);
	free(path);
	free(target);
	return result;
}

/* Says in its configuration which host key it has. */
static int
lxd_tag_host_key(struct lxd_task *task, const char *public, struct error *err)
{
	char *path = memory_printf("/instances/%s", task->order->name);
	struct lxd_request request = {.method = "PATCH", .path = path, .body = jv_object()};
	struct lxd_outcome outcome;
	jv config = jv_object();
	int result;

	json_set_string(&config, TAG_HOST_KEY, public);
	json_set(&request.body, "config", config);
	result = lxd_ask(task->cloud, &request, task->stop, NULL, &outcome, err);
	jv_free(request.body);
	free(path);
	return result;
}

/* Gives it its host key, and the key that logs in as root. */
static int
lxd_put_keys(struct lxd_task *task, struct error *err)
{
	static const char host_key[] = "/etc/ssh/ssh_host_ed25519_key", login[] = "/root/.ssh";
	const char *name = task->order->name;
	char *line = memory_printf("%s\n", task->key), *public;
	struct key_pair pair;
	struct error ignored;
	int result = key_pair_make(name, &pair, err);

	if (result == 0) {
		public = memory_printf("%s\n", pair.public);
		lxd_put_file(task->cloud, name, login, NULL, 0, 0700, task->stop, &ignored); /* it may be there */
		if (lxd_put_file(task->cloud, name, host_key, pair.private, pair.length, 0600, task->stop, err) < 0 ||
		    lxd_put_file(task->cloud, name, "/etc/ssh/ssh_host_ed25519_key.pub", public, strlen(public), 0644, task->stop, err) < 0 ||
		    lxd_put_file(task->cloud, name, "/root/.ssh/authorized_keys", line, strlen(line), 0600, task->stop, err) < 0 ||
		    lxd_tag_host_key(task, pair.public, err) < 0)
			result = -1;
		free(public);
		sodium_free(pair.private);
		free(pair.public);
	}
	free(line);
	return result;
}

/* Goes on with the instance of that name, which an earlier request has made: it gets its keys, where it has none, and is started. Fails with why where
 * there is none. */
static int
lxd_take_up(struct lxd_task *task, const struct error *why, struct error *err)
{
	char *path = memory_printf("/instances/%s", task->order->name), *token = NULL, *host_key = NULL, *status = NULL;
	const struct lxd_request request = {.method = "GET", .path = path, .body = jv_invalid()};
	struct lxd_outcome outcome;
	jv instance = jv_invalid(), config = jv_invalid();
	int result = lxd_settle(task->cloud, task->order->name, task->stop, err);

	task->unknown = true;
	if (result == 0 && (result = lxd_ask(task->cloud, &request, task->stop, &instance, &outcome, err)) < 0 && outcome.status == 404) {
		task->unknown = false;
		*err = *why;
	}
	if (result == 0) {
		config = json_get(instance, "config");
		token = json_get_string(config, USER CLOUD_TAG_TOKEN);
		host_key = json_get_string(config, TAG_HOST_KEY);
		status = json_get_string(instance, "status");
		task->unknown = false;
		if (!token || strcmp(token, task->order->token) != 0)
			result = error_set(err, EX_CONFIG, "the instance %s is somebody else's", task->order->name);
		else if (!host_key)
			result = lxd_put_keys(task, err);
		if (result == 0 && lxd_state(status) == CLOUD_STOPPED)
			result = lxd_set_state(task->cloud, task->order->name, "start", task->stop, &outcome, err);
	}
	free(status);
	free(host_key);
	free(token);
	jv_free(config);
	jv_free(instance);
	free(path);
	return result;
}

/* Not found is permanent: the daemon will not have it in a moment either. */
static void
lxd_classify(struct error *err)
{
	if (strstr(err->text, "not found") || strstr(err->text, "couldn't be found"))
		err->code = EX_CONFIG;
}

/* Makes the instance with its keys and starts it; where that fails there is none. */
static int
lxd_make_new(struct lxd_task *task, const struct laboratory_size *size, struct error *err)
{
	struct lxd_outcome outcome;
	struct error ignored, why;
	int result = lxd_create(task, size, &outcome, err);

	if (result < 0 && outcome.status == 0) {
		task->unknown = outcome.unknown;
		return -1;
	}
	if (result < 0) { /* its name is taken, perhaps by an earlier request of ours */
		lxd_classify(err);
		why = *err;
		return lxd_take_up(task, &why, err);
	}
	if (lxd_put_keys(task, err) == 0 && lxd_set_state(task->cloud, task->order->name, "start", task->stop, &outcome, err) == 0)
		return 0;
	task->unknown = lxd_delete(task->cloud, task->order->name, task->stop, &ignored) < 0;
	return -1;
}

static int
lxd_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	struct lxd *lxd = cloud->state;
	const struct laboratory_size *size = laboratory_find_size(cloud, order->flavor, err);
	struct lxd_task task = {.cloud = cloud, .order = order, .stop = stop};
	int result;

	if (!size || !(task.key = cloud_key(order, lxd->laboratory.public_key, "public_key", err)))
		return -1;
	result = lxd_make_new(&task, size, err);
	*unknown = task.unknown;
	if (result == 0)
		cloud_machines_add(made)->id = order->name;
	return result;
}

/* --- what is asked beside that --- */

/* Reads a thing of the daemon's that has a name. */
static int
lxd_read(const struct cloud *cloud, const char *folder, const char *name, const struct stop *stop, jv *out, struct error *err)
{
	char *escaped = client_escape(name), *path = memory_printf("%s/%s", folder, escaped);
	const struct lxd_request request = {.method = "GET", .path = path, .body = jv_invalid()};
	struct lxd_outcome outcome;
	int result = lxd_ask(cloud, &request, stop, out, &outcome, err);

	if (result < 0 && outcome.status == 404)
		err->code = EX_CONFIG;
	free(path);
	free(escaped);
	return result;
}

static int
lxd_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena,
    struct string_list *keys, struct error *err)
{
	jv instance, config;
	int result = lxd_read(cloud, "/instances", machine->name, stop, &instance, err);

	config = json_get(instance, "config");
	keys->list = arena_alloc(arena, 1, sizeof *keys->list);
	keys->list[0] = json_arena_string(config, TAG_HOST_KEY, arena);
	keys->count = keys->list[0] != NULL;
	jv_free(config);
	jv_free(instance);
	return result;
}

/* A client that is not trusted may ask who it is, and nothing else. */
static int
lxd_try_daemon(struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	const struct lxd_request request = {.method = "GET", .path = "", .body = jv_invalid()};
	struct lxd_outcome outcome;
	jv out, environment;
	int result = lxd_ask(cloud, &request, stop, &out, &outcome, err);
	char *auth = json_get_string(out, "auth");

	environment = json_get(out, "environment");
	if (result == 0 && auth && strcmp(auth, "trusted") != 0)
		result = error_set(err, EX_NOPERM, "the daemon does not trust our certificate");
	if (result == 0) {
		const char *server = json_arena_string(environment, "server", arena), *version = json_arena_string(environment, "server_version", arena);

		*said = arena_printf(arena, "%s %s", server ? server : "a daemon", version ? version : "");
	}
	free(auth);
	jv_free(environment);
	jv_free(out);
	return result;
}

static int
lxd_try_image(struct cloud *cloud, const char *name, const struct stop *stop, struct error *err)
{
	jv source = lxd_source(cloud->state, name), alias = json_get(source, "alias"), out = jv_invalid();
	int result = lxd_read(cloud, jv_is_valid(alias) ? "/images/aliases" : "/images", name, stop, &out, err);

	jv_free(out);
	jv_free(alias);
	jv_free(source);
	return result;
}

static int
lxd_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const struct lxd *lxd = cloud->state;
	jv out = jv_invalid();
	int result = 1;

	if (trial == CLOUD_TRY_CREDENTIALS)
		result = lxd_try_daemon(cloud, stop, arena, said, err);
	else if (trial == CLOUD_TRY_ZONE && name)
		result = lxd_read(cloud, "/cluster/members", name, stop, &out, err);
	else if (trial == CLOUD_TRY_FLAVOR)
		result = laboratory_find_size(cloud, name, err) ? 0 : -1;
	else if (trial == CLOUD_TRY_IMAGE && !lxd->image_server)
		result = lxd_try_image(cloud, name, stop, err);
	else if (trial == CLOUD_TRY_NETWORK && lxd->network)
		result = lxd_read(cloud, "/networks", lxd->network, stop, &out, err);
	jv_free(out);
	return result;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "lxd", .schema = schema, .user = "root", .per_second = 100, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = lxd_open, .make = lxd_make, .list = lxd_list, .remove = lxd_remove,
	    .host_keys = lxd_host_keys, .try = lxd_try, .flavors = laboratory_flavors};

	return cloud_plugin_main(&api, argc, argv);
}
