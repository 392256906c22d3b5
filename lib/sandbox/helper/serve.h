/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers one request of one user, as root. Whose machines they are follows from who is at the other end of the socket, which the
 * kernel says: the names of a user's machines, nodes and clusters begin with "UID-INSTALLATION.", which stands in no request.
 */
#ifndef SANDBOX_HELPER_SERVE_H
#define SANDBOX_HELPER_SERVE_H

struct allowance;
struct error;

/* Reads a request from the socket, does it and answers. Fails only if it could not answer. */
int serve_request(int socket, const struct allowance *allowance, struct error *err);

#endif
