/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/mend.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/drift.h"
#include "cluster/operate.h"
#include "cluster/prepare.h"
#include "cluster/stage.h"
#include "json/json.h"

static void
tell(const struct manner *manner, int *worst, const struct error *err)
{
	manner->drive.notice(err->text);
	if (*worst == 0)
		*worst = err->code;
}

/* Does it to a cluster of that tenant. The job, which the caller frees; NULL where it failed (in worst), where the cluster is
 * busy, or goes on with what was begun. */
static char *
undertake(const struct manner *manner, const char *tenant, const char *why, struct work_order *order, int *worst)
{
	struct manner ours = *manner;
	struct done done;
	struct error err;
	char *job = NULL;

	ours.ask.tenant = tenant;
	if (!ours.ask.why)
		ours.ask.why = why;
	if (operate(order, &ours, &done, &err) == 0)
		job = done.job ? memory_string(done.job) : NULL;
	else if (err.code != EX_TEMPFAIL)
		tell(manner, worst, &err);
	done_release(&done);
	return job;
}

struct group { /* what has drifted so in one cluster */
	struct drift *list;
	size_t count;
	struct string_list nodes, services; /* each once */
};

static void
add_once(struct string_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i], text) == 0)
			return;
	list->list = memory_resize(list->list, list->count + 1, sizeof *list->list);
	list->list[list->count++] = text;
}

/* "coopr replace --dead 00000042 00000042-1000" */
static char *
command_of(const char *verb, const char *id, const struct group *group)
{
	struct buffer line = {0};

	buffer_printf(&line, "coopr %s %s", verb, id);
	for (size_t i = 0; i < group->nodes.count; i++)
		buffer_printf(&line, " %s", group->nodes.list[i]);
	for (size_t i = 0; i < group->services.count; i++)
		buffer_printf(&line, " %s", group->services.list[i]);
	return buffer_take(&line);
}

static char *
replace(const struct manner *manner, const struct group *group, const char *id, int *worst)
{
	const struct amend_wish wish = {.amendment = {.config = jv_invalid(), .replace = group->nodes}, .dead = group->nodes};
	struct work_order order = {.action = "replace", .cluster = id, .prepare = prepare_amend, .wish = &wish};
	char *command = command_of("replace --dead", id, group), *job;

	order.command = command;
	job = undertake(manner, group->list->tenant, "reconcile: its machine has vanished", &order, worst);
	free(command);
	return job;
}

static char *
start(const struct manner *manner, const struct group *group, const char *id, int *worst)
{
	const struct action_wish wish = {.action = "start", .nodes = group->nodes, .services = group->services};
	struct work_order order = {.action = "start", .cluster = id, .prepare = prepare_action, .wish = &wish};
	char *command = command_of("start", id, group), *job;

	order.command = command;
	job = undertake(manner, group->list->tenant, "reconcile: it has stopped", &order, worst);
	free(command);
	return job;
}

/* Those from first on that are of the same kind and cluster. */
static struct group
group_at(struct drift_list *drift, size_t first)
{
	struct group group = {.list = &drift->list[first]};

	for (size_t i = first; i < drift->count && drift->list[i].what == group.list->what &&
	     drift->list[i].cluster == group.list->cluster; i++) {
		add_once(&group.nodes, drift->list[i].node);
		if (drift->list[i].service)
			add_once(&group.services, drift->list[i].service);
		group.count++;
	}
	return group;
}

int
mend(const struct manner *manner, struct drift_list *drift)
{
	int worst = 0;

	for (size_t i = 0; i < drift->count;) {
		struct group group = group_at(drift, i);
		char id[CLUSTER_ID_SIZE], *job = NULL;

		cluster_id_text(group.list->cluster, id);
		if (group.list->what == DRIFT_VANISHED)
			job = replace(manner, &group, id, &worst);
		else if (group.list->what == DRIFT_STOPPED)
			job = start(manner, &group, id, &worst);
		for (size_t j = 0; job && j < group.count; j++)
			group.list[j].mended = arena_string(&drift->arena, job);
		i += group.count;
		free(job);
		free(group.nodes.list);
		free(group.services.list);
	}
	return worst;
}

