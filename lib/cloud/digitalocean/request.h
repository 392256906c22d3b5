/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of version 2 of DigitalOcean's API.
 */
#ifndef CLOUD_DIGITALOCEAN_REQUEST_H
#define CLOUD_DIGITALOCEAN_REQUEST_H

#include "cloud/cloud.h"

/* Sends a request. path is below the endpoint; body may be NULL. */
int do_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, struct error *err);

#endif
