/* SPDX-License-Identifier: Apache-2.0 */
#include "volume-verb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"
#include "cluster/clusters.h"
#include "cluster/volumes.h"
#include "model/name.h"
#include "verb.h"
#include "volume/upkeep.h"

static struct option_change change;
static bool everywhere, discards_data;

static const struct option_spec list_options[] = {
	OPTION_FLAG('A', "all-tenants", &everywhere, "of all tenants: for superadmins"),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command list_command = {
	"coopr-volume list", "[OPTION]... [CLUSTER]", "List volumes and snapshots, of all clusters or of one.", list_options,
	"  coopr-volume list\n"
	"  coopr-volume list shop -o json\n"};

static const struct option_spec change_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command snapshot_command = {
	"coopr-volume snapshot", "[OPTION]... VOLUME...", "Copy volumes as they are at one moment.", change_options,
	"  coopr-volume snapshot v-0123456789abcdef\n"};

static const struct command restore_command = {
	"coopr-volume restore", "[OPTION]... VOLUME|SNAPSHOT CLUSTER",
	"Let the next new node of a cluster have a free volume, or one made from a snapshot.",
	change_options,
	"  coopr-volume restore v-0123456789abcdef shop\n"
	"  coopr-volume restore s-0123456789abcdef shop-copy\n"};

static const struct option_spec delete_options[] = {
	OPTION_FLAG(0, "discard-data", &discards_data, "delete volumes too, with their data"),
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-volume delete", "[OPTION]... VOLUME|SNAPSHOT...", "Delete volumes that no node has, and snapshots, for good.", delete_options,
	"  coopr-volume delete s-0123456789abcdef\n"
	"  coopr-volume delete --discard-data v-0123456789abcdef\n"};

static void
volume_verb_fill_type(const void *row, struct list_cell *cell)
{
	list_cell_text(cell, ((const struct volume *)row)->is_snapshot ? "snapshot" : "volume");
}

static void
volume_verb_fill_cluster_id(const void *row, struct list_cell *cell)
{
	char id[CLUSTER_ID_SIZE];

	list_cell_text(cell, cluster_id_text(((const struct volume *)row)->cluster, id));
}

/* A snapshot is of no node, and not free for one. */
static void
volume_verb_fill_state(const void *row, struct list_cell *cell)
{
	const struct volume *volume = row;

	list_cell_text(cell, volume->node ? "attached" : volume->is_leaving ? "leaving" : volume->is_orphaned ? "orphaned"
	    : volume->is_snapshot ? "kept" : "free");
}

#define AT(type, member) LIST_AT(type, struct volume, member)
static const struct list_column columns[] = {
	{"ID", "id", AT(TEXT, id)},
	{"TYPE", "type", .fill = volume_verb_fill_type},
	{"TENANT", "tenant", AT(TEXT, tenant), .when = LIST_WIDE},
	{"CLUSTER", "name", AT(TEXT, cluster_name)},
	{"CLUSTER ID", "cluster", .fill = volume_verb_fill_cluster_id},
	{"SERVICE", "service", AT(TEXT, service)},
	{"NAME", "volume", AT(TEXT, name)},
	{"GIB", "size_gb", AT(INTEGER, size_gb)},
	{"COST", "cost", AT(REAL, cost)},
	{"NODE", "node", AT(TEXT, node)},
	{"STATE", "state", .fill = volume_verb_fill_state},
	{"FOR", "promised", AT(TEXT, promised), .when = LIST_FILLED},
	{"OF", "of", AT(TEXT, of), .when = LIST_FILLED},
	{"ZONE", "zone", AT(TEXT, zone), .when = LIST_FILLED},
	{"PROVIDER", "provider", AT(TEXT, provider), .when = LIST_WIDE},
	{"KEPT", "keep", AT(FLAG, keep), .when = LIST_WIDE},
	{"AGE", "made", AT(AGE, made_ms)},
	{0}};
#undef AT

static const struct list volumes = {.kind = "volume", .columns = columns, .row_size = sizeof(struct volume)};

int
volume_verb_list(int argc, char **argv)
{
	struct volume_list list = {0};
	struct output output;
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 1, "at most one cluster");
	output = store_verb_output();
	store_verb_account(&account, STORE_READ, ACCOUNT_READER, "");

	if (volumes_list(&account, argv[0], everywhere, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&volumes, list.list, list.count, &output);

	volume_list_release(&list);
	account_release(&account);
	return message_end(code);
}

/* Prints what was made or changed. */
static void
volume_verb_print(const struct volume_list *list)
{
	struct output output = store_verb_output();

	if (!change.quiet || output_is_records(&output))
		list_print(&volumes, list->list, list->count, &output);
}

int
volume_verb_snapshot(int argc, char **argv)
{
	struct volume_list made = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&snapshot_command, argc, argv);
	store_verb_operands(&snapshot_command, argv, 1, SIZE_MAX, "a volume");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_USER, "changing volumes");

	for (; *argv; argv++)
		if (volume_upkeep_snapshot(&account, *argv, &made, &err) < 0)
			code = message_error(&err);
	if (made.count)
		volume_verb_print(&made);

	volume_list_release(&made);
	account_release(&account);
	return message_end(code);
}

int
volume_verb_restore(int argc, char **argv)
{
	struct volume_list promised = {0};
	struct account account;
	struct error err;
	int code = 0;

	argv += option_parse(&restore_command, argc, argv);
	store_verb_operands(&restore_command, argv, 2, 2, "a volume or snapshot, and the name of a cluster");
	if (!name_is_valid(argv[1]))
		return option_misuse(&restore_command, "\"%s\" is not the name of a cluster", argv[1]);
	store_verb_account(&account, STORE_WRITE, ACCOUNT_USER, "changing volumes");

	if (volume_upkeep_restore(&account, argv[0], argv[1], &promised, &err) < 0)
		code = message_error(&err);
	else
		volume_verb_print(&promised);

	volume_list_release(&promised);
	account_release(&account);
	return message_end(code);
}

int
volume_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int code = 0, failed;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, SIZE_MAX, "a volume or snapshot");
	store_verb_account(&account, STORE_WRITE, ACCOUNT_USER, "changing volumes");

	if (store_verb_consent(argv, change.yes, &err) < 0) {
		account_release(&account);
		return message_error(&err);
	}
	for (; *argv; argv++)
		if (volume_upkeep_delete(&account, *argv, discards_data, &err) < 0) {
			failed = message_error(&err);
			code = code ? code : failed;
		}

	account_release(&account);
	return message_end(code);
}
