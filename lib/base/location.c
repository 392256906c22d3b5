/* SPDX-License-Identifier: Apache-2.0 */
#include "base/location.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/preference.h"
#include "base/process.h"

/* Returns a person's folder for state, with rest behind it. */
static char *
location_personal_state(const char *rest)
{
	const char *state = home_folder_variable("XDG_STATE_HOME");
	char *home, *path;

	if (state)
		return memory_printf("%s/coopr%s", state, rest);
	home = home_path();
	path = memory_printf("%s/.local/state/coopr%s", home, rest);
	free(home);
	return path;
}

char *
location_spool(const char *option)
{
	const char *given = preference_value(PREFERENCE_SPOOL, option);

	if (given)
		return memory_string(given);
	if (preference_value(PREFERENCE_STATE, NULL))
		return memory_printf("%s/spool", preference_value(PREFERENCE_STATE, NULL));
	return geteuid() == 0 ? memory_string("/var/spool/coopr") : location_personal_state("/spool");
}

char *
location_catalogue(const char *option)
{
	const char *given = preference_value(PREFERENCE_CATALOGUE, option);

	return given ? memory_string(given) : location_installed("share/coopr/catalogue");
}

char *
location_state(void)
{
	const char *given = preference_value(PREFERENCE_STATE, NULL);

	if (given)
		return memory_string(given);
	return geteuid() == 0 ? memory_string("/var/lib/coopr") : location_personal_state("");
}

char *
location_store(const char *option)
{
	const char *given = preference_value(PREFERENCE_STORE, option);
	char *state, *path;

	if (given)
		return memory_string(given);
	state = location_state();
	path = memory_printf("%s/store.sqlite3", state);
	free(state);
	return path;
}

bool
location_has_scheme(const char *name, const char *scheme)
{
	const char *end = strstr(name, "://");
	size_t length = end ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789+-.") : 0;

	if (!length || name + length != end)
		return !scheme;
	return scheme && strlen(scheme) == length && strncmp(name, scheme, length) == 0;
}

int
location_check_owner(const char *path, struct error *err)
{
	char *there = memory_string(path), *slash, *user;
	bool closed = false;
	struct stat st;
	int found;

	/* What is in a closed folder belongs to the owner of that. */
	while ((found = stat(there, &st)) < 0 && errno == EACCES && (slash = strrchr(there, '/')) && slash != there) {
		*slash = '\0';
		closed = true;
	}
	free(there);
	if (found < 0 || st.st_uid == geteuid() || (!closed && geteuid() != 0 && access(path, R_OK) == 0))
		return 0;
	user = process_user(st.st_uid);
	error_set(err, EX_NOPERM, "%s: belongs to the user %s; run the command as that user: sudo -u %s coopr ...", path, user, user);
	free(user);
	return -1;
}

const char *
location_network(const char *path)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} kinds[] = {{0x6969, "nfs"}, {0x517b, "smb"}, {0xff534d42, "cifs"}, {0xfe534d42, "smb2"}, {0x00c36400, "ceph"},
	    {0x5346414f, "afs"}, {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"}, {0x19830326, "beegfs"}, {0x01161970, "gfs2"},
	    {0x7461636f, "ocfs2"}};
	struct statfs system;

	if (statfs(path, &system) == 0)
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (kinds[i].magic == (uint32_t)system.f_type)
				return kinds[i].name;
	return NULL;
}

int
location_check_local(const char *path, struct error *err)
{
	const char *kind = location_network(path);

	if (!kind)
		return 0;
	return error_set(err, EX_CONFIG, "%s: is on a network file system (%s), where it could be damaged; move it to a disk of this "
	    "host, see COOPR_SPOOL, COOPR_STORE and COOPR_STATE in coopr-config(5)", path, kind);
}

static bool
location_is_at_or_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/' ||
	    strcmp(folder, "/") == 0);
}

bool
location_is_own(const char *path)
{
	char *own[] = {location_state(), location_spool(NULL), location_store(NULL), memory_string("/etc/coopr")};
	char *real = realpath(path, NULL);
	bool found = false;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		char *there = realpath(own[i], NULL);

		found |= real && there && (location_is_at_or_below(real, there) || location_is_at_or_below(there, real));
		free(there);
		free(own[i]);
	}
	free(real);
	return found;
}

