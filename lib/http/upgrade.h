/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection that is none of HTTP any more, with TLS or without: an exchange that waits for its answer is upgraded. The library's own
 * upgrade passes four bytes at a time where there is TLS; so we take the connection while the library leaves it alone.
 */
#ifndef HTTP_UPGRADE_H
#define HTTP_UPGRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buffer;
struct http_exchange;

/* Takes the connection of an exchange that waits, and appends the head of its answer, which is to be sent first. What the other end has
 * sent before it has that head is lost. Returns the connection's descriptor, to wait for; -1 where that fails. Nobody is told that the other end
 * has gone: it is read. */
int upgrade_begin(struct http_exchange *exchange, const char *protocol, struct buffer *out);

/* Read and write as read(2) and write(2) do: -1 and EAGAIN where nothing can be done yet. After EAGAIN the same bytes are to be written first. */
ssize_t upgrade_read(const struct http_exchange *exchange, void *bytes, size_t size);
ssize_t upgrade_write(const struct http_exchange *exchange, const void *bytes, size_t length);

/* Returns whether something can be read, of which the descriptor does not tell. */
bool upgrade_has_read(const struct http_exchange *exchange);

/* Ends the connection, and releases the exchange. */
void upgrade_end(struct http_exchange *exchange);

#endif
