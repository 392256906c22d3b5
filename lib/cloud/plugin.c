/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/plugin.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/fields.h"
#include "cloud/inquiry.h"
#include "cloud/intent.h"
#include "cloud/life.h"
#include "cloud/life-volumes.h"
#include "cloud/sightings.h"
#include "exec/plugin.h"
#include "exec/serve.h"
#include "json/build.h"
#include "json/record.h"
#include "model/take/origin.h"
#include "ssh/bastion.h"

enum { STACK_BYTES = 512 * 1024, LIST_MS = 10 * 60 * 1000, POLL_S = 2 };

struct known_cloud { /* a provider entity that tasks have had, in text, and what was made of it */
	char *text;
	struct cloud *cloud;
	jv entity;
	struct known_cloud *next;
};

struct work { /* of one task, in its thread */
	struct call *call;
	struct stop stop;
	struct outcome outcome;
	struct work *next; /* of those that are done */
};

static const struct cloud_api *served; /* this process is the plugin of */
static struct known_cloud *clouds;     /* under the lock */
static struct work *done;              /* the same */
static int done_fd = -1;

/* --- the clouds that tasks are about --- */

/* Returns the document of cloud-init that the fields have; NULL where there is none. */
static const char *
plugin_cloud_config(struct cloud *cloud)
{
	const char *text = cloud_field(cloud, "cloud_config");

	if (text && strncmp(text, "#cloud-config\n", strlen("#cloud-config\n")) != 0)
		fields_problem(cloud, "cloud_config", "a document begins with the line #cloud-config");
	return text;
}

/* Reads the fields that all clouds have, and those of this one. */
static int
plugin_open_cloud(struct cloud *cloud, jv entity, const char *installation, struct error *err)
{
	struct problems problems = {0};
	struct client_settings settings;
	struct place auth;
	int result;

	cloud->fields = place_root(json_get(entity, "provisioner"), &problems);
	cloud->tenants = origin_of(entity, ORIGIN_INSTALLATION) == ORIGIN_TENANT;
	cloud->name = json_arena_string(entity, "name", &cloud->arena);
	cloud->installation = installation ? arena_string(&cloud->arena, installation) : intent_installation(cloud->api->name, &cloud->arena, err);
	if (!cloud->name)
		cloud->name = "unnamed";
	if (!cloud->installation)
		return -1;
	settings = (struct client_settings){
	    .ca_file = cloud_field(cloud, "ca_file"),
	    .proxy = cloud_field(cloud, "proxy"),
	    .unverified = place_boolean(&cloud->fields, "tls_unverified", false),
	    .public_only = cloud->tenants,
	    .per_second = place_number(&cloud->fields, "requests_per_second", cloud->api->per_second, 0.01, 10000)};
	cloud->window_ms = (int64_t)(place_number(&cloud->fields, "consistency_s", (double)cloud->api->window_ms / 1000, 0, 3600) * 1000);
	cloud->poll_ms = (int64_t)(place_number(&cloud->fields, "poll_s", POLL_S, 0.01, 600) * 1000);
	cloud->cloud_config = plugin_cloud_config(cloud);
	auth = place_member(&cloud->fields, "ssh-auth");
	cloud->bastion = bastion_read(&auth, cloud->tenants);
	cloud->api->open(cloud, &settings);
	result = problems_error(&problems, cloud->name, EX_CONFIG, err);
	problems_release(&problems);
	cloud->fields.problems = NULL;
	cloud->sightings = sightings_new();
	return result == 0 && (cloud->client = client_open(&settings, err)) ? 0 : -1;
}

static void
plugin_free_cloud(struct cloud *cloud)
{
	jv_free(cloud->bastion);
	free(cloud->state);
	arena_release(&cloud->arena);
	free(cloud);
}

/* Returns the cloud of a provider entity, which lives until the process ends; NULL with an error. Called under the lock. */
static struct cloud *
plugin_find_cloud(jv entity, const char *installation, struct error *err)
{
	struct buffer text = {0};
	struct known_cloud *known;
	struct cloud *cloud;

	buffer_netstring(&text, installation);
	json_dump(entity, &text);
	for (known = clouds; known && strcmp(known->text, buffer_string(&text)) != 0; known = known->next)
		;
	if (known) {
		buffer_release(&text);
		return known->cloud;
	}
	cloud = memory_zeroed(1, sizeof *cloud);
	cloud->api = served;
	if (plugin_open_cloud(cloud, entity, installation, err) < 0) {
		plugin_free_cloud(cloud);
		buffer_release(&text);
		return NULL;
	}
	known = memory_zeroed(1, sizeof *known);
	*known = (struct known_cloud){.text = buffer_take(&text), .cloud = cloud, .entity = jv_copy(entity), .next = clouds};
	return (clouds = known)->cloud;
}

static void
plugin_act(const struct task *task, const struct stop *stop, struct attempt_log *log, struct outcome *outcome)
{
	struct life life = {.task = task, .stop = stop, .log = log, .outcome = outcome};

	stop_lock();
	life.cloud = plugin_find_cloud(task->provider, task->installation, &outcome->error);
	stop_unlock();
	if (life.cloud)
		life_act(&life);
	arena_release(&life.arena);
}

