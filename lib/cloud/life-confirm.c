/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/life-confirm.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/intent.h"
#include "cloud/life-part.h"
#include "cloud/pace.h"
#include "exec/task-outcome.h"
#include "ssh/host-keys.h"

enum { REPORT_MS = 60 * 1000, SCAN_AGAIN_MS = 2000 };

/* Adds the host keys that the machine has reported through the cloud, which waits a minute for them. */
static int
life_reported_keys(struct life *life, const struct cloud_machine *machine, struct string_list *keys)
{
	struct cloud *cloud = life->cloud;
	int64_t until = clock_monotonic_ms() + REPORT_MS;
	unsigned number = 0;

	*keys = (struct string_list){0};
	while (cloud->api->host_keys) {
		int told = cloud->api->host_keys(cloud, machine, life->stop, &life->arena, keys, &life->error);

		if (told < 0)
			return -1;
		if (told > 0 || keys->count > 0 || clock_monotonic_ms() > until)
			return 0;
		if (stop_sleep(life->stop, pace_backoff_ms(4 + number++), &life->error) < 0)
			return -1;
	}
	return 0;
}

/* Waits until the machine shows its host keys, and finds whether it shows one that it has reported. */
static int
life_shown_keys(struct life *life, const struct machine *machine, struct string_list *reported, struct string_list *pinned)
{
	struct error *err = &life->error, why;
	struct string_list shown;

	while (host_keys_scan(machine, &life->arena, &shown, &why) < 0)
		if (why.code == EX_NOPERM || why.code == EX_CONFIG || stop_sleep(life->stop, SCAN_AGAIN_MS, err) < 0) {
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

int
life_confirm(struct life *life)
{
	struct cloud_machines found = {.list = NULL};
	struct string_list reported, pinned;
	struct machine machine = life->task->machine;
	struct intent intent;
	int result = life_look(life, clock_monotonic_ms() - life->cloud->poll_ms, &found);

	/* A machine that ran as soon as it was asked for may not be listed yet. */
	if (result == 0 && found.count == 0 && intent_read(life->cloud, machine.id, &life->arena, &intent) && life_settle(life, &intent, &found) < 0)
		result = -1;
	if (result == 0 && (found.count == 0 || found.list->state == CLOUD_FAILED))
		result = error_set(&life->error, EX_UNAVAILABLE, "%s has no machine for node %s", life->cloud->name, machine.id);
	if (result == 0 && !found.list->access_v4 && !found.list->access_v6)
		result = error_set(&life->error, EX_TEMPFAIL, "machine %s of %s has no address", found.list->id, life->cloud->name);
	if (result == 0)
		result = life_check_addresses(life, found.list);
	if (result == 0) {
		machine.address = found.list->access_v4 ? found.list->access_v4 : found.list->access_v6;
		result = life_reported_keys(life, found.list, &reported);
	}
	if (result == 0)
		result = life_shown_keys(life, &machine, &reported, &pinned);
	if (result == 0) {
		life_hand_out(life, found.list, NULL);
		json_set(&life->outcome->facts, "ssh_host_keys", host_keys_pin(&pinned));
	}
	cloud_machines_release(&found);
	return result;
}
