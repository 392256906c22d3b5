/* SPDX-License-Identifier: Apache-2.0 */
#include "model/saved-plan-record.h"

#include "model/document.h"

struct seal {
	const char *mac;
};

static const struct member members[] = {
	{"action", MEMBER_NAME(struct saved_plan_record, action), MEMBER_REQUIRED},
	{"at", MEMBER_STRING(struct saved_plan_record, at), MEMBER_REQUIRED},
	{"basis", MEMBER_VALUE(struct saved_plan_record, basis), 0},
	{"by", MEMBER_STRING(struct saved_plan_record, by), MEMBER_REQUIRED},
	{"cluster", MEMBER_NAME(struct saved_plan_record, cluster), MEMBER_REQUIRED},
	{"command", MEMBER_STRING(struct saved_plan_record, command), MEMBER_REQUIRED},
	{"discard_data", MEMBER_BOOLEAN(struct saved_plan_record, discard_data), 0},
	{"group", MEMBER_STRING(struct saved_plan_record, group), 0},
	{"kind", MEMBER_KIND("savedplan")},
	{"layout", MEMBER_PASSED, 0},
	{"lease_ms", MEMBER_INTEGER(struct saved_plan_record, lease_ms), 0, .integer = {-1, INT64_MAX, -1}},
	{"name", MEMBER_NAME(struct saved_plan_record, name), MEMBER_REQUIRED},
	{"operation", MEMBER_INTEGER(struct saved_plan_record, operation), MEMBER_REQUIRED},
	{"owner", MEMBER_STRING(struct saved_plan_record, owner), 0},
	{"recorded", MEMBER_STRING(struct saved_plan_record, recorded), 0},
	{"request", MEMBER_PASSED, 0},
	{"status", MEMBER_STRING(struct saved_plan_record, status), 0},
	{"tenant", MEMBER_NAME(struct saved_plan_record, tenant), MEMBER_REQUIRED},
	{"verb", MEMBER_STRING(struct saved_plan_record, verb), 0},
	{"why", MEMBER_STRING(struct saved_plan_record, why), 0},
};
const struct document saved_plan_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct saved_plan_record)};

static const struct member seal_members[] = {
	{"kind", MEMBER_KIND("seal")},
	{"mac", MEMBER_STRING(struct seal, mac), MEMBER_REQUIRED},
};
const struct document seal_table = {DOCUMENT_MEMBERS(seal_members), .size = sizeof(struct seal)};

void
saved_plan_record_parse(const struct place *place, struct arena *arena, struct saved_plan_record *record)
{
	document_parse(&saved_plan_table, place, arena, record);
}
