/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fields of a provider google say: who asks, in which project, and what instances are to be like.
 */
#ifndef CLOUD_GOOGLE_ACCOUNT_H
#define CLOUD_GOOGLE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cloud/cloud.h"
#include "cloud/renewal.h"

struct google_operation;
struct known_id;

struct google_disk {
	const char *type; /* "pd-ssd"; NULL: the cloud's default */
	int64_t size_gb;  /* 0: as the image has it */
};

struct google_account { /* what the fields say */
	const char *root;    /* of URLs: the endpoint, the version and the project, "https://compute.googleapis.com/compute/v1/projects/p" */
	const char *project, *email, *key, *key_id, *token_url;
	const char *zone, *network, *subnetwork, *public_key, *service_account, *image_project;
	struct string_list network_tags, scopes;
	struct google_disk boot;
	const struct google_disk *data;
	size_t data_count;
	const char *data_type; /* of these and of volumes; NULL: the cloud's default */
	bool external, restart, spot, ipv6, inside; /* inside: machines are entered by their internal address */

	/* Under the lock of cloud/stop.h: */
	char *token;           /* NULL: none yet */
	struct renewal token_renewal;
	int64_t skew_ms;       /* how much the cloud's clock is ahead of ours */
	struct google_operation *operations;
	struct known_id *images;
};

/* Reads the fields into cloud->state, as struct cloud_api has it: a struct google_account. */
void google_open(struct cloud *cloud, struct client_settings *settings);

#endif
