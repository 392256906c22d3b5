/* SPDX-License-Identifier: Apache-2.0 */
#include "model/node.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/document.h"
#include "model/name.h"
#include "model/print.h"

enum { LABEL_MAX_LENGTH = 63 };

/* Both lists may be null, which says something: the node leaves; it is new. */
static void
node_parse_services(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct node *node = to;

	(void)member;
	node->leaves = jv_get_kind(place->value) == JV_KIND_NULL;
	if (!node->leaves)
		node->services = name_read_list(place, NEED_REQUIRED, arena);
	name_set_make(&node->services);
}

static void
node_parse_was(const struct place *place, const struct member *member, struct arena *arena, void *to)
{
	struct node *node = to;

	(void)member;
	node->is_new = !place_present(place);
	node->was = name_read_list(place, NEED_OPTIONAL, arena);
	name_set_make(&node->was);
}

static void
node_print_services(const struct member *member, const void *from, struct print *print)
{
	const struct node *node = from;

	print_strings(print, member->name, node->leaves ? NULL : &node->services);
}

static void
node_print_was(const struct member *member, const void *from, struct print *print)
{
	const struct node *node = from;

	print_strings(print, member->name, node->is_new ? NULL : &node->was);
}

static void
node_check(const struct place *place, struct arena *arena, void *to)
{
	struct node *node = to;

	(void)arena;
	node->index = place->index;
	if (node->leaves && node->is_new)
		place_problem(place, "a node with neither services nor was: it neither stands nor shall");
}

static bool
node_has_partial(const void *from)
{
	return ((const struct node *)from)->partial.count > 0;
}

static bool
node_has_stale(const void *from)
{
	return ((const struct node *)from)->stale.count > 0;
}

static bool
node_has_stopped(const void *from)
{
	return ((const struct node *)from)->stopped.count > 0;
}

static bool
node_has_taken_out(const void *from)
{
	return ((const struct node *)from)->taken_out.count > 0;
}

static bool
node_is_unready(const void *from)
{
	return ((const struct node *)from)->unready;
}

static const struct member members[] = {
	{"choices", MEMBER_PASSED, 0},
	{"facts", MEMBER_VALUE(struct node, facts), 0},
	{"flavor", MEMBER_STRING(struct node, flavor), 0},
	{"hardwaretype", MEMBER_NAME(struct node, hardwaretype), 0},
	{"hostname", MEMBER_STRING(struct node, hostname), MEMBER_REQUIRED, .is_valid = name_is_host, .what = "not a host name"},
	{"id", MEMBER_NAME(struct node, id), MEMBER_REQUIRED},
	{"image", MEMBER_STRING(struct node, image), 0},
	{"imagetype", MEMBER_NAME(struct node, imagetype), 0},
	{"ipaddresses", MEMBER_VALUE(struct node, ipaddresses), 0, .check = name_check_addresses},
	{"kind", MEMBER_KIND_MAYBE("node")},
	{"nodenum", MEMBER_INTEGER(struct node, nodenum), MEMBER_REQUIRED},
	{"of", MEMBER_STRING(struct node, of), MEMBER_OMITTED},
	{"partial", MEMBER_SET(struct node, partial), 0, .is_printed = node_has_partial},
	{"services", MEMBER_CUSTOM, MEMBER_REQUIRED, .parse = node_parse_services, .print = node_print_services},
	{"sshuser", MEMBER_STRING(struct node, sshuser), 0, .is_valid = name_is_user, .what = "not a user name"},
	{"stale", MEMBER_SET(struct node, stale), 0, .is_printed = node_has_stale},
	{"stopped", MEMBER_SET(struct node, stopped), 0, .is_printed = node_has_stopped},
	{"taken_out", MEMBER_SET(struct node, taken_out), 0, .is_printed = node_has_taken_out},
	{"unready", MEMBER_BOOLEAN(struct node, unready), 0, .is_printed = node_is_unready},
	{"was", MEMBER_CUSTOM, 0, .parse = node_parse_was, .print = node_print_was},
	{"zone", MEMBER_NAME(struct node, zone), 0},
};

const struct document node_table = {DOCUMENT_MEMBERS(members), .size = sizeof(struct node),
	DOCUMENT_SOURCE(struct node, source), .check = node_check};

void
node_parse(const struct place *place, struct arena *arena, struct node *node)
{
	document_parse(&node_table, place, arena, node);
}

void
node_print(const struct node *node, struct buffer *out)
{
	document_print(&node_table, node, out);
}

