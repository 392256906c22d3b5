/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-show: reads records of any kind, files of a catalogue or whole catalogues and shows them to a person: as tables,
 * names or JSON; a plan or a layout also as a tree or a graph. What a record lacks is shown as "-", never refused.
 * Exits with 0, 64 on misuse, 65 where the input is no JSON, has no records, or is no plan and no layout where
 * one is to be drawn, 66 where it cannot be read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/terminal.h"
#include "model/show.h"

static const char *output, *colour;

static const struct option_spec options[] = {
	OPTION_STRING('o', "output", &output, "json|table|wide|name|tree|dot", "output format"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	OPTION_END
};

static const struct command command = {
	"coopr-show", "[OPTION]... [FILE|DIR]...", "Show records: as tables on a terminal, else as JSON.", options,
	"  coopr-show layout.ndjson\n"
	"  coopr-plan layout.ndjson | coopr-show -o tree\n"
	"  coopr-plan layout.ndjson | coopr-show -o dot | dot -Tsvg >plan.svg\n"
	"  coopr-show -o wide share/coopr/catalogue/services/*.json\n"};

/* Exits where the options make no sense. */
static enum show_format
choose_format(void)
{
	const char *near;

	if (colour && strcmp(colour, "auto") != 0 && strcmp(colour, "always") != 0 && strcmp(colour, "never") != 0)
		exit(option_misuse(&command, "--color: auto, always or never, not '%s'", colour));
	if (!output)
		return isatty(STDOUT_FILENO) ? SHOW_TABLE : SHOW_JSON;
	for (enum show_format i = 0; show_formats[i]; i++)
		if (strcmp(show_formats[i], output) == 0)
			return i;
	near = option_suggest(output, show_formats);
	exit(near ? option_misuse(&command, "there is no format '%s'; did you mean '%s'?", output, near)
	          : option_misuse(&command, "there is no format '%s'", output));
}

int
main(int argc, char **argv)
{
	struct show show = {.stream = stdout};
	const char *name;
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	show.format = choose_format();
	show.colour = terminal_colour(colour, stdout);
	name = *argv ? *argv : "standard input";

	do {
		if (show_take(&show, *argv, &err) < 0)
			code = message_error(&err);
	} while (*argv && *++argv);
	if ((show.count || code == 0) && show_end(&show, name, &err) < 0)
		code = *err.text ? message_error(&err) : problems_report(&show.problems, name);

	show_release(&show);
	return message_end(code);
}
