/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers that are sent from files, which are kept until they are read: how many there are, of all and of a user.
 */
#ifndef HTTP_DOWNLOADS_H
#define HTTP_DOWNLOADS_H

#include <stdbool.h>

struct download;
struct downloads;
struct http_exchange;

struct downloads *downloads_open(void);

/* Returns whether another one of the user would be too many. */
bool downloads_are_too_many(const struct downloads *downloads, const char *user);

/* Adds the answer of an exchange, which it becomes the owner of. */
void downloads_add(struct downloads *downloads, const char *user, struct http_exchange *exchange);

/* The answer, which is one of these, was read, or nobody reads it any more. */
void downloads_remove(struct downloads *downloads, struct http_exchange *exchange);

void downloads_close(struct downloads *downloads);

#endif
