/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/life.h"

#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

#define IN(status) (1U << LIFE_##status)
#define STANDING (IN(ACTIVE) | IN(INCOMPLETE) | IN(INCONSISTENT))
#define BROKEN (IN(INCOMPLETE) | IN(INCONSISTENT))

const struct life_move life_moves[] = {
	{"create", IN(ABSENT), LIFE_ACTIVE, LIFE_INCOMPLETE, true, true},
	{"delete", STANDING, LIFE_TERMINATED, LIFE_INCOMPLETE, true, true},
	{"expand", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"shrink", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"add", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"remove", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"config", IN(ACTIVE) | IN(INCONSISTENT), LIFE_SAME, LIFE_INCONSISTENT, true, false},
	{"upgrade", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"apply", IN(ACTIVE), LIFE_ACTIVE, LIFE_INCONSISTENT, true, false},
	{"start", IN(ACTIVE) | IN(INCONSISTENT), LIFE_SAME, LIFE_INCONSISTENT, true, false},
	{"stop", IN(ACTIVE) | IN(INCONSISTENT), LIFE_SAME, LIFE_INCONSISTENT, true, false},
	{"restart", IN(ACTIVE) | IN(INCONSISTENT), LIFE_SAME, LIFE_INCONSISTENT, true, false},
	{"replace", IN(ACTIVE) | IN(INCONSISTENT), LIFE_SAME, LIFE_INCONSISTENT, true, false},
	{"repair", STANDING, LIFE_ACTIVE, LIFE_SAME, true, false},
	{"retry", BROKEN, LIFE_ACTIVE, LIFE_SAME, true, true},
	{"rollback", BROKEN, LIFE_ACTIVE, LIFE_SAME, true, true},
	{"rename", STANDING, LIFE_SAME, LIFE_SAME, false, false},
	{"lease", STANDING, LIFE_SAME, LIFE_SAME, false, false},
	{0},
};

static const char *const names[] = {"absent", "pending", "active", "incomplete", "inconsistent", "terminated"};

const char *
life_status_name(enum life_status status)
{
	return names[status];
}

enum life_status
life_status_of(const char *name)
{
	enum life_status status = LIFE_ABSENT;

	while (status < LIFE_STATUS_COUNT && strcmp(name, names[status]) != 0)
		status++;
	return status;
}

const struct life_move *
life_find(const char *action)
{
	for (const struct life_move *move = life_moves; move->action; move++)
		if (strcmp(move->action, action) == 0)
			return move;
	return NULL;
}

int
life_check(const struct life_move *move, enum life_status status, const char *cluster, struct error *err)
{
	struct buffer others = {0};
	size_t count = 0, number = 0;

	if (move->from >> status & 1)
		return 0;
	if (status == LIFE_PENDING)
		return error_set(err, EX_TEMPFAIL, "%s: another operation is under way; try again when it has ended", cluster);
	if (status == LIFE_ABSENT || status == LIFE_TERMINATED)
		return error_set(err, EX_NO, "%s: there is no such cluster any more", cluster);
	for (const struct life_move *other = life_moves; other->action; other++)
		count += other->from >> status & 1;
	for (const struct life_move *other = life_moves; other->action; other++)
		if (other->from >> status & 1) {
			buffer_printf(&others, "%s%s", number == 0 ? "" : number + 1 == count ? " or " : ", ", other->action);
			number++;
		}
	error_set(err, EX_NO, "%s: %s cannot be done while it is %s; what can: %s", cluster, move->action, names[status],
	    others.data ? others.data : "nothing");
	buffer_release(&others);
	return -1;
}
