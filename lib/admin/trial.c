/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/message.h"
#include "base/process.h"
#include "catalogue/catalogue.h"
#include "model/plan.h"
#include "model/take/config.h"
#include "model/take/setting.h"
#include "model/take/take-record.h"
#include "operation/run-command.h"
#include "sandbox/helper/ask.h"
#include "sandbox/world/nested.h"

enum { ANSWER_BYTES = 1 << 20, MACHINE_TIMEOUT_S = 120, ASK_AGAIN_MS = 1000 };

struct trial {
	const struct trial_options *options;
	struct catalogue catalogue;
	struct findings findings;
	const struct service *service;
	char *catalogue_path, *dir, *nodes;
	jv provider, config, machine;
};

static volatile sig_atomic_t stopped;

static void
trial_stop(int number)
{
	stopped = number;
}

/* Reads the catalogue and finds the service. */
static int
trial_find_service(struct trial *trial, struct error *err)
{
	char *path = location_catalogue(trial->options->catalogue);
	const struct entity *entity;

	trial->catalogue_path = realpath(path, NULL);
	if (catalogue_load(path, &trial->catalogue, &trial->findings, err) < 0) {
		free(path);
		return -1;
	}
	free(path);
	for (size_t i = 0; i < trial->findings.count; i++)
		message("%s/%s: %s: %s", trial->catalogue_path, trial->findings.list[i].file, trial->findings.list[i].pointer,
		    trial->findings.list[i].text);
	if (trial->findings.count)
		return error_set(err, EX_DATAERR, "%s: the catalogue is malformed; coopr-validate checks it", trial->catalogue_path);
	entity = catalogue_need(&trial->catalogue, ENTITY_SERVICE, trial->options->service, err);
	trial->service = entity ? &entity->service : NULL;
	return entity ? 0 : -1;
}

/* Makes the configuration from the options. */
static int
trial_read_config(struct trial *trial, struct error *err)
{
	const struct trial_options *options = trial->options;
	jv template;

	trial->config = jv_object();
	if (options->template) {
		template = catalogue_template(&trial->catalogue, options->template, err);
		if (!jv_is_valid(template))
			return -1;
		jv_free(trial->config);
		trial->config = config_of_template(template);
		jv_free(template);
	}
	if (options->config) {
		jv_free(trial->config);
		trial->config = jv_invalid();
		if (json_read_document(options->config, &trial->config, NULL, err) < 0)
			return -1;
		if (jv_get_kind(trial->config) != JV_KIND_OBJECT)
			return error_set(err, EX_DATAERR, "%s: expected object, found %s", options->config, json_kind_name(trial->config));
	}
	for (size_t i = 0; i < options->changes.count; i++)
		if (config_set(&trial->config, options->changes.list[i], err) < 0)
			return -1;
	return 0;
}

/* Makes the provider: that of the catalogue for sandboxes, if it has one, with a network that no cluster of root has. */
static void
trial_make_provider(struct trial *trial)
{
	const struct entity *entity = catalogue_find(&trial->catalogue, ENTITY_PROVIDER, "sandbox");
	jv fields = entity && jv_get_kind(entity->provider.fields) == JV_KIND_OBJECT ? jv_copy(entity->provider.fields) : jv_object();
	struct error ignored;
	char *network = memory_printf("10.212.%d.0/24", (int)(getpid() % 256));

	if (geteuid() == 0 || !ask_is_allowed(&ignored)) /* the helper's is for all whom it helps */
		json_set_string(&fields, "network", network);
	free(network);
	trial->provider = jv_object();
	json_set_string(&trial->provider, "kind", "provider");
	json_set_string(&trial->provider, "name", "sandbox");
	json_set_string(&trial->provider, "providertype", "sandbox");
	json_set(&trial->provider, "provisioner", fields);
}

