/* SPDX-License-Identifier: Apache-2.0
 *
 * The origin of a document: who has written it, and so what it may name, coopr-security(7). A document of a tenant names no path,
 * command, device, network or key of the host. Which fields do, a plugin's description says (coopr-plugins(7)):
 *
 *	"of": "installation"	any value of the field is of the host
 *	"of": "path"		an absolute path is, and one that leads out of its folder; the name of an installed file is not. The image of
 *				an image type is such a field
 *	"of": "address"		it is one that the tenant's own machines may have, which inspect/own-addresses.h compares with what the
 *				installation has given the tenant
 *
 * and a field without that member is anybody's, but for what is said of what is in it, in "properties" of an object and "items" of a list.
 * Where a marked field may also be a list of objects, as "items" describes them, a list is checked by what that says of its members, and has
 * no others. Where the whole description is of the installation, so is the plugin: no document of a tenant has it. These functions are
 * the only ones that decide it.
 */
#ifndef MODEL_TAKE_ORIGIN_H
#define MODEL_TAKE_ORIGIN_H

#include <stdbool.h>

#include "json/place.h"

struct error;
struct task;

#define ORIGIN_ADDRESS "address"

enum origin {
	ORIGIN_INSTALLATION, /* a superadmin, the files of a catalogue's folder; all documents of a personal installation */
	ORIGIN_TENANT,       /* an administrator of a tenant */
};

const char *origin_name(enum origin origin);

/* Returns the origin that an entity of a request, a layout or a task has, by its mark. One without a mark has the given one. */
enum origin origin_of(jv document, enum origin otherwise);

/* Marks an entity in place of the mark that it has; origin_unmark takes it away: only the store says who has written a
 * document. */
void origin_mark(jv *document, enum origin origin);
void origin_unmark(jv *document);

/* Adds a problem to the places' for the type, which names a plugin that is the installation's alone, and for each of the fields that a document of
 * a tenant must not have; schema is what the plugin says of itself. */
void origin_check_plugin(const struct place *type, const struct place *fields, jv schema);

/* Does the same for the images that an image type of a tenant names: none is a path of the host, whatever the provider. */
void origin_check_images(const struct place *imagetype);

/* Returns whether a tenant has written what the task gives to its plugin. */
bool origin_is_tenants(const struct task *task);

/* Returns false where no part of a take record, in text, has the mark of a tenant. */
bool origin_is_mentioned(const char *record, size_t length);

/* Checks the settings of the task's provider and the image of the machine, or the fields of its service's action, before the plugin gets them. Fails with EX_NOPERM. */
int origin_check_task(const struct task *task, jv schema, struct error *err);

#endif
