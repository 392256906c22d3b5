/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answer.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"
#include "content/content.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "http/printed.h"
#include "json/json.h"
#include "json/pick.h"
#include "login/provider.h"
#include "web/openapi.h"
#include "web/problem.h"
#include "web/route.h"

static void
answer_begin(struct http_exchange *exchange, int status, const char *type)
{
	exchange->answer.status = status;
	exchange->answer.type = type;
}

/* Makes lines of JSON the list of an object. */
static void
answer_records(const struct route *route, struct http_exchange *exchange, const struct buffer *lines)
{
	struct printed_list list = {.fields = route_fields(route, exchange)};

	answer_begin(exchange, 200, "application/json");
	printed_add_lines(&list, buffer_string(lines), lines->length, &exchange->answer.body);
	printed_end_list(&list, &exchange->answer.body);
}

static void
answer_record(const struct route *route, struct http_exchange *exchange, const struct buffer *line)
{
	const char *fields = route_fields(route, exchange);

	answer_begin(exchange, 200, "application/json");
	if (!fields) {
		buffer_append(&exchange->answer.body, line->data, line->length);
		return;
	}
	pick_members(fields, buffer_string(line), line->length, &exchange->answer.body);
	buffer_byte(&exchange->answer.body, '\n');
}

/* Returns whether there is one line of JSON, and not several: one for each node, say. */
static bool
answer_is_one(const struct buffer *lines)
{
	const char *end = lines->length ? strchr(buffer_string(lines), '\n') : NULL;

	return end && end[1] == '\0';
}

/* Tells where the cluster of an operation is, whose job is called after it; or what a preview has shown: its plan. */
static void
answer_begun(const struct route *route, struct http_exchange *exchange, const struct buffer *lines)
{
	struct error err;
	char *job = NULL, *where;
	jv record;

	if (json_parse("the answer", buffer_string(lines), lines->length, &record, &err) == 0) {
		job = json_get_string(record, "job");
		jv_free(record);
	}
	if (!job) {
		answer_records(route, exchange, lines);
		return;
	}
	answer_begin(exchange, 202, "application/json");
	buffer_append(&exchange->answer.body, lines->data, lines->length);
	where = memory_printf("/v1/clusters/%.*s", (int)strcspn(job, "-"), job);
	http_field_add(exchange, &exchange->answer.headers, "Location", where);
	free(where);
	free(job);
}

void
answer_tag(struct http_exchange *exchange)
{
	char digest[CONTENT_DIGEST_SIZE], tag[CONTENT_DIGEST_SIZE + 2];

	content_digest(exchange->answer.body.data, exchange->answer.body.length, digest);
	snprintf(tag, sizeof tag, "\"%s\"", digest);
	http_field_add(exchange, &exchange->answer.headers, "ETag", tag);
}

/* Reads one range of bytes: "bytes=FROM-TO", "bytes=FROM-" or "bytes=-LAST". *to is behind its last byte. What is anything else is ignored, as
 * RFC 9110 has it. */
static bool
answer_read_range(const char *text, uint64_t length, uint64_t *from, uint64_t *to)
{
	bool is_end = text && strncmp(text, "bytes=-", strlen("bytes=-")) == 0;
	unsigned long long first, last = ULLONG_MAX;
	char *end;

	if (!text || strncmp(text, "bytes=", strlen("bytes=")) != 0 || !isdigit((unsigned char)text[strlen("bytes=") + is_end]))
		return false;
	first = strtoull(text + strlen("bytes=") + is_end, &end, 10);
	if (!is_end && *end++ != '-')
		return false;
	if (!is_end && isdigit((unsigned char)*end))
		last = strtoull(end, &end, 10);
	*from = is_end ? length - (first < length ? first : length) : first < length ? first : length;
	*to = is_end || last >= length ? length : last + 1;
	return !*end && (is_end ? first > 0 : last >= first);
}

