/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-validate: checks catalogues and single documents and says on stderr all that is wrong with them, one line each:
 * FILE: POINTER: text. Exits with 0 where nothing is wrong, 1 where well-formed documents are in error (names
 * of things that do not exist, defaults that are not allowed), 64 on misuse, 65 where a document is malformed, 66
 * where one cannot be read.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/plural.h"
#include "base/suggest.h"
#include "catalogue/catalogue.h"
#include "catalogue/validate.h"
#include "catalogue/spelling-check.h"
#include "inspect/fields.h"
#include "inspect/inspect.h"
#include "json/record.h"

static const char *kind;
static bool verbose, pedantic;

static const struct option_spec options[] = {
	OPTION_STRING('k', "kind", &kind, "KIND", "the kind of the files (default: their member \"kind\", or their folder)"),
	OPTION_FLAG(0, "pedantic", &pedantic, "show warnings, and count them as errors"),
	OPTION_RETIRED('p', NULL, "--pedantic"),
	OPTION_FLAG('v', "verbose", &verbose, "show warnings, and a summary"),
	OPTION_END
};

static const struct command command = {
	"coopr-validate", "[OPTION]... DIR|FILE...", "Check catalogues, requests, layouts, plans and results.", options,
	"  coopr-validate -v share/coopr/catalogue\n"
	"  coopr-validate services/nginx.json request.json\n"
	"  coopr-solve request.json | coopr-validate -\n"};

/* 65 outweighs 66, and that 1. */
static int
validate_worse(int a, int b)
{
	static const int order[] = {0, EX_NO, EX_IOERR, EX_NOINPUT, EX_DATAERR};
	size_t i = sizeof order / sizeof *order;

	while (i-- > 0)
		if (order[i] == a || order[i] == b)
			break;
	return order[i];
}

static int
validate_report_finding(const char *path, const struct finding *finding)
{
	size_t length = strlen(path);
	bool warning = finding->severity >= SEVERITY_SUSPECT;

	while (length > 1 && path[length - 1] == '/')
		length--;
	if (finding->severity == SEVERITY_WARNING && !verbose && !pedantic)
		return 0;
	message("%.*s/%s: %s: %s%s", (int)length, path, finding->file,
	    *finding->pointer ? finding->pointer : "the whole document", warning ? "warning: " : "", finding->text);
	if (finding->severity == SEVERITY_MALFORMED)
		return EX_DATAERR;
	return warning && !pedantic ? 0 : EX_NO;
}

static void
validate_summarise(const char *path, const struct catalogue *catalogue, const struct findings *findings)
{
	struct buffer text = {0};
	size_t warnings = 0;

	for (enum entity_kind i = 0; i < ENTITY_KIND_COUNT; i++) {
		size_t count = catalogue->first[i + 1] - catalogue->first[i];

		buffer_printf(&text, "%s%zu %s", i ? ", " : "", count, count == 1 ? entity_kind_name(i) : entity_kind_folder(i));
	}
	for (size_t i = 0; i < findings->count; i++)
		warnings += findings->list[i].severity >= SEVERITY_SUSPECT;
	message("%s: %s; %zu error%s, %zu warning%s", path, text.data, findings->count - warnings,
	    plural(findings->count - warnings, "", "s"), warnings, plural(warnings, "", "s"));
	buffer_release(&text);
}

/* Says, where there is a store, which may have what the folder lacks, how both are checked together. */
static void
validate_point_to_store(const char *path)
{
	char *store = location_store(NULL);

	if (strstr(store, "://") || !file_is_absent(AT_FDCWD, store))
		message("%s: a folder is checked by itself; coopr import --dry-run %s checks it together with what the store has", path, path);
	free(store);
}

static int
validate_catalogue(const char *path)
{
	struct catalogue catalogue;
	struct findings findings = {0};
	struct error err;
	size_t unchecked;
	int code = 0;

	if (catalogue_load(path, &catalogue, &findings, &err) < 0) {
		code = message_error(&err);
	} else {
		catalogue_check(&catalogue, &findings);
		unchecked = inspect_catalogue(path, &catalogue, &findings);
		for (size_t i = 0; i < findings.count; i++)
			code = validate_worse(code, validate_report_finding(path, &findings.list[i]));
		if (code == EX_NO)
			validate_point_to_store(path);
		if (unchecked && !verbose && !pedantic)
			message("%s: warning: %zu service%s no action status, so that nothing waits until %s healthy (show %s with -v)",
			    path, unchecked, plural(unchecked, " has", "s have"), plural(unchecked, "it is", "they are"),
			    plural(unchecked, "it", "them"));
		if (verbose)
			validate_summarise(path, &catalogue, &findings);
	}
	findings_release(&findings);
	catalogue_release(&catalogue);
	return code;
}

static void
validate_warn(const char *path, const struct problems *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		message("%s: %s: warning: %s", path, warnings->list[i].pointer, warnings->list[i].text);
}

/* Warns of misspelt members. */
static void
validate_spelling(const char *path, const char *its_kind, const struct place *place, const struct yaml_source *source)
{
	struct problems problems = {.source = source};
	struct place spelt = *place;

	spelt.problems = &problems;
	spelling_check(its_kind, &spelt);
	validate_warn(path, &problems);
	problems_release(&problems);
}

