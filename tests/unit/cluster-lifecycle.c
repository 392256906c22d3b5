/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/cluster/lifecycle.h: the table of coopr-states(7) is the one that the programs go by.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/lifecycle.h"
#include "tap.h"

static const char *
outcome_name(enum lifecycle_status status)
{
	return status == LIFECYCLE_SAME ? "=" : lifecycle_status_name(status);
}

/* The line of the page that a transition has to have. */
static void
print_row(const struct lifecycle_transition *transition, struct buffer *out)
{
	size_t start;

	buffer_printf(out, ".It %s Ta ", transition->action);
	start = out->length;
	for (int status = LIFECYCLE_PENDING; status < LIFECYCLE_STATUS_COUNT; status++)
		if (transition->from >> status & 1)
			buffer_printf(out, "%s%s", out->length > start ? " " : "", lifecycle_status_name((enum lifecycle_status)status));
	buffer_printf(out, "%s Ta %s Ta %s\n", out->length > start ? "" : "-", outcome_name(transition->success),
	    outcome_name(transition->failure));
}

static void
test_page(void)
{
	const char *root = getenv("COOPR_ROOT");
	char *path = memory_printf("%s/man/man7/coopr-states.7", root ? root : ".");
	struct buffer page = {0}, table = {0};
	struct error err;

	for (const struct lifecycle_transition *transition = lifecycle_transitions; transition->action; transition++)
		print_row(transition, &table);
	if (file_read(AT_FDCWD, path, 1 << 20, &page, &err) < 0)
		tap_skip(err.text, "coopr-states(7) has the table");
	else if (!tap_ok(strstr(page.data, table.data) != NULL, "coopr-states(7) has the table"))
		printf("# its lines have to be:\n%s", table.data);
	buffer_release(&page);
	buffer_release(&table);
	free(path);
}

/* From which states a cluster can be got out of again. */
static void
test_ways_out(void)
{
	struct error err;

	for (int status = LIFECYCLE_ACTIVE; status < LIFECYCLE_TERMINATED; status++) {
		const char *name = lifecycle_status_name((enum lifecycle_status)status);

		tap_is_number(lifecycle_check(lifecycle_find("delete"), (enum lifecycle_status)status, "c", &err), 0,
		    "what is %s can be deleted", name);
		tap_is_number(lifecycle_check(lifecycle_find("repair"), (enum lifecycle_status)status, "c", &err), 0, "and repaired");
	}
	for (const struct lifecycle_transition *transition = lifecycle_transitions; transition->action; transition++) {
		tap_is_number(lifecycle_check(transition, LIFECYCLE_PENDING, "c", &err), -1, "%s: not while another operation is under way",
		    transition->action);
		tap_is_number(err.code, EX_TEMPFAIL, "that is told to try again");
		tap_is_number(lifecycle_check(transition, LIFECYCLE_TERMINATED, "c", &err), -1, "%s: not of what is gone", transition->action);
		tap_is_number(err.code, EX_NO, "that is final");
	}
	lifecycle_check(lifecycle_find("expand"), LIFECYCLE_INCOMPLETE, "shop", &err);
	tap_is_text(err.text, "shop: expand is not possible while the cluster is incomplete; possible: delete, retry, "
	    "rename or lease", "a refusal says which commands can be run");
}

static void
test_names(void)
{
	for (int status = LIFECYCLE_ABSENT; status < LIFECYCLE_STATUS_COUNT; status++)
		tap_is_number(lifecycle_status_of(lifecycle_status_name((enum lifecycle_status)status)), status, "a status has a name");
	tap_is_number(lifecycle_status_of("x"), LIFECYCLE_STATUS_COUNT, "what is none is told");
	tap_ok(lifecycle_find("x") == NULL, "so with actions");
}

int
main(void)
{
	test_page();
	test_ways_out();
	test_names();
	return tap_end();
}
