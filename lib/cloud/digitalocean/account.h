/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider digitalocean say.
 */
#ifndef CLOUD_DIGITALOCEAN_ACCOUNT_H
#define CLOUD_DIGITALOCEAN_ACCOUNT_H

#include <stdbool.h>

#include "cloud/cloud.h"

struct do_account { /* what the fields say */
	const char *endpoint, *authorization, *region, *keypair, *vpc;
	bool ipv6;
	jv sizes; /* those that the cloud has, once a trial has asked, of which there is one at a time */
};

/* Reads the fields into cloud->state, as struct cloud_api has it: a struct do_account. */
void do_open(struct cloud *cloud, struct client_settings *settings);

#endif
