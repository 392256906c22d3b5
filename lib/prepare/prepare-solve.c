/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/prepare-solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/preference.h"
#include "catalogue/amend.h"
#include "exec/plugin-find.h"
#include "exec/plugin-schema.h"
#include "inspect/config-spelling.h"
#include "inspect/fields.h"
#include "inspect/inspect.h"
#include "json/scan.h"
#include "model/layout.h"
#include "model/objective.h"
#include "model/request.h"
#include "operation/context.h"
#include "operation/run-command.h"
#include "prepare/change-remedy.h"
#include "prepare/prepare-address.h"

int
prepare_solve_write(const struct operation_context *context, jv request, struct error *err)
{
	struct buffer text = {0};
	int result;

	json_dump(request, &text);
	buffer_byte(&text, '\n');
	result = workdir_write(&context->job_dir, "request.json", text.data, text.length, err);
	buffer_release(&text);
	return result;
}

/* Reads request.json, owned, and has it say which address the cluster is to have. */
static int
prepare_solve_read(const struct operation_context *context, jv *request, struct error *err)
{
	char *path = workdir_path(&context->job_dir, "request.json");
	int result = json_read_file(path, request, err);

	free(path);
	if (result < 0)
		return -1;
	result = prepare_address(context, request, err);
	if (result > 0)
		result = prepare_solve_write(context, *request, err);
	if (result < 0)
		jv_free(*request);
	return result;
}

/* Returns the service of whose instances the cluster's request asked for a number before, as the one in the folder does, if that is
 * part of the conflict; the caller frees it. NULL if there is none. */
static char *
prepare_solve_find_scaled(const struct operation_context *context, jv conflict)
{
	jv pointers = json_get(conflict, "conflict"), before = jv_invalid(), cluster, instances;
	static const char at[] = "/cluster/instances/";
	struct error ignored; /* then nothing was asked for */
	char *service = NULL;

	if (context->cluster && cluster_documents_request(&context->documents, context->workdir.name, &before, &ignored) < 0)
		before = jv_invalid();
	cluster = json_get(before, "cluster");
	instances = json_get(cluster, "instances");
	for (size_t i = 0; i < json_length(pointers) && !service; i++) {
		jv pointer = json_element(pointers, i);
		const char *text = json_string(pointer);

		if (text && strncmp(text, at, strlen(at)) == 0 && jv_get_kind(instances) == JV_KIND_OBJECT) {
			jv asked = json_get(instances, text + strlen(at));

			if (jv_is_valid(asked))
				service = memory_string(text + strlen(at));
			jv_free(asked);
		}
		jv_free(pointer);
	}
	jv_free(instances);
	jv_free(cluster);
	jv_free(before);
	jv_free(pointers);
	return service;
}

/* Returns whether the template's least number of machines is part of the conflict. */
static bool
prepare_solve_is_of_size(jv conflict)
{
	jv members = json_get(conflict, "conflict");
	bool found = false;

	for (size_t i = 0; i < json_length(members) && !found; i++) {
		jv pointer = json_element(members, i);

		found = json_string(pointer) && strcmp(json_string(pointer), "/template/constraints/size/min") == 0;
		jv_free(pointer);
	}
	jv_free(members);
	return found;
}

/* Fails with the reason why there is no layout, in the solver's words. */
static int
prepare_solve_refuse(const struct operation_context *context, const struct buffer *answer, struct error *err)
{
	struct error unread;
	char *because = NULL, *scaled = NULL;
	bool size = false;
	jv conflict;

	if (answer->length && json_parse("the answer", answer->data, strcspn(answer->data, "\n"), &conflict, &unread) == 0) {
		because = json_get_string(conflict, "because");
		scaled = prepare_solve_find_scaled(context, conflict);
		size = prepare_solve_is_of_size(conflict);
		jv_free(conflict);
	}
	if (because && scaled)
		error_set(err, EX_NO, "%s: no layout satisfies the request: %s; the number of %s was asked for before, and coopr scale "
		    "%s %s=auto leaves it to the template again", context->workdir.name, because, scaled, context->workdir.name, scaled);
	else if (because)
		error_set(err, EX_NO, "%s: no layout satisfies the request: %s%s", context->workdir.name, because,
		    size ? "; ask for more machines" : "");
	if (because && !scaled && size)
		error_way_out(err, "force", ", or use --force");
	else if (because && !scaled)
		change_remedy_append(context, err);
	free(scaled);
	free(because);
	return -1;
}

/* Fails where the cluster would become larger than the setting allows: count machines, of which present are there. */
static int
prepare_solve_refuse_size(const struct operation_context *context, double count, double present, struct error *err)
{
	long most = preference_machines();
	char *path;

	if (count <= (double)most || count <= present)
		return 0;
	path = home_system_config("config");
	error_set(err, EX_NO, "%s: %.0f %s more than the %ld that a cluster may have here; "
	    "ask for fewer, or raise the setting machines in %s", context->workdir.name, count,
	    plural(count, "machine is", "machines are"), most, path);
	free(path);
	return -1;
}

