/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/clusters.h, operations.h: what is written down of a cluster, from its making to its end.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account/members.h"
#include "account/tenants.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "json/json.h"
#include "store-engines.h"

static struct account account;

#define PRICES "{\"small\":{\"cost\":0.5,\"capacity\":{\"cpu\":2}}}"
#define NODE(number, was) "{\"kind\":\"node\",\"id\":\"00000001-" number "\",\"hardwaretype\":\"small\",\"services\":[\"x\"],\"was\":" \
	was "}\n"

static void
open_as(const char *user)
{
	account_release(&account);
	suite_open(&account, user);
}

static int
begin(const struct operation_spec *spec)
{
	struct operation_list list = {0};
	int result = operation_begin(&account, spec, &list, &err);

	operation_list_release(&list);
	return result;
}

static int
create(const char *name, int64_t id)
{
	const struct operation_spec spec = {.action = "create", .cluster = id, .revision = -1, .request = "{\"size\":2}",
		.wanted = NODE("1000", "null") NODE("1001", "null"), .prices = PRICES, .template = "web",
		.create = {.name = name, .provider = "dummy", .lease_max_ms = 1000 * 3600, .lease_step_ms = 1000 * 60}};

	return begin(&spec);
}

static int
end(int64_t id, int64_t number, enum operation_status status, const char *layout)
{
	const struct operation_outcome outcome = {.status = status, .layout = layout,
		.message = status == OPERATION_COMPLETE ? NULL : "node 1000: no"};

	return operation_end(&account, id, number, &outcome, &err);
}

/* The record of a cluster; strings live until the next call. */
static struct cluster_record
look(const char *name)
{
	static struct cluster_list list;

	cluster_list_release(&list);
	return clusters_find(&account, name, &list, &err) == 0 ? list.list[0] : (struct cluster_record){0};
}

static void
test_life(void)
{
	struct cluster_documents documents = {0};
	int64_t id = clusters_allot(&account, &err);
	struct operation_spec spec = {.action = "expand", .cluster = id, .revision = -1};

	tap_is_number(id, 1, "the first cluster is number 1");
	tap_is_number(create("shop", id), 0, "a create begins");
	tap_is_number(look("shop").status, LIFECYCLE_PENDING, "meanwhile the cluster is pending");
	tap_is_number(look("shop").nodes, 0, "and has no nodes");
	tap_is_number(begin(&spec), -1, "another operation is refused");
	tap_is_number(err.code, EX_TEMPFAIL, "for now");
	tap_ok(strstr(err.text, "00000001-001") != NULL, "with the job that is in the way");
	tap_is_number(end(id, 1, OPERATION_COMPLETE, NODE("1000", "[]") NODE("1001", "[]")), 1, "it ends");
	tap_is_number(end(id, 1, OPERATION_FAILED, ""), 0, "a second end changes nothing");
	tap_is_number(look("00000001").status, LIFECYCLE_ACTIVE, "the cluster is active, found by its id too");
	tap_is_number(look("shop").nodes, 2, "with its nodes");
	tap_ok(look("shop").cost == 1, "their cost");
	tap_is_text(look("shop").resources, "{\"cpu\":4}", "and their resources");
	clusters_documents(&account, id, &documents, &err);
	tap_is_text(documents.request, "{\"size\":2}", "its request is that of the operation");
	cluster_documents_release(&documents);
	tap_is_number(clusters_rename(&account, id, "store", &err), 0, "it is renamed");
	tap_is_number(look("store").id, id, "and found by its new name");
	tap_is_number(clusters_set_lease(&account, id, 1, false, false, &err), -1, "a lease cannot end before the beginning");
	spec.number = 2;
	tap_is_number(begin(&spec), -1, "an operation of a number that is taken is refused");
	spec.action = "delete";
	spec.number = 3;
	tap_is_number(begin(&spec), 0, "the next number is right");
	tap_is_number(end(id, 3, OPERATION_FAILED, NODE("1001", "[]")), 1, "a delete fails half way");
	tap_is_number(look("store").status, LIFECYCLE_INCOMPLETE, "the cluster is incomplete");
	tap_is_number(look("store").nodes, 1, "with the node that is left");
	spec.number = 0;
	tap_is_number(begin(&spec), 0, "it is deleted again");
	tap_is_number(end(id, 4, OPERATION_COMPLETE, ""), 1, "and that is done");
	tap_is_number(look("store").id, 0, "its name is free");
	tap_is_number(look("00000001").status, LIFECYCLE_TERMINATED, "by its id it is known for ever");
}

