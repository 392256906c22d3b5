/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider joyent say: who asks, with which key, and where.
 */
#ifndef CLOUD_JOYENT_ACCOUNT_H
#define CLOUD_JOYENT_ACCOUNT_H

#include <stdint.h>

#include "cloud/cloud.h"

struct known_id;

struct jo_account { /* what the fields say */
	const char *url, *path, *key, *key_id, *algorithm, *version, *public_key;
	struct string_list networks;
	int64_t skew_ms;         /* how much the cloud's clock is ahead of ours; under the lock of cloud/stop.h, as below */
	struct known_id *ids;    /* of packages, images and networks that were named */
};

/* Reads the fields into cloud->state, as struct cloud_api has it: a struct jo_account. */
void jo_open(struct cloud *cloud, struct client_settings *settings);

#endif
