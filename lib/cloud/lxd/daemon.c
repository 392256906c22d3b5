/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/lxd/daemon.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"

enum { WAIT_S = 60, WAIT_MORE_S = 30, RUNNING = 103, SUCCESS = 200 };

void
lxd_open(struct cloud *cloud, struct client_settings *settings)
{
	struct lxd *lxd = memory_zeroed(1, sizeof *lxd);
	struct place config = place_member(&cloud->fields, "config");

	laboratory_open(cloud, &lxd->laboratory);
	lxd->laboratory.base = laboratory_read_daemon(cloud, settings, "unix:///var/lib/lxd/unix.socket");
	lxd->project = cloud_field(cloud, "project");
	lxd->network = cloud_field(cloud, "network");
	lxd->pool = cloud_field(cloud, "pool");
	lxd->image_server = cloud_field(cloud, "image_server");
	lxd->profiles = place_strings(&cloud->fields, "profiles", &cloud->arena);
	lxd->config = place_object(&config, NEED_OPTIONAL) ? config.value : jv_invalid();
	cloud->state = lxd;
}

/* Returns the URL of a path, with the project; the caller frees it. */
static char *
lxd_url(const struct cloud *cloud, const char *path)
{
	const struct lxd *lxd = cloud->state;
	char *project, *url;

	if (!lxd->project)
		return memory_printf("%s%s", lxd->laboratory.base, path);
	project = client_escape(lxd->project);
	url = memory_printf("%s%s%cproject=%s", lxd->laboratory.base, path, strchr(path, '?') ? '&' : '?', project);
	free(project);
	return url;
}

/* Sends it, and sets *answer to the whole answer. */
static int
lxd_send(const struct cloud *cloud, const struct client_request *as, const char *path, const struct stop *stop, jv *answer,
    struct lxd_outcome *outcome, struct error *err)
{
	char *url = lxd_url(cloud, path);
	struct client_request request = *as;
	struct client_answer got = {.wait_ms = -1};
	int result;

	request.url = url;
	request.member = "type";
	result = client_ask(cloud->client, &request, stop, &got, answer, err);
	*outcome = (struct lxd_outcome){got.status, got.unknown};
	client_answer_release(&got);
	free(url);
	return result;
}

/* Waits for an operation, "/1.0/operations/ID". One that the daemon has forgotten may have been carried out. */
static int
lxd_wait(const struct cloud *cloud, const char *operation, const struct stop *stop, jv *out, struct lxd_outcome *outcome, struct error *err)
{
	char *path = memory_printf("%s/wait?timeout=%d", operation, WAIT_S);
	const struct client_request request = {.method = "GET", .repeatable = true, .answer_s = WAIT_S + WAIT_MORE_S};
	jv answer, metadata = jv_invalid();
	double code = RUNNING;
	int result = 0;

	while (result == 0 && code < SUCCESS) {
		jv_free(metadata);
		metadata = jv_invalid();
		result = lxd_send(cloud, &request, path, stop, &answer, outcome, err);
		if (result == 0) {
			metadata = json_get(answer, "metadata");
			code = json_get_number(metadata, "status_code", SUCCESS);
		}
		jv_free(answer);
	}
	if (result < 0) {
		outcome->unknown = true;
		err->code = EX_TEMPFAIL;
	} else if (code != SUCCESS) {
		char *text = json_get_string(metadata, "err"), *what = json_get_string(metadata, "description");

		result = error_set(err, EX_TEMPFAIL, "%s: %s", what && *what ? what : "the operation", text && *text ? text : "it has failed");
		free(what);
		free(text);
	}
	if (out && result == 0)
		*out = jv_copy(metadata);
	jv_free(metadata);
	free(path);
	return result;
}

int
lxd_ask(const struct cloud *cloud, const struct lxd_request *request, const struct stop *stop, jv *out, struct lxd_outcome *outcome,
    struct error *err)
{
	struct client_request sent = {.method = request->method, .repeatable = !request->once};
	struct buffer text = {0};
	char *path = memory_printf("/1.0%s", request->path), *operation = NULL;
	jv answer;
	int result;

