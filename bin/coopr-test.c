/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-test: runs the actions of one service, as a cluster would, on a sandbox machine that is made for it and removed afterwards,
 * also after ^C. What the scripts print comes as it comes; behind each action is said how long it took. Exits with 0; 1 where an
 * action failed, or there is no such service; 64 on misuse, 65 and 66 where documents are malformed or cannot be read, 77
 * where it is not root that asks; 130 after ^C.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/guest.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "catalogue/catalogue.h"
#include "json/place.h"
#include "model/node.h"
#include "model/take/config.h"
#include "model/take/macro.h"
#include "operation/run-command.h"

enum { ANSWER_BYTES = 1 << 20, MACHINE_TIMEOUT_S = 120, ASK_AGAIN_MS = 1000 };

static const char *catalogue_path, *template_name, *config_path;
static struct option_list changes;

static const struct option_spec options[] = {
	OPTION_STRING('C', "catalogue", &catalogue_path, "DIR", "the catalogue that has the service"),
	OPTION_STRING('c', "config", &config_path, "FILE", "the configuration of the cluster, an object"),
	OPTION_LIST(0, "set", &changes, "PATH=VALUE", "change one value of the configuration; may be repeated"),
	OPTION_STRING('t', "template", &template_name, "TEMPLATE", "begin with the configuration of this template"),
	OPTION_END
};

static const struct command command = {
	"coopr-test", "[OPTION]... SERVICE", "Run the actions of a service on a throw-away sandbox machine.", options,
	"  coopr-test nginx -t web\n"
	"  coopr-test -C ~/catalogue kv --set kv.port=7000\n"};

struct trial {
	struct catalogue catalogue;
	struct findings findings;
	const struct service *service;
	char *catalogue_path, *dir, *nodes;
	jv provider, config, machine;
};

static volatile sig_atomic_t stopped;

static void
test_stop(int number)
{
	stopped = number;
}

/* Reads the catalogue and finds the service. */
static int
test_find_service(struct trial *trial, const char *name, struct error *err)
{
	char *path = location_catalogue(catalogue_path);
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
	entity = catalogue_need(&trial->catalogue, ENTITY_SERVICE, name, err);
	trial->service = entity ? &entity->service : NULL;
	return entity ? 0 : -1;
}

/* Makes the configuration from the options. */
static int
test_read_config(struct trial *trial, struct error *err)
{
	jv template;

	trial->config = jv_object();
	if (template_name) {
		template = catalogue_template(&trial->catalogue, template_name, err);
		if (!jv_is_valid(template))
			return -1;
		jv_free(trial->config);
		trial->config = config_of_template(template);
		jv_free(template);
	}
	if (config_path) {
		jv_free(trial->config);
		if (json_read_document(config_path, &trial->config, NULL, err) < 0)
			return -1;
		if (jv_get_kind(trial->config) != JV_KIND_OBJECT)
			return error_set(err, EX_DATAERR, "%s: expected object, found %s", config_path, json_kind_name(trial->config));
	}
	for (size_t i = 0; i < changes.count; i++)
		if (config_set(&trial->config, changes.list[i], err) < 0)
			return -1;
	return 0;
}

