/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/tunnel.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "remote/destination.h"
#include "remote/dial.h"

enum {
	TUNNEL_PART = 32 << 10,
	TUNNEL_HEAD_MAX = 64 << 10,
	TUNNEL_ANSWER_MS = 60 * 1000, /* for the node to be reached from there */
};

struct tunnel {
	const struct destination *to;
	CURL *curl;
	int fd;
	struct buffer out; /* what is to be sent */
	struct buffer in;  /* what has come before the head of the answer was whole */
	char reason[CURL_ERROR_SIZE];
};

/* Appends the name of a thing as a part of a URL. */
static void
tunnel_append(struct tunnel *tunnel, const char *before, const char *text)
{
	char *escaped = curl_easy_escape(tunnel->curl, text, 0);

	buffer_text(&tunnel->out, before);
	buffer_text(&tunnel->out, escaped ? escaped : "");
	curl_free(escaped);
}

/* Makes the head of the request, which libcurl, that only connects, does not. */
static void
tunnel_ask(struct tunnel *tunnel, const char *cluster, const char *node, const char *tenant, const char *user)
{
	const char *host = strstr(tunnel->to->url, "://") + 3;
	const char *prefix = host + strcspn(host, "/"); /* where a server of the web has put it */

	buffer_printf(&tunnel->out, "GET %s", prefix);
	tunnel_append(tunnel, "/v1/clusters/", cluster);
	tunnel_append(tunnel, "/nodes/", node);
	buffer_text(&tunnel->out, "/ssh");
	if (tenant)
		tunnel_append(tunnel, "?tenant=", tenant);
	if (user)
		tunnel_append(tunnel, tenant ? "&as=" : "?as=", user);
	buffer_printf(&tunnel->out, " HTTP/1.1\r\nHost: %.*s\r\nUser-Agent: coopr/" COOPR_VERSION "\r\nConnection: Upgrade\r\nUpgrade: ssh\r\n",
	    (int)(prefix - host), host);
	if (tunnel->to->token)
		buffer_printf(&tunnel->out, "Authorization: Bearer %s\r\n", tunnel->to->token);
	buffer_text(&tunnel->out, "\r\n");
}

static int
tunnel_fail(struct tunnel *tunnel, CURLcode code, struct error *err)
{
	return dial_failed(tunnel->to, tunnel->curl, code, tunnel->reason, err);
}

/* Sends some of what is to be sent. */
static int
tunnel_send(struct tunnel *tunnel, struct error *err)
{
	size_t sent = 0;
	CURLcode code = tunnel->out.length ? curl_easy_send(tunnel->curl, tunnel->out.data, tunnel->out.length, &sent) : CURLE_OK;

	buffer_drop(&tunnel->out, sent);
	return code == CURLE_OK || code == CURLE_AGAIN ? 0 : tunnel_fail(tunnel, code, err);
}

/* Receives what has come, at most size bytes. Returns how many; 0 where there is nothing yet; -1 at the end, or (err has a code) where the
 * connection was broken. */
static ssize_t
tunnel_receive(struct tunnel *tunnel, char *bytes, size_t size, struct error *err)
{
	size_t received = 0;
	CURLcode code = curl_easy_recv(tunnel->curl, bytes, size, &received);

	err->code = 0;
	if (code == CURLE_AGAIN)
		return 0;
	if (code == CURLE_OK && received > 0)
		return (ssize_t)received;
	return code == CURLE_OK ? -1 : tunnel_fail(tunnel, code, err);
}

