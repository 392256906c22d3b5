/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/summary.h"

#include <fcntl.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/table.h"
#include "json/record.h"
#include "model/layout.h"
#include "model/show/links.h"
#include "model/show/output.h"
#include "operation/efficiency.h"

/* Returns the address of the node for machines outside of the cluster, else that for its neighbours; borrowed, or NULL. */
static const char *
summary_address_of(const struct node *node)
{
	static const char *const types[] = {"access_v4", "access_v6", "bind_v4", "bind_v6"};
	const char *address = NULL;

	for (size_t i = 0; i < sizeof types / sizeof *types && !address; i++) {
		jv value = json_get(node->ipaddresses, types[i]);

		address = json_string(value);
		jv_free(value); /* the node still holds it */
	}
	return address;
}

static void
summary_print_nodes(const struct layout *layout, FILE *out, bool colour)
{
	static const char *const columns[] = {"HOST", "ADDRESS", "SERVICES", NULL};
	struct table table = {0};
	struct buffer services = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];
		const char *address = summary_address_of(node);

		buffer_clear(&services);
		for (size_t j = 0; j < node->services.count; j++)
			buffer_printf(&services, "%s%s", j ? " " : "", node->services.list[j]);
		table_cell(&table, STYLE_BOLD, "%s", node->hostname ? node->hostname : node->id);
		table_cell(&table, STYLE_PLAIN, "%s", address ? address : "-");
		table_cell(&table, STYLE_PLAIN, "%s", services.length ? services.data : "");
	}
	table_print(&table, out, colour, true);
	table_release(&table);
	buffer_release(&services);
}

/* Prints how long it took, and the next commands; coopr ssh only where the provider has told how to log in. */
static void
summary_print_next(const struct layout *layout, const char *name, const struct efficiency *efficiency, FILE *out)
{
	const struct node *node = layout->node_count ? &layout->nodes[0] : NULL;
	jv auth = node ? json_get(node->facts, "ssh-auth") : jv_invalid();
	char passed[CLOCK_RFC3339_SIZE], path[CLOCK_RFC3339_SIZE];

	fprintf(out, "\nDone in %s (critical path: %s).\n", clock_duration(efficiency->passed_ms, passed),
	    clock_duration(efficiency->path_ms, path));
	fprintf(out, "Look around: coopr show %s", name);
	if (jv_is_valid(auth))
		fprintf(out, ", coopr ssh %s/%lld", name, (long long)node->nodenum);
	fprintf(out, "\nTake it down: coopr delete %s\n", name);
	jv_free(auth);
}

int
summary_print(const char *path, const char *name, const struct efficiency *efficiency, FILE *out, bool colour,
    struct error *err)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct layout layout = {0};
	int result;

	if (record_reader_open(&reader, path, err) < 0)
		return -1;
	result = layout_read(&reader, &layout, &problems, err);
	if (result == 0)
		result = problems_error(&problems, reader.name, EX_DATAERR, err);
	if (result == 0) {
		summary_print_nodes(&layout, out, colour);
		links_print(&layout, out, colour);
		summary_print_next(&layout, name, efficiency, out);
	}
	layout_release(&layout);
	problems_release(&problems);
	record_reader_release(&reader);
	return result;
}

int
summary_copy(const char *path, struct output *output, struct error *err)
{
	struct buffer records = {0};
	int result = file_read(AT_FDCWD, path, SIZE_MAX, &records, err);

	if (result == 0)
		output_lines(output, &records);
	buffer_release(&records);
	return result;
}
