/* SPDX-License-Identifier: Apache-2.0
 *
 * What a task is told of its cluster: the member "cluster" of a take record, with the macros of the config expanded
 * by what is known of the nodes. It is made once for all tasks, which costs as much as there are nodes; only what speaks
 * of a node itself is left open, and filled in for each task.
 */
#ifndef MODEL_TAKE_SETTING_H
#define MODEL_TAKE_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "model/take/macro.h"

struct buffer;
struct error;

struct setting_nodes { /* the nodes that macros are looked up in; zero-initialise */
	struct arena arena;
	struct node *list;
	size_t count, capacity;
};

struct setting_gap { /* a string of the config that speaks of the node itself */
	size_t start, length; /* of it in the text, as JSON */
	const char *pointer;  /* where it is in the config */
	const char *string;   /* what it says, all else expanded */
};

struct setting { /* zero-initialise */
	struct arena arena;
	char *text; /* the object: asked, catalogue, config, id, name, provider, strict, tenant, unexpanded */
	size_t length;
	struct setting_gap *gaps;
	size_t gap_count, gap_capacity;
};

/* Adds a node by its record. */
int setting_add_node(struct setting_nodes *nodes, const char *record, size_t length, struct error *err);
/* Hides instances from macros: {"app":["00000042-1000"]}. */
void setting_hide(struct setting_nodes *nodes, jv without);

void setting_release_nodes(struct setting_nodes *nodes);

/* Makes a setting from the cluster's record. strict: a script that looks up what nobody declares fails. */
int setting_make(struct setting *setting, const char *cluster, size_t length, const struct setting_nodes *nodes, bool strict,
    struct error *err);

/* Append a setting as two lines; fill one from them. */
void setting_save(const struct setting *setting, struct buffer *out);
int setting_load(struct setting *setting, const char *text, size_t length, struct error *err);

/* Appends the object for the node of that record; instances are those of it. Macros that cannot be expanded stay, and are
 * listed in "unexpanded". */
int setting_print(const struct setting *setting, const char *record, size_t length,
    const struct macro_instance *instances, size_t instance_count, struct buffer *out, struct error *err);

void setting_release(struct setting *setting);

#endif
