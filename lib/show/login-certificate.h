/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates of ssh, with which somebody enters the nodes of one cluster for five minutes, and with a key that is no concern of ours: the
 * key of the cluster signs them, and its nodes admit what it has signed.
 */
#ifndef SHOW_LOGIN_CERTIFICATE_H
#define SHOW_LOGIN_CERTIFICATE_H

#include <jv.h>

struct buffer;
struct cluster_status;
struct error;
struct node;

/* Has the node admit certificates of the cluster's key, and signs the public key for its user. *record is owned: the certificate, whom and
 * until when it is for. EX_NOPERM where the account may only read, EX_DATAERR where there is no public key, EX_CONFIG where nothing is to be
 * written on the node; and as a login fails. */
int login_certificate(const struct cluster_status *status, const struct node *node, const struct buffer *public, jv *record,
    struct error *err);

#endif
