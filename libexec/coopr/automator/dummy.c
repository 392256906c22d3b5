/* SPDX-License-Identifier: Apache-2.0
 *
 * automator/dummy: does nothing, in as much time and with as many failures as the fields of the action say.
 * For rehearsals, and to see how much a plan of that size costs.
 */
#include "exec/dummy.h"

#include "exec/serve.h"

static const char schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"automator dummy\",\"type\":\"object\",\"stream\":true,"
    "\"properties\":{" DUMMY_PROPERTIES "}}";

static void
act(const struct task *task, struct outcome *outcome)
{
	double delay_ms;

	dummy_draw(task, &delay_ms, outcome);
	dummy_wait(delay_ms);
}

int
main(int argc, char **argv)
{
	static const struct service service = {.begin = dummy_begin, .due = dummy_answer, .end = dummy_answer};
	static const struct plugin plugin = {"automator/dummy", schema, act, NULL, &service};

	return plugin_main(&plugin, argc, argv);
}
