/* SPDX-License-Identifier: Apache-2.0
 *
 * The demands of a request in words.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/plural.h"
#include "json/json.h"
#include "model/answer/demand.h"
#include "model/name.h"
#include "model/request.h"

enum { WORDS_EACH = 12 }; /* members of a set that are each named where words are brief */

/* Appends "a, b or c", in an order that does not depend on that of the list. */
static void
words_enumerate(const struct string_list *names, const char *last, struct buffer *out)
{
	const char **sorted = memory_zeroed(names->count, sizeof *sorted);

	for (size_t i = 0; i < names->count; i++)
		sorted[i] = names->list[i];
	if (names->count)
		qsort(sorted, names->count, sizeof *sorted, name_compare);
	for (size_t i = 0; i < names->count; i++) {
		if (i)
			buffer_printf(out, i + 1 == names->count ? " %s " : ", ", last);
		buffer_text(out, sorted[i]);
	}
	free(sorted);
}

/* Appends "cpu 2 + memory 512"; a comma would look like the next demand. */
static void
words_amounts(const struct amounts *amounts, struct buffer *out)
{
	for (size_t i = 0; i < amounts->count; i++) {
		buffer_printf(out, "%s%s ", i ? " + " : "", amounts->list[i].resource);
		json_number(amounts->list[i].value, out);
	}
}

static void
words_plural(int64_t count, const char *one, const char *many, struct buffer *out)
{
	buffer_printf(out, "%" PRId64 " %s", count, plural(count, one, many));
}

/* Appends which services of a rule are not on the cluster; their terms are 0. */
static void
words_absent_terms(const struct request *r, const struct count_rule *rule, struct buffer *out)
{
	struct string_list absent = {memory_zeroed(rule->term_count, sizeof *absent.list), 0};

	for (size_t i = 0; i < rule->term_count; i++)
		if (!demand_on_cluster(r, rule->terms[i].service))
			absent.list[absent.count++] = rule->terms[i].service;
	if (absent.count) {
		buffer_text(out, "; ");
		words_enumerate(&absent, "and", out);
		buffer_text(out, plural(absent.count, " is not on the cluster", " are not on the cluster"));
	}
	free(absent.list);
}

static void
words_count_rule(const struct request *r, const struct count_rule *rule, struct buffer *out)
{
	if (rule->name)
		buffer_printf(out, "the rule \"%s\" (", rule->name);
	else
		buffer_text(out, "the rule (");
	if (isfinite(rule->min)) {
		json_number(rule->min, out);
		buffer_text(out, " <= ");
	}
	for (size_t i = 0; i < rule->term_count; i++) {
		double c = rule->terms[i].coefficient;

		buffer_text(out, i ? c < 0 ? " - " : " + " : c < 0 ? "-" : "");
		if (fabs(c) != 1) {
			json_number(fabs(c), out);
			buffer_byte(out, ' ');
		}
		buffer_text(out, rule->terms[i].service);
	}
	if (rule->term_count == 0)
		buffer_text(out, "0");
	if (isfinite(rule->max)) {
		buffer_text(out, " <= ");
		json_number(rule->max, out);
	}
	words_absent_terms(r, rule, out);
	buffer_text(out, ") holds");
}

/* Returns whether the provider offers the hardware or image type of that name. */
static bool
words_is_offered(const struct request *r, const char *name, bool hardware)
{
	for (size_t i = 0; i < r->hardwaretype_count && hardware; i++)
		if (strcmp(r->hardwaretypes[i].name, name) == 0)
			return hardwaretype_offer(&r->hardwaretypes[i], r->provider.name) != NULL;
	for (size_t i = 0; i < r->imagetype_count && !hardware; i++)
		if (strcmp(r->imagetypes[i].name, name) == 0)
			return imagetype_offer(&r->imagetypes[i], r->provider.name) != NULL;
	return false;
}

/* Appends that the provider offers none of the types, if that is so. */
static void
words_unoffered(const struct request *r, const struct string_list *types, bool hardware, struct buffer *out)
{
	for (size_t i = 0; i < types->count; i++)
		if (words_is_offered(r, types->list[i], hardware))
			return;
	buffer_printf(out, plural(types->count, ", which provider %s does not offer", ", none of which provider %s offers"),
	    r->provider.name);
}

static void
words_only_types(const struct request *r, const struct string_list *types, bool hardware, struct buffer *out)
{
	buffer_text(out, hardware ? "hardware " : "image ");
	words_enumerate(types, "or", out);
	words_unoffered(r, types, hardware, out);
}

