/* SPDX-License-Identifier: Apache-2.0
 *
 * provider/podman: containers that are machines, of podman or Docker, coopr-clouds(7). Both answer to Docker's API, and nothing of podman's own
 * is needed. The name of a container has the token in it, so that one is made once however often it is asked for; its labels are our tags.
 *
 * A container is made, gets its keys, and is started. One that was cut off before that has never run: it is deleted and made anew, since
 * the private half of its host key is nowhere. The public half is a label, which nobody in the container can change.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/container/daemon.h"
#include "cloud/container/files.h"
#include "cloud/container/volumes.h"
#include "cloud/plugin.h"
#include "content/key-pair.h"
#include "json/json.h"

enum { WINDOW_MS = 10 * 1000, LOG_BYTES = 300, FRAME = 8 };

#define TAG_HOST_KEY "coopr-host-key"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider podman\",\"type\":\"object\",\"of\":\"installation\",\"flavors\":true,\"volumes\":true," CLOUD_DESCRIBES
    "\"properties\":{" CLOUD_PROPERTIES "," LABORATORY_PROPERTIES "," LABORATORY_DAEMON_PROPERTIES ","
    "\"endpoint\":{\"type\":\"string\",\"of\":\"installation\",\"default\":\"unix:///run/podman/podman.sock\",\"description\":\"Where podman or Docker answers: unix:///PATH, or https://HOST:PORT\"},"
    "\"network\":{\"type\":\"string\",\"of\":\"installation\",\"description\":\"The network of containers; by default the daemon's own\"},"
    "\"pull\":{\"enum\":[\"never\",\"missing\",\"always\"],\"default\":\"never\",\"of\":\"installation\",\"description\":\"When an image is fetched from the registry in its name\"},"
    "\"restart\":{\"enum\":[\"no\",\"on-failure\",\"always\",\"unless-stopped\"],\"default\":\"no\",\"of\":\"installation\",\"description\":\"When the daemon starts a container that has ended\"},"
    "\"command\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"of\":\"installation\",\"description\":\"What a container runs in place of sshd, and which starts that\"},"
    "\"capabilities\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"of\":\"installation\",\"description\":\"Capabilities of containers beside the daemon's usual ones, as NET_ADMIN\"},"
    "\"privileged\":{\"type\":\"boolean\",\"default\":false,\"of\":\"installation\",\"description\":\"Whether containers may do all that the host's root may\"}}}";

/* --- list --- */

static enum cloud_state
podman_state(const char *state)
{
	static const struct {
		const char *word;
		enum cloud_state state;
	} words[] = {{"running", CLOUD_RUNNING}, {"created", CLOUD_STOPPED}, {"configured", CLOUD_STOPPED}, {"initialized", CLOUD_STOPPED},
	    {"exited", CLOUD_STOPPED}, {"stopped", CLOUD_STOPPED}, {"dead", CLOUD_FAILED}, {"removing", CLOUD_GONE}};

	for (size_t i = 0; state && i < sizeof words / sizeof *words; i++)
		if (strcmp(state, words[i].word) == 0)
			return words[i].state;
	return CLOUD_PENDING;
}

/* Takes the addresses that it has in the first of its networks where it has any. */
static void
podman_read_addresses(jv container, struct cloud_machines *machines, struct cloud_machine *machine)
{
	jv settings = json_get(container, "NetworkSettings"), networks = json_get(settings, "Networks");
	struct place place = place_root(networks, NULL), network;
	struct members members;

	if (place_object(&place, NEED_OPTIONAL)) {
		members = members_of(&place);
		while (members_next(&members, &network)) {
			if (machine->access_v4 || machine->access_v6)
				continue;
			machine->access_v4 = cloud_text(network.value, "IPAddress", &machines->arena);
			machine->access_v6 = cloud_text(network.value, "GlobalIPv6Address", &machines->arena);
		}
	}
	jv_free(networks);
	jv_free(settings);
}

