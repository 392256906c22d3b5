/* SPDX-License-Identifier: Apache-2.0 */
#include "model/entity.h"

#include <string.h>

#include "address/range.h"
#include "model/document.h"
#include "model/duration.h"
#include "model/name.h"
#include "model/tenant-hooks.h"

enum { KEPT_ARCHIVES = 100000 };

static const struct member link_members[] = {
	{"label", MEMBER_STRING(struct link, label), MEMBER_REQUIRED},
	{"url", MEMBER_STRING(struct link, url), MEMBER_REQUIRED},
};
const struct document link_table = {DOCUMENT_MEMBERS(link_members), .size = sizeof(struct link)};

/* Takes "15m", "12h", "2d": at most five digits, so that any is a time. */
static void
backup_parse_period(const struct place *place, int64_t *ms)
{
	const char *text = json_string(place->value);
	size_t digits = text ? strspn(text, "0123456789") : 0;

	*ms = 0;
	if (digits && digits <= 5 && *text != '0' && text[digits] && strchr("mhd", text[digits]) && !text[digits + 1])
		*ms = duration_parse(text);
	else
		place_problem(place, "expected a time as \"15m\", \"12h\", \"2d\"");
}

static void
backup_parse_every(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	(void)member;
	(void)arena;
	if (place_present(place))
		backup_parse_period(place, &((struct backup_policy *)to)->every_ms);
}

/* Takes a number of archives, or for how long they are kept. */
static void
backup_parse_keep(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct backup_policy *policy = to;

	(void)member;
	(void)arena;
	if (json_string(place->value))
		backup_parse_period(place, &policy->keep_ms);
	else
		policy->keep = place_read_integer(place, 0, 1, KEPT_ARCHIVES);
}

static const struct member backup_policy_members[] = {
	{"every", MEMBER_CUSTOM, 0, .parse = backup_parse_every},
	{"keep", MEMBER_CUSTOM, 0, .parse = backup_parse_keep},
};
const struct document backup_policy_table = {DOCUMENT_MEMBERS(backup_policy_members), .size = sizeof(struct backup_policy)};

bool
service_is_repair(const char *text)
{
	return strcmp(text, "restore") == 0 || strcmp(text, "report") == 0;
}

static const struct member hardware_offer_members[] = {
	{"*", MEMBER_NAME(struct hardware_offer, provider), MEMBER_KEY, .is_valid = name_is_valid, .what = "not the name of a provider"},
	{"available", MEMBER_INTEGER(struct hardware_offer, available), 0, .integer = {0, INT64_MAX, -1}},
	{"capacity", MEMBER_AMOUNTS(struct hardware_offer, capacity), 0},
	{"cost", MEMBER_NUMBER(struct hardware_offer, cost), 0, MEMBER_PRESENT(struct hardware_offer, has_cost)},
	{"flavor", MEMBER_STRING(struct hardware_offer, flavor), 0},
};
static const struct document hardware_offer = {DOCUMENT_MEMBERS(hardware_offer_members),
	.size = sizeof(struct hardware_offer)};

static const struct member hardwaretype_members[] = {
	{"description", MEMBER_PASSED, 0},
	{"label", MEMBER_PASSED, 0},
	{"name", MEMBER_NAME(struct hardwaretype, name), MEMBER_REQUIRED},
	{"of", MEMBER_PASSED, 0},
	{"providermap", MEMBER_MAP(struct hardwaretype, offers, struct hardware_offer, offer_count), 0,
	    .inner = &hardware_offer},
};
const struct document hardwaretype_table = {DOCUMENT_MEMBERS(hardwaretype_members),
	.size = sizeof(struct hardwaretype), DOCUMENT_SOURCE(struct hardwaretype, source), .is_verbatim = true};

static const struct member image_offer_members[] = {
	{"*", MEMBER_NAME(struct image_offer, provider), MEMBER_KEY, .is_valid = name_is_valid, .what = "not the name of a provider"},
	{"image", MEMBER_STRING(struct image_offer, image), 0},
	{"sshuser", MEMBER_STRING(struct image_offer, sshuser), 0, .otherwise = "root", .is_valid = name_is_user,
	    .what = "not a user name"},
};
static const struct document image_offer = {DOCUMENT_MEMBERS(image_offer_members), .size = sizeof(struct image_offer)};

static const struct member imagetype_members[] = {
	{"description", MEMBER_PASSED, 0},
	{"label", MEMBER_PASSED, 0},
	{"name", MEMBER_NAME(struct imagetype, name), MEMBER_REQUIRED},
	{"of", MEMBER_STRING(struct imagetype, of), MEMBER_OMITTED},
	{"providermap", MEMBER_MAP(struct imagetype, offers, struct image_offer, offer_count), 0, .inner = &image_offer},
};
const struct document imagetype_table = {DOCUMENT_MEMBERS(imagetype_members), .size = sizeof(struct imagetype),
	DOCUMENT_SOURCE(struct imagetype, source), .is_verbatim = true};