/* Makes a folder in place of that for the state, so that nothing else of the installation sees the machine; its secrets stay. */
static int
trial_make_state(struct trial *trial, struct error *err)
{
	char *state = location_state(), *store = location_store(NULL);
	int result = file_make_dirs(AT_FDCWD, state, 0755, err);

	trial->dir = memory_printf("%s/test-XXXXXX", state);
	if (result == 0 && !mkdtemp(trial->dir))
		result = error_errno(err, EX_CANTCREAT, "%s", trial->dir);
	trial->nodes = memory_printf("%s/nodes.ndjson", trial->dir);
	setenv("COOPR_STORE", store, 1);
	setenv("COOPR_STATE", trial->dir, 1);
	free(store);
	free(state);
	return result;
}

static void
trial_make_machine(struct trial *trial)
{
	const char *names[] = {trial->service->name};
	char *id = memory_printf("test%d-1000", (int)getpid()), *hostname = memory_printf("test%d-1000.local", (int)getpid());

	trial->machine = jv_object();
	json_set_string(&trial->machine, "kind", "node");
	json_set_string(&trial->machine, "id", id);
	json_set_string(&trial->machine, "hostname", hostname);
	json_set_number(&trial->machine, "nodenum", 1000);
	json_set_string(&trial->machine, "image", "host");
	json_set_string(&trial->machine, "sshuser", "root");
	json_set(&trial->machine, "services", json_strings(names, 1));
	json_set(&trial->machine, "was", jv_null());
	free(id);
	free(hostname);
}

/* Makes the record of a cluster of one machine, from which its settings are made; owned. */
static jv
trial_cluster(const struct trial *trial)
{
	const char *services[] = {trial->service->name};
	char id[16];
	jv cluster = jv_object();

	snprintf(id, sizeof id, "%08d", (int)getpid());
	json_set_string(&cluster, "kind", "cluster");
	json_set_string(&cluster, "id", id);
	json_set_string(&cluster, "name", "test");
	json_set_string(&cluster, "catalogue", trial->catalogue_path);
	json_set(&cluster, "services", json_strings(services, 1));
	json_set(&cluster, "config", jv_copy(trial->config));
	json_set(&cluster, "provider", jv_copy(trial->provider));
	return cluster;
}

/* Appends what a task is told of the cluster, the macros of its configuration expanded by what is known of the machine. */
static int
trial_print_setting(const struct trial *trial, const struct buffer *machine, struct arena *arena, struct buffer *out, struct error *err)
{
	struct string_list counted = macro_instances_of(trial->config, arena);
	struct macro_instance *instances = arena_alloc(arena, counted.count, sizeof *instances);
	jv record = trial_cluster(trial);
	struct buffer cluster = {0};
	struct setting_nodes nodes = {0};
	struct setting setting = {0};
	int result;

	for (size_t i = 0; i < counted.count; i++)
		instances[i] = (struct macro_instance){counted.list[i], strcmp(counted.list[i], trial->service->name) == 0};
	json_dump(record, &cluster);
	result = setting_add_node(&nodes, machine->data, machine->length, err);
	if (result == 0)
		result = setting_make(&setting, cluster.data, cluster.length, &nodes, true, err);
	if (result == 0)
		result = setting_print(&setting, machine->data, machine->length, instances, counted.count, out, err);
	setting_release(&setting);
	setting_release_nodes(&nodes);
	buffer_release(&cluster);
	jv_free(record);
	return result;
}

/* Appends the task as a plan would have it. */
static void
trial_print_task(const struct trial *trial, enum action action, struct buffer *out)
{
	const struct service_action *its = &trial->service->actions[action];
	bool hardware = action_is_hardware(action);
	char *node = json_get_string(trial->machine, "id");
	struct step step = {.id = action_name(action), .node = node, .action = action,
	    .service = hardware ? NULL : trial->service->name, .fields = "{}",
	    .type = action_is_providers(action) ? "sandbox" : hardware ? "shell" : its->type,
	    .timeout_s = hardware ? MACHINE_TIMEOUT_S : its->timeout_s};
	struct buffer fields = {0};

	if (!hardware && jv_get_kind(its->fields) == JV_KIND_OBJECT) {
		json_dump(its->fields, &fields);
		step.fields = fields.data;
	}
	step_print(&step, out);
	buffer_release(&fields);
	free(node);
}