/* Reads one of a list. */
static int
podman_read_container(jv container, struct cloud_machines *machines, struct error *err)
{
	struct cloud_machine machine = {.id = cloud_text(container, "Id", &machines->arena)};
	jv labels = json_get(container, "Labels"), names = json_get(container, "Names");
	char *state = json_get_string(container, "State");

	machine.state = podman_state(state);
	machine.is_off = machine.state == CLOUD_STOPPED || machine.state == CLOUD_FAILED;
	machine.reason = cloud_text(container, "Status", &machines->arena);
	machine.made_ms = (int64_t)json_get_number(container, "Created", 0) * 1000;
	if (json_length(names) > 0) {
		jv name = json_element(names, 0);

		if (json_string(name))
			machine.name = arena_string(&machines->arena, json_string(name) + (*json_string(name) == '/'));
		jv_free(name);
	}
	podman_read_addresses(container, machines, &machine);
	cloud_machine_tags(machines, &machine, labels);
	free(state);
	jv_free(names);
	jv_free(labels);
	if (!machine.id)
		return error_set(err, EX_TEMPFAIL, "the daemon's list has a container without an id");
	*cloud_machines_add(machines) = machine;
	return 0;
}

/* Appends what the container has printed last, on one line; the daemon tells it in frames of a header and a text. */
static void
podman_read_log(const struct cloud *cloud, const char *id, const struct stop *stop, struct buffer *out)
{
	struct client_answer answer = {.wait_ms = -1};
	char *path = memory_printf("/containers/%s/logs?stdout=1&stderr=1&tail=3", id);
	const struct daemon_request request = {.method = "GET", .path = path};
	struct error ignored;
	size_t at = 0;

	if (daemon_ask(cloud, &request, stop, &answer, NULL, &ignored) == 0)
		while (at + FRAME < answer.body.length && out->length < LOG_BYTES) {
			const unsigned char *head = (const unsigned char *)answer.body.data + at;
			size_t length = (size_t)head[4] << 24 | (size_t)head[5] << 16 | (size_t)head[6] << 8 | head[7];

			at += FRAME;
			for (size_t i = 0; i < length && at < answer.body.length && out->length < LOG_BYTES; i++, at++)
				buffer_byte(out, (unsigned char)answer.body.data[at] < ' ' ? ' ' : answer.body.data[at]);
		}
	client_answer_release(&answer);
	free(path);
}

/* Says of the container of the node, if it has ended, what it has printed last. */
static void
podman_explain(const struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found)
{
	for (size_t i = 0; i < found->count; i++) {
		struct cloud_machine *machine = &found->list[i];
		struct buffer log = {0};

		if (machine->state != CLOUD_STOPPED || !machine->node || strcmp(machine->node, node) != 0)
			continue;
		podman_read_log(cloud, machine->id, stop, &log);
		if (log.length > 0)
			machine->reason = arena_printf(&found->arena, "%s: %s", machine->reason ? machine->reason : "it has ended", buffer_string(&log));
		buffer_release(&log);
	}
}

static int
podman_list(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err)
{
	char *filters = memory_printf("{\"label\":[\"" CLOUD_TAG_INSTALLATION "=%s\"]}", cloud->installation), *escaped = client_escape(filters);
	char *path = memory_printf("/containers/json?all=true&filters=%s", escaped);
	jv out;
	int result = daemon_list(cloud, path, "", stop, &out, err);

	for (size_t i = 0; result == 0 && i < json_length(out); i++) {
		jv container = json_element(out, i);

		result = podman_read_container(container, found, err);
		jv_free(container);
	}
	if (result == 0 && node)
		podman_explain(cloud, node, stop, found);
	jv_free(out);
	free(path);
	free(escaped);
	free(filters);
	return result;
}

static int
podman_remove(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err)
{
	/* With the volumes that its image has asked for. */
	char *path = memory_printf("/containers/%s?force=true&v=true", machine->id);
	long status;
	int result = daemon_do(cloud, "DELETE", path, stop, &status, NULL, err);

	if (result < 0 && (status == 404 || status == 409)) /* it is gone, or going */
		result = 0;
	free(path);
	return result;
}