/* Waits until the connection has something, takes more of what is to be sent, or fd can be read (-1: none). Returns whether that can. */
static bool
tunnel_wait(const struct tunnel *tunnel, int fd, int wait_ms)
{
	struct pollfd fds[2] = {{.fd = tunnel->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

	if (tunnel->out.length)
		fds[0].events |= POLLOUT;
	return poll(fds, 2, wait_ms) > 0 && fds[1].revents;
}

/* Receives until the text is there, or the end. Returns its place; NULL where it does not come. */
static const char *
tunnel_await(struct tunnel *tunnel, const char *text, struct error *err)
{
	char part[1024];
	const char *at;

	while (!(at = strstr(buffer_string(&tunnel->in), text)) && tunnel->in.length < TUNNEL_HEAD_MAX) {
		ssize_t n = tunnel_send(tunnel, err) < 0 ? -1 : tunnel_receive(tunnel, part, sizeof part, err);

		if (n < 0)
			return NULL;
		if (n == 0)
			tunnel_wait(tunnel, -1, TUNNEL_ANSWER_MS);
		buffer_append(&tunnel->in, part, (size_t)n);
	}
	return at;
}

/* Reads the head of the answer, and leaves what came behind it. */
static int
tunnel_read_head(struct tunnel *tunnel, struct error *err)
{
	const char *end = tunnel_await(tunnel, "\r\n\r\n", err);
	struct buffer said = {0};
	int status = 0;

	if (!end)
		return err->code ? -1 : error_set(err, EX_UNAVAILABLE, "%s: the server has closed the connection", tunnel->to->name);
	sscanf(tunnel->in.data, "HTTP/1.%*d %d", &status);
	if (status == 101) {
		buffer_drop(&tunnel->in, (size_t)(end + 4 - tunnel->in.data));
		return 0;
	}
	tunnel_await(tunnel, "}\n", err); /* of a problem, which is one line; else it is nothing of ours */
	end = strstr(tunnel->in.data, "\r\n\r\n") + 4;
	buffer_append(&said, end, strcspn(end, "\n"));
	dial_refused(tunnel->to, status, &said, err);
	buffer_release(&said);
	return -1;
}

/* Writes all of it to standard output. */
static int
tunnel_print(const char *bytes, size_t length, struct error *err)
{
	return file_write_all(STDOUT_FILENO, bytes, length) < 0 ? error_errno(err, EX_IOERR, "stdout") : 0;
}

static int
tunnel_pass(struct tunnel *tunnel, struct error *err)
{
	char part[TUNNEL_PART];
	ssize_t n = 0;

	if (tunnel_print(buffer_string(&tunnel->in), tunnel->in.length, err) < 0)
		return -1;
	for (;;) {
		/* What TLS has read already, poll does not tell of. */
		while ((n = tunnel_receive(tunnel, part, sizeof part, err)) > 0)
			if (tunnel_print(part, (size_t)n, err) < 0)
				return -1;
		if (n < 0)
			return err->code ? -1 : 0;
		if (tunnel_wait(tunnel, tunnel->out.length ? -1 : STDIN_FILENO, -1)) {
			n = read(STDIN_FILENO, part, sizeof part);
			if (n <= 0)
				return 0;
			buffer_append(&tunnel->out, part, (size_t)n);
		}
		if (tunnel_send(tunnel, err) < 0)
			return -1;
	}
}

static int
tunnel_connect(struct tunnel *tunnel, struct error *err)
{
	curl_socket_t fd = -1;
	CURLcode code;

	tunnel->curl = dial(tunnel->to, "");
	if (!tunnel->curl)
		return error_set(err, EX_OSERR, "libcurl cannot be used");
	curl_easy_setopt(tunnel->curl, CURLOPT_ERRORBUFFER, tunnel->reason);
	curl_easy_setopt(tunnel->curl, CURLOPT_CONNECT_ONLY, 1L);
	code = curl_easy_perform(tunnel->curl);
	if (code == CURLE_OK)
		code = curl_easy_getinfo(tunnel->curl, CURLINFO_ACTIVESOCKET, &fd);
	tunnel->fd = fd;
	return code == CURLE_OK ? 0 : tunnel_fail(tunnel, code, err);
}

int
tunnel_run(const struct destination *destination, const char *cluster, const char *node, const char *tenant, const char *user,
    struct error *err)
{
	struct tunnel tunnel = {.to = destination};
	int result;

	result = tunnel_connect(&tunnel, err);
	if (result == 0) {
		tunnel_ask(&tunnel, cluster, node, tenant, user);
		result = tunnel_read_head(&tunnel, err);
	}
	if (result == 0)
		result = tunnel_pass(&tunnel, err);
	if (tunnel.curl)
		curl_easy_cleanup(tunnel.curl);
	curl_global_cleanup();
	buffer_release(&tunnel.in);
	buffer_release(&tunnel.out);
	return result;
}
