/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/link.h"

#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "remote/destination.h"
#include "remote/dial.h"
#include "remote/frame.h"

enum {
	LINK_SILENCE_MS = 60 * 1000, /* the server gives a sign of life more often */
	LINK_WAIT_MS = 5 * 1000,
	LINK_AGAIN_MS = 200, /* then what the command had no room for is told again */
	LINK_ANSWER_MAX = 64 << 10, /* of one that is no stream of frames */
	LINK_DESCRIPTORS = 4,
};

struct link {
	const struct destination *to;
	CURLM *multi;
	CURL *run, *tell; /* tell NULL: nothing is on its way */
	struct curl_slist *headers;
	char reason[CURL_ERROR_SIZE];
	link_receive *receive;
	void *context;
	struct buffer said;         /* by a server that refuses */
	struct buffer sending, next; /* what is told, and is to be told then */
	int64_t tell_ms; /* not before */
	char *tell_path;
	int64_t heard_ms; /* when the server was last heard */
};

static bool
link_streams(const struct link *link)
{
	long status = 0;

	curl_easy_getinfo(link->run, CURLINFO_RESPONSE_CODE, &status);
	return status == 200;
}

static size_t
link_received(char *bytes, size_t size, size_t count, void *data)
{
	struct link *link = data;
	size_t length = size * count;

	link->heard_ms = clock_monotonic_ms();
	if (link_streams(link))
		link->receive(link->context, bytes, length);
	else if (link->said.length + length <= LINK_ANSWER_MAX)
		buffer_append(&link->said, bytes, length);
	return length;
}

static size_t
link_ignore(char *bytes, size_t size, size_t count, void *data)
{
	(void)bytes;
	(void)data;
	return size * count;
}

/* Returns a request to the server. */
static CURL *
link_request(struct link *link, const char *path, const struct buffer *body)
{
	CURL *curl = dial(link->to, path);

	if (!curl)
		return NULL;
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, buffer_string(body));
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->length);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, link->headers);
	return curl;
}

static void
link_add_headers(struct link *link)
{
	link->headers = curl_slist_append(link->headers, "Content-Type: " FRAME_TYPE);
	link->headers = curl_slist_append(link->headers, "Expect:");
	link->headers = dial_token(link->headers, link->to);
}

int
link_open(struct link **out, const struct destination *destination, const struct buffer *body, link_receive *receive, void *context,
    struct error *err)
{
	struct link *link = memory_zeroed(1, sizeof *link);

	*out = link;
	link->to = destination;
	link->heard_ms = clock_monotonic_ms();
	link->receive = receive;
	link->context = context;
	link->multi = curl_multi_init();
	link_add_headers(link);
	link->run = link_request(link, "/v1/run", body);
	if (!link->multi || !link->run)
		return error_set(err, EX_OSERR, "libcurl cannot be used");
	curl_easy_setopt(link->run, CURLOPT_ERRORBUFFER, link->reason);
	curl_easy_setopt(link->run, CURLOPT_WRITEFUNCTION, link_received);
	curl_easy_setopt(link->run, CURLOPT_WRITEDATA, link);
	curl_multi_add_handle(link->multi, link->run);
	return 0;
}

static void
link_start_telling(struct link *link)
{
	struct buffer sent = link->sending;

	if (link->tell || link->next.length == 0 || clock_monotonic_ms() < link->tell_ms)
		return;
	buffer_clear(&sent);
	link->sending = link->next;
	link->next = sent;
	link->tell = link_request(link, link->tell_path, &link->sending);
	if (!link->tell)
		return;
	curl_easy_setopt(link->tell, CURLOPT_WRITEFUNCTION, link_ignore);
	curl_easy_setopt(link->tell, CURLOPT_TIMEOUT_MS, (long)LINK_SILENCE_MS);
	curl_multi_add_handle(link->multi, link->tell);
}

void
link_tell(struct link *link, const char *name, const struct buffer *frames)
{
	if (!link->tell_path)
		link->tell_path = memory_printf("/v1/run/%s", name);
	buffer_append(&link->next, frames->data, frames->length);
	link_start_telling(link);
}