/* Returns the catalogue that the file of an entity is in: the folder above its own. */
static char *
validate_catalogue_of(const char *path)
{
	char *folder = memory_substring(path, (size_t)(file_base_name(path) - path)), *catalogue;
	size_t length = strlen(folder);

	while (length > 0 && folder[length - 1] == '/')
		folder[--length] = '\0';
	length = (size_t)(file_base_name(folder) - folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;
	catalogue = length > 0 ? memory_substring(folder, length) : memory_string(".");
	free(folder);
	return catalogue;
}

/* Inspects a well-formed document; says what is found. Returns 0 or EX_NO. With --kind only the document itself is checked, and of
 * an entity whose catalogue is not known no scripts are. */
static int
validate_inspect(const char *path, const char *its_kind, const struct place *place, const struct yaml_source *source)
{
	struct problems errors = {.source = source}, warnings = {.source = source}, minor = {.source = source};
	char *catalogue = entity_kind_of_file(path) == ENTITY_NONE ? NULL : validate_catalogue_of(path);
	struct fields_check check = {.catalogue = catalogue, .warnings = &warnings, .clear = &minor, .missing = &minor,
	    .files_apart = !catalogue && strcmp(its_kind, "request") != 0};
	struct place inspected = *place;
	int code;

	if (kind)
		return 0;
	inspected.problems = &errors;
	inspect_document(&check, its_kind, &inspected);
	validate_warn(path, &warnings);
	if (verbose || pedantic)
		validate_warn(path, &minor);
	code = problems_report(&errors, path) == 0 && !(pedantic && warnings.total + minor.total) ? 0 : EX_NO;
	fields_check_release(&check);
	problems_release(&errors);
	problems_release(&warnings);
	problems_release(&minor);
	free(catalogue);
	return code;
}

/* One document, whose kind is known beforehand. */
static int
validate_single(const char *path, const char *its_kind)
{
	struct yaml_source source;
	struct problems problems = {.source = &source};
	struct error err;
	struct place root;
	jv document;
	int code;

	if (json_read_document(path, &document, &source, &err) < 0)
		return message_error(&err);
	root = place_root(document, &problems);
	validate_document(its_kind, &root);
	validate_spelling(path, its_kind, &root, &source);
	code = problems_report(&problems, strcmp(path, "-") == 0 ? "standard input" : path);
	if (code == 0)
		code = validate_inspect(strcmp(path, "-") == 0 ? "standard input" : path, its_kind, &root, &source);
	if (verbose && code == 0)
		message("%s: a %s, nothing wrong", path, its_kind);
	problems_release(&problems);
	yaml_source_release(&source);
	jv_free(document);
	return code;
}

/* Any number of documents that say their kind. Where they are records of a stream, pointers begin with their number; those of
 * YAML are found by their line. *code becomes EX_NO where one is well-formed, and what it names is in error. */
static int
validate_stream(struct record_reader *reader, struct problems *problems, int *code, struct error *err)
{
	struct place stream = place_root((jv){0}, problems);
	jv record;
	int got;

	problems->source = &reader->source;
	while ((got = record_read(reader, &record, err)) > 0) {
		const char *its_kind = record_kind(record);
		struct place place = place_root(record, problems);
		size_t before = problems->total;

		if ((validate_is_record(its_kind) || reader->number > 1) && !reader->source.text)
			place = (struct place){&stream, NULL, reader->number - 1, record, problems};
		if (!validate_document(its_kind, &place)) {
			struct place member = place_member(&place, "kind");

			place_problem(&member, "\"%.80s\" is not a kind of document", its_kind);
		}
		validate_spelling(reader->name, its_kind, &place, problems->source);
		if (problems->total == before && validate_inspect(reader->name, its_kind, &place, problems->source) != 0)
			*code = EX_NO;
		jv_free(record);
	}
	return got;
}

static int
validate_records(const char *path)
{
	struct problems problems = {0};
	struct record_reader reader;
	struct error err;
	int got = record_reader_open(&reader, path, &err), found = 0, code;

	record_reader_recognise(&reader);
	if (got == 0)
		got = validate_stream(&reader, &problems, &found, &err);
	if (got == 0 && reader.number == 0)
		got = error_set(&err, EX_DATAERR, "%s: the file is empty; a JSON value is required", reader.name);
	code = validate_worse(found, problems_report(&problems, reader.name));
	if (got < 0)
		code = validate_worse(code, message_error(&err));
	if (verbose && code == 0)
		message("%s: %zu document%s, nothing wrong", reader.name, reader.number, plural(reader.number, "", "s"));
	record_reader_release(&reader);
	problems_release(&problems);
	return code;
}

static int
validate(const char *path)
{
	enum entity_kind in_folder = entity_kind_of_file(path);
	const char *its_kind = kind || in_folder == ENTITY_NONE ? kind : entity_kind_name(in_folder);
	struct stat status;

	if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return validate_catalogue(path);
	return its_kind ? validate_single(path, its_kind) : validate_records(path);
}

static void
validate_check_kind(void)
{
	const char *const *kinds = validate_kinds(), *near;

	while (*kinds && strcmp(*kinds, kind) != 0)
		kinds++;
	if (*kinds)
		return;
	near = suggest_word(kind, validate_kinds());
	exit(near ? option_misuse(&command, "--kind: unknown kind '%s'; did you mean '%s'?", kind, near)
	          : option_misuse(&command, "--kind: unknown kind '%s'", kind));
}

int
main(int argc, char **argv)
{
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	for (char **path = argv; *path; path++)
		if (guest_refuse_file(*path, &err) < 0)
			return message_error(&err);
	if (kind)
		validate_check_kind();
	if (!*argv)
		return option_misuse(&command, "missing argument DIR|FILE");

	for (; *argv; argv++)
		code = validate_worse(code, validate(*argv));
	return message_end(code);
}
