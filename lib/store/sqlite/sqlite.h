/* SPDX-License-Identifier: Apache-2.0
 *
 * The store's engine on this machine: one SQLite database in a file. Nothing outside of this folder knows SQLite. Writers
 * take turns at a lock of our own (PATH.lock), in which the kernel lets them wait, so that nobody is ever told that the
 * database is locked; readers wait for nobody.
 *
 * SQLite syncs its log before a transaction becomes visible (synchronous = FULL). A refused fsync therefore undoes the
 * transaction, and the next one writes the same places of the log anew: nothing acknowledged stands on bytes whose fsync
 * was refused.
 */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

struct sql_engine;

extern const struct sql_engine sqlite_engine;

#endif
