/* SPDX-License-Identifier: Apache-2.0
 *
 * http-post: sends one request that hooks need, apart from the program that asks for it, so that only this one carries
 * libcurl and what a server answers. Reads {"url", "headers", "body", "timeout_s"}, and "method" where it is another; prints the status of the response on a
 * line, and what it says. Exits with 0 where there was a response, whatever it says; 65 for a wrong order, 69 if
 * there was none, with the reason on stderr.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "confine/confine.h"
#include "json/json.h"

enum { RESPONSE_BYTES = 16 * 1024, CONNECT_S = 5 };

/* Keeps RESPONSE_BYTES of a response: more is of no use to anybody. */
static size_t
http_keep(char *bytes, size_t size, size_t count, void *data)
{
	struct buffer *response = data;
	size_t length = size * count, room = RESPONSE_BYTES - response->length;

	buffer_append(response, bytes, length < room ? length : room);
	return length;
}

static struct curl_slist *
http_headers_of(jv order)
{
	jv list = json_get(order, "headers");
	struct curl_slist *headers = NULL;

	for (size_t i = 0; i < json_length(list); i++) {
		jv element = json_element(list, i);

		if (json_string(element))
			headers = curl_slist_append(headers, json_string(element));
		jv_free(element);
	}
	jv_free(list);
	return headers;
}

/* Sends body by the method (NULL: POST), and returns the status of the response, or -1 after a message. Follows no redirection: who signs a message knows who
 * gets it. */
static int
http_post(const char *url, const char *method, const char *body, struct curl_slist *headers, long timeout_s, struct buffer *response)
{
	char reason[CURL_ERROR_SIZE] = "";
	CURL *curl = curl_easy_init();
	CURLcode result;
	long status = 0;

	if (!curl)
		return -1;
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "coopr/" COOPR_VERSION);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout_s);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, timeout_s < CONNECT_S ? timeout_s : CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, http_keep);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, response);
	result = curl_easy_perform(curl);
	if (result == CURLE_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	else
		message("%s", *reason ? reason : curl_easy_strerror(result));
	curl_easy_cleanup(curl);
	return result == CURLE_OK ? (int)status : -1;
}

static int
http_act(jv order)
{
	char *url = json_get_string(order, "url"), *method = json_get_string(order, "method"), *body = json_get_string(order, "body");
	struct curl_slist *headers = http_headers_of(order);
	struct buffer response = {0};
	int status = -1;

	if (url && body)
		status = http_post(url, method, body, headers, (long)json_get_number(order, "timeout_s", 10), &response);
	else
		message("standard input: url and body are required");
	if (status >= 0) {
		printf("%d\n", status);
		fwrite(buffer_string(&response), 1, response.length, stdout);
	}
	buffer_release(&response);
	curl_slist_free_all(headers);
	free(url);
	free(method);
	free(body);
	return status >= 0 ? 0 : url && body ? EX_UNAVAILABLE : EX_DATAERR;
}

int
main(void)
{
	struct error err;
	jv order;
	int code;

	message_program("http-post");
	if (json_read_file("-", &order, &err) < 0)
		return message_error(&err);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	confine_client(NULL);

	code = http_act(order);

	jv_free(order);
	curl_global_cleanup();
	return message_end(code);
}
