/* SPDX-License-Identifier: Apache-2.0
 *
 * On which boot of the machine all agree who have a spool open. In a container, processes may see different boot_ids at the
 * same time: its own, and where a service manager has mounted /proc/sys anew for a service, the host's. One that took the other's
 * for another boot would take away the tasks that run.
 *
 * So the file boot of the spool has the id that counts as long as anybody has the file locked, and whoever finds it unlocked,
 * as after each boot, writes what they see. A lock is never held across a boot.
 */
#ifndef QUEUE_SPOOL_SHARED_BOOT_H
#define QUEUE_SPOOL_SHARED_BOOT_H

#include "base/clock.h"

/* Writes the id into text. Returns the descriptor of the locked file, to be closed with the spool; -1 if that cannot be, and then the id
 * is the one that this process sees. root is the spool's folder. */
int boot_agree(int root, char text[CLOCK_BOOT_ID_SIZE]);

#endif
