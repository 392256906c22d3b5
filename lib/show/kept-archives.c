/* SPDX-License-Identifier: Apache-2.0 */
#include "show/kept-archives.h"

#include "cluster/archives.h"
#include "cluster/clusters.h"
#include "model/show/list.h"

static void
kept_archives_fill_cluster(const void *row, struct list_cell *cell)
{
	const struct archive *archive = row;
	char id[CLUSTER_ID_SIZE];

	list_cell_text(cell, cluster_id_text(archive->cluster, id));
}

static void
kept_archives_fill_size(const void *row, struct list_cell *cell)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double amount = (double)((const struct archive *)row)->bytes;
	size_t unit = 0;

	for (; amount >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
		amount /= 1024;
	list_cell_show(cell, STYLE_PLAIN, "%.*f %s", unit && amount < 100 ? 1 : 0, amount, units[unit]);
}

#define AT(type, member) LIST_AT(type, struct archive, member)

static const struct list_column columns[] = {
	{"ID", "id", AT(TEXT, id), .style = STYLE_BOLD},
	{"CLUSTER", "name", AT(TEXT, cluster_name)},
	{"CLUSTER ID", "cluster", .fill = kept_archives_fill_cluster, .when = LIST_WIDE},
	{"SERVICE", "service", AT(TEXT, service)},
	{"NODE", "node", AT(TEXT, node)},
	{"HOST", "hostname", AT(TEXT, hostname), .when = LIST_WIDE},
	{NULL, "operation", AT(INTEGER, operation)},
	{"BEGAN", "began", AT(TIME, began_ms), .when = LIST_WIDE},
	{"MADE", "ended", AT(AGE, ended_ms)},
	{"SIZE", "bytes", AT(INTEGER, bytes), .fill = kept_archives_fill_size},
	{"SHA256", "sum", AT(TEXT, sum), .when = LIST_WIDE},
	{0}};

static const struct list archives = {.kind = "archive", .columns = columns, .row_size = sizeof(struct archive), .rows = "archives"};

int
kept_archives_print(struct account *account, const char *cluster, struct output *output, struct error *err)
{
	struct cluster_list found = {0};
	struct archive_list list = {0};
	int result = cluster ? clusters_find(account, cluster, &found, err) : 0;

	if (result == 0)
		result = archives_list(account, cluster ? found.list[0].id : 0, &list, err);
	if (result == 0)
		list_print(&archives, list.list, list.count, output);
	archive_list_release(&list);
	cluster_list_release(&found);
	return result;
}
