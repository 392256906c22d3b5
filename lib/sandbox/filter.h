/* SPDX-License-Identifier: Apache-2.0
 *
 * The system calls that no process of a machine has: those that mount, make namespaces, load code into the kernel, set the clock,
 * swap, keys, what watches other processes from the kernel, and sockets of families other than the local ones, IP, netlink and
 * packets. Services have no use for them, and the kernel's errors were found there. A refused one fails with EPERM, or with ENOSYS
 * where programs then take another way.
 */
#ifndef SANDBOX_FILTER_H
#define SANDBOX_FILTER_H

struct error;

/* Filters the system calls of this process and of all that it will ever start. It needs CAP_SYS_ADMIN in its user namespace. */
int filter_install(struct error *err);

#endif
