/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate and the key that a server shows. Hides GnuTLS. They may be read again while connections are there, which keep what
 * they have.
 */
#ifndef HTTP_CERTIFICATE_H
#define HTTP_CERTIFICATE_H

#include <stdbool.h>

struct certificate;
struct error;

/* Reads the files, which are PEM: the certificate, with those that lead to its authority behind it, and its key. EX_NOINPUT where one
 * cannot be read, EX_DATAERR where it is malformed, or they do not belong to each other. */
int certificate_open(struct certificate **certificate, const char *chain_path, const char *key_path, struct error *err);

/* Reads the files again; where that fails, what was read before stays. */
int certificate_reload(struct certificate *certificate, struct error *err);

/* Returns whether no authority has signed the certificate that was read last: it is signed with its own key. */
bool certificate_is_self_signed(const struct certificate *certificate);

void certificate_release(struct certificate *certificate);

#endif
