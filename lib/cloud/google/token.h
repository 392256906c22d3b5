/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens for Google's APIs: a service account asks for one with a JSON Web Token that its key has signed (RS256), and all requests of the process use
 * it until it is about to expire.
 */
#ifndef CLOUD_GOOGLE_TOKEN_H
#define CLOUD_GOOGLE_TOKEN_H

#include "cloud/cloud.h"

/* The password that all keys of service accounts in PKCS#12 have; and a text that is shorter than this is no key. */
#define GOOGLE_KEY_PASSWORD "notasecret"
enum { GOOGLE_KEY_SHORTEST = 256 };

/* Returns a token, in the arena; one thread asks for it, and the others wait. NULL with an error. */
const char *google_token(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct error *err);

/* Has the next request ask for another token, where the cloud has refused this one. */
void google_token_drop(const struct cloud *cloud, const char *token);

#endif
