/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-test: tries the actions of one service on a sandbox machine that is made for it. Exits with 0; 1 where an action failed, or
 * there is no such service; 64 on misuse, 65 and 66 where documents are malformed or cannot be read, 77 where it is not root that
 * asks; 130 after ^C.
 */
#include "account/guest.h"
#include "admin/trial.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"

static struct trial_options trial;
static struct option_list changes;

static const struct option_spec options[] = {
	OPTION_STRING('C', "catalogue", &trial.catalogue, "DIR", "the catalogue that has the service"),
	OPTION_STRING('c', "config", &trial.config, "FILE", "the configuration of the cluster, an object"),
	OPTION_LIST(0, "set", &changes, "PATH=VALUE", "change one value of the configuration; may be repeated"),
	OPTION_STRING('t', "template", &trial.template, "TEMPLATE", "begin with the configuration of this template"),
	OPTION_END
};

static const struct command command = {
	"coopr-test", "[OPTION]... SERVICE", "Run the actions of a service on a throw-away sandbox machine.", options,
	"  coopr-test nginx -t web\n"
	"  coopr-test -C ~/catalogue kv --set kv.port=7000\n"};

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct error err;

	if (!operands[0] || operands[1])
		return option_misuse(&command, operands[0] ? "expected one service" : "missing argument SERVICE");
	trial.service = operands[0];
	trial.changes = (struct string_list){changes.list, changes.count};
	if (guest_refuse("testing services", &err) < 0 || trial_run(&trial, &err) < 0)
		return message_error(&err);
	return message_end(0);
}
