/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge behind coopr-solve --check: right layouts in which one thing is changed. Whether a service more or less, or
 * another type, breaks a rule is known from the brute-force judge of puzzles (solve-brute.h), which shares nothing with
 * it; other changes always break something, and their fault has to name what was changed.
 *
 * Environment: TEST_SEED, of the first case (default: a fixed one); TEST_CASES, how many.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "check/layout/check.h"
#include "json/json.h"
#include "json/place.h"
#include "model/layout.h"
#include "model/request.h"
#include "solve-brute.h"
#include "solve/solve.h"
#include "tap.h"

struct bench { /* one right layout, and what is done to it */
	const struct puzzle *puzzle;
	const struct request *request;
	const struct layout *right;
	struct arena arena;
	struct layout changed;
	struct solution claims;
	uint64_t seed;
};

static int changes, broken, missed, invented, unnamed;

static const struct fault *
judge_changed(struct bench *b)
{
	struct check_terms terms = {.claims = &b->claims};

	return check_layout(b->request, &b->changed, &terms, &b->arena);
}

/* A copy of the right layout, to be changed. */
static void
begin(struct bench *b)
{
	arena_release(&b->arena);
	b->claims = (struct solution){0};
	b->changed = *b->right;
	b->changed.nodes = arena_alloc(&b->arena, b->right->node_count + 1, sizeof *b->changed.nodes);
	memcpy(b->changed.nodes, b->right->nodes, b->right->node_count * sizeof *b->changed.nodes);
}

/* A change that always breaks something: a fault has to be about it. */
static void
expect_fault(struct bench *b, const char *where, const char *part)
{
	const struct fault *fault = judge_changed(b);

	changes++;
	broken++;
	for (; fault; fault = fault->next)
		if (strcmp(fault->where, where) == 0 && strstr(fault->text, part))
			return;
	if (unnamed++ < 5)
		printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: nothing is said of %s: %s\n", b->seed, where, part);
}

static struct string_list
toggled(struct bench *b, const struct string_list *services, int service)
{
	struct string_list list = {arena_alloc(&b->arena, services->count + 1, sizeof *list.list), 0};
	const char *name = arena_printf(&b->arena, "s%d", service);
	bool there = false;

	for (size_t i = 0; i < services->count; i++) {
		if (strcmp(services->list[i], name) == 0) {
			there = true;
			continue;
		}
		if (!there && strcmp(services->list[i], name) > 0) {
			list.list[list.count++] = name;
			there = true;
		}
		list.list[list.count++] = services->list[i];
	}
	if (!there)
		list.list[list.count++] = name;
	return list;
}

/* Returns whether the zones of the nodes, as they are now, keep the rules of the puzzle. */
static bool
zones_are_right(const struct bench *b)
{
	const struct puzzle *z = b->puzzle;

	for (int i = 0; i < z->services && z->spread.here; i++) {
		unsigned seen = 0;
		bool any = false;

		for (size_t n = 0; n < b->changed.node_count; n++)
			if (mask_of(&b->changed.nodes[n].services) >> i & 1) {
				any = true;
				seen |= z->zones ? 1U << (b->changed.nodes[n].zone[1] - '0') : 0;
			}
		if ((z->spread.members >> i & 1) && any && __builtin_popcount(seen) < z->spread_min)
			return false;
	}
	return true;
}

/* take_nodes wants the first image that fits; here any image that fits will do. */
static bool
is_solution(const struct bench *b)
{
	struct judge j = {.z = b->puzzle};
	struct node nodes[16];

	judge_ranges(&j, 0);
	list_patterns(&j);
	memcpy(nodes, b->changed.nodes, b->changed.node_count * sizeof *nodes);
	for (size_t n = 0; n < b->changed.node_count; n++) {
		unsigned services = mask_of(&nodes[n].services);
		int image = first_image(&j, services);

		if (!image_is_right(&j, services, nodes[n].imagetype[1] - '0'))
			return false;
		nodes[n].imagetype = image == 1 ? "i1" : "i0";
	}
	return take_nodes(&j, nodes, b->changed.node_count) && zones_are_right(b);
}

/* A change that may break a rule: the judges have to agree. */
static void
compare_judges(struct bench *b, const char *what)
{
	bool right = is_solution(b);
	const struct fault *fault = judge_changed(b);

	changes++;
	broken += !right;
	if (!right == (fault != NULL))
		return;
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=1: %s: %s\n", b->seed, what, fault ? fault->text : "nothing is said");
	missed += !right;
	invented += right;
}

static void
change_services(struct bench *b)
{
	for (size_t n = 0; n < b->right->node_count; n++)
		for (int i = 0; i < b->puzzle->services; i++) {
			begin(b);
			b->changed.nodes[n].services = toggled(b, &b->right->nodes[n].services, i);
			if (b->changed.nodes[n].services.count)
				compare_judges(b, "a service comes or goes");
			else
				expect_fault(b, b->right->nodes[n].id, "holds no service");
		}
}

static void
change_types(struct bench *b)
{
	for (size_t n = 0; n < b->right->node_count; n++) {
		struct node *node;

		begin(b);
		node = &b->changed.nodes[n];
		node->hardwaretype = node->hardwaretype[1] == '0' ? "h1" : "h0";
		if (b->puzzle->types > 1)
			compare_judges(b, "another hardware type");
		else
			expect_fault(b, node->id, "hardware type");
		begin(b);
		node = &b->changed.nodes[n];
		node->imagetype = node->imagetype[1] == '0' ? "i1" : "i0";
		if (b->puzzle->images > 1)
			compare_judges(b, "another image type");
		else
			expect_fault(b, node->id, "image type");
	}
}

