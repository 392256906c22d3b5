/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-doctor: finds out what is wrong with this installation, and says how to repair it; or shows the settings in force and
 * where they come from. It changes nothing. Exits with 0 if there is no error, warnings or not; 1 if there is one; 64 on
 * misuse.
 */
#include <stdbool.h>

#include "account/guest.h"
#include "admin/doctor.h"
#include "admin/settings.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"

static const char *format, *colour;
static bool settings_only;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "settings", &settings_only, "show the settings in force, and where each comes from"),
	OPTION_RETIRED('s', NULL, "--settings"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-doctor", "[OPTION]...", "Find out what is wrong with this installation, and how to repair it.", options,
	"  coopr-doctor\n"
	"  coopr-doctor --settings\n"
	"  coopr-doctor -o json | jq -r 'select(.status != \"ok\") | .remedy'\n"};

static int
doctor_show_settings(struct output *output)
{
	struct settings settings;

	settings_read(&settings);
	list_print(&settings_list, settings.list, PREFERENCE_COUNT, output);
	settings_release(&settings);
	return message_end(0);
}

int
main(int argc, char **argv)
{
	struct doctor_report report = {0};
	struct output output;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (guest_refuse("looking over the installation", &err) < 0)
		return message_error(&err);
	guest_vouch(); /* the catalogue is that of the installation */
	if (*argv)
		return option_misuse(&command, "unexpected argument '%s'", argv[0]);
	output = output_open(format, colour);

	if (settings_only)
		return doctor_show_settings(&output);
	doctor_check(&report);
	doctor_print(&report, &output);

	code = doctor_worst(&report) == DOCTOR_ERROR ? EX_NO : 0;
	doctor_report_release(&report);
	return message_end(code);
}
