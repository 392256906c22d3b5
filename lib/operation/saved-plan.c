/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/saved-plan.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/accounts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "json/json.h"
#include "json/scan.h"
#include "preview/preview.h"
#include "store/key.h"

/* Parses a line; returns whether it is a record of that kind, which the caller frees then. */
static bool
saved_plan_is_record(const char *line, size_t length, const char *kind, jv *record)
{
	struct error ignored; /* then it is none */
	char *found;
	bool is;

	if (json_parse("", line, length, record, &ignored) < 0)
		return false;
	found = json_get_string(*record, "kind");
	is = found && strcmp(found, kind) == 0;
	free(found);
	if (!is)
		jv_free(*record);
	return is;
}

/* Reads the header, and the seal, which is the last line; returns where the seal begins, or -1. */
static ssize_t
saved_plan_find_seal(struct saved_plan *plan, struct error *err)
{
	const char *text = plan->text.data, *line;
	size_t length = plan->text.length, first;
	char *mac = NULL;
	jv record;

	first = length ? strcspn(text, "\n") : 0;
	if (!first || !saved_plan_is_record(text, first, "savedplan", &plan->header))
		return error_set(err, EX_DATAERR, "%s: not a saved plan; --save FILE of a command that makes a plan saves one",
		    plan->path);
	line = memrchr(text, '\n', length - 1);
	line = line ? line + 1 : text;
	if (text[length - 1] == '\n' && saved_plan_is_record(line, (size_t)(text + length - line), "seal", &record)) {
		mac = json_get_string(record, "mac");
		jv_free(record);
	}
	if (!mac || strlen(mac) != SAVED_MAC_SIZE - 1) {
		free(mac);
		return error_set(err, EX_DATAERR, "%s: the file is truncated, or has data after its last record; save the plan again",
		    plan->path);
	}
	memcpy(plan->mac, mac, SAVED_MAC_SIZE);
	free(mac);
	return line - text;
}

/* A store without a key has sealed nothing. */
int
saved_plan_verify(const struct saved_plan *plan, const struct account_ask *ask, struct error *err)
{
	char *path = location_store(ask->store), mac[SAVED_MAC_SIZE] = "";
	struct store_key key = {0};
	struct store *store;
	int result = store_open(&store, path, STORE_READ, NULL, err);
	bool same = false;

	if (result == 0)
		result = store_key_read(store, &key, err) < 0 && err->code != EX_NOINPUT ? -1 : 0;
	for (size_t i = 0; result == 0 && i < key.count && !same; i++) {
		const struct store_key one = store_key_at(&key, i);

		saved_plan_seal(&one, plan->text.data, plan->sealed, mac);
		same = sodium_memcmp(mac, plan->mac, sizeof mac) == 0;
	}
	if (result == 0 && !same)
		result = error_set(err, EX_DATAERR,
		    "%s: it has been changed, or was saved from "
		    "another store; save the plan again", plan->path);
	store_key_release(&key);
	store_release(store);
	free(path);
	return result;
}

/* Reads the members of the header, which another version of coopr may have written. */
static int
saved_plan_understand(struct saved_plan *plan, struct error *err)
{
	struct problems problems = {0};
	const struct place place = place_root(plan->header, &problems);

	saved_plan_record_parse(&place, &plan->arena, &plan->said);
	plan->id = plan->said.cluster ? cluster_id_of(plan->said.cluster) : 0;
	if (problems.total || !plan->id || !lifecycle_find(plan->said.action)) {
		problems_release(&problems);
		return error_set(err, EX_DATAERR, "%s: another version of coopr saved it; save the plan again", plan->path);
	}
	plan->records = plan->text.data + strcspn(plan->text.data, "\n") + 1;
	plan->length = (size_t)(plan->text.data + plan->sealed - plan->records);
	plan->command = memory_printf("%s # plan %.16s", plan->said.command, plan->mac);
	return 0;
}

/* Reads the file, and finds the seal. */
static int
saved_plan_load(struct saved_plan *plan, const char *path, struct error *err)
{
	bool from_stdin = strcmp(path, "-") == 0;
	ssize_t end = -1;
	int fd;

	*plan = (struct saved_plan){.path = from_stdin ? "standard input" : path, .header = jv_invalid()};
	if (sodium_init() < 0)
		return error_set(err, EX_OSERR, "libsodium cannot be used");
	fd = from_stdin ? STDIN_FILENO : file_open(AT_FDCWD, path, O_RDONLY, 0, err);
	if (fd < 0)
		return -1;
	if (file_read_fd(fd, plan->path, JSON_BYTES, &plan->text, err) == 0)
		end = saved_plan_find_seal(plan, err);
	if (!from_stdin)
		close(fd);
	plan->sealed = end < 0 ? 0 : (size_t)end;
	return end < 0 ? -1 : 0;
}

int
saved_plan_open(struct saved_plan *plan, const char *path, struct error *err)
{
	return saved_plan_load(plan, path, err) < 0 ? -1 : saved_plan_understand(plan, err);
}

int
saved_plan_read(struct saved_plan *plan, const char *path, const struct account_ask *ask, struct error *err)
{
	return saved_plan_load(plan, path, err) < 0 || saved_plan_verify(plan, ask, err) < 0 ? -1 : saved_plan_understand(plan, err);
}

void
saved_plan_basis(const struct saved_plan *plan, struct preview_basis *basis)
{
	jv said = plan->said.basis;

	*basis = (struct preview_basis){.cost = json_get_number(said, "cost", 0),
	    .prices = json_get(said, "prices"), .config = json_get(said, "config"),
	    .stateful = json_get(said, "stateful")};
}

void
saved_plan_release(struct saved_plan *plan)
{
	free(plan->command);
	arena_release(&plan->arena);
	jv_free(plan->header);
	buffer_release(&plan->text);
	*plan = (struct saved_plan){.header = jv_invalid()};
}
