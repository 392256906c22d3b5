/* SPDX-License-Identifier: Apache-2.0
 *
 * Private keys with which requests to a cloud are signed, by GnuTLS, in the forms in which clouds give them out: PEM (PKCS#1, PKCS#8 or of an
 * elliptic curve), and PKCS#12 in base64. A key is text of a secret, and is read for each signature; it stays in memory no longer.
 */
#ifndef CLOUD_SIGNING_KEY_H
#define CLOUD_SIGNING_KEY_H

#include <stddef.h>

struct buffer;
struct error;

enum signing_kind { SIGNING_RSA, SIGNING_ECDSA };

/* Signs the bytes over their SHA-256 (PKCS#1 v1.5, or DER of the two numbers) and appends the signature, in bytes. password may be NULL. Fails with
 * EX_CONFIG where the text is no such key, and says how it can be converted. */
int signing_key_sign(const char *key, const char *password, const void *bytes, size_t length, struct buffer *signature, struct error *err);

/* Sets kind to what key it is, and, if that is not NULL, appends its fingerprint as ssh-keygen -E md5 prints it, without "MD5:". */
int signing_key_examine(const char *key, const char *password, enum signing_kind *kind, struct buffer *fingerprint, struct error *err);

#endif
