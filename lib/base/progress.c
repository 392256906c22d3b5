/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/terminal.h"

enum { BAR_MAX = 40, BAR_MIN = 8, LINES_MAX = 64 };

/* The lines that stand on the terminal, by the columns that each takes; the cursor is behind the last. */
static size_t widths[LINES_MAX];
static size_t drawn;

bool
progress_is_seen(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* Goes to the start of the first line. A terminal that was made narrower since has broken lines. */
static void
progress_go_back(struct buffer *out)
{
	size_t columns = terminal_width(stderr), rows = 0;

	for (size_t i = 0; i < drawn; i++)
		rows += widths[i] > columns ? (widths[i] + columns - 1) / columns : 1;
	buffer_byte(out, '\r');
	if (rows > 1)
		buffer_printf(out, "\033[%zuA", rows - 1);
	drawn = 0;
}

static void
progress_draw_line(const char *text, size_t width, struct buffer *out)
{
	char *shown = memory_string(text);
	size_t columns = printable(shown), length = printable_prefix(shown, width);

	if (drawn == LINES_MAX) {
		free(shown);
		return;
	}
	if (drawn)
		buffer_text(out, "\r\n");
	buffer_append(out, shown, length);
	buffer_text(out, "\033[K");
	widths[drawn++] = columns < width ? columns : width;
	free(shown);
}

static void
progress_append_head(const char *label, size_t done, size_t total, const char *tail, size_t width, struct buffer *line)
{
	char *counts = memory_printf(" %zu/%zu%s%s", done, total, *tail ? "  " : "", tail), *shown = memory_string(label);
	size_t taken = printable(shown) + printable(counts) + 3;

	buffer_text(line, shown);
	if (taken + BAR_MIN <= width) {
		size_t columns = width - taken < BAR_MAX ? width - taken : BAR_MAX, filled = total ? columns * done / total : 0;

		buffer_text(line, " [");
		for (size_t i = 0; i < columns; i++)
			buffer_byte(line, i < filled ? '=' : i == filled ? '>' : ' ');
		buffer_byte(line, ']');
	}
	buffer_text(line, counts);
	free(shown);
	free(counts);
}

void
progress_draw(const char *label, size_t done, size_t total, const char *tail, const char *const *below)
{
	size_t width = terminal_width(stderr) - 1; /* writing the last column makes some terminals wrap */
	struct buffer line = {0}, out = {0};
	size_t before = drawn;

	if (!progress_is_seen())
		return;
	progress_append_head(label, done < total ? done : total, total, tail, width, &line);
	progress_go_back(&out);
	progress_draw_line(line.data, width, &out);
	for (; below && *below; below++)
		progress_draw_line(*below, width, &out);
	if (before > drawn)
		buffer_text(&out, "\033[J");
	fwrite(out.data, 1, out.length, stderr);
	buffer_release(&out);
	buffer_release(&line);
}

void
progress_clear(void)
{
	struct buffer out = {0};
	size_t before = drawn;

	if (!before)
		return;
	progress_go_back(&out);
	buffer_text(&out, before > 1 ? "\033[J" : "\033[K");
	fwrite(out.data, 1, out.length, stderr);
	buffer_release(&out);
}
