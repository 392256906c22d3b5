/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/spec-diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalogue/instances.h"
#include "json/diff.h"
#include "model/name.h"
#include "model/take/config.h"

struct comparison {
	const struct clusterspec *spec, *last;
	const struct asked *asked;
	jv cluster, template, defaults; /* of the request, owned */
	struct problems problems; /* stays empty: the request is well-formed */
	struct spec_diff *found;
};

static void
spec_diff_note(struct spec_diff *found, char sign, const char *what, const char *from, const char *to)
{
	buffer_printf(&found->lines, "%c %s", sign, what);
	if (from)
		buffer_printf(&found->lines, " %s ->", from);
	buffer_printf(&found->lines, " %s\n", to);
	found->count++;
}

static bool
spec_diff_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A text of the request's cluster: what the file says, or where that says no more what it did, the default. */
static void
spec_diff_compare_text(struct comparison *c, const char *name, const char *wanted, const char *last,
    const char *otherwise)
{
	char *present = json_get_string(c->cluster, name);
	const char *shall = wanted ? wanted : last ? otherwise : present;

	if (!spec_diff_same_text(present, shall)) {
		spec_diff_note(c->found, '~', name, present ? present : "-", shall ? shall : "-");
		json_set_string(&c->found->members, name, shall);
	}
	free(present);
}

static void
spec_diff_compare_texts(struct comparison *c)
{
	const struct clusterspec none = {.source = jv_invalid()}, *spec = c->spec, *last = c->last ? c->last : &none;
	char *suffix = json_get_string(c->defaults, "dnsSuffix");

	spec_diff_compare_text(c, "dnsSuffix", spec->dns_suffix, last->dns_suffix, suffix);
	spec_diff_compare_text(c, "hardwaretype", spec->hardwaretype, last->hardwaretype, NULL);
	spec_diff_compare_text(c, "imagetype", spec->imagetype, last->imagetype, NULL);
	free(suffix);
}

/* As few are made, or leave, as can be. */
static void
spec_diff_compare_machines(struct comparison *c)
{
	int64_t present = c->asked->machines, shall = present;
	char from[24], to[24];

	if (shall < c->spec->machines_min)
		shall = c->spec->machines_min;
	if (c->spec->machines_max && shall > c->spec->machines_max)
		shall = c->spec->machines_max;
	c->found->machines = shall;
	if (shall == present)
		return;
	snprintf(from, sizeof from, "%" PRId64, present);
	snprintf(to, sizeof to, "%" PRId64, shall);
	spec_diff_note(c->found, '~', "machines", from, to);
}

/* Notes what is asked for of one service's instances, where that is not what was. */
static void
spec_diff_note_instances(struct comparison *c, const char *service, const struct instance_bounds *present,
    const struct instance_bounds *shall)
{
	struct buffer what = {0}, from = {0}, to = {0};

	if (present && shall && present->min == shall->min && present->max == shall->max)
		return;
	buffer_printf(&what, "instances %s", service);
	if (present)
		instances_print_range(present->min, present->max, &from);
	if (shall)
		instances_print_range(shall->min, shall->max, &to);
	spec_diff_note(c->found, '~', what.data, present ? from.data : "auto", shall ? to.data : "auto");
	c->found->scales = true;
	buffer_release(&what);
	buffer_release(&from);
	buffer_release(&to);
}

/* Compares the instances that are asked for. Where the file says nothing, and did not before, what coopr scale has set stays. */
static void
spec_diff_compare_instances(struct comparison *c)
{
	struct place root = place_root(c->cluster, &c->problems), place = place_member(&root, "instances");
	const struct instances *shall = &c->spec->instances;
	struct instances present = {0};
	jv asked = jv_object();

	request_parse_instances(&place, &c->found->arena, &present);
	if (shall->count || (c->last && c->last->instances.count)) {
		for (size_t i = 0; i < present.count; i++)
			if (!instances_find(shall, present.list[i].service))
				spec_diff_note_instances(c, present.list[i].service, &present.list[i], NULL);
		for (size_t i = 0; i < shall->count; i++) {
			const struct instance_bounds *bounds = &shall->list[i];

			spec_diff_note_instances(c, bounds->service, instances_find(&present, bounds->service), bounds);
			json_set(&asked, bounds->service, instances_value(bounds->min, bounds->max));
		}
	}
	if (c->found->scales)
		json_set(&c->found->members, "instances", shall->count ? jv_copy(asked) : jv_null());
	jv_free(asked);
}

/* Returns the set of names in a list that is a member: of strings, or of objects that have a name. */
static struct string_list
spec_diff_names_at(jv object, const char *member, struct arena *arena)
{
	jv list = json_get(object, member);
	struct string_list names = {arena_alloc(arena, json_length(list), sizeof *names.list), 0};

	for (size_t i = 0; i < json_length(list); i++) {
		jv element = json_element(list, i);
		char *own = json_get_string(element, "name");
		const char *name = own ? own : json_string(element);

		if (name)
			names.list[names.count++] = arena_string(arena, name);
		free(own);
		jv_free(element);
	}
	jv_free(list);
	name_set_make(&names);
	return names;
}

