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

/* Both lists may be null, which says something: it leaves; it is new. */
static void
node_parse_services(const struct place *place, struct arena *arena, struct node *node)
{
	struct place services = place_member(place, "services"), was = place_member(place, "was");

	node->leaves = jv_get_kind(services.value) == JV_KIND_NULL;
	node->is_new = !place_present(&was);
	if (!node->leaves)
		node->services = name_set_of(&services, arena);
	node->was = name_set_parse(place, "was", arena);
	if (node->leaves && node->is_new)
		place_problem(place, "a node with neither services nor was: it neither stands nor shall");
}

static void
node_parse_type(const struct place *place, struct arena *arena, struct node *node)
{
	node->zone = name_parse(place, "zone", NEED_OPTIONAL, arena);
	node->hardwaretype = name_parse(place, "hardwaretype", NEED_OPTIONAL, arena);
	node->imagetype = name_parse(place, "imagetype", NEED_OPTIONAL, arena);
	node->flavor = place_string(place, "flavor", NEED_OPTIONAL, arena);
	node->image = place_string(place, "image", NEED_OPTIONAL, arena);
	node->sshuser = name_parse_as(place, "sshuser", NEED_OPTIONAL, name_is_user, "user name", arena);
}

void
node_parse(const struct place *place, struct arena *arena, struct node *node)
{
	struct place nodenum = place_member(place, "nodenum"), facts;

	*node = (struct node){.index = place->index};
	if (!place_object(place, NEED_REQUIRED))
		return;
	node->source = jv_copy(place->value);
	document_check_kind(place, "node", NEED_OPTIONAL);
	node->id = name_parse(place, "id", NEED_REQUIRED, arena);
	node->nodenum = place_integer(place, "nodenum", 0, 0, INT64_MAX);
	if (!place_present(&nodenum))
		place_problem(&nodenum, "expected number, found %s", json_kind_name(nodenum.value));
	node->hostname = name_parse_as(place, "hostname", NEED_REQUIRED, name_is_host, "host name", arena);
	node_parse_type(place, arena, node);
	node_parse_services(place, arena, node);
	node->ipaddresses = name_addresses(place);
	facts = place_member(place, "facts");
	if (place_object(&facts, NEED_OPTIONAL))
		node->facts = facts.value;
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

void
node_print(const struct node *node, struct buffer *out)
{
	struct print print;

	print_begin(&print, node->source, out);
	print_string(&print, "flavor", node->flavor);
	print_string(&print, "hardwaretype", node->hardwaretype);
	print_string(&print, "hostname", node->hostname);
	print_string(&print, "id", node->id);
	print_string(&print, "image", node->image);
	print_string(&print, "imagetype", node->imagetype);
	print_string(&print, "kind", "node");
	print_integer(&print, "nodenum", node->nodenum);
	print_strings(&print, "services", node->leaves ? NULL : &node->services);
	print_string(&print, "sshuser", node->sshuser);
	print_strings(&print, "was", node->is_new ? NULL : &node->was);
	print_string(&print, "zone", node->zone);
	print_end(&print);
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

void
node_learn(struct node *node, const char *hostname, jv ipaddresses, jv facts, struct arena *arena)
{
	if (jv_get_kind(node->source) != JV_KIND_OBJECT)
		node->source = jv_object();
	node->ipaddresses = node_merge(&node->source, "ipaddresses", ipaddresses);
	node->facts = node_merge(&node->source, "facts", facts);
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

const char *
node_hostname(const char *cluster_name, const char *cluster_id, int64_t nodenum, const char *dns_suffix,
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
	return arena_printf(arena, "%.*s%s.%s", (int)room, name, end, dns_suffix + (*dns_suffix == '.'));
}
