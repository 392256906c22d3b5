/* SPDX-License-Identifier: Apache-2.0
 *
 * An ed25519 pair for ssh, as its programs read it: hides the form in which OpenSSH keeps a private key.
 */
#ifndef CONTENT_KEY_PAIR_H
#define CONTENT_KEY_PAIR_H

#include <stddef.h>

struct error;

struct key_pair {
	char *private; /* as ssh-keygen writes it, without a passphrase, in locked memory of libsodium, a NUL behind it */
	size_t length; /* of the private half */
	char *public;  /* "ssh-ed25519 AAAA..." */
};

/* Makes a pair, both halves of which the caller frees: sodium_free, free. Fails without locked memory, and there is nothing to free. */
int key_pair_make(const char *comment, struct key_pair *pair, struct error *err);

#endif
