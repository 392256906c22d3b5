/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of a change: present nodes stay what they are, and no unaffected service moves.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plural.h"
#include "check/layout/check-context.h"

static bool
check_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
check_same_list(const struct string_list *a, const struct string_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->list[i], b->list[i]) != 0)
			return false;
	return true;
}

/* Returns whether a service is neither added nor removed: it stood somewhere, and is still on the cluster. */
static bool
check_is_unaffected(const struct check *c, const char *service)
{
	return check_on_cluster(c, service) && names_find(&c->stood, service) != NAMES_NONE;
}

static const struct node *
check_now(const struct check *c, const struct node *was)
{
	int number = names_find(&c->after, was->id);

	return number == NAMES_NONE ? NULL : &c->layout->nodes[number];
}

struct population { /* numbers of nodes, without those to be replaced */
	int64_t present, leaving, new;
	int64_t free;   /* the number that may leave without being a move, because fewer are asked for */
	bool shrinks;
};

/* Counts present, leaving and new nodes. Whether the cluster shrinks is a matter of the request as a whole: it stays so if
 * the demands for fewer machines do not count, and then any number may leave. */
static struct population
check_count_nodes(const struct check *c)
{
	const struct request *r = c->request;
	const struct cluster_request *asked = &r->cluster;
	enum demand_kind kind = demand_exact_machines(r) ? DEMAND_MACHINES_MIN : DEMAND_MACHINES_MAX;
	int64_t size = r->template.size_max, most = INT64_MAX;
	struct population count = {0};

	for (size_t i = 0; i < r->node_count; i++) {
		const struct node *is = check_now(c, &r->nodes[i]);
		bool present = !r->nodes[i].leaves && !r->nodes[i].replaced;

		count.present += present;
		count.leaving += present && is && is->leaves;
	}
	for (size_t i = 0; i < c->layout->node_count; i++)
		count.new += c->layout->nodes[i].is_new;
	if (asked->machines_given && asked->machines_max < INT64_MAX && demand_holds(c->demands, kind, 0))
		most = asked->machines_max;
	if (size < most && demand_holds(c->demands, DEMAND_SIZE_MAX, 0))
		most = size;
	count.shrinks = count.present > asked->machines_max || count.present > size;
	if (count.shrinks)
		count.free = count.present <= most ? INT64_MAX
		    : count.leaving > count.new ? count.leaving - count.new : 0;
	return count;
}

/* Returns the number of services of a that are not in b, are unaffected, and do not come or go because the cluster asks for so
 * many of them (scaled); sets which to one of them. */
static int64_t
check_changes(const struct check *c, const struct string_list *a, const struct string_list *b, const struct names *scaled,
    const char **which)
{
	int64_t count = 0;

	for (size_t i = 0; i < a->count; i++)
		if (!name_set_has(b, a->list[i]) && check_is_unaffected(c, a->list[i]) &&
		    names_find(scaled, a->list[i]) == NAMES_NONE) {
			*which = a->list[i];
			count++;
		}
	return count;
}

/* Returns whether the node may leave since fewer instances of what stands there are asked for: nothing else does, beside what
 * stands everywhere. */
static bool
check_may_depart(const struct check *c, const struct node *was)
{
	bool may = false;

	for (size_t i = 0; i < was->services.count; i++) {
		const char *service = was->services.list[i];
		bool goes = names_find(&c->fewer, service) != NAMES_NONE;

		if (!goes && check_on_cluster(c, service) && !name_list_has(&c->everywhere, service))
			return false;
		may = may || goes;
	}
	return may;
}

static int
check_compare_counts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

/* Returns the moves of nodes that leave: the node is one, and so is each of its unaffected services. Where fewer
 * machines are asked for, those with the most moves count nothing; otherwise those that may leave since fewer instances are. */
static int64_t
check_departures(const struct check *c, const struct population *count)
{
	int64_t *lost = memory_zeroed((size_t)count->leaving, sizeof *lost), sum = 0;
	size_t leaving = 0;
	const char *which;

	for (size_t i = 0; i < c->request->node_count; i++) {
		const struct node *was = &c->request->nodes[i], *is = check_now(c, was);

		if (!was->leaves && !was->replaced && is && is->leaves)
			lost[leaving++] = !count->shrinks && check_may_depart(c, was) ? 0
			    : 1 + check_changes(c, &was->services, &(struct string_list){0}, &c->fewer, &which);
	}
	if (leaving)
		qsort(lost, leaving, sizeof *lost, check_compare_counts);
	for (size_t i = 0; i < leaving; i++)
		sum += (int64_t)i < count->free ? 0 : lost[i];
	free(lost);
	return sum;
}

