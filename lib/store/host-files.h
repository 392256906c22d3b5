/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings into the store what versions before its sixth kept in files of one host, below location_state():
 *
 *	static/ADDRESS:PORT.json       a machine that a node has
 *	hooks/ID,HOOK                  a message that a hook has not got yet
 *	clusters/ID/unreachable        lines "NODE MILLISECONDS": since when nodes have not answered
 *	clusters/ID/JOB/NAME           the files of an operation
 *	reconciled                     its time is when coopr reconcile ran last
 */
#ifndef STORE_HOST_FILES_H
#define STORE_HOST_FILES_H

struct error;
struct sql;

/* Brings all that into the store at path, inside a transaction, if it is the store of this installation. Anything that
 * is in the store already stays as it is there. EX_DATAERR, with the file, where one is not what it should be. */
int host_files_bring(struct sql *db, const char *path, struct error *err);

/* Puts aside what was brought, as back-up, once the transaction is committed: static.version-N and hooks.version-N. Killed before
 * that, it leaves files that nobody reads. */
void host_files_put_aside(const char *path, int version);

#endif
