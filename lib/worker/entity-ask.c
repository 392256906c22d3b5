/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/entity-ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/printable.h"
#include "base/process.h"
#include "confine/confine.h"
#include "exec/plugin-schema.h"
#include "exec/redaction.h"
#include "json/json.h"
#include "model/result.h"
#include "model/take/origin.h"
#include "worker/identity.h"
#include "worker/machine-claims.h"
#include "worker/secrets.h"

enum { CHUNK = 1 << 16, RECORD_MAX = 1 << 20, SAID_MAX = 1 << 10 };

struct reading {
	const char *plugin;        /* its file */
	const char *name, *verb;   /* for messages: provider/TYPE, whose file is nobody's affair, and what it is asked */
	int (*each)(void *context, const char *line, size_t length, struct error *err);
	void *context;
	struct buffer pending;
	struct buffer said; /* the last line of its messages, which says why where it fails: others are passed on */
	struct redaction values; /* of the secrets that the plugin is told */
};

/* Returns the entity with its secrets, whose values are also put into values, the claims of its nodes and the id of the
 * installation; invalid with a reason. */
static jv
entity_ask_fill(const char *provider, const char *tenant, struct redaction *values, struct error *err)
{
	jv record = jv_object(), cluster = jv_object(), entity;

	if (json_parse("the provider", provider, strlen(provider), &entity, err) < 0) {
		jv_free(record);
		jv_free(cluster);
		return jv_invalid();
	}
	json_set_string(&cluster, "tenant", tenant);
	json_set(&cluster, "provider", entity);
	json_set(&record, "cluster", cluster);
	if (secrets_fill(&record, values, err) == 0) {
		cluster = json_get(record, "cluster");
		entity = json_get(cluster, "provider");
		jv_free(cluster);
	} else {
		err->code = err->absent ? EX_DATAERR : err->code; /* a secret that it names */
		entity = jv_invalid();
	}
	if (jv_is_valid(entity) && (machine_claims_fill(&entity, err) < 0 || identity_tell_entity(&entity, err) < 0)) {
		jv_free(entity);
		entity = jv_invalid();
	}
	jv_free(record);
	return entity;
}

/* Returns a descriptor to read the entity from, which is in no file, as it may have secrets. */
static int
entity_ask_descriptor_of(jv entity, struct error *err)
{
	struct buffer text = {0};
	int fd = memfd_create("provider", MFD_CLOEXEC);

	json_dump(entity, &text);
	if (fd < 0 || file_write_all(fd, text.data, text.length) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		error_errno(err, EX_OSERR, "what the provider is told");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	buffer_release(&text);
	return fd;
}

/* Takes a line, in which the plugin may have repeated a secret that it was told. */
static int
entity_ask_take_line(struct reading *reading, const char *line, size_t length, struct error *err)
{
	struct buffer shown = {0};
	int result;

	if (reading->values.count) {
		redaction_text(&reading->values, line, length, &shown);
		line = shown.data;
		length = shown.length;
	}
	result = reading->each(reading->context, line, length, err);
	buffer_release(&shown);
	return result;
}

static int
entity_ask_take_lines(struct reading *reading, struct error *err)
{
	size_t start = 0;
	char *end;

	while (start < reading->pending.length &&
	       (end = memchr(reading->pending.data + start, '\n', reading->pending.length - start))) {
		size_t length = (size_t)(end - reading->pending.data) - start;

		if (length > 0 && entity_ask_take_line(reading, reading->pending.data + start, length, err) < 0)
			return -1;
		start += length + 1;
	}
	buffer_drop(&reading->pending, start);
	return reading->pending.length <= RECORD_MAX ? 0
	     : error_set(err, EX_DATAERR, "%s %s: a line is longer than %d bytes", reading->name, reading->verb, RECORD_MAX);
}

/* Passes on the first bytes of what the plugin has said. */
static void
entity_ask_pass_on(struct reading *reading, size_t length)
{
	if (length > 0)
		file_write_all(STDERR_FILENO, reading->said.data, length);
	buffer_drop(&reading->said, length);
}

/* Passes on what the plugin has said but for the last line, unless that is too long for a reason. */
static void
entity_ask_keep_last_line(struct reading *reading)
{
	const struct buffer *said = &reading->said;
	size_t last = said->length;

	while (last > 0 && (last == said->length || said->data[last - 1] != '\n'))
		last--;
	entity_ask_pass_on(reading, said->length - last > SAID_MAX ? said->length : last);
}

/* Reads what there is: 1; 0 at the end. Lines of its output are taken, and messages, both without the secrets. */
static int
entity_ask_read_some(struct reading *reading, int fd, bool is_out, struct error *err)
{
	char bytes[CHUNK];
	ssize_t got = read(fd, bytes, sizeof bytes);

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : error_errno(err, EX_IOERR, "%s %s", reading->name, reading->verb);
	if (is_out) {
		buffer_append(&reading->pending, bytes, (size_t)got);
		return entity_ask_take_lines(reading, err) < 0 ? -1 : got > 0;
	}
	if (got > 0)
		redaction_pass(&reading->values, bytes, (size_t)got, &reading->said);
	else
		redaction_end(&reading->values, &reading->said);
	entity_ask_keep_last_line(reading);
	return got > 0;
}

/* Reads until both streams have ended. */
static int
entity_ask_read_all(struct reading *reading, int out, int said, struct error *err)
{
	struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = said, .events = POLLIN}};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
		for (int i = 0; i < 2; i++) {
			int more = fds[i].fd >= 0 && fds[i].revents ? entity_ask_read_some(reading, fds[i].fd, i == 0, err) : 1;

			if (more < 0)
				return -1;
			if (more == 0)
				fds[i].fd = -1;
		}
	}
	return reading->pending.length == 0 ? 0 : error_set(err, EX_DATAERR, "%s %s: what it printed is truncated", reading->name, reading->verb);
}

