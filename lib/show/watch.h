/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows something again when it has changed: in place on a terminal, elsewhere as one more table or one more record.
 */
#ifndef SHOW_WATCH_H
#define SHOW_WATCH_H

struct error;
struct output;
struct status_options;

struct watch {
	const struct status_options *options; /* where the queue is */
	struct output *output;
	int (*print)(void *context, struct output *output, struct error *err); /* prints what there is now: 0, or -1 */
	void *context;
};

/* Prints, waits and prints again, until the reader of standard output has left (0) or printing fails (-1). What a pipe gets is what
 * has changed: a whole table, or the records that are new. */
int watch_print(const struct watch *watch, struct error *err);

#endif
