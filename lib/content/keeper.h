/* SPDX-License-Identifier: Apache-2.0
 *
 * An executable of the installation that keeps things under keys, coopr-config(5): a setting names it with its first arguments, and it is
 * called with "put KEY" (reads what is to be kept), "get KEY" (prints it), "has KEY" (0: it is there, 1: it is not), "list" (prints the
 * keys, one a line) or "delete KEY". Archives of services are kept so, and resources.
 */
#ifndef CONTENT_KEEPER_H
#define CONTENT_KEEPER_H

#include <stddef.h>

struct arguments;
struct buffer;
struct error;

#define KEEPER_PATIENCE_S "600" /* for what does not stream */

/* Adds the words of the setting; "~/" at the beginning of one is the home of the user. */
void keeper_push(const char *setting, struct arguments *argv);

/* Returns 0 where the executable has ended with 0, else -1 and says how it has ended: EX_NOINPUT where it has nothing under the key (what:
 * "archive"), EX_TEMPFAIL where it may be tried again, else EX_IOERR. */
int keeper_judge(int code, const char *name, const char *verb, const char *what, struct error *err);

/* Runs argv, which is whole but for the limit of time, with input on its stdin, and appends what it prints, at most limit bytes. Returns
 * its exit code, or -1. */
int keeper_run(const struct arguments *argv, const void *input, size_t length, struct buffer *out, size_t limit, struct error *err);

#endif
