/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-show: shows clusters, by their names or ids: one whole, with its nodes, links, and what failed. And reads
 * records of any kind, files of a catalogue or whole catalogues and shows them to a person: as tables, names or JSON; a
 * plan or a layout also as a tree or a graph. What a record lacks is shown as "-", never refused. An operand is a file
 * where there is one of that name, else a cluster. Exits with 0; 1 where there is no such cluster; 64 on misuse; 65
 * where the input is no JSON, has no records, or is no plan and no layout where one is to be drawn; 66 where it cannot
 * be read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/message.h"
#include "base/option.h"
#include "model/name.h"
#include "model/show/show.h"
#include "show/cluster-show.h"
#include "status/status.h"

static struct status_options places;
static bool clusters;

static const struct option_spec options[] = {
	OPTION_FLAG('c', "cluster", &clusters, "operands are clusters, whatever files there are"),
	OUTPUT_OPTIONS(&places.format, &places.colour, OUTPUT_NAMES "|tree|dot"),
	STATUS_PLACES(&places),
	OPTION_END
};

static const struct command command = {
	"coopr-show", "[OPTION]... [FILE|DIR|CLUSTER]...",
	"Show clusters and records: as tables, trees, graphs, or for programs.", options,
	"  coopr-show shop\n"
	"  coopr-show layout.ndjson\n"
	"  coopr-plan layout.ndjson | coopr-show -o tree\n"
	"  coopr-plan layout.ndjson | coopr-show -o dot | dot -Tsvg >plan.svg\n"
	"  coopr-show -o wide share/coopr/catalogue/services/*.json\n"};

/* A file comes first, so that what is in a script means the same whatever clusters there will be. */
static bool
show_is_cluster(const char *operand)
{
	char *store;
	bool found;

	if (clusters || !operand)
		return clusters;
	if (!name_is_valid(operand) || access(operand, F_OK) == 0)
		return false;
	store = location_store(places.store);
	found = !file_is_absent(AT_FDCWD, store);
	free(store);
	return found;
}

static int
show_cluster(const char *name, struct output *output)
{
	struct cluster_status status;
	struct error err;
	int result;

	if (output->format == OUTPUT_NAME || output->format == OUTPUT_OTHER)
		return option_misuse(&command, "-o %s: a cluster is shown as table, wide, json, yaml or jsonpath", places.format);
	result = status_open(&status, &places, name, &err);
	if (result == 0)
		result = cluster_show_print(&status, output, &err);
	status_release(&status);
	if (result < 0 && err.code == EX_NO && !clusters) {
		const char *hint = strchr(err.text, ';');

		message("no file or cluster named \"%s\"%s", name, hint ? hint : "");
		return EX_NO;
	}
	return result < 0 ? message_error(&err) : 0;
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
		} else {
			++*files;
			one = guest_refuse_file(*operands, &err) < 0 || show_take(show, *operands,
			    &err) < 0 ? message_error(&err) : 0;
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
	if (clusters && !*argv)
		return option_misuse(&command, "missing argument CLUSTER");
	show.output = output_open(places.format, places.colour);
	if (show.output.format == OUTPUT_OTHER)
		show.drawing = strcmp(places.format, "tree") == 0 ? SHOW_TREE : SHOW_DOT;
	name = *argv ? *argv : "standard input";

	code = show_operands(argv, &show, &files);
	if (files && (show.count || code == 0) && show_end(&show, name, &err) < 0)
		code = *err.text ? message_error(&err) : problems_report(&show.problems, name);

	show_release(&show);
	return message_end(code);
}
