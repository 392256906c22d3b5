/* SPDX-License-Identifier: Apache-2.0 */
#include "model/offer.h"

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "model/print.h"

static void
print_members(const struct offer *offer, jv task, struct buffer *out)
{
	struct print print;

	print_begin(&print, task, out);
	print_string(&print, "action", action_name(offer->action));
	print_integer(&print, "attempt", offer->attempt);
	print_json(&print, "cluster", offer->cluster);
	print_string(&print, "id", offer->task);
	print_string(&print, "job", offer->job);
	print_string(&print, "log", offer->log);
	print_json(&print, "machine", offer->machine);
	print_string(&print, "nodes", offer->nodes);
	print_string(&print, "token", offer->token);
	print_string(&print, "worker", offer->worker);
	print_end(&print);
}

int
offer_print(const struct offer *offer, const char *text, size_t length, struct arena *arena, struct step *step,
    struct buffer *out, struct error *err)
{
	struct problems problems = {0};
	struct place place;
	jv task;
	int result = 0;

	if (json_parse("plan.ndjson", text, length, &task, err) < 0)
		return -1;
	place = place_root(task, &problems);
	step_parse(&place, arena, step);
	if (problems.total > 0)
		result = error_set(err, EX_DATAERR, "plan.ndjson: task %s: %s: %s", offer->task, problems.list[0].pointer,
		    problems.list[0].text);
	else
		print_members(offer, task, out);
	step->action = offer->action;
	problems_release(&problems);
	jv_free(task);
	return result;
}
