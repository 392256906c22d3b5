/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/docker: containers of docker on the node, coopr-automators(7).
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no docker on it, or the fields are wrong.
 */
#include "automator/container.h"

static const char schema[] = CONTAINER_SCHEMA("automator docker");

static int
docker_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	return container_prepare("docker", task, arena, work, err);
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/docker", .schema = schema, .prepare = docker_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