/* --- make --- */

static jv
podman_host_config(const struct daemon *daemon, const struct laboratory_size *size)
{
	jv config = jv_object(), restart = jv_object();

	if (daemon->network)
		json_set_string(&config, "NetworkMode", daemon->network);
	if (size->memory > 0)
		json_set_number(&config, "Memory", size->memory * 1024 * 1024);
	if (size->cpu > 0)
		json_set_number(&config, "NanoCpus", (double)(int64_t)(size->cpu * 1e9));
	if (size->processes > 0)
		json_set_number(&config, "PidsLimit", size->processes);
	json_set_string(&restart, "Name", daemon->restart ? daemon->restart : "no");
	json_set(&config, "RestartPolicy", restart);
	json_set(&config, "CapAdd", json_strings(daemon->capabilities.list, daemon->capabilities.count));
	json_set(&config, "Privileged", daemon->privileged ? jv_true() : jv_false());
	return config;
}

static jv
podman_container(const struct daemon *daemon, const struct cloud_order *order, const struct laboratory_size *size, const char *host_key)
{
	const char *const sshd[] = {"/bin/sh", "-c", container_start};
	const struct string_list *command = &daemon->command;
	jv body = jv_object(), labels = jv_object();

	for (size_t i = 0; i < order->tag_count; i++)
		json_set_string(&labels, order->tags[i][0], order->tags[i][1]);
	json_set_string(&labels, TAG_HOST_KEY, host_key);
	json_set_string(&body, "Image", order->image);
	json_set_string(&body, "Hostname", order->name);
	json_set(&body, "Labels", labels);
	json_set(&body, "Entrypoint", command->count > 0 ? json_strings(command->list, command->count) : json_strings(sshd, 3));
	json_set_string(&body, "User", "root");
	json_set(&body, "HostConfig", podman_host_config(daemon, size));
	return body;
}

/* A task and the container that it makes. */
struct podman_task {
	struct cloud *cloud;
	const struct cloud_order *order;
	const struct stop *stop;
	const char *name; /* of the container */
	char *path;       /* "/containers/NAME" */
	bool unknown;     /* whether there is one */
};

/* Fails with what the daemon has said of a request: what it has not got, it will not have in a moment. */
static void
podman_classify(struct error *err)
{
	static const char *const missing[] = {"not found", "No such image", "no such image", "invalid reference"};

	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
		if (strstr(err->text, missing[i]))
			err->code = EX_CONFIG;
}

/* Asks for the container. Returns the status of HTTP, 0 where none came; 201: it was made. */
static long
podman_create(struct podman_task *task, jv body, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	char *path = memory_printf("/containers/create?name=%s", task->name);
	long status;

	if (daemon_post(task->cloud, path, body, task->stop, &answer, NULL, err) < 0)
		podman_classify(err);
	task->unknown = answer.unknown;
	status = answer.status;
	client_answer_release(&answer);
	free(path);
	return status;
}

/* Makes the container, once its image is there. */
static long
podman_create_with_image(struct podman_task *task, jv body, struct error *err)
{
	const struct daemon *daemon = task->cloud->state;
	long status;

	if (daemon->pull == DAEMON_ALWAYS && daemon_pull(task->cloud, task->order->image, task->stop, err) < 0)
		return 0;
	status = podman_create(task, body, err);
	if (status != 404)
		return status;
	if (daemon->pull == DAEMON_NEVER) {
		error_prefix(err, "image %s is not there, and the provider's field pull is never", task->order->image);
		return status;
	}
	return daemon_pull(task->cloud, task->order->image, task->stop, err) < 0 ? 0 : podman_create(task, body, err);
}

/* Removes a container that never ran. One that cannot be removed is an unknown one. */
static void
podman_discard(struct podman_task *task)
{
	const struct cloud_machine machine = {.id = task->name};
	struct error ignored;

	task->unknown = podman_remove(task->cloud, &machine, task->stop, &ignored) < 0;
}

