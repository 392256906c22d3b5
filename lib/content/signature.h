/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures of requests, version 4, as services that speak the protocols of Amazon ask for them: hides what is signed in which order.
 */
#ifndef CONTENT_SIGNATURE_H
#define CONTENT_SIGNATURE_H

#include <stdint.h>

struct arguments;

struct signature_signer {
	const char *id, *secret; /* the access key */
	const char *token;       /* of a session; NULL: there is none */
	const char *region, *service;
};

struct signature_request {
	const char *method;
	const char *host;  /* with its port, where that is not the scheme's */
	const char *path;  /* as it is sent: encoded */
	const char *query; /* encoded, its parameters sorted by name, each with "="; "" for none */
	const char *sum;   /* SHA-256 of the body, hexadecimal */
};

/* Adds the headers of a request that is sent at that time, "Name: value", the signature among them. */
void signature_add(const struct signature_signer *signer, const struct signature_request *request, int64_t at_ms, struct arguments *headers);

#endif
