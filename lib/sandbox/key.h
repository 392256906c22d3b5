/* SPDX-License-Identifier: Apache-2.0
 *
 * ed25519 keys, made by ssh-keygen(1).
 */
#ifndef SANDBOX_KEY_H
#define SANDBOX_KEY_H

struct error;

/* Makes the key pair path, path.pub in place of what stands there. */
int key_make(const char *path, const char *comment, struct error *err);

/* Returns "ssh-ed25519 AAAA..." of the file path.pub, without the comment; NULL on error. The caller frees it. */
char *key_public(const char *path, struct error *err);

/* Returns the path of the private key with which this installation logs in to its machines, location_state()/ssh/id_ed25519;
 * NULL on error. The first who asks makes it. The caller frees the path. */
char *key_login(struct error *err);

#endif