/* {"create": 0.2}: machines in the cloud take minutes, those of the sandbox no time. */
static void
provider_parse_expectations(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	bool is_there = place_object(place, NEED_OPTIONAL);
	double *expect_s = ((struct provider *)to)->expect_s;

	(void)member;
	(void)arena;
	for (enum action action = 0; action < ACTION_COUNT; action++) {
		expect_s[action] = action_expect_s(action);
		if (is_there && action_is_hardware(action))
			expect_s[action] = place_number(place, action_name(action), expect_s[action], 0, ACTION_TIMEOUT_MAX_S);
	}
}

static void
entity_check_ranges(const struct place *place)
{
	for (size_t i = 0; jv_get_kind(place->value) == JV_KIND_ARRAY && i < json_length(place->value); i++) {
		struct place range = place_element(place, i);

		if (json_string(range.value) && !range_is_valid(json_string(range.value)))
			place_problem(&range, "\"%.80s\" is not a range of addresses, as 10.4.0.0/16 or 2001:db8:4::/64", json_string(range.value));
	}
}

static const struct member provider_members[] = {
	{"addresses", MEMBER_STRINGS(struct provider, addresses), 0, .check = entity_check_ranges},
	{"description", MEMBER_PASSED, 0},
	{"expect_s", MEMBER_CUSTOM, 0, .parse = provider_parse_expectations},
	{"label", MEMBER_PASSED, 0},
	{"name", MEMBER_NAME(struct provider, name), MEMBER_REQUIRED},
	{"of", MEMBER_PASSED, 0},
	{"providertype", MEMBER_NAME(struct provider, providertype), MEMBER_REQUIRED},
	{"provisioner", MEMBER_VALUE(struct provider, fields), 0},
	{"volume_cost", MEMBER_NUMBER(struct provider, volume_cost), 0, .number = {0, AMOUNT_MAX, 0}},
	{"zones", MEMBER_NAMES(struct provider, zones), 0},
};
const struct document provider_table = {DOCUMENT_MEMBERS(provider_members), .size = sizeof(struct provider),
	DOCUMENT_SOURCE(struct provider, source), .is_verbatim = true};

/* A quota of clusters or nodes is stronger than maxClusters and maxNodes, which are parsed before. */
static void
tenant_parse_quota(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	int64_t *max = (int64_t *)((char *)to + member->offset);

	(void)arena;
	*max = place_read_integer(place, *max, 0, INT64_MAX);
}

static const struct member quota_members[] = {
	{"archives", MEMBER_INTEGER(struct tenant, max_archives), 0, .integer = {0, INT64_MAX, -1}},
	{"clusters", MEMBER_CUSTOM_FIELD(struct tenant, max_clusters, int64_t), 0, .parse = tenant_parse_quota},
	{"cost", MEMBER_NUMBER(struct tenant, max_cost), 0, .number = {0, AMOUNT_MAX, -1}},
	{"nodes", MEMBER_CUSTOM_FIELD(struct tenant, max_nodes, int64_t), 0, .parse = tenant_parse_quota},
	{"resources", MEMBER_AMOUNTS(struct tenant, max_resources), 0},
	{"uploads", MEMBER_INTEGER(struct tenant, max_uploads), 0, .integer = {0, INT64_MAX, -1}},
	{"volumes", MEMBER_INTEGER(struct tenant, max_volumes), 0, .integer = {0, INT64_MAX, -1}},
};
static const struct document quota = {DOCUMENT_MEMBERS(quota_members),
	.unknown = "a quota is of archives, clusters, cost, nodes, resources, uploads or volumes"};

static const struct member tenant_members[] = {
	{"addresses", MEMBER_STRINGS(struct tenant, addresses), 0, .check = entity_check_ranges},
	{"description", MEMBER_PASSED, 0},
	{"hooks", MEMBER_CUSTOM, 0, .parse = tenant_hooks_parse, .inner = &tenant_hook_table},
	{"label", MEMBER_PASSED, 0},
	{"maxClusters", MEMBER_INTEGER(struct tenant, max_clusters), 0, .integer = {0, INT64_MAX, -1}},
	{"maxNodes", MEMBER_INTEGER(struct tenant, max_nodes), 0, .integer = {0, INT64_MAX, -1}},
	{"name", MEMBER_NAME(struct tenant, name), MEMBER_REQUIRED},
	{"quota", MEMBER_INLINE, 0, .inner = &quota},
};
const struct document tenant_table = {DOCUMENT_MEMBERS(tenant_members), .size = sizeof(struct tenant),
	DOCUMENT_SOURCE(struct tenant, source), .is_verbatim = true};

void
hardwaretype_parse(const struct place *place, struct arena *arena, struct hardwaretype *hardwaretype)
{
	document_parse(&hardwaretype_table, place, arena, hardwaretype);
}

void
imagetype_parse(const struct place *place, struct arena *arena, struct imagetype *imagetype)
{
	document_parse(&imagetype_table, place, arena, imagetype);
}

void
provider_parse(const struct place *place, struct arena *arena, struct provider *provider)
{
	document_parse(&provider_table, place, arena, provider);
}

void
tenant_parse(const struct place *place, struct arena *arena, struct tenant *tenant)
{
	document_parse(&tenant_table, place, arena, tenant);
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
