/* SPDX-License-Identifier: Apache-2.0
 *
 * What people do with volumes that are free, and with snapshots. Each step is recorded before the provider is asked: whatever is killed in
 * between, the same command again completes it, and nothing is forgotten.
 */
#ifndef VOLUME_UPKEEP_H
#define VOLUME_UPKEEP_H

#include <stdbool.h>

struct account;
struct error;
struct volume_list;

/* Makes a snapshot of the volume of that id, and adds it. */
int volume_upkeep_snapshot(struct account *account, const char *id, struct volume_list *made, struct error *err);

/* Promises the free volume to the cluster of that name, or a new volume that is made from the snapshot of that id; adds it. */
int volume_upkeep_restore(struct account *account, const char *id, const char *cluster, struct volume_list *promised, struct error *err);

/* Deletes the free volume or the snapshot of that id; a volume only where its data may be lost. */
int volume_upkeep_delete(struct account *account, const char *id, bool discards_data, struct error *err);

/* Deletes all volumes and snapshots of a tenant that is about to be deleted. Where it has some and discards_data is not set, that is refused
 * with EX_USAGE, and err lists them. A tenant that does not exist has none. */
int volume_upkeep_delete_all(struct account *account, const char *tenant, bool discards_data, struct error *err);

#endif
