/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/container/remake.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/container/daemon.h"
#include "cloud/container/files.h"
#include "cloud/container/volumes.h"
#include "json/json.h"

#define SUCCESSOR ".next" /* behind the name of the container whose place it takes */

struct remake {
	struct cloud *cloud;
	const struct stop *stop;
	char *name; /* of the container, before and after */
	char *next;       /* of its successor */
};

/* Sends a request to "/containers/NAME" and what follows. A status that it fails with may be one that is well. */
static int
remake_do(const struct remake *remake, const char *method, const char *name, const char *rest, long well, struct error *err)
{
	char *path = memory_printf("/containers/%s%s", name, rest);
	int result = daemon_ensure(remake->cloud, method, path, well, remake->stop, err);

	free(path);
	return result;
}

static int
remake_delete(const struct remake *remake, const char *name, struct error *err)
{
	return remake_do(remake, "DELETE", name, "?force=true", 404, err);
}

/* --- what the successor is --- */

/* Copies the members of that name which the one has to the other. */
static void
remake_copy(jv from, jv *to, const char *const *names)
{
	for (; *names; names++) {
		jv value = json_get(from, *names);

		if (jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL)
			json_set(to, *names, jv_copy(value));
		jv_free(value);
	}
}

static jv
remake_mounts(const struct cloud_volume_place *places, size_t count)
{
	jv mounts = jv_array();

	for (size_t i = 0; i < count; i++) {
		jv mount = jv_object(), options = jv_object();

		/* What the image has there is not copied into a blank volume. */
		json_set(&options, "NoCopy", jv_true());
		json_set_string(&mount, "Type", "volume");
		json_set_string(&mount, "Source", places[i].name);
		json_set_string(&mount, "Target", places[i].path);
		json_set(&mount, "VolumeOptions", options);
		mounts = jv_array_append(mounts, mount);
	}
	return mounts;
}

static jv
remake_labels(jv config, const struct cloud_volume_place *places, size_t count)
{
	jv labels = json_get(config, "Labels");
	struct buffer names = {0};

	for (size_t i = 0; i < count; i++)
		buffer_printf(&names, "%s%s", i ? " " : "", places[i].name);
	json_set_string(&labels, CONTAINER_TAG_VOLUMES, buffer_string(&names));
	buffer_release(&names);
	return labels;
}

/* Asks for the addresses that the container has in the network of that name: what is known of its node stays true. */
static jv
remake_networking(jv old, const char *mode)
{
	jv settings = json_get(old, "NetworkSettings"), networks = json_get(settings, "Networks"), network = json_get(networks, mode);
	char *v4 = json_get_string(network, "IPAddress"), *v6 = json_get_string(network, "GlobalIPv6Address");
	jv wish = jv_object(), endpoint = jv_object(), endpoints = jv_object(), result = jv_object();

	if (v4 && *v4)
		json_set_string(&wish, "IPv4Address", v4);
	if (v6 && *v6)
		json_set_string(&wish, "IPv6Address", v6);
	json_set(&endpoint, "IPAMConfig", wish);
	json_set(&endpoints, mode, endpoint);
	json_set(&result, "EndpointsConfig", endpoints);
	free(v6);
	free(v4);
	jv_free(network);
	jv_free(networks);
	jv_free(settings);
	return result;
}

/* Returns what is asked for: a container like the old one, of which the daemon has told this, with the volumes. */
static jv
remake_body(jv old, const struct cloud_volume_place *places, size_t count)
{
	static const char *const of_config[] = {"Image", "Hostname", "Entrypoint", "User", NULL};
	static const char *const of_host[] = {"NetworkMode", "Memory", "NanoCpus", "PidsLimit", "RestartPolicy", "CapAdd", "Privileged", NULL};
	jv config = json_get(old, "Config"), host = json_get(old, "HostConfig"), body = jv_object(), limits = jv_object();
	char *mode = json_get_string(host, "NetworkMode");

	remake_copy(config, &body, of_config);
	remake_copy(host, &limits, of_host);
	json_set(&limits, "Mounts", remake_mounts(places, count));
	json_set(&body, "Labels", remake_labels(config, places, count));
	json_set(&body, "HostConfig", limits);
	/* The usual networks give no address that is asked for. */
	if (mode && strcmp(mode, "bridge") != 0 && strcmp(mode, "default") != 0)
		json_set(&body, "NetworkingConfig", remake_networking(old, mode));
	free(mode);
	jv_free(host);
	jv_free(config);
	return body;
}

/* --- how it takes the place --- */

static int
remake_create(const struct remake *remake, jv body, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	char *path = memory_printf("/containers/create?name=%s", remake->next);
	int result = daemon_post(remake->cloud, path, body, remake->stop, &answer, NULL, err);

	client_answer_release(&answer);
	free(path);
	return result;
}

