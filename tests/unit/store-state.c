/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/claims.h, outbox.h, last-time.h, lib/cluster/operation-files.h, observation.h: what was once in files of one host.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cluster/clusters.h"
#include "cluster/observation.h"
#include "cluster/operation-files.h"
#include "cluster/operations.h"
#include "store-engines.h"
#include "store/claims.h"
#include "store/last-time.h"
#include "store/outbox.h"

enum { HOSTS = 8 };

static struct account account;

/* The content of a file of operation 1; the caller frees it, NULL where there is none. */
static char *
file_of(int64_t cluster, const char *name)
{
	struct buffer text = {0};

	return operation_file_get(account.store, cluster, 1, name, &text, &err) == 1 ? buffer_take(&text) : NULL;
}

static void
see(struct observations *seen, const char *service, enum observation_answer answer, int64_t at_ms)
{
	observations_set(seen, &(struct observation){.node = "00000001-1000", .service = service, .answer = answer, .by = "probe",
	    .observed_ms = at_ms});
}

/* Records what was seen and returns the record of the cluster. */
static struct cluster_record
recorded(int64_t cluster, const struct observations *seen, struct cluster_list *list)
{
	if (clusters_find_id(&account, cluster, list, &err) < 0 ||
	    observations_record(account.store, cluster, list->list[list->count - 1].revision, seen, &err) < 0 ||
	    clusters_find_id(&account, cluster, list, &err) < 0)
		suite_bail();
	return list->list[list->count - 1];
}

static void
test_observations(int64_t cluster)
{
	int64_t now_ms = clock_wall_ms();
	struct observations seen = {0}, read = {0};
	struct cluster_list list = {0};
	struct cluster_record record;

	see(&seen, "", OBSERVATION_HEALTHY, now_ms);
	see(&seen, "web", OBSERVATION_HEALTHY, now_ms);
	see(&seen, "db", OBSERVATION_HEALTHY, now_ms - 1000);
	record = recorded(cluster, &seen, &list);
	tap_ok(record.instances == 2 && record.ready == 2 && record.condition == CONDITION_HEALTHY && record.observed_ms == now_ms - 1000,
	    "a cluster is healthy since the oldest observation of an instance");
	see(&seen, "db", OBSERVATION_UNHEALTHY, now_ms + 1);
	record = recorded(cluster, &seen, &list);
	tap_ok(record.ready == 1 && record.condition == CONDITION_DEGRADED && record.observed_ms == now_ms + 1,
	    "degraded where one is not ready, as of the newest that says so");
	see(&seen, "db", OBSERVATION_UNHEALTHY, now_ms + 2);
	see(&seen, "web", OBSERVATION_UNHEALTHY, now_ms + 2);
	record = recorded(cluster, &seen, &list);
	tap_is_number(record.condition, CONDITION_DOWN, "down where none is");
	see(&seen, "db", OBSERVATION_HEALTHY, now_ms);
	if (recorded(cluster, &seen, &list).ready != 0 || observations_read(account.store, cluster, &read, &err) < 0)
		suite_bail();
	tap_ok(read.count == 3 && observations_find(&read, "00000001-1000", "db")->since_ms == now_ms + 1,
	    "what was seen earlier changes nothing, and an answer is dated from when it came first");
	see(&seen, "", OBSERVATION_HEALTHY, 1000);
	observations_release(&read);
	observations_release(&seen);
	observations_set(&seen, &(struct observation){.node = "00000001-1999", .service = "", .answer = OBSERVATION_GONE, .by = "", .observed_ms = now_ms});
	recorded(cluster, &seen, &list);
	observations_read(account.store, cluster, &read, &err);
	tap_is_number((long long)read.count, 3, "of a machine that the cluster does not have, nothing is recorded");
	observations_release(&read);
	observations_release(&seen);
	cluster_list_release(&list);
}

