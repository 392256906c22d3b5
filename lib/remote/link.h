/* SPDX-License-Identifier: Apache-2.0
 *
 * The connection to a server that runs a command. Hides libcurl, which only the program libexec/coopr/remote has.
 */
#ifndef REMOTE_LINK_H
#define REMOTE_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct destination;
struct error;
struct link;

/* What to do where a command may have been done, and did not say so, as the end of a sentence. */
#define LINK_REMEDY "check what was done (coopr list, coopr history) before you repeat the command"

/* Takes what the server sends. */
typedef void link_receive(void *context, const char *bytes, size_t length);

/* Begins to send a call; body is to live until the end. */
int link_open(struct link **link, const struct destination *destination, const struct buffer *body, link_receive *receive, void *context,
    struct error *err);

/* Sends frames to the command of that name that runs, behind those that are on their way. */
void link_tell(struct link *link, const char *name, const struct buffer *frames);

/* Returns whether something that was told is not answered yet. */
bool link_is_telling(const struct link *link);

/* Does what there is to do, and waits until there is more, or one of the descriptors can be read or has hung up (-1: none). Returns 1 while
 * the connection is there; 0 at its end; -1 where it was broken, or the server refuses: EX_NOPERM, EX_USAGE, EX_TEMPFAIL, else
 * EX_UNAVAILABLE. */
int link_turn(struct link *link, const int *descriptors, size_t count, struct error *err);

void link_close(struct link *link);

#endif
