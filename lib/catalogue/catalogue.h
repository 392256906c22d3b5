/* SPDX-License-Identifier: Apache-2.0
 *
 * A catalogue: a folder with the folders providers, hardwaretypes, imagetypes, services, clustertemplates and
 * partialtemplates, in each a file NAME.json or NAME.yaml per entity. See coopr-catalogue(5).
 */
#ifndef CATALOGUE_CATALOGUE_H
#define CATALOGUE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/names.h"
#include "json/yaml-read.h"
#include "model/entity.h"

struct error;

enum entity_kind {
	ENTITY_PROVIDER,
	ENTITY_HARDWARETYPE,
	ENTITY_IMAGETYPE,
	ENTITY_SERVICE,
	ENTITY_CLUSTERTEMPLATE,
	ENTITY_PARTIALTEMPLATE,
	ENTITY_KIND_COUNT,
	ENTITY_NONE = -1,
};

struct entity {
	enum entity_kind kind;
	const char *name;
	const char *file; /* below the catalogue: "services/nginx.json" */
	jv source;        /* its document: the same reference that is in the struct below */
	struct yaml_source yaml; /* what it was read from, if that was YAML */
	union {
		struct provider provider;
		struct hardwaretype hardwaretype;
		struct imagetype imagetype;
		struct service service;
		struct cluster_template template; /* of clusters, and partial ones */
	};
};

struct catalogue {
	struct arena arena;
	struct entity *entities; /* by kind, then by name of file; only those that are well-formed */
	size_t count, capacity;
	size_t first[ENTITY_KIND_COUNT + 1];    /* of each kind, in entities */
	struct names names[ENTITY_KIND_COUNT];  /* number of a name -> index from first on */
	struct names left_out[ENTITY_KIND_COUNT]; /* of malformed files, without their endings: what is wrong with them is said already */
};

enum severity {
	SEVERITY_MALFORMED, /* no such document can be */
	SEVERITY_ERROR,     /* well-formed, but it contradicts itself or the catalogue */
	SEVERITY_SUSPECT,   /* surely meant otherwise: a warning that is always shown */
	SEVERITY_WARNING,   /* perhaps meant otherwise */
};

struct finding { /* something to say about a file of a catalogue */
	enum severity severity;
	const char *file; /* lives in the catalogue's arena */
	char *pointer, *text;
};

struct findings { /* zero-initialise */
	struct finding *list;
	size_t count, capacity;
};

/* Loads a catalogue; what is malformed is left out and listed in findings. Returns 0, or -1 (EX_NOINPUT) if the folder cannot
 * be read or has none of the six folders. The catalogue is to be released in any case, and after the findings. */
int catalogue_load(const char *path, struct catalogue *catalogue, struct findings *findings, struct error *err);
void catalogue_release(struct catalogue *catalogue);

/* Adds one document to a catalogue that is made by hand, or says in findings why not: those of the first kind first, then
 * those of the next. Name and document are the caller's own still. */
void catalogue_add(struct catalogue *catalogue, enum entity_kind kind, const char *file, jv document,
    struct findings *findings);

/* Adds the problems of a file, whose name is kept, not copied. */
void findings_add(struct findings *findings, enum severity severity, const char *file,
    const struct problems *problems);
void findings_release(struct findings *findings);

/* Looks for what is wrong between the entities: names of things that do not exist, defaults that are not allowed, ... */
void catalogue_check(const struct catalogue *catalogue, struct findings *findings);

/* Returns the entity of that name, NULL if there is none. */
const struct entity *catalogue_find(const struct catalogue *catalogue, enum entity_kind kind, const char *name);

/* Returns the name of an entity that is spelled nearly so, NULL if there is none. */
const char *catalogue_suggest(const struct catalogue *catalogue, enum entity_kind kind, const char *name);

/* Does the same as catalogue_find, with the reason in err (EX_NO, a near name included) if there is none. */
const struct entity *catalogue_need(const struct catalogue *catalogue, enum entity_kind kind, const char *name,
    struct error *err);

/* Returns a cluster template with all that it extends and includes merged in: an owned document, or invalid with the
 * reason in err: EX_NO if a name is unknown, EX_DATAERR if the parts contradict one another. */
jv catalogue_template(const struct catalogue *catalogue, const char *name, struct error *err);

/* Does the same with a template that need not be in the catalogue. */
jv catalogue_resolve(const struct catalogue *catalogue, const struct entity *template, struct error *err);

/* Return "hardwaretype", a document's kind; "hardwaretypes", the folder; "hardware type", in messages; and the kind by
 * either of the first two: ENTITY_NONE if there is none. */
const char *entity_kind_name(enum entity_kind kind);
const char *entity_kind_folder(enum entity_kind kind);
const char *entity_kind_words(enum entity_kind kind);
enum entity_kind entity_kind_of(const char *name);

/* Returns the kind that the folder of a file says, as in services/nginx.json. */
enum entity_kind entity_kind_of_file(const char *path);

/* Fills entity (kind, name, source and the struct of that kind) from the object at place. */
void entity_parse(enum entity_kind kind, const struct place *place, struct arena *arena, struct entity *entity);
void entity_release(struct entity *entity);

#endif
