/* SPDX-License-Identifier: Apache-2.0
 *
 * Macros in the strings of a cluster's config and in links: %ip.service.db%, %join(map(host.service.zk,'$:2181'),',')% and
 * the others of coopr-macros(7). Text that is no macro stays text. What a macro names is looked up in the nodes
 * of the cluster, in the order of their nodenum.
 */
#ifndef MODEL_TAKE_MACRO_H
#define MODEL_TAKE_MACRO_H

#include "json/place.h"

struct arena;
struct buffer;
struct error;
struct node;

struct macro_node { /* what macros may ask of a node */
	const char *id, *hostname;
	int64_t nodenum;
	struct string_list services; /* sorted */
	jv ipaddresses; /* borrowed: {"bind_v4":"10.0.0.4"}; invalid while nothing is known */
};

enum { MACRO_ROOM = 16 << 20 }; /* so many bytes all macros of a configuration stand for together, at most */
#define MACRO_TOO_MUCH "macros of one configuration stand for more than %d MiB"

struct macro_context {
	const struct macro_node *nodes; /* sorted by nodenum */
	size_t node_count;
	const struct macro_node *self;  /* NULL: %...self...% cannot be expanded */
	const char *owner, *address;    /* of the cluster; may be NULL */
	size_t *room; /* bytes that macros may still stand for, at first MACRO_ROOM; NULL: each text has as many */
};

/* Returns the properties of node that macros may ask for; borrows from it. */
struct macro_node macro_node_of(const struct node *node);

/* Expands the macros of a text, and appends it to out. A macro that cannot be expanded stays as it is: malformed, a
 * service that no node has, an address not known yet, an instance out of range, no room for it. Returns 0, or -1 with the
 * first reason in err (EX_DATAERR). */
int macro_expand_text(const char *text, const struct macro_context *context, struct buffer *out, struct error *err);

struct macro_instance { /* which instance of a service stands on a node */
	const char *service;
	size_t number; /* 1, 2, ...; 0: none */
};

/* The same for those macros of a text alone that speak of self; the others stay. No other node has to be known: what
 * instance of a service self is, is told. */
int macro_expand_self(const char *text, const struct macro_node *self, const struct macro_instance *instances,
    size_t count, size_t *room, struct buffer *out, struct error *err);

/* Returns the services whose addresses (ip.*) the strings of value ask for, sorted, each once, in the arena: they have to be
 * confirmed before value can be expanded. */
struct string_list macro_addresses_of(jv value, struct arena *arena);

/* Returns the services of which the strings of value ask the node's own instance number (%instance.self.service.zk%), sorted,
 * each once, in the arena. */
struct string_list macro_instances_of(jv value, struct arena *arena);

/* Tells whether the strings of value ask for the cluster's own address. */
bool macro_asks_for_address(jv value);

/* Tells whether text has a macro that speaks of the node itself. */
bool macro_speaks_of_self(const char *text);

enum macro_source { MACRO_HOST, MACRO_IP, MACRO_NUM, MACRO_INSTANCE, MACRO_OWNER, MACRO_ADDRESS };

struct macro_text { /* part of the text the macro stands in; not NUL-terminated; NULL where there is none */
	const char *start;
	size_t length;
};

struct macro { /* one macro as it is written */
	struct macro_text text;  /* with its two % */
	bool is_malformed;       /* it begins like a macro, ends with % and is none; nothing below is set */
	enum macro_source source;
	bool is_self;
	char service[256];       /* "" where it names none */
	char address[256];       /* of an ip: "bind_v4" */
	int64_t instance;        /* [n]; -1: all */
	struct macro_text format, separator; /* of map and join */
};

/* Returns the services of which the strings of value ask in that way, sorted, each once, in the arena. */
struct string_list macro_services_of(jv value, enum macro_source source, struct arena *arena);

/* Adds a problem for each macro in the strings of the place that is malformed; names is called for each that names a service, with
 * the macro's text, and may add one. */
typedef void macro_names(const struct place *place, int length, const char *text, const char *service, const void *context);
void macro_check(const struct place *place, macro_names *names, const void *context);

/* Finds the next macro in the text at *cursor, which moves behind it; returns false if there is none left. */
bool macro_next(const char **cursor, struct macro *macro);

#endif
