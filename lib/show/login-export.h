/* SPDX-License-Identifier: Apache-2.0
 *
 * How other programs log in to the nodes of a cluster: as a configuration of ssh(1), and as an inventory of Ansible.
 */
#ifndef SHOW_LOGIN_EXPORT_H
#define SHOW_LOGIN_EXPORT_H

#include <stddef.h>

struct buffer;
struct cluster_status;
struct error;
struct login_through;

/* Append ssh_config(5) with a Host for each node; or what an inventory script of Ansible prints for --list. Through a server, unless through
 * is NULL: the inventory is then of the hosts of the configuration that was written for it. The layout has been read. Nodes without an address, or of which no host key is known, are left out, and their number is *left_out. Return 0, or -1
 * where a record makes no sense or known_hosts cannot be written. */
int login_export_ssh(const struct cluster_status *status, const struct login_through *through, struct buffer *out, size_t *left_out,
    struct error *err);
int login_export_ansible(const struct cluster_status *status, const struct login_through *through, struct buffer *out, size_t *left_out,
    struct error *err);

#endif
