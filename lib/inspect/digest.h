/* SPDX-License-Identifier: Apache-2.0
 *
 * The digests of scripts: a definition of a service says what its actions' scripts were when it was taken over, so that a script
 * that has changed since is a definition that has changed.
 */
#ifndef INSPECT_DIGEST_H
#define INSPECT_DIGEST_H

#include <stdbool.h>

#include <jv.h>

struct buffer;
struct error;
struct store;

enum digest_flags {
	DIGEST_KEEP = 1,  /* also keep the contents */
	DIGEST_AGAIN = 2, /* the request is of a cluster: resources that are not active any more stay as they are there */
};

/* Sets the member "digest" of each action of the request's services: of the script and the files that its fields name, as the
 * plugin describes them; an action that names none, or some that cannot be read here, has none. Where the request is of no catalogue's
 * folder, names are first looked for among the active resources of the store's tenant (store NULL: there is none): such an action uses from then on
 * what it is made with now, "kept", and its member "resources" has their digests. EX_CONFIG where a resource is damaged. */
int digest_services(jv *request, struct store *store, unsigned flags, struct error *err);

/* Has the actions of all services of a request, or of the cluster record of a layout, whose scripts are others today than their digest
 * says use what was kept of them. Fails with EX_NO, which names the script, where nothing was. */
int digest_restore(jv *document, struct error *err);

/* Returns the service without what its scripts are, owned. */
jv digest_strip(jv service);

/* Appends a line for each definition of the older request that is another one in the newer: of services, of their scripts, of the template, the provider and the types. */
void digest_list_changes(jv older, jv newer, struct buffer *lines);

#endif
