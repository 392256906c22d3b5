/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/apply-turn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apply/apply-repair.h"
#include "apply/turn.h"
#include "base/clock.h"
#include "prepare/prepare.h"

enum { STEPS = 8 }; /* more of them mean that others keep changing the cluster */

static int
apply_change(struct turn *turn, const struct spec_diff *found, struct error *err)
{
	const struct apply_options *how = turn->apply->parameters;
	const struct spec_parameters remake = {turn_spec(turn), found, how->catalogue, how->max_unavailable,
	    how->allow_moves, how->force};
	struct amend_parameters amend = {.spec = &remake, .max_unavailable = how->max_unavailable, .allow_moves = how->allow_moves,
	    .amendment = {.add = found->add, .remove = found->remove, .config = found->config, .members = found->members}};
	char *command = turn_command(turn), machines[24];
	struct operation_request request = {.action = "apply", .cluster = turn->application->id, .command = command};
	int result;

	if (turn->brought)
		return error_set(err, EX_TEMPFAIL, "another command has changed it meanwhile; try again");
	snprintf(machines, sizeof machines, "%" PRId64, found->machines);
	amend.amendment.machines = machines;
	amend.amendment.insists = how->force;
	amend.amendment.open = found->scales && (!turn_spec(turn)->machines_min ||
	    turn_spec(turn)->machines_min != turn_spec(turn)->machines_max);
	amend.amendment.machines_min = turn_spec(turn)->machines_min;
	amend.amendment.machines_max = turn_spec(turn)->machines_max;
	request.prepare = found->remake ? prepare_spec : prepare_amend;
	request.describe = found->remake ? prepare_describe_spec : prepare_describe_spec_change;
	request.parameters = found->remake ? (const void *)&remake : &amend;
	result = turn_operate(turn, &request, err);
	turn->brought = result >= 0;
	free(command);
	return result;
}

/* Checks that the file does not change what cannot change while the cluster lives. */
static int
apply_check_fixed(const struct turn *turn, struct error *err)
{
	const struct clusterspec *spec = turn_spec(turn);
	const struct cluster_record *cluster = turn->cluster;

	if (spec->owner && strcmp(spec->owner, cluster->owner) != 0)
		return error_set(err, EX_NO, "its owner is %s, and cannot become %s while the cluster lives; write \"owner\": \"%s\", or leave owner out",
		    cluster->owner, spec->owner, cluster->owner);
	if (spec->group && (!cluster->group || strcmp(spec->group, cluster->group) != 0))
		return error_set(err, EX_NO, "its group is %s, and cannot become %s while the cluster lives; leave group out%s%s%s",
		    cluster->group ? cluster->group : "none", spec->group, cluster->group ? ", or write \"group\": \"" : "",
		    cluster->group ? cluster->group : "", cluster->group ? "\"" : "");
	return 0;
}

/* Sets the lease if the file has changed it; one that was prolonged by hand stays. */
static int
apply_change_lease(struct turn *turn, struct error *err)
{
	const struct clusterspec *spec = turn_spec(turn);
	int64_t before = turn->has_last ? turn->last.lease_ms : spec->lease_ms;
	char was[CLOCK_RFC3339_SIZE], is[CLOCK_RFC3339_SIZE];

	if (spec->lease_ms < 0 || before == spec->lease_ms)
		return 0;
	turn->application->change = APPLICATION_CHANGED;
	buffer_printf(&turn->application->differences, "~ lease %s -> %s\n",
	    before > 0 ? clock_duration(before, was) : before == 0 ? "for ever" : "-",
	    spec->lease_ms ? clock_duration(spec->lease_ms, is) : "for ever");
	if (turn->apply->options.dry)
		return 0;
	return clusters_set_lease(&turn->apply->account, turn->cluster->id,
	    spec->lease_ms ? turn->cluster->created_ms + spec->lease_ms : 0, false, turn->cluster->lease_discards_data,
	    err);
}

/* Notes that the cluster agrees with the file. */
static void
apply_agree(struct turn *turn)
{
	struct agreed *agreed = &turn->apply->agreed;
	const struct applied *before = turn->begin->applied;
	const char *origin = turn->apply->origin ? turn->apply->origin : before ? before->origin : NULL;

	turn->application->outcome = turn->apply->options.dry && turn->application->change != APPLICATION_NONE
	    ? APPLICATION_PLANNED : APPLICATION_DONE;
	ARRAY_ROOM(agreed->list, agreed->count, agreed->capacity);
	agreed->list[agreed->count++] = (struct applied){turn->cluster->id, origin, arena_string(&agreed->arena, turn->text),
		turn->cluster->revision, false};
}

/* Compares an active cluster with the file, and changes what differs. */
static int
apply_compare(struct turn *turn, struct error *err)
{
	struct application *application = turn->application;
	struct cluster_documents documents = {0};
	struct spec_diff found = {.config = jv_invalid(), .members = jv_invalid()};
	int result = apply_check_fixed(turn, err);

	if (result == 0)
		result = clusters_documents(&turn->apply->account, turn->cluster->id, &documents, err);
	if (result == 0)
		result = turn_compare(turn, documents.request ? documents.request : "{}", turn->cluster->nodes, &found, err);
	if (result == 0 && application->change == APPLICATION_NONE)
		result = apply_change_lease(turn, err);
	if (result == 0 && found.count == 0) {
		apply_agree(turn);
	} else if (result == 0) {
		application->change = application->change == APPLICATION_NEW ? APPLICATION_NEW : APPLICATION_CHANGED;
		buffer_append(&application->differences, found.lines.data, found.lines.length);
		result = apply_change(turn, &found, err);
	}
	spec_diff_release(&found);
	cluster_documents_release(&documents);
	return result;
}

