/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/google/account.h"
#include "cloud/google/token.h"
#include "cloud/intent.h"
#include "cloud/pace.h"

void
google_release(struct google_reply *reply)
{
	jv_free(reply->value);
	arena_release(&reply->arena);
	client_answer_release(&reply->answer);
	*reply = GOOGLE_REPLY_NONE;
}

const char *
google_last_part(const char *url, struct arena *arena)
{
	const char *slash = url ? strrchr(url, '/') : NULL;

	return url ? arena_string(arena, slash ? slash + 1 : url) : NULL;
}

/* Requests that are too many are refused with 403 or 429, and these reasons. */
static bool
google_is_throttled(const char *reason)
{
	return reason && (strcmp(reason, "rateLimitExceeded") == 0 || strcmp(reason, "userRateLimitExceeded") == 0 || strcmp(reason, "RATE_LIMIT_EXCEEDED") == 0);
}

int
google_error_code(const char *reason, int otherwise)
{
	static const struct {
		const char *reason; /* or how it begins */
		int code;
	} codes[] = {{"ZONE_RESOURCE_POOL_EXHAUSTED", CLOUD_NO_CAPACITY}, {"RESOURCE_POOL_EXHAUSTED", CLOUD_NO_CAPACITY}, {"STOCKOUT", CLOUD_NO_CAPACITY},
	    {"IP_SPACE_EXHAUSTED", CLOUD_NO_CAPACITY}, {"quotaExceeded", CLOUD_NO_QUOTA}, {"QUOTA_EXCEEDED", CLOUD_NO_QUOTA}, {"LIMIT_EXCEEDED", CLOUD_NO_QUOTA},
	    {"limitExceeded", CLOUD_NO_QUOTA}, {"PERMISSIONS_ERROR", EX_NOPERM}, {"FORBIDDEN", EX_NOPERM}, {"INVALID_", EX_CONFIG}, {"BAD_REQUEST", EX_CONFIG},
	    {"RESOURCE_NOT_FOUND", EX_CONFIG}, {"CONDITION_NOT_MET", EX_CONFIG}, {"UNSUPPORTED_OPERATION", EX_CONFIG}, {"resourceNotReady", EX_TEMPFAIL},
	    {"resourceInUse", EX_TEMPFAIL}};

	if (google_is_throttled(reason))
		return EX_TEMPFAIL;
	for (size_t i = 0; reason && i < sizeof codes / sizeof *codes; i++)
		if (strncmp(reason, codes[i].reason, strlen(codes[i].reason)) == 0)
			return codes[i].code;
	return otherwise;
}

/* Returns the reason of an error, {"error": {"errors": [{"reason": ...}]}}, in the arena; NULL where there is none. */
static const char *
google_reason(jv answer, struct arena *arena)
{
	jv error = json_get(answer, "error"), list = json_get(error, "errors"), first = json_element(list, 0);
	const char *reason = json_arena_string(first, "reason", arena);

	jv_free(first);
	jv_free(list);
	jv_free(error);
	return reason;
}

/* Adds to an error the reason that the answer has for it, and sets its code by that. */
static void
google_read_reason(struct google_reply *reply, struct error *err)
{
	struct error ignored;

	if (reply->answer.body.length > 0 && *reply->answer.body.data == '{' &&
	    json_parse("answer", reply->answer.body.data, reply->answer.body.length, &reply->value, &ignored) == 0)
		reply->reason = google_reason(reply->value, &reply->arena);
	if (reply->reason) {
		err->code = google_error_code(reply->reason, err->code);
		error_prefix(err, "%s", reply->reason);
	}
}

static int
google_send(const struct cloud *cloud, struct client_request *request, const struct stop *stop, struct google_reply *reply, struct error *err)
{
	const char *token = google_token(cloud, stop, &reply->arena, err);
	int result;

	if (!token)
		return -1;
	arguments_push(&request->headers, arena_printf(&reply->arena, "Authorization: Bearer %s", token));
	result = client_ask(cloud->client, request, stop, &reply->answer, &reply->value, err);
	arguments_release(&request->headers);
	request->headers = (struct arguments){0};
	if (result < 0 && reply->answer.status && reply->answer.status / 100 != 2)
		google_read_reason(reply, err);
	if (result < 0 && reply->answer.status == 401)
		google_token_drop(cloud, token);
	return result;
}

