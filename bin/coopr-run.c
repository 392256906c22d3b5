/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-run: carries out a plan that --save of another command has saved, exactly as it is, or begins nothing.
 * Interrupted in any way, the same command resumes it. Exits with 0 once all is done; 1 where the cluster is not what
 * the plan was made from, the plan was carried out already, or a task failed; 64 on misuse; 65 where the file is not
 * what was saved; 75 while something else is done to the cluster; 128 + signal when interrupted.
 */
#include "account/guest.h"
#include "base/error.h"
#include "base/message.h"
#include "operation/front.h"
#include "operation/saved-plan.h"

static struct front front = {.jobs = FRONT_JOBS};

static const struct option_spec options[] = {
	FRONT_SECRETS(&front),
	FRONT_WORK(&front),
	FRONT_ASKER(&front),
	FRONT_ANSWER(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-run", "[OPTION]... FILE", "Carry out a saved plan, exactly as it was shown.", options,
	"  coopr-run --dry-run bigger.plan\n"
	"  coopr-run bigger.plan\n"};

/* A new cluster is found by its name, since it is not there; one that is there by its id, since its name may be another's. */
static struct operation_request
run_order_of(const struct saved_plan *plan, char id[CLUSTER_ID_SIZE])
{
	cluster_id_text(plan->id, id);
	return (struct operation_request){
		.action = plan->said.action, .verb = plan->said.verb, .cluster = plan->said.operation ? id : plan->said.name,
		    .command = plan->command,
		.admit = saved_plan_admit, .prepare = saved_plan_prepare, .parameters = plan,
		.id = plan->id, .owner = plan->said.owner, .group = plan->said.group, .lease_ms = plan->said.lease_ms,
		.consent = {.always = true},
	};
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv), id[CLUSTER_ID_SIZE];
	struct operation_options how = front_options(&command, &front);
	struct saved_plan plan;
	struct operation_request request;
	struct error err;
	int code;

	if (!operands[0] || operands[1])
		return option_misuse(&command, operands[0] ? "expected one saved plan" : "missing argument FILE");
	if (guest_refuse_file(operands[0], &err) < 0)
		return message_error(&err);
	if (saved_plan_read(&plan, operands[0], &how.ask, &err) < 0) {
		saved_plan_release(&plan);
		return message_error(&err);
	}
	front.tenant = plan.said.tenant;
	front.discard = front.discard || plan.said.discard_data;
	front.why = front.why ? front.why : plan.said.why;
	request = run_order_of(&plan, id);
	code = front_operate(&command, &front, &request, operands);
	if (code == 0 && front.dry && !front.quiet)
		message("%s: the plan of %s, made by %s at %s", plan.path, plan.said.command, plan.said.by, plan.said.at);
	saved_plan_release(&plan);
	return code;
}
