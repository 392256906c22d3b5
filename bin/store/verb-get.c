/* SPDX-License-Identifier: Apache-2.0
 *
 * get, list and history: what there is, and what there was.
 */
#include "verb.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "json/place.h"
#include "store/entities.h"

static long version;
static bool resolved;

static const struct option_spec get_options[] = {
	OPTION_NUMBER(0, "revision", &version, "VERSION", "this version (default: the newest)"),
	OPTION_RETIRED('v', NULL, "--revision"),
	OPTION_FLAG('r', "resolved", &resolved, "merge a template (-: standard input) with what it extends"),
	OUTPUT_DOCUMENT(&store_verb_given.format),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command get_command = {
	"coopr-store get", "[OPTION]... KIND NAME", "Print an entity.", get_options,
	"  coopr-store get service nginx\n"
	"  coopr-store get --revision 3 clustertemplate web\n"
	"  coopr-store get --resolved clustertemplate web\n"};

static const struct command list_command = {
	"coopr-store list", "[OPTION]... [KIND]", "List the entities.", store_verb_list_options,
	"  coopr-store list services\n"
	"  coopr-store list -o name\n"};

static const struct command history_command = {
	"coopr-store history", "[OPTION]... KIND NAME", "List all versions of an entity: when, who, why.", store_verb_list_options,
	"  coopr-store history service nginx\n"};

static void
get_verb_print_document(jv document)
{
	struct output output = store_verb_output();

	output_document(&output, document);
}

/* Returns the template as a cluster is made of it, owned; that on standard input where the name is "-". */
static jv
get_verb_resolve(const struct catalogue *catalogue, const char *name, struct error *err)
{
	struct problems problems = {0};
	struct arena arena = {0};
	struct entity template = {0};
	struct place root;
	jv document, merged = {0};

	if (strcmp(name, "-") != 0)
		return catalogue_template(catalogue, name, err);
	if (json_read_file("-", &document, err) < 0)
		return merged;
	root = place_root(document, &problems);
	entity_parse(ENTITY_CLUSTERTEMPLATE, &root, &arena, &template);
	template.file = "standard input";
	if (problems_error(&problems, template.file, EX_DATAERR, err) == 0)
		merged = catalogue_resolve(catalogue, &template, err);
	problems_release(&problems);
	entity_release(&template);
	arena_release(&arena);
	jv_free(document);
	return merged;
}

static int
get_verb_print_resolved(struct store *store, const char *name)
{
	struct catalogue catalogue;
	struct findings findings = {0};
	struct error err;
	int code = 0;
	jv merged = {0};

	if (entities_catalogue(store, &catalogue, &findings, &err) == 0)
		merged = get_verb_resolve(&catalogue, name, &err);
	if (jv_is_valid(merged))
		get_verb_print_document(merged);
	else
		code = message_error(&err);
	jv_free(merged);
	findings_release(&findings);
	catalogue_release(&catalogue);
	return code;
}

static int
get_verb_print_entity(const struct revision *revision)
{
	struct error err;
	jv document;

	if (!revision->text) {
		message("%s %s: version %lld says that it was deleted", entity_kind_words(revision->kind), revision->name,
		    (long long)revision->version);
		return EX_NO;
	}
	if (json_parse(revision->name, revision->text, strlen(revision->text), &document, &err) < 0)
		return message_error(&err);
	get_verb_print_document(document);
	jv_free(document);
	return 0;
}

int
store_verb_get(int argc, char **argv)
{
	struct revisions list = {0};
	struct store *store;
	struct error err;
	enum entity_kind kind;
	int code;

	argv += option_parse(&get_command, argc, argv);
	store_verb_operands(&get_command, argv, 2, 2, "a kind and a name");
	kind = store_verb_kind(&get_command, argv[0]);
	if (resolved && (kind != ENTITY_CLUSTERTEMPLATE || version))
		return option_misuse(&get_command, "--resolved is for the newest version of a cluster template");
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	if (resolved)
		code = get_verb_print_resolved(store, argv[1]);
	else if (entities_get(store, kind, argv[1], version, &list, &err) < 0)
		code = message_error(&err);
	else
		code = get_verb_print_entity(&list.list[0]);

	revisions_release(&list);
	store_release(store);
	return message_end(code);
}

int
store_verb_list(int argc, char **argv)
{
	struct revisions list = {0};
	enum entity_kind kind;
	struct store *store;
	struct error err;
	int code = 0;

	argv += option_parse(&list_command, argc, argv);
	store_verb_operands(&list_command, argv, 0, 1, "one kind at most");
	kind = argv[0] ? store_verb_kind(&list_command, argv[0]) : ENTITY_NONE;
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	if (entities_list(store, kind, &list, &err) < 0)
		code = message_error(&err);
	else
		store_verb_print(&list);

	revisions_release(&list);
	store_release(store);
	return message_end(code);
}

int
store_verb_history(int argc, char **argv)
{
	struct revisions list = {0};
	struct store *store;
	struct error err;
	int code = 0;

	argv += option_parse(&history_command, argc, argv);
	store_verb_operands(&history_command, argv, 2, 2, "a kind and a name");
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	if (entities_history(store, store_verb_kind(&history_command, argv[0]), argv[1], &list, &err) < 0)
		code = message_error(&err);
	else
		store_verb_print(&list);

	revisions_release(&list);
	store_release(store);
	return message_end(code);
}