static int
podman_start(struct podman_task *task, struct error *err)
{
	char *path = memory_printf("%s/start", task->path);
	const struct daemon_request request = {.method = "POST", .path = path, .once = true};
	struct client_answer answer = {.wait_ms = -1};
	int result = daemon_ask(task->cloud, &request, task->stop, &answer, NULL, err);

	if (result < 0 && answer.status == 304) /* it runs */
		result = 0;
	if (result < 0)
		podman_classify(err);
	task->unknown = result < 0 && answer.status == 0;
	client_answer_release(&answer);
	free(path);
	return result;
}

static int
podman_upload(struct podman_task *task, const struct key_pair *host_key, const char *key, struct error *err)
{
	char *path = memory_printf("%s/archive?path=/", task->path), *tar;
	struct daemon_request request = {.method = "PUT", .path = path, .type = "application/x-tar", .once = true};
	struct client_answer answer = {.wait_ms = -1};
	int result = container_pack(host_key, key, &tar, &request.length, err);

	request.body = tar;
	if (result == 0)
		result = daemon_ask(task->cloud, &request, task->stop, &answer, NULL, err);
	client_answer_release(&answer);
	sodium_memzero(tar, request.length);
	free(tar);
	free(path);
	return result;
}

/* Goes on with the container of that name, which an earlier request has made: it starts one that has run. One that never ran is deleted, and
 * what has become of it is unknown, so that it is asked for again. */
static int
podman_take_up(struct podman_task *task, struct error *err)
{
	char *path = memory_printf("%s/json", task->path), *word, *token;
	struct error why = *err;
	jv out, state, config, labels;
	long status;
	int result = daemon_do(task->cloud, "GET", path, task->stop, &status, &out, err);

	free(path);
	if (result < 0) {
		task->unknown = status != 404;
		*err = status == 404 ? why : *err;
		jv_free(out);
		return -1;
	}
	state = json_get(out, "State"), config = json_get(out, "Config"), labels = json_get(config, "Labels");
	word = json_get_string(state, "Status");
	token = json_get_string(labels, CLOUD_TAG_TOKEN);
	task->unknown = false;
	if (!token || strcmp(token, task->order->token) != 0) {
		result = error_set(err, EX_CONFIG, "the container %s is somebody else's", task->name);
	} else if (!word || (podman_state(word) == CLOUD_STOPPED && strcmp(word, "exited") != 0 && strcmp(word, "stopped") != 0)) {
		podman_discard(task);
		task->unknown = true;
		result = error_set(err, EX_TEMPFAIL, "the container %s was made and never ran", task->name);
	} else {
		result = podman_start(task, err);
	}
	free(token);
	free(word);
	jv_free(labels);
	jv_free(config);
	jv_free(state);
	jv_free(out);
	return result;
}

/* Makes the container with its keys and starts it. Where that fails there is none; it is asked for again unless it can never succeed: podman may
 * lose the file system of one of many containers that it makes at once, and that one never starts. */
static int
podman_make_new(struct podman_task *task, const struct laboratory_size *size, const char *key, const struct key_pair *host_key,
    struct error *err)
{
	jv body = podman_container(task->cloud->state, task->order, size, host_key->public);
	long status = podman_create_with_image(task, body, err);
	int result = -1;

	jv_free(body);
	/* podman answers 500 where the name is taken, Docker 409. */
	if (status == 409 || status >= 500)
		return podman_take_up(task, err);
	if (status == 201)
		result = podman_upload(task, host_key, key, err) < 0 || podman_start(task, err) < 0 ? -1 : 0;
	if (status == 201 && result < 0) {
		podman_discard(task);
		task->unknown |= err->code == EX_TEMPFAIL;
	}
	return result;
}

static int
podman_make(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
    struct error *err)
{
	struct daemon *daemon = cloud->state;
	const struct laboratory_size *size = laboratory_find_size(cloud, order->flavor, err);
	const char *key = size ? cloud_key(order, daemon->laboratory.public_key, "public_key", err) : NULL;
	struct podman_task task = {.cloud = cloud, .order = order, .stop = stop};
	struct key_pair host_key;
	int result;

