/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities on their way into the store: from a catalogue's folder, from a file that holds one, or from a stream of
 * records as coopr-store export prints it. All that is malformed is found before anything is written.
 */
#ifndef STORE_INTAKE_H
#define STORE_INTAKE_H

#include "catalogue/catalogue.h"

struct error;

struct intake { /* zero-initialise; release it */
	struct arena arena;
	struct intake_entity {
		enum entity_kind kind;
		const char *name, *source; /* source: for messages, the file or "standard input: record 3" */
		jv document;
	} *list; /* in the order given, each entity once */
	size_t count, capacity;
	struct findings findings; /* what is malformed */
};

/* Takes all of path: a folder, a file, or "-". kind: of what does not say it, by a member "kind" or by the folder it
 * is in; ENTITY_NONE: unknown. 0, or -1 where it cannot be read, is no JSON, or has an entity that was taken already. */
int intake_take(struct intake *intake, const char *path, enum entity_kind kind, struct error *err);

void intake_release(struct intake *intake);

#endif
