/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/lifecycle.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

#define IN(status) (1U << LIFECYCLE_##status)
#define STANDING (IN(ACTIVE) | IN(INCOMPLETE) | IN(INCONSISTENT))
#define BROKEN (IN(INCOMPLETE) | IN(INCONSISTENT))

const struct lifecycle_transition lifecycle_transitions[] = {
	{"create", IN(ABSENT), LIFECYCLE_ACTIVE, LIFECYCLE_INCOMPLETE, true, true, true},
	{"delete", STANDING, LIFECYCLE_TERMINATED, LIFECYCLE_INCOMPLETE, true, true, true},
	{"expand", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"shrink", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"add", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"remove", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"config", IN(ACTIVE) | IN(INCONSISTENT), LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, true},
	{"upgrade", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"apply", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, true},
	{"start", IN(ACTIVE) | IN(INCONSISTENT), LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, true},
	{"stop", IN(ACTIVE) | IN(INCONSISTENT), LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, true},
	{"restart", IN(ACTIVE) | IN(INCONSISTENT), LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, true},
	{"replace", IN(ACTIVE) | IN(INCONSISTENT), LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, true},
	{"repair", STANDING, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, false, false},
	{"retry", BROKEN, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, true, true},
	{"rollback", BROKEN, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, true, true},
	{"rename", STANDING, LIFECYCLE_SAME, LIFECYCLE_SAME, false, false, true},
	{"lease", STANDING, LIFECYCLE_SAME, LIFECYCLE_SAME, false, false, true},
	{0},
};

static const char *const names[] = {"absent", "pending", "active", "incomplete", "inconsistent", "terminated"};

const char *
lifecycle_status_name(enum lifecycle_status status)
{
	return names[status];
}

enum lifecycle_status
lifecycle_status_of(const char *name)
{
	enum lifecycle_status status = LIFECYCLE_ABSENT;

	while (status < LIFECYCLE_STATUS_COUNT && strcmp(name, names[status]) != 0)
		status++;
	return status;
}

const struct lifecycle_transition *
lifecycle_find(const char *action)
{
	for (const struct lifecycle_transition *transition = lifecycle_transitions; transition->action; transition++)
		if (strcmp(transition->action, action) == 0)
			return transition;
	return NULL;
}

/* Returns whether a command of the transition's name may be run in that status. */
static bool
lifecycle_offers(const struct lifecycle_transition *transition, enum lifecycle_status status)
{
	return transition->command && transition->from >> status & 1;
}

int
lifecycle_check(const struct lifecycle_transition *transition, enum lifecycle_status status, const char *cluster,
    struct error *err)
{
	struct buffer others = {0};
	size_t count = 0, number = 0;

	if (transition->from >> status & 1)
		return 0;
	if (status == LIFECYCLE_PENDING)
		return error_set(err, EX_TEMPFAIL, "%s: another operation is under way; try again when it has ended", cluster);
	if (status == LIFECYCLE_ABSENT || status == LIFECYCLE_TERMINATED)
		return error_set(err, EX_NO, "%s: the cluster is terminated", cluster);
	for (const struct lifecycle_transition *other = lifecycle_transitions; other->action; other++)
		count += lifecycle_offers(other, status);
	for (const struct lifecycle_transition *other = lifecycle_transitions; other->action; other++)
		if (lifecycle_offers(other, status)) {
			buffer_printf(&others, "%s%s", number == 0 ? "" : number + 1 == count ? " or " : ", ", other->action);
			number++;
		}
	error_set(err, EX_NO, "%s: %s is not possible while the cluster is %s; possible: %s", cluster, transition->action, names[status],
	    others.data ? others.data : "nothing");
	buffer_release(&others);
	return -1;
}
