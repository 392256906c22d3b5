/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/efficiency.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "tap.h"

/* t1 and t2 lead to m1, and that to t3; t4 stands alone. */
static const char plan[] =
    "{\"kind\":\"job\",\"cluster\":\"1\"}\n"
    "{\"kind\":\"task\",\"id\":\"t1\",\"node\":\"1-1000\",\"action\":\"create\",\"type\":\"dummy\",\"after\":[]}\n"
    "{\"kind\":\"task\",\"id\":\"t2\",\"node\":\"1-1001\",\"action\":\"create\",\"type\":\"dummy\",\"after\":[]}\n"
    "{\"kind\":\"milestone\",\"id\":\"m1\",\"name\":\"both\",\"after\":[\"t1\",\"t2\"]}\n"
    "{\"kind\":\"task\",\"id\":\"t3\",\"node\":\"1-1000\",\"action\":\"confirm\",\"type\":\"dummy\",\"after\":[\"m1\"]}\n"
    "{\"kind\":\"task\",\"id\":\"t4\",\"node\":\"1-1002\",\"action\":\"create\",\"type\":\"dummy\",\"after\":[]}\n";

#define EVENT(seq, at, event, rest) \
	"{\"kind\":\"event\",\"seq\":" #seq ",\"at\":\"2026-11-21T10:00:" at "Z\",\"event\":\"" event "\"" rest "}\n"
#define TASK(id, attempt) ",\"task\":\"" id "\",\"attempt\":" #attempt
#define RESULT(id, attempt, status) TASK(id, attempt) ",\"result\":{\"status\":" #status "}"

/* t2 fails once, and is idle before it is tried again. */
#define CHAIN \
	EVENT(1, "00.000", "put", ",\"job\":\"1-001\",\"cluster\":\"1\",\"tenant\":\"x\",\"backoff_ms\":0,\"order\":1") \
	EVENT(2, "00.100", "take", TASK("t1", 1)) \
	EVENT(3, "00.100", "take", TASK("t2", 1)) \
	EVENT(4, "01.100", "done", RESULT("t1", 1, 0)) \
	EVENT(5, "02.100", "fail", RESULT("t2", 1, 1) ",\"next\":\"retry\"") \
	EVENT(6, "05.100", "take", TASK("t2", 2)) \
	EVENT(7, "05.600", "done", RESULT("t2", 2, 0)) \
	EVENT(8, "06.000", "take", TASK("t3", 1)) \
	EVENT(9, "07.000", "done", RESULT("t3", 1, 0))
#define ALONE \
	EVENT(10, "07.000", "take", TASK("t4", 1)) \
	EVENT(11, "12.000", "done", RESULT("t4", 1, 0))

static void
write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		exit(EX_IOERR);
}

int
main(void)
{
	char directory[] = "/tmp/cluster-pace.XXXXXX";
	struct efficiency efficiency;
	struct error err;

	if (!mkdtemp(directory) || chdir(directory) < 0)
		return EX_CANTCREAT;
	write_file("plan", plan);

	write_file("events", CHAIN);
	tap_is_number(efficiency_measure("plan", "events", &efficiency, &err), 0, "a job is measured");
	tap_is_number(efficiency.passed_ms, 7000, "the time that passed is from the put to the last task's end");
	tap_is_number(efficiency.path_ms, 3500, "the path goes through milestones, all attempts count, and idling does not");

	write_file("events", CHAIN ALONE);
	efficiency_measure("plan", "events", &efficiency, &err);
	tap_is_number(efficiency.path_ms, 5000, "a task that nothing waits for may be the longest way");

	write_file("events", "");
	tap_is_number(efficiency_measure("plan", "events", &efficiency, &err), 0, "no events are no error");
	tap_is_number(efficiency.path_ms, 0, "and took no time");
	tap_is_number(efficiency_measure("plan", "absent", &efficiency, &err), -1, "a file that is not there is one");
	tap_is_number(err.code, EX_NOINPUT, "EX_NOINPUT");

	unlink("plan");
	unlink("events");
	rmdir(directory);
	return tap_end();
}
