/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of the scheduler's table. Whoever takes it looks at what the one before has left: what is of another start of the
 * machine, or damaged, is filled anew from jobs/; where that one was stopped, all that follows from the slots is derived anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/memory.h"
#include "queue/spool/shared/scheduler-file.h"
#include "queue/spool/shared/scheduler-fill.h"
#include "queue/spool/shared/scheduler-links.h"
#include "queue/spool/shared/spool.h"

/* Under the lock. Who is stopped in between leaves no magic. */
static int
scheduler_rebuild(struct scheduler_table *table, struct error *err)
{
	if (scheduler_reset(table, err) < 0)
		return -1;
	table->remade++;
	table->locked = true;
	if (scheduler_fill(table, err) < 0)
		return -1;
	scheduler_validate(table);
	return 0;
}

static void
scheduler_release_lock(struct scheduler_table *table)
{
	table->locked = false;
	if (table->header)
		table->header->changing = 0;
	flock(table->fd, LOCK_UN);
}

int
scheduler_open(struct scheduler_table *table, const struct spool *spool, struct error *err)
{
	int usable;

	*table = (struct scheduler_table){.spool = spool, .checksum = memory_zeroed(1, sizeof *table->checksum)};
	table->fd = openat(spool->root, "board", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (table->fd < 0) {
		error_errno(err, EX_CANTCREAT, "%s/board", spool->path);
		scheduler_close(table);
		return -1;
	}
	usable = scheduler_map_usable(table, err);
	if (usable == 0 && lock_wait(table->fd, LOCK_EX) < 0)
		usable = scheduler_fail(table, err);
	else if (usable == 0) {
		/* Another may have been faster. */
		usable = scheduler_map_usable(table, err);
		if (usable == 0)
			usable = scheduler_rebuild(table, err) < 0 ? -1 : 0;
		if (usable == 0)
			scheduler_release_lock(table);
		else
			flock(table->fd, LOCK_UN);
	}
	if (usable < 0)
		scheduler_close(table);
	return usable < 0 ? -1 : 0;
}

int
scheduler_refresh(struct scheduler_table *table, struct error *err)
{
	const struct spool *spool = table->spool;
	struct scheduler_table fresh, old;
	struct stat st;

	/* Someone may have removed it by hand, or cut it off. Where it cannot be opened we keep the one we have: it is mapped. */
	if (fstatat(spool->root, "board", &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_ino != table->inode ||
	    (size_t)st.st_size < table->mapped) {
		if (scheduler_open(&fresh, spool, err) < 0)
			return -1;
		old = *table;
		*table = fresh;
		scheduler_close(&old);
		return 0;
	}
	if (scheduler_size_for(table->header->capacity) > table->mapped && (size_t)st.st_size > table->mapped)
		return scheduler_map(table, (size_t)st.st_size, err);
	return 0;
}

/* Takes over what others have left there, and makes it anew if it is damaged. */
static int
scheduler_check(struct scheduler_table *table, struct error *err)
{
	struct scheduler_header *header = table->header;

	/* Who was stopped while changing it had no time for its sum. */
	if (!scheduler_is_usable(table, table->mapped) || (!header->changing && header->sum != scheduler_sum_of(header)))
		return scheduler_rebuild(table, err);
	if (header->changing) {
		checksum_release(table->checksum);
		scheduler_links_derive(table);
		scheduler_begin_checksum(table);
		checksum_all(table->checksum);
	} else if (table->checksum->base != (void *)table->entries || table->checksum->size != scheduler_entries_size(header->capacity)) {
		scheduler_begin_checksum(table);
	}
	header->changing = 1;
	return 0;
}

int
scheduler_lock(struct scheduler_table *table, struct error *err)
{
	struct stat st;
	int result = 0;

	if (scheduler_refresh(table, err) < 0)
		return -1;
	if (lock_wait(table->fd, LOCK_EX) < 0)
		return scheduler_fail(table, err);
	table->locked = true;
	/* It may have grown while we waited. */
	if (scheduler_size_for(table->header->capacity) > table->mapped) {
		if (fstat(table->fd, &st) < 0)
			result = scheduler_fail(table, err);
		else if ((size_t)st.st_size > table->mapped)
			result = scheduler_map(table, (size_t)st.st_size, err);
	}
	if (result == 0)
		result = scheduler_check(table, err);
	if (result < 0) {
		table->locked = false;
		flock(table->fd, LOCK_UN);
	}
	atomic_signal_fence(memory_order_seq_cst);
	return result;
}

bool
scheduler_unlock(struct scheduler_table *table)
{
	bool whole = !table->checksum->broken;
	struct error ignored;

	if (whole) {
		checksum_close(table->checksum);
		table->header->sum = scheduler_sum_of(table->header);
	} else if (scheduler_rebuild(table, &ignored) < 0) {
		/* Whoever comes next tries again: it has no magic. */
		checksum_release(table->checksum);
	}
	atomic_signal_fence(memory_order_seq_cst);
	scheduler_release_lock(table);
	return whole;
}

void
scheduler_audit(struct scheduler_table *table, bool all)
{
	struct scheduler_header *header;
	struct error ignored;
	size_t blocks;

	if (scheduler_lock(table, &ignored) < 0)
		return;
	header = table->header;
	blocks = checksum_count(table->checksum->size);
	if (header->audited >= blocks)
		header->audited = 0;
	checksum_check(table->checksum, all ? 0 : header->audited, all ? blocks : SCHEDULER_AUDIT_BLOCKS);
	header->audited += SCHEDULER_AUDIT_BLOCKS;
	scheduler_unlock(table);
}
