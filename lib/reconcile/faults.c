/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/printable.h"
#include "cluster/told-faults.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/scope.h"
#include "store/store.h"

enum { DAY_MS = 24 * 60 * 60 * 1000 };

struct faults {
	struct account *account;
	const struct reconcile_options *parameters;
	const struct reconcile_scope *scope;
	struct told_faults told; /* by earlier runs */
	int64_t now_ms;
	bool any;
};

/* Appends "blog (00000001): 00000001-1000: mysql"; a machine of no cluster goes by its provider. */
static void
faults_append_object(int64_t cluster, const char *name, const char *node, const char *service, struct buffer *line)
{
	char id[CLUSTER_ID_SIZE];

	if (cluster)
		buffer_printf(line, "%s (%s)", name ? name : "cluster", cluster_id_text(cluster, id));
	if (node && *node)
		buffer_printf(line, "%s%s", cluster ? ": " : "", node);
	if (service && *service)
		buffer_printf(line, ": %s", service);
}

/* Appends what is wrong. */
static void
faults_append_reason(const struct drift *drift, struct buffer *line)
{
	char since[CLOCK_RFC3339_SIZE];

	switch (drift->what) {
	case DRIFT_FAILED:
		buffer_text(line, ": its last operation failed");
		break;
	case DRIFT_EXPIRED: /* the message says it */
		break;
	case DRIFT_VANISHED:
		buffer_text(line, ": its machine is gone");
		break;
	case DRIFT_UNREACHABLE:
		buffer_printf(line, ": it has not answered since %s", clock_seconds(drift->since_ms, since));
		break;
	case DRIFT_STOPPED:
		buffer_text(line, ": it does not run");
		break;
	case DRIFT_UNKNOWN:
		buffer_text(line, ": it cannot be asked");
		break;
	case DRIFT_UNSAVED:
		buffer_text(line, ": it is not backed up");
		break;
	case DRIFT_UNRESTORED:
		buffer_text(line, ": its data is not restored");
		break;
	case DRIFT_ORPHANED:
		buffer_text(line, ": the machine belongs to no cluster");
		break;
	case DRIFT_ORPHANED_VOLUME:
		buffer_text(line, ": no record knows the volume");
		break;
	}
	if (drift->message) {
		buffer_text(line, ": ");
		printable_line(drift->message, line);
	}
}

/* Appends what repairs it, while nothing does. */
static void
faults_append_remedy(const struct drift *drift, const struct reconcile_options *parameters, struct buffer *line)
{
	const char *name = drift->name;

	if (drift->keeps || (drift->waits_for && parameters->repair))
		return; /* the message says what a person can do, or what is repaired first */
	if (drift->note)
		buffer_printf(line, drift->what == DRIFT_UNSAVED || drift->what == DRIFT_UNRESTORED ? "; %s" : "; not repaired: %s", drift->note);
	else if (drift->what == DRIFT_FAILED)
		buffer_printf(line, "; coopr retry %s continues it, as --retry does", name);
	else if (drift->what == DRIFT_VANISHED && drift->answers)
		buffer_printf(line, "; coopr replace --dead %s %s replaces it", name, drift->node);
	else if (drift->what == DRIFT_UNREACHABLE && parameters->replace_after_ms >= 0)
		buffer_text(line, "; it is replaced after the time of --replace-unreachable");
	else if (drift->what == DRIFT_UNREACHABLE)
		buffer_printf(line, "; --replace-unreachable TIME replaces it, as coopr replace --dead %s %s does now", name, drift->node);
	else if (drift->what == DRIFT_ORPHANED)
		buffer_text(line, "; --delete-orphaned deletes it");
	else if (drift->what == DRIFT_VANISHED || drift->what == DRIFT_STOPPED)
		buffer_text(line, "; --repair repairs it");
}

