/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks with secrets for a plugin that streams, coopr-plugins(7): one process has those of one provider entity of one tenant, and no others. The
 * worker puts the values into the text that goes to the plugin, for as long as that takes, and wipes it.
 */
#ifndef WORKER_SECRET_STREAM_H
#define WORKER_SECRET_STREAM_H

#include <stddef.h>

struct buffer;
struct error;

/* Returns what tasks have to share in order to share a process, which the caller frees: the tenant and the provider entity, from a take record as
 * canonical text. NULL where they are not to be found. */
char *secret_stream_scope(const char *record, size_t length);

/* Appends the take record with the values of its secrets to handed, which secret_stream_wipe releases. Fails as secrets_fill does. */
int secret_stream_fill(const char *record, size_t length, struct buffer *handed, struct error *err);

void secret_stream_wipe(struct buffer *handed);

#endif
