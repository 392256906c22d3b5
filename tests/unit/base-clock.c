/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include "tap.h"

static void
test_rfc3339(void)
{
	char text[CLOCK_RFC3339_SIZE];
	int64_t now = clock_wall_ms();

	tap_is_text(clock_rfc3339(0, text), "1970-01-01T00:00:00.000Z", "the epoch has a text");
	tap_is_text(clock_rfc3339(1795255200123, text), "2026-11-21T10:00:00.123Z", "milliseconds are shown");
	tap_is_number(clock_parse_rfc3339(clock_rfc3339(now, text)), now, "a time read back is the same");
	tap_is_number(clock_parse_rfc3339("2024-02-29T12:00:00Z"), 1709208000000, "the fraction may be absent");
	tap_is_number(clock_parse_rfc3339("2026-11-21T10:00:00.5Z"), 1795255200500, "or short");
	tap_is_number(clock_parse_rfc3339("2026-11-21T10:00:00.123456789Z"), 1795255200123, "or long");
}

static void
test_what_is_no_time(void)
{
	static const char *const texts[] = {"", "now", "2026-11-21", "2026-11-21T10:00:00", "2026-13-21T10:00:00Z",
		"2026-11-21T10:00:00+01:00", "2026-11-21T10:00:00.123Zx", "2026-11-21 10:00:00Z"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		tap_is_number(clock_parse_rfc3339(texts[i]), -1, "no time: \"%s\"", texts[i]);
}

static void
test_duration(void)
{
	char text[CLOCK_RFC3339_SIZE];

	tap_is_text(clock_duration(0, text), "0 ms", "a duration may be nothing");
	tap_is_text(clock_duration(-3592893, text), "0 ms", "and never less, though the wall clock was set back in between");
	tap_is_text(clock_duration(850, text), "850 ms", "below a second it is in milliseconds");
	tap_is_text(clock_duration(3200, text), "3.2 s", "below ten seconds it has a tenth");
	tap_is_text(clock_duration(59999, text), "59 s", "below a minute it is in seconds");
	tap_is_text(clock_duration(250000, text), "4 m 10 s", "then minutes and seconds");
	tap_is_text(clock_duration(7500000, text), "2 h 5 m", "then hours and minutes");
}

static void
test_clocks(void)
{
	char boot[CLOCK_BOOT_ID_SIZE], again[CLOCK_BOOT_ID_SIZE];
	int64_t before = clock_monotonic_ms();

	tap_ok(clock_monotonic_ms() >= before, "the monotonic clock does not go back");
	tap_ok(clock_boottime_ms() >= before, "the boot-time clock counts sleep too");
	tap_is_text(clock_boot_id(boot), clock_boot_id(again), "a boot has one id");
}

int
main(void)
{
	test_rfc3339();
	test_what_is_no_time();
	test_duration();
	test_clocks();
	return tap_end();
}
