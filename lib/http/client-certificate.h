/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificates that clients show: who may have signed them, which are revoked, and whose they are. Hides GnuTLS.
 */
#ifndef HTTP_CLIENT_CERTIFICATE_H
#define HTTP_CLIENT_CERTIFICATE_H

struct client_authority;
struct error;
struct http_exchange;

/* Reads the files, which are PEM: the certificates of authorities, and the lists of what they have revoked; revoked_path may be NULL.
 * EX_NOINPUT where one cannot be read, EX_DATAERR where it is malformed. */
int client_authority_open(struct client_authority **authority, const char *path, const char *revoked_path, struct error *err);

/* Reads the files again; where that fails, what was read before stays. */
int client_authority_reload(struct client_authority *authority, struct error *err);

/* Returns the certificates of the authorities, PEM. Borrowed, until they are read again. */
const char *client_authority_text(const struct client_authority *authority);

/* Fills in the exchange's certificate_name, or why that is not believed, where a certificate was shown on its connection. */
void client_certificate_look(const struct client_authority *authority, void *session, struct http_exchange *exchange);

void client_authority_release(struct client_authority *authority);

#endif
