/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/plural.h"
#include "history/report-markup.h"

enum {
	WIDTH = 10000,    /* units of the drawing for the whole duration */
	RUNNING = 48,     /* heights in pixels: how much ran, */
	STRIP = 22,       /* the critical path, */
	LANE = 16, BAR = 12, GAP = 2, /* a lane, the bar in it, and the gap above that */
	LANES_MAX = 200,  /* nodes that have a lane each, */
	BARS_MAX = 8000,  /* and attempts with a bar each */
	GROUPS_MAX = 100, /* lanes otherwise, */
	BINS = 300,       /* and the parts that a duration is cut into */
	TICKS_MAX = 10,
	WIDE = 60,        /* a bar on the strip that has room for a border */
};

struct chart {
	const struct report *report;
	struct buffer *out;
	bool grouped;
	size_t lanes, nodes_a_lane;
	unsigned height;
};

struct cell { /* a part of the duration, of a lane */
	int64_t busy_ms[ACTION_COUNT];
	bool bad; /* an attempt that failed or was lost ended in it */
};

static int
report_x_of(const struct chart *chart, int64_t ms)
{
	int64_t duration_ms = chart->report->duration_ms, at_ms = ms - chart->report->start_ms;

	if (duration_ms <= 0 || at_ms <= 0)
		return 0;
	return at_ms >= duration_ms ? WIDTH : (int)((double)at_ms * WIDTH / (double)duration_ms);
}

/* Returns the width of an attempt's bar, never so narrow that it cannot be seen. */
static int
report_width_of(const struct chart *chart, const struct attempt *attempt)
{
	int width = report_x_of(chart, attempt->end_ms) - report_x_of(chart, attempt->start_ms);

	return width > 8 ? width : 8;
}

static void
report_add_title(const struct chart *chart, const struct attempt *attempt)
{
	struct buffer *out = chart->out;
	char text[CLOCK_RFC3339_SIZE];
	const char *worker = report_worker(chart->report, attempt);

	buffer_text(out, "<title>");
	report_escape_what(chart->report, attempt, out);
	buffer_text(out, ": ");
	report_say_end(attempt, out);
	buffer_printf(out, ", took %s", clock_duration(attempt_took_ms(attempt), text));
	buffer_printf(out, ", from %s on", clock_duration(attempt->start_ms - chart->report->start_ms, text));
	if (*worker) {
		buffer_text(out, ", by ");
		report_escape(worker, out);
	}
	if (attempt->message) {
		buffer_text(out, ": ");
		report_escape(attempt->message, out);
	}
	buffer_text(out, "</title>");
}

/* Adds the bar of an attempt; mark is one more class, or "". */
static void
report_add_bar(const struct chart *chart, uint32_t number, int y, int height, const char *mark)
{
	static const char *const ends[] = {" r", "", " f", " l"};
	const struct attempt *attempt = &chart->report->attempts.list[number];

	buffer_printf(chart->out, "<rect class=\"a%d%s%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">",
	    (int)attempt->action, ends[attempt->end], mark, report_x_of(chart, attempt->start_ms), y, report_width_of(chart, attempt),
	    height);
	report_add_title(chart, attempt);
	buffer_text(chart->out, "</rect>\n");
}

static int
report_lane_top(size_t lane)
{
	return RUNNING + STRIP + (int)lane * LANE;
}

/* --- the axis --- */

/* Returns the milliseconds between two ticks: a round number, so that there are not too many. */
static int64_t
report_tick_ms(int64_t duration_ms)
{
	static const int64_t round[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000,
	    120000,
	    300000, 600000, 900000, 1800000, 3600000, 7200000, 14400000, 21600000, 43200000, 86400000};
	size_t count = sizeof round / sizeof *round;

	for (size_t i = 0; i < count; i++)
		if (duration_ms / round[i] <= TICKS_MAX)
			return round[i];
	return duration_ms / TICKS_MAX + 1;
}

/* Returns "5 m" where clock_duration says "5 m 0 s". */
static const char *
report_tick_name(int64_t at_ms, char text[CLOCK_RFC3339_SIZE])
{
	size_t length = strlen(clock_duration(at_ms, text));

	if (length > 4 && text[length - 4] == ' ' && text[length - 3] == '0' && at_ms >= 60000)
		text[length - 4] = '\0';
	return at_ms ? text : "0";
}

static void
report_add_axis(const struct chart *chart)
{
	int64_t duration_ms = chart->report->duration_ms, step_ms = report_tick_ms(duration_ms);
	char text[CLOCK_RFC3339_SIZE];

	buffer_text(chart->out, "<div class=\"axis\" aria-hidden=\"true\">");
	/* The last label is left out if it would be cut. */
	for (int64_t at = 0; at < duration_ms - duration_ms / 25; at += step_ms)
		buffer_printf(chart->out, "<span style=\"left:%.3f%%\">%s</span>", (double)at * 100 / (double)duration_ms,
		    report_tick_name(at, text));
	buffer_text(chart->out, "</div>\n");
}

