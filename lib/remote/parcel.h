/* SPDX-License-Identifier: Apache-2.0
 *
 * What is sent to a server for a command: its words, the files that these name, and what is on standard input, if the command reads that.
 */
#ifndef REMOTE_PARCEL_H
#define REMOTE_PARCEL_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/process.h"

struct command_table;
struct error;

struct parcel_terminal { /* what there is at this end */
	bool is_terminal[3]; /* the three streams */
	bool is_joined;      /* stdout and stderr are the same file */
	unsigned columns, lines;
};

struct parcel { /* zero-initialise; release it */
	struct buffer body;     /* frames */
	struct arguments names; /* of the files that the command may write, as the server calls them */
	struct arguments paths; /* ... and where they are here */
	bool follows_input;     /* what is typed from now on is sent, too */
};

/* Makes it. words are those of the command, "list" first, of which behind are its name and its subcommand. EX_USAGE where one chooses what
 * is the server's to choose; EX_NOINPUT, EX_DATAERR where a file cannot be sent. */
int parcel_make(struct parcel *parcel, const struct command_table *table, char *const *words, size_t behind,
    const struct parcel_terminal *terminal, struct error *err);

/* Writes a file that the command has written at the server, where it belongs. */
int parcel_keep(const struct parcel *parcel, const char *name, const char *bytes, size_t length, struct error *err);

void parcel_release(struct parcel *parcel);

#endif
