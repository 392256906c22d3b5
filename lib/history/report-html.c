/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as one page that needs nothing else: no network, and no script to be read. Whatever came from outside is escaped;
 * and a policy in the page lets the browser run the one script that is in it and load nothing.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "history/report-chart.h"
#include "history/report-failures.h"
#include "history/report-markup.h"

enum { PATH_TOLD = 200, ATTEMPTS_TOLD = 2000 };

/* Zoom only. The policy below has its hash: openssl dgst -sha256 -binary | base64. */
#define SCRIPT \
	"(function(){var w=document.querySelector('.wide'),s=document.querySelector('.scroll'),z=1;" \
	"document.querySelectorAll('[data-zoom]').forEach(function(b){b.hidden=false;b.addEventListener('click',function(){" \
	"var f=+b.dataset.zoom,o=w.clientWidth,c=s.scrollLeft+s.clientWidth/2;z=f?Math.min(64,Math.max(1,z*f)):1;" \
	"w.style.width=z*100+'%';s.scrollLeft=c*w.clientWidth/o-s.clientWidth/2;});});})();"
#define SCRIPT_HASH "sha256-uWZtLlEfIEBXxn1t63c8zuOyjP7rITWbXgsib42wMhI="

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1c2126;--dim:#5c6670;--line:#dfe3e8;--soft:#f5f7f9;--ink:#111;"
    "--good:#1a7f37;--bad:#c62828;--warn:#8a6100}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#14181c;--fg:#e4e8ec;--dim:#98a3ae;--line:#313940;--soft:#1c2228;--ink:#fff;"
    "--good:#56d364;--bad:#ff7b72;--warn:#e3b341}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:90rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .6rem}p{margin:.3rem 0;color:var(--dim)}\n"
    ".badge{font-size:.85rem;font-weight:600;padding:.1rem .6rem;border:1px solid;border-radius:1rem;vertical-align:middle}\n"
    ".complete{color:var(--good)}.failed,.cancelled{color:var(--bad)}.other{color:var(--warn)}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.6rem;margin:1rem 0}\n"
    "dl div{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem}\n"
    "dt{color:var(--dim);font-size:.8rem}dd{margin:0;font-size:1.15rem;font-weight:600}dd small{display:block;font-size:.8rem;"
    "font-weight:400;color:var(--dim)}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.3rem 1rem;font-size:.85rem;color:var(--dim);margin:.4rem 0;align-items:center}\n"
    ".legend svg{width:14px;height:12px;vertical-align:-1px;margin-right:.3rem}\n"
    "button{font:inherit;font-size:.85rem;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:4px;"
    "padding:0 .6rem;cursor:pointer}\n"
    ".chart{display:flex;border:1px solid var(--line);border-radius:6px;overflow:hidden}\n"
    ".names{flex:none;max-width:14rem;border-right:1px solid var(--line);font-size:11px;background:var(--soft)}\n"
    ".names div{padding:0 .5rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\n"
    ".scroll{flex:1;min-width:0;overflow-x:auto}.wide{width:100%}.wide svg{display:block;width:100%}\n"
    ".axis{position:relative;height:20px;border-bottom:1px solid var(--line);font-size:11px;color:var(--dim);overflow:hidden}\n"
    ".axis span{position:absolute;padding-left:3px;white-space:nowrap;line-height:20px}\n"
    ".g{stroke:var(--line);vector-effect:non-scaling-stroke}.n{fill:var(--dim);opacity:.45}.x{fill:#d32f2f}\n"
    ".a0{fill:#4e79a7}.a1{fill:#86b5dd}.a2{fill:#8c7fc7}.a3{fill:#f28e2b}.a4{fill:#d9b72f}.a5{fill:#c97fb0}.a6{fill:#4fa75a}"
    ".a7{fill:#9c755f}.a8{fill:#a9a39d}.a9{fill:#70604f}\n"
    ".f,.l{fill:#d32f2f}.l{fill-opacity:.55}.r{fill-opacity:.5}\n"
    ".c{stroke:var(--ink);stroke-width:1.5px;vector-effect:non-scaling-stroke}.s{stroke:var(--bg);vector-effect:non-scaling-stroke}\n"
    ".table{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.88rem}caption{text-align:left;color:var(--dim);"
    "padding:.2rem 0}\n"
    "th,td{text-align:left;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;opacity:1;white-space:nowrap}\n"
    ".trouble{border-left:3px solid var(--bad);padding:.2rem .8rem;margin:.7rem 0}.trouble b{font-weight:600}\n"
    "pre{margin:.3rem 0;padding:.5rem .7rem;background:var(--soft);border:1px solid var(--line);border-radius:4px;overflow-x:auto;"
    "font-size:.8rem;line-height:1.4}\n"
    "summary{cursor:pointer}:focus-visible{outline:2px solid #4e79a7;outline-offset:2px}\n"
    "@media print{body{padding:0;max-width:none;font-size:11px}.chart,.badge,dl div{-webkit-print-color-adjust:exact;"
    "print-color-adjust:exact}.scroll{overflow:visible}.wide{width:100%!important}button{display:none}tr,.trouble,dl div{"
    "break-inside:avoid}h2{break-after:avoid}}\n";