static void
test_operation_files(int64_t cluster)
{
	const struct operation_file begun[] = {{"command", "coopr create\n", 13}, {"plan.ndjson", "", 0}};
	const struct operation_file ended[] = {{"events.ndjson", "{}\n", 3}};
	const struct outbox_message message = {.id = "m1", .hook = "mail", .event = "end", .operation = "create", .body = "{}"};
	const struct operation_spec spec = {.action = "create", .cluster = cluster, .revision = -1, .wanted = "", .files = begun,
		.file_count = 2, .create = {.name = "shop"}};
	const struct operation_outcome outcome = {.status = OPERATION_FAILED,
		.layout = "{\"kind\":\"node\",\"id\":\"00000001-1000\",\"was\":[]}\n", .files = ended, .file_count = 1, .messages = &message,
		.message_count = 1};
	struct operation_list list = {0};
	struct outbox waiting = {0};
	char *text;

	if (operation_begin(&account, &spec, &list, &err) < 0)
		suite_bail();
	text = file_of(cluster, "command");
	tap_is_text(text, "coopr create\n", "files are kept with the beginning of an operation");
	free(text);
	tap_is_number(operation_file_get(account.store, cluster, 1, "plan.ndjson", NULL, &err), 1, "an empty one, too");
	tap_is_number(operation_file_get(account.store, cluster, 1, "other", NULL, &err), 0, "what was not kept is not there");
	if (store_begin(account.store, &err) < 0 ||
	    operation_files_add(account.store, cluster, 1, &(struct operation_file){"command", "again", 5}, 1, &err) < 0 ||
	    store_commit(account.store, &err) < 0)
		suite_bail();
	text = file_of(cluster, "command");
	tap_is_text(text, "again", "one can be replaced");
	free(text);
	if (operation_end(&account, cluster, 1, &outcome, &err) != 1 || outbox_list(account.store, &waiting, &err) < 0)
		suite_bail();
	tap_is_number(operation_file_get(account.store, cluster, 1, "events.ndjson", NULL, &err), 1, "and others with its end");
	tap_is_number((long long)waiting.count, 1, "hooks are told of the end in the same transaction");
	tap_is_number(operation_end(&account, cluster, 1, &outcome, &err), 0, "which it has once");
	test_observations(cluster);
	if (operation_begin(&account, &(struct operation_spec){.action = "delete", .cluster = cluster, .revision = -1, .wanted = ""},
	    &list, &err) < 0 || operation_end(&account, cluster, 2, &(struct operation_outcome){.status = OPERATION_COMPLETE,
	    .layout = "", .files = ended, .file_count = 1}, &err) != 1)
		suite_bail();
	tap_is_number(operation_file_get(account.store, cluster, 1, "command", NULL, &err), 0, "a terminated cluster keeps no files");
	tap_is_number(operation_file_get(account.store, cluster, 2, "events.ndjson", NULL, &err), 0, "not those of its last operation either");
	outbox_release(&waiting);
	operation_list_release(&list);
}

static void
test_outbox(void)
{
	const struct outbox_message put = {.id = "m2", .hook = "chat", .event = "start", .operation = "stop", .tenant = "qa",
		.body = "body", .told_ms = 5};
	struct outbox_message got, other;
	struct outbox list = {0};

	for (int times = 0; times < 2; times++)
		if (outbox_put(account.store, &put, &err) < 0)
			suite_bail();
	if (outbox_list(account.store, &list, &err) < 0)
		suite_bail();
	tap_is_number((long long)list.count, 2, "a message that is put twice is there once");
	tap_is_number(outbox_take(account.store, "m2", "chat", 100, 200, &list, &got, &err), 1, "it is taken");
	tap_ok(strcmp(got.body, "body") == 0 && strcmp(got.tenant, "qa") == 0 && got.told_ms == 5, "as it was put");
	tap_is_number(outbox_take(account.store, "m2", "chat", 199, 300, &list, &other, &err), 0, "by one at a time");
	tap_is_number(outbox_take(account.store, "m2", "chat", 200, 300, &list, &other, &err), 1,
	    "and by another, where the first was not heard of again");
	if (outbox_retry(account.store, "m2", "chat", 400, &err) < 0)
		suite_bail();
	tap_ok(outbox_take(account.store, "m2", "chat", 250, 300, &list, &got, &err) == 1 && got.attempts == 1 && got.next_ms == 400,
	    "one that is given back counts its attempts");
	if (outbox_remove(account.store, "m2", "chat", &err) < 0)
		suite_bail();
	tap_is_number(outbox_take(account.store, "m2", "chat", 999, 1000, &list, &got, &err), 0, "one that is removed is gone");
	outbox_release(&list);
}

