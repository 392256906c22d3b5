/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/joyent/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/base64.h"
#include "cloud/joyent/account.h"
#include "cloud/signing-key.h"

enum { SKEW_MS = 60 * 1000 };

/* Adds the date and the signature over it and the request's target. */
static int
jo_sign(const struct jo_account *account, const char *method, const char *target, int64_t at_ms, struct arguments *headers, struct error *err)
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

int
jo_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, char code[JO_CODE_SIZE], struct error *err)
{
	struct jo_account *account = cloud->state;
	char *target = memory_printf("%s%s", account->path, path), *url = memory_printf("%s%s", account->url, target);
	/* What is below "/" is a list. */
	bool is_list = strcmp(method, "GET") == 0 && *path && !strchr(path + 1, '/');
	int result;

	for (bool corrected = false;; corrected = true) {
		struct client_request request = {.method = method, .url = url, .body = body, .length = body ? strlen(body) : 0,
		    .wants = "x-resource-count", .repeatable = strcmp(method, "POST") != 0, .member = is_list ? "" : NULL};
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
			jo_read_code(answer, code, JO_CODE_SIZE, err);
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

jv
jo_get(const struct cloud *cloud, const char *path, const struct stop *stop, long *status, struct error *err)
{
	struct client_answer answer = {.wait_ms = -1};
	char code[JO_CODE_SIZE];
	jv out;

	if (jo_ask(cloud, "GET", path, NULL, stop, &answer, &out, code, err) < 0) {
		jv_free(out);
		out = jv_invalid();
	}
	*status = answer.status;
	client_answer_release(&answer);
	return out;
}
