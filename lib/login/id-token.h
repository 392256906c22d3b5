/* SPDX-License-Identifier: Apache-2.0
 *
 * An ID token of OpenID Connect: a JSON Web Signature, RFC 7515, by RS256 or ES256. The libraries for these in Debian bring libjansson, whose
 * names are those of json/json.h; so the cryptography is that of GnuTLS, and the form is taken apart here.
 */
#ifndef LOGIN_ID_TOKEN_H
#define LOGIN_ID_TOKEN_H

#include "json/json.h"

struct error;

struct id_token_use { /* for whom it has to be */
	const char *issuer, *client, *nonce;
};

/* Checks that the token is signed with one of the keys, a JSON Web Key Set, by an algorithm that the key is for; and takes what it
 * claims. EX_NOPERM where it is not, or malformed. */
int id_token_open(const char *token, jv keys, jv *claims, struct error *err);

/* Checks that what it claims is of the issuer, for the client, of this login, and valid now. EX_NOPERM. */
int id_token_check(jv claims, const struct id_token_use *use, struct error *err);

#endif