/* Fails where a field of the request of a new cluster would only fail at its task: a script that is not there, say. Unknown fields are for
 * coopr-validate. */
static int
prepare_solve_inspect(const struct operation_context *context, jv document, struct error *err)
{
	struct problems errors = {0}, warnings = {0};
	struct fields_check check = {.warnings = &warnings};
	struct place root = place_root(document, &errors);
	int result = 0;

	inspect_fields(&check, &root);
	if (errors.total)
		result = error_set(err, EX_CONFIG, "%s: %s: %s", context->workdir.name, errors.list[0].pointer, errors.list[0].text);
	fields_check_release(&check);
	problems_release(&errors);
	problems_release(&warnings);
	return result;
}

/* Returns whether the configuration of the request is that of the cluster before. */
static bool
prepare_solve_keeps_config(const struct operation_context *context, jv document)
{
	jv before = jv_invalid(), cluster = json_get(document, "cluster"), config = json_get(cluster, "config"), was = jv_invalid();
	struct error ignored; /* then it is another */
	bool keeps = false;

	if (context->cluster && cluster_documents_request(&context->documents, context->cluster->name, &before, &ignored) == 0) {
		jv old = json_get(before, "cluster");

		was = json_get(old, "config");
		jv_free(old);
		keeps = jv_equal(jv_copy(was), jv_copy(config));
	}
	jv_free(was);
	jv_free(config);
	jv_free(cluster);
	jv_free(before);
	return keeps;
}

/* Tells of members of a new configuration that are misspelt. */
static void
prepare_solve_tell_misspelt(const struct operation_context *context, jv document)
{
	struct problems misspelt = {0};
	struct place root = place_root(document, NULL);

	if (!prepare_solve_keeps_config(context, document))
		config_spelling_check(&root, &misspelt);
	for (size_t i = 0; i < misspelt.count; i++) {
		char *text = memory_printf("warning: %s: %s", misspelt.list[i].pointer, misspelt.list[i].text);

		context->options->runner.notice(text);
		free(text);
	}
	problems_release(&misspelt);
}

/* Checks the least number of machines that is asked for. */
static int
prepare_solve_check_asked(const struct operation_context *context, jv request, struct error *err)
{
	jv cluster = json_get(request, "cluster"), machines = json_get(cluster, "numMachines"), nodes = json_get(request, "nodes");
	double least;
	int result;

	least = jv_get_kind(machines) == JV_KIND_NUMBER ? jv_number_value(machines) : json_get_number(machines, "min", 1);
	result = prepare_solve_refuse_size(context, least, (double)json_length(nodes), err);
	jv_free(nodes);
	jv_free(machines);
	jv_free(cluster);
	return result;
}

/* Fails where a service of the cluster asks for volumes, and the provider has none. A plugin that is not here may have some. */
static int
prepare_solve_check_volumes(const struct operation_context *context, const struct request *request, struct error *err)
{
	const struct service *asks = NULL;
	int result = 0;
	jv schema;

	for (size_t i = 0; i < request->service_count && !asks; i++)
		if (request->services[i].volume_count && request_service_index(request, request->services[i].name) != SIZE_MAX)
			asks = &request->services[i];
	if (!asks)
		return 0;
	schema = plugin_schema("provider", request->provider.providertype);
	if (jv_is_valid(schema) && !json_is(schema, "volumes", JV_KIND_TRUE))
		result = error_set(err, EX_DATAERR, "%s: the service %s asks for volumes, and the provider \"%s\" has none (its plugin \"%s\" does not say in "
		    "describe that it has); choose another provider, or leave the volumes out", context->workdir.name, asks->name, request->provider.name,
		    request->provider.providertype);
	jv_free(schema);
	return result;
}

/* Checks whether the plugins here can do what the request, if it is well-formed, asks for: services too where it is tried. */
static int
prepare_solve_check_plugins(const struct operation_context *context, jv document, bool is_tried, struct error *err)
{
	struct problems unread = {0}; /* coopr-solve says what is malformed */
	struct request request;
	int result = 0;

	request_parse(document, &request, &unread);
	if (is_tried && !unread.total && plugin_find_of_request(&request, err) < 0)
		result = error_prefix(err, "%s", context->workdir.name);
	if (is_tried && !unread.total && result == 0)
		result = prepare_solve_inspect(context, document, err);
	if (!unread.total && result == 0)
		result = prepare_solve_check_volumes(context, &request, err);
	request_release(&request);
	problems_release(&unread);
	return result;
}

/* Looks for what would only fail later: at the first task, or after much work. */
static int
prepare_solve_check(const struct operation_context *context, jv document, struct error *err)
{
	const struct operation_options *options = context->options;
	/* Workers elsewhere may have other plugins, and a rehearsal needs none. */
	bool is_tried = !context->cluster && !options->detach && !options->dry && !options->save;
	jv services = json_get(document, "services");
	int result = prepare_solve_check_asked(context, document, err);

	prepare_solve_tell_misspelt(context, document);
	if (result == 0 && (is_tried || services_ask_for_volumes(services)))
		result = prepare_solve_check_plugins(context, document, is_tried, err);
	jv_free(services);
	return result;
}

