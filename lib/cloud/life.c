/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/intent.h"
#include "cloud/life-confirm.h"
#include "cloud/life-make.h"
#include "cloud/life-part.h"
#include "cloud/life-volumes.h"
#include "exec/task-outcome.h"
#include "json/record.h"
#include "model/name.h"

enum { TOLD_MS = 10 * 1000 }; /* clouds tell why a machine has failed later than that it has */

static int
life_remove(struct life *life, const struct cloud_machine *machine)
{
	return life->cloud->api->remove(life->cloud, machine, life->stop, &life->error);
}

/* Deletes what was made beside the machines of the node, of which there is none any more. */
static int
life_clear(struct life *life)
{
	const struct cloud_api *api = life->cloud->api;

	return api->clear ? api->clear(life->cloud, life->task->machine.id, life->stop, &life->error) : 0;
}

/* Deletes machines of the node but the oldest: the answer to a request was lost, and another was sent. They have the token that is on
 * record here, and no work was done on them. */
static int
life_drop_twins(struct life *life, const struct intent *intent, struct cloud_machines *found)
{
	struct cloud *cloud = life->cloud;
	struct error *err = &life->error;
	const char *known = life->task->machine.providerid;
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++)
		if (known && strcmp(found->list[i].id, known) == 0)
			kept = i;
	for (size_t i = 0; i < found->count; i++) {
		const struct cloud_machine *machine = &found->list[i];

		if (i == kept)
			continue;
		if (!intent->token || !machine->token || strcmp(machine->token, intent->token) != 0)
			return error_set(err, EX_TEMPFAIL, "node %s has the machines %s and %s in %s, and which of them is to go is not on record here; delete one",
			    life->task->machine.id, found->list[kept].id, machine->id, cloud->name);
		life_say(life, "deleting machine %s, which was made beside %s", machine->id, found->list[kept].id);
		if (life_remove(life, machine) < 0)
			return -1;
	}
	found->list[0] = found->list[kept];
	found->count = 1;
	return 0;
}

/* Adds the tokens of the machines that were found. */
static void
life_add_tokens(struct life *life, const struct cloud_machines *found, struct string_list *tokens)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].token && !name_list_has(tokens, found->list[i].token))
			name_list_add(tokens, arena_string(&life->arena, found->list[i].token));
}

/* Deletes what bore the tokens of machines that are gone, where the cloud keeps such things. */
static void
life_forget(struct life *life, const struct string_list *tokens)
{
	const struct cloud_api *api = life->cloud->api;
	struct error why;

	for (size_t i = 0; api->forget && i < tokens->count; i++)
		if (api->forget(life->cloud, life->task->machine.id, tokens->list[i], life->stop, &why) < 0)
			life_say(life, "%s", why.text);
}

/* Tells whether the machine is the one that was asked for by the intent, and nobody has had it yet. */
static bool
life_may_drop(const struct intent *intent, const struct cloud_machine *machine)
{
	return intent->token && !intent->kept && machine->token && strcmp(machine->token, intent->token) == 0;
}

/* Deletes the machines of the node that were found, and waits until the cloud has none; where only is not NULL, no machine but that of this intent. Adds
 * their tokens. */
static int
life_remove_all(struct life *life, const struct intent *only, struct cloud_machines *found, struct string_list *tokens)
{
	for (bool asked = false; found->count > 0; asked = true) {
		life_add_tokens(life, found, tokens);
		for (size_t i = 0; i < found->count; i++) {
			const struct cloud_machine *machine = &found->list[i];

			if (only && !life_may_drop(only, machine))
				return error_set(&life->error, EX_TEMPFAIL, "node %s has machine %s in %s, too, which is not on record here; delete one",
				    life->task->machine.id, machine->id, life->cloud->name);
			if (!(asked && machine->is_going) && life_remove(life, machine) < 0)
				return -1;
		}
		cloud_machines_release(found);
		if (life_look(life, clock_monotonic_ms(), found) < 0)
			return -1;
	}
	return 0;
}

/* Deletes the machine for which there was no room, and goes on to the node's next choice once it is gone: until then its intent is on disk. Returns 1; 0
 * where there is no other choice. */
static int
life_leave_choice(struct life *life, struct intent *intent, struct cloud_machines *found)
{
	struct string_list tokens = {0};
	int result;

	if (!life_choice(life, intent->choice + 1).flavor)
		return 0;
	result = life_remove_all(life, intent, found, &tokens);
	if (result == 0)
		result = life_clear(life);
	if (result == 0) {
		life_forget(life, &tokens);
		life_next_choice(life, intent);
		result = intent_write(life->cloud, life->task->machine.id, intent, &life->error);
	}
	free(tokens.list);
	return result == 0 ? 1 : -1;
}

/* Deletes a machine that will never run, which was handed to nobody. Returns 1 where the node's next choice is to be asked for instead; else it fails
 * with the cloud's reason. */