static void
report_add_grid(const struct chart *chart)
{
	int64_t duration_ms = chart->report->duration_ms, step_ms = report_tick_ms(duration_ms);

	buffer_text(chart->out, "<path class=\"g\" d=\"");
	for (int64_t at = step_ms; at < duration_ms; at += step_ms)
		buffer_printf(chart->out, "M%d 0V%u", report_x_of(chart, chart->report->start_ms + at), chart->height);
	buffer_text(chart->out, "\"/>\n");
}

/* --- what ran when, in parts of the duration --- */

/* Returns the part of the duration that an instant is in. A clock that was set may show any. */
static int
report_bin_of(double at_ms, double bin_ms)
{
	if (bin_ms <= 0 || at_ms < bin_ms)
		return 0;
	return at_ms >= bin_ms * BINS ? BINS - 1 : (int)(at_ms / bin_ms);
}

/* Adds an attempt to the cells of its lane. */
static void
report_fill_cells(const struct chart *chart, const struct attempt *attempt, struct cell *cells)
{
	const struct report *report = chart->report;
	double bin_ms = (double)report->duration_ms / BINS;
	double from = (double)(attempt->start_ms - report->start_ms), until = (double)(attempt->end_ms - report->start_ms);
	int last = report_bin_of(until, bin_ms);

	for (int bin = report_bin_of(from, bin_ms); bin <= last; bin++) {
		double start = bin * bin_ms > from ? bin * bin_ms : from;
		double end = (bin + 1) * bin_ms < until ? (bin + 1) * bin_ms : until;

		if (end > start)
			cells[bin].busy_ms[attempt->action] += (int64_t)(end - start + 0.5);
	}
	if (attempt->end == ATTEMPT_FAILED || attempt->end == ATTEMPT_LOST)
		cells[last].bad = true;
}

/* Returns the action that took most of the time; busy_ms gets the time in which anything was done. */
static int
report_most_of(const struct cell *cell, int64_t *busy_ms)
{
	int most = -1;

	*busy_ms = 0;
	for (int action = 0; action < ACTION_COUNT; action++) {
		*busy_ms += cell->busy_ms[action];
		if (cell->busy_ms[action] > 0 && (most < 0 || cell->busy_ms[action] > cell->busy_ms[most]))
			most = action;
	}
	return most;
}

static void
report_add_running(const struct chart *chart)
{
	const struct report *report = chart->report;
	struct cell *cells = memory_zeroed(BINS, sizeof *cells);
	double most = (double)report->duration_ms / BINS * (report->peak ? report->peak : 1);
	int64_t busy_ms;

	for (size_t i = 0; i < report->attempts.count; i++)
		report_fill_cells(chart, &report->attempts.list[i], cells);
	buffer_printf(chart->out, "<path class=\"n\" d=\"M0 %d", RUNNING - GAP);
	for (int bin = 0; bin < BINS && most > 0; bin++) {
		report_most_of(&cells[bin], &busy_ms);
		buffer_printf(chart->out, "V%.1fH%d", RUNNING - GAP - (double)busy_ms / most * (RUNNING - 2 * GAP),
		    (bin + 1) * WIDTH / BINS);
	}
	buffer_printf(chart->out, "V%dZ\"/>\n", RUNNING - GAP);
	free(cells);
}

/* --- lanes --- */

/* Adds one shape for each action in a lane: as high as the lane's nodes were busy. */
static void
report_chart_add_group(const struct chart *chart, size_t lane, const struct cell *cells)
{
	double full_ms = (double)chart->report->duration_ms / BINS * (double)chart->nodes_a_lane;
	struct buffer shapes[ACTION_COUNT + 1] = {{0}};
	int bottom = report_lane_top(lane) + GAP + BAR;

	for (int bin = 0; bin < BINS; bin++) {
		int x = bin * WIDTH / BINS, width = (bin + 1) * WIDTH / BINS - x, height;
		int64_t busy_ms;
		int most = report_most_of(&cells[bin], &busy_ms);

		if (cells[bin].bad)
			buffer_printf(&shapes[ACTION_COUNT], "M%d %dh%dv2h-%dz", x, bottom, width, width);
		if (most < 0)
			continue;
		height = full_ms > 0 ? (int)((double)busy_ms / full_ms * BAR + 0.9) : BAR;
		height = height > BAR ? BAR : height < 1 ? 1 : height;
		buffer_printf(&shapes[most], "M%d %dh%dv%dh-%dz", x, bottom - height, width, height, width);
	}
	for (int action = 0; action <= ACTION_COUNT; action++) {
		if (action < ACTION_COUNT && shapes[action].length > 0)
			buffer_printf(chart->out, "<path class=\"a%d\" d=\"%s\"/>\n", action, shapes[action].data);
		else if (shapes[action].length > 0)
			buffer_printf(chart->out, "<path class=\"x\" d=\"%s\"/>\n", shapes[action].data);
		buffer_release(&shapes[action]);
	}
}