/* Checks the number of machines of the layout, each in a line of its own. */
static int
prepare_solve_check_found(const struct operation_context *context, const struct buffer *answer, struct error *err)
{
	struct layout layout;
	int64_t count = 0, present = 0;
	size_t lines = 0;
	int result;

	for (size_t i = 0; i < answer->length; i++)
		lines += answer->data[i] == '\n';
	if (lines <= (size_t)preference_machines() + 1)
		return 0;
	result = layout_parse_text(buffer_string(answer), &layout, err);
	for (size_t i = 0; result == 0 && i < layout.node_count; i++) {
		count += !layout.nodes[i].leaves;
		present += !layout.nodes[i].is_new;
	}
	layout_release(&layout);
	return result == 0 ? prepare_solve_refuse_size(context, (double)count, (double)present, err) : -1;
}

int
prepare_solve(const struct operation_context *context, bool allow_moves, struct error *err)
{
	struct buffer request = {0}, answer = {0};
	struct arguments arguments = {0};
	jv document;
	int result = prepare_solve_read(context, &document, err);

	if (result == 0) {
		result = prepare_solve_check(context, document, err);
		jv_free(document);
	}
	if (result == 0)
		result = file_read(context->job_dir.fd, "request.json", JSON_BYTES, &request, err);
	run_command_init(&arguments, "coopr-solve");
	if (allow_moves)
		arguments_push(&arguments, "--allow-moves");
	if (result == 0 && run_command_in_memory(&arguments, &request, &answer, err) < 0)
		result = err->code == EX_NO ? prepare_solve_refuse(context, &answer, err) : -1;
	if (result == 0)
		result = prepare_solve_check_found(context, &answer, err);
	if (result == 0)
		result = workdir_write(&context->job_dir, "layout.ndjson", answer.data, answer.length, err);
	arguments_release(&arguments);
	buffer_release(&answer);
	buffer_release(&request);
	return result;
}

/* Returns whether one of the template's objectives keeps the number of machines small. */
static bool
prepare_solve_is_bounded(jv objectives)
{
	bool bounds = false;

	for (size_t i = 0; i < json_length(objectives) && !bounds; i++) {
		jv name = json_element(objectives, i);
		enum objective objective = json_string(name) ? objective_find(json_string(name)) : OBJECTIVE_COUNT;

		bounds = objective < OBJECTIVE_COUNT && objective_row(objective)->bounds_machines;
		jv_free(name);
	}
	return bounds;
}

/* Returns the request, owned, with the fewest machines as an objective before "dense", which else wants as many as there may be;
 * invalid where the template bounds them itself. */
static jv
prepare_solve_with_fewest(jv request)
{
	jv template = json_get(request, "template"), objectives = json_get(template, "objective"), wanted = jv_array();
	jv changed = jv_invalid();

	if (!prepare_solve_is_bounded(objectives)) {
		for (size_t i = 0; i < json_length(objectives); i++) {
			jv name = json_element(objectives, i);

			if (json_string(name) && strcmp(json_string(name), objective_name(OBJECTIVE_DENSE)) != 0)
				wanted = jv_array_append(wanted, jv_copy(name));
			jv_free(name);
		}
		wanted = jv_array_append(wanted, jv_string(objective_name(OBJECTIVE_MACHINES)));
		wanted = jv_array_append(wanted, jv_string(objective_name(OBJECTIVE_DENSE)));
		json_set(&template, "objective", jv_copy(wanted));
		changed = jv_copy(request);
		json_set(&changed, "template", jv_copy(template));
	}
	jv_free(wanted);
	jv_free(objectives);
	jv_free(template);
	return changed;
}

/* Solves the request with as many machines as the layout found has. Where present machines would have to leave and others to come
 * for that, the layout found stays. */
static int
prepare_solve_settle(const struct operation_context *context, jv *request, bool again, bool allow_moves, struct error *err)
{
	struct buffer found = {0};
	int result = file_read(context->job_dir.fd, "layout.ndjson", JSON_BYTES, &found, err);

	if (result == 0)
		result = amend_settle_machines(request, buffer_string(&found), err);
	if (result == 0)
		result = prepare_solve_write(context, *request, err);
	if (result == 0 && again && prepare_solve(context, allow_moves, err) < 0)
		result = err->code == EX_NO
		    ? workdir_write(&context->job_dir, "layout.ndjson", found.data, found.length, err) : -1;
	buffer_release(&found);
	return result;
}

int
prepare_solve_open(const struct operation_context *context, bool allow_moves, struct error *err)
{
	jv request, fewest;
	int result = prepare_solve_read(context, &request, err);
	bool again;

	if (result < 0)
		return -1;
	fewest = prepare_solve_with_fewest(request);
	again = jv_is_valid(fewest);
	if (again)
		result = prepare_solve_write(context, fewest, err);
	if (result == 0)
		result = prepare_solve(context, allow_moves, err);
	if (result == 0)
		result = prepare_solve_settle(context, &request, again, allow_moves, err);
	jv_free(fewest);
	jv_free(request);
	return result;
}