static int
node_compare_numbers(const void *a, const void *b)
{
	int64_t x = ((const struct node *)a)->nodenum, y = ((const struct node *)b)->nodenum;

	return (x > y) - (x < y);
}

void
nodes_sort(const struct place *list, struct node *nodes, size_t count)
{
	if (count)
		qsort(nodes, count, sizeof *nodes, node_compare_numbers);
	for (size_t i = 1; i < count; i++) {
		struct place node = {.up = list, .index = nodes[i].index, .problems = list->problems};

		if (nodes[i].nodenum == nodes[i - 1].nodenum)
			place_problem(&node, "nodenum %" PRId64 " is another node's already", nodes[i].nodenum);
	}
}

/* Merges the members of more into the object in source's member name. Returns that, borrowed; invalid where there is none. */
static jv
node_merge(jv *source, const char *name, jv more)
{
	jv known = json_get(*source, name);
	bool is_object = jv_get_kind(known) == JV_KIND_OBJECT;

	if (jv_get_kind(more) == JV_KIND_OBJECT) {
		if (!is_object)
			jv_free(known);
		known = is_object ? jv_object_merge(known, jv_copy(more)) : jv_copy(more);
		json_set(source, name, jv_copy(known));
		is_object = true;
	}
	jv_free(known);
	return is_object ? known : (jv){0};
}

/* Takes what the provider has chosen of the node's choices: it is what the node is from now on. */
static void
node_learn_choice(struct node *node, jv facts, struct arena *arena)
{
	jv chosen = json_get(facts, "chosen");
	const char *zone = json_arena_string(chosen, "zone", arena), *flavor = json_arena_string(chosen, "flavor", arena);
	const char *hardwaretype = json_arena_string(chosen, "hardwaretype", arena);

	if (zone && name_is_valid(zone))
		node->zone = zone;
	if (hardwaretype && flavor && name_is_valid(hardwaretype)) {
		node->hardwaretype = hardwaretype;
		node->flavor = flavor;
	}
	jv_free(chosen);
}

void
node_learn(struct node *node, const char *hostname, jv ipaddresses, jv facts, struct arena *arena)
{
	if (jv_get_kind(node->source) != JV_KIND_OBJECT)
		node->source = jv_object();
	node->ipaddresses = node_merge(&node->source, "ipaddresses", ipaddresses);
	node->facts = node_merge(&node->source, "facts", facts);
	node_learn_choice(node, facts, arena);
	if (hostname)
		node->hostname = arena_string(arena, hostname);
}

bool
node_has(const struct node *node, const char *service)
{
	return name_set_has(&node->services, service);
}

/* The cluster's part of the label: its number without leading zeros where the id is one, else the id. */
static const char *
node_number_of(const char *id)
{
	if (id[strspn(id, "0123456789")])
		return id;
	id += strspn(id, "0");
	return *id ? id : "0";
}

static void
node_lower(char *text)
{
	for (; *text; text++)
		*text = *text == '_' || *text == '.' ? '-' : (char)tolower((unsigned char)*text);
}

static bool
node_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *
node_make_hostname(const char *cluster_name, const char *cluster_id, int64_t nodenum, const char *dns_suffix, bool separate,
    struct arena *arena)
{
	char *end = arena_printf(arena, "%s-%" PRId64, node_number_of(cluster_id), nodenum);
	char *name = arena_string(arena, cluster_name);
	size_t length = strlen(end), room = length < LABEL_MAX_LENGTH ? LABEL_MAX_LENGTH - length : 0;

	node_lower(end);
	node_lower(name);
	name += strcspn(name, "abcdefghijklmnopqrstuvwxyz");
	if (!dns_suffix)
		dns_suffix = "local";
	length = strlen(name) < room ? strlen(name) : room;
	separate = separate && length > 0 && node_is_digit(name[length - 1]) && node_is_digit(*end);
	if (separate && length == room)
		length--;
	return arena_printf(arena, "%.*s%s%s.%s", (int)length, name, separate ? "-" : "", end, dns_suffix + (*dns_suffix == '.'));
}

const char *
node_hostname(const char *cluster_name, const char *cluster_id, int64_t nodenum, const char *dns_suffix, struct arena *arena)
{
	return node_make_hostname(cluster_name, cluster_id, nodenum, dns_suffix, true, arena);
}

const char *
node_hostname_before(const char *cluster_name, const char *cluster_id, int64_t nodenum, const char *dns_suffix,
    struct arena *arena)
{
	return node_make_hostname(cluster_name, cluster_id, nodenum, dns_suffix, false, arena);
}
