/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-show: shows clusters, by their names or ids: one whole, with its nodes, links, and what failed. And reads
 * records of any kind, files of a catalogue or whole catalogues and shows them to a person: as tables, names or JSON; a
 * plan or a layout also as a tree or a graph. What a record lacks is shown as "-", never refused. A name is a cluster;
 * a file is "-", "./NAME" or has another slash in it. Exits with 0; 1 where there is no such cluster; 64 on misuse; 65
 * where the input is no JSON, has no records, or is no plan and no layout where one is to be drawn; 66 where it cannot
 * be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "confine/confine.h"
#include "model/show/show.h"
#include "operation/saved-plan.h"
#include "operation/target.h"
#include "show/cluster-show.h"
#include "show/saved-plan-show.h"
#include "status/status.h"

static struct status_options places;
static struct target_options chosen;
static bool clusters, shown; /* shown: a saved plan */

static const struct option_spec options[] = {
	OPTION_FLAG('c', "cluster", &clusters, "the operands are clusters, even if there are such files"),
	TARGET_OPTIONS(&chosen),
	OUTPUT_OPTIONS(&places.format, &places.colour, OUTPUT_NAMES "|tree|dot"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command command = {
	"coopr-show", "[OPTION]... [CLUSTER[/NODE|/@SERVICE]|./FILE|DIR/]...",
	"Show clusters and records: as tables, trees, graphs, or for programs.", options,
	"  coopr-show shop\n"
	"  coopr-show shop/1000\n"
	"  coopr-show ./layout.ndjson\n"
	"  coopr-plan layout.ndjson | coopr-show -o tree\n"
	"  coopr-plan layout.ndjson | coopr-show -o dot | dot -Tsvg >plan.svg\n"
	"  coopr-show -o wide share/coopr/catalogue/services/*.json\n"};

/* Returns whether there is such a file; to guests, who may name none, there is not. */
static bool
show_is_file(const char *path)
{
	struct error ignored;

	return guest_refuse_file(path, &ignored) == 0 && access(path, F_OK) == 0;
}

/* Returns whether the first part of CLUSTER/NODE is the name of a folder. */
static bool
show_is_in_folder(const char *operand)
{
	char *folder = memory_substring(operand, strcspn(operand, "/"));
	bool found = show_is_file(folder);

	free(folder);
	return found;
}

/* A name means a cluster, whatever files there are, so that what is in a script means the same everywhere. */
static bool
show_is_cluster(const char *operand)
{
	struct target target;
	struct error ignored;

	if (clusters || !operand || strcmp(operand, "-") == 0)
		return clusters;
	if (strchr(operand, '/') && (show_is_file(operand) || show_is_in_folder(operand)))
		return false;
	if (target_parse(operand, NULL, &target, &ignored) < 0)
		return false;
	target_release(&target);
	return true;
}

/* Tells that there is no such cluster, with the file that may be meant. */
static int
show_no_cluster(const char *name, const struct error *err)
{
	const char *hint = strchr(err->text, ';');

	if (show_is_file(name))
		message("no cluster named \"%s\"; to show the file: coopr show ./%s", name, name);
	else
		message("no file or cluster named \"%s\"%s", name, hint ? hint : "");
	return EX_NO;
}

static int
show_cluster(const char *operand, struct output *output)
{
	struct cluster_status status;
	struct target target;
	struct error err;
	bool found;
	int result, code;

	if (output->format == OUTPUT_OTHER)
		return option_misuse(&command, "-o %s: a cluster is shown as table, wide, name, json, yaml or jsonpath%s%s", places.format,
		    show_is_file(operand) ? "; a file is ./" : "", show_is_file(operand) ? operand : "");
	target_operand_nodes(&command, operand, &chosen, &target);
	result = status_open(&status, &places, target.cluster, &err);
	found = result == 0;
	if (found)
		result = target_is_whole(&target) ? cluster_show_print(&status, output, &err)
		                                  : cluster_show_part(&status, &target, output, &err);
	status_release(&status);
	code = result == 0 ? 0 : !found && err.code == EX_NO && !clusters ? show_no_cluster(operand, &err) : message_error(&err);
	target_release(&target);
	return code;
}

/* Takes a file, or shows it at once where it is a saved plan: what that does is of more interest than its records. */
static int
show_file(const char *path, struct show *show, struct error *err)
{
	const struct account_ask ask = {.store = places.store, .tenant = places.tenant, .user = places.user};
	bool for_people = show->output.format == OUTPUT_TABLE || show->output.format == OUTPUT_WIDE;

	if (!path || !for_people || !saved_plan_is(path))
		return show_take(show, path, err);
	shown = true;
	return saved_plan_show(path, &ask, stdout, show->output.colour, message_notice, err);
}

/* Shows each: the worst exit code. *files is how many were no clusters. */
static int
show_operands(char *const *operands, struct show *show, size_t *files)
{
	struct error err;
	int code = 0, one;

	*files = 0;
	do {
		if (show_is_cluster(*operands)) {
			one = show_cluster(*operands, &show->output);
		} else if (chosen.nodes.count || chosen.services.count) {
			return option_misuse(&command, "'%s' is a file; -N and -s choose nodes of clusters", *operands);
		} else {
			++*files;
			one = guest_refuse_file(*operands, &err) < 0 || show_file(*operands, show, &err) < 0 ? message_error(&err) : 0;
		}
		code = one ? one : code;
	} while (*operands && *++operands);
	return code;
}

int
main(int argc, char **argv)
{
	struct show show = {0};
	const char *name;
	struct error err;
	size_t files;
	int code;

	argv += option_parse(&command, argc, argv);
	if ((clusters || chosen.nodes.count || chosen.services.count) && !*argv)
		return option_misuse(&command, "missing argument CLUSTER");
	show.output = output_open(places.format, places.colour);
	if (show.output.format == OUTPUT_OTHER)
		show.drawing = strcmp(places.format, "tree") == 0 ? SHOW_TREE : SHOW_DOT;
	name = *argv ? *argv : "standard input";
	if (!*argv && !clusters)
		confine_filter(NULL, 0);

	code = show_operands(argv, &show, &files);
	if (files && (show.count || (code == 0 && !shown)) && show_end(&show, name, &err) < 0)
		code = *err.text ? message_error(&err) : problems_report(&show.problems, name);

	show_release(&show);
	return message_end(code);
}
