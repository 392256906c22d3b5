/* SPDX-License-Identifier: Apache-2.0
 *
 * Three clocks. The wall clock is for people and records only; nothing is decided by
 * it. The monotonic clock measures. The boot-time clock, which also runs while the
 * machine sleeps, times leases, together with the id of the boot it belongs to.
 * All in milliseconds.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_RFC3339_SIZE = 32, CLOCK_BOOT_ID_SIZE = 40 };

int64_t clock_wall_ms(void);
int64_t clock_monotonic_ms(void);
int64_t clock_boottime_ms(void);

/* Writes a wall-clock time as "2026-11-21T10:00:00.123Z"; returns text. */
char *clock_rfc3339(int64_t wall_ms, char text[CLOCK_RFC3339_SIZE]);

/* Writes the same for people, to the second: "2026-11-21T10:00:00Z"; returns text. */
char *clock_seconds(int64_t wall_ms, char text[CLOCK_RFC3339_SIZE]);

/* Returns the wall-clock time of such a text (UTC, fraction optional); -1 if it is none. */
int64_t clock_parse_rfc3339(const char *text);

/* Writes a duration for people, "4 m 10 s", "850 ms", "2 h 5 m"; returns text. */
char *clock_duration(int64_t ms, char text[CLOCK_RFC3339_SIZE]);

/* Writes the same in one unit, "3 d", "4 h", "12 m", "5 s": an age for a table; returns text. */
char *clock_span(int64_t ms, char text[CLOCK_RFC3339_SIZE]);

/* Writes the kernel's id of this boot ("" if there is none); returns text. */
char *clock_boot_id(char text[CLOCK_BOOT_ID_SIZE]);

#endif