	if (!size || !key || key_pair_make(order->name, &host_key, err) < 0)
		return -1;
	task.name = arena_printf(&made->arena, "%s-%s", order->name, order->token);
	task.path = memory_printf("/containers/%s", task.name);
	result = podman_make_new(&task, size, key, &host_key, err);
	*unknown = task.unknown;
	if (result == 0)
		cloud_machines_add(made)->id = task.name;
	free(task.path);
	sodium_free(host_key.private);
	free(host_key.public);
	return result;
}

/* --- what is asked beside that --- */

static int
podman_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena,
    struct string_list *keys, struct error *err)
{
	char *path = memory_printf("/containers/%s/json", machine->id);
	jv out, config, labels;
	long status;
	int result = daemon_do(cloud, "GET", path, stop, &status, &out, err);

	config = json_get(out, "Config"), labels = json_get(config, "Labels");
	keys->list = arena_alloc(arena, 1, sizeof *keys->list);
	keys->list[0] = json_arena_string(labels, TAG_HOST_KEY, arena);
	keys->count = keys->list[0] != NULL;
	jv_free(labels);
	jv_free(config);
	jv_free(out);
	free(path);
	return result;
}

static int
podman_try_daemon(struct cloud *cloud, const struct stop *stop, struct arena *arena, const char **said, struct error *err)
{
	jv out, platform, components, engine;
	long status;
	int result = daemon_do(cloud, "GET", "/version", stop, &status, &out, err);

	components = json_get(out, "Components"), platform = json_get(out, "Platform");
	engine = json_element(components, 0);
	if (result == 0) {
		const char *name = cloud_text(engine, "Name", arena), *version = cloud_text(out, "Version", arena);
		const char *os = cloud_text(platform, "Name", arena);

		*said = arena_printf(arena, "%s %s%s%s", name ? name : "a daemon", version ? version : "", os ? ", " : "", os ? os : "");
	}
	jv_free(engine);
	jv_free(platform);
	jv_free(components);
	jv_free(out);
	return result;
}

/* Asks for a thing of the daemon's by a name, which may have "/" in it. */
static int
podman_try_thing(struct cloud *cloud, const char *format, const char *name, const struct stop *stop, struct error *err)
{
	static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@";
	char *path;
	long status;
	int result;

	if (!*name || name[strspn(name, usual)] || strstr(name, "..") || *name == '/')
		return error_set(err, EX_CONFIG, "%s is not a name", name);
	path = memory_printf("%s/%s%s", format, name, strcmp(format, "/images") == 0 ? "/json" : "");
	result = daemon_do(cloud, "GET", path, stop, &status, NULL, err);
	if (result < 0 && status == 404)
		err->code = EX_CONFIG;
	free(path);
	return result;
}

static int
podman_try(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
    struct error *err)
{
	const struct daemon *daemon = cloud->state;

	if (trial == CLOUD_TRY_CREDENTIALS)
		return podman_try_daemon(cloud, stop, arena, said, err);
	if (trial == CLOUD_TRY_ZONE && name)
		return error_set(err, EX_CONFIG, "a daemon has no zones");
	if (trial == CLOUD_TRY_FLAVOR)
		return laboratory_find_size(cloud, name, err) ? 0 : -1;
	if (trial == CLOUD_TRY_IMAGE && daemon->pull == DAEMON_NEVER)
		return podman_try_thing(cloud, "/images", name, stop, err);
	if (trial == CLOUD_TRY_NETWORK && daemon->network)
		return podman_try_thing(cloud, "/networks", daemon->network, stop, err);
	return 1;
}

int
main(int argc, char **argv)
{
	static const struct cloud_api api = {.name = "podman", .schema = schema, .user = "root", .per_second = 100, .takes_token = true,
	    .window_ms = WINDOW_MS, .open = daemon_open, .make = podman_make, .list = podman_list, .remove = podman_remove,
	    .host_keys = podman_host_keys, .try = podman_try, .flavors = laboratory_flavors, .volumes = &container_volumes};

	return cloud_plugin_main(&api, argc, argv);
}