/* Those of list that other has not, each noted. */
static struct string_list
spec_diff_missing(struct spec_diff *found, const struct string_list *list, const struct string_list *other, char sign)
{
	struct string_list rest = {arena_alloc(&found->arena, list->count, sizeof *rest.list), 0};

	for (size_t i = 0; i < list->count; i++)
		if (!name_set_has(other, list->list[i])) {
			spec_diff_note(found, sign, "service", NULL, list->list[i]);
			rest.list[rest.count++] = list->list[i];
		}
	return rest;
}

static void
spec_diff_compare_services(struct comparison *c)
{
	struct arena *arena = &c->found->arena;
	struct string_list present = spec_diff_names_at(c->cluster, "services", arena), shall = c->spec->services;

	if (shall.count == 0 && (c->found->remake || !c->last || c->last->services.count == 0))
		return;
	if (shall.count == 0)
		shall = spec_diff_names_at(c->defaults, "services", arena);
	c->found->add = spec_diff_missing(c->found, &shall, &present, '+');
	c->found->remove = spec_diff_missing(c->found, &present, &shall, '-');
}

/* Tells whether the file has lost a setting, or the configuration, that it had before. */
static bool
spec_diff_lost_config(const struct clusterspec *spec, const struct clusterspec *last)
{
	bool lost = last && jv_is_valid(last->config) && !jv_is_valid(spec->config);

	for (size_t i = 0; last && i < last->settings.count && !lost; i++) {
		size_t length = strcspn(last->settings.list[i], "=") + 1;

		lost = true;
		for (size_t j = 0; j < spec->settings.count && lost; j++)
			lost = strncmp(spec->settings.list[j], last->settings.list[i], length) != 0;
	}
	return lost;
}

static int
spec_diff_compare_config(struct comparison *c, struct error *err)
{
	jv present = json_get(c->cluster, "config"), shall;
	int result = 0;

	if (jv_is_valid(c->spec->config))
		shall = jv_copy(c->spec->config);
	else
		shall = spec_diff_lost_config(c->spec, c->last) ? config_of_template(c->template) : jv_copy(present);
	for (size_t i = 0; i < c->spec->settings.count && result == 0; i++)
		result = config_set(&shall, c->spec->settings.list[i], err);
	if (result == 0 && !jv_equal(jv_copy(present), jv_copy(shall))) {
		c->found->count += json_diff(present, shall, "config", &c->found->lines);
		c->found->config = jv_copy(shall);
	}
	jv_free(present);
	jv_free(shall);
	if (result < 0)
		err->code = EX_NO;
	return result < 0 ? error_prefix(err, "/set") : 0;
}

static int
spec_diff_check_provider(const struct comparison *c, struct error *err)
{
	jv provider = json_get(c->asked->request, "provider");
	char *present = json_get_string(provider, "name");
	bool same = !c->spec->provider || !present || strcmp(present, c->spec->provider) == 0;

	if (!same)
		error_set(err, EX_NO,
		    "its machines are of the provider %s, and cannot become those of %s; delete the cluster, and apply creates it again",
		    present, c->spec->provider);
	free(present);
	jv_free(provider);
	return same ? 0 : -1;
}

static int
spec_diff_compare(struct comparison *c, struct error *err)
{
	char *template = json_get_string(c->template, "name");

	if (!spec_diff_same_text(template, c->spec->template)) {
		c->found->remake = true;
		spec_diff_note(c->found, '~', "template", template ? template : "-", c->spec->template);
	}
	free(template);
	if (spec_diff_check_provider(c, err) < 0)
		return -1;
	spec_diff_compare_machines(c);
	spec_diff_compare_services(c);
	spec_diff_compare_instances(c);
	if (c->found->remake)
		return 0;
	spec_diff_compare_texts(c);
	return spec_diff_compare_config(c, err);
}

int
spec_diff_find(const struct clusterspec *spec, const struct clusterspec *last, const struct asked *asked,
    struct spec_diff *diff, struct error *err)
{
	struct comparison c = {spec, last, asked, .found = diff};
	int result;

	*diff = (struct spec_diff){.config = jv_invalid(), .members = jv_object()};
	c.cluster = json_get(asked->request, "cluster");
	c.template = json_get(asked->request, "template");
	c.defaults = json_get(c.template, "defaults");
	result = spec_diff_compare(&c, err);
	problems_release(&c.problems);
	jv_free(c.defaults);
	jv_free(c.template);
	jv_free(c.cluster);
	return result;
}

void
spec_diff_release(struct spec_diff *diff)
{
	buffer_release(&diff->lines);
	jv_free(diff->config);
	jv_free(diff->members);
	arena_release(&diff->arena);
	*diff = (struct spec_diff){.config = jv_invalid(), .members = jv_invalid()};
}
