/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider openstack or rackspace say: who asks, and what servers are to be like; and what was found out about the cloud
 * since, under the lock of cloud/stop.h.
 */
#ifndef CLOUD_OPENSTACK_ACCOUNT_H
#define CLOUD_OPENSTACK_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cloud/cloud.h"

enum openstack_service { OPENSTACK_COMPUTE, OPENSTACK_NETWORK, OPENSTACK_IMAGE, OPENSTACK_VOLUME, OPENSTACK_SERVICES };

struct openstack_session { /* begun by a login; never changed, and never freed: other threads read it */
	const char *header;                   /* "X-Auth-Token: ..." */
	const char *urls[OPENSTACK_SERVICES]; /* with their version; NULL: the cloud has none */
	const char *who;                      /* "svc of project dev" */
};

struct openstack_name { /* of a thing of the cloud, as the fields or a hardware or image type call it */
	const char *kind, *text; /* "image", "debian-12" */
	const char *id, *name;   /* the cloud's */
	int64_t found_ms;        /* monotonic */
	struct openstack_name *next;
};

struct openstack_account {
	const char *url;                     /* of Keystone, without its version */
	bool two;                            /* version 2.0 of it is asked first */
	const char *user, *password, *project, *user_domain, *project_domain;
	const char *credential, *secret;     /* of an application; NULL: none */
	const char *api_key;                 /* Rackspace's; NULL: it is another cloud */
	const char *region, *interface;
	const char *zone, *keypair, *floating_network;
	struct string_list networks, groups; /* names or ids */
	bool floating, config_drive, rackconnect;

	bool busy;                           /* a thread logs in */
	struct openstack_session *session;   /* NULL: nobody has yet */
	struct error refused;                /* why the last login failed; code 0: it did not */
	bool old;                            /* Nova does not know the version that tells which servers it cannot see */
	bool searching;                      /* a thread looks for a name */
	struct openstack_name *names;
};

/* Read the fields into cloud->state, as struct cloud_api has it. */
void openstack_open(struct cloud *cloud, struct client_settings *settings);
void openstack_open_rackspace(struct cloud *cloud, struct client_settings *settings);

#endif