static int
life_drop_failed(struct life *life, struct intent *intent, struct cloud_machines *found)
{
	const struct cloud_machine *machine = found->list;
	struct cloud *cloud = life->cloud;
	struct error *err = &life->error;
	const char *reason = machine->reason ? machine->reason : "it failed, and the cloud does not say why";
	int code = machine->failure ? machine->failure : EX_TEMPFAIL, left = 0;

	if (!life_may_drop(intent, machine))
		return error_set(err, code, "machine %s of %s: %s", machine->id, cloud->name, reason);
	if (code == CLOUD_NO_CAPACITY && (left = life_leave_choice(life, intent, found)) != 0)
		return left;
	if (life_remove(life, machine) < 0 || life_clear(life) < 0 || intent_remove(cloud, life->task->machine.id, err) < 0)
		return -1;
	return error_set(err, code, "machine %s of %s: %s; it was deleted", machine->id, cloud->name, reason);
}

enum life_verdict { LIFE_WAITS, LIFE_GOOD, LIFE_NEXT };

/* Returns whether the machine is as a node has to be, or gone, and the node's next choice to be asked for; -1: it will never be. told: there was time to
 * say why it failed. */
static int
life_judge(struct life *life, struct intent *intent, struct cloud_machines *found, bool told)
{
	const struct cloud_api *api = life->cloud->api;
	const struct cloud_machine *machine = found->list;

	if (machine->is_going)
		return error_set(&life->error, EX_TEMPFAIL, "machine %s of %s is being deleted", machine->id, life->cloud->name);
	if (machine->state == CLOUD_STOPPED || (machine->state == CLOUD_FAILED && (machine->reason || told)))
		return life_drop_failed(life, intent, found) < 0 ? -1 : LIFE_NEXT;
	if (machine->state != CLOUD_RUNNING)
		return LIFE_WAITS;
	if (machine->access_v4 || machine->access_v6)
		return LIFE_GOOD;
	return api->give_address && api->give_address(life->cloud, machine, life->stop, &life->error) < 0 ? -1 : LIFE_WAITS;
}

/* Waits until the machine runs and has an address. Returns LIFE_GOOD then, or LIFE_NEXT. */
static int
life_await(struct life *life, struct intent *intent, struct cloud_machines *found)
{
	int64_t window_ms = life->cloud->window_ms, now = clock_monotonic_ms(), since = now;
	int64_t missing_until = now + window_ms, told_until = now + TOLD_MS;

	for (;;) {
		if (found->count > 1 && life_drop_twins(life, intent, found) < 0)
			return -1;
		now = clock_monotonic_ms();
		if (found->count > 0) {
			int result = life_judge(life, intent, found, now > told_until);

			if (result != LIFE_WAITS)
				return result;
			missing_until = now + window_ms;
			if (found->list->state != CLOUD_FAILED)
				told_until = now + TOLD_MS;
		} else if (now > missing_until) {
			return error_set(&life->error, EX_TEMPFAIL, "the machine of node %s is not in %s any more",
			    life->task->machine.id, life->cloud->name);
		}
		cloud_machines_release(found);
		if (life_look(life, since, found) < 0)
			return -1;
		since = clock_monotonic_ms() + 1;
	}
}

/* Finds the machines of the node; where they may still appear, because they were asked for a moment ago, it waits for them. Returns whether
 * there are any, -1 on error. */
static int
life_find(struct life *life, const struct intent *intent, bool may_appear, struct cloud_machines *found)
{
	if (may_appear && intent->asked_ms > 0)
		return life_settle(life, intent, found);
	return life_look(life, clock_monotonic_ms(), found) < 0 ? -1 : found->count > 0;
}

/* Has the machine run again that was found. One whose intent is not on record may have been worked on, and stays if that fails. */
static int
life_resume(struct life *life, struct intent *intent, bool known, struct cloud_machines *found)
{
	if (!found->list->token)
		return error_set(&life->error, EX_TEMPFAIL, "machine %s of %s does not run, and its token is gone", found->list->id, life->cloud->name);
	life_say(life, "machine %s does not run, and is started", found->list->id);
	intent->kept |= !known;
	intent->since_ms = known ? intent->since_ms : -1;
	intent->token = arena_string(&life->arena, found->list->token);
	cloud_machines_release(found);
	return life_make(life, intent, found);
}

static int
life_create(struct life *life)
{
	const char *node = life->task->machine.id;
	struct cloud_machines found = {.list = NULL};
	struct intent intent;
	bool known = intent_read(life->cloud, node, &life->arena, &intent);
	int there;

	if (!life->task->machine.flavor || !life_member(life, "machine", "image"))
		return error_set(&life->error, EX_CONFIG, "the task names no %s for node %s", life->task->machine.flavor ? "image" : "flavor", node);
	there = life_find(life, &intent, !life->cloud->api->takes_token, &found);
	if (there == 0) {
		/* One that was asked for before, and is gone, may have had an address, which the next one does not get. */
		if (intent.asked_ms > 0)
			there = life_clear(life);
		if (!known)
			intent_draw(&intent, &life->arena);
		intent.kept = false;
		there = there < 0 ? -1 : life_make(life, &intent, &found);
	} else if (there > 0 && found.list->state == CLOUD_STOPPED) {
		there = life_resume(life, &intent, known, &found);
	}
	/* There may prove to be no room for a machine only once it is being made. */
	while (there >= 0 && (there = life_await(life, &intent, &found)) == LIFE_NEXT)
		there = life_make(life, &intent, &found);
	if (there >= 0) {
		intent.kept = true;
		there = intent.token ? intent_write(life->cloud, node, &intent, &life->error) : 0;
	}
	if (there >= 0)
		there = life_check_addresses(life, found.list);
	if (there >= 0)
		life_hand_out(life, found.list, &intent);
	cloud_machines_release(&found);
	return there;
}

