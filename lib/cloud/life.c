/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "cloud/intent.h"
#include "cloud/pace.h"
#include "cloud/sightings.h"
#include "exec/attempt-log.h"
#include "exec/task-outcome.h"
#include "json/record.h"
#include "ssh/host-keys.h"

enum { NAME_LENGTH = 63, MAKE_TRIES = 4, REPORT_MS = 60 * 1000, SCAN_AGAIN_MS = 2000 };

/* Tells the reader of the task's log. */
static void __attribute__((format(printf, 2, 3)))
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

static int
life_look(const struct life *life, int64_t since_ms, struct cloud_machines *found)
{
	return sightings_look(life->cloud, life->task->machine.id, since_ms, life->stop, found, &life->outcome->error);
}

/* Deletes a machine. What a request that was repeated has said before is forgotten where it succeeds. */
static int
life_remove(struct life *life, const struct cloud_machine *machine)
{
	int result = life->cloud->api->remove(life->cloud, machine, life->stop, &life->outcome->error);

	if (result == 0)
		life->outcome->error = (struct error){.code = 0};
	return result;
}

/* --- what is made --- */

/* Returns a name of letters, digits and hyphens, which every cloud takes: the first part of the hostname. */
static const char *
life_name(struct life *life)
{
	const char *hostname = life->task->machine.hostname ? life->task->machine.hostname : life->task->machine.id;
	char *name = arena_substring(&life->arena, hostname, strcspn(hostname, "."));

	for (char *at = name; *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *at))
			*at = '-';
	if (strlen(name) > NAME_LENGTH)
		name[NAME_LENGTH] = '\0';
	return name;
}

static const char *
life_member(struct life *life, const char *object, const char *name)
{
	jv value = json_get(life->task->source, object);
	const char *text = json_arena_string(value, name, &life->arena);

	jv_free(value);
	return text;
}

/* Returns what cloud-init is to do: admit the key, for root and for the image's own user. Host keys it reports on the console by itself. */
static const char *
life_user_data(struct life *life, const char *key)
{
	return key ? arena_printf(&life->arena, "#cloud-config\ndisable_root: false\nssh_authorized_keys:\n  - %s\n", key) : "";
}

/* Asks for the machine, once its intent is on disk. Returns 0 where it was made, 1 where that is unknown, -1 where it was not. */
static int
life_ask(struct life *life, struct intent *intent, const struct cloud_order *order)
{
	struct cloud_machines made = {.list = NULL};
	struct cloud *cloud = life->cloud;
	struct error *err = &life->outcome->error;
	bool unknown = false;
	int result;

	intent->asked_ms = clock_wall_ms();
	if (intent_write(cloud, life->task->machine.id, intent, err) < 0)
		return -1;
	result = cloud->api->make(cloud, order, life->stop, &made, &unknown, err);
	if (result == 0 && made.count > 0 && made.list->state == CLOUD_GONE) {
		/* The token is that of a machine that somebody has deleted: another one is asked for. */
		intent_draw(intent, &life->arena);
		result = 1;
	} else if (result == 0) {
		life_say(life, "asked %s for machine %s", cloud->name, made.count > 0 && made.list->id ? made.list->id : "");
	} else if (unknown) {
		life_say(life, "%s; looking whether the machine was made", err->text);
		result = 1;
	}
	cloud_machines_release(&made);
	return result;
}

/* Waits until the machine is listed, or the time is over in which one that was asked for may be missing. Returns whether it is there, -1 on
 * error. */
static int
life_settle(struct life *life, const struct intent *intent, struct cloud_machines *found)
{
	int64_t window_ms = life->cloud->window_ms;

	for (;;) {
		bool over = clock_wall_ms() > intent->asked_ms + window_ms || clock_wall_ms() < intent->asked_ms - window_ms;

		if (life_look(life, clock_monotonic_ms(), found) < 0)
			return -1;
		if (found->count > 0 || over)
			return found->count > 0;
		cloud_machines_release(found);
		if (stop_sleep(life->stop, life->cloud->poll_ms, &life->outcome->error) < 0)
			return -1;
	}
}

