/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-work: takes tasks from the spool and has them done, so many at a time, by their plugins. Serves
 * for ever, or with --drain until nothing is left, or with --once for one task. Told to end (SIGTERM,
 * SIGINT) it waits for what runs; told again it ends that too, and another worker will do it anew. SIGHUP has it read its
 * configuration again. Killed at any instant, it loses nothing.
 *
 * Exits 0; 1 where a job that it worked on has failed, or with --once where nothing was ready; 64 on
 * misuse; 66, 71, 73 or 74 where the spool cannot be used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "base/progress.h"
#include "simulate/simulate.h"
#include "worker/work.h"

enum { PROGRESS_MS = 100, SLOTS_CONFIGURED = -1 };

static const char *spool, *job, *config;
static struct option_list tenants, providers;
static long slots = SLOTS_CONFIGURED;
static bool drain, once, verbose;

/* For --simulate: */
static long seed = -1;
static const char *failures, *format;
static bool events;

static const struct option_spec options[] = {
	OPTION_NUMBER('j', "jobs", &slots, "N", "run at most N tasks in parallel (default: 20)"),
	OPTION_STRING('J', "job", &job, "JOB", "work on this job only"),
	OPTION_FLAG('d', "drain", &drain, "end when no task is ready, running or waiting"),
	OPTION_FLAG('1', "once", &once, "do one task and end"),
	OPTION_LIST('T', "tenant", &tenants, "TENANT", "take only tasks of this tenant's jobs; may be repeated"),
	OPTION_LIST('P', "provider", &providers, "PROVIDER",
	    "take only tasks of clusters with this provider; may be repeated"),
	OPTION_STRING('c', "config", &config, "FILE",
	    "read the configuration from this file only"),
	OPTION_STRING('S', "spool", &spool, "DIR", "the spool (default: $COOPR_SPOOL)"),
	OPTION_FLAG('v', "verbose", &verbose, "report each finished task on stderr"),
	OPTION_NUMBER(0, "simulate", &seed, "SEED", "simulate the plan, with random durations from this seed"),
	OPTION_RETIRED('s', NULL, "--simulate"),
	OPTION_STRING(0, "failures", &failures, "PART", "let this part of the attempts fail: 2% or 0.02"),
	OPTION_RETIRED('f', NULL, "--failures"),
	OPTION_STRING('o', "output", &format, "text|json", "the format of the simulation (default: text)"),
	OPTION_FLAG('e', "events", &events, "print plan and events of the simulation, for coopr-queue report"),
	OPTION_END
};

static const struct command command = {
	"coopr-work", "[-1dv] [-j N] [-J JOB] [-T TENANT]... [-P PROVIDER]... [-c FILE] [-S DIR]\n"
	"       coopr-work --simulate SEED [-j N] [--failures PART] [-e] [-o FORMAT] [PLAN]", "Take tasks from the spool and do them.", options,
	"  coopr-work -j 50                     serve for ever\n"
	"  coopr-work -j 20 --drain             until nothing is left; exit code 1 where a job failed\n"
	"  coopr-work --once -v                 one task\n"
	"  coopr-work --drain --job 00000042-001\n"
	"  coopr-work -j 200 --tenant qa --tenant dev\n"
	"  coopr-plan layout.ndjson | coopr-work --simulate 7 -j 20 --failures 2%\n"
};

/* "00000042-001 t17 install zk on 00000042-1000: done in 4.1 s", "...: failed with 1 in 4.1 s: why". */
static void
work_tell_of_task(const struct work_note *note, bool finished)
{
	char took[CLOCK_RFC3339_SIZE], how[64] = "done";

	clock_duration(note->took_ms, took);
	if (!finished)
		snprintf(how, sizeof how, "cancelled");
	else if (note->status)
		snprintf(how, sizeof how, "failed with %lld", (long long)note->status);
	message("%s %s %s%s%s on %s: %s in %s%s%s", note->job, note->task, note->action, note->service ? " " : "",
	    note->service ? note->service : "", note->node, how, took, note->text ? ": " : "", note->text ? note->text : "");
}

static void
work_report(enum work_event event, const struct work_note *note)
{
	progress_clear();
	switch (event) {
	case WORK_FINISHED:
	case WORK_UNWANTED:
		if (verbose)
			work_tell_of_task(note, event == WORK_FINISHED);
		break;
	case WORK_STOPPING:
		if (note->running > 0)
			message("waiting for %zu running task%s; press ^C again to stop %s", note->running,
			    plural(note->running, "", "s"), plural(note->running, "it", "them"));
		break;
	case WORK_BREAKING:
		message("stopping %zu running task%s, to be ready again", note->running, plural(note->running, "", "s"));
		break;
	case WORK_DROPPED:
		message("%s %s: its result (status %lld) cannot be recorded: %s", note->job, note->task, (long long)note->status,
		    note->text);
		break;
	case WORK_CONFIGURED:
		if (note->text)
			message("the configuration stays unchanged: %s", note->text);
		else
			message("configuration read again");
		break;
	case WORK_TROUBLE:
		message("%s; trying again", note->text);
		break;
	case WORK_UNFINISHED:
		message("%s", note->text);
		break;
	case WORK_OVER:
		break;
	}
}

