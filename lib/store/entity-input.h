/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities on their way into the store: from a catalogue's folder, from a file that holds one, from a stream of
 * records as coopr-store export prints it, or from documents of Cask's Coopr. All that is malformed is found before anything
 * is written.
 */
#ifndef STORE_ENTITY_INPUT_H
#define STORE_ENTITY_INPUT_H

#include "base/names.h"
#include "catalogue/catalogue.h"

struct cask;
struct error;

struct entity_input { /* zero-initialise; release it */
	struct arena arena;
	struct input_entity {
		enum entity_kind kind;
		const char *name, *source; /* source: for messages, the file or "standard input: record 3" */
		const char *note; /* what people should know of it; NULL: nothing */
		bool is_notable;  /* that is to be told even if the store has it so already */
		bool is_export;   /* Coopr's server has exported it */
		bool lacks_plugin, is_wrong; /* it names a plugin that is not installed; it has errors, which the note tells */
		jv document;
	} *list; /* in the order given, each entity once */
	size_t count, capacity;
	struct names names; /* of the list, in its order: kind and name */
	struct findings findings; /* what is malformed */
	size_t limit; /* bytes of standard input; 0: none */
	struct cask *cask; /* takes documents of Cask's Coopr, store/cask.h; NULL: they are refused */
};

/* Takes all of path: a folder, a file, or "-". kind: of what does not say it, by a member "kind" or by the folder it
 * is in; ENTITY_NONE: unknown. 0, or -1 where it cannot be read, is no JSON, or has an entity that was taken already. */
int entity_input_read(struct entity_input *input, const char *path, enum entity_kind kind, struct error *err);

/* Appends to what people should know of an entity. */
void entity_input_note(struct entity_input *input, struct input_entity *entity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void entity_input_release(struct entity_input *input);

#endif
