/* SPDX-License-Identifier: Apache-2.0
 *
 * A tenant as a stream of records: what an installation has of it, for its own administrators, and for another installation.
 *
 *	tenantexport     the first: the tenant, and the version of the format
 *	tenantrow        a row of a table of the store, or of the audit log: without the values of secrets
 *	tenantlimit      how many of its tasks may run in parallel
 *	tenantcontent    a part of the bytes of a resource, by their SHA-256
 *	tenantexportend  the last: how many records are before it
 *
 * Another installation takes what defines the tenant: its document, members, entities and resources with all their versions, and the
 * limit. Clusters, operations, usage and the audit log are history of the installation that they were in: machines must not be looked after
 * by two.
 */
#ifndef TENANT_EXPORT_H
#define TENANT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/process.h"

struct account;
struct error;
struct record_reader;

/* Prints the tenant of the account, of which that is an administrator, on stdout. */
int export_tenant(struct account *account, struct error *err);

struct import_result { /* zero-initialise; release it */
	char *tenant;
	size_t revisions, resources, members;
	struct arguments secrets; /* that it had, and which have to be set */
	size_t tenants;           /* versions of entities that the installation had written, and which are the tenant's here */
	bool lacks_addresses;     /* it had some for machines of its own, and has none here */
};

/* Makes the tenant of an export, which must not be there; all or nothing. The records are not trusted: what they say that the installation has
 * written, and which addresses it has given the tenant, is only taken for that with trusted. EX_DATAERR where they are malformed, or cut off. */
int import_tenant(struct account *account, struct record_reader *reader, bool trusted, struct import_result *result, struct error *err);

void import_result_release(struct import_result *result);

#endif
