/* SPDX-License-Identifier: Apache-2.0
 *
 * What the head of a request says, and who has sent it. For http/listener.c; nobody else needs it.
 */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include <stdbool.h>

struct client_authority;
struct http_exchange;

/* Fills in all that is known of a request once its head has come, on a connection of the library's, whose descriptor is fd. clients may be
 * NULL. */
void head_read(struct http_exchange *exchange, const char *method, const char *path, int fd, const struct client_authority *clients);

/* Fills in whose certificate was shown on its connection. */
void head_find_certificate(struct http_exchange *exchange, const struct client_authority *clients);

/* Returns whether what stands in front of us could read the head in another way than we do, and so the end of the request elsewhere. */
bool head_is_malformed(const struct http_exchange *exchange, const char *version);

#endif
