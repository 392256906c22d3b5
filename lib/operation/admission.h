/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks what a plan would have coopr do with the host and with secrets, before it is begun: coopr-security(7). What a tenant has
 * written names nothing of the host, and who may not read a secret sends none anywhere that an administrator's document does not.
 */
#ifndef OPERATION_ADMISSION_H
#define OPERATION_ADMISSION_H

struct error;
struct operation_context;

/* Checks the plan in the operation's folder, which an operation of that action begins or continues. What takes a cluster down is
 * always admitted. Fails with EX_NOPERM. */
int admission_check(struct operation_context *context, const char *action, struct error *err);

#endif
