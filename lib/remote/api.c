/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/api.h"

#include <curl/curl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/dump.h"
#include "remote/destination.h"
#include "remote/dial.h"

enum { API_ANSWER_MAX = 1 << 20, API_TIMEOUT_S = 150 /* the server itself gives a command 120 */ };

struct api_received {
	struct buffer body;
	char *session; /* that was begun, or NULL */
};

static size_t
api_keep(char *bytes, size_t size, size_t count, void *data)
{
	struct api_received *received = data;
	size_t length = size * count;

	if (received->body.length + length > API_ANSWER_MAX)
		return 0;
	buffer_append(&received->body, bytes, length);
	return length;
}

/* Keeps the session that a header sets as a cookie. */
static size_t
api_keep_session(char *line, size_t size, size_t count, void *data)
{
	static const char *const cookies[] = {"Set-Cookie: coopr=", "Set-Cookie: __Host-coopr="};
	struct api_received *received = data;
	size_t length = size * count, start = 0, end;

	for (size_t i = 0; i < sizeof cookies / sizeof *cookies; i++)
		if (length > strlen(cookies[i]) && strncasecmp(line, cookies[i], strlen(cookies[i])) == 0)
			start = strlen(cookies[i]);
	if (start == 0)
		return length;
	end = start;
	while (end < length && !strchr(";\r\n", line[end]))
		end++;
	free(received->session);
	received->session = memory_substring(line + start, end - start);
	return length;
}

static struct curl_slist *
api_headers(const struct destination *to)
{
	return dial_token(curl_slist_append(curl_slist_append(NULL, "Content-Type: application/json"), "Expect:"), to);
}

/* Reads an answer that is none of an error. */
static int
api_read(const struct destination *to, const struct api_received *received, jv *answer, struct error *err)
{
	struct error why;

	if (received->body.length == 0)
		return 0;
	jv_free(*answer);
	if (json_parse("the answer", buffer_string(&received->body), received->body.length, answer, &why) == 0)
		return 0;
	*answer = jv_null();
	return error_set(err, EX_UNAVAILABLE, "%s: it is no server of coopr: %s", to->name, why.text);
}

/* Tells libcurl where what is received goes, and how long it may take. */
static void
api_receive(CURL *curl, struct api_received *received, char *reason)
{
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)API_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, api_keep);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, received);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, api_keep_session);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, received);
}

int
api_ask(const struct destination *to, const char *method, const char *path, jv document, jv *answer, char **session, struct error *err)
{
	struct api_received received = {0};
	struct curl_slist *headers = api_headers(to);
	struct buffer body = {0};
	char reason[CURL_ERROR_SIZE] = "";
	CURL *curl = dial(to, path);
	CURLcode code;
	long status = 0;
	int result;

	*answer = jv_null();
	if (!curl) {
		curl_slist_free_all(headers);
		return error_set(err, EX_OSERR, "libcurl cannot be used");
	}
	if (jv_get_kind(document) != JV_KIND_NULL)
		json_dump(document, &body);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	if (body.length) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, buffer_string(&body));
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.length);
	}
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	api_receive(curl, &received, reason);
	code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		result = dial_failed(to, curl, code, reason, err);
	else if (status < 200 || status > 299)
		result = dial_refused(to, status, &received.body, err);
	else
		result = api_read(to, &received, answer, err);
	curl_easy_cleanup(curl);
	curl_slist_free_all(headers);
	if (body.data)
		sodium_memzero(body.data, body.length);
	buffer_release(&body);
	buffer_release(&received.body);
	if (session)
		*session = received.session;
	else
		free(received.session);
	return result;
}
