/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of HTTP to a server: over which socket they go, whom they trust, who asks, and what it means where one fails. Hides how libcurl
 * is told so; only programs that speak with servers have it.
 */
#ifndef REMOTE_DIAL_H
#define REMOTE_DIAL_H

#include <curl/curl.h>

struct buffer;
struct destination;
struct error;

/* Returns a request of that path, "/v1/run"; NULL where libcurl cannot be used. The destination is borrowed until it is cleaned up. */
CURL *dial(const struct destination *to, const char *path);

/* Adds the header with the destination's token to the list, if it has one. The token is in none of our arguments. */
struct curl_slist *dial_token(struct curl_slist *headers, const struct destination *to);

/* Tells why a request has had no answer: reason is what libcurl has said. Names a certificate that is not trusted. Always returns -1. */
int dial_failed(const struct destination *to, CURL *request, CURLcode result, const char *reason, struct error *err);

/* Tells what a server that refuses has said: EX_NOPERM, EX_USAGE, EX_TEMPFAIL, else EX_UNAVAILABLE. Always returns -1. */
int dial_refused(const struct destination *to, long status, const struct buffer *said, struct error *err);

#endif