/* --- one task --- */

static void
plugin_act_alone(const struct task *task, struct outcome *outcome)
{
	const struct stop stop = {.deadline_ms = clock_monotonic_ms() + task->timeout_s * 1000};

	plugin_act(task, &stop, NULL, outcome);
}

/* Returns the cloud of an entity that comes alone, and sets until when it is asked. */
static struct cloud *
plugin_ask(jv entity, struct stop *stop, struct error *err)
{
	char *installation = json_get_string(entity, "installation");
	struct cloud *cloud = plugin_find_cloud(entity, installation, err);

	*stop = (struct stop){.deadline_ms = clock_monotonic_ms() + LIST_MS};
	free(installation);
	return cloud;
}

static int
plugin_list(jv entity, struct error *err)
{
	struct stop stop;
	struct cloud *cloud = plugin_ask(entity, &stop, err);

	return cloud ? life_list(cloud, &stop, err) : -1;
}

static int
plugin_volumes(jv entity, struct error *err)
{
	struct stop stop;
	struct cloud *cloud = plugin_ask(entity, &stop, err);

	return cloud ? life_list_volumes(cloud, &stop, err) : -1;
}

static int
plugin_test(jv entity, struct error *err)
{
	struct stop stop;
	struct cloud *cloud = plugin_ask(entity, &stop, err);

	return cloud ? inquiry_test(cloud, entity, &stop, err) : -1;
}

static int
plugin_flavors(jv entity, struct error *err)
{
	struct stop stop;
	struct cloud *cloud = plugin_ask(entity, &stop, err);

	return cloud ? inquiry_flavors(cloud, &stop, err) : -1;
}

/* --- many tasks --- */

static void *
plugin_thread(void *data)
{
	struct work *work = data;
	static const uint64_t one = 1;

	plugin_act(&work->call->task, &work->stop, &work->call->log, &work->outcome);
	stop_lock();
	work->next = done;
	done = work;
	stop_unlock();
	while (write(done_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
	return NULL;
}

static void
plugin_begin(struct server *server, struct call *call)
{
	struct work *work = memory_zeroed(1, sizeof *work);
	pthread_attr_t attributes;
	pthread_t thread;
	int failed;

	*work = (struct work){.call = call, .outcome = OUTCOME_NONE};
	work->stop.deadline_ms = clock_monotonic_ms() + call->task.timeout_s * 1000;
	call->state = work;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	failed = pthread_create(&thread, &attributes, plugin_thread, work);
	pthread_attr_destroy(&attributes);
	if (failed) {
		error_set(&call->outcome.error, EX_TEMPFAIL, "a thread for the task: %s", strerror(failed));
		free(work);
		serve_answer(server, call);
	}
}

/* Takes what became of the task, but for the reason why it was ended, which is there already. */
static void
plugin_take_outcome(struct work *work)
{
	struct outcome *outcome = &work->call->outcome;

	if (outcome->error.code) {
		task_outcome_release(&work->outcome);
		return;
	}
	task_outcome_release(outcome);
	*outcome = work->outcome;
}

/* Answers the tasks whose threads are done. */
static void
plugin_ready(struct server *server, int fd)
{
	struct work *list, *work;
	uint64_t count;

	if (read(fd, &count, sizeof count) < 0)
		return;
	stop_lock();
	list = done;
	done = NULL;
	stop_unlock();
	while ((work = list)) {
		list = work->next;
		plugin_take_outcome(work);
		serve_answer(server, work->call);
		free(work);
	}
}

static void
plugin_end(struct server *server, struct call *call)
{
	struct work *work = call->state;

	(void)server;
	stop_cancel(&work->stop);
}

static void
plugin_due(struct server *server, struct call *call)
{
	(void)server, (void)call;
}

static int
plugin_open(struct server *server, struct error *err)
{
	/* Threads that wait need little, and not a heap for each. */
	mallopt(M_ARENA_MAX, 2);
	build_share_nothing();
	done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (done_fd < 0)
		return error_errno(err, EX_OSERR, "eventfd");
	return supervise_watch(&server->supervisor, done_fd, EPOLLIN) ? 0 : error_errno(err, EX_OSERR, "epoll");
}

int
cloud_plugin_main(const struct cloud_api *api, int argc, char **argv)
{
	static const struct service service = {.begin = plugin_begin, .due = plugin_due, .end = plugin_end, .ready = plugin_ready,
	    .open = plugin_open};
	const char *const state[] = {api->name, NULL};
	char *name = memory_printf("provider/%s", api->name);
	const struct plugin plugin = {.name = name, .schema = api->schema, .act = plugin_act_alone, .list = plugin_list, .test = plugin_test,
	    .flavors = plugin_flavors, .volumes = api->volumes ? plugin_volumes : NULL, .service = &service, .wants = CONFINE_HOST | CONFINE_KEYS, .state = state};
	int code;

	served = api;
	code = plugin_main(&plugin, argc, argv);
	free(name);
	return code;
}
