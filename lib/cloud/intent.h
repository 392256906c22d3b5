/* SPDX-License-Identifier: Apache-2.0
 *
 * What was asked of a cloud, or was about to be: a file for each node in the plugin's state folder, on disk before the first request. After
 * a kill, a loss of power or a lost answer it tells that there may be a machine, and how it is called; nothing is deleted by itself without
 * it. It goes when the machine is gone.
 */
#ifndef CLOUD_INTENT_H
#define CLOUD_INTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct cloud;
struct error;

struct intent { /* strings live in the arena given */
	const char *token;   /* of the machine that was asked for */
	int64_t asked_ms;    /* boot-time clock: when the last request was sent, or its answer lost; where that was before the last boot, when
	                      * this was read; 0: none was sent */
	int64_t since_ms;    /* wall clock, of the first request that may have made the machine; 0: none was sent; -1: unknown */
	int64_t choice;      /* which of the node's choices was asked for, from 1; 0: as the node is */
	bool kept;           /* the machine was handed out: only delete removes it from then on */
};

/* Reads the intent of a node. Returns false where there is none. */
bool intent_read(const struct cloud *cloud, const char *node, struct arena *arena, struct intent *intent);

/* Draws a new token for it: nothing was asked for with it. */
void intent_draw(struct intent *intent, struct arena *arena);

/* Writes it so that it survives a loss of power. */
int intent_write(const struct cloud *cloud, const char *node, const struct intent *intent, struct error *err);

int intent_remove(const struct cloud *cloud, const char *node, struct error *err);

/* Returns the id of the installation where its store has given none, as for the chain by hand: one that is drawn once for the plugin's
 * state folder. In the arena; NULL with an error. */
const char *intent_installation(const char *plugin, struct arena *arena, struct error *err);

#endif
