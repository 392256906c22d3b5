/* SPDX-License-Identifier: Apache-2.0 */
#include "store/entities.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/option.h"
#include "base/suggest.h"
#include "json/credential.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

struct newest { /* version of an entity */
	int64_t entity, version; /* 0 where it never was */
	bool present;
	char *text; /* NULL where it is not present */
	enum origin origin;
};

#define REVISION "SELECT kind, name, revision.version, at, by, why, document, origin FROM entity " \
	"JOIN revision ON revision.entity = entity.id WHERE tenant = ? "

static enum origin
entities_origin(const char *text)
{
	return strcmp(text, origin_name(ORIGIN_INSTALLATION)) == 0 ? ORIGIN_INSTALLATION : ORIGIN_TENANT;
}

/* Reads the newest version of an entity; all is zero if it never was. */
static int
entities_read_newest(struct store *store, enum entity_kind kind, const char *name, struct newest *newest,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT id, entity.version, present, document, origin FROM entity "
	    "JOIN revision ON entity = id AND revision.version = entity.version WHERE tenant = ? AND kind = ? AND name = ?",
	    "itt", store_tenant(store), entity_kind_name(kind), name);
	int got = sql_row(rows, err);

	*newest = (struct newest){0};
	if (got > 0) {
		newest->entity = sql_integer(rows, 0);
		newest->version = sql_integer(rows, 1);
		newest->present = sql_integer(rows, 2);
		newest->text = newest->present ? memory_string(sql_text(rows, 3)) : NULL;
		newest->origin = entities_origin(sql_text(rows, 4));
	}
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

static int
entities_check_expected(enum entity_kind kind, const char *name, const struct newest *newest, int64_t expected,
    struct error *err)
{
	int64_t is = newest->present ? newest->version : 0;

	if (expected == VERSION_ANY || expected == is)
		return 0;
	if (is == 0)
		return error_set(err, EX_TEMPFAIL, "%s %s: version %" PRId64 " was expected, but there is none",
		    entity_kind_words(kind), name, expected);
	return error_set(err, EX_TEMPFAIL, "%s %s: it is at version %" PRId64 ", not %" PRId64 "; look at what has changed",
	    entity_kind_words(kind), name, is, expected);
}

/* Adds the next version of an entity; text is NULL where it is deleted. */
static int
entities_add_revision(struct store *store, enum entity_kind kind, const char *name, const struct newest *newest, const char *text,
    struct error *err)
{
	const struct audit_event event = {.action = text ? "put" : "delete", .kind = entity_kind_words(kind), .name = name,
		.version = newest->version + 1};
	char now[CLOCK_RFC3339_SIZE];

	clock_rfc3339(clock_wall_ms(), now);
	if (sql_change(store_sql(store), err, "INSERT INTO revision (entity, version, at, by, why, document, origin) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?)", "iittttt", newest->entity, newest->version + 1, now, store_by(store), store_why(store), text,
	    origin_name(store_origin(store))) < 0)
		return -1;
	if (sql_change(store_sql(store), err, "UPDATE entity SET version = ?, present = ? WHERE id = ?", "iii", newest->version + 1,
	        (int64_t)(text != NULL), newest->entity) < 0)
		return -1;
	return audit_add(store, &event, err);
}

/* Refuses what was read by somebody from whom values were hidden. */
static int
entities_check_hidden(enum entity_kind kind, const char *name, jv document, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(document, &problems);
	char *object = memory_printf("%s %s", entity_kind_words(kind), name);
	int result;

	credential_check_hidden(&root);
	result = problems_error(&problems, object, EX_DATAERR, err);
	problems_release(&problems);
	free(object);
	return result;
}

/* Returns whether the newest version is that text, and may stay: what a tenant has written becomes the installation's when that
 * puts the same. */
static bool
entities_is_same(const struct store *store, const struct newest *newest, const char *text)
{
	return newest->present && strcmp(newest->text, text) == 0 &&
	    (newest->origin == ORIGIN_INSTALLATION || store_origin(store) == ORIGIN_TENANT);
}

