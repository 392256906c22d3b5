/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/container/daemon.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/fields.h"

enum { PULL_S = 30 * 60 };

/* --- fields --- */

static enum daemon_pull
daemon_read_pull(struct cloud *cloud)
{
	static const char *const words[] = {"never", "missing", "always"};
	const char *word = cloud_field(cloud, "pull");

	for (unsigned i = 0; word && i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum daemon_pull)i;
	if (word)
		fields_problem(cloud, "pull", "expected never, missing or always");
	return DAEMON_NEVER;
}

void
daemon_open(struct cloud *cloud, struct client_settings *settings)
{
	struct daemon *daemon = memory_zeroed(1, sizeof *daemon);

	laboratory_open(cloud, &daemon->laboratory);
	daemon->laboratory.base = laboratory_read_daemon(cloud, settings, "unix:///run/podman/podman.sock");
	daemon->pull = daemon_read_pull(cloud);
	daemon->network = cloud_field(cloud, "network");
	daemon->restart = cloud_field(cloud, "restart");
	daemon->command = place_strings(&cloud->fields, "command", &cloud->arena);
	daemon->capabilities = place_strings(&cloud->fields, "capabilities", &cloud->arena);
	daemon->privileged = place_boolean(&cloud->fields, "privileged", false);
	cloud->state = daemon;
}

/* --- requests --- */

int
daemon_ask(const struct cloud *cloud, const struct daemon_request *request, const struct stop *stop, struct client_answer *answer,
    jv *out, struct error *err)
{
	const struct daemon *daemon = cloud->state;
	char *url = memory_printf("%s%s", daemon->laboratory.base, request->path);
	struct client_request sent = {.method = request->method, .url = url, .type = request->type, .body = request->body,
	    .length = request->length, .member = request->member, .repeatable = !request->once};
	int result = client_ask(cloud->client, &sent, stop, answer, out, err);

	free(url);
	return result;
}

int
daemon_do(const struct cloud *cloud, const char *method, const char *path, const struct stop *stop, long *status, jv *out,
    struct error *err)
{
	const struct daemon_request request = {.method = method, .path = path};
	struct client_answer answer = {.wait_ms = -1};
	int result = daemon_ask(cloud, &request, stop, &answer, out, err);

	*status = answer.status;
	client_answer_release(&answer);
	return result;
}

int
daemon_list(const struct cloud *cloud, const char *path, const char *member, const struct stop *stop, jv *out, struct error *err)
{
	const struct daemon_request request = {.method = "GET", .path = path, .member = member};
	struct client_answer answer = {.wait_ms = -1};
	int result = daemon_ask(cloud, &request, stop, &answer, out, err);

	client_answer_release(&answer);
	return result;
}

int
daemon_ensure(const struct cloud *cloud, const char *method, const char *path, long well, const struct stop *stop, struct error *err)
{
	long status;
	int result = daemon_do(cloud, method, path, stop, &status, NULL, err);

	return result < 0 && status == well ? 0 : result;
}

int
daemon_post(const struct cloud *cloud, const char *path, jv document, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err)
{
	struct daemon_request request = {.method = "POST", .path = path, .once = true};
	struct buffer text = {0};
	int result;

	json_dump(document, &text);
	request.body = buffer_string(&text);
	request.length = text.length;
	result = daemon_ask(cloud, &request, stop, answer, out, err);
	buffer_release(&text);
	return result;
}

/* Fails with the last error in what the daemon has told of a pull, a JSON object a line: its status was sent before it began. */
static int
daemon_pull_failed(const char *image, const struct buffer *told, struct error *err)
{
	struct error ignored;
	int result = 0;

	for (const char *line = buffer_string(told); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *text = NULL;
		jv value;

		if (json_parse("pull", line, strcspn(line, "\n"), &value, &ignored) < 0)
			continue;
		text = json_get_string(value, "error");
		if (text)
			result = error_set(err, EX_CONFIG, "image %s cannot be pulled: %.400s", image, text);
		free(text);
		jv_free(value);
	}
	return result;
}

int
daemon_pull(const struct cloud *cloud, const char *image, const struct stop *stop, struct error *err)
{
	const struct daemon *daemon = cloud->state;
	const char *name = strrchr(image, '/');
	/* Without a tag, all of them would be fetched. */
	const char *tag = strpbrk(name ? name : image, ":@") ? "" : "&tag=latest";
	char *escaped = client_escape(image), *url = memory_printf("%s/images/create?fromImage=%s%s", daemon->laboratory.base, escaped, tag);
	const struct client_request request = {.method = "POST", .url = url, .repeatable = true, .answer_s = PULL_S};
	struct client_answer answer = {.wait_ms = -1};
	int result = client_send(cloud->client, &request, stop, &answer, err);

	if (result == 0 && answer.status / 100 != 2)
		result = client_refused(&request, &answer, err);
	else if (result == 0)
		result = daemon_pull_failed(image, &answer.body, err);
	client_answer_release(&answer);
	free(url);
	free(escaped);
	return result;
}
