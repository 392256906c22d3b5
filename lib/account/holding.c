/* SPDX-License-Identifier: Apache-2.0 */
#include "account/holding.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "json/scan.h"
#include "model/request.h"

char *
prices_of(const struct request *request)
{
	struct buffer text = {0};
	jv prices = jv_object();

	for (size_t i = 0; i < request->hardwaretype_count; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&request->hardwaretypes[i], request->provider.name);
		jv price, capacity;

		if (!offer)
			continue;
		price = jv_object();
		capacity = jv_object();
		for (size_t j = 0; j < offer->capacity.count; j++)
			json_set_number(&capacity, offer->capacity.list[j].resource, offer->capacity.list[j].value);
		json_set_number(&price, "cost", offer->cost);
		json_set(&price, "capacity", capacity);
		json_set(&prices, request->hardwaretypes[i].name, price);
	}
	json_dump(prices, &text);
	jv_free(prices);
	return buffer_take(&text);
}

/* Returns the most that a node may cost, which may become one of its choices while it is made. */
static double
holding_cost(jv record, jv prices, double own)
{
	jv choices = json_get(record, "choices");

	for (size_t i = 0; jv_get_kind(choices) == JV_KIND_ARRAY && i < json_length(choices); i++) {
		jv choice = json_element(choices, i);
		char *hardwaretype = json_get_string(choice, "hardwaretype");
		jv price = hardwaretype ? json_get(prices, hardwaretype) : jv_invalid();
		double cost = json_get_number(price, "cost", 0);

		if (cost > own)
			own = cost;
		jv_free(price);
		free(hardwaretype);
		jv_free(choice);
	}
	jv_free(choices);
	return own;
}

/* Adds the node of a record, with its price. */
static void
holding_add_node(struct holding *holding, jv record, jv prices, enum holding_nodes which)
{
	char *id = json_get_string(record, "id"), *hardwaretype = json_get_string(record, "hardwaretype");
	jv price = hardwaretype ? json_get(prices, hardwaretype) : jv_invalid();
	jv cost = json_get(price, "cost"), capacity = json_get(price, "capacity");
	struct holding_node node = {.capacity = "{}"};
	struct buffer text = {0};

	if (jv_get_kind(cost) == JV_KIND_NUMBER)
		node.cost = jv_number_value(cost);
	if (which == HOLDING_ALL)
		node.cost = holding_cost(record, prices, node.cost);
	if (jv_get_kind(capacity) == JV_KIND_OBJECT) {
		json_dump(capacity, &text);
		node.capacity = arena_string(&holding->arena, text.data);
	}
	if (id) {
		node.id = arena_string(&holding->arena, id);
		node.hardwaretype = hardwaretype ? arena_string(&holding->arena, hardwaretype) : NULL;
		ARRAY_ROOM(holding->list, holding->count, holding->capacity);
		holding->list[holding->count++] = node;
	}
	buffer_release(&text);
	jv_free(capacity);
	jv_free(cost);
	jv_free(price);
	free(hardwaretype);
	free(id);
}

/* Returns true if the record is a node, one of which. */
static bool
holding_is_node(jv record, enum holding_nodes which)
{
	jv kind = json_get(record, "kind"), was = json_get(record, "was"), services = json_get(record, "services");
	const char *name = json_string(kind);
	bool is = name && strcmp(name, "node") == 0 &&
	    (which != HOLDING_THERE || jv_get_kind(was) == JV_KIND_ARRAY) &&
	    (which != HOLDING_LEAVING || jv_get_kind(services) != JV_KIND_ARRAY);

	jv_free(services);
	jv_free(was);
	jv_free(kind);
	return is;
}

int
holding_take(struct holding *holding, enum holding_nodes which, const char *layout, const char *prices,
    struct error *err)
{
	size_t length = strlen(layout);
	ssize_t used = 0;
	jv all, record;

	if (json_parse("prices", prices ? prices : "{}", prices ? strlen(prices) : 2, &all, err) < 0)
		return -1;
	while ((used = json_scan(layout, length, true, err)) > 0) {
		if (json_parse("layout", layout, (size_t)used, &record, err) < 0) {
			used = -1;
			break;
		}
		if (holding_is_node(record, which))
			holding_add_node(holding, record, all, which);
		jv_free(record);
		layout += used;
		length -= (size_t)used;
	}
	jv_free(all);
	return used < 0 ? -1 : 0;
}

void
holding_release(struct holding *holding)
{
	free(holding->list);
	arena_release(&holding->arena);
	*holding = (struct holding){0};
}
