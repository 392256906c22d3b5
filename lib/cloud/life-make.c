/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life-make.h"

#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cloud/intent.h"
#include "cloud/life-part.h"
#include "cloud/pace.h"
#include "exec/task-outcome.h"

enum { NAME_LENGTH = 63, MAKE_TRIES = 4 };

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

/* Asks for the machine, once its intent is on disk, and adds it to found if it runs. Returns 0 where it was made, 1 where that is unknown, -1 where it was not. */
static int
life_ask(struct life *life, struct intent *intent, const struct cloud_order *order, struct cloud_machines *found)
{
	struct cloud_machines made = {.list = NULL};
	struct cloud *cloud = life->cloud;
	struct error *err = &life->error;
	bool unknown = false;
	int result;

	intent->asked_ms = clock_boottime_ms();
	if (!intent->since_ms)
		intent->since_ms = clock_wall_ms();
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
		/* It may have been made until now. */
		intent->asked_ms = clock_boottime_ms();
		result = intent_write(cloud, life->task->machine.id, intent, err) < 0 ? -1 : 1;
	}
	/* A machine that runs already need not be looked for. */
	if (result == 0 && made.count == 1 && made.list->state == CLOUD_RUNNING && made.list->id && (made.list->access_v4 || made.list->access_v6)) {
		cloud_machines_release(found);
		*found = made;
	} else {
		cloud_machines_release(&made);
	}
	return result;
}

bool
life_next_choice(struct life *life, struct intent *intent)
{
	struct life_choice next = life_choice(life, intent->choice + 1);

	if (!next.flavor)
		return false;
	intent->choice++;
	intent_draw(intent, &life->arena);
	life_say(life, "%s has no room for it; the next choice is %s%s%s", life->cloud->name, next.flavor, next.zone ? " in " : "", next.zone ? next.zone : "");
	return true;
}

static void
life_fill_order(struct life *life, const struct intent *intent, const char *const (*tags)[2], size_t tag_count, struct cloud_order *order)
{
	const struct life_choice choice = life_choice(life, intent->choice);
	const char *key = life_member(life, "cluster", "key");
	struct buffer user_data = {0};

	cloud_user_data(life->cloud, key, "", &user_data);
	*order = (struct cloud_order){.name = life_name(life), .flavor = choice.flavor ? choice.flavor : life->task->machine.flavor,
	    .image = life_member(life, "machine", "image"), .zone = choice.zone, .user = life_user(life), .token = intent->token,
	    .user_data = arena_string(&life->arena, buffer_string(&user_data)),
	    .key = key, .tags = tags, .tag_count = tag_count};
	buffer_release(&user_data);
}

int
life_make(struct life *life, struct intent *intent, struct cloud_machines *found)
{
	const struct cloud *cloud = life->cloud;
	struct error ignored;
	/* Where a token stands for the time that a machine may be missing, one of an earlier request may still appear. */
	bool asked_before = cloud->api->takes_token && intent->asked_ms > 0;

	for (unsigned number = 1; number <= MAKE_TRIES;) {
		const char *tags[][2] = {{CLOUD_TAG_INSTALLATION, cloud->installation}, {CLOUD_TAG_PROVIDER, cloud->name},
		    {CLOUD_TAG_NODE, life->task->machine.id}, {CLOUD_TAG_CLUSTER, life->task->cluster_id ? life->task->cluster_id : ""},
		    {CLOUD_TAG_TOKEN, intent->token}};
		struct cloud_order order;
		int result, there = 0;

		life_fill_order(life, intent, (const char *const (*)[2])tags, sizeof tags / sizeof *tags, &order);
		result = life_ask(life, intent, &order, found);
		if (result < 0 && life->error.code == CLOUD_NO_CAPACITY && life_next_choice(life, intent)) {
			asked_before = false;
			continue;
		}
		/* A request that is asked again by its token, and refused for want of room, was never carried out. */
		if (result < 0 && (!asked_before || life->error.code == CLOUD_NO_CAPACITY))
			intent_remove(cloud, life->task->machine.id, &ignored);
		if (result <= 0)
			return result;
		asked_before = cloud->api->takes_token;
		if (!cloud->api->takes_token && (there = life_settle(life, intent, found)) != 0)
			return there < 0 ? -1 : 0;
		/* It was looked for all the time: nothing has come of that request. */
		if (!cloud->api->takes_token)
			intent->since_ms = 0;
		if (stop_sleep(life->stop, pace_backoff_ms(number++), &life->error) < 0)
			return -1;
	}
	error_prefix(&life->error, "after try number %d", MAKE_TRIES);
	intent_write(cloud, life->task->machine.id, intent, &ignored);
	return -1;
}