bool
link_is_telling(const struct link *link)
{
	return link->tell || link->next.length > 0;
}

/* Tells what a server has said that does not run the command. */
static int
link_refused(const struct link *link, long status, struct error *err)
{
	struct error said;

	dial_refused(link->to, status, &link->said, err);
	said = *err;
	if (status == 401 && !link->to->token)
		error_set(err, EX_NOPERM, "%s: not logged in; use \"coopr login\", or set COOPR_TOKEN", link->to->name);
	else if (status == 401)
		error_set(err, EX_NOPERM, "%s; use \"coopr login\", or set COOPR_TOKEN", said.text);
	return -1;
}

/* Says how the connection has ended. A server that has got the request may have begun the command, although it has not answered. */
static int
link_judge(struct link *link, CURLcode result, struct error *err)
{
	long status = 0;

	curl_easy_getinfo(link->run, CURLINFO_RESPONSE_CODE, &status);
	if (result == CURLE_OK)
		return status == 200 ? 0 : link_refused(link, status, err);
	if (status == 200 || result == CURLE_GOT_NOTHING || result == CURLE_RECV_ERROR)
		return error_set(err, EX_UNAVAILABLE, "%s: the connection was lost before the command had ended (%s); " LINK_REMEDY,
		    link->to->name, *link->reason ? link->reason : curl_easy_strerror(result));
	return dial_failed(link->to, link->run, result, link->reason, err);
}

/* Puts what the command has no room for yet before what is to be told then. */
static void
link_tell_again(struct link *link)
{
	buffer_append(&link->sending, link->next.data, link->next.length);
	buffer_release(&link->next);
	link->next = link->sending;
	link->sending = (struct buffer){0};
	link->tell_ms = clock_monotonic_ms() + LINK_AGAIN_MS;
}

/* Takes the server's answer to what it was told. */
static void
link_end_telling(struct link *link)
{
	long status = 0;

	curl_easy_getinfo(link->tell, CURLINFO_RESPONSE_CODE, &status);
	curl_multi_remove_handle(link->multi, link->tell);
	curl_easy_cleanup(link->tell);
	link->tell = NULL;
	if (status == 503)
		link_tell_again(link);
	link_start_telling(link);
}

/* Takes note of what has ended. */
static int
link_finish(struct link *link, struct error *err)
{
	const CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(link->multi, &left))) {
		if (message->msg != CURLMSG_DONE)
			continue;
		if (message->easy_handle == link->run)
			return link_judge(link, message->data.result, err);
		link_end_telling(link);
	}
	return 1;
}

int
link_turn(struct link *link, const int *descriptors, size_t count, struct error *err)
{
	struct curl_waitfd waiting[LINK_DESCRIPTORS];
	unsigned used = 0;
	int running, result;

	curl_multi_perform(link->multi, &running);
	result = link_finish(link, err);
	if (result <= 0)
		return result;
	if (clock_monotonic_ms() - link->heard_ms > LINK_SILENCE_MS)
		return error_set(err, EX_UNAVAILABLE, "%s: nothing was heard of the server for %d s; " LINK_REMEDY,
		    link->to->name, LINK_SILENCE_MS / 1000);
	for (size_t i = 0; i < count && used < LINK_DESCRIPTORS; i++)
		if (descriptors[i] >= 0)
			waiting[used++] = (struct curl_waitfd){.fd = descriptors[i], .events = CURL_WAIT_POLLIN};
	curl_multi_poll(link->multi, waiting, used, !link->tell && link->next.length ? LINK_AGAIN_MS : LINK_WAIT_MS, NULL);
	link_start_telling(link);
	return 1;
}

void
link_close(struct link *link)
{
	if (!link)
		return;
	if (link->tell) {
		curl_multi_remove_handle(link->multi, link->tell);
		curl_easy_cleanup(link->tell);
	}
	if (link->run) {
		curl_multi_remove_handle(link->multi, link->run);
		curl_easy_cleanup(link->run);
	}
	curl_multi_cleanup(link->multi);
	curl_slist_free_all(link->headers);
	buffer_release(&link->said);
	buffer_release(&link->sending);
	buffer_release(&link->next);
	free(link->tell_path);
	free(link);
}
