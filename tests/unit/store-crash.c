/* SPDX-License-Identifier: Apache-2.0
 *
 * The promise of lib/store/operations.h under kill -9: whoever is stopped at any call that changes a file, the store is whole,
 * what was acknowledged stands, and another goes on from there.
 *
 * Each round begins without a store and lets a child make a cluster, rename it and delete it, and die at its n-th such
 * call; then this program looks, and does the rest. n goes up, by five at a time (all with CRASH_ALL=1), until the child
 * comes through.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The calls it stands in for are those of this very program, sqlite among them. */
#include "../crash/shim.c" /* NOLINT(bugprone-suspicious-include) */

#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "store-engines.h"

enum { ROUNDS_MAX = 2000, STRIDE = 5 };

#define PRICES "{\"small\":{\"cost\":0.5,\"capacity\":{\"cpu\":2}}}"
#define NODE(was) "{\"kind\":\"node\",\"id\":\"n\",\"hardwaretype\":\"small\",\"services\":[\"x\"],\"was\":" was "}\n"

/* What is done, one after the other; a number is how much of it is done. */
enum { NOTHING, BEGUN, RUNNING, MADE, RENAMED, LEASED, DELETING, DELETED, ALL = DELETED };

/* How much is done, and the cluster. */
static int
look(struct account *account, struct cluster_list *list, struct operation_list *operations)
{
	const struct cluster_filter filter = {.status = "all"};
	const struct cluster_record *cluster;
	const struct operation *last;

	if (clusters_list(account, &filter, list, &err) < 0)
		suite_bail();
	if (list->count == 0)
		return NOTHING;
	cluster = &list->list[0];
	if (operations_list(account, cluster->id, 0, 0, operations, &err) < 0)
		suite_bail();
	last = &operations->list[0];
	if (last->number == 1)
		return cluster->status == LIFECYCLE_ACTIVE ? MADE : last->status == OPERATION_RUNNING ? RUNNING : BEGUN;
	if (last->number < 4)
		return last->number == 2 ? RENAMED : LEASED;
	return cluster->status == LIFECYCLE_TERMINATED ? DELETED : DELETING;
}

static void
begin(struct account *account, int64_t cluster, const char *action)
{
	const struct operation_spec spec = {.action = action, .cluster = cluster, .revision = -1, .wanted = NODE("null"),
		.prices = PRICES, .request = "{}", .create = {.name = "shop"}};
	struct operation_list list = {0};

	if (cluster < 0 || operation_begin(account, &spec, &list, &err) < 0)
		suite_bail();
	operation_list_release(&list);
}

static void
end(struct account *account, int64_t cluster, int64_t number, const char *layout)
{
	const struct operation_outcome outcome = {.status = OPERATION_COMPLETE, .layout = layout};

	if (operation_end(account, cluster, number, &outcome, &err) < 0)
		suite_bail();
}

static void
do_next(struct account *account, int done, int64_t cluster)
{
	int result = 0;

	if (done == NOTHING)
		begin(account, clusters_allot(account, &err), "create");
	else if (done == BEGUN)
		result = operation_running(account, cluster, 1, &err);
	else if (done == RUNNING)
		end(account, cluster, 1, NODE("[\"x\"]"));
	else if (done == MADE)
		result = clusters_rename(account, cluster, "store", &err);
	else if (done == RENAMED)
		result = clusters_set_lease(account, cluster, INT64_MAX / 2, false, false, &err);
	else if (done == LEASED)
		begin(account, cluster, "delete");
	else
		end(account, cluster, 4, "");
	if (result < 0)
		suite_bail();
}

/* Does the rest; tells each step that is done, where somebody listens. */
static void
do_rest(struct account *account, int listener)
{
	for (;;) {
		struct operation_list operations = {0};
		struct cluster_list list = {0};
		int done = look(account, &list, &operations);
		char told = (char)done;

		if (listener >= 0 && syscall(SYS_write, listener, &told, 1) != 1)
			exit(1);
		if (done < ALL)
			do_next(account, done, list.count ? list.list[0].id : 0);
		operation_list_release(&operations);
		cluster_list_release(&list);
		if (done == ALL)
			return;
	}
}

/* What the child has told last: so much is done for sure. *died: it was stopped. */
static int
run_child(long at, bool torn, bool *died)
{
	int ends[2], status, told = NOTHING;
	struct account account;
	char byte;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends) < 0 || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		shim_no_sync = true;
		shim_arm(at, torn);
		suite_open(&account, NULL);
		do_rest(&account, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		told = (unsigned char)byte;
	close(ends[0]);
	waitpid(pid, &status, 0);
	*died = WIFSIGNALED(status);
	if (!*died && WEXITSTATUS(status) != 0)
		exit(1);
	return told;
}

/* Whether a child can be stopped at that call, and all is well. *died as above. */
static bool
round_is_well(long at, bool torn, bool *died)
{
	struct operation_list operations = {0};
	struct cluster_list list = {0};
	struct account account;
	int told = run_child(at, torn, died), done;
	bool well;

	suite_open(&account, NULL);
	done = look(&account, &list, &operations);
	well = (done == told || done == told + 1) && store_fsck(account.store, suite_say, NULL, &err) == 0;
	if (!well)
		printf("# call %ld: told %d, done %d\n", at, told, done);
	operation_list_release(&operations);
	cluster_list_release(&list);
	do_rest(&account, -1);
	well = store_fsck(account.store, suite_say, NULL, &err) == 0 && well;
	account_release(&account);
	if (file_remove_tree(AT_FDCWD, "sub", &err) < 0)
		suite_bail();
	return well;
}

static void
test_rounds(bool torn)
{
	long step = getenv("CRASH_ALL") ? 1 : STRIDE, at = 1, wrong = 0;
	bool died = true;

	for (; died && at < ROUNDS_MAX; at += step)
		wrong += !round_is_well(at, torn, &died);
	tap_is_number(wrong, 0, "killed at any of %ld calls%s, the store is whole and what was told is so", at,
	    torn ? ", a write half done" : "");
	tap_ok(!died, "and at last it comes through");
}

static void
test_all(void)
{
	test_rounds(false);
	test_rounds(true);
}

int
main(void)
{
	return suite_run(test_all);
}