int64_t
check_moves(const struct check *c)
{
	struct population count = check_count_nodes(c);
	int64_t moves = check_departures(c, &count);
	const char *which;

	for (size_t i = 0; i < c->request->node_count; i++) {
		const struct node *was = &c->request->nodes[i], *is = check_now(c, was);

		if (!was->leaves && is && !is->leaves)
			moves += check_changes(c, &was->services, &is->services, &c->fewer, &which) +
			    check_changes(c, &is->services, &was->services, &c->more, &which);
	}
	return moves;
}

static void
check_kept(struct check *c, const struct node *was, const struct node *is)
{
	const struct {
		const char *name, *was, *is;
	} members[] = {
		{"hostname", was->hostname, is->hostname}, {"zone", was->zone, is->zone},
		{"hardwaretype", was->hardwaretype, is->hardwaretype}, {"imagetype", was->imagetype, is->imagetype},
		{"flavor", was->flavor, is->flavor}, {"image", was->image, is->image}, {"sshuser", was->sshuser, is->sshuser},
	};

	if (was->nodenum != is->nodenum)
		check_fault(c, is->id, "/nodes", "its nodenum was %" PRId64, was->nodenum);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (!check_same_text(members[i].was, members[i].is))
			check_fault(c, is->id, "/nodes", "its %s was %s and is %s", members[i].name,
			    members[i].was ? members[i].was : "null", members[i].is ? members[i].is : "null");
	if (is->is_new)
		check_fault(c, is->id, "/nodes", "is present, and is said to be new");
	else if (!check_same_list(&was->services, &is->was))
		check_fault(c, is->id, "/nodes", "what it says stood there before (was) did not");
}

/* Checks the nodes that were there before. If nothing may move, each move is a fault of its own. */
static void
check_present(struct check *c, const struct population *count)
{
	for (size_t i = 0; i < c->request->node_count; i++) {
		const struct node *was = &c->request->nodes[i], *is = check_now(c, was);
		const char *which = NULL;

		if (was->leaves)
			continue;
		if (!is) {
			check_fault(c, was->id, "/nodes", "is present, and the layout does not say what becomes of it");
			continue;
		}
		check_kept(c, was, is);
		if (!is->leaves && was->replaced)
			check_fault(c, is->id, "/replace", "is to be replaced, and stays");
		else if (is->leaves && !was->replaced && !count->shrinks && c->moves_max == 0 && !check_may_depart(c, was))
			check_fault(c, is->id, "/nodes", "leaves without need");
		else if (!is->leaves && c->moves_max == 0) {
			if (check_changes(c, &was->services, &is->services, &c->fewer, &which))
				check_fault(c, is->id, "/nodes", "has lost %s, which is unaffected by the change", which);
			if (check_changes(c, &is->services, &was->services, &c->more, &which))
				check_fault(c, is->id, "/nodes", "has got %s, which stood elsewhere before", which);
		}
	}
}

static void
check_additions(struct check *c, const struct population *count)
{
	bool none = count->shrinks && count->free < INT64_MAX && c->moves_max == 0;
	int64_t last = -1;

	for (size_t i = 0; i < c->request->node_count; i++)
		last = c->request->nodes[i].nodenum > last ? c->request->nodes[i].nodenum : last;
	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];
		bool known = names_find(&c->before, node->id) != NAMES_NONE;

		if (!node->is_new && !known)
			check_fault(c, node->id, "/nodes", "is said to be present, and is not");
		if (!node->is_new || known)
			continue;
		if (node->nodenum <= last)
			check_fault(c, node->id, "/nodes", "is new, and its number is not above those of the present nodes");
		if (none)
			check_fault(c, node->id, "/nodes", "is new, while present nodes leave");
	}
}

void
check_change(struct check *c)
{
	struct population count = check_count_nodes(c);
	int64_t moves;

	check_present(c, &count);
	check_additions(c, &count);
	if (c->moves_max > 0 && (moves = check_moves(c)) > c->moves_max)
		check_fault(c, "cluster", "/nodes", "%" PRId64 " %s; at most %" PRId64 " may", moves,
		    plural(moves, "placement of unaffected services changes", "placements of unaffected services change"), c->moves_max);
}