static void
life_fill_order(struct life *life, const struct intent *intent, const char *const (*tags)[2], size_t tag_count, struct cloud_order *order)
{
	const struct task *task = life->task;
	jv machine = json_get(task->source, "machine");
	const char *key = life_member(life, "cluster", "key");

	*order = (struct cloud_order){.name = life_name(life), .flavor = task->machine.flavor,
	    .image = json_arena_string(machine, "image", &life->arena), .zone = task->machine.zone, .token = intent->token,
	    .user_data = life_user_data(life, key), .key = key, .tags = tags, .tag_count = tag_count};
	jv_free(machine);
}

/* Makes the machine. Whatever is lost on the way, the same machine is found, or made again only when it can no longer appear. */
static int
life_make(struct life *life, struct intent *intent, struct cloud_machines *found)
{
	const struct cloud *cloud = life->cloud;
	struct error ignored;
	/* Where a token stands for the time that a machine may be missing, one of an earlier request may still appear. */
	bool asked_before = cloud->api->takes_token && intent->asked_ms > 0;

	for (unsigned number = 1; number <= MAKE_TRIES; number++) {
		const char *tags[][2] = {{CLOUD_TAG_INSTALLATION, cloud->installation}, {CLOUD_TAG_PROVIDER, cloud->name},
		    {CLOUD_TAG_NODE, life->task->machine.id}, {CLOUD_TAG_CLUSTER, life->task->cluster_id ? life->task->cluster_id : ""},
		    {CLOUD_TAG_TOKEN, intent->token}};
		struct cloud_order order;
		int result, there = 0;

		life_fill_order(life, intent, (const char *const (*)[2])tags, sizeof tags / sizeof *tags, &order);
		result = life_ask(life, intent, &order);
		if (result < 0 && !asked_before)
			intent_remove(cloud, life->task->machine.id, &ignored);
		if (result <= 0)
			return result;
		asked_before = cloud->api->takes_token;
		if (!cloud->api->takes_token && (there = life_settle(life, intent, found)) != 0)
			return there < 0 ? -1 : 0;
		if (stop_sleep(life->stop, pace_backoff_ms(number), &life->outcome->error) < 0)
			return -1;
	}
	return error_prefix(&life->outcome->error, "after try number %d", MAKE_TRIES);
}

/* --- what is there --- */

/* Deletes machines of the node but the oldest: the answer to a request was lost, and another was sent. They have the token that is on
 * record here, and no work was done on them. */