/* --- the head and the figures --- */

static void
report_add_head(const struct report *report, struct buffer *out)
{
	const char *status = report_status(report);
	const struct job *job = &report->attempts.plan.job;
	bool known = strcmp(status, "complete") == 0 || strcmp(status, "failed") == 0 || strcmp(status, "cancelled") == 0;
	char at[CLOCK_RFC3339_SIZE];

	buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	    "script-src '" SCRIPT_HASH "'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Job ");
	report_escape(report->attempts.job, out);
	buffer_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>Job ", style);
	report_escape(report->attempts.job, out);
	buffer_printf(out, " <span class=\"badge %s\">", known ? status : "other");
	report_escape(status, out);
	buffer_text(out, "</span></h1>\n<p>");
	report_escape(job->action, out);
	buffer_text(out, " of cluster ");
	report_escape(job->cluster, out);
	buffer_text(out, ", tenant ");
	report_escape(report->attempts.tenant, out);
	buffer_printf(out, "; put at %s</p>\n</header>\n<main>\n", clock_rfc3339(report->start_ms, at));
}

static void
report_begin_figure(const char *name, struct buffer *out)
{
	buffer_printf(out, "<div><dt>%s</dt><dd>", name);
}

static void
report_end_figure(struct buffer *out)
{
	buffer_text(out, "</small></dd></div>\n");
}

static void
report_add_times(const struct report *report, struct buffer *out)
{
	report_begin_figure(report->attempts.outcome ? "Makespan" : "So far", out);
	report_duration(report->makespan_ms, out);
	buffer_text(out, "<small>critical path as planned: ");
	report_duration((int64_t)(report->attempts.plan.job.critical_path_s * 1000), out);
	report_end_figure(out);
	report_begin_figure("Work", out);
	report_duration(report->work_ms, out);
	buffer_printf(out, "<small>%zu attempts at %u tasks", report->attempts.count, report->tasks);
	report_end_figure(out);
	report_begin_figure("At once", out);
	buffer_printf(out, "%u<small>at most; %.0f%% of that all along", report->peak, report_utilisation(report) * 100);
	report_end_figure(out);
	report_begin_figure("Waiting", out);
	report_duration(report->node_wait_ms + report->slot_wait_ms, out);
	buffer_text(out, "<small>for nodes ");
	report_duration(report->node_wait_ms, out);
	buffer_text(out, ", for slots ");
	report_duration(report->slot_wait_ms, out);
	report_end_figure(out);
}

static void
report_add_figures(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<dl>\n");
	report_add_times(report, out);
	report_begin_figure("Critical path as it happened", out);
	report_duration(report->path_work_ms, out);
	buffer_printf(out, "<small>of work in %u attempts; idle between: ", report->path_count);
	report_duration(report->path_wait_ms[REPORT_FIRST] + report->path_wait_ms[REPORT_AFTER] + report->path_wait_ms[REPORT_NODE] +
	    report->path_wait_ms[REPORT_SLOT] + report->path_wait_ms[REPORT_RETRY], out);
	report_end_figure(out);
	report_begin_figure("Failures", out);
	buffer_printf(out, "%u<small>%u tried again, %u of these after an undo; %u lost", report->failed, report->retried,
	    report->undone, report->lost);
	report_end_figure(out);
	buffer_text(out, "</dl>\n");
}

/* --- the timeline --- */

static void
report_add_legend(const struct report *report, struct buffer *out)
{
	bool used[ACTION_COUNT] = {false};

	for (size_t i = 0; i < report->attempts.count; i++)
		used[report->attempts.list[i].action] = true;
	buffer_text(out, "<div class=\"legend\">");
	for (int action = 0; action < ACTION_COUNT; action++)
		if (used[action])
			buffer_printf(out, "<span><svg aria-hidden=\"true\"><rect class=\"a%d\" width=\"14\" height=\"12\"/></svg>%s</span>",
			    action, action_name((enum action)action));
	buffer_text(out, "<span><svg aria-hidden=\"true\"><rect class=\"f\" width=\"14\" height=\"12\"/></svg>failed or lost</span>"
	    "<span><svg aria-hidden=\"true\"><rect fill=\"none\" class=\"c\" x=\"1\" y=\"1\" width=\"12\" height=\"10\"/></svg>"
	    "on the critical path</span>"
	    "<button type=\"button\" data-zoom=\"2\" hidden>Zoom in</button><button type=\"button\" data-zoom=\"0.5\" hidden>Zoom out"
	    "</button><button type=\"button\" data-zoom=\"0\" hidden>Whole job</button></div>\n");
}

static void
report_add_timeline(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<h2>Timeline</h2>\n");
	if (report->attempts.count == 0) {
		buffer_text(out, "<p>Nothing has begun.</p>\n");
		return;
	}
	report_add_legend(report, out);
	report_chart(report, out);
}

/* --- tables --- */

