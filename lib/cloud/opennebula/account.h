/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider opennebula say.
 */
#ifndef CLOUD_OPENNEBULA_ACCOUNT_H
#define CLOUD_OPENNEBULA_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/cloud.h"

struct known_id;

struct one_account { /* what the fields say */
	const char *url, *session, *disk_target, *context_target, *arch, *root, *public_key;
	struct string_list networks, groups;
	int64_t disk_gb;
	double pending_s;
	bool old;             /* under the lock of cloud/stop.h, as below: the cloud has no one.vmpool.infoextended */
	struct known_id *ids; /* of templates, images, networks and clusters that were named */
};

/* Reads the fields into cloud->state, as struct cloud_api has it: a struct one_account. */
void one_open(struct cloud *cloud, struct client_settings *settings);

#endif
