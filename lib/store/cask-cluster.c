/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cask-cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "catalogue/clusterspec.h"

enum {
	REQUEST = 1, /* requests have the member, */
	RECORD = 2,  /* or clusters as the server shows them */
};

/* The members that are understood, by name; all others are left out, which is said. */
static const struct {
	const char *name;
	unsigned in;
} members[] = {
	{"account", RECORD}, {"clusterTemplate", REQUEST | RECORD}, {"config", REQUEST | RECORD}, {"createTime", RECORD},
	{"description", REQUEST | RECORD}, {"dnsSuffix", REQUEST}, {"expireTime", RECORD}, {"hardwaretype", REQUEST},
	{"id", RECORD}, {"imagetype", REQUEST}, {"initialLeaseDuration", REQUEST}, {"latestJobId", RECORD}, {"links", RECORD},
	{"message", RECORD}, {"name", REQUEST | RECORD}, {"nodes", RECORD}, {"numMachines", REQUEST}, {"numNodes", RECORD},
	{"ownerId", RECORD}, {"progress", RECORD}, {"provider", REQUEST | RECORD}, {"providerFields", REQUEST},
	{"services", REQUEST | RECORD}, {"status", RECORD},
};

static bool
cask_cluster_knows(const char *name, unsigned in)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (strcmp(members[i].name, name) == 0)
			return members[i].in & in;
	return false;
}

static void
cask_cluster_note(struct buffer *note, const char *text)
{
	buffer_printf(note, "%s%s", note->length ? "; " : "", text);
}

/* Copies a member that is there: null, an empty string and an empty list are not. */
static void
cask_cluster_copy(jv cluster, const char *from, jv *spec, const char *to)
{
	jv value = json_get(cluster, from);
	const char *text = json_string(value);

	if (jv_get_kind(value) == JV_KIND_INVALID || jv_get_kind(value) == JV_KIND_NULL || (text && !*text) ||
	    (jv_get_kind(value) == JV_KIND_ARRAY && json_length(value) == 0))
		jv_free(value);
	else
		json_set(spec, to, value);
}

/* Copies a name, which a record of the server has in an object. */
static void
cask_cluster_copy_name(jv cluster, const char *from, jv *spec, const char *to)
{
	jv value = json_get(cluster, from);

	if (jv_get_kind(value) == JV_KIND_OBJECT)
		cask_cluster_copy(value, "name", spec, to);
	else
		cask_cluster_copy(cluster, from, spec, to);
	jv_free(value);
}

/* Sets how many machines it has: a list of clusters has their number, a single one its nodes. */
static void
cask_cluster_set_machines(jv cluster, jv *spec)
{
	jv nodes = json_get(cluster, "nodes");

	cask_cluster_copy(cluster, "numMachines", spec, "numMachines");
	cask_cluster_copy(cluster, "numNodes", spec, "numMachines");
	if (jv_get_kind(nodes) == JV_KIND_ARRAY && json_length(nodes))
		json_set_number(spec, "numMachines", (double)json_length(nodes));
	jv_free(nodes);
}

