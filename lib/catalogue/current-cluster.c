/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/current-cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "catalogue/compose.h"
#include "json/record.h"
#include "model/name.h"
#include "model/request.h"

/* Notes that numbers below that of the member plus more were given already. */
static void
current_cluster_note_number(struct order *order, jv record, const char *member, int more)
{
	double number = json_get_number(record, member, -more) + more;

	if (number > (double)order->next_nodenum && number < 1e15)
		order->next_nodenum = (int64_t)number;
}

/* Adds a node that stays. Of one that has left only the number counts, which is not given again. */
static void
current_cluster_add_node(struct order *order, jv record)
{
	jv stands = json_get(record, "services");

	current_cluster_note_number(order, record, "nodenum", 1);
	if (jv_get_kind(stands) != JV_KIND_NULL)
		order->nodes = jv_array_append(order->nodes, jv_copy(record));
	jv_free(stands);
}

/* Takes the services of the cluster in place of the template's. */
static void
current_cluster_keep_services(struct order *order, jv record)
{
	jv list = json_get(record, "services");
	size_t capacity = 0;

	for (size_t i = 0; i < json_length(list); i++) {
		jv name = json_element(list, i);
		const char *text = json_string(name);

		if (text && name_is_valid(text)) {
			ARRAY_ROOM(order->services.list, order->services.count, capacity);
			order->services.list[order->services.count++] = memory_string(text);
		}
		jv_free(name);
	}
	jv_free(list);
}

/* Takes the id of the cluster, and its services if no others are named. */
static void
current_cluster_take_record(struct order *order, jv record, bool keep_services)
{
	char *id = json_get_string(record, "id");

	if (order->services.count == 0 && keep_services)
		current_cluster_keep_services(order, record);
	current_cluster_note_number(order, record, "nextNodenum", 0);
	if (!order->id && id && cluster_id_is_valid(id))
		order->id = id;
	else
		free(id);
}

int
current_cluster_read(const char *path, bool keep_services, struct order *order, struct error *err)
{
	bool sized = order->machines_min || order->machines_max, any = false;
	struct record_reader reader;
	int got = record_reader_open(&reader, path, err);
	jv record;

	order->nodes = jv_array();
	while (got == 0 && (got = record_read(&reader, &record, err)) > 0) {
		bool is_cluster = strcmp(record_kind(record), "cluster") == 0, is_node = strcmp(record_kind(record), "node") == 0;

		if (is_cluster)
			current_cluster_take_record(order, record, keep_services);
		else if (is_node)
			current_cluster_add_node(order, record);
		any = any || is_cluster || is_node;
		jv_free(record);
		got = 0;
	}
	record_reader_release(&reader);
	if (got < 0)
		return -1;
	if (!any)
		return error_set(err, EX_DATAERR, "%s: neither a cluster nor a node is in it", path);
	if (!sized)
		order->machines_min = order->machines_max = (int64_t)json_length(order->nodes);
	for (size_t i = 0; i < order->replace.count; i++)
		if (!json_array_has(order->nodes, "id", order->replace.list[i]))
			return error_set(err, EX_NO, "%s: there is no node \"%s\"", path, order->replace.list[i]);
	return 0;
}
