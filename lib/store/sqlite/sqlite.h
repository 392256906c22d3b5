/* SPDX-License-Identifier: Apache-2.0
 *
 * The store's engine on this machine: one SQLite database in a file. Nothing outside of this folder knows SQLite. Writers
 * take turns at a lock of our own (PATH.lock), in which the kernel lets them wait, so that nobody is ever told that the
 * database is locked; readers wait for nobody.
 *
 * SQLite puts a transaction into its log, and the writer goes on to wait for the disk without its turn (log-sync.h): one wait
 * serves many.
 */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

struct sql_engine;

extern const struct sql_engine sqlite_engine;

#endif
