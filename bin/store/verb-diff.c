/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/message.h"
#include "json/diff.h"

static const struct command command = {
	"coopr-store diff", "[OPTION]... KIND NAME [OLD [NEW]]",
	"Print what is different between two versions of an entity (default: the newest, and the one before it).", store_verb_options,
	"  coopr-store diff service nginx\n"
	"  coopr-store diff service nginx 3 5\n"};

/* Exits with 64 where it is none. */
static int64_t
diff_verb_version_of(const char *text)
{
	char *end;
	long version = strtol(text, &end, 10);

	if (*end || version < 1 || version > OPTION_NUMBER_MAX)
		exit(option_misuse(&command, "invalid version '%s': expected a number from 1 on", text));
	return version;
}

/* Returns (owned) the document of a version: an object without members if it was deleted, or if the version is 0. */
static int
diff_verb_document_at(struct store *store, enum entity_kind kind, const char *name, int64_t version, jv *document,
    struct error *err)
{
	struct revisions list = {0};
	int result = version > 0 ? entities_get(store, kind, name, version, &list, err) : 0;
	const char *text = list.count ? list.list[0].text : NULL;

	*document = jv_object();
	if (result == 0 && text) {
		jv_free(*document);
		result = json_parse(name, text, strlen(text), document, err);
	}
	revisions_release(&list);
	return result;
}

static int
diff_verb_newest_version(struct store *store, enum entity_kind kind, const char *name, int64_t *version,
    struct error *err)
{
	struct revisions list = {0};
	int result = entities_history(store, kind, name, &list, err);

	if (result == 0)
		*version = list.list[list.count - 1].version;
	revisions_release(&list);
	return result;
}

/* 0 where they are the same, EX_NO where they differ. */
static int
diff_verb_print_difference(struct store *store, enum entity_kind kind, const char *name, int64_t old, int64_t new)
{
	struct buffer lines = {0};
	struct error err;
	jv from, to = jv_invalid();
	int code;

	if (diff_verb_document_at(store, kind, name, old, &from, &err) < 0 || diff_verb_document_at(store, kind, name, new,
	    &to, &err) < 0) {
		code = message_error(&err);
	} else {
		code = json_diff(from, to, NULL, &lines) ? EX_NO : 0;
		fputs(buffer_string(&lines), stdout);
	}
	buffer_release(&lines);
	jv_free(from);
	jv_free(to);
	return code;
}

int
store_verb_diff(int argc, char **argv)
{
	int64_t old = 0, new = 0;
	enum entity_kind kind;
	struct store *store;
	struct error err;
	size_t count;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	count = store_verb_operands(&command, argv, 2, 4, "a kind and a name, and one or two versions");
	kind = store_verb_kind(&command, argv[0]);
	old = count > 2 ? diff_verb_version_of(argv[2]) : 0;
	new = count > 3 ? diff_verb_version_of(argv[3]) : 0;
	store_verb_open(&store, STORE_READ, ACCOUNT_READER);

	if (new == 0 && diff_verb_newest_version(store, kind, argv[1], &new, &err) < 0)
		code = message_error(&err);
	else
		code = diff_verb_print_difference(store, kind, argv[1], old ? old : new - 1, new);

	store_release(store);
	return message_end(code);
}
