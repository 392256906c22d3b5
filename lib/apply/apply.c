/* SPDX-License-Identifier: Apache-2.0 */
#include "apply/apply.h"

#include <stdlib.h>
#include <string.h>

#include "apply/apply-turn.h"

static void
apply_add_turn(struct apply *apply, const struct spec *spec, const struct cluster_record *cluster)
{
	ARRAY_ROOM(apply->turns, apply->count, apply->capacity);
	apply->turns[apply->count++] = (struct apply_turn){spec ? spec->wanted.name : cluster->name, spec, cluster,
		cluster ? applied_find(&apply->applied, cluster->id) : NULL};
}

/* Both lists are sorted by name. */
static void
apply_add_specs(struct apply *apply)
{
	size_t at = 0;

	for (size_t i = 0; i < apply->specs.count; i++) {
		const struct spec *spec = &apply->specs.list[i];
		int order = -1;

		while (at < apply->clusters.count && (order = strcmp(apply->clusters.list[at].name, spec->wanted.name)) < 0)
			at++;
		apply_add_turn(apply, spec, at < apply->clusters.count && order == 0 ? &apply->clusters.list[at] : NULL);
	}
}

static bool
apply_has_spec(const struct apply *apply, const char *name)
{
	for (size_t low = 0, high = apply->specs.count; low < high;) {
		size_t middle = (low + high) / 2;
		int order = strcmp(name, apply->specs.list[middle].wanted.name);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* Adds the clusters that apply has created for this folder, and that it names no more. A file alone says nothing of other
 * clusters. */
static void
apply_add_leftovers(struct apply *apply)
{
	for (size_t i = 0; apply->specs.folder && i < apply->clusters.count; i++) {
		const struct cluster_record *cluster = &apply->clusters.list[i];
		const struct applied *applied = applied_find(&apply->applied, cluster->id);

		if (applied && applied->made && applied->origin && strcmp(applied->origin, apply->origin) == 0 &&
		    !apply_has_spec(apply, cluster->name))
			apply_add_turn(apply, NULL, cluster);
	}
}

/* Returns the name of the first cluster that is not as it was seen, owned by the arena of the files; NULL: there is none. */
static const char *
apply_find_changed(struct apply *apply, const struct apply_turn *seen, size_t count)
{
	for (size_t i = 0; i < count || i < apply->count; i++) {
		const struct apply_turn *was = i < count ? &seen[i] : NULL, *is = i < apply->count ? &apply->turns[i] : NULL;

		if (!was || !is || strcmp(was->name, is->name) != 0 || apply_turn_has_changed(was->cluster, is->cluster))
			return arena_string(&apply->specs.arena, was ? was->name : is->name);
	}
	return NULL;
}

static int
apply_list(struct apply *apply, struct error *err)
{
	const struct cluster_filter all = {0};

	apply->count = apply->next = apply->agreed.count = 0;
	apply->failed = apply->interrupted = false;
	if (clusters_list(&apply->account, &all, &apply->clusters, err) < 0 ||
	    applied_list(&apply->account, &apply->applied, err) < 0)
		return -1;
	apply_add_specs(apply);
	apply_add_leftovers(apply);
	return 0;
}

int
apply_look(struct apply *apply, const char **changed, struct error *err)
{
	struct apply_turn *turns = apply->turns;
	struct cluster_list clusters = apply->clusters;
	size_t count = apply->count;
	int result;

	applied_list_release(&apply->applied);
	apply->clusters = (struct cluster_list){0};
	apply->turns = NULL;
	apply->capacity = 0;
	result = apply_list(apply, err);
	*changed = result == 0 ? apply_find_changed(apply, turns, count) : NULL;
	free(turns);
	cluster_list_release(&clusters);
	return result;
}

int
apply_open(struct apply *apply, const struct apply_options *parameters, const struct operation_options *options, struct error *err)
{
	*apply = (struct apply){.parameters = parameters, .options = *options};
	if (specs_read(parameters->path, &apply->specs, options->runner.notice, err) < 0)
		return -1;
	apply->origin = parameters->origin ? parameters->origin : apply->specs.origin;
	if (!apply->options.ask.why && apply->origin)
		apply->options.ask.why = arena_printf(&apply->specs.arena, "apply of %s", apply->origin);
	return account_open(&apply->account, &apply->options.ask, STORE_CREATE, err) < 0 ? -1 : apply_list(apply, err);
}

size_t
apply_leftovers(const struct apply *apply)
{
	return apply->count - apply->specs.count;
}

const char *
apply_leftover(const struct apply *apply, size_t number)
{
	return apply->turns[apply->specs.count + number].name;
}

int
apply_next(struct apply *apply, struct application *application)
{
	const struct apply_turn *turn = &apply->turns[apply->next];

	if (apply->next == apply->count || apply->interrupted)
		return 0;
	apply->next++;
	*application = (struct application){.name = turn->name};
	if (turn->cluster)
		cluster_id_text(turn->cluster->id, application->id);
	apply_turn(apply, turn, application);
	if (application->outcome == APPLICATION_FAILED) {
		apply->failed = true;
		apply->interrupted = application->trouble.code > 128;
	}
	return 1;
}

int
apply_close(struct apply *apply, struct error *err)
{
	int result = apply_remember(apply, err);

	free(apply->turns);
	free(apply->agreed.list);
	arena_release(&apply->agreed.arena);
	applied_list_release(&apply->applied);
	cluster_list_release(&apply->clusters);
	account_release(&apply->account);
	specs_release(&apply->specs);
	return result;
}
