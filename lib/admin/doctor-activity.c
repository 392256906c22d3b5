/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of what goes on: locks that stopped processes hold, workers, when coopr reconcile ran last, and the clock.
 */
#include "admin/doctor-check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/holder.h"
#include "base/location.h"
#include "base/plural.h"
#include "queue/read.h"
#include "reconcile/last-run.h"

enum { JOBS_NAMED = 3, ROUND_MS = 10 * 60 * 1000, SKEW_MS = 5000 };

static void
doctor_say_stuck(struct doctor_report *report, const char *what, int pid, const char *name)
{
	doctor_say(report, "locks", DOCTOR_ERROR, arena_printf(&report->arena,
	    "kill -CONT %d resumes it; kill -KILL %d ends it, and another process resumes its work", pid, pid),
	    "%s is locked by process %d (%s), which is stopped", what, pid, name);
}

/* Returns whether a stopped process has locked an entry of the folder, and says so. */
static bool
doctor_is_any_stuck(struct doctor_report *report, const char *folder)
{
	DIR *stream = opendir(folder);
	const struct dirent *entry;
	bool stuck = false;

	while (stream && (entry = readdir(stream))) {
		char *path = memory_printf("%s/%s", folder, entry->d_name);
		int fd = entry->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		struct holder holder;

		if (fd >= 0 && holder_find(fd, &holder) && holder.stopped) {
			doctor_say_stuck(report, path, holder.pid, holder.name);
			stuck = true;
		}
		if (fd >= 0)
			close(fd);
		free(path);
	}
	if (stream)
		closedir(stream);
	return stuck;
}

/* Returns whether a process that is stopped holds something of the queue, and says so. */
static bool
doctor_is_queue_stuck(struct doctor_report *report)
{
	struct error none; /* there is no spool yet */
	struct queue *queue = queue_open(NULL, QUEUE_READ, &none);
	struct queue_stuck *list = NULL;
	size_t count = 0;

	if (queue && queue_stuck(queue, &list, &count, &none) == 0)
		for (size_t i = 0; i < count; i++)
			doctor_say_stuck(report, list[i].what, list[i].pid, list[i].name);
	free(list);
	queue_close(queue);
	return count > 0;
}

bool
doctor_check_locks(struct doctor_report *report)
{
	char *state = location_state(), *clusters = memory_printf("%s/clusters", state);
	bool stuck = doctor_is_queue_stuck(report);

	stuck = doctor_is_any_stuck(report, clusters) || stuck;
	if (!stuck)
		doctor_say(report, "locks", DOCTOR_OK, NULL, "no stopped process holds one");
	free(clusters);
	free(state);
	return !stuck;
}

/* Appends the names of the first jobs that wait for a worker. Returns how many there are. */
static size_t
doctor_find_waiting(struct queue *queue, struct buffer *names)
{
	struct queue_job *list = NULL;
	struct error ignored; /* coopr-queue fsck tells of jobs that are damaged */
	size_t count = 0, waiting = 0, all, fit;

	queue_list(queue, false, &list, &count, &ignored);
	for (size_t i = 0; i < count; i++) {
		if (list[i].status != QUEUE_RUNNING || queue_workers(queue, &list[i], &all, &fit, &ignored) < 0 || fit > 0)
			continue;
		if (waiting++ < JOBS_NAMED)
			buffer_printf(names, "%s%s", names->length ? ", " : "", list[i].id);
	}
	if (waiting > JOBS_NAMED)
		buffer_text(names, ", ...");
	free(list);
	return waiting;
}

static void
doctor_check_workers(struct doctor_report *report, struct queue *queue)
{
	struct buffer names = {0};
	size_t waiting = queue ? doctor_find_waiting(queue, &names) : 0;

	if (waiting)
		doctor_say(report, "workers", DOCTOR_WARNING, "coopr reconcile from cron does them, or coopr-work as a service, or coopr retry CLUSTER",
		    "no worker serves %zu job%s: %s", waiting, plural(waiting, "", "s"), names.data);
	else
		doctor_say(report, "workers", DOCTOR_OK, NULL, "no job waits for one");
	buffer_release(&names);
}

static void
doctor_check_reconcile(struct doctor_report *report, const char *store)
{
	static const char remedy[] = "crontab -e, and the line: * * * * * coopr reconcile --probe --repair";
	int64_t last_ms = last_run_ms(), age_ms = clock_wall_ms() - last_ms;
	char text[CLOCK_RFC3339_SIZE];

	if (last_ms && age_ms <= ROUND_MS)
		doctor_say(report, "reconcile", DOCTOR_OK, NULL, "last run %s ago",
		    clock_duration(age_ms > 0 ? age_ms : 0, text));
	else if (last_ms)
		doctor_say(report, "reconcile", DOCTOR_WARNING, remedy,
		    "last run %s ago: leases are not ended, and lost machines are not found", clock_duration(age_ms, text));
	else if (file_exists(AT_FDCWD, store))
		doctor_say(report, "reconcile", DOCTOR_WARNING, remedy, "never run: leases are not ended, and lost machines are not found");
	else
		doctor_say(report, "reconcile", DOCTOR_OK, NULL, "there is no cluster yet");
}

/* Returns when the file last changed; 0 if there is none. */
static int64_t
doctor_changed_ms(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000 : 0;
}

/* Checks that nothing was written in the future: else the clock was set back since. */
static void
doctor_check_clock(struct doctor_report *report, struct queue *queue, const char *store)
{
	char *wal = memory_printf("%s-wal", store), text[CLOCK_RFC3339_SIZE];
	const int64_t written_ms[] = {queue ? queue_changed_ms(queue) : 0, doctor_changed_ms(wal), doctor_changed_ms(store)};
	int64_t now_ms = clock_wall_ms(), latest_ms = last_run_ms();

	for (size_t i = 0; i < sizeof written_ms / sizeof *written_ms; i++)
		if (written_ms[i] > latest_ms)
			latest_ms = written_ms[i];
	if (latest_ms > now_ms + SKEW_MS)
		doctor_say(report, "clock", DOCTOR_ERROR, "set the clock, and keep it right: timedatectl set-ntp true",
		    "%s behind the last entry that was written: leases end late, and the history has wrong times",
		    clock_duration(latest_ms - now_ms, text));
	else
		doctor_say(report, "clock", DOCTOR_OK, NULL, "%s", clock_seconds(now_ms, text));
	free(wal);
}

void
doctor_check_activity(struct doctor_report *report)
{
	struct error none; /* there is no spool yet */
	struct queue *queue = queue_open(NULL, QUEUE_READ, &none);
	char *store = location_store(NULL);

	doctor_check_workers(report, queue);
	doctor_check_reconcile(report, store);
	doctor_check_clock(report, queue, store);
	free(store);
	queue_close(queue);
}
