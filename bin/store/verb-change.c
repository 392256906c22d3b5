/* SPDX-License-Identifier: Apache-2.0 */
#include "verb-change.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"

void
store_verb_begin(struct change *change, struct store *store, const struct store_verb_change_options *changing)
{
	struct error err;

	if (changing->change.quiet)
		message_quiet();
	store_set_why(store, changing->why);
	if (change_begin(change, store, &err) < 0)
		exit(message_error(&err));
}

int
store_verb_report(const struct findings *findings)
{
	int code = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		message("%s: %s: %s", finding->file, *finding->pointer ? finding->pointer : "the whole document", finding->text);
		if (code != EX_DATAERR)
			code = finding->severity == SEVERITY_MALFORMED ? EX_DATAERR : EX_NO;
	}
	return code;
}

int
store_verb_end(struct change *change, const struct store_verb_change_options *changing)
{
	struct error err;
	int code;

	if (change_check(change, &err) < 0)
		return message_error(&err);
	code = store_verb_report(&change->faults);
	if (code && !changing->force) {
		message("nothing was changed; use --force to change it anyway");
		return code;
	}
	if (!changing->dry_run && change_commit(change, &err) < 0)
		return message_error(&err);
	return 0;
}