int
entities_put(struct store *store, enum entity_kind kind, const char *name, jv document, int64_t expected,
    int64_t *version, struct error *err)
{
	struct buffer text = {0};
	struct newest newest;
	int result;

	if (entities_check_hidden(kind, name, document, err) < 0 || entities_read_newest(store, kind, name, &newest, err) < 0)
		return -1;
	json_dump(document, &text);
	result = entities_check_expected(kind, name, &newest, expected, err);
	if (result == 0 && !entities_is_same(store, &newest, text.data)) {
		/* The row of a new entity refers to its first version, which is there before the commit. */
		if (newest.entity == 0)
			result = sql_number(store_sql(store), &newest.entity, err, "INSERT INTO entity (tenant, kind, name, version, "
			    "present) VALUES (?, ?, ?, 1, 1) RETURNING id", "itt", store_tenant(store), entity_kind_name(kind), name);
		if (result >= 0)
			result = entities_add_revision(store, kind, name, &newest, text.data, err);
		if (result == 0) {
			newest.version++;
			result = 1;
		}
	}
	*version = newest.version;
	free(newest.text);
	buffer_release(&text);
	return result;
}

/* Sets the error for an entity that is not there, with the name that is nearest in spelling, or the command that lists them. */
static int
entities_not_found(struct store *store, enum entity_kind kind, const char *name, int64_t version, struct error *err)
{
	struct revisions others = {0};
	struct error ignored;
	const char **names, *near = NULL;

	if (version > 0)
		return error_absent(err, "%s \"%s\": it has no version %" PRId64 "; coopr store history %s %s shows which it has",
		    entity_kind_words(kind), name, version, entity_kind_name(kind), name);
	if (entities_list(store, kind, &others, &ignored) == 0) {
		names = memory_zeroed(others.count + 1, sizeof *names);
		for (size_t i = 0; i < others.count; i++)
			names[i] = others.list[i].name;
		near = suggest_word(name, names);
		free(names);
	}
	if (near)
		error_absent(err, "there is no %s \"%s\"; did you mean \"%s\"?", entity_kind_words(kind), name, near);
	else
		error_absent(err, "there is no %s \"%s\"; coopr store list %s shows which there are", entity_kind_words(kind), name,
		    entity_kind_folder(kind));
	revisions_release(&others);
	return -1;
}

int
entities_delete(struct store *store, enum entity_kind kind, const char *name, int64_t expected, struct error *err)
{
	struct newest newest;
	int result;

	if (entities_read_newest(store, kind, name, &newest, err) < 0)
		return -1;
	if (!newest.present && expected == VERSION_ANY)
		result = entities_not_found(store, kind, name, 0, err);
	else
		result = entities_check_expected(kind, name, &newest, expected, err);
	if (result == 0)
		result = entities_add_revision(store, kind, name, &newest, NULL, err);
	free(newest.text);
	return result;
}

/* Adds the rows that REVISION asked for, and ends them. Returns their number, or -1. */
static int
entities_read_rows(struct sql_rows *rows, struct revisions *list, struct error *err)
{
	struct arena *arena = &list->arena;
	int got, count = 0;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct revision){
			.kind = entity_kind_of(sql_text(rows, 0)),
			.name = sql_keep(rows, 1, arena),
			.version = sql_integer(rows, 2),
			.at = sql_keep(rows, 3, arena),
			.by = sql_keep(rows, 4, arena),
			.why = sql_keep(rows, 5, arena),
			.text = sql_keep(rows, 6, arena),
			.origin = entities_origin(sql_text(rows, 7)),
		};
		count++;
	}
	sql_end(rows);
	return got < 0 ? -1 : count;
}

int
entities_get(struct store *store, enum entity_kind kind, const char *name, int64_t version, struct revisions *list,
    struct error *err)
{
	static const char newest[] = REVISION "AND kind = ? AND name = ? AND present AND revision.version = entity.version";
	static const char one[] = REVISION "AND kind = ? AND name = ? AND revision.version = ?";
	const char *its_kind = entity_kind_name(kind);
	int got;

	if (version == 0)
		got = entities_read_rows(sql_query(store_sql(store), err, newest, "itt", store_tenant(store), its_kind, name), list, err);
	else
		got = entities_read_rows(sql_query(store_sql(store), err, one, "itti", store_tenant(store), its_kind, name, version), list, err);
	if (got == 0)
		got = entities_not_found(store, kind, name, version, err);
	return got < 0 ? -1 : 0;
}

int
entities_look(struct store *store, enum entity_kind kind, const char *name, struct revisions *list, struct error *err)
{
	struct newest newest;

	if (entities_read_newest(store, kind, name, &newest, err) < 0)
		return -1;
	ARRAY_ROOM(list->list, list->count, list->capacity);
	list->list[list->count++] = (struct revision){.kind = kind, .name = arena_string(&list->arena, name),
	    .version = newest.version, .text = newest.text ? arena_string(&list->arena, newest.text) : NULL, .origin = newest.origin};
	free(newest.text);
	return 0;
}

