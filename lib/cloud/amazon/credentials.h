/* SPDX-License-Identifier: Apache-2.0
 *
 * Who signs requests: the access key of the fields, or the role of the instance that coopr itself runs on, whose temporary keys the instance's metadata
 * service gives (version 2). That role is the installation's: no provider that a tenant has written comes near it.
 */
#ifndef CLOUD_AMAZON_CREDENTIALS_H
#define CLOUD_AMAZON_CREDENTIALS_H

#include <stdbool.h>

struct arena;
struct cloud;
struct ec2_role;
struct error;
struct signature_signer;
struct stop;

/* Begins to use the role, by the metadata service at a URL. Returns NULL with an error. */
struct ec2_role *ec2_role_new(const char *url, struct error *err);

/* Sets who signs, in the arena; keys that are about to expire are asked for anew, by one thread, and the others wait. */
int ec2_signer(const struct cloud *cloud, const struct stop *stop, struct arena *arena, struct signature_signer *signer, struct error *err);

/* Has keys of the role be asked for anew that were refused. Returns whether they are. */
bool ec2_signer_renew(const struct cloud *cloud, const struct signature_signer *signer);

#endif
