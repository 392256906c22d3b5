/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection to the sshd of a node through a server, coopr-api(7): standard input goes there, and what comes from there goes to standard
 * output. Hides libcurl, as link.h does.
 */
#ifndef REMOTE_TUNNEL_H
#define REMOTE_TUNNEL_H

struct destination;
struct error;

/* Passes on bytes until one side has ended. tenant and user are those of the options --tenant and --as, or NULL. Fails with the reason of
 * the server, or EX_UNAVAILABLE where it cannot be reached. */
int tunnel_run(const struct destination *destination, const char *cluster, const char *node, const char *tenant, const char *user,
    struct error *err);

#endif
