/* SPDX-License-Identifier: Apache-2.0 */
#include "model/entity.h"

#include <string.h>

#include "base/memory.h"
#include "model/document.h"
#include "model/name.h"
#include "model/tenant-hooks.h"

struct links
links_parse(const struct place *object, struct arena *arena)
{
	struct place array = place_member(object, "links");
	struct links links = {0};

	if (!place_array(&array, NEED_OPTIONAL))
		return links;
	links.list = arena_alloc(arena, json_length(array.value), sizeof *links.list);
	for (size_t i = 0; i < json_length(array.value); i++) {
		struct place link = place_element(&array, i);

		if (place_object(&link, NEED_REQUIRED))
			links.list[links.count++] = (struct link){
			    place_string(&link, "label", NEED_REQUIRED, arena),
			    place_string(&link, "url", NEED_REQUIRED, arena)};
	}
	return links;
}

static void
entity_parse_hardware_offer(const struct place *place, struct arena *arena, struct hardware_offer *offer)
{
	struct place cost = place_member(place, "cost");

	offer->provider = arena_string(arena, place->name);
	offer->flavor = place_string(place, "flavor", NEED_OPTIONAL, arena);
	offer->capacity = amounts_parse(place, "capacity", arena);
	offer->has_cost = place_present(&cost);
	offer->cost = place_number(place, "cost", 0, 0, AMOUNT_MAX);
	offer->available = place_integer(place, "available", -1, 0, INT64_MAX);
}

static void
entity_parse_image_offer(const struct place *place, struct arena *arena, struct image_offer *offer)
{
	offer->provider = arena_string(arena, place->name);
	offer->image = place_string(place, "image", NEED_OPTIONAL, arena);
	offer->sshuser = name_parse_as(place, "sshuser", NEED_OPTIONAL, name_is_user, "user name", arena);
	if (!offer->sshuser)
		offer->sshuser = "root";
}

/* The next provider's entry of a providermap that is an object. */
static bool
entity_next_offer(struct members *members, struct place *offer)
{
	while (members_next(members, offer)) {
		if (!name_is_valid(offer->name))
			place_problem(offer, "\"%.80s\" is no name of a provider", offer->name);
		else if (place_object(offer, NEED_REQUIRED))
			return true;
	}
	return false;
}

void
hardwaretype_parse(const struct place *place, struct arena *arena, struct hardwaretype *hardwaretype)
{
	struct place map, offer;
	struct members members;

	*hardwaretype = (struct hardwaretype){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	hardwaretype->source = jv_copy(place->value);
	hardwaretype->name = name_parse(place, "name", NEED_REQUIRED, arena);
	map = place_member(place, "providermap");
	if (!place_object(&map, NEED_OPTIONAL))
		return;
	hardwaretype->offers = arena_alloc(arena, json_length(map.value), sizeof *hardwaretype->offers);
	members = members_of(&map);
	while (entity_next_offer(&members, &offer))
		entity_parse_hardware_offer(&offer, arena, &hardwaretype->offers[hardwaretype->offer_count++]);
}

void
imagetype_parse(const struct place *place, struct arena *arena, struct imagetype *imagetype)
{
	struct place map, offer;
	struct members members;

	*imagetype = (struct imagetype){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	imagetype->source = jv_copy(place->value);
	imagetype->name = name_parse(place, "name", NEED_REQUIRED, arena);
	map = place_member(place, "providermap");
	if (!place_object(&map, NEED_OPTIONAL))
		return;
	imagetype->offers = arena_alloc(arena, json_length(map.value), sizeof *imagetype->offers);
	members = members_of(&map);
	while (entity_next_offer(&members, &offer))
		entity_parse_image_offer(&offer, arena, &imagetype->offers[imagetype->offer_count++]);
}

/* "expect_s": {"create": 0.2}: machines in the cloud take minutes, those of the sandbox no time. */
static void
entity_parse_expectations(const struct place *provider, double expect_s[ACTION_COUNT])
{
	struct place given = place_member(provider, "expect_s");
	bool is_there = place_object(&given, NEED_OPTIONAL);

	for (enum action action = 0; action < ACTION_COUNT; action++) {
		expect_s[action] = action_expect_s(action);
		if (is_there && action_is_hardware(action))
			expect_s[action] = place_number(&given, action_name(action), expect_s[action], 0, ACTION_TIMEOUT_MAX_S);
	}
}

void
provider_parse(const struct place *place, struct arena *arena, struct provider *provider)
{
	struct place fields;

	*provider = (struct provider){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	provider->source = jv_copy(place->value);
	provider->name = name_parse(place, "name", NEED_REQUIRED, arena);
	provider->providertype = name_parse(place, "providertype", NEED_REQUIRED, arena);
	provider->zones = name_list_parse(place, "zones", arena);
	entity_parse_expectations(place, provider->expect_s);
	fields = place_member(place, "provisioner");
	if (place_object(&fields, NEED_OPTIONAL))
		provider->fields = fields.value;
}

/* A limit that is misspelled would be none. */
static void
entity_check_quota_names(const struct place *quota)
{
	static const char *const known[] = {"clusters", "nodes", "cost", "resources"};
	struct members members = members_of(quota);
	struct place member;

	while (members_next(&members, &member)) {
		bool is_known = false;

		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			is_known = is_known || strcmp(member.name, known[i]) == 0;
		if (!is_known)
			place_problem(&member, "a quota is of clusters, nodes, cost or resources");
	}
}

static void
entity_quota_parse(const struct place *place, struct arena *arena, struct tenant *tenant)
{
	struct place quota = place_member(place, "quota");

	if (!place_object(&quota, NEED_OPTIONAL))
		return;
	entity_check_quota_names(&quota);
	tenant->max_clusters = place_integer(&quota, "clusters", tenant->max_clusters, 0, INT64_MAX);
	tenant->max_nodes = place_integer(&quota, "nodes", tenant->max_nodes, 0, INT64_MAX);
	tenant->max_cost = place_number(&quota, "cost", -1, 0, AMOUNT_MAX);
	tenant->max_resources = amounts_parse(&quota, "resources", arena);
}

void
tenant_parse(const struct place *place, struct arena *arena, struct tenant *tenant)
{
	*tenant = (struct tenant){.max_clusters = -1, .max_nodes = -1, .max_cost = -1};
	if (!place_object(place, NEED_REQUIRED))
		return;
	tenant->source = jv_copy(place->value);
	tenant->name = name_parse(place, "name", NEED_REQUIRED, arena);
	tenant->max_clusters = place_integer(place, "maxClusters", -1, 0, INT64_MAX);
	tenant->max_nodes = place_integer(place, "maxNodes", -1, 0, INT64_MAX);
	entity_quota_parse(place, arena, tenant);
	tenant_hooks_check(place, arena);
}

const struct hardware_offer *
hardwaretype_offer(const struct hardwaretype *hardwaretype, const char *provider)
{
	for (size_t i = 0; i < hardwaretype->offer_count; i++) {
		const struct hardware_offer *offer = &hardwaretype->offers[i];

		if (offer->flavor && strcmp(offer->provider, provider) == 0)
			return offer;
	}
	return NULL;
}

const struct image_offer *
imagetype_offer(const struct imagetype *imagetype, const char *provider)
{
	for (size_t i = 0; i < imagetype->offer_count; i++) {
		const struct image_offer *offer = &imagetype->offers[i];

		if (offer->image && strcmp(offer->provider, provider) == 0)
			return offer;
	}
	return NULL;
}