/* Returns whether nobody else can take away what we make in the folder above path: it is ours or root's, and who else may write there
 * can only remove what is theirs, as in /tmp. */
static bool
location_is_kept(const char *path)
{
	char *above = memory_substring(path, (size_t)(strrchr(path, '/') - path));
	struct stat st;
	bool kept = stat(*above ? above : "/", &st) == 0 && S_ISDIR(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    (!(st.st_mode & 022) || (st.st_mode & S_ISVTX));

	free(above);
	return kept;
}

/* Makes path, unless it exists; returns whether it is a directory that nobody else may enter. Others may write in the
 * directory above (/tmp): what stands there must not be a link, and must be ours. */
static bool
location_make_private(const char *path)
{
	struct stat st;

	if (!location_is_kept(path)) {
		errno = EPERM;
		return false;
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	if (lstat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		return true;
	errno = EPERM;
	return false;
}

/* Returns a private folder of ours in the one that everybody may write to, one made before or a fresh one: its name cannot be
 * guessed, so nobody can take it first. NULL with errno. */
static char *
location_temporary(const char *folder)
{
	char *path = memory_printf("%s/coopr-%lu.XXXXXX", folder, (unsigned long)geteuid());
	char *pattern = memory_printf("%s/coopr-%lu.??????", folder, (unsigned long)geteuid());
	char *found = NULL;
	glob_t made = {0};

	if (glob(pattern, 0, NULL, &made) == 0)
		for (size_t i = 0; i < made.gl_pathc && !found; i++)
			found = location_make_private(made.gl_pathv[i]) ? memory_string(made.gl_pathv[i]) : NULL;
	globfree(&made);
	free(pattern);
	if (!found && mkdtemp(path))
		return path;
	free(path);
	return found;
}

char *
location_runtime(void)
{
	const char *xdg = home_folder_variable("XDG_RUNTIME_DIR");
	char *candidates[] = {
		xdg ? memory_printf("%s/coopr", xdg) : NULL,
		memory_string("/run/coopr"),
		memory_printf("/tmp/coopr-%lu", (unsigned long)geteuid()),
	};
	char *found = NULL;
	int reason = 0;

	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
		if (!found && candidates[i] && location_make_private(candidates[i])) {
			found = candidates[i];
			continue;
		}
		reason = candidates[i] && !reason ? errno : reason;
		free(candidates[i]);
	}
	if (!found)
		found = location_temporary("/tmp");
	errno = reason;
	return found;
}

char *
location_memory(void)
{
	char *path = location_runtime();
	struct statfs system;

	if (path && statfs(path, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
		return path;
	free(path);
	if (statfs("/dev/shm", &system) == 0 && system.f_type == TMPFS_MAGIC)
		return location_temporary("/dev/shm");
	errno = ENODEV;
	return NULL;
}

/* Returns the path of the running program. */
static char *
location_own_path(void)
{
	size_t size = 256;
	char *path = NULL;
	ssize_t n;

	do {
		size *= 2;
		path = memory_resize(path, size, 1);
		n = readlink("/proc/self/exe", path, size);
	} while (n == (ssize_t)size);
	path[n < 0 ? 0 : n] = '\0';
	return path;
}

/* The installation is the nearest folder above the running program that holds share/coopr: PREFIX for PREFIX/bin/x and
 * PREFIX/libexec/coopr/provider/x, the checkout for its test programs, too. */
char *
location_installed(const char *relative)
{
	char *root = location_own_path(), *path = NULL, *slash;
	bool found = false;

	while (!found && (slash = strrchr(root, '/'))) {
		*slash = '\0';
		path = memory_printf("%s/share/coopr", root);
		found = access(path, F_OK) == 0;
		free(path);
	}
	path = memory_printf("%s/%s", root, relative);
	free(root);
	return path;
}

bool
location_leads_out(const char *name)
{
	bool out = *name == '/';

	for (const char *part = name; *part && !out; part += strcspn(part, "/"), part += strspn(part, "/"))
		out = strcspn(part, "/") == 2 && strncmp(part, "..", 2) == 0;
	return out;
}

bool
location_is_sent(const char *name)
{
	return !location_leads_out(name) && home_variable("COOPR_SENT");
}

char *
location_sent_from(const char *name)
{
	const char *line = getenv("COOPR_SENT"); /* lines: a name, a tab, and from where that is */
	size_t length = strlen(name);

	while (length > 1 && name[length - 1] == '/')
		length--;
	for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, name, length) == 0 && line[length] == '\t')
			return memory_substring(line + length + 1, strcspn(line + length + 1, "\n"));
	return memory_string(name);
}

char *
location_next(const char **list)
{
	const char *start;

	if (!*list)
		return NULL;
	start = *list + strspn(*list, ":");
	*list = start + strcspn(start, ":");
	return *list > start ? memory_substring(start, (size_t)(*list - start)) : NULL;
}

/* Returns the path of the plugin below folder, which it frees; NULL if there is no such program. */
static char *
location_plugin_in(char *folder, const char *kind, const char *name)
{
	char *path = memory_printf("%s/%s/%s", folder, kind, name);

	free(folder);
	if (file_is_program(path))
		return path;
	free(path);
	return NULL;
}

char *
location_plugin(const char *kind, const char *name)
{
	const char *list = home_variable("COOPR_PLUGINS");
	char *folder, *path = NULL;

	/* The name comes from a document and must not lead out of the folder. */
	if (!*name || *name == '.' || strchr(name, '/'))
		return NULL;
	while (!path && (folder = location_next(&list)))
		path = location_plugin_in(folder, kind, name);
	return path ? path : location_plugin_in(location_installed("libexec/coopr"), kind, name);
}

bool
location_is_inside(const char *name)
{
	for (const char *part = name;; part++) {
		size_t length = strcspn(part, "/");

		if (length == 0 || (length == 1 && *part == '.') || (length == 2 && memcmp(part, "..", 2) == 0))
			return false;
		part += length;
		if (!*part)
			return true;
	}
}

static int
location_is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Returns the path of what there is of that name in the folders below that of a plugin, one for each type of its resources; NULL where none
 * has it. */
static char *
location_resource(const char *folder, const char *name)
{
	char *path = NULL;
	struct dirent **types;
	int count = scandir(folder, &types, location_is_shown, alphasort);

	for (int i = 0; i < count; i++) {
		if (!path) {
			path = memory_printf("%s/%s/%s", folder, types[i]->d_name, name);
			if (!file_exists(AT_FDCWD, path)) {
				free(path);
				path = NULL;
			}
		}
		free(types[i]);
	}
	if (count >= 0)
		free(types);
	return path;
}

char *
location_script(const char *catalogue, const char *plugin, const char *name, struct error *err)
{
	bool absolute = *name == '/';
	char *installed = location_installed("share/coopr/services"), *path = NULL;
	char *folder = catalogue && plugin ? memory_printf("%s/%s", catalogue, plugin) : NULL;
	char *places[] = {
		absolute ? memory_string(name) : NULL,
		!absolute && catalogue ? memory_printf("%s/scripts/%s", catalogue, name) : NULL,
		!absolute && catalogue ? memory_printf("%s/files/%s", catalogue, name) : NULL,
		!absolute && folder && location_is_inside(name) ? location_resource(folder, name) : NULL,
		!absolute ? memory_printf("%s/%s", installed, name) : NULL,
	};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (!path && places[i] && (absolute || location_is_inside(name)) && access(places[i], F_OK) == 0)
			path = places[i];
		else
			free(places[i]);
	}
	if (!path && !absolute && !location_is_inside(name))
		error_set(err, EX_CONFIG, "\"%s\": expected an absolute path, or a relative one without . and ..", name);
	else if (!path && absolute)
		error_set(err, EX_CONFIG, "%s: there is no such file", name);
	else if (!path && catalogue && folder && file_exists(AT_FDCWD, folder))
		error_set(err, EX_CONFIG, "\"%s\" is neither in %s/scripts, nor in a folder of %s, nor in %s; put it there", name, catalogue, folder,
		    installed);
	else if (!path && catalogue)
		error_set(err, EX_CONFIG, "\"%s\" is neither in %s/scripts nor in %s; put it there", name, catalogue, installed);
	else if (!path)
		error_set(err, EX_CONFIG, "\"%s\" is not in %s, and no active resource that this was made with; coopr-resource upload puts it into "
		    "the store, and coopr-create and coopr-upgrade take it from there", name, installed);
	free(folder);
	free(installed);
	return path;
}
