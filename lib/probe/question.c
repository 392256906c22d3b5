/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/location.h"
#include "json/json.h"
#include "model/layout.h"
#include "model/take/take-record.h"
#include "worker/login-files.h"
#include "worker/running-task.h"

/* Numbers the instances of the counted services on each node, in the order of the nodes. */
static void
question_count_instances(struct questions *questions)
{
	const struct layout *layout = questions->layout;
	size_t services = questions->counted.count;

	questions->instances = arena_alloc(&questions->arena, services * layout->node_count, sizeof *questions->instances);
	for (size_t i = 0; i < services; i++) {
		const char *service = questions->counted.list[i];
		size_t number = 0;

		for (size_t n = 0; n < layout->node_count; n++)
			questions->instances[n * services + i] = (struct macro_instance){service,
			    node_has(&layout->nodes[n], service) ? ++number : 0};
	}
}

/* Returns whether the machine is still to be made: nobody on the others was told of it. */
static bool
question_is_unmade(const struct node *node)
{
	return node->is_new && json_length(node->ipaddresses) == 0;
}

/* Adds the nodes that macros are looked up in. */
static int
question_add_nodes(const struct layout *layout, bool all, struct setting_nodes *nodes, struct error *err)
{
	struct buffer record = {0};
	int result = 0;

	for (size_t i = 0; i < layout->node_count && result == 0; i++) {
		if (!all && question_is_unmade(&layout->nodes[i]))
			continue;
		buffer_clear(&record);
		node_print(&layout->nodes[i], &record);
		result = setting_add_node(nodes, record.data, record.length, err);
	}
	buffer_release(&record);
	return result;
}

/* Finds what of the configuration waits for machines that are still to be made. */
static int
question_find_waiting(struct questions *questions, const struct buffer *cluster, struct error *err)
{
	struct setting_nodes nodes = {0};
	struct setting whole = {0};
	bool any = false;
	jv made = jv_invalid();
	int result = 0;

	for (size_t i = 0; i < questions->layout->node_count; i++)
		any = any || question_is_unmade(&questions->layout->nodes[i]);
	if (!any)
		return 0;
	result = question_add_nodes(questions->layout, true, &nodes, err);
	if (result == 0)
		result = setting_make(&whole, cluster->data, cluster->length, &nodes, false, err);
	if (result == 0)
		result = json_parse("the configuration", whole.text, whole.length, &made, err);
	if (result == 0)
		questions->waiting = json_get(made, "unexpanded");
	jv_free(made);
	setting_release(&whole);
	setting_release_nodes(&nodes);
	return result;
}

int
questions_init(struct questions *questions, const struct layout *layout, struct error *err)
{
	char *state = location_state();
	struct setting_nodes nodes = {0};
	struct buffer cluster = {0};
	int result = 0;

	*questions = (struct questions){.layout = layout, .waiting = jv_invalid()};
	questions->nodes = arena_printf(&questions->arena, "%s/clusters/%s/cluster.ndjson", state, layout->cluster.id);
	questions->counted = macro_instances_of(layout->cluster.config, &questions->arena);
	question_count_instances(questions);
	cluster_print(&layout->cluster, &cluster);
	if (memchr(cluster.data, '%', cluster.length)) /* else there is no macro */
		result = question_add_nodes(layout, false, &nodes, err);
	if (result == 0)
		result = setting_make(&questions->setting, cluster.data, cluster.length, &nodes, false, err);
	if (result == 0)
		result = question_find_waiting(questions, &cluster, err);
	setting_release_nodes(&nodes);
	buffer_release(&cluster);
	free(state);
	return result;
}

void
questions_release(struct questions *questions)
{
	setting_release(&questions->setting);
	jv_free(questions->waiting);
	arena_release(&questions->arena);
}

/* Returns whether a part of what waits is beneath the member of the configuration. */
static bool
question_is_waiting_at(jv waiting, const char *member)
{
	size_t length = strlen(member);
	bool found = false;

	for (size_t i = 0; i < json_length(waiting) && !found; i++) {
		jv one = json_element(waiting, i);
		char *pointer = json_get_string(one, "pointer");

		found = pointer && *pointer == '/' && strncmp(pointer + 1, member, length) == 0 && strchr("/", pointer[1 + length]);
		free(pointer);
		jv_free(one);
	}
	return found;
}