/* A quota of the tenant "default": "\"clusters\":5". */
static void
set_quota(const char *limits)
{
	char text[160];
	size_t copied;
	jv document;

	snprintf(text, sizeof text, "{\"name\":\"default\",\"quota\":{%s}}", limits);
	if (json_parse("quota", text, strlen(text), &document, &err) < 0 ||
	    tenants_put(&account, TENANTS_CHANGE, document, false, &copied, &err) < 0)
		printf("# %s\n", err.text);
	jv_free(document);
}

static void
set_member(const char *user, enum account_role role, const char *group)
{
	const struct string_list groups = {&group, group != NULL};

	if (members_set(&account, user, role, &groups, &err) < 0)
		printf("# %s\n", err.text);
}

static void
test_rights(void)
{
	struct cluster_list list = {0};
	const struct cluster_filter all = {0}, everywhere = {.everywhere = true};
	struct operation_spec spec = {.action = "create", .revision = -1, .create = {.name = "ours", .group = "dev"}};
	int64_t id;

	set_member("bob", ACCOUNT_USER, "dev");
	set_member("eve", ACCOUNT_USER, "dev");
	set_member("joe", ACCOUNT_USER, NULL);
	set_member("ann", ACCOUNT_ADMIN, NULL);
	open_as("bob");
	id = spec.cluster = clusters_allot(&account, &err);
	tap_is_number(begin(&spec), 0, "a user makes a cluster of a group");
	open_as("eve");
	tap_is_number(look("ours").id, id, "who is in the group sees it");
	open_as("joe");
	tap_is_number(look("ours").id, 0, "another user does not");
	tap_is_text(err.text, "no cluster named \"ours\"; coopr list shows the clusters", "there is none, for them");
	clusters_list(&account, &everywhere, &list, &err);
	tap_is_number(list.count, 0, "nor by a list of all");
	tap_is_number(clusters_count(&account, &all, &err), 0, "nor by their number");
	tap_is_number(clusters_find_id(&account, id, &list, &err), -1, "nor by its id");
	tap_is_number(end(id, 1, OPERATION_FAILED, NULL), -1, "nor can they end its operation");
	tap_is_number(clusters_set_lease(&account, id, 0, false, false, &err), -1, "nor change its lease");
	tap_is_number(err.code, EX_NO, "which is no different from there being none");
	spec.cluster = clusters_allot(&account, &err);
	spec.create.name = "theirs";
	tap_is_number(begin(&spec), -1, "nor make one of a group they are not in");
	tap_is_number(err.code, EX_NOPERM, "that is not permitted");
	open_as("ann");
	tap_is_number(look("ours").id, id, "an admin sees all");
	tap_is_number(end(id, 1, OPERATION_CANCELLED, NULL), 1, "and may end it");
	tap_is_number(look("00000002").status, LIFECYCLE_TERMINATED, "a create that was cancelled before anything was made ends the cluster");
	open_as(NULL);
	cluster_list_release(&list);
}

#define NEW(number) "{\"kind\":\"node\",\"id\":\"q-" number "\",\"hardwaretype\":\"small\",\"services\":[],\"was\":null}\n"
#define OLD(number) "{\"kind\":\"node\",\"id\":\"q-" number "\",\"hardwaretype\":\"small\",\"services\":[],\"was\":[]}\n"
#define LEAVES(number) "{\"kind\":\"node\",\"id\":\"q-" number "\",\"hardwaretype\":\"small\",\"services\":null,\"was\":[]}\n"

/* What is refused says which limit it is. */
static void
test_refused(const struct operation_spec *spec, const char *limits, const char *word)
{
	set_quota(limits);
	tap_is_number(begin(spec), -1, "a cluster that would exceed %s is refused", limits);
	tap_is_number(err.code, EX_NO, "which is a no");
	tap_ok(strstr(err.text, word) != NULL, "that names the limit: %s", err.text);
}