static void
change_zones(struct bench *b)
{
	static const char *const names[] = {"z0", "z1", "z2"};

	for (size_t n = 0; n < b->right->node_count; n++) {
		for (int zone = 0; zone < b->puzzle->zones; zone++) {
			begin(b);
			b->changed.nodes[n].zone = names[zone];
			compare_judges(b, "another zone");
		}
		begin(b);
		b->changed.nodes[n].zone = "elsewhere";
		expect_fault(b, b->right->nodes[n].id, "zone");
		begin(b);
		b->changed.nodes[n].zone = NULL;
		if (b->puzzle->zones)
			expect_fault(b, b->right->nodes[n].id, "zone");
	}
}

/* Expects a fault for each member of a node that is changed: its names, its flavor, its image, its user. */
static void
change_members(struct bench *b)
{
	static const struct {
		size_t offset;
		const char *part;
	} members[] = {
		{offsetof(struct node, id), "id"}, {offsetof(struct node, hostname), "host name"},
		{offsetof(struct node, flavor), "flavor"}, {offsetof(struct node, image), "image"},
		{offsetof(struct node, sshuser), "ssh"},
	};

	for (size_t n = 0; n < b->right->node_count; n++)
		for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
			const char *other = "other";

			begin(b);
			memcpy((char *)&b->changed.nodes[n] + members[i].offset, &other, sizeof other);
			expect_fault(b, b->changed.nodes[n].id, members[i].part);
		}
}

static void
change_presence(struct bench *b)
{
	for (size_t n = 0; n < b->right->node_count; n++) {
		begin(b);
		b->changed.nodes[n].is_new = false;
		expect_fault(b, b->changed.nodes[n].id, "said to be present");
		begin(b);
		b->changed.nodes[n].nodenum = 999;
		expect_fault(b, b->changed.nodes[n].id, "number");
		begin(b);
		b->changed.nodes[n] = b->right->nodes[b->right->node_count - 1];
		b->changed.node_count--;
		compare_judges(b, "a node less");
	}
}

static void
change_cluster(struct bench *b)
{
	const struct amount claims[] = {{.resource = "cost", .value = 1e6}, {.resource = "machines", .value = 99}, {.resource = "moves", .value = 3}};
	struct cluster *cluster = &b->changed.cluster;

	begin(b);
	cluster->id = "x";
	expect_fault(b, "cluster", "its id");
	begin(b);
	cluster->name = "x";
	expect_fault(b, "cluster", "its name");
	begin(b);
	cluster->tenant = "x";
	expect_fault(b, "cluster", "its tenant");
	begin(b);
	cluster->services = toggled(b, &b->right->cluster.services, 0);
	expect_fault(b, "cluster", "s0 is asked for");
	begin(b);
	cluster->services = toggled(b, &b->right->cluster.services, 9);
	expect_fault(b, "cluster", "s9 is not asked for");
	begin(b);
	cluster->definition_count--;
	expect_fault(b, "cluster", "no definition");
	for (size_t i = 0; i < 3; i++) {
		struct amount claim = claims[i];

		begin(b);
		b->claims = (struct solution){.status = "optimal", .objective = {&claim, 1}};
		expect_fault(b, "cluster", claim.resource);
	}
}

static void
change_all(const struct puzzle *z, const struct request *request, const struct layout *right, uint64_t seed)
{
	struct bench b = {.puzzle = z, .request = request, .right = right, .seed = seed};

	change_services(&b);
	change_types(&b);
	change_zones(&b);
	change_members(&b);
	change_presence(&b);
	change_cluster(&b);
	arena_release(&b.arena);
}

static bool
try_case(uint64_t seed)
{
	struct problems problems = {0};
	struct request request;
	struct answer answer;
	struct arena arena = {0};
	struct layout layout;
	struct puzzle z;
	struct error err;
	char *text = puzzle_text(seed, &z);
	jv document;
	bool found;

	json_parse("puzzle", text, strlen(text), &document, &err);
	request_parse(document, &request, &problems);
	jv_free(document);
	found = solve(&request, &(struct solve_terms){0}, &answer, &err) == 0 && answer.satisfiable;
	if (found) {
		answer_layout(&request, &answer, &arena, &layout);
		change_all(&z, &request, &layout, seed);
	}
	answer_release(&answer);
	arena_release(&arena);
	problems_release(&problems);
	request_release(&request);
	free(text);
	return found;
}

int
main(void)
{
	const char *seed_text = getenv("TEST_SEED"), *cases_text = getenv("TEST_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 20261122;
	int cases = cases_text ? atoi(cases_text) : 400, layouts = 0;

	for (int i = 0; i < cases; i++)
		layouts += try_case(seed + (uint64_t)i);
	printf("# TEST_SEED=%" PRIu64 " TEST_CASES=%d: %d layouts, %d changes, %d of them break a rule\n", seed, cases, layouts,
	    changes, broken);
	tap_is_number(missed, 0, "a change that breaks a rule is a fault");
	tap_is_number(invented, 0, "a change that breaks none is no fault");
	tap_is_number(unnamed, 0, "the fault says what is wrong where");
	return tap_end();
}