static void
words_machines(const struct request *r, enum demand_kind kind, struct buffer *out)
{
	if (kind == DEMAND_SIZE_MIN || kind == DEMAND_SIZE_MAX) {
		buffer_printf(out, "the template %s ", kind == DEMAND_SIZE_MIN ? "needs at least" : "allows at most");
		words_plural(kind == DEMAND_SIZE_MIN ? r->template.size_min : r->template.size_max, "machine", "machines", out);
		return;
	}
	if (r->cluster.machines_kept) {
		words_plural(r->cluster.machines_min, "machine is present and stays so many",
		    "machines are present and stay so many", out);
		return;
	}
	if (r->cluster.machines_min != r->cluster.machines_max)
		buffer_text(out, kind == DEMAND_MACHINES_MIN ? "at least " : "at most ");
	words_plural(kind == DEMAND_MACHINES_MIN ? r->cluster.machines_min : r->cluster.machines_max,
	    "machine is asked for", "machines are asked for", out);
}

static void
words_hardware(const struct request *r, const struct demand *demand, struct buffer *out)
{
	const struct hardwaretype *type = &r->hardwaretypes[demand->index];
	const struct hardware_offer *offer = hardwaretype_offer(type, r->provider.name);

	if (demand->kind == DEMAND_AVAILABLE) {
		words_plural(offer->available, "machine", "machines", out);
		buffer_printf(out, " of type %s %s available", type->name, plural(offer->available, "is", "are"));
	} else {
		buffer_printf(out, "a machine of type %s offers only ", type->name);
		words_amounts(&offer->capacity, out);
	}
}

/* Names the members of a set. */
static void
words_some(const struct demands *demands, const struct string_list *set, struct buffer *out)
{
	if (demands->brief && set->count > WORDS_EACH)
		buffer_printf(out, "%s, %s and %zu others", set->list[0], set->list[1], set->count - 2);
	else
		words_enumerate(set, "and", out);
}

static void
words_set(const struct demands *demands, const struct demand *demand, struct buffer *out)
{
	const struct cluster_template *t = &demands->request->template;
	size_t i = demand->index;

	switch (demand->kind) {
	case DEMAND_MUSTCOEXIST:
		words_some(demands, &t->mustcoexist.list[i], out);
		buffer_text(out, " must stand on the same machines");
		break;
	case DEMAND_CANTCOEXIST:
		if (t->cantcoexist.list[i].count == 0) {
			buffer_text(out, "every machine holds the whole of an empty set of cantcoexist");
			break;
		}
		words_some(demands, &t->cantcoexist.list[i], out);
		buffer_text(out, t->cantcoexist.list[i].count == 1 ? " may not stand on any machine"
		        : t->cantcoexist.list[i].count == 2        ? " may not stand on one machine"
		                                                   : " may not all stand on one machine");
		break;
	case DEMAND_MUTUALLYEXCLUSIVE:
		buffer_text(out, "no two of ");
		words_some(demands, &t->mutuallyexclusive.list[i], out);
		buffer_text(out, " may share a machine");
		break;
	default:
		buffer_text(out, "exactly one of ");
		words_some(demands, &t->oneof.list[i], out);
		buffer_text(out, " has instances");
	}
}

static void
words_spread(const struct request *r, const struct demand *demand, struct buffer *out)
{
	const struct spread_rule *rule = &r->template.spreads[demand->index];

	if (demand->kind == DEMAND_SPREAD) {
		words_enumerate(&rule->services, "and", out);
		buffer_printf(out, " must%s stand in at least ", rule->services.count > 1 ? " each" : "");
		words_plural(rule->min, "zone", "zones", out);
		return;
	}
	buffer_printf(out, "provider %s has ", r->provider.name);
	if (r->provider.zones.count == 0)
		buffer_text(out, "no zones");
	else
		words_plural((int64_t)r->provider.zones.count, "zone", "zones", out);
}

