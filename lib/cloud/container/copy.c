/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/container/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/container/daemon.h"
#include "json/json.h"

#define TAG_COPY "coopr-copy" /* a label of the container: for this installation */
#define COPY_SUFFIX ".copy"

enum { COPY_POLL_MS = 200, EXITED_WELL = 0 };

/* Empties the one folder, of what an attempt that was cut off has left, and copies all from the other, with owners and modes. */
static const char copy_script[] =
    "cd /to && rm -rf ./* ./.[!.]* ./..?* && cp -a /from/. /to/ && sync";

struct copy {
	struct cloud *cloud;
	const char *from, *to;
	const char *image;
	const struct stop *stop;
	char *path; /* of its container */
};

static jv
copy_body(const struct copy *copy)
{
	static const char *const command[] = {"/bin/sh", "-c", copy_script};
	char *from = memory_printf("%s:/from:ro", copy->from), *to = memory_printf("%s:/to", copy->to);
	const char *const binds[] = {from, to};
	jv body = jv_object(), host = jv_object(), labels = jv_object();

	json_set_string(&labels, TAG_COPY, copy->cloud->installation);
	json_set(&host, "Binds", json_strings(binds, 2));
	json_set_string(&host, "NetworkMode", "none");
	json_set_string(&body, "Image", copy->image);
	json_set_string(&body, "User", "root");
	json_set(&body, "Entrypoint", json_strings(command, 3));
	json_set(&body, "Labels", labels);
	json_set(&body, "HostConfig", host);
	free(from);
	free(to);
	return body;
}

/* Sends a request to the container that copies to a volume. */
static int
copy_do(const struct copy *copy, const char *method, const char *rest, long well, struct error *err)
{
	char *path = memory_printf("%s%s", copy->path, rest);
	int result = daemon_ensure(copy->cloud, method, path, well, copy->stop, err);

	free(path);
	return result;
}

/* Waits until the container has ended. */
static int
copy_wait(const struct copy *copy, struct error *err)
{
	char *path = memory_printf("%s/json", copy->path);
	int done = 0;

	while (done == 0) {
		jv out, state;
		long status;
		char *word;

		done = daemon_do(copy->cloud, "GET", path, copy->stop, &status, &out, err);
		state = json_get(out, "State");
		word = json_get_string(state, "Status");
		if (done == 0 && word && (strcmp(word, "exited") == 0 || strcmp(word, "stopped") == 0))
			done = json_get_number(state, "ExitCode", 1) == EXITED_WELL ? 1
			    : error_set(err, EX_TEMPFAIL, "volume %s cannot be copied to %s: cp has failed; the daemon's log of %s says why", copy->from, copy->to, path);
		free(word);
		jv_free(state);
		jv_free(out);
		if (done == 0)
			done = stop_sleep(copy->stop, COPY_POLL_MS, err);
	}
	free(path);
	return done < 0 ? -1 : 0;
}

static int
copy_create(const struct copy *copy, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	char *path = memory_printf("/containers/create?name=%s" COPY_SUFFIX, copy->to);
	jv body = copy_body(copy);
	int result = daemon_post(copy->cloud, path, body, copy->stop, &answer, NULL, err);

	client_answer_release(&answer);
	jv_free(body);
	free(path);
	return result;
}

static int
copy_delete(const struct copy *copy, struct error *err)
{
	return copy_do(copy, "DELETE", "?force=true", 404, err);
}

int
container_copy(struct cloud *cloud, const char *from, const char *to, const char *image, const struct stop *stop, struct error *err)
{
	struct copy copy = {.cloud = cloud, .from = from, .to = to, .image = image, .stop = stop, .path = memory_printf("/containers/%s" COPY_SUFFIX, to)};
	struct error ignored;
	int result = copy_delete(&copy, err);

	if (result == 0)
		result = copy_create(&copy, err);
	if (result == 0)
		result = copy_do(&copy, "POST", "/start", 304, err) < 0 || copy_wait(&copy, err) < 0 ? -1 : 0;
	if (copy_delete(&copy, result == 0 ? err : &ignored) < 0)
		result = -1;
	free(copy.path);
	return result;
}

int
container_copy_stop(struct cloud *cloud, const char *to, const struct stop *stop, struct error *err)
{
	struct copy copy = {.cloud = cloud, .stop = stop, .path = memory_printf("/containers/%s" COPY_SUFFIX, to)};
	int result = copy_delete(&copy, err);

	free(copy.path);
	return result;
}
