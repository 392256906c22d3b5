/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/allowance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "sandbox/address.h"
#include "sandbox/helper/shape.h"
#include "sandbox/limits.h"
#include "sandbox/record.h"

#define STATE_DEFAULT "/var/lib/coopr-sandbox"

enum { FILE_LIMIT = 64 * 1024, MACHINES_DEFAULT = 100 };

static bool
allowance_is_machines(const char *text)
{
	return strspn(text, "0123456789") == strlen(text) && *text && strlen(text) <= 6;
}

static const struct setting {
	const char *name;
	bool (*fits)(const char *value);
} settings[] = {
	{"cpu", shape_is_cpu},
	{"disk", shape_is_size},
	{"image", shape_is_image},
	{"machines", allowance_is_machines},
	{"memory", shape_is_size},
	{"network", shape_is_network},
	{"processes", shape_is_count},
	{"route", shape_is_yes},
	{"share", shape_is_path},
	{"state", shape_is_path},
};

static bool
allowance_is_setting(const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strcmp(settings[i].name, name) == 0)
			return settings[i].fits(value);
	return false;
}

/* Cuts blanks off both ends of text. */
static char *
allowance_trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

/* Adds the setting of a line; one that is empty or a comment has none. */
static int
allowance_parse_line(struct allowance *allowance, char *line, int number, struct error *err)
{
	char *name, *value, *equals;

	line[strcspn(line, "#")] = '\0';
	equals = strchr(line, '=');
	if (equals)
		*equals = '\0';
	name = allowance_trim(line);
	value = equals ? allowance_trim(equals + 1) : NULL;
	if (!value && !*name)
		return 0;
	if (!value || !allowance_is_setting(name, value))
		return error_set(err, EX_CONFIG, "%s:%d: is no setting; see coopr-sandbox(7)", allowance->path, number);
	buffer_printf(&allowance->text, "%s=%s\n", name, value);
	return 0;
}

static int
allowance_parse(struct allowance *allowance, char *text, struct error *err)
{
	for (int number = 1; *text; number++) {
		char *line = text;
		size_t length = strcspn(text, "\n");

		text += length + (text[length] == '\n');
		line[length] = '\0';
		if (allowance_parse_line(allowance, line, number, err) < 0)
			return -1;
	}
	return 0;
}

int
allowance_read(const char *path, struct allowance *allowance, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result = 0;
	struct buffer text = {0};
	struct stat st;

	*allowance = (struct allowance){.path = path};
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		result = error_errno(err, EX_NOINPUT, "%s", path);
	else if (st.st_uid != 0 || st.st_mode & 022)
		result = error_set(err, EX_NOPERM, "%s: others than root may change it; chown root and chmod go-w it", path);
	else if (file_read_fd(fd, path, FILE_LIMIT, &text, err) < 0 || (text.data && allowance_parse(allowance, text.data, err) < 0))
		result = -1;
	if (fd >= 0)
		close(fd);
	buffer_release(&text);
	return result;
}

/* Returns the next value of a setting in lines, of *length bytes, and moves lines behind it; NULL: there is no other. */
static const char *
allowance_next(const char **lines, const char *name, size_t *length)
{
	size_t start = strlen(name);

	while (**lines) {
		const char *line = *lines;

		*lines += strcspn(line, "\n") + 1;
		if (strncmp(line, name, start) == 0 && line[start] == '=') {
			*length = (size_t)(*lines - line) - start - 2;
			return line + start + 1;
		}
	}
	return NULL;
}

/* Returns whether a line says just that. */
static bool
allowance_says(const struct allowance *allowance, const char *name, const char *value)
{
	const char *lines = buffer_string(&allowance->text), *found;
	size_t length;

	while ((found = allowance_next(&lines, name, &length)))
		if (strlen(value) == length && memcmp(found, value, length) == 0)
			return true;
	return false;
}

/* Returns the last value of a setting, or otherwise; the caller frees it. */
static char *
allowance_value(const struct allowance *allowance, const char *name, const char *otherwise)
{
	const char *lines = buffer_string(&allowance->text), *found, *last = otherwise;
	size_t length, last_length = otherwise ? strlen(otherwise) : 0;

	while ((found = allowance_next(&lines, name, &length))) {
		last = found;
		last_length = length;
	}
	return last ? memory_substring(last, last_length) : NULL;
}

char *
allowance_state(const struct allowance *allowance)
{
	return allowance_value(allowance, "state", STATE_DEFAULT);
}

size_t
allowance_machines(const struct allowance *allowance)
{
	char *value = allowance_value(allowance, "machines", NULL);
	size_t machines = value ? strtoul(value, NULL, 10) : MACHINES_DEFAULT;

	free(value);
	return machines;
}

static int
allowance_refuse(const struct allowance *allowance, const char *what, const char *name, const char *value, struct error *err)
{
	return error_set(err, EX_CONFIG, "%s %s: is not allowed by %s of this host, where root may add the line \"%s = %s\"", what, value,
	    allowance->path, name, value);
}

static int
allowance_check_shares(const struct allowance *allowance, const struct machine *wanted, struct error *err)
{
	const char *shares = wanted->shares;
	int result = 0;
	char *path;

	for (; result == 0 && (path = location_next(&shares)); free(path))
		if (!allowance_says(allowance, "share", path))
			result = allowance_refuse(allowance, "share", "share", path, err);
	return result;
}

/* Lowers a limit to that of the file, or to otherwise (NULL: there is none) where the file has none. */
static const char *
allowance_lower(const struct allowance *allowance, const char *name, const char *limit, const char *otherwise, struct arena *arena)
{
	char *most = allowance_value(allowance, name, otherwise);

	if (most && (!limit || strtod(most, NULL) < strtod(limit, NULL)))
		limit = arena_string(arena, most);
	free(most);
	return limit;
}

static void
allowance_limit(const struct allowance *allowance, struct machine *wanted)
{
	struct machine most = {.name = NULL};

	limits_default(&most);
	wanted->cpu = allowance_lower(allowance, "cpu", wanted->cpu, NULL, &wanted->arena);
	wanted->memory = allowance_lower(allowance, "memory", wanted->memory, most.memory, &wanted->arena);
	wanted->processes = allowance_lower(allowance, "processes", wanted->processes, most.processes, &wanted->arena);
	wanted->disk = allowance_lower(allowance, "disk", wanted->disk, most.disk, &wanted->arena);
	machine_release(&most);
}

int
allowance_admit(const struct allowance *allowance, struct machine *wanted, struct error *err)
{
	char *networks = allowance_value(allowance, "network", NULL);
	bool network = networks ? allowance_says(allowance, "network", wanted->network) : strcmp(wanted->network, NETWORK_DEFAULT) == 0;

	free(networks);
	if (!network)
		return allowance_refuse(allowance, "network", "network", wanted->network, err);
	if (strcmp(wanted->image, "host") != 0 && !allowance_says(allowance, "image", wanted->image))
		return allowance_refuse(allowance, "image", "image", wanted->image, err);
	if (wanted->route && !allowance_says(allowance, "route", "yes"))
		return allowance_refuse(allowance, "a route out of the host: the value", "route", "yes", err);
	if (allowance_check_shares(allowance, wanted, err) < 0)
		return -1;
	allowance_limit(allowance, wanted);
	return 0;
}

void
allowance_release(struct allowance *allowance)
{
	buffer_release(&allowance->text);
}
