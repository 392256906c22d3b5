/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider ec2 say: who asks, where, and what instances are to be like. Coopr's documents have "" for what is absent, and
 * numbers and booleans in strings.
 */
#ifndef CLOUD_AMAZON_ACCOUNT_H
#define CLOUD_AMAZON_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/cloud.h"
#include "content/signature.h"

struct ec2_role;
struct known_id;

struct ec2_volume {
	const char *type;
	int64_t size_gb;     /* 0: not given */
	bool given, remove;  /* whether anything of it is given; whether it goes with its instance */
};

struct ec2_account { /* what the fields say */
	const char *url, *host, *path;
	struct signature_signer signer; /* of the fields */
	struct ec2_role *role;          /* that signs in its place; NULL: none */
	const char *zone, *keypair, *subnet, *placement_group, *profile, *spot_price;
	struct string_list groups, group_ids;
	struct ec2_volume root, data;
	bool dedicated, spot, public, interface; /* interface: addresses are asked for by a network interface */
	int64_t skew_ms;                         /* how much the cloud's clock is ahead of ours; under the lock of cloud/stop.h, as below */
	const char *root_image, *root_device;    /* the image that was asked for last, and what it calls its root device */
	struct known_id *images;
};

/* Reads the fields into cloud->state, as struct cloud_api has it: a struct ec2_account. */
void ec2_open(struct cloud *cloud, struct client_settings *settings);

#endif
