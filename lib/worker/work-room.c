/* SPDX-License-Identifier: Apache-2.0
 *
 * A process is started where there is room for one: as long as the system is out of something, descriptors or processes,
 * a task that we have waits in hand until another one has ended. It has not failed, and no more are taken meanwhile.
 */
#include <sys/resource.h>

#include "base/clock.h"
#include "worker/work-state.h"

enum {
	DESCRIPTORS = 256,    /* for all that is not a task */
	EACH = 3,             /* that a task takes */
	CEILING_MS = 60000,   /* so long no more are taken at a time than there was room for */
};

size_t
work_slots(const struct work *work)
{
	return work->options.slots ? work->options.slots : work->config.slots;
}

size_t
work_free_slots(const struct work *work)
{
	size_t slots = work_slots(work), ceiling = work_ceiling(work);

	if (work->signals > 0 || work->held.count > 0)
		return 0;
	if (slots > ceiling)
		slots = ceiling;
	if (work->options.until == WORK_ONE)
		slots = work->taken ? 0 : 1;
	return work->running.count < slots ? slots - work->running.count : 0;
}

bool
work_is_wanted(struct work *work, const struct slot *slot)
{
	struct error unknown;

	return queue_wanted(work->queue, slot->task.job, slot->task.task, slot->task.attempt, &unknown) != 0;
}

void
work_allow_descriptors(struct work *work)
{
	size_t wanted = EACH * work_slots(work) + DESCRIPTORS, kept;
	struct rlimit limit;

	work->room = SIZE_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= wanted)
		return;
	kept = limit.rlim_cur / 2 < DESCRIPTORS ? limit.rlim_cur / 2 : DESCRIPTORS;
	work->room = (limit.rlim_cur - kept) / EACH;
	if (work->room == 0)
		work->room = 1;
}

size_t
work_ceiling(const struct work *work)
{
	return work->ceiling_until > clock_monotonic_ms() ? work->ceiling : SIZE_MAX;
}

static int
work_launch(struct work *work, struct slot *slot, struct error *err)
{
	if (work->supervisor.count >= work->room)
		return error_set(err, EX_OSERR, "only so many files can be open at a time, see ulimit -n");
	slot_make_child(slot, work->argv, work->config.environment);
	return supervise_start(&work->supervisor, &slot->child, err);
}

/* The end of a process will make room; where there is none, we are of no use: the tasks are for another worker. */
static void
work_lower(struct work *work, const struct error *why)
{
	size_t room = work->supervisor.count;

	if (room == 0) {
		work->unfit = *why;
		return;
	}
	if (work->ceiling != room) {
		work->trouble = *why;
		error_prefix(&work->trouble, "%zu processes are all there is room for at a time", room);
	}
	work->ceiling = room;
	work->ceiling_until = clock_monotonic_ms() + CEILING_MS;
}

/* It is tried again later, by the rules of the queue. */
static void
work_room_refuse(struct work *work, struct slot *slot, const char *why)
{
	slot_refuse(slot, why);
	slot_list_add(&work->ended, slot);
}

void
work_start_child(struct work *work, struct slot *slot)
{
	struct error err = {.code = EX_OSERR};

	if (work->signals > 1) {
		slot_list_remove(&work->running, slot);
		slot_free(slot);
	} else if (work->held.count > 0 || work_launch(work, slot, &err) < 0) {
		slot_list_remove(&work->running, slot);
		if (err.code != EX_OSERR) {
			work_room_refuse(work, slot, err.text);
			return;
		}
		if (work->held.count == 0)
			work_lower(work, &err);
		slot_list_add(&work->held, slot);
	}
}

void
work_start_held(struct work *work)
{
	struct slot *slot;
	struct error err;

	while ((slot = work->held.first)) {
		bool wanted = work_is_wanted(work, slot), started = wanted && work_launch(work, slot, &err) == 0;

		if (wanted && !started && err.code == EX_OSERR) {
			work_lower(work, &err);
			return;
		}
		slot_list_remove(&work->held, slot);
		if (started)
			slot_list_add(&work->running, slot);
		else
			work_room_refuse(work, slot, wanted ? err.text : "not begun: its job does not want it any more");
	}
}
