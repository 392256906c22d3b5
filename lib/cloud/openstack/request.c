/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/openstack/request.h"

#include <stdlib.h>
#include <string.h>

#include "cloud/openstack/keystone.h"

static const char *const openstack_types[OPENSTACK_SERVICES] = {"compute", "network", "image", "block-storage"};

static int
openstack_send(struct cloud *cloud, const struct openstack_session *session, const struct openstack_request *request, const struct stop *stop,
    struct client_answer *answer, jv *out, struct error *err)
{
	char *url = memory_printf("%s%s", session->urls[request->service], request->path);
	struct client_request sent = {.method = request->method, .url = url, .repeatable = request->repeatable, .member = request->member};
	struct buffer text = {0};
	int result;

	if (request->has_body) {
		json_dump(request->body, &text);
		sent.body = text.data;
		sent.length = text.length;
	}
	arguments_push_all(&sent.headers, session->header, "Accept: application/json", NULL);
	if (request->header)
		arguments_push(&sent.headers, request->header);
	result = client_ask(cloud->client, &sent, stop, answer, out, err);
	arguments_release(&sent.headers);
	buffer_release(&text);
	free(url);
	return result;
}

int
openstack_ask(struct cloud *cloud, const struct openstack_request *request, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err)
{
	const struct openstack_session *session = NULL;
	int result;

	if (out)
		*out = jv_invalid();
	for (unsigned number = 1;; number++) {
		session = keystone_session(cloud, session, stop, err);
		if (!session)
			return -1;
		if (!session->urls[request->service])
			return error_set(err, EX_UNAVAILABLE, "the cloud's catalogue has no service of type %s", openstack_types[request->service]);
		result = openstack_send(cloud, session, request, stop, answer, out, err);
		/* A token lives for hours only, and a service that refuses it has done nothing. */
		if (result == 0 || answer->status != 401 || number == 2)
			return result;
		if (out) {
			jv_free(*out);
			*out = jv_invalid();
		}
	}
}

int
openstack_do(struct cloud *cloud, enum openstack_service service, const char *method, const char *path, jv body, bool repeatable,
    const struct stop *stop, long *status, struct error *err)
{
	const struct openstack_request request = {.service = service, .method = method, .path = path, .body = body, .has_body = jv_is_valid(body),
	    .repeatable = repeatable};
	struct client_answer answer = {.wait_ms = -1};
	int result = openstack_ask(cloud, &request, stop, &answer, NULL, err);

	*status = answer.status;
	client_answer_release(&answer);
	jv_free(body);
	return result;
}

int
openstack_delete(struct cloud *cloud, enum openstack_service service, const char *path, const struct stop *stop, long *status, struct error *err)
{
	int result = openstack_do(cloud, service, "DELETE", path, jv_invalid(), true, stop, status, err);

	return *status == 404 ? 0 : result;
}

/* Returns the id of the last element of a page where another page follows, which the caller frees; else NULL. */
static char *
openstack_next(const struct openstack_list *list, jv out, jv page)
{
	char *links_name = memory_printf("%s_links", list->member), *next = json_get_string(out, "next"), *marker = NULL;
	jv links = json_get(out, links_name);

	if ((next || json_array_has(links, "rel", "next")) && json_length(page) > 0) {
		jv last = json_element(page, json_length(page) - 1);

		marker = json_get_string(last, "id");
		jv_free(last);
	}
	jv_free(links);
	free(next);
	free(links_name);
	return marker;
}

/* Reads a page, and sets *marker to where the next one begins, or to NULL. */
static int
openstack_page(struct cloud *cloud, const struct openstack_list *list, char **marker, const struct stop *stop, long *status, struct error *err)
{
	char *escaped = *marker ? client_escape(*marker) : NULL;
	char *path = escaped ? memory_printf("%s%cmarker=%s", list->path, strchr(list->path, '?') ? '&' : '?', escaped) : memory_string(list->path);
	struct openstack_request request = {.service = list->service, .method = "GET", .path = path, .header = list->header,
	    .member = list->member, .repeatable = true};
	struct client_answer answer = {.wait_ms = -1};
	jv out, page;
	int result = openstack_ask(cloud, &request, stop, &answer, &out, err);

	free(*marker);
	*marker = NULL;
	*status = answer.status;
	if (result == 0) {
		page = json_get(out, list->member);
		if ((result = list->read(page, list->data, err)) == 0)
			*marker = openstack_next(list, out, page);
		jv_free(page);
	} else if (escaped && (answer.status == 400 || answer.status == 404)) {
		result = 1;
	}
	jv_free(out);
	client_answer_release(&answer);
	free(path);
	free(escaped);
	return result;
}

int
openstack_pages(struct cloud *cloud, const struct openstack_list *list, const struct stop *stop, long *status, struct error *err)
{
	char *marker = NULL;
	int result;

	do
		result = openstack_page(cloud, list, &marker, stop, status, err);
	while (result == 0 && marker);
	return result;
}

int
openstack_list(struct cloud *cloud, const struct openstack_list *list, const struct stop *stop, struct error *err)
{
	long status;
	int result = openstack_pages(cloud, list, stop, &status, err);

	return result > 0 ? error_set(err, EX_TEMPFAIL, "GET %s: the list has changed while it was read", list->path) : result;
}

static int
openstack_keep(jv page, void *data, struct error *err)
{
	(void)err;
	*(jv *)data = jv_copy(page);
	return 0;
}

jv
openstack_get(struct cloud *cloud, enum openstack_service service, const char *path, const char *member, const struct stop *stop,
    struct error *err)
{
	jv value = jv_invalid();
	struct openstack_list list = {.service = service, .path = path, .member = member, .read = openstack_keep, .data = &value};
	char *marker = NULL;
	long status;

	openstack_page(cloud, &list, &marker, stop, &status, err);
	free(marker);
	return value;
}
