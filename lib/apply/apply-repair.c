/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/apply-repair.h"

#include <stdlib.h>
#include <string.h>

#include "apply/turn.h"
#include "cluster/operations.h"
#include "json/record.h"
#include "prepare/prepare.h"

struct before { /* the last operation */
	struct operation_list list;
	const struct operation *operation;
	bool creates;   /* it is the creation of the cluster, perhaps planned anew */
	bool agrees;    /* once it is complete, the cluster agrees with the file */
	bool changed;   /* it would, but entities that the file names have changed since, and the plan does not have that */
	bool resumes;   /* it is resumed, not undone: it agrees and nothing has changed, or is a deletion */
};

/* Returns how many nodes of a layout stay. */
static int64_t
apply_count_nodes(const char *layout)
{
	int64_t count = 0;

	for (const char *line = layout, *end; line && *line; line = end + (*end == '\n')) {
		struct error unread;
		jv record, services;
		char *kind;

		end = line + strcspn(line, "\n");
		if (json_parse("layout", line, (size_t)(end - line), &record, &unread) < 0)
			continue;
		kind = json_get_string(record, "kind");
		services = json_get(record, "services");
		count += kind && strcmp(kind, "node") == 0 && jv_get_kind(services) == JV_KIND_ARRAY;
		jv_free(services);
		free(kind);
		jv_free(record);
	}
	return count;
}

/* Finds out whether the cluster would agree with the file after the operation. One without a request of its own leaves that
 * of the cluster as it is. */
static int
apply_would_agree(const struct turn *turn, const struct operation *operation, bool *agrees, struct error *err)
{
	struct account *account = &turn->apply->account;
	struct operation_documents its = {0};
	struct cluster_documents documents = {0};
	struct spec_diff found = {.config = jv_invalid(), .members = jv_invalid()};
	int result = operation_documents(account, operation->cluster, operation->number, &its, err);
	const char *request;

	if (result == 0)
		result = clusters_documents(account, operation->cluster, &documents, err);
	request = its.request ? its.request : documents.request;
	*agrees = false;
	if (result == 0 && request && strcmp(operation->action, "delete") != 0) {
		result = turn_compare(turn, request, apply_count_nodes(its.wanted), &found, err);
		*agrees = result == 0 && found.count == 0;
	}
	spec_diff_release(&found);
	cluster_documents_release(&documents);
	operation_documents_release(&its);
	return result;
}

/* Finds out whether the entities that the file names have changed since it began an operation that has failed. */
static int
apply_has_changed(const struct turn *turn, const struct before *before, bool *changed, struct error *err)
{
	const struct operation *operation = before->operation;
	const struct spec_parameters parameters = {.spec = turn_spec(turn), .catalogue = turn->apply->parameters->catalogue,
	    .insists = turn->apply->parameters->force};
	const struct operation_request request = {.action = operation->action, .cluster = turn->application->id,
	    .describe = prepare_describe_spec, .parameters = &parameters};
	bool ours = before->creates ? turn->begin->applied && turn->begin->applied->made : strcmp(operation->action, "apply") == 0;
	int same = 1;

	if (operation->status >= OPERATION_COMPLETE && ours)
		same = operate_is_same(&request, &turn->apply->options, operation, err);
	*changed = same == 0;
	return same < 0 ? -1 : 0;
}

static int
apply_look_before(const struct turn *turn, struct before *before, struct error *err)
{
	int result = operation_last(&turn->apply->account, turn->cluster->id, &before->list, err);

	if (result == 0)
		return error_set(err, EX_SOFTWARE, "it is %s without any operation",
		    lifecycle_status_name(turn->cluster->status));
	if (result < 0)
		return -1;
	before->operation = &before->list.list[0];
	before->creates = strcmp(before->operation->action, "create") == 0 ||
	    (turn->cluster->status == LIFECYCLE_INCOMPLETE && strcmp(before->operation->action, "retry") == 0);
	result = apply_would_agree(turn, before->operation, &before->agrees, err);
	if (result == 0 && before->agrees)
		result = apply_has_changed(turn, before, &before->changed, err);
	before->resumes = (before->agrees && !before->changed) || strcmp(before->operation->action, "delete") == 0;
	return result;
}

/* Retries an operation that failed, or runs one that nobody runs. Where it fails again, it can still be rolled back. */
static int
apply_resume(struct turn *turn, const struct before *before, struct error *err)
{
	struct application *application = turn->application;
	const struct operation_request last = {.cluster = application->id};
	bool detach = turn->apply->options.detach;

	operation_result_release(&application->done);
	if (operate_retry(&last, &turn->apply->options, &application->done, err) == 0) {
		if (detach && !before->agrees)
			return error_set(err, EX_TEMPFAIL,
			    "%s (job %s) is running and has another goal; try again after it has ended",
			    before->operation->action, before->operation->job);
		application->outcome = detach ? APPLICATION_BEGUN : APPLICATION_DONE;
		return detach ? TURN_OVER : TURN_AGAIN;
	}
	if (err->code != EX_NO)
		return -1;
	turn->tried = before->resumes;
	turn->failure = *err;
	return TURN_AGAIN;
}

static int
apply_undo(struct turn *turn, const struct before *before, struct error *err)
{
	const struct rollback_parameters newest = {0};
	struct operation_request request = {.action = "rollback", .cluster = turn->application->id, .prepare = prepare_rollback,
	    .parameters = &newest};
	char *command;
	int result;

	if (before->creates) {
		if (before->changed)
			return turn_create(turn, err);
		if (turn->begin->applied && turn->begin->applied->made)
			return turn_delete(turn, err);
		return error_set(err, EX_NO,
		    "creating it failed, and its file has changed since; coopr retry %s resumes it, coopr delete %s "
		    "removes it", turn->application->name, turn->application->name);
	}
	command = memory_printf("coopr rollback %s", turn->application->id);
	request.command = command;
	result = turn_operate(turn, &request, err);
	free(command);
	return result;
}

/* Returns what is done about the operation. */
static const char *
apply_remedy_of(const struct turn *turn, const struct before *before)
{
	if (turn->cluster->status == LIFECYCLE_PENDING)
		return "is running: it is resumed";
	if (before->resumes)
		return "failed: it is retried";
	if (before->changed)
		return before->creates ? "failed, and entities of it have changed since: what it has not done is planned anew"
		                       : "failed, and entities of it have changed since: it is rolled back and planned anew";
	return before->creates ? "failed: it is deleted and created again" : "failed: it is rolled back";
}

static void
apply_note(struct turn *turn, const struct before *before)
{
	const struct operation *operation = before->operation;

	turn->application->change = before->creates || strcmp(operation->action, "delete") == 0 ? APPLICATION_NEW : APPLICATION_CHANGED;
	buffer_printf(&turn->application->differences, "! %s (%s) %s\n", operation->action, operation->job,
	    apply_remedy_of(turn, before));
}

int
turn_repair(struct turn *turn, struct error *err)
{
	struct before before = {0};
	int result = apply_look_before(turn, &before, err);

	if (result == 0 && turn->tried && turn->cluster->status != LIFECYCLE_PENDING) {
		*err = turn->failure;
		result = -1;
	} else if (result == 0) {
		apply_note(turn, &before);
		if (turn->apply->options.dry) {
			turn->application->outcome = APPLICATION_PLANNED;
			result = TURN_OVER;
		} else if (turn->cluster->status == LIFECYCLE_PENDING || before.resumes) {
			result = apply_resume(turn, &before, err);
		} else {
			result = apply_undo(turn, &before, err);
		}
	}
	operation_list_release(&before.list);
	return result;
}
