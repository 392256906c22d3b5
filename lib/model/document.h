/* SPDX-License-Identifier: Apache-2.0
 *
 * A kind of document as a table: each row says of one member what it is called, what it may be, and which field of a
 * struct holds it. Parsing, checking, printing and freeing are done here by these rows alone, and a test compares them
 * with the JSON Schema of the kind. Members are looked at and printed in the order of their names.
 *
 *	static const struct member members[] = {   // sorted by name
 *		{"hostname", MEMBER_STRING(struct node, hostname), MEMBER_REQUIRED, .is_valid = name_is_host, .what = "no host name"},
 *		{"kind", MEMBER_KIND("node")},
 *		{"nodenum", MEMBER_INTEGER(struct node, nodenum), MEMBER_REQUIRED},
 *	};
 *	const struct document node_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct node)};
 */
#ifndef MODEL_DOCUMENT_H
#define MODEL_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/place.h"

struct arena;
struct buffer;
struct member;
struct print;

enum member_type {    /* the field; what is parsed */
	TYPE_KIND,    /* none; the constant of the kind, which is looked at first */
	TYPE_STRING,  /* const char *; any string, or one that is_valid */
	TYPE_NAME,    /* const char *; a name as name_is_valid has it */
	TYPE_WORD,    /* an enum; one of its names, by word_find and word_name */
	TYPE_TIME,    /* int64_t, milliseconds; "2026-11-21T10:00:00.123Z" */
	TYPE_INTEGER, /* int64_t or uint64_t; a whole number of at most 2^53 - 1 */
	TYPE_NUMBER,  /* double */
	TYPE_BOOLEAN, /* bool */
	TYPE_NAMES,   /* struct string_list; names in the order given */
	TYPE_SET,     /* struct string_list; names, then sorted, each once */
	TYPE_STRINGS, /* struct string_list */
	TYPE_AMOUNTS, /* struct amounts; an object of numbers */
	TYPE_VALUE,   /* jv, borrowed; an object */
	TYPE_TEXT,    /* const char *; an object, as inner says where that is set, kept as canonical text */
	TYPE_OBJECT,  /* a struct inside, or fields of the same one; an object as inner says */
	TYPE_LIST,    /* an array of structs and its count; objects as inner says */
	TYPE_MAP,     /* the same; an object whose members are as inner says, sorted by name */
	TYPE_CUSTOM,  /* as the row's own functions have it */
	TYPE_PASSED,  /* none; anything, which is passed on and not looked at */
};

enum {
	MEMBER_REQUIRED = 1, /* it is a problem where it is absent */
	MEMBER_FIRST = 2,    /* it is parsed before the others: what they may be depends on it */
	MEMBER_OMITTED = 4,  /* it is not printed where it is NULL, empty, 0 or a boolean's default */
	MEMBER_BLANK = 8,    /* nothing but blanks is the same as absent */
	MEMBER_UNCHECKED = 32, /* it is printed, and somebody else parses it */
	MEMBER_KEY = 16,     /* in a map: not a member, but the name of the element */
};

struct member {
	const char *name;
	enum member_type type;
	size_t offset; /* of the field */
	unsigned flags;

	unsigned variants; /* the variants of the document that have it; 0: all */
	unsigned required; /* those in which it has to be there */
	struct {
		int64_t least, most, otherwise; /* most is INT64_MAX where both bounds are 0 */
	} integer; /* otherwise is also the default of a word or boolean */
	struct {
		double least, most, otherwise; /* most is AMOUNT_MAX where both bounds are 0 */
	} number;
	const char *otherwise; /* of a string or name */
	bool (*is_valid)(const char *text);
	const char *what; /* where it is not: "X" is WHAT */
	int (*word_find)(const char *name); /* -1: it is no such word */
	const char *(*word_name)(int word);
	size_t present; /* the offset of a bool that says whether it is there; 0: there is none */
	size_t count;   /* of a list or map: the offset of a size_t */
	const struct document *inner;
	void (*check)(const struct place *place); /* looks at what is there, whatever its type */
	/* or NULL; where the object is absent, the place is the zeroed one, of which no problem is kept */
	void (*parse)(const struct place *place, const struct member *member, struct arena *arena, void *to);
	void (*print)(const struct member *member, const void *from, struct print *print);
	bool (*is_printed)(const void *from); /* where another member decides that */
};

struct document {
	const struct member *members;
	size_t count;
	size_t size;         /* of the struct, which is zeroed first; 0: the members are fields of the struct around it */
	size_t source;       /* where has_source: the offset of a jv, which takes a reference to the object and is printed with */
	bool has_source;
	bool is_verbatim;    /* it is printed as its source stands */
	const char *unknown; /* members that no row names are a problem, and this says it; NULL: they are passed on */
	unsigned (*variant)(const void *from); /* what it is, by the members that are parsed first */
	void (*check)(const struct place *place, struct arena *arena, void *to); /* what no row can say */
	void (*release)(void *to); /* frees what no row knows of; or NULL */
};