int
google_ask(const struct cloud *cloud, const char *method, const char *path, const jv *body, bool repeatable, const struct stop *stop,
    struct google_reply *reply, struct error *err)
{
	const struct google_account *account = cloud->state;
	const char *parent = strncmp(path, "projects/", strlen("projects/")) == 0 ? strstr(account->root, "projects/") : NULL;
	char *url = memory_printf("%.*s%s", parent ? (int)(parent - account->root) : (int)strlen(account->root), account->root, path);
	struct buffer text = {0};
	struct client_request request = {.method = method, .url = url, .repeatable = repeatable, .member = "kind"};
	bool renewed = false;
	int result = -1;

	if (body)
		json_dump(*body, &text);
	request.body = body ? buffer_string(&text) : NULL;
	request.length = text.length;
	for (unsigned number = 1;; number++) {
		google_release(reply);
		result = google_send(cloud, &request, stop, reply, err);
		if (result == 0 || number == CLIENT_TRIES)
			break;
		if (reply->answer.status == 401 && !renewed)
			renewed = true; /* the token was taken back before its time */
		else if (reply->answer.status != 403 || !google_is_throttled(reply->reason) || stop_sleep(stop, pace_backoff_ms(number), err) < 0)
			break;
	}
	buffer_release(&text);
	free(url);
	return result;
}

int
google_pages(const struct cloud *cloud, const struct google_list *list, const struct stop *stop, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	char *page = NULL;
	int result;

	do {
		char *token = client_escape(page ? page : ""), *path = memory_printf("%s%s%s", list->path, page ? "&pageToken=" : "", token);

		free(page);
		page = NULL;
		result = google_ask(cloud, "GET", path, NULL, true, stop, &reply, err);
		if (result == 0)
			result = list->read(cloud, reply.value, list->data, err);
		if (result == 0)
			page = json_get_string(reply.value, "nextPageToken");
		free(path);
		free(token);
	} while (page && *page);
	free(page);
	google_release(&reply);
	return result < 0 ? -1 : 0;
}

/* --- lists of all zones --- */

static int
google_read_zone(const struct cloud *cloud, const char *name, jv zone, const char *kind,
    int (*read)(const struct cloud *cloud, jv one, void *data, struct error *err), void *data, struct error *err)
{
	jv list = json_get(zone, kind), warning = json_get(zone, "warning");
	char *code = json_get_string(warning, "code");
	int result = 0;

	if (code && strcmp(code, "NO_RESULTS_ON_PAGE") != 0)
		result = error_set(err, EX_TEMPFAIL, "Google cannot list the %s of %s: %s", kind, name, code);
	for (size_t i = 0; result == 0 && i < json_length(list); i++) {
		jv one = json_element(list, i);

		result = read(cloud, one, data, err);
		jv_free(one);
	}
	free(code);
	jv_free(warning);
	jv_free(list);
	return result;
}

int
google_read_zones(const struct cloud *cloud, jv answer, const char *kind, int (*read)(const struct cloud *cloud, jv one, void *data, struct error *err),
    void *data, struct error *err)
{
	jv items = json_get(answer, "items"), unreachable = json_get(answer, "unreachables");
	int result = 0;

	if (json_length(unreachable) > 0)
		result = error_set(err, EX_TEMPFAIL, "Google cannot list the %s of all zones now", kind);
	else if (jv_get_kind(items) != JV_KIND_OBJECT)
		result = error_set(err, EX_TEMPFAIL, "Google's answer has no list of %s", kind);
	if (jv_get_kind(items) == JV_KIND_OBJECT) {
		jv_object_foreach(items, name, zone) {
			if (result == 0)
				result = google_read_zone(cloud, json_string(name), zone, kind, read, data, err);
			jv_free(zone);
			jv_free(name);
		}
	}
	jv_free(unreachable);
	jv_free(items);
	return result;
}

/* --- names of requests --- */

const char *
google_request_id(const char *token, struct arena *arena)
{
	struct intent drawn = {.token = NULL};

	if (!token) {
		intent_draw(&drawn, arena);
		token = drawn.token;
	}
	return arena_printf(arena, "%.8s-%.4s-4%.3s-8%.3s-%.12s", token, token + 8, token + 13, token + 17, token + 20);
}