/* The task that deletes it, as coopr-exec reads it. */
static int
write_task(const struct drift *drift, struct buffer *text, struct error *err)
{
	jv task = jv_object(), cluster = jv_object(), machine, provider;
	int result = json_parse(drift->node, drift->record, strlen(drift->record), &machine, err);

	if (result == 0 && json_parse(drift->node, drift->provider, strlen(drift->provider), &provider, err) == 0) {
		json_set_string(&task, "kind", "task");
		json_set_string(&task, "id", "unowned");
		json_set_string(&task, "action", "delete");
		json_set(&task, "type", json_get(provider, "providertype"));
		json_set_string(&cluster, "tenant", drift->tenant);
		json_set(&cluster, "provider", provider);
		json_set(&task, "cluster", jv_copy(cluster));
		json_set(&task, "machine", machine);
		json_dump(task, text);
		buffer_byte(text, '\n');
	} else if (result == 0) {
		jv_free(machine);
		result = -1;
	}
	jv_free(cluster);
	jv_free(task);
	return result;
}

/* What coopr-exec says of it: it ends with 0 also where the plugin has failed. */
static int
check_result(const struct drift *drift, const struct buffer *answer, struct error *err)
{
	struct error unread;
	char *message;
	jv result, status;
	int failed = 1;

	if (json_parse("the result", answer->data ? answer->data : "", answer->length, &result, &unread) < 0)
		return error_set(err, EX_SOFTWARE, "%s: its provider gave no result", drift->node);
	status = json_get(result, "status");
	message = json_get_string(result, "message");
	failed = jv_get_kind(status) != JV_KIND_NUMBER || (int)jv_number_value(status) != 0;
	if (failed)
		error_set(err, EX_UNAVAILABLE, "%s: cannot be deleted: %s", drift->node, message ? message : "its provider failed");
	free(message);
	jv_free(status);
	jv_free(result);
	return failed ? -1 : 0;
}

static int
delete_machine(const struct drift *drift, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer task = {0}, answer = {0};
	int result = write_task(drift, &task, err);

	stage_command(&arguments, "coopr-exec");
	arguments_push(&arguments, "--quiet");
	if (result == 0)
		result = stage_run_in_memory(&arguments, &task, &answer, err);
	if (result == 0)
		result = check_result(drift, &answer, err);
	arguments_release(&arguments);
	buffer_release(&task);
	buffer_release(&answer);
	return result;
}

int
mend_unowned(const struct manner *manner, struct drift_list *drift)
{
	struct error err;
	int worst = 0;

	for (size_t i = 0; i < drift->count; i++) {
		if (drift->list[i].what != DRIFT_UNOWNED)
			continue;
		if (delete_machine(&drift->list[i], &err) == 0)
			drift->list[i].mended = "deleted";
		else
			tell(manner, &worst, &err);
	}
	return worst;
}

/* Whether somebody deletes it already; what else is under way has to give way. */
static bool
is_going(struct account *account, const struct cluster_record *cluster)
{
	struct operation_list list = {0};
	struct error ignored; /* then the attempt to delete it will tell */
	bool going = cluster->status == LIFE_PENDING && operation_last(account, cluster->id, &list, &ignored) > 0 &&
	    list.list[0].status < OPERATION_COMPLETE && strcmp(list.list[0].action, "delete") == 0;

	operation_list_release(&list);
	return going;
}

static void
delete_cluster(const struct manner *manner, const struct cluster_record *cluster, int *worst)
{
	const struct action_wish wish = {.action = "delete"};
	struct work_order order = {.action = "delete", .prepare = prepare_action, .wish = &wish, .preempts = true};
	char id[CLUSTER_ID_SIZE], *command, *job;

	order.cluster = cluster_id_text(cluster->id, id);
	command = memory_printf("coopr delete --yes %s", id);
	order.command = command;
	job = undertake(manner, cluster->tenant, "its lease has ended", &order, worst);
	free(command);
	if (job) {
		char *text = memory_printf("%s: its lease has ended: job %s deletes it", cluster->name, job);

		manner->drive.notice(text);
		free(text);
	}
	free(job);
}

int
mend_leases(struct account *account, const struct manner *manner, struct error *err)
{
	const struct cluster_filter ended = {.everywhere = true, .by_number = true, .expired_ms = clock_wall_ms()};
	struct cluster_list list = {0};
	int worst = 0;

	if (clusters_list(account, &ended, &list, err) < 0)
		worst = -1;
	for (size_t i = 0; i < list.count && worst >= 0; i++)
		if (!is_going(account, &list.list[i]))
			delete_cluster(manner, &list.list[i], &worst);
	cluster_list_release(&list);
	return worst;
}
