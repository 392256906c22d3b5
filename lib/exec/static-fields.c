/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/static-fields.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/location.h"
#include "model/name.h"
#include "model/take/task.h"
#include "ssh/bastion.h"

#define SECRET(text) "{\"type\":\"object\",\"required\":[\"secret\"],\"additionalProperties\":false,\"properties\":{\"secret\":{\"type\":\"string\"}}," \
    "\"description\":\"" text "\"}"
#define LOGIN(of, more) "\"ssh-auth\":{\"type\":\"object\",\"additionalProperties\":false,\"description\":\"" of "\",\"properties\":{" more "\"key\":" SECRET("A secret that is a private key") ",\"passphrase\":" SECRET("A secret that opens the private key") "," \
    "\"password\":" SECRET("A secret that is the password of the user") "}}"

const char static_fields_schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"provider static\",\"type\":\"object\","
    "\"cluster_key\":true,"
    "\"required\":[\"machines\"],\"properties\":{"
    "\"machines\":{\"type\":[\"string\",\"array\"],\"of\":\"installation\",\"description\":\"The machines, or the file that lists them; a relative path starts at the catalogue\","
    "\"minItems\":1,\"items\":{\"type\":\"object\",\"required\":[\"address\"],\"additionalProperties\":false,\"properties\":{"
    "\"address\":{\"type\":\"string\",\"of\":\"address\",\"examples\":[\"192.0.2.11\"],\"description\":\"The name or address at which the machine is reached\"},"
    "\"bind\":{\"type\":\"string\",\"of\":\"address\",\"description\":\"The address at which the other nodes reach it\"},"
    "\"port\":{\"type\":[\"integer\",\"string\"],\"description\":\"The port of its sshd; the default is 22\"},"
    "\"hostname\":{\"type\":\"string\",\"description\":\"Its host name; by default that of the node\"},"
    "\"user\":{\"type\":\"string\",\"description\":\"The user to log in as\"},"
    "\"hostkey\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"},\"description\":\"Its host keys, as in known_hosts without the name\"},"
    "\"flavor\":{\"type\":\"string\",\"description\":\"It is for nodes of this flavor alone\"},"
    "\"zone\":{\"type\":\"string\",\"description\":\"It is for nodes in this zone alone\"}," LOGIN("Secrets to log in to it with", "") "}}},"
    "\"user\":{\"type\":\"string\",\"description\":\"The user to log in as, unless the machine names one; by default the sshuser of the image type\"},"
    "\"hosts\":{\"type\":\"boolean\",\"description\":\"Whether the machines know each other by names in /etc/hosts; the default is true\"},"
    "\"shared_host_keys\":{\"of\":\"installation\",\"type\":\"boolean\",\"description\":\"Whether several machines may show the same host key; the default is false\"},"
    "\"authorized_keys\":{\"type\":\"boolean\",\"description\":\"Whether a machine that is entered with a password is given the cluster's key; the default is true\"},"
    LOGIN("Secrets to log in with, unless the machine names some", BASTION_MEMBER("\"of\":\"installation\",") ",") ","
    "\"identityfile\":{\"of\":\"installation\",\"type\":\"string\",\"description\":\"The private key, unless the machine names one; by default that of ssh\"}}}";

/* Takes the member machines: a path, or a list. */
static void
static_fields_take_machines(const struct place *root, const struct task *task, struct arena *arena, struct static_fields *fields)
{
	struct place machines = place_member(root, "machines");
	char *provider = json_get_string(task->provider, "name");

	if (jv_get_kind(machines.value) == JV_KIND_ARRAY) {
		fields->list = machines.value;
		fields->where = arena_printf(arena, "provider \"%s\"", provider ? provider : "");
	} else {
		fields->file = place_string(root, "machines", NEED_REQUIRED, arena);
		if (fields->file && *fields->file != '/' && task->catalogue)
			fields->file = arena_printf(arena, "%s/%s", task->catalogue, fields->file);
		fields->where = fields->file;
	}
	free(provider);
}

int
static_fields_read(const struct task *task, struct arena *arena, struct static_fields *fields, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(task->fields, &problems), login = place_member(&root, "ssh-auth");
	int failed;

	*fields = (struct static_fields){.list = jv_invalid(), .bastion = jv_invalid()};
	static_fields_take_machines(&root, task, arena, fields);
	fields->user = name_parse_as(&root, "user", NEED_OPTIONAL, name_is_user, "a user name", arena);
	fields->identityfile = place_string(&root, "identityfile", NEED_OPTIONAL, arena);
	fields->hosts = place_boolean(&root, "hosts", true);
	fields->admits = place_boolean(&root, "authorized_keys", true);
	if (place_object(&login, NEED_OPTIONAL))
		machines_parse_login(&login, fields->identityfile, arena, &fields->login);
	fields->bastion = bastion_read(&login, false);
	if (fields->identityfile && location_is_own(fields->identityfile))
		place_problem(&root, "identityfile %s: it is coopr's own", fields->identityfile);
	failed = problems_error(&problems, "fields", EX_CONFIG, err);
	problems_release(&problems);
	return failed;
}

int
static_fields_machines(const struct static_fields *fields, struct machines *machines, struct error *err)
{
	bool is_entered = fields->identityfile || fields->login.key || fields->login.password;

	return fields->file ? machines_read(fields->file, machines, err) : machines_take(fields->list, fields->where, is_entered, machines, err);
}
