/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "model/layout.h"
#include "model/take/macro.h"

struct printer {
	const struct layout *layout;
	struct macro_context context;
	struct table table;
	struct buffer *records; /* go there, not to the table; or NULL */
};

static void
links_tell(struct printer *printer, const char *label, const char *url)
{
	if (!printer->records) {
		table_cell(&printer->table, STYLE_PLAIN, "%s:", label);
		table_cell(&printer->table, STYLE_BOLD, "%s", url);
		return;
	}
	buffer_text(printer->records, "{\"kind\":\"link\",\"label\":");
	json_quote(label, printer->records);
	buffer_text(printer->records, ",\"url\":");
	json_quote(url, printer->records);
	buffer_text(printer->records, "}\n");
}

/* Adds the link with the macros of self expanded, unless it is the same as before, which is the text before. */
static void
links_add_link(struct printer *printer, const char *label, const char *url, struct buffer *before)
{
	struct buffer text = {0};
	struct error unknown;

	if (macro_expand_text(url, &printer->context, &text, &unknown) == 0 &&
	    (!before->data || strcmp(before->data, text.data) != 0)) {
		links_tell(printer, label, text.data);
		buffer_release(before);
		*before = text;
	} else {
		buffer_release(&text);
	}
}

/* A service's link is there for each node that has the service; one that asks nothing of the node itself is the same
 * for all of them. */
static void
links_add_service(struct printer *printer, const struct service *service, const struct macro_node *nodes)
{
	for (size_t i = 0; i < service->links.count; i++) {
		const struct link *link = &service->links.list[i];
		struct buffer before = {0};

		for (size_t n = 0; n < printer->layout->node_count; n++) {
			if (!node_has(&printer->layout->nodes[n], service->name))
				continue;
			printer->context.self = &nodes[n];
			links_add_link(printer, link->label, link->url, &before);
		}
		buffer_release(&before);
	}
	printer->context.self = NULL;
}

static void
links_add_template(struct printer *printer)
{
	jv template = json_get(printer->layout->cluster.source, "template"), links = json_get(template, "links");

	for (size_t i = 0; i < json_length(links); i++) {
		jv link = json_element(links, i);
		char *label = json_get_string(link, "label"), *url = json_get_string(link, "url");
		struct buffer before = {0};

		if (url)
			links_add_link(printer, label ? label : "link", url, &before);
		buffer_release(&before);
		free(label);
		free(url);
		jv_free(link);
	}
	jv_free(links);
	jv_free(template);
}

static void
links_tell_all(struct printer *printer)
{
	const struct layout *layout = printer->layout;
	size_t room = MACRO_ROOM;
	struct macro_node *nodes = memory_zeroed(layout->node_count, sizeof *nodes);
	char *owner = json_get_string(layout->cluster.source, "owner"), *address = json_get_string(layout->cluster.source, "address");

	for (size_t i = 0; i < layout->node_count; i++)
		nodes[i] = macro_node_of(&layout->nodes[i]);
	printer->context = (struct macro_context){nodes, layout->node_count, NULL, owner, address, &room};
	links_add_template(printer);
	for (size_t i = 0; i < layout->cluster.definition_count; i++)
		links_add_service(printer, &layout->cluster.definitions[i], nodes);
	free(address);
	free(owner);
	free(nodes);
}

void
links_print(const struct layout *layout, FILE *out, bool colour)
{
	static const char *const columns[] = {"LABEL", "URL", NULL};
	struct printer printer = {.layout = layout};

	table_columns(&printer.table, columns);
	links_tell_all(&printer);
	if (printer.table.count > printer.table.columns)
		fputc('\n', out);
	table_print(&printer.table, out, colour, false);
	table_release(&printer.table);
}

void
links_records(const struct layout *layout, struct buffer *out)
{
	struct printer printer = {.layout = layout, .records = out};

	links_tell_all(&printer);
}
