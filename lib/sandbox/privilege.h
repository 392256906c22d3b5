/* SPDX-License-Identifier: Apache-2.0
 *
 * What root may do in a machine: what services need in their own process tree, network and files. Not: to
 * mount, make device nodes, load modules, set the clock, open files of the host by handle, ...
 */
#ifndef SANDBOX_PRIVILEGE_H
#define SANDBOX_PRIVILEGE_H

struct error;

/* Drops all other capabilities, for this process and all that it will ever start. */
int privilege_drop(struct error *err);

#endif