/* Puts the keys of the one container into the other. */
static int
remake_copy_keys(const struct remake *remake, struct error *err)
{
	char *from = memory_printf("/containers/%s/archive?path=" CONTAINER_FOLDER, remake->name);
	char *to = memory_printf("/containers/%s/archive?path=" CONTAINER_PARENT, remake->next);
	struct client_answer keys = {.wait_ms = -1}, answer = {.wait_ms = -1};
	int result = daemon_ask(remake->cloud, &(struct daemon_request){.method = "GET", .path = from}, remake->stop, &keys, NULL, err);

	if (result == 0)
		result = daemon_ask(remake->cloud, &(struct daemon_request){.method = "PUT", .path = to, .type = "application/x-tar", .body = keys.body.data,
		    .length = keys.body.length, .once = true}, remake->stop, &answer, NULL, err);
	if (keys.body.data)
		sodium_memzero(keys.body.data, keys.body.length);
	client_answer_release(&keys);
	client_answer_release(&answer);
	free(from);
	free(to);
	return result;
}

/* Makes the successor beside the container; one that was cut off is made anew. */
static int
remake_add(const struct remake *remake, const struct cloud_volume_place *places, size_t count, struct error *err)
{
	char *path = memory_printf("/containers/%s/json", remake->name);
	long status;
	jv old = jv_invalid(), body;
	int result = remake_delete(remake, remake->next, err);

	if (result == 0)
		result = daemon_do(remake->cloud, "GET", path, remake->stop, &status, &old, err);
	free(path);
	if (result == 0) {
		body = remake_body(old, places, count);
		result = remake_create(remake, body, err);
		jv_free(body);
	}
	jv_free(old);
	return result < 0 ? -1 : remake_copy_keys(remake, err);
}

/* Lets the successor, which is whole, have the name, and starts it. Where there is none, it has the name: an answer was lost. */
static int
remake_succeed(const struct remake *remake, bool is_renamed, struct error *err)
{
	char *rename = memory_printf("/rename?name=%s", remake->name);
	int result = is_renamed ? 0 : remake_do(remake, "POST", remake->next, rename, 404, err);

	free(rename);
	return result < 0 ? -1 : remake_do(remake, "POST", remake->name, "/start", 304, err);
}

/* Tells whether the name is that of a successor. */
static bool
remake_is_successor(const char *name)
{
	size_t length = strlen(name), tail = strlen(SUCCESSOR);

	return length > tail && strcmp(name + length - tail, SUCCESSOR) == 0;
}

/* Tells whether the container was made with volumes already, and only has to be started. */
static bool
remake_is_made(const struct remake *remake, const struct cloud_volume_place *places, size_t count)
{
	char *path = memory_printf("/containers/%s/json", remake->name), *names;
	struct error ignored;
	jv old, config, labels, wanted;
	bool is_made = false;
	long status;

	if (daemon_do(remake->cloud, "GET", path, remake->stop, &status, &old, &ignored) == 0) {
		config = json_get(old, "Config"), labels = json_get(config, "Labels");
		names = json_get_string(labels, CONTAINER_TAG_VOLUMES);
		wanted = remake_labels(config, places, count);
		jv_free(labels);
		labels = wanted;
		wanted = json_get(labels, CONTAINER_TAG_VOLUMES);
		is_made = names && json_string(wanted) && strcmp(names, json_string(wanted)) == 0;
		free(names);
		jv_free(wanted);
		jv_free(labels);
		jv_free(config);
	}
	jv_free(old);
	free(path);
	return is_made;
}

int
container_remake(struct cloud *cloud, const struct cloud_machines *machines, const struct cloud_volume_place *places, size_t count,
    const struct stop *stop, struct error *err)
{
	struct remake remake = {.cloud = cloud, .stop = stop};
	const struct cloud_machine *old = NULL, *next = NULL;
	int result = 0;

	for (size_t i = 0; i < machines->count; i++)
		if (machines->list[i].name && remake_is_successor(machines->list[i].name))
			next = &machines->list[i];
		else
			old = &machines->list[i];
	if ((old && !old->name) || (!old && !next))
		return error_set(err, EX_TEMPFAIL, "the daemon tells no name of a container");
	remake.name = old ? memory_string(old->name) : memory_printf("%.*s", (int)(strlen(next->name) - strlen(SUCCESSOR)), next->name);
	remake.next = memory_printf("%s" SUCCESSOR, remake.name);
	if (old && !remake_is_made(&remake, places, count)) {
		result = old->state != CLOUD_RUNNING ? error_set(err, EX_TEMPFAIL, "the container %s does not run", old->name)
		    : remake_add(&remake, places, count, err);
		if (result == 0)
			result = remake_delete(&remake, remake.name, err);
		old = NULL;
	}
	if (result == 0)
		result = remake_succeed(&remake, old != NULL, err);
	free(remake.name);
	free(remake.next);
	return result;
}
