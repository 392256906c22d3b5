/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of resources that plugins describe, coopr-plugins(7): in which formats there may be one, and which permissions a file has.
 */
#ifndef INSPECT_RESOURCE_TYPE_H
#define INSPECT_RESOURCE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct resource;
struct store;

struct resource_type {
	bool may_be_file, may_be_archive;
	int64_t mode; /* of files */
};

/* Asks the plugin ("automator/shell") for one of its types; of one that is not installed here, a provisioner may have told us. EX_NO where
 * there is no such plugin or type, with those that there are. */
int resource_type_find(struct store *store, const char *plugin, const char *name, struct resource_type *type, struct error *err);

/* Returns 0 where such a resource may be of its format, else -1 with EX_USAGE. resource_type_check finds the type first; EX_DATAERR. */
int resource_type_allow(const struct resource_type *type, const struct resource *resource, struct error *err);
int resource_type_check(struct store *store, const struct resource *resource, struct error *err);

/* Reads permissions, three or four octal digits: -1 where they are none. */
int64_t resource_type_mode(const char *text);

#endif