static void
faults_append_line(const struct drift *drift, const struct reconcile_options *parameters, struct buffer *line)
{
	static const char *const ends[] = {
		[DRIFT_IN_PROGRESS] = "; job %s repairs it",
		[DRIFT_REPAIRED] = "; repaired by job %s",
		[DRIFT_REPAIR_FAILED] = "; job %s, which was to repair it, failed; coopr log %s shows why",
	};

	faults_append_object(drift->cluster, drift->name, drift->node, drift->service, line);
	faults_append_reason(drift, line);
	if (drift->what == DRIFT_ORPHANED && drift->stage == DRIFT_REPAIRED)
		buffer_text(line, "; deleted");
	else if (drift->stage == DRIFT_LEFT)
		faults_append_remedy(drift, parameters, line);
	else
		buffer_printf(line, ends[drift->stage], drift->repair, drift->name);
}

/* Tells of one, if a person watches or it is worth a mail, and remembers that. One that is repaired is remembered no more. */
static int
faults_tell_one(struct faults *faults, const struct drift *drift, struct error *err)
{
	struct told_fault fault = {.cluster = drift->cluster, .node = drift->node ? drift->node : "",
	    .service = drift->service ? drift->service : "", .what = drift_name(drift->what), .told_ms = faults->now_ms,
	    .stage = drift->stage == DRIFT_LEFT && drift->note ? "held" : drift_stage_name(drift->stage)};
	struct told_fault *before = told_faults_find(&faults->told, &fault);
	bool same = before && strcmp(before->what, fault.what) == 0 && strcmp(before->stage, fault.stage) == 0;
	struct buffer line = {0};

	faults->any = faults->any || drift->stage != DRIFT_REPAIRED;
	if (before)
		before->seen = true;
	if (same && !faults->parameters->is_watched && faults->now_ms - before->told_ms < DAY_MS)
		return 0;
	faults_append_line(drift, faults->parameters, &line);
	faults->parameters->options.runner.notice(line.data);
	buffer_release(&line);
	return drift->stage == DRIFT_REPAIRED ? told_faults_remove(faults->account->store, &fault, err)
	    : told_faults_put(faults->account->store, &fault, err);
}

/* Returns whether this run has looked where the fault was: the cluster was not busy, and what only a probe finds was probed for. */
static bool
faults_was_checked(const struct faults *faults, const struct told_fault *fault, bool is_whole)
{
	const struct cluster_record *cluster = reconcile_scope_find(faults->scope, fault->cluster);

	if (fault->cluster == 0)
		return is_whole && faults->scope->all;
	if (!cluster)
		return faults->scope->all;
	if (cluster->status == LIFECYCLE_PENDING || !is_whole)
		return false;
	return !drift_is_probed(fault->what) || reconcile_scope_was_probed(faults->scope, cluster);
}

/* Tells of a fault of an earlier run that this one has not found: it is cured, or it could not be looked at. */
static int
faults_tell_cured(struct faults *faults, const struct told_fault *fault, bool is_whole, struct error *err)
{
	const struct cluster_record *cluster = reconcile_scope_find(faults->scope, fault->cluster);
	struct buffer line = {0};

	if (!faults->scope->all && !cluster)
		return 0;
	if (!faults_was_checked(faults, fault, is_whole)) {
		faults->any = true;
		return 0;
	}
	if (cluster || fault->cluster == 0) {
		faults_append_object(fault->cluster, cluster ? cluster->name : NULL, fault->node, fault->service, &line);
		buffer_printf(&line, ": no fault any more; it was %s", fault->what);
		faults->parameters->options.runner.notice(line.data);
		buffer_release(&line);
	}
	return told_faults_remove(faults->account->store, fault, err);
}

int
faults_tell(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    const struct drift_list *drift, bool is_whole, struct error *err)
{
	struct faults faults = {.account = account, .parameters = parameters, .scope = scope, .now_ms = clock_wall_ms()};
	int result = told_faults_read(account->store, &faults.told, err);

	for (size_t i = 0; i < drift->count && result == 0; i++)
		result = faults_tell_one(&faults, &drift->list[i], err);
	for (size_t i = 0; i < faults.told.count && result == 0; i++)
		if (!faults.told.list[i].seen)
			result = faults_tell_cured(&faults, &faults.told.list[i], is_whole, err);
	told_faults_release(&faults.told);
	return result < 0 ? -1 : faults.any;
}
