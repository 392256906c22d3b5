/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of any kind, shown to a person. What a record lacks is shown as "-"; only a tree and a graph need a
 * well-formed plan or layout.
 */
#ifndef MODEL_SHOW_SHOW_H
#define MODEL_SHOW_SHOW_H

#include "model/plan-document.h"
#include "model/show/output.h"
#include "model/show/sheet.h"

enum show_drawing { SHOW_NO_DRAWING, SHOW_TREE, SHOW_DOT };

struct show { /* zero-initialise, set output and drawing */
	struct output output;
	enum show_drawing drawing; /* where output.format is OUTPUT_OTHER */
	size_t count; /* of records so far */
	struct sheets sheets;
	struct plan_document document;
	struct problems problems;
};

/* Takes all records of a stream (NULL or "-": standard input), of an entity's file, or of a catalogue's folder. Records and
 * names are printed at once. 0, or -1 with a reason in err. */
int show_take(struct show *show, const char *path, struct error *err);

/* Prints what there is to print at the end. 0, or -1 (EX_DATAERR): there were no records in what is called name, or what
 * was to be drawn is no plan and no layout; err->text is empty where show->problems say why. */
int show_end(struct show *show, const char *name, struct error *err);

void show_release(struct show *show);

#endif