int
entities_list(struct store *store, enum entity_kind kind, struct revisions *list, struct error *err)
{
	static const char all[] = REVISION "AND present AND revision.version = entity.version ORDER BY kind, name";
	static const char one[] = REVISION "AND kind = ? AND present AND revision.version = entity.version ORDER BY name";
	struct sql_rows *rows = kind == ENTITY_NONE ? sql_query(store_sql(store), err, all, "i", store_tenant(store))
	                                         : sql_query(store_sql(store), err, one, "it", store_tenant(store),
	    entity_kind_name(kind));

	return entities_read_rows(rows, list, err) < 0 ? -1 : 0;
}

int
entities_history(struct store *store, enum entity_kind kind, const char *name, struct revisions *list,
    struct error *err)
{
	int got = entities_read_rows(sql_query(store_sql(store), err, REVISION "AND kind = ? AND name = ? ORDER BY revision.version",
	    "itt", store_tenant(store), entity_kind_name(kind), name), list, err);

	if (got == 0)
		got = entities_not_found(store, kind, name, 0, err);
	return got < 0 ? -1 : 0;
}

int
entities_are_tenants(struct store *store, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT 1 FROM member JOIN tenant ON tenant.id = tenant "
	    "WHERE tenant.id = ?1 AND role = 'admin' AND name <> 'superadmin' UNION ALL SELECT 1 FROM entity JOIN revision ON entity = entity.id "
	    "WHERE tenant = ?1 AND origin = 'tenant' LIMIT 1", "i", store_tenant(store));
	int got = sql_row(rows, err);

	sql_end(rows);
	return got;
}

/* Templates name nothing but entities. */
static bool
entities_have_marks(enum entity_kind kind)
{
	return kind != ENTITY_CLUSTERTEMPLATE && kind != ENTITY_PARTIALTEMPLATE;
}

void
entities_mark(struct catalogue *catalogue, enum origin origin)
{
	for (size_t i = 0; i < catalogue->count; i++)
		if (entities_have_marks(catalogue->entities[i].kind)) {
			struct entity *entity = &catalogue->entities[i];
			jv *const own[] = {[ENTITY_PROVIDER] = &entity->provider.source, [ENTITY_HARDWARETYPE] = &entity->hardwaretype.source,
			    [ENTITY_IMAGETYPE] = &entity->imagetype.source, [ENTITY_SERVICE] = &entity->service.source};

			origin_mark(&entity->source, origin);
			*own[entity->kind] = entity->source;
		}
}

/* Adds the entities of the list, with marks of their origins or without. */
static int
revisions_add(const struct revisions *list, const bool *wanted, bool marks, struct catalogue *catalogue, struct findings *findings,
    struct error *err)
{
	struct buffer file = {0};
	int result = 0;
	jv document;

	for (enum entity_kind kind = 0; kind < ENTITY_KIND_COUNT; kind++)
		for (size_t i = 0; i < list->count && result == 0; i++) {
			const struct revision *revision = &list->list[i];

			if (revision->kind != kind || (wanted && !wanted[i]))
				continue;
			buffer_clear(&file);
			buffer_printf(&file, "%s/%s.json", entity_kind_folder(kind), revision->name);
			result = json_parse(file.data, revision->text, strlen(revision->text), &document, err);
			if (result == 0) {
				origin_unmark(&document);
				if (marks && entities_have_marks(kind))
					origin_mark(&document, revision->origin);
				catalogue_add(catalogue, kind, file.data, document, findings);
				jv_free(document);
			}
		}
	buffer_release(&file);
	return result;
}

int
revisions_catalogue(const struct revisions *list, const bool *wanted, struct catalogue *catalogue, struct findings *findings,
    struct error *err)
{
	*catalogue = (struct catalogue){0};
	return revisions_add(list, wanted, false, catalogue, findings, err);
}

int
entities_catalogue(struct store *store, struct catalogue *catalogue, struct findings *findings, struct error *err)
{
	struct revisions list = {0};
	int result = entities_list(store, ENTITY_NONE, &list, err), marks = result == 0 ? entities_are_tenants(store, err) : -1;

	*catalogue = (struct catalogue){0};
	if (marks >= 0)
		result = revisions_add(&list, NULL, marks, catalogue, findings, err);
	revisions_release(&list);
	return result;
}

void
revisions_release(struct revisions *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct revisions){0};
}