	if (out)
		*out = jv_invalid();
	if (jv_is_valid(request->body)) {
		json_dump(request->body, &text);
		sent.body = buffer_string(&text);
		sent.length = text.length;
	}
	result = lxd_send(cloud, &sent, path, stop, &answer, outcome, err);
	if (result == 0 && outcome->status == 202)
		operation = json_get_string(answer, "operation");
	if (operation && strncmp(operation, "/1.0/operations/", 16) == 0)
		result = lxd_wait(cloud, operation, stop, out, outcome, err);
	else if (result == 0 && out)
		*out = json_get(answer, "metadata");
	free(operation);
	jv_free(answer);
	free(path);
	buffer_release(&text);
	return result;
}

int
lxd_put_file(const struct cloud *cloud, const char *instance, const char *path, const char *text, size_t length, unsigned mode,
    const struct stop *stop, struct error *err)
{
	static const char *const daemons[] = {"LXD", "Incus"};
	struct client_request request = {.method = "POST", .type = "application/octet-stream", .body = text ? text : "", .length = length,
	    .repeatable = true};
	char *place = client_escape(path), *below = memory_printf("/1.0/instances/%s/files?path=%s", instance, place);
	struct lxd_outcome outcome;
	jv answer;
	int result;

	for (size_t i = 0; i < sizeof daemons / sizeof *daemons; i++) {
		char *headers[] = {memory_printf("X-%s-type: %s", daemons[i], text ? "file" : "directory"),
		    memory_printf("X-%s-mode: %04o", daemons[i], mode), memory_printf("X-%s-uid: 0", daemons[i]),
		    memory_printf("X-%s-gid: 0", daemons[i])};

		for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
			arguments_push(&request.headers, headers[k]);
			free(headers[k]);
		}
	}
	result = lxd_send(cloud, &request, below, stop, &answer, &outcome, err);
	jv_free(answer);
	arguments_release(&request.headers);
	free(below);
	free(place);
	return result;
}

/* Tells whether an operation is under way on the instance. */
static bool
lxd_is_on(jv operation, const char *instance)
{
	jv resources = json_get(operation, "resources"), instances = json_get(resources, "instances");
	bool is = false;

	if (jv_get_kind(instances) != JV_KIND_ARRAY) {
		jv_free(instances);
		instances = json_get(resources, "containers");
	}
	for (size_t i = 0; json_get_number(operation, "status_code", SUCCESS) < SUCCESS && i < json_length(instances); i++) {
		jv one = json_element(instances, i);
		const char *name = json_string(one) ? strrchr(json_string(one), '/') : NULL;

		is |= name && strncmp(name + 1, instance, strcspn(name + 1, "?")) == 0 && strcspn(name + 1, "?") == strlen(instance);
		jv_free(one);
	}
	jv_free(instances);
	jv_free(resources);
	return is;
}

int
lxd_settle(const struct cloud *cloud, const char *instance, const struct stop *stop, struct error *err)
{
	const struct lxd_request request = {.method = "GET", .path = "/operations?recursion=1", .body = jv_invalid()};
	struct lxd_outcome outcome;
	struct error ignored;
	jv all;
	int result = lxd_ask(cloud, &request, stop, &all, &outcome, err);
	struct place place = place_root(all, NULL), list;
	struct members members;

	if (result < 0 || !place_object(&place, NEED_OPTIONAL)) {
		jv_free(all);
		return result;
	}
	members = members_of(&place); /* "running": [...] */
	while (members_next(&members, &list))
		for (size_t i = 0; i < json_length(list.value); i++) {
			jv one = json_element(list.value, i);
			char *id = json_get_string(one, "id"), *operation = memory_printf("/1.0/operations/%s", id ? id : "");

			if (id && lxd_is_on(one, instance))
				lxd_wait(cloud, operation, stop, NULL, &outcome, &ignored); /* however it ends, it ends */
			free(operation);
			free(id);
			jv_free(one);
		}
	jv_free(all);
	return stop_check(stop, err);
}
