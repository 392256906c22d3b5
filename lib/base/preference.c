/* SPDX-License-Identifier: Apache-2.0 */
#include "base/home.h"
#include "base/preference.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/suggest.h"

enum { FILE_BYTES = 1024 * 1024, MACHINES = 10000 };

static const struct {
	const char *name, *variable;
	bool path; /* absolute, or below the home: "~/..." */
} kinds[PREFERENCE_COUNT] = {
	[PREFERENCE_ARCHIVES] = {"archives", "COOPR_ARCHIVES", false},
	[PREFERENCE_CATALOGUE] = {"catalogue", "COOPR_CATALOGUE", true},
	[PREFERENCE_COLOR] = {"color", "COOPR_COLOR", false},
	[PREFERENCE_JOBS] = {"jobs", "COOPR_JOBS", false},
	[PREFERENCE_MACHINES] = {"machines", "COOPR_MACHINES", false},
	[PREFERENCE_OUTPUT] = {"output", "COOPR_OUTPUT", false},
	[PREFERENCE_PLUGIN_WRITE] = {"plugin_write", "COOPR_PLUGIN_WRITE", false},
	[PREFERENCE_RESOURCES] = {"resources", "COOPR_RESOURCES", false},
	[PREFERENCE_SPOOL] = {"spool", "COOPR_SPOOL", true},
	[PREFERENCE_STALE_AFTER_S] = {"stale_after_s", "COOPR_STALE_AFTER_S", false},
	[PREFERENCE_STATE] = {"state", "COOPR_STATE", true},
	[PREFERENCE_STORE] = {"store", "COOPR_STORE", true},
	[PREFERENCE_TENANT] = {"tenant", "COOPR_TENANT", false},
};

/* The settings that are whole numbers from 1 on. */
static const struct {
	long most; /* 0: it is no number */
	const char *expected;
} numbers[PREFERENCE_COUNT] = {
	[PREFERENCE_JOBS] = {PREFERENCE_JOBS_MAX, "expected a whole number from 1 to 100000"},
	[PREFERENCE_MACHINES] = {PREFERENCE_MACHINES_MAX, "expected a whole number from 1 to 1000000"},
	[PREFERENCE_STALE_AFTER_S] = {PREFERENCE_STALE_MAX_S, "expected a whole number of seconds from 1 to 31536000"},
};

struct choice {
	const char *value, *where;
	enum preference_source source;
};

static struct {
	bool read;
	struct arena arena;
	struct choice chosen[PREFERENCE_COUNT]; /* in files */
	long machines; /* in the system's file; 0: nothing */
	struct preference_section *sections;
	size_t count, capacity;
} all;

struct reading { /* a file while it is read */
	const char *path;
	long line;
	enum preference_source source;
	bool inside;    /* of a section: */
	size_t section; /* in all.sections */
	struct error *err;
};

const char *
preference_name(enum preference which)
{
	return kinds[which].name;
}

const char *
preference_variable(enum preference which)
{
	return kinds[which].variable;
}

enum preference
preference_of(const char *name)
{
	int which = 0;

	while (which < PREFERENCE_COUNT && strcmp(kinds[which].name, name) != 0)
		which++;
	return (enum preference)which;
}

static bool
preference_is_word(const char *text, const char *const *words)
{
	while (*words && strcmp(*words, text) != 0)
		words++;
	return *words != NULL;
}

