/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the fields that documents give to plugins with those that the plugins themselves describe, before anything is made.
 */
#ifndef INSPECT_FIELDS_H
#define INSPECT_FIELDS_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/entity.h"

struct fields_check { /* zero-initialise, but for the first five */
	const char *catalogue;     /* whose scripts/ is searched first; or NULL */
	struct problems *warnings; /* fields that nothing reads, or cannot be read */
	struct problems *clear;    /* passwords and keys that everybody sees who may read the document; or NULL */
	struct problems *missing;  /* plugins that are not here; one that is misspelt is a warning; or NULL: nobody asks for them */
	const struct names *elsewhere; /* plugins that are not missing, as provisioners have them: "provider/openstack"; or NULL */
	const char *plugin; /* whose fields are checked: "automator/itamae" */
	bool kept; /* the action that is checked uses files that were kept, not those of today */
	bool files_apart; /* scripts and files may be anywhere, and are not looked for */
	size_t missing_count; /* of plugins that are not here, of all places */
	struct arena arena;
	struct names plugins, scripts; /* those seen */
	jv *schemas;                   /* of plugins; invalid where there is none, or it does not say */
	size_t capacity;
};

/* Returns what a plugin of that kind ("automator") says of its fields, borrowed; invalid where it is not here or says nothing. Each is
 * asked once. */
jv fields_schema(struct fields_check *check, const char *kind, const char *type);

/* Adds to the place's problems what the plugin of a provider could not work with: a field that is required and absent, a script that is
 * not there or that its shell does not understand. Each script is named once. */
void fields_check_provider(struct fields_check *check, const struct place *provider);

/* Does the same for all actions of a service. */
void fields_check_service(struct fields_check *check, const struct place *service);

void fields_check_release(struct fields_check *check);

#endif
