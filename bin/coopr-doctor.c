/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-doctor: looks for what is wrong with this installation, and says how to mend it; or says which settings hold, and
 * where they come from. It changes nothing. Exits with
 * 0 where nothing is wrong, doubts or not, 1 where something is, 64 on misuse.
 */
#include <stdbool.h>
#include <stdio.h>

#include "account/guest.h"
#include "admin/doctor.h"
#include "admin/settings.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/terminal.h"
#include "json/record.h"

static const char *format, *colour;
static bool settings_only;

static const struct option_spec options[] = {
	OPTION_FLAG('s', "settings", &settings_only, "show the settings that hold, and where each comes from"),
	LIST_OPTIONS(&format, &colour, "table|json"),
	OPTION_END
};

static const struct command command = {
	"coopr-doctor", "[OPTION]...", "Find what is wrong with this installation, and how to mend it.", options,
	"  coopr-doctor\n"
	"  coopr-doctor --settings\n"
	"  coopr-doctor -o json | jq -r 'select(.status != \"ok\") | .remedy'\n"};

static void
doctor_print_table(const struct doctor_report *report)
{
	static const char *const columns[] = {"STATUS", "CHECK", "FOUND, AND WHAT TO DO", NULL};
	static const enum terminal_style styles[] = {STYLE_GOOD, STYLE_WARN, STYLE_BAD};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < report->count; i++) {
		const struct doctor_finding *finding = &report->list[i];

		table_cell(&table, styles[finding->verdict], "%s", doctor_verdict_name(finding->verdict));
		table_cell(&table, STYLE_PLAIN, "%s", finding->check);
		table_cell(&table, STYLE_PLAIN, "%s", finding->text);
		if (!finding->remedy)
			continue;
		table_cell(&table, STYLE_PLAIN, "%s", "");
		table_cell(&table, STYLE_PLAIN, "%s", "");
		table_cell(&table, STYLE_BOLD, "-> %s", finding->remedy);
	}
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
}

static void
doctor_print_records(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		const struct doctor_finding *finding = &report->list[i];
		jv record = jv_object();

		json_set_string(&record, "kind", "check");
		json_set_string(&record, "name", finding->check);
		json_set_string(&record, "status", doctor_verdict_name(finding->verdict));
		json_set_string(&record, "text", finding->text);
		json_set_string(&record, "remedy", finding->remedy);
		record_write(record, stdout);
		jv_free(record);
	}
}

static int
doctor_show_settings(const struct list_output *output)
{
	struct settings settings;

	settings_gather(&settings);
	list_print(&settings_list, settings.list, PREFERENCE_COUNT, output);
	settings_release(&settings);
	return message_end(0);
}

static int
doctor_exit_code(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->list[i].verdict == DOCTOR_FAULT)
			return EX_NO;
	return 0;
}

int
main(int argc, char **argv)
{
	struct doctor_report report = {0};
	struct list_output output;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (guest_refuse("looking over the installation", &err) < 0)
		return message_error(&err);
	if (*argv)
		return option_misuse(&command, "there are no operands");
	output = list_output(&command, format, colour, "table|json");

	if (settings_only)
		return doctor_show_settings(&output);
	doctor_examine(&report);
	if (output.format == LIST_TABLE)
		doctor_print_table(&report);
	else
		doctor_print_records(&report);

	code = doctor_exit_code(&report);
	doctor_report_release(&report);
	return message_end(code);
}