/* Appends the words of a demand about the types of all machines: the one asked for, or those that the template allows. */
static void
words_type(const struct request *r, enum demand_kind kind, struct buffer *out)
{
	const struct cluster_template *t = &r->template;
	bool hardware = kind == DEMAND_HARDWARETYPE || kind == DEMAND_COMPATIBLE_HARDWARETYPES;
	const char *own = hardware ? r->cluster.hardwaretype : r->cluster.imagetype;
	const char *type = own ? own : hardware ? t->default_hardwaretype : t->default_imagetype;

	if (kind == DEMAND_COMPATIBLE_HARDWARETYPES || kind == DEMAND_COMPATIBLE_IMAGETYPES) {
		buffer_text(out, "the template allows only ");
		words_only_types(r, hardware ? &t->compatible_hardwaretypes : &t->compatible_imagetypes, hardware, out);
		return;
	}
	if (own)
		buffer_printf(out, "%s %s is asked for", hardware ? "hardware" : "image", type);
	else
		buffer_printf(out, "the template's default is %s %s", hardware ? "hardware" : "image", type);
	words_unoffered(r, &(struct string_list){&type, 1}, hardware, out);
}

static void
words_nodes(const struct demands *demands, struct buffer *out)
{
	int64_t present = 0;

	for (size_t i = 0; i < demands->request->node_count; i++)
		present += !demands->request->nodes[i].leaves && !demands->request->nodes[i].replaced;
	if (!demands->moves_max) {
		words_plural(present, "present machine stays as it is", "present machines stay as they are", out);
		return;
	}
	words_plural(present, "present machine stays", "present machines stay", out);
	buffer_text(out, plural(present, " as it is", " as they are"));
	if (demands->moves_max < INT64_MAX) {
		buffer_text(out, " but for at most ");
		words_plural(demands->moves_max, "move", "moves", out);
	}
}

/* Appends "3 instances of apache are asked for". */
static void
words_instances(const struct instance_bounds *bounds, struct buffer *out)
{
	int64_t last = bounds->max < INT64_MAX ? bounds->max : bounds->min;

	if (bounds->max == INT64_MAX)
		buffer_text(out, "at least ");
	else if (bounds->min == 0 && bounds->max)
		buffer_text(out, "at most ");
	else if (bounds->min < bounds->max)
		buffer_printf(out, "%" PRId64 " to ", bounds->min);
	words_plural(last, "instance", "instances", out);
	buffer_printf(out, " of %s %s asked for", bounds->service, plural(last, "is", "are"));
}

void
demand_words(const struct demands *demands, const struct demand *demand, struct buffer *out)
{
	const struct request *r = demands->request;
	const struct cluster_template *t = &r->template;
	size_t i = demand->index;

	switch (demand->kind) {
	case DEMAND_MACHINES_MIN: case DEMAND_MACHINES_MAX: case DEMAND_SIZE_MIN: case DEMAND_SIZE_MAX:
		words_machines(r, demand->kind, out);
		break;
	case DEMAND_PLACED:
		buffer_printf(out, "%s needs at least 1 instance", demand_service(r, i));
		break;
	case DEMAND_MIN:
		buffer_printf(out, "%s needs at least ", t->constraints[i].service);
		words_plural(t->constraints[i].min, "instance", "instances", out);
		break;
	case DEMAND_MAX:
		buffer_printf(out, "%s may have at most ", t->constraints[i].service);
		words_plural(t->constraints[i].max, "instance", "instances", out);
		break;
	case DEMAND_HARDWARETYPES:
		buffer_printf(out, "%s may only stand on ", t->constraints[i].service);
		words_only_types(r, &t->constraints[i].hardwaretypes, true, out);
		break;
	case DEMAND_IMAGETYPES:
		buffer_printf(out, "%s may only stand on ", t->constraints[i].service);
		words_only_types(r, &t->constraints[i].imagetypes, false, out);
		break;
	case DEMAND_MUSTCOEXIST: case DEMAND_CANTCOEXIST: case DEMAND_MUTUALLYEXCLUSIVE: case DEMAND_ONEOF:
		words_set(demands, demand, out);
		break;
	case DEMAND_SPREAD: case DEMAND_ZONES:
		words_spread(r, demand, out);
		break;
	case DEMAND_COUNT_RULE:
		if (request_instances_rule(r, i))
			words_instances(request_instances_rule(r, i), out);
		else
			words_count_rule(r, &t->counts[i], out);
		break;
	case DEMAND_AVAILABLE: case DEMAND_CAPACITY:
		words_hardware(r, demand, out);
		break;
	case DEMAND_CONSUMES:
		buffer_printf(out, "%s takes ", r->services[i].name);
		words_amounts(&r->services[i].consumes, out);
		break;
	case DEMAND_NODES:
		words_nodes(demands, out);
		break;
	default:
		words_type(r, demand->kind, out);
	}
}