/* Sends of what is known as a whole only the range that is asked for. */
static void
answer_range(struct http_exchange *exchange)
{
	const char *condition = http_field_find(&exchange->headers, "If-Range"), *tag = http_field_find(&exchange->answer.headers, "ETag");
	uint64_t from, to, length = http_answer_length(&exchange->answer);
	char *place;

	if (exchange->answer.status != 200 || !length || !tag || (condition && strcmp(condition, tag) != 0) ||
	    !answer_read_range(http_field_find(&exchange->headers, "Range"), length, &from, &to))
		return;
	if (from < length) {
		exchange->answer.status = 206;
		http_answer_cut(&exchange->answer, from, to);
		place = memory_printf("bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, from, to - 1, length);
	} else {
		exchange->answer.status = 416;
		http_answer_cut(&exchange->answer, 0, 0);
		place = memory_printf("bytes */%" PRIu64, length);
	}
	http_field_add(exchange, &exchange->answer.headers, "Content-Range", place);
	free(place);
}

void
answer_spare(struct http_exchange *exchange)
{
	const char *known = http_field_find(&exchange->headers, "If-None-Match");
	const char *tag = http_field_find(&exchange->answer.headers, "ETag");

	if (!known || !tag || (strcmp(known, "*") != 0 && !strstr(known, tag))) {
		answer_range(exchange);
		return;
	}
	answer_begin(exchange, 304, NULL);
	http_answer_cut(&exchange->answer, 0, 0);
}

/* Takes status and type from before the body. Returns false where they are not there. */
static bool
answer_whole(struct http_exchange *exchange, const struct buffer *out)
{
	char type[PRINTED_TYPE_SIZE];
	int status;
	size_t head = printed_read_head(out, &status, type);

	if (!head)
		return false;
	answer_begin(exchange, status, *type ? arena_string(&exchange->arena, type) : NULL);
	buffer_append(&exchange->answer.body, out->data + head, out->length - head);
	return true;
}

/* Returns whether the exit code says what was found, "unhealthy" or "no layout", rather than that nothing could be done. */
static bool
answer_finds(const struct route *route)
{
	return strcmp(route->method, "GET") == 0 || (route->body == ROUTE_DOCUMENT && !route->fixed && route->answer == ROUTE_RECORDS);
}

/* Answers a provisioner with the statuses that Coopr's expect. */
static void
answer_errand(const struct route *route, struct http_exchange *exchange, int code, const struct child *child)
{
	static const struct {
		int code, status;
	} known[] = {{EX_NO, 404}, {EX_DATAERR, 400}, {EX_TEMPFAIL, 417}, {EX_NOPERM, 403}};
	bool looks = strcmp(route->method, "GET") == 0;
	int status = 500;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].code == code)
			status = known[i].status;
	if (code != 0) {
		problem_answer_status(exchange, status, code, &child->err);
		return;
	}
	if (!looks && child->out.length == 0)
		answer_begin(exchange, 204, NULL);
	else
		answer_begin(exchange, 200, looks ? "application/octet-stream" : "application/json");
	buffer_append(&exchange->answer.body, child->out.data, child->out.length);
}

/* Answers with what has gone to a file. */
static void
answer_much(struct printed *output, struct http_exchange *exchange)
{
	const char *reason = printed_give(output, exchange);

	if (reason)
		problem_answer(exchange, 503, reason);
}

void
answer_call(const struct route *route, struct http_exchange *exchange, const struct child *child, struct printed *output)
{
	int code = process_exit_code(child->wait_status);
	bool finds = code == 0 || (answer_finds(route) && (child->out.length > 0 || output));
	bool is_text = route_is_text(route, exchange);
	bool looks = strcmp(route->method, "GET") == 0;

	if (child->timed_out) {
		problem_answer(exchange, 504, "that has taken too long");
	} else if (code == 128 + SIGXCPU || code == EX_OSERR) {
		problem_answer(exchange, 503, "that takes more memory, or more of a processor, than a request may");
	} else if (output && (finds || child->stopped)) {
		answer_much(output, exchange);
	} else if (!output && child->out_total > child->out.length) {
		problem_answer(exchange, 500, "the answer is too large; ask for a part of it");
	} else if (route->answer == ROUTE_ERRAND) {
		answer_errand(route, exchange, code, child);
	} else if (route->answer == ROUTE_WHOLE && code == 0 && answer_whole(exchange, &child->out)) {
		return;
	} else if (route->answer == ROUTE_WHOLE) {
		problem_answer_status(exchange, 500, code, &child->err);
	} else if (!finds) {
		problem_answer_exit(exchange, code, looks, &child->err);
	} else if ((route->answer == ROUTE_DONE || route->answer == ROUTE_BEGUN) && child->out.length == 0) {
		answer_begin(exchange, 204, NULL);
	} else if (is_text || route->answer == ROUTE_BYTES) {
		answer_begin(exchange, 200, is_text ? "text/plain; charset=utf-8" : "application/octet-stream");
		buffer_append(&exchange->answer.body, child->out.data, child->out.length);
	} else if (route->answer == ROUTE_BEGUN) {
		answer_begun(route, exchange, &child->out);
	} else if (route->answer == ROUTE_RECORDS || route->answer == ROUTE_RECORDS_EVENTS || !answer_is_one(&child->out)) {
		answer_records(route, exchange, &child->out);
	} else {
		answer_record(route, exchange, &child->out);
	}
	if (route->answer == ROUTE_RECORD_ONCE)
		http_field_add(exchange, &exchange->answer.headers, "Cache-Control", "no-store");
	if (looks && exchange->answer.status == 200 && !exchange->answer.is_file)
		answer_tag(exchange);
}

/* Appends the description of the API, which is made once. */
static void
answer_openapi(struct buffer *body)
{
	static struct buffer made;

	if (!made.length)
		openapi_print(&made);
	buffer_append(body, made.data, made.length);
}

void
answer_own(const struct route *route, struct http_exchange *exchange, bool terminals)
{
	struct buffer *body = &exchange->answer.body;

	answer_begin(exchange, 200, "application/json");
	if (strcmp(route->path, "/v1/openapi.json") == 0)
		answer_openapi(body);
	else if (strcmp(route->path, "/v1/version") == 0)
		buffer_printf(body, "{\"api\":[\"v1\",\"v2\"],\"provider\":%s,\"terminal\":%s,\"version\":\"" COOPR_VERSION "\"}\n",
		    getenv(PROVIDER_SETTINGS) ? "true" : "false", terminals ? "true" : "false");
	else if (strcmp(route->path, "/status") == 0)
		buffer_text(body, "OK"), exchange->answer.type = "text/plain; charset=utf-8";
	else
		buffer_text(body, "{\"status\":\"ok\"}\n");
	answer_tag(exchange);
	answer_spare(exchange);
}