/* Appends the take record of an action. */
static int
trial_print_record(const struct trial *trial, enum action action, struct buffer *out, struct error *err)
{
	struct take_record taken = {.job = "test-001", .task = action_name(action), .attempt = 1, .action = action, .nodes = trial->nodes};
	struct buffer line = {0}, machine = {0}, cluster = {0};
	struct arena arena = {0};
	struct step step;
	int result;

	json_dump(trial->machine, &machine);
	trial_print_task(trial, action, &line);
	result = trial_print_setting(trial, &machine, &arena, &cluster, err);
	if (result == 0) {
		taken.token = arena_printf(&arena, "test%d-001:%s", (int)getpid(), action_name(action));
		taken.cluster = cluster.data;
		taken.machine = machine.data;
		result = take_record_print(&taken, line.data, line.length - 1, &arena, &step, out, err);
	}
	buffer_release(&line);
	buffer_release(&machine);
	buffer_release(&cluster);
	arena_release(&arena);
	return result;
}

/* Adds the members of an object of the result to that of the machine. */
static void
trial_learn(jv *machine, const char *member, jv learned)
{
	jv known = json_get(*machine, member);

	if (jv_get_kind(learned) == JV_KIND_OBJECT)
		json_set(machine, member, jv_object_merge(jv_get_kind(known) == JV_KIND_OBJECT ? jv_copy(known) : jv_object(),
		    jv_copy(learned)));
	jv_free(known);
}

/* Takes what a result says of the machine, for the tasks that follow. */
static int
trial_take_result(struct trial *trial, jv result, struct error *err)
{
	jv addresses = json_get(result, "ipaddresses"), facts = json_get(result, "result");
	struct buffer text = {0};
	int failed;

	trial_learn(&trial->machine, "ipaddresses", addresses);
	trial_learn(&trial->machine, "facts", facts);
	json_dump(trial->machine, &text);
	buffer_byte(&text, '\n');
	failed = file_replace(AT_FDCWD, trial->nodes, text.data, text.length, 0600, err);
	buffer_release(&text);
	jv_free(facts);
	jv_free(addresses);
	return failed;
}

/* Has coopr-exec do the action. Returns the status of its result, whose message is in *why, the caller's to free; or -1. */
static int
trial_do(struct trial *trial, enum action action, char **why, struct error *err)
{
	jv result = jv_invalid();
	struct arguments arguments = {0};
	struct buffer input = {0}, output = {0};
	int status = trial_print_record(trial, action, &input, err);

	run_command_init(&arguments, "coopr-exec");
	if (status == 0)
		status = process_run(arguments.list, input.data, input.length, &output, NULL, ANSWER_BYTES, err);
	if (status > 0)
		status = error_set(err, status, "%s: coopr-exec ended with %d", action_name(action), status);
	if (status == 0)
		status = json_parse("coopr-exec", output.data, output.length, &result, err);
	if (status == 0 && (status = trial_take_result(trial, result, err)) == 0)
		status = (int)json_get_number(result, "status", 0);
	*why = json_get_string(result, "message");
	jv_free(result);
	buffer_release(&output);
	buffer_release(&input);
	arguments_release(&arguments);
	return status;
}

/* Does the action, or asks for the status until it is 0 or the service's time is over. */
static int
trial_do_until(struct trial *trial, enum action action, char **why, struct error *err)
{
	int64_t end = clock_monotonic_ms() + trial->service->ready_timeout_s * 1000;
	int status;

	while ((status = trial_do(trial, action, why, err)) > 0 && action == ACTION_STATUS && !stopped &&
	    clock_monotonic_ms() < end) {
		free(*why);
		*why = NULL;
		usleep(ASK_AGAIN_MS * 1000);
	}
	return status;
}