/* Deletes a cluster that no file names any more, unless it follows another folder by now. */
static int
apply_prune(struct turn *turn, struct error *err)
{
	struct error unseen;
	char *origin = applied_origin(&turn->apply->account, turn->cluster->id, &unseen);
	bool ours = origin && strcmp(origin, turn->apply->origin) == 0;

	free(origin);
	return ours ? turn_delete(turn, err) : error_set(err, EX_TEMPFAIL, "it follows other files now; it is not changed");
}

static int
apply_step(struct turn *turn, struct error *err)
{
	const struct applied *applied = turn->begin->applied;
	const char *origin = turn->apply->origin;

	if (!turn->cluster)
		return turn->begin->spec ? turn_create(turn, err) : TURN_OVER;
	if (!turn->begin->spec)
		return apply_prune(turn, err);
	if (applied && applied->origin && origin && strcmp(applied->origin, origin) != 0 && !turn->apply->parameters->adopt)
		return error_set(err, EX_NO, "it follows the files of %s; --adopt lets it follow those of %s", applied->origin, origin);
	return turn->cluster->status == LIFECYCLE_ACTIVE ? apply_compare(turn, err) : turn_repair(turn, err);
}

bool
apply_turn_has_changed(const struct cluster_record *seen, const struct cluster_record *now)
{
	if (!seen || !now)
		return seen || now;
	return seen->id != now->id || seen->revision != now->revision || seen->operation != now->operation;
}

/* Looks at the cluster for the first time. What is done to it was shown, if anything was. */
static int
apply_begin(struct turn *turn, struct error *err)
{
	if (turn_look(turn, err) < 0)
		return -1;
	return turn->apply->has_consent && apply_turn_has_changed(turn->begin->cluster, turn->cluster)
	     ? error_set(err, EX_TEMPFAIL, "it has changed since this was shown; try again") : 0;
}

static int
apply_go(struct turn *turn, struct error *err)
{
	int result = apply_begin(turn, err) < 0 ? -1 : TURN_AGAIN;

	for (int i = 0; i < STEPS && result == TURN_AGAIN; i++)
		result = turn_look(turn, err) < 0 ? -1 : apply_step(turn, err);
	return result == TURN_AGAIN ? error_set(err, EX_TEMPFAIL, "other commands keep changing it; try again") : result;
}

/* Returns whether nothing was done to the cluster since it was found to agree with a file that says the same still. */
static bool
apply_is_known_to_agree(const struct turn *turn)
{
	const struct apply_turn *begin = turn->begin;

	return begin->cluster && begin->applied && begin->cluster->status == LIFECYCLE_ACTIVE &&
	    begin->applied->revision == begin->cluster->revision && strcmp(begin->applied->spec, turn->text) == 0 &&
	    (!turn->apply->origin || (begin->applied->origin && strcmp(begin->applied->origin, turn->apply->origin) == 0));
}

/* Reads the file as it was applied last, if that is known. */
static int
apply_recall(struct turn *turn, struct error *err)
{
	struct problems problems = {0};
	struct place root;
	jv document;

	if (!turn->begin->applied)
		return 0;
	if (json_parse("what is remembered", turn->begin->applied->spec, strlen(turn->begin->applied->spec), &document,
	    err) < 0)
		return -1;
	root = place_root(document, &problems);
	clusterspec_parse(&root, &turn->last);
	turn->has_last = problems.total == 0;
	problems_release(&problems);
	jv_free(document);
	return 0;
}

int
apply_remember(struct apply *apply, struct error *err)
{
	int result = apply->options.dry ? 0 : applied_save(&apply->account, apply->agreed.list, apply->agreed.count, err);

	apply->agreed.count = 0;
	return result;
}

static int
apply_take(struct turn *turn, struct error *err)
{
	if (!turn->begin->spec && (!turn->apply->parameters->prune || turn->apply->failed)) {
		turn->application->outcome = turn->apply->parameters->prune ? APPLICATION_KEPT : APPLICATION_LEFT;
		return 0;
	}
	if (turn->begin->spec && apply_is_known_to_agree(turn))
		return 0;
	if (apply_recall(turn, err) < 0 || apply_go(turn, err) < 0)
		return -1;
	/* A change is remembered at once, an agreement at the end. */
	return turn->application->change == APPLICATION_NONE ? 0 : apply_remember(turn->apply, err);
}

void
apply_turn(struct apply *apply, const struct apply_turn *begin, struct application *application)
{
	struct turn turn = {.apply = apply, .begin = begin, .application = application, .last = {.source = jv_invalid()}};
	struct error *trouble = &application->trouble;
	size_t length = strlen(application->name);

	turn.text = begin->spec ? clusterspec_text(&begin->spec->wanted) : NULL;
	if (!begin->spec)
		application->change = APPLICATION_DELETED;
	if (apply_take(&turn, trouble) < 0) {
		application->outcome = APPLICATION_FAILED;
		if (application->change == APPLICATION_NONE)
			application->change = APPLICATION_CHANGED;
		if (strncmp(trouble->text, application->name, length) != 0 || trouble->text[length] != ':')
			error_prefix(trouble, "%s", application->name);
	}
	clusterspec_release(&turn.last);
	cluster_list_release(&turn.list);
	free(turn.text);
}
