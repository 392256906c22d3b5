/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/login-limit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "event/tail.h"
#include "model/take/task.h"
#include "ssh/bastion.h"

enum { BACK_OFF_FIRST_MS = 100 };

struct login_limit *
login_limit_of(struct login_limit **limits, const struct machine *machine)
{
	const struct bastion *bastion = &machine->bastion; /* whose sshd takes all logins to what is behind it */
	char *name = memory_printf("%s %lld", bastion->host ? bastion->host : machine->address, (long long)(bastion->host ? bastion->port : machine->port));
	struct login_limit *limit = *limits;

	while (limit && strcmp(limit->name, name) != 0)
		limit = limit->next;
	if (limit) {
		free(name);
		return limit;
	}
	limit = memory_zeroed(1, sizeof *limit);
	*limit = (struct login_limit){.name = name, .allowed = LOGIN_LIMIT_FIRST, .next = *limits};
	*limits = limit;
	return limit;
}

void
login_limits_free(struct login_limit *limits)
{
	while (limits) {
		struct login_limit *limit = limits;

		limits = limit->next;
		free(limit->name);
		free(limit);
	}
}

void
login_limit_succeeded(struct login_limit *limit)
{
	limit->opening--;
	if (limit->allowed < LOGIN_LIMIT_MAX)
		limit->allowed++;
}

bool
login_limit_failed(struct login_limit *limit, const struct tail *said)
{
	/* sshd refuses a connection before authentication if too many are open at once (MaxStartups). */
	static const char *const words[] = {"kex_exchange_identification", "Connection closed by", "Connection reset by"};

	limit->opening--;
	if (bastion_is_at_fault(said))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (buffer_contains(&said->kept, words[i])) {
			limit->allowed = limit->allowed > 1 ? limit->allowed / 2 : 1;
			return true;
		}
	return false;
}

int64_t
login_limit_back_off(unsigned times)
{
	uint32_t chance = 0;
	int64_t delay = BACK_OFF_FIRST_MS << times;

	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != sizeof chance)
		return delay;
	return delay / 2 + (int64_t)(chance % (uint32_t)delay);
}
