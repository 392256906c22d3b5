/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that takes apart what others have made, done by a process of its own: it reads what it is given, changes one folder, starts no
 * program, has no network and no signals, and is bounded in memory and time. What it was given access to before, files and memory of
 * this program, it has not, but a copy of the memory, which it can give to nobody.
 */
#ifndef CONFINE_APART_H
#define CONFINE_APART_H

struct error;

/* Has work done with context, of which this process sees no change: what is open at reads (a file or a folder) is read, and what is open
 * at changes, a folder, is changed. Returns what work returns, 0 or -1 with a reason; EX_DATAERR where the process has ended otherwise. */
int apart_do(int reads, int changes, int (*work)(void *context, struct error *err), void *context, struct error *err);

#endif
