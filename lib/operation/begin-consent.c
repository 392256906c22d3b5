/* SPDX-License-Identifier: Apache-2.0
 *
 * The question whether the plan of an operation shall be carried out. A person may think as long as they like: others work on the
 * cluster meanwhile, and then the plan that was shown is not carried out.
 */
#include "operation/begin.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "operation/busy-error.h"
#include "operation/operate.h"
#include "preview/consent.h"

/* Fails where the cluster has changed since its plan was shown. */
static int
begin_compare(struct operation_context *context, int64_t revision, int64_t operation, struct error *err)
{
	struct operation_list list = {0};
	struct error ignored; /* then it is not known what has changed it */

	if (operation_context_find(context, context->workdir.id, err) < 0)
		return -1;
	if (context->cluster->revision == revision && context->cluster->operation == operation)
		return 0;
	if (context->cluster->operation != operation &&
	    operation_find(&context->account, context->id, context->cluster->operation, &list, &ignored) == 0)
		error_outdated(err, "%s: %s by %s (%s) has changed it since this was shown", context->cluster->name,
		    list.list[0].action, list.list[0].user, operation_status_name(list.list[0].status));
	else
		error_outdated(err, "%s: it has changed since this was shown", context->cluster->name);
	operation_list_release(&list);
	return -1;
}

/* Locks the cluster again, and takes the plan that was shown back to its place. */
static int
begin_resume_planning(struct operation_context *context, struct error *err)
{
	int64_t revision = context->cluster->revision, operation = context->cluster->operation;

	if (workdir_lock(&context->workdir, err) < 0) {
		err->outdated = err->code == EX_NO; /* perhaps it was deleted */
		return err->code == EX_TEMPFAIL ? busy_error_locked(context, err) : -1;
	}
	context->is_unlocked = false;
	return begin_compare(context, revision, operation, err) < 0 ? -1
	     : workdir_put_back(&context->workdir, context->job, &context->job_dir, err);
}

/* Asks while others may work on the cluster. The plan is kept where none of them overwrites it. */
static int
begin_ask_unlocked(struct operation_context *context, const struct consent *consent, struct error *err)
{
	struct error ignored; /* then a folder of no use is left */

	if (!context->cluster || context->scratch)
		return consent_ask(consent, err);
	if (workdir_set_aside(&context->job_dir, err) < 0)
		return -1;
	workdir_unlock(&context->workdir);
	context->is_unlocked = true;
	if (consent_ask(consent, err) == 0 && begin_resume_planning(context, err) == 0)
		return 0;
	file_remove_tree(AT_FDCWD, context->job_dir.path, &ignored);
	return -1;
}

int
begin_consent(struct operation_context *context, const struct operation_request *request, struct error *err)
{
	struct consent consent = request->consent;
	struct preview_basis basis = PREVIEW_BASIS_NONE;
	struct preview preview = {0};
	char *path;
	int result;

	/* What creates a cluster touches nothing that is up. */
	if (context->has_consent || (!context->cluster && !(consent.always && context->options->ask_consent)))
		return 0;
	if (!context->options->ask_consent && context->options->discard_data)
		return 0;
	consent.is_given = !context->options->ask_consent;
	consent.has_person = context->options->has_person;
	consent.discards_data = context->options->discard_data;
	path = workdir_path(&context->job_dir, "plan.ndjson");
	consent.name = context->workdir.name;
	result = preview_read(&preview, path, err);
	if (result == 0)
		result = begin_basis(context, &basis, err);
	if (result == 0)
		result = consent_show(&consent, &preview, &basis, err);
	preview_basis_release(&basis);
	preview_release(&preview);
	free(path);
	if (result > 0)
		result = begin_ask_unlocked(context, &consent, err);
	context->has_consent = result == 0;
	return result;
}