/* Makes the provider: that of the catalogue for sandboxes, if it has one, with a network that no cluster has. */
static void
test_make_provider(struct trial *trial)
{
	const struct entity *entity = catalogue_find(&trial->catalogue, ENTITY_PROVIDER, "sandbox");
	jv fields = entity && jv_get_kind(entity->provider.fields) == JV_KIND_OBJECT ? jv_copy(entity->provider.fields) : jv_object();
	char *network = memory_printf("10.212.%d.0/24", (int)(getpid() % 256));

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
test_make_state(struct trial *trial, struct error *err)
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
test_make_machine(struct trial *trial)
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

/* Returns the value with its macros expanded, owned. One that cannot be stays as it is. */
static jv
test_expand(jv value, const struct macro_context *context)
{
	struct buffer text = {0};
	jv expanded = jv_copy(value);
	struct error ignored;

	if (json_string(value)) {
		macro_expand_text(json_string(value), context, &text, &ignored);
		jv_free(expanded);
		expanded = jv_string(buffer_string(&text));
	} else if (jv_get_kind(value) == JV_KIND_ARRAY) {
		for (size_t i = 0; i < json_length(value); i++) {
			jv element = json_element(value, i);

			expanded = jv_array_set(expanded, (int)i, test_expand(element, context));
			jv_free(element);
		}
	} else if (jv_get_kind(value) == JV_KIND_OBJECT) {
		struct place root = place_root(value, NULL), member;
		struct members members = members_of(&root);

		while (members_next(&members, &member))
			json_set(&expanded, member.name, test_expand(member.value, context));
	}
	buffer_release(&text);
	return expanded;
}

/* Returns the configuration as the machine gets it, owned. */
static jv
test_expand_config(const struct trial *trial)
{
	struct place root = place_root(trial->machine, NULL);
	struct arena arena = {0};
	struct macro_node self;
	struct node node;
	jv expanded;

	node_parse(&root, &arena, &node);
	self = macro_node_of(&node);
	expanded = test_expand(trial->config, &(struct macro_context){.nodes = &self, .node_count = 1, .self = &self});
	jv_free(node.source);
	arena_release(&arena);
	return expanded;
}

/* Returns the take record of an action, owned. */
static jv
test_record(const struct trial *trial, enum action action)
{
	const struct service_action *its = &trial->service->actions[action];
	bool hardware = action_is_hardware(action);
	jv record = jv_object(), cluster = jv_object();
	char *id = memory_printf("test%d", (int)getpid()), *token = memory_printf("%s-001:%s", id, action_name(action));

	json_set_string(&cluster, "id", id);
	json_set_string(&cluster, "name", "test");
	json_set_string(&cluster, "catalogue", trial->catalogue_path);
	json_set(&cluster, "config", test_expand_config(trial));
	json_set(&cluster, "provider", jv_copy(trial->provider));
	json_set_string(&record, "kind", "task");
	json_set_string(&record, "id", action_name(action));
	json_set_string(&record, "token", token);
	json_set_number(&record, "attempt", 1);
	json_set_string(&record, "action", action_name(action));
	json_set_string(&record, "service", hardware ? NULL : trial->service->name);
	json_set_string(&record, "type", action_is_providers(action) ? "sandbox" : hardware ? "shell" : its->type);
	json_set(&record, "fields", !hardware && jv_is_valid(its->fields) ? jv_copy(its->fields) : jv_object());
	json_set_number(&record, "timeout_s", hardware ? MACHINE_TIMEOUT_S : (double)its->timeout_s);
	json_set_string(&record, "nodes", trial->nodes);
	json_set(&record, "cluster", cluster);
	json_set(&record, "machine", jv_copy(trial->machine));
	free(token);
	free(id);
	return record;
}

/* Adds the members of an object of the result to that of the machine. */
static void
test_learn(jv *machine, const char *member, jv learned)
{
	jv known = json_get(*machine, member);

	if (jv_get_kind(learned) == JV_KIND_OBJECT)
		json_set(machine, member, jv_object_merge(jv_get_kind(known) == JV_KIND_OBJECT ? jv_copy(known) : jv_object(),
		    jv_copy(learned)));
	jv_free(known);
}

/* Takes what a result says of the machine, for the tasks that follow. */
static int
test_take_result(struct trial *trial, jv result, struct error *err)
{
	jv addresses = json_get(result, "ipaddresses"), facts = json_get(result, "result");
	struct buffer text = {0};
	int failed;

	test_learn(&trial->machine, "ipaddresses", addresses);
	test_learn(&trial->machine, "facts", facts);
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
test_do(struct trial *trial, enum action action, char **why, struct error *err)
{
	jv record = test_record(trial, action), result = jv_invalid();
	struct arguments arguments = {0};
	struct buffer input = {0}, output = {0};
	int status;

	run_command_init(&arguments, "coopr-exec");
	json_dump(record, &input);
	status = process_run(arguments.list, input.data, input.length, &output, NULL, ANSWER_BYTES, err);
	if (status > 0)
		status = error_set(err, status, "%s: coopr-exec ended with %d", action_name(action), status);
	if (status == 0)
		status = json_parse("coopr-exec", output.data, output.length, &result, err);
	if (status == 0 && (status = test_take_result(trial, result, err)) == 0)
		status = (int)json_get_number(result, "status", 0);
	*why = json_get_string(result, "message");
	jv_free(result);
	buffer_release(&output);
	buffer_release(&input);
	arguments_release(&arguments);
	jv_free(record);
	return status;
}

/* Does the action, or asks for the status until it is 0 or the service's time is over. */
static int
test_do_until(struct trial *trial, enum action action, char **why, struct error *err)
{
	int64_t end = clock_monotonic_ms() + trial->service->ready_timeout_s * 1000;
	int status;

	while ((status = test_do(trial, action, why, err)) > 0 && action == ACTION_STATUS && !stopped &&
	    clock_monotonic_ms() < end) {
		free(*why);
		*why = NULL;
		usleep(ASK_AGAIN_MS * 1000);
	}
	return status;
}

/* Does one action, and says how it ended. */
static int
test_step(struct trial *trial, enum action action, struct error *err)
{
	int64_t began = clock_monotonic_ms();
	char *why = NULL;
	double seconds;
	int status;

	printf("== %s\n", action_name(action));
	fflush(stdout);
	status = test_do_until(trial, action, &why, err);
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
test_run(struct trial *trial, struct error *err)
{
	static const enum action steps[] = {ACTION_CREATE, ACTION_CONFIRM, ACTION_BOOTSTRAP, ACTION_INSTALL, ACTION_CONFIGURE,
	    ACTION_INITIALIZE, ACTION_START, ACTION_STATUS, ACTION_RELOAD, ACTION_RESTART, ACTION_DRAIN, ACTION_STOP, ACTION_REMOVE};
	int result = 0;

	for (size_t i = 0; i < sizeof steps / sizeof *steps && result == 0; i++) {
		if (stopped)
			return error_set(err, 128 + stopped, "%s: stopped before %s", trial->service->name, action_name(steps[i]));
		if (action_is_hardware(steps[i]) || trial->service->actions[steps[i]].present)
			result = test_step(trial, steps[i], err);
	}
	return result;
}

/* Removes the machine and all that belongs to it, in a session of its own, which ^C does not reach. */
static int
test_clean(const struct trial *trial, struct error *err)
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
test_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = test_stop};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct trial trial = {.config = jv_invalid(), .provider = jv_invalid(), .machine = jv_invalid()};
	struct error err, left;
	int result;

	if (!operands[0] || operands[1])
		return option_misuse(&command, operands[0] ? "expected one service" : "missing argument SERVICE");
	if (guest_refuse("testing services", &err) < 0)
		return message_error(&err);
	if (test_find_service(&trial, operands[0], &err) < 0 || test_read_config(&trial, &err) < 0)
		return message_error(&err);
	if (geteuid() != 0) {
		error_set(&err, EX_NOPERM, "%s: only root can make the sandbox machine that it is tested on; use sudo", operands[0]);
		return message_error(&err);
	}
	test_make_provider(&trial);
	test_make_machine(&trial);
	test_catch_signals();
	if (test_make_state(&trial, &err) < 0)
		return message_error(&err);

	result = test_run(&trial, &err);
	if (test_clean(&trial, &left) < 0) {
		message_error(&left);
		result = result < 0 ? result : -2;
	}
	return message_end(result == 0 ? 0 : result == -2 ? EX_OSERR : message_error(&err));
}
