/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t
clock_read_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t
clock_wall_ms(void)
{
	return clock_read_ms(CLOCK_REALTIME);
}

int64_t
clock_monotonic_ms(void)
{
	return clock_read_ms(CLOCK_MONOTONIC);
}

int64_t
clock_boottime_ms(void)
{
	return clock_read_ms(CLOCK_BOOTTIME);
}

char *
clock_rfc3339(int64_t wall_ms, char text[CLOCK_RFC3339_SIZE])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(text, CLOCK_RFC3339_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, CLOCK_RFC3339_SIZE - n, ".%03dZ", (int)(wall_ms % 1000));
	return text;
}

char *
clock_seconds(int64_t wall_ms, char text[CLOCK_RFC3339_SIZE])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, CLOCK_RFC3339_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text;
}

int64_t
clock_parse_rfc3339(const char *text)
{
	struct tm tm = {0};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t ms = 0;
	int scale = 100;

	if (!rest)
		return -1;
	if (*rest == '.')
		for (rest++; *rest >= '0' && *rest <= '9'; rest++, scale /= 10)
			ms += (*rest - '0') * scale;
	return strcmp(rest, "Z") == 0 ? (int64_t)timegm(&tm) * 1000 + ms : -1;
}

char *
clock_duration(int64_t ms, char text[CLOCK_RFC3339_SIZE])
{
	int64_t s = ms / 1000;

	/* Between two times of a wall clock that was set back. */
	if (ms < 0)
		ms = 0;
	if (ms < 1000)
		snprintf(text, CLOCK_RFC3339_SIZE, "%d ms", (int)ms);
	else if (s < 10)
		snprintf(text, CLOCK_RFC3339_SIZE, "%.1f s", (double)ms / 1000);
	else if (s < 60)
		snprintf(text, CLOCK_RFC3339_SIZE, "%d s", (int)s);
	else if (s < 3600)
		snprintf(text, CLOCK_RFC3339_SIZE, "%d m %d s", (int)(s / 60), (int)(s % 60));
	else
		snprintf(text, CLOCK_RFC3339_SIZE, "%lld h %d m", (long long)(s / 3600),
		    (int)(s % 3600 / 60));
	return text;
}

char *
clock_span(int64_t ms, char text[CLOCK_RFC3339_SIZE])
{
	static const struct {
		int64_t ms;
		const char *name;
	} units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}};
	size_t i = 0;

	while (i < 3 && ms < 2 * units[i].ms)
		i++;
	snprintf(text, CLOCK_RFC3339_SIZE, "%lld %s", (long long)(ms > 0 ? ms / units[i].ms : 0), units[i].name);
	return text;
}

char *
clock_boot_id(char text[CLOCK_BOOT_ID_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, CLOCK_BOOT_ID_SIZE - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}
