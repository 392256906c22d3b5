/* SPDX-License-Identifier: Apache-2.0
 *
 * A layout, coopr-layout(5): the stdout of coopr-solve and the stdin of coopr-plan. A cluster record, then its nodes by nodenum.
 */
#ifndef MODEL_LAYOUT_H
#define MODEL_LAYOUT_H

#include "base/memory.h"
#include "model/entity.h"
#include "model/node.h"

struct record_reader;
struct error;

struct cluster {
	const char *id, *name, *tenant;
	struct string_list services; /* sorted, all that is on the cluster */
	struct service *definitions; /* of the services in use, sorted by name */
	size_t definition_count;
	struct service *was_definitions; /* what was before: definitions that differ, sorted by name */
	size_t was_definition_count;
	struct provider provider;
	const char *max_unavailable; /* "rolling" of its template: on so many nodes a service may be down; or NULL */
	jv config;     /* borrowed from source; invalid where absent */
	jv was_config; /* the whole configuration before; borrowed; invalid where that is not known */
	jv was_source; /* owned, where was_config is not borrowed from source */
	jv source; /* owned */
};

struct layout {
	struct arena arena;
	struct cluster cluster;
	bool has_cluster;
	struct node *nodes;
	size_t node_count, node_capacity;
	bool unsatisfiable;          /* layout_read_answer: there is none, and this is why: */
	struct string_list conflict; /* JSON Pointers into the request */
	bool not_minimal;            /* "minimal": false */
};

extern const struct document cluster_table;

/* Fills cluster from a cluster record; and frees what it owns. Strings live in the arena. */
void cluster_parse(const struct place *place, struct arena *arena, struct cluster *cluster);
void cluster_release(struct cluster *cluster);

/* Reads a layout to the end of the stream. Records of other kinds are skipped (so that a plan can be read as the layout
 * it carries). The nodes are sorted by nodenum. What is wrong inside records goes to problems, pointers starting with
 * "/RECORD" (0 is the first). Returns 0, or -1 where the stream itself is broken or says that there is no layout
 * (EX_NO). The layout is to be released in any case. */
int layout_read(struct record_reader *reader, struct layout *layout, struct problems *problems, struct error *err);

/* Reads any answer of coopr-solve: the record that says that there is no layout is one too. */
int layout_read_answer(struct record_reader *reader, struct layout *layout, struct problems *problems,
    struct error *err);

/* Adds one record to a zeroed layout, or to what it has become: a cluster, of which there is one, or a node. Other kinds change
 * nothing. */
void layout_take(struct layout *layout, const struct place *record);

/* Adds a problem if the layout has fewer nodes than its solution counted: an answer that was cut off between two records looks
 * like any other. */
void layout_check_whole(const struct layout *layout, struct problems *problems);

void layout_release(struct layout *layout);

/* Appends the cluster record, with a newline. */
void cluster_print(const struct cluster *cluster, struct buffer *out);

/* Returns the node of that id, NULL if there is none. */
const struct node *layout_node(const struct layout *layout, const char *id);

/* Returns the definition of a service, NULL if there is none. */
const struct service *cluster_definition(const struct cluster *cluster, const char *service);

/* Returns the definition before anything is done. */
const struct service *cluster_definition_before(const struct cluster *cluster, const char *service);

/* Returns whether a service has data that must not be lost, as its definitions say; where they say nothing, whether it is among the
 * names of today (a list of strings, or an invalid value; borrowed). */
bool cluster_is_stateful(const struct cluster *cluster, jv today, const char *service);

/* A layout says what was wanted, and in "was" what stands; where the job of a change failed, the two differ, and the next change
 * begins with what stands. Returns whether all is as wanted: each node stays, and all its services stand, wholly. */
bool layout_is_whole(const struct layout *layout);

/* Tells whether all of what stands was stopped, as far as it can be. */
bool layout_is_stopped(const struct layout *layout);

/* Appends the layout with only what stands: machines that were never made are left out, and no node leaves. */
void layout_print_standing(const struct layout *layout, struct buffer *out);

/* Reads a layout from its text; "" is a layout without nodes. The caller releases it in any case. */
int layout_parse_text(const char *text, struct layout *layout, struct error *err);

#endif