static void
test_quota(void)
{
	int64_t id = clusters_allot(&account, &err);
	struct operation_spec spec = {.action = "create", .cluster = id, .revision = -1, .prices = PRICES,
		.wanted = NEW("1") NEW("2"), .create = {.name = "quota"}};

	test_refused(&spec, "\"clusters\":0", "clusters is 0");
	test_refused(&spec, "\"nodes\":1", "nodes is 1");
	test_refused(&spec, "\"cost\":0.9", "cost an hour is 0.9");
	test_refused(&spec, "\"resources\":{\"cpu\":3}", "cpu is 3");
	set_quota("\"clusters\":1,\"nodes\":2,\"cost\":1,\"resources\":{\"cpu\":4}");
	tap_is_number(begin(&spec), 0, "what fits exactly is made");
	spec = (struct operation_spec){.action = "create", .cluster = clusters_allot(&account, &err), .revision = -1,
		.create = {.name = "another"}};
	tap_is_number(begin(&spec), -1, "what is being made counts already");
	tap_is_number(end(id, 1, OPERATION_COMPLETE, OLD("1") OLD("2")), 1, "it is made");
	spec = (struct operation_spec){.action = "replace", .cluster = id, .revision = -1, .prices = PRICES,
		.wanted = OLD("1") LEAVES("2") NEW("3")};
	tap_is_number(begin(&spec), -1, "a machine and the one that takes its place count both");
	set_quota("\"nodes\":3");
	tap_is_number(begin(&spec), 0, "where there is room for both they are exchanged");
	tap_is_number(end(id, 2, OPERATION_COMPLETE, OLD("1") OLD("3")), 1, "and one is left");
	tap_is_number(look("quota").nodes, 2, "of which only that counts");
	set_quota("\"nodes\":0,\"clusters\":0");
	spec = (struct operation_spec){.action = "shrink", .cluster = id, .revision = -1, .wanted = OLD("1") LEAVES("3")};
	tap_is_number(begin(&spec), 0, "under a quota that was lowered below what is there, less is allowed");
	tap_is_number(end(id, 3, OPERATION_COMPLETE, OLD("1")), 1, "and done");
	spec = (struct operation_spec){.action = "delete", .cluster = id, .revision = -1, .wanted = LEAVES("1")};
	tap_is_number(begin(&spec), 0, "so is a delete");
	tap_is_number(end(id, 4, OPERATION_COMPLETE, ""), 1, "and done");
	set_quota("");
}

/* Its exit code: 0 when it has read, after it was told that somebody writes; it would wait for ever. */
static int
read_meanwhile(int told)
{
	struct cluster_list list = {0};
	const struct cluster_filter all = {.status = "all"};
	char byte;

	if (read(told, &byte, 1) != 1)
		return 1;
	open_as(NULL);
	return clusters_list(&account, &all, &list, &err) == 0 && list.count > 0 ? 0 : 1;
}

static void
test_reader(void)
{
	int ends[2], status = -1;
	pid_t pid;

	account_release(&account); /* no connection is carried into a child */
	fflush(stdout);
	if (pipe(ends) < 0 || (pid = fork()) < 0)
		exit(1);
	if (pid == 0)
		_exit(read_meanwhile(ends[0]));
	open_as(NULL);
	if (store_begin(account.store, &err) < 0 || write(ends[1], "", 1) != 1)
		exit(1);
	waitpid(pid, &status, 0);
	store_rollback(account.store);
	close(ends[0]);
	close(ends[1]);
	tap_is_number(status, 0, "who reads waits for no writer");
}

enum { CREATORS = 200, QUOTA = 50 };

/* Its exit code: 0 made, 1 the quota forbids it, anything else is wrong. */
static int
create_one(int number)
{
	struct account own;
	const struct account_ask ask = {.store = suite->store};
	char name[32];
	struct operation_list list = {0};
	struct operation_spec spec = {.action = "create", .revision = -1, .create = {.name = name}};

	snprintf(name, sizeof name, "many%d", number);
	if (account_open(&own, &ask, STORE_CREATE, &err) < 0)
		return err.code;
	spec.cluster = clusters_allot(&own, &err);
	return spec.cluster > 0 && operation_begin(&own, &spec, &list, &err) == 0 ? 0 : err.code;
}

static void
test_crowd(void)
{
	const struct cluster_filter all = {0};
	int made = 0, refused = 0, status;

	set_quota("\"clusters\":50");
	account_release(&account);
	fflush(stdout);
	for (int i = 0; i < CREATORS; i++)
		if (fork() == 0)
			_exit(create_one(i));
	while (wait(&status) > 0) {
		made += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		refused += WIFEXITED(status) && WEXITSTATUS(status) == EX_NO;
	}
	open_as(NULL);
	tap_is_number(made, QUOTA, "of 200 processes that make clusters as many come through as the quota allows");
	tap_is_number(refused, CREATORS - QUOTA, "the others are told why not");
	tap_is_number(clusters_count(&account, &all, &err), QUOTA, "none is lost");
}

/* All of it, on one engine. */
static void
test_all(void)
{
	open_as(NULL);
	test_life();
	test_rights();
	test_quota();
	test_reader();
	test_crowd();
	tap_is_number(store_fsck(account.store, suite_say, NULL, &err), 0, "fsck finds nothing in the end");
	account_release(&account);
}

int
main(void)
{
	return suite_run(test_all);
}
