/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of machines, coopr-static(7), in its two forms: for each machine a line, which becomes an object
 * of the same members, or that object itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/process.h"
#include "exec/machines.h"
#include "json/credential.h"
#include "json/scan.h"
#include "model/name.h"
#include "ssh/shell-words.h"

enum { FILE_BYTES = 16 * 1024 * 1024, SSH_PORT = 22 };

/* Returns whether the member names a secret; in a line by the name alone. */
static bool
machines_is_secret(const char *name)
{
	return strcmp(name, "key") == 0 || strcmp(name, "passphrase") == 0 || strcmp(name, "password") == 0;
}

static jv
machines_secret(const char *name)
{
	jv reference = jv_object();

	json_set_string(&reference, "secret", name);
	return reference;
}

/* Sets the member of a word NAME=VALUE; "hostkey" may come several times. */
static int
machines_add_member(jv *object, const char *word, struct error *err)
{
	static const char *const members[] = {"bind", "flavor", "hostkey", "hostname", "identityfile", "key", "passphrase",
	    "password", "port", "user", "zone", "address"};
	size_t length = strcspn(word, "=");
	const char *name = NULL;
	jv keys;

	for (size_t i = 0; word[length] == '=' && !name && i < sizeof members / sizeof *members; i++)
		if (strlen(members[i]) == length && strncmp(members[i], word, length) == 0)
			name = members[i];
	if (!name)
		return error_set(err, EX_CONFIG, "\"%s\": expected bind=, flavor=, hostkey=, hostname=, identityfile=, key=, "
		    "passphrase=, password=, port=, user= or zone=", word);
	if (machines_is_secret(name)) {
		json_set(object, name, machines_secret(word + length + 1));
		return 0;
	}
	if (strcmp(name, "hostkey") != 0) {
		json_set_string(object, name, word + length + 1);
		return 0;
	}
	keys = json_get(*object, name);
	if (!jv_is_valid(keys)) {
		jv_free(keys);
		keys = jv_array();
	}
	json_set(object, name, jv_array_append(keys, jv_string(word + length + 1)));
	return 0;
}

static int
machines_object_of_line(const char *line, jv *object, struct error *err)
{
	struct arguments words = {0};
	int failed = shell_words_split(line, &words, err);

	*object = jv_object();
	if (!failed)
		json_set_string(object, "address", words.list[0]);
	for (size_t i = 1; i < words.count && !failed; i++)
		failed = machines_add_member(object, words.list[i], err);
	arguments_release(&words);
	return failed;
}

/* Returns the path; one that is relative starts at the folder of the file that it stands in. */
static const char *
machines_beside(struct arena *arena, const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');

	if (!path || *path == '/' || !slash)
		return path;
	return arena_printf(arena, "%.*s/%s", (int)(slash - file), file, path);
}

static struct string_list
machines_parse_keys(const struct place *place, struct arena *arena)
{
	struct place key = place_member(place, "hostkey");
	struct string_list list = {0};

	if (!json_string(key.value))
		return place_strings(place, "hostkey", arena);
	list.list = arena_alloc(arena, 1, sizeof *list.list);
	list.list[list.count++] = arena_string(arena, json_string(key.value));
	return list;
}

/* Returns the name of a secret in a member; NULL if that is absent. */
static const char *
machines_parse_secret(const struct place *place, const char *name, struct arena *arena)
{
	struct place member = place_member(place, name);
	bool is_generated = false;
	char *secret = credential_reference(member.value, &is_generated);
	const char *copy = secret && *secret && !is_generated ? arena_string(arena, secret) : NULL;

	if (place_present(&member) && !copy)
		place_problem(&member, "expected {\"secret\": \"NAME\"}, the name of a secret");
	free(secret);
	return copy;
}

void
machines_parse_login(const struct place *place, const char *identityfile, struct arena *arena, struct machine_login *login)
{
	*login = (struct machine_login){machines_parse_secret(place, "key", arena), machines_parse_secret(place, "passphrase", arena),
	    machines_parse_secret(place, "password", arena)};
	if (login->key && identityfile)
		place_problem(place, "identityfile and key exclude each other");
	if (login->password && (login->key || identityfile || login->passphrase))
		place_problem(place, "a password is for a machine without a key");
	if (login->passphrase && !login->key && !identityfile)
		place_problem(place, "a passphrase needs a key");
}

static void
machines_parse_machine(const struct place *place, struct machines *machines, struct static_machine *machine)
{
	struct place login = machines->is_document ? place_member(place, "ssh-auth") : *place;
	struct arena *arena = &machines->arena;

	*machine = (struct static_machine){0};
	if (!place_object(place, NEED_REQUIRED))
		return;
	machine->address = name_parse_as(place, "address", NEED_REQUIRED, name_is_host, "an address", arena);
	machine->bind = name_parse_as(place, "bind", NEED_OPTIONAL, name_is_host, "an address", arena);
	machine->hostname = name_parse_as(place, "hostname", NEED_OPTIONAL, name_is_host, "a host name", arena);
	machine->user = name_parse_as(place, "user", NEED_OPTIONAL, name_is_user, "a user name", arena);
	machine->port = place_integer(place, "port", SSH_PORT, 1, 65535);
	machine->identityfile = machines_beside(arena, machines->path, place_string(place, "identityfile", NEED_OPTIONAL,
	    arena));
	if (machine->identityfile && location_is_own(machine->identityfile))
		place_problem(place, "identityfile %s: it is coopr's own", machine->identityfile);
	if (place_object(&login, NEED_OPTIONAL))
		machines_parse_login(&login, machine->identityfile, arena, &machine->login);
	machine->flavor = place_string(place, "flavor", NEED_OPTIONAL, arena);
	machine->zone = place_string(place, "zone", NEED_OPTIONAL, arena);
	machine->host_keys = machines_parse_keys(place, arena);
	if (machine->address && strchr(machine->address, '/'))
		place_problem(place, "\"%s\" is not an address", machine->address);
	else if (machine->address)
		machine->id = arena_printf(arena, "%s:%lld", machine->address, (long long)machine->port);
}

