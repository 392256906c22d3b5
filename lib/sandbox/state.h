/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of the sandbox, below location_state(). What is in it:
 *
 *	sandbox/                 locked while an address is claimed, a hosts file is changed, or a
 *	                         bridge is made or removed; gone when there is no machine
 *	  addresses/10.213.0.2   a link whose text is the name of the machine that has this address
 *	  tables/10.213.0.2      a link whose text is the id of the cluster whose routing table has this number
 *	  ids/7                  a link whose text is the name of the machine that has this range of user ids
 *	  clusters/ID/hosts      names of a cluster's machines, seen by each of them as /etc/hosts
 *	  machines/NAME/         one machine; locked while it is made or unmade
 *	    machine              what it is, coopr-sandbox(7); written first, removed last
 *	    life                 locked by its init: the machine lives as long as the lock is held
 *	    console              what its init and its sshd say
 *	    key, key.pub         its host key
 *	    authorized_keys      who may log in
 *	    disk                 a file system with what differs from the image, disk.h
 *	    layer/               where it is mounted, for the machine only; without a disk, what differs itself
 *	    root/                its root directory, in its own mount namespace
 *
 * Locks are flock(2) on the folder itself, so that there is no lock file to leave behind. A machine is locked
 * before the sandbox, never after it. The programs that we run (ip, ssh-keygen) inherit our locks: when we are killed,
 * the next one waits until they have ended too. sandbox-init does not.
 */
#ifndef SANDBOX_STATE_H
#define SANDBOX_STATE_H

struct error;

/* Returns the path of the sandbox's folder, or of something in it; the caller frees it. */
char *state_path(const char *below);

/* Returns the path of the folder of a machine; the caller frees it. */
char *state_machine_path(const char *name);

/* Makes a folder, unless it exists, and waits for its lock. Returns its descriptor (closing it unlocks), or -1. */
int state_lock(const char *path, struct error *err);

/* Waits for the lock of a folder. Returns its descriptor, or -1, with EX_NO if it does not exist. */
int state_lock_existing(const char *path, struct error *err);

/* Removes the folders below sandbox, the locked folder, that are empty, and then that folder. */
void state_tidy(int sandbox);

/* Puts text at name in dir, whole or not at all as long as the host is up. Nothing here outlives the host's
 * uptime usefully, so nothing waits for the disk. */
int state_write(int dir, const char *name, const char *text, struct error *err);

#endif
