/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/turn.h"

#include <stdlib.h>
#include <string.h>

#include "prepare/prepare.h"

const struct clusterspec *
turn_spec(const struct turn *turn)
{
	return &turn->begin->spec->wanted;
}

int
turn_look(struct turn *turn, struct error *err)
{
	struct application *application = turn->application;

	cluster_list_release(&turn->list);
	turn->cluster = NULL;
	/* Which one is to be deleted does not hang on a name, which another may have by now. */
	if ((turn->begin->spec ? clusters_find(&turn->apply->account, application->name, &turn->list, err)
	                       : clusters_find_id(&turn->apply->account, turn->begin->cluster->id, &turn->list, err)) < 0)
		return err->code == EX_NO ? 0 : -1;
	if (turn->list.list[0].status == LIFECYCLE_TERMINATED)
		return 0;
	turn->cluster = &turn->list.list[0];
	cluster_id_text(turn->cluster->id, application->id);
	return 0;
}

int
turn_operate(struct turn *turn, struct operation_request *request, struct error *err)
{
	const struct operation_options *options = &turn->apply->options;
	struct application *application = turn->application;

	operation_result_release(&application->done);
	if (operate(request, options, &application->done, err) < 0)
		return -1;
	if (options->dry)
		application->outcome = APPLICATION_PLANNED;
	else if (options->detach && application->done.job)
		application->outcome = APPLICATION_BEGUN;
	else
		return TURN_AGAIN;
	return TURN_OVER;
}

char *
turn_command(const struct turn *turn)
{
	return memory_printf("coopr apply %s %s", turn->application->name, turn->text);
}

int
turn_create(struct turn *turn, struct error *err)
{
	const struct apply *apply = turn->apply;
	const struct clusterspec *spec = turn_spec(turn);
	const struct applied applied = {.origin = apply->origin, .spec = turn->text, .made = true};
	const struct spec_parameters parameters = {.spec = spec, .catalogue = apply->parameters->catalogue,
	    .insists = apply->parameters->force};
	struct operation_request request = {.action = "create", .cluster = spec->name, .prepare = prepare_spec,
	    .describe = prepare_describe_spec, .parameters = &parameters, .takes_over = turn->cluster != NULL, .owner = spec->owner,
	    .group = spec->group, .lease_ms = spec->lease_ms, .applied = &applied};
	char *command = turn_command(turn);
	struct error unseen;
	int result;

	request.command = command;
	turn->application->change = APPLICATION_NEW;
	result = turn_operate(turn, &request, err);
	turn->brought = result >= 0;
	free(command);
	if (result < 0 && !request.takes_over && err->code == EX_NO && !turn->application->done.job && !apply->options.dry &&
	    turn_look(turn, &unseen) == 0 && turn->cluster)
		return TURN_AGAIN;
	return result;
}

int
turn_delete(struct turn *turn, struct error *err)
{
	const struct action_parameters parameters = {.action = "delete"};
	struct operation_request request = {.action = "delete", .cluster = turn->application->id, .prepare = prepare_action,
	    .parameters = &parameters, .preempts = true};
	char *command = memory_printf("coopr delete --yes %s", turn->application->id);
	struct error failure, unseen;
	int result;

	request.command = command;
	result = turn_operate(turn, &request, &failure);
	free(command);
	if (result >= 0)
		return result;
	/* It may have been gone, but not finished. */
	if (failure.code == EX_NO && turn_look(turn, &unseen) == 0 && !turn->cluster)
		return TURN_AGAIN;
	*err = failure;
	return -1;
}

int
turn_compare(const struct turn *turn, const char *request, int64_t machines, struct spec_diff *diff, struct error *err)
{
	struct asked asked = {.machines = machines};
	int result;

	*diff = (struct spec_diff){0};
	if (json_parse("the cluster's request", request, strlen(request), &asked.request, err) < 0)
		return -1;
	result = spec_diff_find(turn_spec(turn), turn->has_last ? &turn->last : NULL, &asked, diff, err);
	jv_free(asked.request);
	return result;
}