/* Does one action, and says how it ended. */
static int
trial_step(struct trial *trial, enum action action, struct error *err)
{
	int64_t began = clock_monotonic_ms();
	char *why = NULL;
	double seconds;
	int status;

	printf("== %s\n", action_name(action));
	fflush(stdout);
	status = trial_do_until(trial, action, &why, err);
	seconds = (double)(clock_monotonic_ms() - began) / 1000;
	if (status == 0)
		printf("ok %s, %.1f s\n", action_name(action), seconds);
	else if (status > 0 && !stopped)
		printf("FAILED %s, %.1f s\n", action_name(action), seconds);
	fflush(stdout);
	if (stopped)
		status = error_set(err, 128 + stopped, "%s: stopped during %s", trial->service->name, action_name(action));
	else if (status > 0)
		status = error_set(err, EX_NO, "%s: %s failed with status %d%s%s", trial->service->name, action_name(action), status,
		    why ? ": " : "", why ? why : "");
	free(why);
	return status;
}

static int
trial_do_all(struct trial *trial, struct error *err)
{
	static const enum action steps[] = {ACTION_CREATE, ACTION_CONFIRM, ACTION_BOOTSTRAP, ACTION_INSTALL, ACTION_CONFIGURE,
	    ACTION_INITIALIZE, ACTION_START, ACTION_STATUS, ACTION_RELOAD, ACTION_RESTART, ACTION_DRAIN, ACTION_STOP, ACTION_REMOVE};
	int result = 0;

	for (size_t i = 0; i < sizeof steps / sizeof *steps && result == 0; i++) {
		if (stopped)
			return error_set(err, 128 + stopped, "%s: stopped before %s", trial->service->name, action_name(steps[i]));
		if (action_is_hardware(steps[i]) || trial->service->actions[steps[i]].present)
			result = trial_step(trial, steps[i], err);
	}
	return result;
}

/* Removes the machine and all that belongs to it, in a session of its own, which ^C does not reach. */
static int
trial_clean(const struct trial *trial, struct error *err)
{
	char *provider = location_plugin("provider", "sandbox"), purge[] = "purge";
	char *argv[] = {provider, purge, NULL};
	struct process process = {.argv = argv, .in = PROCESS_NULL, .out = PROCESS_NULL, .err = PROCESS_INHERIT, .session = true};
	int code = process_start(&process, err);

	if (code == 0)
		while ((code = process_wait(&process, err)) < 0 && stopped && kill(process.pid, 0) == 0)
			continue;
	free(provider);
	if (code != 0)
		return error_set(err, EX_OSERR, "%s: the machine is not removed; run it again: COOPR_STATE=%s provider/sandbox purge",
		    trial->service->name, trial->dir);
	return file_remove_tree(AT_FDCWD, trial->dir, err);
}

static void
trial_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = trial_stop};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Makes the machine, has every action done on it, and removes it. */
static int
trial_hold(struct trial *trial, struct error *err)
{
	struct error left;
	int result;

	if (trial_find_service(trial, err) < 0 || trial_read_config(trial, err) < 0)
		return -1;
	if (geteuid() != 0 && !ask_is_allowed(err) && !nested_is_possible(err))
		return error_set(err, EX_NOPERM, "%s: only root can make the sandbox machine that it is tested on; use sudo",
		    trial->options->service);
	trial_make_provider(trial);
	trial_make_machine(trial);
	trial_catch_signals();
	if (trial_make_state(trial, err) < 0)
		return -1;

	result = trial_do_all(trial, err);
	if (trial_clean(trial, &left) < 0) {
		message_error(&left);
		if (result == 0)
			result = error_set(err, EX_OSERR, "%s: its actions are done", trial->options->service);
	}
	return result;
}

int
trial_run(const struct trial_options *options, struct error *err)
{
	struct trial trial = {.options = options, .config = jv_invalid(), .provider = jv_invalid(), .machine = jv_invalid()};
	int result = trial_hold(&trial, err);

	findings_release(&trial.findings);
	catalogue_release(&trial.catalogue);
	free(trial.catalogue_path);
	free(trial.dir);
	free(trial.nodes);
	jv_free(trial.provider);
	jv_free(trial.config);
	jv_free(trial.machine);
	return result;
}
