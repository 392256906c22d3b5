/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "event/tail.h"
#include "model/take/task.h"

enum { BACK_OFF_FIRST_MS = 100 };

struct gate *
gate_of(struct gate **gates, const struct machine *machine)
{
	char *name = memory_printf("%s %lld", machine->address, (long long)machine->port);
	struct gate *gate = *gates;

	while (gate && strcmp(gate->name, name) != 0)
		gate = gate->next;
	if (gate) {
		free(name);
		return gate;
	}
	gate = memory_zeroed(1, sizeof *gate);
	*gate = (struct gate){.name = name, .limit = GATE_FIRST, .next = *gates};
	*gates = gate;
	return gate;
}

void
gates_free(struct gate *gates)
{
	while (gates) {
		struct gate *gate = gates;

		gates = gate->next;
		free(gate->name);
		free(gate);
	}
}

void
gate_passed(struct gate *gate)
{
	gate->opening--;
	if (gate->limit < GATE_MAX)
		gate->limit++;
}

/* Returns whether sshd refused the connection before authentication because too many were open at once (MaxStartups). */
static bool
gate_was_dropped(const struct tail *said)
{
	static const char *const words[] = {"kex_exchange_identification", "Connection closed by", "Connection reset by"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (said->kept.length && memmem(said->kept.data, said->kept.length, words[i], strlen(words[i])))
			return true;
	return false;
}

bool
gate_refused(struct gate *gate, const struct tail *said)
{
	gate->opening--;
	if (!gate_was_dropped(said))
		return false;
	gate->limit = gate->limit > 1 ? gate->limit / 2 : 1;
	return true;
}

int64_t
gate_back_off(unsigned times)
{
	uint32_t chance = 0;
	int64_t delay = BACK_OFF_FIRST_MS << times;

	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != sizeof chance)
		return delay;
	return delay / 2 + (int64_t)(chance % (uint32_t)delay);
}