/* Starts the plugin with two pipes, of which it has the ends to write into. */
static int
entity_ask_start(struct process *process, int ours[2], struct error *err)
{
	int out[2] = {-1, -1}, said[2] = {-1, -1}, result = -1;

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(said, O_CLOEXEC) < 0) {
		error_errno(err, EX_OSERR, "%s", process->argv[0]);
	} else {
		process->out = out[1];
		process->err = said[1];
		result = process_start(process, err);
	}
	for (int i = 0; i < 2; i++) {
		int *ends = i == 0 ? out : said;

		if (ends[1] >= 0)
			close(ends[1]);
		if (result < 0 && ends[0] >= 0)
			close(ends[0]);
		ours[i] = ends[0];
	}
	return result;
}

/* Fails as the plugin has, with its last line. What it refuses for good is wrong in the provider: others may be told that another system is to
 * blame, or only the time. */
static int
entity_ask_fail(struct reading *reading, int code, struct error *err)
{
	int ours = result_is_permanent(code) ? EX_DATAERR : code == EX_PROTOCOL ? EX_PROTOCOL : EX_UNAVAILABLE;
	struct buffer why = {0};
	char *how = process_end_text(code);

	printable_line(buffer_string(&reading->said), &why);
	if (why.length > 0)
		error_set(err, ours, "%s %s: %s", reading->name, reading->verb, message_own_words(reading->name, buffer_string(&why)));
	else
		error_set(err, ours, "%s %s %s", reading->name, reading->verb, how);
	free(how);
	buffer_clear(&reading->said);
	buffer_release(&why);
	return -1;
}

static int
entity_ask_run(struct reading *reading, int in, struct error *err)
{
	char *const argv[] = {(char *)(uintptr_t)reading->plugin, (char *)(uintptr_t)reading->verb, NULL};
	const struct confine_plugin none = {.wants = 0};
	struct confined confined;
	struct process process = {.argv = argv, .in = in, .die_with_us = true,
	    .confinement = confine_start(&confined, reading->plugin, &none)};
	int ours[2], code, result;

	result = entity_ask_start(&process, ours, err);
	if (process.confinement)
		confine_release(&confined);
	if (result < 0)
		return -1;
	result = entity_ask_read_all(reading, ours[0], ours[1], err);
	close(ours[0]);
	close(ours[1]);
	if (result < 0) {
		struct error ignored; /* the first reason is the one to tell */

		kill(process.pid, SIGTERM);
		process_wait(&process, &ignored);
		return -1;
	}
	code = process_wait(&process, err);
	return code <= 0 ? code : entity_ask_fail(reading, code, err);
}

/* Refuses what a tenant must not have written, before the plugin gets it. */
static int
entity_ask_check_origin(jv entity, const char *type, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(entity, &problems), fields = place_member(&root, "provisioner");
	struct place named = place_member(&root, "providertype");
	int result = 0;
	jv schema;

	if (origin_of(entity, ORIGIN_INSTALLATION) == ORIGIN_TENANT) {
		schema = plugin_schema("provider", type);
		origin_check_plugin(&named, &fields, schema);
		result = problems_error(&problems, "the provider", EX_NOPERM, err);
		jv_free(schema);
	}
	problems_release(&problems);
	return result;
}

int
entity_ask(const char *provider, const char *tenant, const char *verb,
    int (*each)(void *context, const char *line, size_t length, struct error *err), void *context, struct error *err)
{
	struct reading reading = {.verb = verb, .each = each, .context = context};
	jv entity = entity_ask_fill(provider, tenant, &reading.values, err);
	char *type = json_get_string(entity, "providertype"), *plugin = type ? location_plugin("provider", type) : NULL;
	char *name = memory_printf("provider/%s", type ? type : "");
	int in = -1, result = -1;

	reading.plugin = plugin;
	reading.name = name;
	if (jv_is_valid(entity) && !plugin)
		error_set(err, EX_DATAERR, "provider type \"%s\": it has no plugin", type ? type : "");
	else if (jv_is_valid(entity) && entity_ask_check_origin(entity, type, err) == 0)
		in = entity_ask_descriptor_of(entity, err);
	if (in >= 0) {
		result = entity_ask_run(&reading, in, err);
		close(in);
	}
	entity_ask_pass_on(&reading, reading.said.length);
	buffer_release(&reading.pending);
	buffer_release(&reading.said);
	redaction_release(&reading.values);
	free(plugin);
	free(name);
	free(type);
	jv_free(entity);
	return result;
}
