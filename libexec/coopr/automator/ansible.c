/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/ansible: ansible-playbook on the node, which plays for that node alone, coopr-automators(7). Look-ups and delegated tasks are
 * programs: they run there, and never on the host of coopr.
 *
 * Exit code and status: 0 done, whether it changed anything or not; 1 something has failed; 75 the node cannot be reached, 77 it may not
 * be entered, 78 there is no ansible-playbook on it, no such playbook, or the fields are wrong.
 */
#include "automator/automator.h"
#include "automator/playbook.h"
#include "automator/tool.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator ansible\",\"type\":\"object\",\"stream\":true,\"status\":true,"
    "\"required\":[\"playbook\"]," PLAYBOOK_RESOURCES ",\"properties\":{" PLAYBOOK_PROPERTIES("path") ","
    TOOL_PROPERTIES "}}";

static int
ansible_prepare(const struct task *task, struct arena *arena, struct automator_work *work, struct error *err)
{
	return playbook_prepare(task, false, arena, work, err);
}

int
main(int argc, char **argv)
{
	static const struct automator automator = {.name = "automator/ansible", .schema = schema, .prepare = ansible_prepare,
	    .has_bootstrap = true, .take_answer = tool_take_answer};

	return automator_main(&automator, argc, argv);
}
