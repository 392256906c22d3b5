/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/clusters.h, operations.h: what is written down of a cluster, from its making to its end.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "store/accounts.h"
#include "store/clusters.h"
#include "store/operations.h"
#include "tap.h"

#include <fcntl.h>

static char folder[] = "/tmp/coopr-store-XXXXXX";
static struct account account;
static struct error err;

#define PRICES "{\"small\":{\"cost\":0.5,\"capacity\":{\"cpu\":2}}}"
#define NODE(number, was) "{\"kind\":\"node\",\"id\":\"00000001-" number "\",\"hardwaretype\":\"small\",\"services\":[\"x\"],\"was\":" \
	was "}\n"

static void
open_as(const char *user)
{
	const struct account_ask ask = {.store = "store", .user = user, .why = "a test"};

	account_release(&account);
	if (account_open(&account, &ask, STORE_CREATE, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
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
	const struct operation_spec spec = {.action = "create", .cluster = id, .revision = -1, .wish = "{\"size\":2}",
		.wanted = NODE("1000", "null") NODE("1001", "null"), .prices = PRICES, .template = "web",
		.create = {.name = name, .provider = "dummy", .lease_max_ms = 1000 * 3600, .lease_step_ms = 1000 * 60}};

	return begin(&spec);
}

static int
end(int64_t id, int64_t number, enum operation_status status, const char *layout)
{
	const struct operation_outcome outcome = {status, status == OPERATION_COMPLETE ? NULL : "node 1000: no", layout};

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
	tap_is_number(look("shop").status, LIFE_PENDING, "meanwhile the cluster is pending");
	tap_is_number(look("shop").nodes, 0, "and has no nodes");
	tap_is_number(begin(&spec), -1, "another operation is refused");
	tap_is_number(err.code, EX_TEMPFAIL, "for now");
	tap_ok(strstr(err.text, "00000001-001") != NULL, "with the job that is in the way");
	tap_is_number(end(id, 1, OPERATION_COMPLETE, NODE("1000", "[]") NODE("1001", "[]")), 1, "it ends");
	tap_is_number(end(id, 1, OPERATION_FAILED, ""), 0, "a second end changes nothing");
	tap_is_number(look("00000001").status, LIFE_ACTIVE, "the cluster is active, found by its id too");
	tap_is_number(look("shop").nodes, 2, "with its nodes");
	tap_ok(look("shop").cost == 1, "their cost");
	tap_is_text(look("shop").resources, "{\"cpu\":4}", "and their resources");
	clusters_documents(&account, id, &documents, &err);
	tap_is_text(documents.wish, "{\"size\":2}", "its wish is that of the operation");
	cluster_documents_release(&documents);
	tap_is_number(clusters_rename(&account, id, "store", &err), 0, "it is renamed");
	tap_is_number(look("store").id, id, "and found by its new name");
	tap_is_number(clusters_set_lease(&account, id, 1, false, &err), -1, "a lease cannot end before the beginning");
	spec.number = 2;
	tap_is_number(begin(&spec), -1, "an operation of a number that is taken is refused");
	spec.action = "delete";
	spec.number = 3;
	tap_is_number(begin(&spec), 0, "the next number is right");
	tap_is_number(end(id, 3, OPERATION_FAILED, NODE("1001", "[]")), 1, "a delete fails half way");
	tap_is_number(look("store").status, LIFE_INCOMPLETE, "the cluster is incomplete");
	tap_is_number(look("store").nodes, 1, "with the node that is left");
	spec.number = 0;
	tap_is_number(begin(&spec), 0, "it is deleted again");
	tap_is_number(end(id, 4, OPERATION_COMPLETE, ""), 1, "and that is done");
	tap_is_number(look("store").id, 0, "its name is free");
	tap_is_number(look("00000001").status, LIFE_TERMINATED, "by its id it is known for ever");
}

int
main(void)
{
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return 1;
	open_as(NULL);
	test_life();
	account_release(&account);
	if (chdir("/") < 0 || file_remove_tree(AT_FDCWD, folder, &err) < 0)
		return 1;
	return tap_end();
}