/* Sets a lease of that many milliseconds: in the largest unit that divides it, rounded up to seconds; 0 is no end. */
static void
cask_cluster_set_lease(double ms, jv *spec)
{
	static const struct {
		int64_t seconds;
		char letter;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	int64_t seconds = ms < 9e15 ? ((int64_t)ms + 999) / 1000 : 0;
	char text[32];
	size_t i = 0;

	while (seconds % units[i].seconds)
		i++;
	snprintf(text, sizeof text, "%" PRId64 "%c", seconds / units[i].seconds, units[i].letter);
	json_set_string(spec, "lease", seconds ? text : "0");
}

/* Sets the lease that a request asks for (-1: the template's), or that a cluster has, from when it was made. */
static void
cask_cluster_copy_lease(jv cluster, jv *spec)
{
	double asked = json_get_number(cluster, "initialLeaseDuration", -1);
	double from = json_get_number(cluster, "createTime", -1), to = json_get_number(cluster, "expireTime", -1);

	if (asked >= 0)
		cask_cluster_set_lease(asked, spec);
	else if (from >= 0 && (to == 0 || to > from))
		cask_cluster_set_lease(to > from ? to - from : 0, spec);
}

static void
cask_cluster_copy_suffix(jv cluster, jv *spec)
{
	char *suffix = json_get_string(cluster, "dnsSuffix");

	if (suffix && suffix[*suffix == '.'])
		json_set_string(spec, "dnsSuffix", suffix + (*suffix == '.'));
	free(suffix);
}

/* Sets the owner of a cluster. A request says none: its sender is the owner. */
static void
cask_cluster_copy_owner(jv cluster, jv *spec)
{
	jv account = json_get(cluster, "account");

	cask_cluster_copy(cluster, "ownerId", spec, "owner");
	cask_cluster_copy(account, "userId", spec, "owner");
	jv_free(account);
}

static jv
cask_cluster_spec(jv cluster)
{
	jv spec = jv_object();

	json_set_string(&spec, "kind", "clusterspec");
	cask_cluster_copy(cluster, "name", &spec, "name");
	cask_cluster_copy(cluster, "description", &spec, "description");
	cask_cluster_copy_name(cluster, "clusterTemplate", &spec, "template");
	cask_cluster_copy_name(cluster, "provider", &spec, "provider");
	cask_cluster_copy(cluster, "hardwaretype", &spec, "hardwaretype");
	cask_cluster_copy(cluster, "imagetype", &spec, "imagetype");
	cask_cluster_copy(cluster, "services", &spec, "services");
	cask_cluster_copy(cluster, "config", &spec, "config");
	cask_cluster_set_machines(cluster, &spec);
	cask_cluster_copy_lease(cluster, &spec);
	cask_cluster_copy_suffix(cluster, &spec);
	cask_cluster_copy_owner(cluster, &spec);
	return spec;
}

/* Says which fields of the provider a request sets: here they are in the provider's entity. */
static void
cask_cluster_note_fields(const struct place *fields, struct buffer *note)
{
	struct members list = members_of(fields);
	struct place field;
	const char *before = "";

	if (json_length(fields->value))
		cask_cluster_note(note, "left out, set it in the provider: ");
	while (members_next(&list, &field)) {
		buffer_printf(note, "%sproviderFields.%s", before, field.name);
		before = ", ";
	}
}

/* Says what of it is not in the specification. */
static void
cask_cluster_note_rest(jv cluster, bool is_record, struct buffer *note)
{
	struct place root = place_root(cluster, NULL), member = place_member(&root, "providerFields"), config;
	struct members list = members_of(&root);
	char *text;

	if (jv_get_kind(member.value) == JV_KIND_OBJECT)
		cask_cluster_note_fields(&member, note);
	while (members_next(&list, &member))
		if (place_present(&member) && !cask_cluster_knows(member.name, is_record ? RECORD : REQUEST)) {
			text = memory_printf("left out, unknown: %s", member.name);
			cask_cluster_note(note, text);
			free(text);
		}
	config = place_member(&root, "config");
	if (is_record && !place_present(&config))
		cask_cluster_note(note, "the list that it is from does not say its configuration: import GET /v2/clusters/ID");
}

/* Notes what is wrong with the specification, if anything is. */
static bool
cask_cluster_is_right(jv spec, struct buffer *note)
{
	struct problems problems = {0};
	struct place root = place_root(spec, &problems);
	struct clusterspec parsed = {0};
	bool is_right;
	char *text;

	clusterspec_parse(&root, &parsed);
	for (size_t i = 0; i < problems.count; i++) {
		text = memory_printf("%s: %s", problems.list[i].pointer, problems.list[i].text);
		cask_cluster_note(note, text);
		free(text);
	}
	is_right = problems.total == 0;
	clusterspec_release(&parsed);
	problems_release(&problems);
	return is_right;
}

char *
cask_cluster_specification(jv cluster, struct buffer *note)
{
	jv status = json_get(cluster, "status"), spec = cask_cluster_spec(cluster);
	struct buffer text = {0};

	if (cask_cluster_is_right(spec, note)) {
		cask_cluster_note_rest(cluster, jv_get_kind(status) == JV_KIND_STRING, note);
		json_dump_pretty(spec, &text);
	}
	jv_free(status);
	jv_free(spec);
	return text.length ? buffer_take(&text) : NULL;
}