/* Returns what is wrong with a value; NULL if nothing is. */
static const char *
preference_complaint(enum preference which, const char *value)
{
	static const char *const colours[] = {"auto", "always", "never", NULL};
	static const char *const formats[] = {"table", "wide", "json", "yaml", "name", "text", NULL};
	char *end;
	long number;

	if (which == PREFERENCE_COLOR)
		return preference_is_word(value, colours) ? NULL : "expected auto, always or never";
	if (which == PREFERENCE_OUTPUT)
		return preference_is_word(value, formats) ? NULL : "expected table, wide, json, yaml, name or text";
	if (numbers[which].most == 0)
		return NULL;
	number = strtol(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && number >= 1 && number <= numbers[which].most ? NULL : numbers[which].expected;
}

static int
preference_refuse(const struct reading *reading, const char *text)
{
	return error_set(reading->err, EX_CONFIG, "%s:%ld: %s", reading->path, reading->line, text);
}

static int
preference_unknown(const struct reading *reading, const char *name)
{
	const char *names[PREFERENCE_COUNT + 1] = {NULL}, *near;

	for (int i = 0; i < PREFERENCE_COUNT; i++)
		names[i] = kinds[i].name;
	near = suggest_word(name, names);
	return error_set(reading->err, EX_CONFIG, "%s:%ld: there is no setting \"%s\"; %s%s%s", reading->path, reading->line,
	    name, near ? "did you mean \"" : "see coopr-config(5)", near ? near : "", near ? "\"?" : "");
}

/* Returns value with the home in the place of "~/", if it begins so. */
static const char *
preference_expand_home(const char *value)
{
	char *home;
	const char *expanded;

	if (strncmp(value, "~/", 2) != 0)
		return value;
	home = home_path();
	expanded = arena_printf(&all.arena, "%s%s", home, value + 1);
	free(home);
	return expanded;
}

static int
preference_choose(const struct reading *reading, const char *name, const char *value)
{
	enum preference which = preference_of(name);
	const char *wrong;

	if (which == PREFERENCE_COUNT)
		return preference_unknown(reading, name);
	if (kinds[which].path)
		value = preference_expand_home(value);
	wrong = kinds[which].path && *value != '/' ? "expected a path that begins with / or ~/" : preference_complaint(which,
	    value);
	if (wrong)
		return error_set(reading->err, EX_CONFIG, "%s:%ld: %s: %s, found \"%s\"", reading->path, reading->line, name,
		    wrong, value);
	all.chosen[which] = (struct choice){value, arena_printf(&all.arena, "%s:%ld", reading->path, reading->line),
	    reading->source};
	if (which == PREFERENCE_MACHINES && reading->source == PREFERENCE_SYSTEM)
		all.machines = strtol(value, NULL, 10);
	return 0;
}

/* Begins a section; text stands between the brackets: "hook chat". */
static int
preference_begin_section(struct reading *reading, char *text)
{
	static const char *const section_kinds[] = {"hook", "plugin", NULL};
	char *name = strchr(text, ' ');
	size_t place = 0;

	if (name)
		*name++ = '\0';
	if (!name || !*name || !preference_is_word(text, section_kinds) || strpbrk(name, " /[]\""))
		return preference_refuse(reading, "expected [hook NAME] or [plugin NAME]");
	while (place < all.count && (strcmp(all.sections[place].kind, text) != 0 || strcmp(all.sections[place].name, name) != 0))
		place++;
	if (place == all.count) {
		ARRAY_ROOM(all.sections, all.count, all.capacity);
		all.count++;
	} else if (strcmp(all.sections[place].path, reading->path) == 0) {
		return preference_refuse(reading, "there is a section of this name already");
	} else {
		free(all.sections[place].entries);
	}
	reading->inside = true;
	reading->section = place;
	all.sections[place] = (struct preference_section){.kind = arena_string(&all.arena, text),
	    .name = arena_string(&all.arena, name), .path = reading->path, .line = reading->line};
	return 0;
}

/* Cuts the blanks at both ends of text. */
static char *
preference_trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Checks a line of a section [plugin NAME]. Those of hooks are checked where hooks are called. */
static int
preference_check_plugin(const struct reading *reading, const char *name, const char *value)
{
	static const char *const names[] = {"confine", "read", "write", NULL}, *const answers[] = {"yes", "no", NULL};

	if (!preference_is_word(name, names))
		return preference_refuse(reading, "expected confine, read or write");
	if (strcmp(name, "confine") == 0 && !preference_is_word(value, answers))
		return preference_refuse(reading, "confine: expected yes or no");
	return 0;
}

static int
preference_read_line(struct reading *reading, char *line)
{
	struct preference_section *section;
	char *equals, *name, *value;

	line = preference_trim(line);
	if (!*line || *line == '#')
		return 0;
	if (*line == '[' && line[strlen(line) - 1] == ']') {
		line[strlen(line) - 1] = '\0';
		return preference_begin_section(reading, preference_trim(line + 1));
	}
	equals = strchr(line, '=');
	if (!equals)
		return preference_refuse(reading, "expected NAME = VALUE");
	*equals = '\0';
	name = preference_trim(line);
	value = arena_string(&all.arena, preference_trim(equals + 1));
	if (!*value)
		return preference_refuse(reading, "expected a value behind the =");
	if (!reading->inside)
		return preference_choose(reading, name, value);
	section = &all.sections[reading->section];
	if (strcmp(section->kind, "plugin") == 0 && preference_check_plugin(reading, name, value) < 0)
		return -1;
	ARRAY_ROOM(section->entries, section->count, section->capacity);
	section->entries[section->count++] = (struct preference_entry){arena_string(&all.arena, name), value, reading->line};
	return 0;
}

/* Reads a file, unless it does not exist. Frees path. */
static int
preference_read_file(char *path, enum preference_source source, struct error *err)
{
	struct reading reading = {.path = arena_string(&all.arena, path), .source = source, .err = err};
	struct buffer text = {0};
	char *rest, *line;
	int result = 0;

	free(path);
	if (file_exists(AT_FDCWD, reading.path)) {
		result = file_read(AT_FDCWD, reading.path, FILE_BYTES, &text, err);
		if (result == 0 && text.data && memchr(text.data, '\0', text.length))
			result = error_set(err, EX_CONFIG, "%s: there is a NUL byte in it", reading.path);
		rest = text.data;
		while (result == 0 && (line = strsep(&rest, "\n"))) {
			reading.line++;
			result = preference_read_line(&reading, line);
		}
	}
	if (result < 0)
		err->code = EX_CONFIG;
	buffer_release(&text);
	return result;
}

/* Reads the files, and refuses variables of the environment that no command understands. */
int
preference_read(struct error *err)
{
	if (all.read)
		return 0;
	all.read = true;
	if (preference_read_file(home_system_config("config"), PREFERENCE_SYSTEM, err) < 0 ||
	    preference_read_file(home_user_config("config"), PREFERENCE_USER, err) < 0)
		return -1;
	for (int i = 0; i < PREFERENCE_COUNT; i++) {
		const char *value = getenv(kinds[i].variable);
		const char *wrong = value && *value ? preference_complaint((enum preference)i, value) : NULL;

		if (wrong)
			return error_set(err, EX_CONFIG, "$%s: %s, found \"%s\"", kinds[i].variable, wrong, value);
	}
	return 0;
}

const char *
preference_find(enum preference which, const char *option, enum preference_source *source, const char **where)
{
	const char *value = getenv(kinds[which].variable);
	struct error ignored; /* option_parse has reported it */

	*where = "";
	*source = PREFERENCE_OPTION;
	if (option)
		return option;
	*source = PREFERENCE_ENVIRONMENT;
	*where = kinds[which].variable;
	if (value && *value)
		return value;
	preference_read(&ignored);
	*source = all.chosen[which].source;
	*where = all.chosen[which].where ? all.chosen[which].where : "";
	return all.chosen[which].value;
}

const char *
preference_value(enum preference which, const char *option)
{
	enum preference_source source;
	const char *where;

	return preference_find(which, option, &source, &where);
}

long
preference_jobs(long otherwise)
{
	const char *value = preference_value(PREFERENCE_JOBS, NULL);

	return value ? strtol(value, NULL, 10) : otherwise;
}

long
preference_machines(void)
{
	const char *value = preference_value(PREFERENCE_MACHINES, NULL);
	long number = value ? strtol(value, NULL, 10) : MACHINES;
	struct error ignored;

	preference_read(&ignored);
	return all.machines && all.machines < number ? all.machines : number;
}

const struct preference_section *
preference_sections(size_t *count)
{
	struct error ignored;

	preference_read(&ignored);
	*count = all.count;
	return all.sections;
}