/* Adds what object describes; where says where it stands. */
static int
machines_add_machine(struct machines *machines, jv object, const char *where, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(object, &problems);
	struct static_machine *machine = &machines->list[machines->count];
	int failed = 0;

	machines_parse_machine(&root, machines, machine);
	if (problems.total > 0)
		failed = error_set(err, EX_CONFIG, "%s: %s: %s: %s", machines->path, where, problems.list[0].pointer,
		    problems.list[0].text);
	else if (machines_find(machines, machine->id))
		failed = error_set(err, EX_CONFIG, "%s: %s: the machine %s stands there twice", machines->path, where,
		    machine->id);
	else
		machines->count++;
	problems_release(&problems);
	return failed;
}

static int
machines_read_lines(struct machines *machines, char *text, struct error *err)
{
	int number = 0, failed = 0;
	size_t lines = 1;
	char *line;

	for (const char *end = text; (end = strchr(end, '\n')); end++)
		lines++;
	machines->list = arena_alloc(&machines->arena, lines, sizeof *machines->list);
	while (!failed && (line = strsep(&text, "\n"))) {
		struct error why;
		char where[32];
		jv object;

		snprintf(where, sizeof where, "line %d", ++number);
		line += strspn(line, " \t\r");
		if (!*line || *line == '#')
			continue;
		line[strcspn(line, "\r")] = '\0';
		if (machines_object_of_line(line, &object, &why) < 0)
			failed = error_set(err, EX_CONFIG, "%s: %s: %s", machines->path, where, why.text);
		else
			failed = machines_add_machine(machines, object, where, err);
		jv_free(object);
	}
	return failed;
}

static int
machines_add_list(struct machines *machines, jv list, struct error *err)
{
	int failed = 0;

	machines->list = arena_alloc(&machines->arena, json_length(list) + 1, sizeof *machines->list);
	for (size_t i = 0; i < json_length(list) && !failed; i++) {
		jv object = json_element(list, i);
		char where[32];

		snprintf(where, sizeof where, "machine %zu", i + 1);
		failed = machines_add_machine(machines, object, where, err);
		jv_free(object);
	}
	return failed;
}

/* Reads one array, or objects one behind the other. */
static int
machines_read_values(struct machines *machines, const char *text, size_t length, struct error *err)
{
	jv list = jv_array();
	ssize_t used;
	int failed = 0;

	while ((used = json_scan(text, length, true, err)) > 0) {
		jv value = jv_parse_sized(text, (int)used);

		list = jv_get_kind(value) == JV_KIND_ARRAY ? jv_array_concat(list, value) : jv_array_append(list, value);
		text += used;
		length -= (size_t)used;
	}
	if (used < 0) {
		failed = error_prefix(err, "%s", machines->path);
		err->code = EX_CONFIG;
	}
	if (!failed)
		failed = machines_add_list(machines, list, err);
	jv_free(list);
	return failed;
}

static int
machines_check_any(const struct machines *machines, struct error *err)
{
	return machines->count > 0 ? 0 : error_set(err, EX_CONFIG, "%s: there are no machines in it", machines->path);
}

int
machines_read(const char *path, struct machines *machines, struct error *err)
{
	struct buffer text = {0};
	int failed;

	*machines = (struct machines){0};
	machines->path = arena_string(&machines->arena, path);
	if (location_is_own(path))
		return error_set(err, EX_CONFIG, "%s: it is coopr's own, not a list of machines", path);
	failed = file_read(AT_FDCWD, path, FILE_BYTES, &text, err);
	if (failed) {
		err->code = EX_CONFIG;
	} else if (text.data[strspn(text.data, " \t\r\n")] == '[' || text.data[strspn(text.data, " \t\r\n")] == '{') {
		failed = machines_read_values(machines, text.data, text.length, err);
	} else {
		failed = machines_read_lines(machines, text.data, err);
	}
	if (!failed)
		failed = machines_check_any(machines, err);
	buffer_release(&text);
	return failed;
}

int
machines_take(jv list, const char *where, bool is_entered, struct machines *machines, struct error *err)
{
	int failed;

	*machines = (struct machines){.is_document = true};
	machines->path = arena_string(&machines->arena, where);
	failed = machines_add_list(machines, list, err);
	if (!failed)
		failed = machines_check_any(machines, err);
	for (size_t i = 0; i < machines->count && !failed; i++) {
		const struct static_machine *machine = &machines->list[i];

		if (machine->identityfile)
			failed = error_set(err, EX_CONFIG, "%s: the machine %s: a list in a document names no identityfile; make the key a secret, and "
			    "name that in its ssh-auth", where, machine->id);
		else if (!machine->login.key && !machine->login.password && !is_entered)
			failed = error_set(err, EX_CONFIG, "%s: the machine %s: its ssh-auth, or the provider's, names no secret as key or password", where,
			    machine->id);
	}
	return failed;
}

void
machines_release(struct machines *machines)
{
	arena_release(&machines->arena);
	*machines = (struct machines){0};
}

const struct static_machine *
machines_find(const struct machines *machines, const char *id)
{
	for (size_t i = 0; i < machines->count; i++)
		if (strcmp(machines->list[i].id, id) == 0)
			return &machines->list[i];
	return NULL;
}