static void
test_last_time(void)
{
	int64_t at_ms = 1;

	last_time_read(account.store, "reconcile", &at_ms, &err);
	tap_is_number(at_ms, 0, "what was never done has no time");
	if (last_time_record(account.store, "reconcile", 7, &err) < 0 || last_time_record(account.store, "reconcile", 6, &err) < 0)
		suite_bail();
	last_time_read(account.store, "reconcile", &at_ms, &err);
	tap_is_number(at_ms, 7, "the last time is the latest, whoever is the last to say it");
}

/* Takes machines as one host does; ends with how many it has got. */
static int
take_as_host(int host)
{
	static const char *const machines[] = {"m1", "m2", "m3", "m4", "m5"};
	struct arena arena = {0};
	const char *machine;
	int taken = 0;

	suite_open(&account, NULL);
	for (int i = 0; i < 3; i++) {
		char node[32];
		const struct claim claim = {.node = node, .provider = "rack"};

		snprintf(node, sizeof node, "host%d-%d", host, i);
		taken += claims_take(account.store, &claim, machines, 5, NULL, &arena, &machine, &err) == 1;
	}
	return taken;
}

static void
test_claims(void)
{
	static const char *const machines[] = {"m1", "m2"};
	struct claim_list list = {0};
	struct arena arena = {0};
	const char *machine = NULL;
	int status, taken = 0;

	fflush(stdout);
	for (int host = 0; host < HOSTS; host++)
		if (fork() == 0)
			_exit(take_as_host(host));
	while (wait(&status) > 0)
		taken += WEXITSTATUS(status);
	tap_is_number(taken, 5, "however many hosts ask at once, each machine is given once");
	if (claims_list(account.store, "rack", &list, &err) < 0)
		suite_bail();
	tap_is_number((long long)list.count, 5, "and all are listed");
	tap_ok(claims_take(account.store, &(struct claim){.node = list.list[2].node}, machines, 2, NULL, &arena, &machine, &err) == 1 &&
	    strcmp(machine, "m3") == 0, "a node that asks again has the machine it had");
	tap_is_number(claims_take(account.store, &(struct claim){.node = "new"}, machines, 2, NULL, &arena, &machine, &err), 0,
	    "where all are in use there is none");
	if (claims_give_back(account.store, list.list[1].node, &err) < 0 || claims_give_back(account.store, "nobody", &err) < 0)
		suite_bail();
	tap_ok(claims_take(account.store, &(struct claim){.node = "new"}, machines, 2, NULL, &arena, &machine, &err) == 1 &&
	    strcmp(machine, "m2") == 0, "one that was given back is given again");
	arena_release(&arena);
	claim_list_release(&list);
}

/* All of it, on one engine. */
static void
test_all(void)
{
	int64_t cluster;

	suite_open(&account, NULL);
	cluster = clusters_allot(&account, &err);
	test_operation_files(cluster);
	test_outbox();
	test_last_time();
	test_claims();
	tap_is_number(store_fsck(account.store, suite_say, NULL, &err), 0, "fsck finds nothing in the end");
	account_release(&account);
}

int
main(void)
{
	return suite_run(test_all);
}