static void
report_chart_add_groups(const struct chart *chart)
{
	const struct attempts *attempts = &chart->report->attempts;
	struct cell *cells = memory_zeroed(chart->lanes * BINS, sizeof *cells);

	for (size_t i = 0; i < attempts->count; i++) {
		size_t lane = attempts->node_of[attempts->list[i].step] / chart->nodes_a_lane;

		report_fill_cells(chart, &attempts->list[i], cells + lane * BINS);
	}
	for (size_t lane = 0; lane < chart->lanes; lane++)
		report_chart_add_group(chart, lane, cells + lane * BINS);
	free(cells);
}

static void
report_add_strip(const struct chart *chart)
{
	const struct report *report = chart->report;

	for (uint32_t i = 0; i < report->path_count && i < BARS_MAX; i++) {
		uint32_t attempt = report->path[i].attempt;

		report_add_bar(chart, attempt, RUNNING + GAP, STRIP - 2 * GAP,
		    report_width_of(chart, &report->attempts.list[attempt]) > WIDE ? " s" : "");
	}
}

/* --- names --- */

static void
report_add_name(const struct chart *chart, int height, const char *text, const char *title)
{
	buffer_printf(chart->out, "<div style=\"height:%dpx;line-height:%dpx\" title=\"", height, height);
	report_escape(title, chart->out);
	buffer_text(chart->out, "\">");
	report_escape(text, chart->out);
	buffer_text(chart->out, "</div>");
}

static void
report_add_names(const struct chart *chart)
{
	const struct layout *layout = &chart->report->attempts.plan.layout;

	buffer_text(chart->out, "<div class=\"names\" aria-hidden=\"true\"><div class=\"axis\"></div>");
	report_add_name(chart, RUNNING, "in parallel", "how many tasks ran");
	report_add_name(chart, STRIP, "critical path", "the critical path as it happened");
	for (size_t lane = 0; lane < chart->lanes; lane++) {
		size_t first = lane * chart->nodes_a_lane, last = first + chart->nodes_a_lane - 1;
		const struct node *node = &layout->nodes[first];
		char *text;

		if (last >= layout->node_count)
			last = layout->node_count - 1;
		if (last == first) {
			report_add_name(chart, LANE, node->hostname ? node->hostname : node->id, node->id);
			continue;
		}
		text = memory_printf("%s to %lld", node->hostname ? node->hostname : node->id, (long long)layout->nodes[last].nodenum);
		report_add_name(chart, LANE, text, text);
		free(text);
	}
	buffer_text(chart->out, "</div>\n");
}

void
report_chart(const struct report *report, struct buffer *out)
{
	const struct attempts *attempts = &report->attempts;
	size_t nodes = attempts->plan.layout.node_count;
	struct chart chart = {.report = report, .out = out, .lanes = nodes, .nodes_a_lane = 1,
	    .grouped = nodes > LANES_MAX || attempts->count > BARS_MAX};

	if (chart.grouped) {
		chart.nodes_a_lane = (nodes + GROUPS_MAX - 1) / GROUPS_MAX;
		chart.lanes = (nodes + chart.nodes_a_lane - 1) / chart.nodes_a_lane;
	}
	chart.height = (unsigned)report_lane_top(chart.lanes);
	buffer_text(out, "<div class=\"chart\">\n");
	report_add_names(&chart);
	buffer_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline; what it shows is in the tables below\">"
	    "<div class=\"wide\">\n");
	report_add_axis(&chart);
	buffer_printf(out, "<svg viewBox=\"0 0 %d %u\" height=\"%u\" preserveAspectRatio=\"none\" role=\"img\" "
	    "aria-label=\"Timeline of the job: tasks running, critical path, and what ran on each node\">\n", WIDTH, chart.height,
	    chart.height);
	report_add_grid(&chart);
	report_add_running(&chart);
	report_add_strip(&chart);
	if (chart.grouped)
		report_chart_add_groups(&chart);
	for (size_t i = 0; !chart.grouped && i < attempts->count; i++)
		report_add_bar(&chart, (uint32_t)i, report_lane_top(attempts->node_of[attempts->list[i].step]) + GAP, BAR,
		    report->critical[i] ? " c" : "");
	buffer_text(out, "</svg></div></div></div>\n");
	if (chart.grouped)
		buffer_printf(out, "<p>Each lane stands for %zu %s: as high as they were busy, in the colour of what they did most; "
		    "red below it where attempts failed.</p>\n", chart.nodes_a_lane,
		    plural(chart.nodes_a_lane, "node", "nodes"));
}
