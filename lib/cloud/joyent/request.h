/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of Triton's CloudAPI, each signed by the cloud's clock, and what its errors mean.
 */
#ifndef CLOUD_JOYENT_REQUEST_H
#define CLOUD_JOYENT_REQUEST_H

#include "cloud/cloud.h"

enum { JO_CODE_SIZE = 64 };

/* Sends a request, once more by the cloud's clock where that differs. path is below the account; code is set to the cloud's word for an error. */
int jo_ask(const struct cloud *cloud, const char *method, const char *path, const char *body, const struct stop *stop, struct client_answer *answer,
    jv *out, char code[JO_CODE_SIZE], struct error *err);

/* Reads what a path has. Returns it; invalid with an error. */
jv jo_get(const struct cloud *cloud, const char *path, const struct stop *stop, long *status, struct error *err);

#endif