/* Begins a table; columns in lower case are those of numbers. */
static void
report_begin_table(const char *caption, const char *const *columns, struct buffer *out)
{
	buffer_printf(out, "<div class=\"table\"><table><caption>%s</caption><thead><tr>", caption);
	for (; *columns; columns++)
		buffer_printf(out, "<th scope=\"col\"%s>%s</th>", **columns >= 'a' ? " class=\"n\"" : "", *columns);
	buffer_text(out, "</tr></thead><tbody>\n");
}

static void
report_end_table(struct buffer *out)
{
	buffer_text(out, "</tbody></table></div>\n");
}

static void
report_add_duration_cell(int64_t ms, struct buffer *out)
{
	buffer_text(out, "<td class=\"n\">");
	report_duration(ms, out);
	buffer_text(out, "</td>");
}

static void
report_add_text_cell(const char *text, struct buffer *out)
{
	buffer_text(out, "<td>");
	report_escape(text, out);
	buffer_text(out, "</td>");
}

/* When it began, how long it took, and what it was. */
static void
report_add_attempt_cells(const struct report *report, const struct attempt *attempt, struct buffer *out)
{
	report_add_duration_cell(attempt->start_ms - report->start_ms, out);
	report_add_duration_cell(attempt_took_ms(attempt), out);
	buffer_text(out, "<td>");
	report_escape_what(report, attempt, out);
	buffer_text(out, "</td><td>");
	report_say_end(attempt, out);
	buffer_text(out, "</td>");
	report_add_text_cell(report_worker(report, attempt), out);
}

static void
report_add_path(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"began", "took", "Task", "Ended", "By", "Why not earlier", NULL};
	uint32_t skipped = report->path_count > PATH_TOLD ? report->path_count - PATH_TOLD : 0;
	struct buffer why = {0};

	if (report->path_count == 0)
		return;
	buffer_text(out, "<h2>Critical path as it happened</h2>\n");
	report_begin_table("From the begin of the job: what each attempt on the way to its end waited for.", columns, out);
	for (uint32_t i = 0; i < report->path_count; i++) {
		if (skipped && i == PATH_TOLD / 2) {
			buffer_printf(out, "<tr><td colspan=\"6\">... %u more ...</td></tr>\n", skipped);
			i += skipped;
		}
		buffer_clear(&why);
		report_say_why(&report->path[i], &why);
		buffer_text(out, "<tr>");
		report_add_attempt_cells(report, &report->attempts.list[report->path[i].attempt], out);
		report_add_text_cell(why.length ? why.data : "", out);
		buffer_text(out, "</tr>\n");
	}
	buffer_release(&why);
	report_end_table(out);
}

static void
report_add_count_cell(size_t count, struct buffer *out)
{
	buffer_printf(out, "<td class=\"n\">%zu</td>", count);
}

static void
report_html_add_group(const struct history_group *group, struct buffer *out)
{
	buffer_printf(out, "<tr><td>%s</td>", action_name(group->action));
	report_add_text_cell(group->service, out);
	report_add_text_cell(group->type, out);
	report_add_count_cell(group->done, out);
	report_add_count_cell(group->failed, out);
	report_add_count_cell(group->lost, out);
	report_add_duration_cell(history_quantile_ms(group, 0.5), out);
	report_add_duration_cell(history_quantile_ms(group, 0.9), out);
	report_add_duration_cell(history_quantile_ms(group, 1), out);
	buffer_text(out, "</tr>\n");
}

static void
report_html_add_groups(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"Action", "Service", "Plugin", "done", "failed", "lost", "half took",
	    "nine of ten",
	    "longest", NULL};

	if (report->history.keys.count == 0)
		return;
	buffer_text(out, "<h2>What takes how long</h2>\n");
	report_begin_table("Attempts that ended, by what they were at.", columns, out);
	for (size_t next = 0; next < report->history.keys.count;) {
		struct history_group merged;

		history_merge(&report->history, &next, &merged);
		report_html_add_group(&merged, out);
		history_group_release(&merged);
	}
	report_end_table(out);
}

static void
report_add_attempts(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"began", "took", "Task", "Ended", "By", NULL};

	buffer_text(out, "<h2>All attempts</h2>\n");
	if (report->attempts.count > ATTEMPTS_TOLD) {
		buffer_printf(out, "<p>There are %zu: coopr-queue report -o json lists them.</p>\n", report->attempts.count);
		return;
	}
	buffer_printf(out, "<details><summary>%zu attempts</summary>\n", report->attempts.count);
	report_begin_table("In the order they began.", columns, out);
	for (size_t i = 0; i < report->attempts.count; i++) {
		buffer_text(out, "<tr>");
		report_add_attempt_cells(report, &report->attempts.list[i], out);
		buffer_text(out, "</tr>\n");
	}
	report_end_table(out);
	buffer_text(out, "</details>\n");
}

void
report_html(const struct report *report, struct queue *queue, struct buffer *out)
{
	report_add_head(report, out);
	report_add_figures(report, out);
	report_add_timeline(report, out);
	report_failures(report, queue, out);
	report_add_path(report, out);
	report_html_add_groups(report, out);
	report_add_attempts(report, out);
	buffer_text(out, "</main>\n<script>" SCRIPT "</script>\n</body>\n</html>\n");
}
