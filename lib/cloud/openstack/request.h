/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to the services of an OpenStack: each with the token of the session, which is begun anew where the service takes it no more, and
 * lists read page by page.
 */
#ifndef CLOUD_OPENSTACK_REQUEST_H
#define CLOUD_OPENSTACK_REQUEST_H

#include "cloud/openstack/account.h"

struct openstack_request {
	enum openstack_service service;
	const char *method, *path; /* below the URL of the service: "/servers/ID" */
	const char *header;        /* one more; or NULL */
	const char *member;        /* as in struct client_request */
	jv body;                   /* borrowed */
	bool has_body;
	bool repeatable;           /* as in struct client_request */
};

/* Sends it, as client_ask does; EX_UNAVAILABLE where the cloud has no such service. */
int openstack_ask(struct cloud *cloud, const struct openstack_request *request, const struct stop *stop, struct client_answer *answer, jv *out,
    struct error *err);

/* Sends a request that changes something, whose answer has nothing to read. Takes the body; invalid: it has none. Sets *status of HTTP; 0: no answer. */
int openstack_do(struct cloud *cloud, enum openstack_service service, const char *method, const char *path, jv body, bool repeatable,
    const struct stop *stop, long *status, struct error *err);

/* Deletes what the path names; what is gone is no error. */
int openstack_delete(struct cloud *cloud, enum openstack_service service, const char *path, const struct stop *stop, long *status, struct error *err);

struct openstack_list {
	enum openstack_service service;
	const char *path;   /* "/networks?limit=1000" */
	const char *member; /* of the answers: "servers" */
	const char *header; /* one more; or NULL */
	int (*read)(jv page, void *data, struct error *err); /* gets an array, or what else the member is */
	void *data;
};

/* Reads a list to its end. Returns 0; 1 where what the next page is counted from is gone, so that the list is to be read anew; -1 on error, with
 * *status of HTTP (0: no answer). */
int openstack_pages(struct cloud *cloud, const struct openstack_list *list, const struct stop *stop, long *status, struct error *err);

/* Does the same for a list that is not read anew: that it has changed is an error, EX_TEMPFAIL. */
int openstack_list(struct cloud *cloud, const struct openstack_list *list, const struct stop *stop, struct error *err);

/* Does GET, and returns the member of the answer; invalid with an error. */
jv openstack_get(struct cloud *cloud, enum openstack_service service, const char *path, const char *member, const struct stop *stop,
    struct error *err);

#endif