/* The field of a row; a field of another type does not compile. A type cannot stand in parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define MEMBER_FIELD(structure, field, type) _Generic(((structure *)NULL)->field, type: offsetof(structure, field))

#define MEMBER_KIND(kind) .otherwise = (kind), .type = TYPE_KIND, .flags = MEMBER_REQUIRED
#define MEMBER_KIND_MAYBE(kind) .otherwise = (kind), .type = TYPE_KIND /* it may be absent */
#define MEMBER_STRING(structure, field) .type = TYPE_STRING, .offset = MEMBER_FIELD(structure, field, const char *)
#define MEMBER_NAME(structure, field) .type = TYPE_NAME, .offset = MEMBER_FIELD(structure, field, const char *)
#define MEMBER_WORD(structure, field, word) .type = TYPE_WORD, .offset = MEMBER_FIELD(structure, field, word)
#define MEMBER_TIME(structure, field) .type = TYPE_TIME, .offset = MEMBER_FIELD(structure, field, int64_t)
#define MEMBER_INTEGER(structure, field) \
	.type = TYPE_INTEGER, .offset = _Generic(((structure *)NULL)->field, int64_t: offsetof(structure, field), \
	    uint64_t: offsetof(structure, field))
#define MEMBER_NUMBER(structure, field) .type = TYPE_NUMBER, .offset = MEMBER_FIELD(structure, field, double)
#define MEMBER_BOOLEAN(structure, field) .type = TYPE_BOOLEAN, .offset = MEMBER_FIELD(structure, field, bool)
#define MEMBER_NAMES(structure, field) .type = TYPE_NAMES, .offset = MEMBER_FIELD(structure, field, struct string_list)
#define MEMBER_SET(structure, field) .type = TYPE_SET, .offset = MEMBER_FIELD(structure, field, struct string_list)
#define MEMBER_STRINGS(structure, field) .type = TYPE_STRINGS, .offset = MEMBER_FIELD(structure, field, struct string_list)
#define MEMBER_AMOUNTS(structure, field) .type = TYPE_AMOUNTS, .offset = MEMBER_FIELD(structure, field, struct amounts)
#define MEMBER_VALUE(structure, field) .type = TYPE_VALUE, .offset = MEMBER_FIELD(structure, field, jv)
#define MEMBER_TEXT(structure, field) .type = TYPE_TEXT, .offset = MEMBER_FIELD(structure, field, const char *)
#define MEMBER_OBJECT(structure, field) .type = TYPE_OBJECT, .offset = offsetof(structure, field)
#define MEMBER_LIST(structure, field, element, number) \
	.count = MEMBER_FIELD(structure, number, size_t), .type = TYPE_LIST, .offset = MEMBER_FIELD(structure, field, element *)
#define MEMBER_MAP(structure, field, element, number) \
	.count = MEMBER_FIELD(structure, number, size_t), .type = TYPE_MAP, .offset = MEMBER_FIELD(structure, field, element *)
#define MEMBER_INLINE .type = TYPE_OBJECT, .offset = 0 /* an object whose members are fields of the same struct */
#define MEMBER_CUSTOM_FIELD(structure, field, custom) .type = TYPE_CUSTOM, .offset = MEMBER_FIELD(structure, field, custom)
#define MEMBER_CUSTOM .type = TYPE_CUSTOM, .offset = 0
#define MEMBER_PASSED .type = TYPE_PASSED, .offset = 0
/* NOLINTEND(bugprone-macro-parentheses) */

#define MEMBER_PRESENT(structure, field) .present = MEMBER_FIELD(structure, field, bool)
#define DOCUMENT_MEMBERS(list) .members = (list), .count = sizeof(list) / sizeof *(list)
#define DOCUMENT_SOURCE(structure, field) .has_source = true, .source = MEMBER_FIELD(structure, field, jv)

/* Fills the struct at to from the object at place, strings and lists in the arena. All that is wrong goes to
 * place->problems, and fields without a fine value get the default of their row. */
void document_parse(const struct document *document, const struct place *place, struct arena *arena, void *to);

/* The same for one row, given the member's own place. */
void document_parse_member(const struct member *member, const struct place *place, bool is_required, struct arena *arena,
    void *to);

/* Appends the canonical object, where members of its source that no row names are passed on. document_print adds a newline. */
void document_append(const struct document *document, const void *from, struct buffer *out);
void document_print(const struct document *document, const void *from, struct buffer *out);

/* Appends one member to a record that is being printed. */
void document_print_member(const struct member *member, const void *from, struct print *print);

/* Frees the sources of the struct at to and of those in its lists, and zeroes it; its arena is the caller's. */
void document_release(const struct document *document, void *to);

/* Parses without keeping anything, for the problems alone. */
void document_validate(const struct document *document, const struct place *place, struct arena *arena);

/* Returns the row of that name, or NULL. */
const struct member *document_member(const struct document *document, const char *name);

/* Adds a problem where the member "kind" is not kind; it may be absent where need says so. */
void document_check_kind(const struct place *place, const char *kind, enum need need);

#endif