/* On a terminal, and not for each of thousands. */
static void
work_show_progress(struct work *work, int64_t *shown)
{
	size_t done, total, running;
	struct error ignored;
	char tail[64];

	if (clock_monotonic_ms() - *shown < PROGRESS_MS)
		return;
	*shown = clock_monotonic_ms();
	if (!isatty(STDERR_FILENO) || work_progress(work, &done, &total, &running, &ignored) < 0)
		return;
	snprintf(tail, sizeof tail, "%zu running", running);
	progress_draw(job ? job : "work", done, total, tail, NULL);
}

/* Works until it is over. */
static int
work_act(struct work *work)
{
	enum work_event event = WORK_FINISHED;
	struct work_note note;
	struct error err;
	int64_t shown = 0;

	while (event != WORK_OVER) {
		work_show_progress(work, &shown);
		if (work_next(work, &event, &note, &err) < 0) {
			progress_clear();
			return message_error(&err);
		}
		work_report(event, &note);
	}
	return work_is_bad(work) ? EX_NO : 0;
}

/* The spool's path, absolute, which the plugins find in their environment as well; the caller frees it. */
static char *
work_spool_path(void)
{
	char *path = location_spool(spool), *here = NULL, *absolute = path;

	if (*path && *path != '/' && (here = getcwd(NULL, 0))) {
		absolute = memory_printf("%s/%s", here, path);
		free(path);
	}
	free(here);
	setenv("COOPR_SPOOL", absolute, 1);
	return absolute;
}

/* The list as one that ends with NULL; NULL where nothing was given. */
static const char *const *
work_labels(struct option_list *given)
{
	if (given->count == 0)
		return NULL;
	ARRAY_ROOM(given->list, given->count, given->capacity);
	given->list[given->count] = NULL;
	return given->list;
}

static int
work_simulate_plan(const char *plan)
{
	double part = failures ? simulate_parse_part(failures) : 0;

	if (part < 0)
		return option_misuse(&command, "--failures %s: expected 0%% to 100%%, or 0 to 1", failures);
	return simulate(&(struct simulate_options){.seed = (uint64_t)seed, .failures = part, .events = events, .plan = plan,
	    .slots = slots == SLOTS_CONFIGURED ? WORK_SLOTS : (uint32_t)slots, .json = format && strcmp(format,
	    "json") == 0});
}

int
main(int argc, char **argv)
{
	struct work_options work_options;
	struct work *work;
	struct error err;
	char *path;
	int code;

	message_program("coopr-work");
	argv += option_parse(&command, argc, argv);
	if (guest_refuse("the queue", &err) < 0)
		return message_error(&err);
	if (argv[0] && (seed < 0 || argv[1]))
		return seed < 0 ? option_misuse(&command, "unexpected argument '%s'", argv[0])
		                : option_misuse(&command, "expected one plan, found also '%s'", argv[1]);
	if (slots != SLOTS_CONFIGURED && (slots < 1 || slots > WORK_SLOTS_MAX))
		return option_misuse(&command, "-j %ld: expected 1 to %d", slots, WORK_SLOTS_MAX);
	if (drain && once)
		return option_misuse(&command, "--drain and --once exclude each other");
	if (seed >= 0) {
		option_only_with(&command, "with --simulate", (const char *const[]){"simulate", "jobs", "failures", "events", "output",
		    "color", NULL});
		return work_simulate_plan(argv[0]);
	}
	if (failures || format || events)
		return option_misuse(&command, "--failures, --output and --events go with --simulate");

	path = work_spool_path();
	work_options = (struct work_options){.spool = path, .job = job, .config = config,
	    .slots = slots == SLOTS_CONFIGURED ? 0 : (size_t)slots, .tenants = work_labels(&tenants),
	    .providers = work_labels(&providers), .until = drain ? WORK_DRAINED : once ? WORK_ONE : WORK_SERVED};
	work = work_open(&work_options, &err);
	free(path);
	if (!work)
		return message_error(&err);

	code = work_act(work);
	if (work_close(work, &err) < 0)
		code = message_error(&err);
	return message_end(code);
}
