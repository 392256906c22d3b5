/* SPDX-License-Identifier: Apache-2.0 */
#include "http/listener-answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "content/incoming.h"
#include "http/caller.h"
#include "http/certificate.h"
#include "http/exchange.h"
#include "http/listener.h"

enum {
	LISTENER_PART = 32 << 10,
	LISTENER_MEMORY = 64 << 20, /* of all bodies that are not sent yet; what is larger than a part then goes to the disk */
};

/* Gives the library the next part of an answer that streams; suspends the connection where there is none. */
static ssize_t
listener_read(void *context, uint64_t position, char *part, size_t size)
{
	struct http_exchange *exchange = context;
	struct http_answer *answer = &exchange->answer;
	const struct listener_options *options = caller_of(exchange)->callers->options;
	size_t length = answer->body.length - answer->sent;

	(void)position;
	if (exchange->has_gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (length == 0 && answer->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (length == 0) {
		caller_suspend(exchange);
		return 0;
	}
	if (length > size)
		length = size;
	memcpy(part, answer->body.data + answer->sent, length);
	answer->sent += length;
	if (answer->sent == answer->body.length) {
		buffer_clear(&answer->body);
		answer->sent = 0;
		if (!answer->ended && options->drained)
			options->drained(options->context, exchange);
	}
	return (ssize_t)length;
}

/* Moves a body to the disk, where those that are not read yet take too much memory. */
static void
listener_spare_memory(struct http_exchange *exchange)
{
	struct callers *callers = caller_of(exchange)->callers;
	struct http_answer *answer = &exchange->answer;
	struct error ignored; /* then it stays */
	int fd = -1;

	if (answer->streams || answer->is_file)
		return;
	if (answer->body.length > LISTENER_PART && callers->answering > LISTENER_MEMORY)
		fd = incoming_file(&ignored);
	if (fd >= 0 && file_write_all(fd, answer->body.data, answer->body.length) == 0) {
		answer->is_file = true;
		answer->fd = fd;
		answer->length = answer->body.length;
		buffer_release(&answer->body);
		return;
	}
	if (fd >= 0)
		close(fd);
	exchange->in_memory = answer->body.length;
	callers->answering += exchange->in_memory;
}

/* Returns the body of an answer, which the exchange owns until its connection has sent it; a file is closed then. */
static struct MHD_Response *
listener_response(struct http_exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	struct MHD_Response *response;

	if (answer->streams)
		return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, LISTENER_PART, listener_read, exchange, NULL);
	if (!answer->is_file)
		return MHD_create_response_from_buffer(answer->body.length, answer->body.data, MHD_RESPMEM_PERSISTENT);
	response = MHD_create_response_from_fd_at_offset64(answer->length, answer->fd, answer->from);
	if (response)
		answer->fd = -1;
	return response;
}

/* What every answer says unless it says otherwise: only who has asked keeps it, and asks again whether it is still so; a browser takes
 * it for nothing but its type, runs and shows nothing of it, gives it to no page of another origin, be it of the same site, and tells no other site where it was. */
static const struct http_field listener_guards[] = {
	{"Cache-Control", "private, no-cache"},
	{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
};

/* Returns whether what was asked for by that name is the machine of whoever asks: its other servers are none of this one's. */
static bool
listener_is_localhost(const char *host, size_t length)
{
	static const char own[] = "localhost";
	size_t size = sizeof own - 1;

	return length >= size && strncasecmp(host + length - size, own, size) == 0 && (length == size || host[length - size - 1] == '.');
}

/* Tells a browser to come to this host by TLS alone, and to let nobody pass by a certificate that is wrong (RFC 6797). An address is no such
 * host to a browser. One that signs its certificate itself will have another one day, which nobody could let pass then. */
static void
listener_add_tls_only(const struct http_exchange *exchange, struct MHD_Response *response)
{
	const struct listener_options *options = caller_of(exchange)->callers->options;
	const char *host = http_field_find(&exchange->headers, MHD_HTTP_HEADER_HOST);
	size_t length = host ? strcspn(host, ":") : 0;
	char value[48];

	if (!options->certificate || certificate_is_self_signed(options->certificate) || length == 0 || *host == '[' ||
	    strspn(host, "0123456789.") >= length || listener_is_localhost(host, length))
		return;
	snprintf(value, sizeof value, "max-age=%" PRId64, options->tls_only_s);
	MHD_add_response_header(response, "Strict-Transport-Security", value);
}

enum MHD_Result
listener_send(struct http_exchange *exchange)
{
	const struct http_answer *answer = &exchange->answer;
	struct MHD_Response *response;
	enum MHD_Result result;

	listener_spare_memory(exchange);
	response = listener_response(exchange);
	if (!response)
		return MHD_NO;
	if (answer->type)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	for (size_t i = 0; i < answer->headers.count; i++)
		MHD_add_response_header(response, answer->headers.list[i].name, answer->headers.list[i].value);
	for (size_t i = 0; i < sizeof listener_guards / sizeof *listener_guards; i++)
		if (!http_field_find(&answer->headers, listener_guards[i].name))
			MHD_add_response_header(response, listener_guards[i].name, listener_guards[i].value);
	listener_add_tls_only(exchange, response);
	result = MHD_queue_response(exchange->connection, (unsigned)answer->status, response);
	MHD_destroy_response(response);
	return result;
}

void
listener_answer(struct http_exchange *exchange)
{
	caller_resume(exchange);
}

size_t
listener_stream(struct http_exchange *exchange, const void *bytes, size_t length)
{
	struct http_answer *answer = &exchange->answer;

	if (answer->sent > answer->body.length / 2) {
		buffer_drop(&answer->body, answer->sent);
		answer->sent = 0;
	}
	buffer_append(&answer->body, bytes, length);
	caller_resume(exchange);
	return answer->body.length - answer->sent;
}

void
listener_end(struct http_exchange *exchange)
{
	exchange->answer.ended = true;
	caller_resume(exchange);
}

void
listener_cut(struct http_exchange *exchange)
{
	exchange->has_gone = true;
	if (!exchange->is_waiting)
		shutdown(caller_of(exchange)->fd, SHUT_RDWR);
	caller_resume(exchange);
}