bool
questions_wait(const struct questions *questions, const char *service)
{
	const struct service *definition = cluster_definition(&questions->layout->cluster, service);
	jv members = definition ? json_get(definition->actions[ACTION_STATUS].fields, "config") : jv_invalid();
	bool waits = json_length(questions->waiting) > 0 && jv_get_kind(members) != JV_KIND_ARRAY;

	for (size_t i = 0; i < json_length(members) && !waits; i++) {
		jv member = json_element(members, i);

		waits = json_string(member) && question_is_waiting_at(questions->waiting, json_string(member));
		jv_free(member);
	}
	jv_free(members);
	return waits;
}

int
questions_print_cluster(const struct questions *questions, size_t node, struct buffer *out, struct error *err)
{
	size_t services = questions->counted.count;
	struct buffer machine = {0};
	int result;

	node_print(&questions->layout->nodes[node], &machine);
	machine.data[--machine.length] = '\0';
	result = setting_print(&questions->setting, machine.data, machine.length, questions->instances + node * services, services, out,
	    err);
	buffer_release(&machine);
	return result;
}

/* Prints the task as a plan would have it. */
static void
question_print_task(const struct questions *questions, const struct question *question, struct buffer *out)
{
	const struct service *service = question->service
	    ? cluster_definition(&questions->layout->cluster, question->service) : NULL;
	const struct service_action *action = service ? &service->actions[ACTION_STATUS] : NULL;
	struct step step = {.id = question->id, .node = questions->layout->nodes[question->node].id, .action = ACTION_STATUS,
	    .service = question->service, .type = question->type, .timeout_s = question->timeout_s};
	struct buffer fields = {0};

	if (action)
		step_take_service(&step, service, action);
	if (step.timeout_s > question->timeout_s)
		step.timeout_s = question->timeout_s;
	step.retries = step.patience_s = 0; /* it is asked again at the next look */
	if (action && jv_get_kind(action->fields) == JV_KIND_OBJECT) {
		json_dump(action->fields, &fields);
		step.fields = fields.data;
	}
	step_print(&step, out);
	buffer_release(&fields);
}

/* Prints the take record, and says in task what it is. */
static int
question_print_record(const struct questions *questions, const struct question *question, struct arena *arena,
    struct queue_task *task, struct buffer *out, struct error *err)
{
	struct take_record taken = {.job = question->job, .task = question->id, .attempt = 1, .action = ACTION_STATUS,
	    .nodes = questions->nodes};
	struct buffer line = {0}, machine = {0}, cluster = {0};
	struct step step;
	int result;

	question_print_task(questions, question, &line);
	node_print(&questions->layout->nodes[question->node], &machine);
	line.length--; /* without its newline, as a queue has it */
	machine.data[--machine.length] = '\0';
	result = questions_print_cluster(questions, question->node, &cluster, err);
	if (result == 0) {
		taken.token = arena_printf(arena, "%s:%s", question->job, question->id);
		taken.cluster = cluster.data;
		taken.machine = machine.data;
		result = take_record_print(&taken, line.data, line.length, arena, &step, out, err);
	}
	if (result == 0)
		*task = (struct queue_task){.job = taken.job, .task = taken.task, .attempt = 1, .node = step.node,
		    .action = ACTION_STATUS, .service = step.service, .type = step.type, .timeout_s = step.timeout_s};
	buffer_release(&line);
	buffer_release(&machine);
	buffer_release(&cluster);
	return result;
}

struct running_task *
question_task(const struct questions *questions, const struct question *question, struct login_files *logins, struct error *err)
{
	struct buffer record = {0};
	struct arena arena = {0};
	struct queue_task task;
	struct running_task *running = NULL;
	struct login_file *login;

	if (question_print_record(questions, question, &arena, &task, &record, err) == 0 &&
	    login_files_fill_text(logins, &record, &login, err) == 0) {
		running = running_task_new(&task, &record);
		running->login = login;
	}
	buffer_release(&record);
	arena_release(&arena);
	return running;
}
