/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/life.h: the table of coopr-states(7) is the one that the programs go by.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/life.h"
#include "tap.h"

static const char *
outcome_name(enum life_status status)
{
	return status == LIFE_SAME ? "=" : life_status_name(status);
}

/* The line of the page that a move has to have. */
static void
print_row(const struct life_move *move, struct buffer *out)
{
	size_t start;

	buffer_printf(out, ".It %s Ta ", move->action);
	start = out->length;
	for (int status = LIFE_PENDING; status < LIFE_STATUS_COUNT; status++)
		if (move->from >> status & 1)
			buffer_printf(out, "%s%s", out->length > start ? " " : "", life_status_name((enum life_status)status));
	buffer_printf(out, "%s Ta %s Ta %s\n", out->length > start ? "" : "-", outcome_name(move->success),
	    outcome_name(move->failure));
}

static void
test_page(void)
{
	const char *root = getenv("COOPR_ROOT");
	char *path = memory_printf("%s/man/man7/coopr-states.7", root ? root : ".");
	struct buffer page = {0}, table = {0};
	struct error err;

	for (const struct life_move *move = life_moves; move->action; move++)
		print_row(move, &table);
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

	for (int status = LIFE_ACTIVE; status < LIFE_TERMINATED; status++) {
		const char *name = life_status_name((enum life_status)status);

		tap_is_number(life_check(life_find("delete"), (enum life_status)status, "c", &err), 0, "what is %s can be deleted", name);
		tap_is_number(life_check(life_find("repair"), (enum life_status)status, "c", &err), 0, "and mended");
	}
	for (const struct life_move *move = life_moves; move->action; move++) {
		tap_is_number(life_check(move, LIFE_PENDING, "c", &err), -1, "%s: not while another operation is under way",
		    move->action);
		tap_is_number(err.code, EX_TEMPFAIL, "that is told to try again");
		tap_is_number(life_check(move, LIFE_TERMINATED, "c", &err), -1, "%s: not of what is gone", move->action);
		tap_is_number(err.code, EX_NO, "that is final");
	}
	life_check(life_find("expand"), LIFE_INCOMPLETE, "shop", &err);
	tap_is_text(err.text, "shop: expand cannot be done while it is incomplete; what can: delete, repair, retry, rollback, "
	    "rename or lease", "a refusal says what can be done");
}

static void
test_names(void)
{
	for (int status = LIFE_ABSENT; status < LIFE_STATUS_COUNT; status++)
		tap_is_number(life_status_of(life_status_name((enum life_status)status)), status, "a status has a name");
	tap_is_number(life_status_of("x"), LIFE_STATUS_COUNT, "what is none is told");
	tap_ok(life_find("x") == NULL, "so with actions");
}

int
main(void)
{
	test_page();
	test_ways_out();
	test_names();
	return tap_end();
}
