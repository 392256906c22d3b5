/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/printable.h"

enum { BAR_MAX = 40, BAR_MIN = 8 };

static bool drawn;

static bool
can_redraw(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

static void
append_bar(struct buffer *line, size_t columns, size_t done, size_t total)
{
	size_t filled = total ? columns * done / total : 0;

	buffer_text(line, " [");
	for (size_t i = 0; i < columns; i++)
		buffer_byte(line, i < filled ? '=' : i == filled ? '>' : ' ');
	buffer_byte(line, ']');
}

void
progress_draw(const char *label, size_t done, size_t total, const char *tail)
{
	struct buffer line = {0}, counts = {0};
	size_t width, taken;
	char *shown;

	if (!can_redraw())
		return;
	done = done < total ? done : total;
	buffer_printf(&counts, " %zu/%zu%s%s", done, total, *tail ? "  " : "", tail);
	width = terminal_width(stderr) - 1; /* writing the last column makes some terminals wrap */
	shown = memory_string(label);
	taken = printable(shown) + printable(counts.data) + 3;
	buffer_text(&line, shown);
	if (taken + BAR_MIN <= width)
		append_bar(&line, width - taken < BAR_MAX ? width - taken : BAR_MAX, done, total);
	buffer_text(&line, counts.data);
	fprintf(stderr, "\r%.*s\033[K", (int)printable_prefix(line.data, width), line.data);
	drawn = true;
	free(shown);
	buffer_release(&counts);
	buffer_release(&line);
}

void
progress_clear(void)
{
	if (drawn)
		fputs("\r\033[K", stderr);
	drawn = false;
}
