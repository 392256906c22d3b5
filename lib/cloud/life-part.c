/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life-part.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "address/range.h"
#include "base/clock.h"
#include "base/message.h"
#include "cloud/intent.h"
#include "cloud/sightings.h"
#include "exec/attempt-log.h"
#include "exec/task-outcome.h"

void
life_say(const struct life *life, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	if (life->log) {
		char *line = memory_printf("%s: %s\n", life->task->machine.id, text);

		attempt_log_append(life->log, line, strlen(line));
		free(line);
	} else {
		message("%s: %s", life->task->machine.id, text);
	}
	free(text);
}

void
life_reach(const struct cloud *cloud, struct cloud_machine *machine)
{
	if (jv_is_valid(cloud->bastion) && !machine->access_v4 && !machine->access_v6) {
		machine->access_v4 = machine->bind_v4;
		machine->access_v6 = machine->bind_v6;
	}
}

int
life_look(struct life *life, int64_t since_ms, struct cloud_machines *found)
{
	int result = sightings_look(life->cloud, life->task->machine.id, since_ms, life->stop, found, &life->error);

	for (size_t i = 0; result == 0 && i < found->count; i++)
		life_reach(life->cloud, &found->list[i]);
	return result;
}

const char *
life_member(struct life *life, const char *object, const char *name)
{
	jv value = json_get(life->task->source, object);
	const char *text = json_arena_string(value, name, &life->arena);

	jv_free(value);
	return text;
}

int
life_settle(struct life *life, const struct intent *intent, struct cloud_machines *found)
{
	int64_t window_ms = life->cloud->window_ms;

	for (;;) {
		bool over = clock_boottime_ms() > intent->asked_ms + window_ms;

		if (life_look(life, clock_monotonic_ms(), found) < 0)
			return -1;
		if (found->count > 0 || over)
			return found->count > 0;
		cloud_machines_release(found);
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->error) < 0)
			return -1;
	}
}

const char *
life_user(const struct life *life)
{
	const char *user = life->task->machine.sshuser;

	return life->cloud->login ? life->cloud->login : user ? user : life->cloud->api->user;
}

static void
life_add_address(jv *addresses, const char *name, const char *address, const char *otherwise)
{
	if (address || otherwise)
		json_set_string(addresses, name, address ? address : otherwise);
}

/* Returns how the machine is entered: with the key that the cluster has, or as the provider's entity says. */
static jv
life_login(struct life *life)
{
	const char *key = life_member(life, "cluster", "key");
	jv login = key ? jv_object() : json_get(life->task->provider, "ssh-auth");

	if (jv_get_kind(login) != JV_KIND_OBJECT) {
		jv_free(login);
		login = jv_object();
	}
	json_set_string(&login, "user", life_user(life));
	if (key)
		json_set_string(&login, "key", key);
	if (jv_is_valid(life->cloud->bastion))
		json_set(&login, "bastion", jv_copy(life->cloud->bastion));
	return login;
}

struct life_choice
life_choice(struct life *life, int64_t number)
{
	struct life_choice choice = {.zone = life->task->machine.zone, .flavor = life->task->machine.flavor};
	jv machine, choices, chosen;

	if (number == 0)
		return choice;
	machine = json_get(life->task->source, "machine");
	choices = json_get(machine, "choices");
	chosen = json_element(choices, (size_t)number - 1);
	if (jv_get_kind(chosen) == JV_KIND_OBJECT) {
		const char *zone = json_arena_string(chosen, "zone", &life->arena), *flavor = json_arena_string(chosen, "flavor", &life->arena);

		choice.zone = zone ? zone : choice.zone;
		choice.flavor = flavor ? flavor : choice.flavor;
		choice.hardwaretype = json_arena_string(chosen, "hardwaretype", &life->arena);
	} else {
		choice.flavor = NULL;
	}
	jv_free(chosen);
	jv_free(choices);
	jv_free(machine);
	return choice;
}

/* Tells which of the node's choices the machine is. */
static void
life_add_choice(struct life *life, int64_t number, jv *facts)
{
	struct life_choice choice = life_choice(life, number);
	jv chosen = jv_object();

	if (choice.zone)
		json_set_string(&chosen, "zone", choice.zone);
	if (choice.hardwaretype) {
		json_set_string(&chosen, "hardwaretype", choice.hardwaretype);
		json_set_string(&chosen, "flavor", choice.flavor);
	}
	json_set(facts, "chosen", chosen);
}

int
life_check_addresses(struct life *life, const struct cloud_machine *machine)
{
	const char *const addresses[] = {machine->access_v4, machine->access_v6};

	/* Where there is a bastion, nobody goes there but from it: that which create hands out, and later tasks have. */
	bool has_bastion = life->task->action == ACTION_CREATE ? jv_is_valid(life->cloud->bastion) : life->task->machine.bastion.host != NULL;

	for (size_t i = 0; life->cloud->tenants && !has_bastion && i < sizeof addresses / sizeof *addresses; i++)
		if (addresses[i] && !range_is_public(addresses[i]))
			return error_set(&life->error, EX_NOPERM, "machine %s of %s: its address %.80s is none of the public network; a superadmin may write a "
			    "provider with such machines", machine->id, life->cloud->name, addresses[i]);
	return 0;
}

void
life_hand_out(struct life *life, const struct cloud_machine *machine, const struct intent *intent)
{
	jv addresses = jv_object(), facts = jv_object();
	bool inside = machine->bind_v4 || machine->bind_v6;
	char asked_at[CLOCK_RFC3339_SIZE];

	life_add_address(&addresses, "access_v4", machine->access_v4, NULL);
	life_add_address(&addresses, "access_v6", machine->access_v6, NULL);
	life_add_address(&addresses, "bind_v4", machine->bind_v4, inside ? NULL : machine->access_v4);
	life_add_address(&addresses, "bind_v6", machine->bind_v6, inside ? NULL : machine->access_v6);
	json_set_string(&facts, "providerid", machine->id);
	if (machine->zone)
		json_set_string(&facts, "zone", machine->zone);
	if (intent && intent->choice > 0)
		life_add_choice(life, intent->choice, &facts);
	if (intent && intent->since_ms > 0)
		json_set_string(&facts, "asked_at", clock_rfc3339(intent->since_ms, asked_at));
	json_set_string(&facts, "names", "hosts");
	if (life->task->action == ACTION_CREATE) /* the key is known to that task alone, and what it has told stays */
		json_set(&facts, "ssh-auth", life_login(life));
	life->outcome->ipaddresses = addresses;
	life->outcome->facts = facts;
}