static int
life_drop_twins(struct life *life, const struct intent *intent, struct cloud_machines *found)
{
	struct cloud *cloud = life->cloud;
	struct error *err = &life->outcome->error;
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

/* Deletes a machine that will never run, which was handed to nobody, and fails with the cloud's reason. */
static int
life_drop_failed(struct life *life, const struct intent *intent, const struct cloud_machine *machine)
{
	struct cloud *cloud = life->cloud;
	struct error *err = &life->outcome->error;
	const char *reason = machine->reason ? machine->reason : "it failed, and the cloud does not say why";

	if (intent->token && !intent->kept && machine->token && strcmp(machine->token, intent->token) == 0) {
		if (life_remove(life, machine) < 0 ||
		    intent_remove(cloud, life->task->machine.id, err) < 0)
			return -1;
		return error_set(err, EX_TEMPFAIL, "machine %s of %s: %s; it was deleted", machine->id, cloud->name, reason);
	}
	return error_set(err, EX_TEMPFAIL, "machine %s of %s: %s", machine->id, cloud->name, reason);
}

/* Waits until the machine runs and has an address. */
static int
life_await(struct life *life, const struct intent *intent, struct cloud_machines *found)
{
	int64_t window_ms = life->cloud->window_ms, now = clock_monotonic_ms(), since = now;
	int64_t missing_until = now + window_ms;

	for (;;) {
		if (found->count > 1 && life_drop_twins(life, intent, found) < 0)
			return -1;
		if (found->count > 0 && found->list->state == CLOUD_FAILED)
			return life_drop_failed(life, intent, found->list);
		if (found->count > 0 && found->list->state == CLOUD_RUNNING && (found->list->access_v4 || found->list->access_v6))
			return 0;
		if (found->count > 0)
			missing_until = clock_monotonic_ms() + window_ms;
		else if (clock_monotonic_ms() > missing_until)
			return error_set(&life->outcome->error, EX_TEMPFAIL, "the machine of node %s is not in %s any more",
			    life->task->machine.id, life->cloud->name);
		cloud_machines_release(found);
		if (life_look(life, since, found) < 0)
			return -1;
		since = clock_monotonic_ms() + 1;
	}
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
	const struct task *task = life->task;
	jv login = jv_invalid(), machine = json_get(task->source, "machine"), cluster = json_get(task->source, "cluster");
	jv key = json_get(cluster, "key"), user = json_get(machine, "sshuser");

	if (!json_string(key))
		login = json_get(task->provider, "ssh-auth");
	if (jv_get_kind(login) != JV_KIND_OBJECT) {
		jv_free(login);
		login = jv_object();
	}
	if (json_string(user))
		json_set(&login, "user", jv_copy(user));
	else if (!life->cloud->api->user)
		json_set_string(&login, "user", "root");
	else
		json_set_string(&login, "user", life->cloud->api->user);
	if (json_string(key))
		json_set(&login, "key", jv_copy(key));
	jv_free(user);
	jv_free(key);
	jv_free(cluster);
	jv_free(machine);
	return login;
}

static void
life_hand_out(struct life *life, const struct cloud_machine *machine)
{
	jv addresses = jv_object(), facts = jv_object();
	bool inside = machine->bind_v4 || machine->bind_v6;

	life_add_address(&addresses, "access_v4", machine->access_v4, NULL);
	life_add_address(&addresses, "access_v6", machine->access_v6, NULL);
	life_add_address(&addresses, "bind_v4", machine->bind_v4, inside ? NULL : machine->access_v4);
	life_add_address(&addresses, "bind_v6", machine->bind_v6, inside ? NULL : machine->access_v6);
	json_set_string(&facts, "providerid", machine->id);
	if (machine->zone)
		json_set_string(&facts, "zone", machine->zone);
	json_set_string(&facts, "names", "hosts");
	json_set(&facts, "ssh-auth", life_login(life));
	life->outcome->ipaddresses = addresses;
	life->outcome->facts = facts;
}

static void
life_create(struct life *life)
{
	const char *node = life->task->machine.id;
	struct cloud_machines found = {.list = NULL};
	struct error *err = &life->outcome->error;
	struct intent intent;
	bool known = intent_read(life->cloud, node, &life->arena, &intent);
	int there;

	if (!life->task->machine.flavor) {
		error_set(err, EX_CONFIG, "the task names no flavor for node %s", node);
		return;
	}
	if (known && intent.asked_ms > 0 && !life->cloud->api->takes_token)
		there = life_settle(life, &intent, &found);
	else
		there = life_look(life, clock_monotonic_ms(), &found) < 0 ? -1 : found.count > 0;
	if (there == 0) {
		if (!known)
			intent_draw(&intent, &life->arena);
		intent.kept = false;
		there = life_make(life, &intent, &found);
	}
	if (there >= 0 && life_await(life, &intent, &found) == 0) {
		*err = (struct error){.code = 0}; /* of a request that has failed before */
		intent.kept = true;
		if (!intent.token || intent_write(life->cloud, node, &intent, err) == 0)
			life_hand_out(life, found.list);
	}
	cloud_machines_release(&found);
}

/* --- confirm --- */

/* Adds the host keys that the machine has reported through the cloud, which waits a minute for them. */
static int
life_reported_keys(struct life *life, const struct cloud_machine *machine, struct string_list *keys)
{
	struct cloud *cloud = life->cloud;
	int64_t until = clock_monotonic_ms() + REPORT_MS;
	unsigned number = 0;

	*keys = (struct string_list){0};
	while (cloud->api->host_keys) {
		if (cloud->api->host_keys(cloud, machine, life->stop, &life->arena, keys, &life->outcome->error) < 0)
			return -1;
		if (keys->count > 0 || clock_monotonic_ms() > until)
			return 0;
		if (stop_sleep(life->stop, pace_backoff_ms(4 + number++), &life->outcome->error) < 0)
			return -1;
	}
	return 0;
}

/* Waits until the machine shows its host keys, and finds whether it shows one that it has reported. */
static int
life_shown_keys(struct life *life, const struct machine *machine, struct string_list *reported, struct string_list *pinned)
{
	struct error *err = &life->outcome->error, why;
	struct string_list shown;

	while (host_keys_scan(machine, &life->arena, &shown, &why) < 0)
		if (stop_sleep(life->stop, SCAN_AGAIN_MS, err) < 0) {
			*err = why;
			return -1;
		}
	*pinned = shown;
	if (reported->count == 0) {
		life_say(life, "%s does not tell which host key machine %s has; the key that %s shows first is trusted from now on",
		    life->cloud->name, life->task->machine.providerid ? life->task->machine.providerid : "", machine->address);
		return 0;
	}
	*pinned = *reported;
	for (size_t i = 0; i < shown.count; i++)
		for (size_t k = 0; k < reported->count; k++)
			if (strcmp(shown.list[i], reported->list[k]) == 0)
				return 0;
	return error_set(err, EX_NOPERM, "%s shows a host key that is none of the %zu which the machine has reported to %s", machine->address,
	    reported->count, life->cloud->name);
}

static void
life_confirm(struct life *life)
{
	struct cloud_machines found = {.list = NULL};
	struct string_list reported, pinned;
	struct machine machine = life->task->machine;
	struct intent intent;

	intent_read(life->cloud, machine.id, &life->arena, &intent);
	if (life_look(life, clock_monotonic_ms() - life->cloud->poll_ms, &found) < 0)
		goto out;
	if (found.count == 0 || found.list->state == CLOUD_FAILED) {
		error_set(&life->outcome->error, EX_UNAVAILABLE, "%s has no machine for node %s", life->cloud->name, machine.id);
		goto out;
	}
	machine.address = found.list->access_v4 ? found.list->access_v4 : found.list->access_v6;
	if (life_reported_keys(life, found.list, &reported) == 0 && life_shown_keys(life, &machine, &reported, &pinned) == 0) {
		life_hand_out(life, found.list);
		json_set(&life->outcome->facts, "ssh_host_keys", host_keys_pin(&pinned));
	}
out:
	cloud_machines_release(&found);
}

/* --- delete --- */

/* Deletes all machines of the node, and waits until the cloud has none. */
static void
life_delete(struct life *life)
{
	const char *node = life->task->machine.id;
	struct cloud_machines found = {.list = NULL};
	struct error *err = &life->outcome->error;
	struct intent intent;
	bool known = intent_read(life->cloud, node, &life->arena, &intent);
	int there;

	/* What was asked for a moment ago may still appear. */
	if (known && !intent.kept && intent.asked_ms > 0)
		there = life_settle(life, &intent, &found);
	else
		there = life_look(life, clock_monotonic_ms(), &found) < 0 ? -1 : found.count > 0;
	while (there > 0) {
		for (size_t i = 0; i < found.count && there > 0; i++)
			if (life_remove(life, &found.list[i]) < 0)
				there = -1;
		cloud_machines_release(&found);
		if (there > 0)
			there = life_look(life, clock_monotonic_ms(), &found) < 0 ? -1 : found.count > 0;
	}
	if (there == 0 && known)
		intent_remove(life->cloud, node, err);
	cloud_machines_release(&found);
}

void
life_act(struct life *life)
{
	if (!life->task->machine.id)
		error_set(&life->outcome->error, EX_DATAERR, "the task names no machine");
	else if (life->task->action == ACTION_CREATE)
		life_create(life);
	else if (life->task->action == ACTION_CONFIRM)
		life_confirm(life);
	else if (life->task->action == ACTION_DELETE)
		life_delete(life);
	else
		error_set(&life->outcome->error, EX_DATAERR, "%s: a provider does not do that", action_name(life->task->action));
}

/* --- list --- */

static void
life_print(const struct cloud_machine *machine, const char *provider)
{
	static const char *const states[] = {"starting", "running", "dead", "gone"};
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

int
life_list(struct cloud *cloud, const struct stop *stop, struct error *err)
{
	struct cloud_machines found = {.list = NULL};
	int result = cloud->api->list(cloud, NULL, stop, &found, err);

	for (size_t i = 0; result == 0 && i < found.count; i++)
		if (found.list[i].state != CLOUD_GONE && (!found.list[i].provider || strcmp(found.list[i].provider, cloud->name) == 0))
			life_print(&found.list[i], cloud->name);
	cloud_machines_release(&found);
	return result;
}