/* Deletes all machines of the node, and waits until the cloud has none. */
static int
life_delete(struct life *life)
{
	const char *node = life->task->machine.id;
	struct cloud_machines found = {.list = NULL};
	struct string_list tokens = {0};
	struct intent intent;
	int there;

	if (intent_read(life->cloud, node, &life->arena, &intent) && intent.asked_ms > 0)
		name_list_add(&tokens, intent.token);
	/* Also a machine that was handed out may not be listed yet: it ran as soon as it was asked for. */
	there = life_find(life, &intent, true, &found);
	if (there == 0 && life->task->machine.providerid)
		life_say(life, "machine %s is not among those of this installation in %s: it is gone, or somebody else's; nothing is deleted",
		    life->task->machine.providerid, life->cloud->name);
	if (there > 0)
		there = life_remove_all(life, NULL, &found, &tokens);
	cloud_machines_release(&found);
	if (there == 0)
		there = life_clear(life);
	if (there == 0 && life->cloud->api->volumes)
		there = life_release_volumes(life);
	if (there == 0)
		life_forget(life, &tokens);
	free(tokens.list);
	return there == 0 ? intent_remove(life->cloud, node, &life->error) : there;
}

/* Does what only providers with volumes do. */
static int
life_do_volumes(struct life *life)
{
	switch (life->task->action) {
	case ACTION_ATTACH:
		return life_attach(life);
	case ACTION_FENCE:
		return life_fence(life);
	case ACTION_SNAPSHOT:
		return life_snapshot(life);
	case ACTION_DISCARD:
		return life_discard(life);
	default:
		return error_set(&life->error, EX_DATAERR, "%s: a provider does not do that", action_name(life->task->action));
	}
}

/* Does the task. Returns -1 with the life's error. */
static int
life_do(struct life *life)
{
	bool is_of_volume = life->task->action == ACTION_SNAPSHOT || life->task->action == ACTION_DISCARD;

	if (!life->task->machine.id && !is_of_volume)
		return error_set(&life->error, EX_DATAERR, "the task names no machine");
	if (life->task->action == ACTION_CREATE)
		return life_create(life);
	if (life->task->action == ACTION_CONFIRM)
		return life_confirm(life);
	if (life->task->action == ACTION_DELETE)
		return life_delete(life);
	if (life->cloud->api->volumes)
		return life_do_volumes(life);
	return error_set(&life->error, EX_DATAERR, "%s: a provider does not do that", action_name(life->task->action));
}

void
life_act(struct life *life)
{
	if (life_do(life) < 0) {
		life->outcome->error = life->error;
		life->outcome->error_class = cloud_error_class(life->error.code);
		life->outcome->error.code = cloud_exit_code(life->error.code);
	}
}

static void
life_print(const struct cloud_machine *machine, const char *provider)
{
	static const char *const states[] = {"starting", "running", "dead", "dead", "gone"};
	const char *address = machine->access_v4 ? machine->access_v4 : machine->access_v6;
	jv record = jv_object(), facts = jv_object();

	json_set_string(&record, "kind", "node");
	json_set_string(&record, "id", machine->node ? machine->node : machine->id);
	json_set_string(&record, "provider", provider);
	json_set_string(&record, "state", states[machine->state]);
	if (machine->name)
		json_set_string(&record, "hostname", machine->name);
	if (machine->cluster)
		json_set_string(&record, "cluster", machine->cluster);
	if (address)
		json_set_string(&record, "address", address);
	json_set_string(&facts, "providerid", machine->id);
	json_set(&record, "facts", facts);
	record_write(record, stdout);
	jv_free(record);
}

/* Orders machines by node, and those of one node by id: clouds list them in any order. */
static int
life_by_node(const void *a, const void *b)
{
	const struct cloud_machine *one = a, *two = b;
	int order = strcmp(one->node ? one->node : "", two->node ? two->node : "");

	return order ? order : strcmp(one->id, two->id);
}

int
life_list(struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct cloud_machines found = {.list = NULL};
	int result = cloud->api->list(cloud, NULL, stop, &found, err);

	if (found.count > 1)
		qsort(found.list, found.count, sizeof *found.list, life_by_node);
	for (size_t i = 0; result == 0 && i < found.count; i++)
		if (found.list[i].state != CLOUD_GONE && (!found.list[i].provider || strcmp(found.list[i].provider, cloud->name) == 0))
			life_print(&found.list[i], cloud->name);
	cloud_machines_release(&found);
	return result;
}
