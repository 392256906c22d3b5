/* SPDX-License-Identifier: Apache-2.0
 *
 * A node record, coopr-layout(5): one machine of a cluster, wanted or present.
 */
#ifndef MODEL_NODE_H
#define MODEL_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"

struct arena;
struct buffer;
struct document;

enum { NODE_FIRST_NUMBER = 1000 };

struct node {
	const char *id;       /* "00000042-1000" */
	int64_t nodenum;      /* >= 0, unique in the cluster; order among instances */
	const char *hostname;
	const char *zone;     /* or NULL */
	const char *hardwaretype, *imagetype, *flavor, *image, *sshuser; /* any may be NULL */
	const char *of;       /* who has written its image type, origin.h; NULL: the installation */
	bool leaves;          /* "services": null: it is to be deleted */
	bool is_new;          /* "was": null */
	bool replaced;        /* a request asks for another one in its place */
	struct string_list services; /* sorted, what shall stand here */
	struct string_list was;      /* sorted, what stood here before */
	struct string_list partial;  /* sorted, on which a change was begun and not finished: what stands, and what does not */
	struct string_list stale;    /* sorted, those that stand and were to be configured again, and were not touched yet */
	struct string_list stopped;  /* sorted, those that were stopped and shall not run until they are started */
	struct string_list taken_out; /* sorted, those of them that are left out where they are looked up */
	bool unready;         /* its machine was made only in part: nothing can be done with it but to delete it */
	size_t index; /* of its element in the list it was read from, for pointers */
	jv ipaddresses; /* borrowed from source: {"access_v4":"203.0.113.4"}; invalid while none is known */
	jv facts;       /* borrowed from source: {"providerid":"i-1"}; invalid while none is known */
	jv source; /* owned by the document that holds the node; invalid where the node was made here */
};

extern const struct document node_table;

void node_parse(const struct place *place, struct arena *arena, struct node *node);

/* Sorts nodes by nodenum; two with the same one are a problem. list is where they were read from. */
void nodes_sort(const struct place *list, struct node *nodes, size_t count);

/* Appends the canonical record, members of source unknown here and facts (ipaddresses, facts) included, with a newline. */
void node_print(const struct node *node, struct buffer *out);

/* Adds to node what an attempt found out (the members of a result): a new hostname, addresses and facts, the latter two
 * merged member by member into what is known. NULL and invalid ones change nothing. */
void node_learn(struct node *node, const char *hostname, jv ipaddresses, jv facts, struct arena *arena);

/* Tells whether a service stands on it (in services). */
bool node_has(const struct node *node, const char *service);

/* Returns a host name in the arena: NAME without what stands before its first letter, lower case, "_" and "." as "-", cut so
 * that the first label has at most 63 characters, then "-" where it would end with a digit, the cluster's number, "-" nodenum "."
 * suffix: "kv-qa42-1000.dev.example.net", "web1-42-1000.dev.example.net". So no two clusters that have numbers share one.
 * dns_suffix may begin with a dot; NULL is "local". The second returns the one that earlier versions gave, without that "-". */
const char *node_hostname(const char *cluster_name, const char *cluster_id, int64_t nodenum,
    const char *dns_suffix, struct arena *arena);
const char *node_hostname_before(const char *cluster_name, const char *cluster_id, int64_t nodenum,
    const char *dns_suffix, struct arena *arena);

#endif
