/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/lifecycle.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/plural.h"

#define IN(status) (1U << LIFECYCLE_##status)
#define STANDING (IN(ACTIVE) | IN(INCOMPLETE) | IN(INCONSISTENT))
#define BROKEN (IN(INCOMPLETE) | IN(INCONSISTENT))
#define CHANGEABLE (IN(ACTIVE) | IN(INCONSISTENT))

/* A cluster is incomplete after a creation, too, of which there is nothing to bring back: rollback is not recommended there. */
const struct lifecycle_transition lifecycle_transitions[] = {
	{"create", IN(ABSENT), LIFECYCLE_ACTIVE, LIFECYCLE_INCOMPLETE, true, true, 0},
	{"delete", STANDING, LIFECYCLE_TERMINATED, LIFECYCLE_INCOMPLETE, true, true, STANDING},
	{"expand", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"shrink", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"scale", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"add", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"remove", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"config", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, CHANGEABLE},
	{"upgrade", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"apply", IN(ACTIVE), LIFECYCLE_ACTIVE, LIFECYCLE_INCONSISTENT, true, false, IN(ACTIVE)},
	{"start", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, CHANGEABLE},
	{"stop", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, CHANGEABLE},
	{"restart", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, CHANGEABLE},
	{"backup", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_SAME, true, false, 0},
	{"restore", CHANGEABLE, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, 0},
	{"replace", STANDING, LIFECYCLE_SAME, LIFECYCLE_INCONSISTENT, true, false, CHANGEABLE},
	{"repair", STANDING, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, false, 0},
	{"retry", BROKEN, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, true, BROKEN},
	{"rollback", STANDING, LIFECYCLE_ACTIVE, LIFECYCLE_SAME, true, true, IN(INCONSISTENT)},
	{"rename", STANDING, LIFECYCLE_SAME, LIFECYCLE_SAME, false, false, STANDING},
	{"lease", STANDING, LIFECYCLE_SAME, LIFECYCLE_SAME, false, false, STANDING},
	{0},
};

static const char *const names[] = {"absent", "pending", "active", "incomplete", "inconsistent", "terminated"};

const char *
lifecycle_status_name(enum lifecycle_status status)
{
	return names[status];
}

const char *
lifecycle_state_name(enum lifecycle_status status)
{
	static const char *const states[] = {"absent", "updating", "active", "failed", "failed", "terminated"};

	return states[status];
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

/* Returns whether messages recommend the command of the transition's name in that status. */
static bool
lifecycle_offers(const struct lifecycle_transition *transition, enum lifecycle_status status)
{
	return transition->offered >> status & 1;
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
		return error_set(err, EX_TEMPFAIL, "%s: another operation is in progress; try again when it has ended", cluster);
	if (status == LIFECYCLE_ABSENT || status == LIFECYCLE_TERMINATED)
		return error_set(err, EX_NO, "%s: the cluster is terminated", cluster);
	for (const struct lifecycle_transition *other = lifecycle_transitions; other->action; other++)
		count += lifecycle_offers(other, status);
	for (const struct lifecycle_transition *other = lifecycle_transitions; other->action; other++)
		if (lifecycle_offers(other, status)) {
			buffer_printf(&others, "%s%s", plural_before(number, count, " or "), other->action);
			number++;
		}
	error_set(err, EX_NO, "%s: %s is not possible while the cluster is %s; possible: %s", cluster, transition->action, names[status],
	    others.data ? others.data : "nothing");
	buffer_release(&others);
	return -1;
}
