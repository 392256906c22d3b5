/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "exec/attempt-result.h"
#include "exec/stream.h"
#include "model/name.h"
#include "probe/askable.h"
#include "probe/question.h"
#include "worker/secrets.h"
#include "worker/login-files.h"
#include "worker/running-task.h"

enum {
	JOB_SIZE = 32,
	NO_MAX = 63, /* from here on a status is no answer of the service's */
};

struct asked { /* a node */
	size_t pending;
	bool failed, reached;
};

struct inquiry { /* about one cluster */
	struct probe_subject *subject;
	struct questions questions;
	struct error unfit;  /* why nothing can be asked of it; code 0: it can */
	struct asked *nodes;
	size_t next, open;   /* the node to be asked next; those that are being asked */
	struct inquiry *older;
};

struct ask { /* one question */
	struct inquiry *inquiry;
	size_t node;
	const char *service, *type;
	struct ask *next; /* of those to be put */
};

struct probe {
	const struct probe_options *parameters;
	struct supervisor supervisor;
	struct streams streams;
	struct askable askable;
	struct login_files logins;
	struct running_task_list running;
	struct inquiry *current;  /* of which not all nodes have been asked; NULL: none */
	struct inquiry *newest;   /* of those that are not over */
	struct ask *first, *last; /* to be put */
	char job[JOB_SIZE];
	uint64_t number;          /* of questions put */
	char *argv[3];            /* of coopr-exec */
	bool exhausted;
	int signal;
};

static void
probe_push(struct probe *probe, struct inquiry *inquiry, size_t node, const char *service, const char *type)
{
	struct ask *ask = memory_zeroed(1, sizeof *ask);

	*ask = (struct ask){.inquiry = inquiry, .node = node, .service = service, .type = type};
	*(probe->last ? &probe->last->next : &probe->first) = ask;
	probe->last = ask;
	inquiry->nodes[node].pending++;
}

static struct ask *
probe_pop(struct probe *probe)
{
	struct ask *ask = probe->first;

	if (ask && !(probe->first = ask->next))
		probe->last = NULL;
	return ask;
}

static void
probe_tell(const struct probe *probe, const struct ask *ask, enum probe_answer answer, const char *message)
{
	struct probe_subject *subject = ask->inquiry->subject;
	const struct probe_finding finding = {&subject->layout.nodes[ask->node], ask->service, answer, message};

	probe->parameters->found(probe->parameters->context, subject, &finding);
}

static void
probe_drop(struct probe *probe, struct inquiry *inquiry)
{
	struct inquiry **link = &probe->newest;

	while (*link != inquiry)
		link = &(*link)->older;
	*link = inquiry->older;
	questions_release(&inquiry->questions);
	free(inquiry->nodes);
	free(inquiry);
}

static void
probe_end_if_over(struct probe *probe, struct inquiry *inquiry)
{
	if (inquiry->open > 0 || inquiry->next < inquiry->subject->layout.node_count)
		return;
	if (probe->parameters->over)
		probe->parameters->over(probe->parameters->context, inquiry->subject);
	probe_drop(probe, inquiry);
}

static enum probe_scope
probe_scope_of(const struct probe_subject *subject, size_t node)
{
	return subject->layout.nodes[node].is_new ? PROBE_NOTHING : subject->scopes ? subject->scopes[node] : PROBE_ALL;
}

/* Asks for the services that stand on the node and shall stay: one that leaves, was not installed, or was stopped on purpose, as
 * the node's record says, need not run. */
static void
probe_ask_services(struct probe *probe, struct inquiry *inquiry, size_t number)
{
	const struct layout *layout = &inquiry->subject->layout;
	const struct node *node = &layout->nodes[number];

	for (size_t i = 0; i < node->was.count; i++) {
		const struct service *service = cluster_definition(&layout->cluster, node->was.list[i]);

		if (service && service->actions[ACTION_STATUS].present && node_has(node, service->name) &&
		    askable_is(&probe->askable, service->actions[ACTION_STATUS].type) && !name_set_has(&node->stopped, service->name))
			probe_push(probe, inquiry, number, service->name, service->actions[ACTION_STATUS].type);
	}
}

/* Takes the answer to a question. Once no answer about the node is open, a node that was reached is asked for its services, and
 * one of which all is known is over. */
static void
probe_take_answer(struct probe *probe, const struct ask *ask, enum probe_answer answer, const char *message)
{
	struct inquiry *inquiry = ask->inquiry;
	struct asked *asked = &inquiry->nodes[ask->node];

	/* Several automators may be asked about a node: it is enough that one does not reach it. */
	if (answer != PROBE_YES && !asked->failed)
		probe_tell(probe, ask, answer, message);
	asked->failed = asked->failed || (!ask->service && answer != PROBE_YES);
	if (--asked->pending > 0)
		return;
	if (!asked->failed && !asked->reached) {
		asked->reached = true;
		probe_tell(probe, &(struct ask){.inquiry = inquiry, .node = ask->node}, PROBE_YES, NULL);
		if (probe_scope_of(inquiry->subject, ask->node) == PROBE_ALL)
			probe_ask_services(probe, inquiry, ask->node);
	}
	if (asked->pending == 0) {
		inquiry->open--;
		probe_end_if_over(probe, inquiry);
	}
}

static enum probe_answer
probe_answer_of(const struct running_task *running)
{
	int64_t status = running->result.status;

	/* A plugin that died, or broke its rules, says nothing about the machine. */
	if (running->streamed.end == STREAM_TASK_FAILED)
		return PROBE_UNKNOWN;
	if (status == EX_TEMPFAIL || status == ATTEMPT_TIMEOUT)
		return PROBE_SILENT;
	return status == 0 ? PROBE_YES : running->task.service && status > 0 && status <= NO_MAX ? PROBE_NO : PROBE_UNKNOWN;
}

static void
probe_finish(struct probe *probe, struct running_task *running)
{
	struct ask *ask = running->owner;
	enum probe_answer answer;
	char *message = NULL;

	running_task_list_remove(&probe->running, running);
	running_task_conclude(running);
	answer = probe_answer_of(running);
	if (answer == PROBE_NO && questions_wait(&ask->inquiry->questions, ask->service)) {
		answer = PROBE_UNKNOWN;
		message = memory_printf("%s; that may be because a machine is still to be made", running->result.message ? running->result.message : "it is not well");
	}
	if (!probe->signal)
		probe_take_answer(probe, ask, answer, message ? message : running->result.message);
	free(message);
	running_task_free(running);
	free(ask);
}

/* Has a plugin that does not stream asked, or one that has to be told secrets. */
static void
probe_ask_by_child(struct probe *probe, struct running_task *running)
{
	struct ask *ask = running->owner;
	struct error err;

	running_task_make_child(running, probe->argv, NULL);
	running->child.die_with_us = true;
	if (supervise_start(&probe->supervisor, &running->child, &err) == 0)
		return;
	running_task_list_remove(&probe->running, running);
	probe_take_answer(probe, ask, PROBE_UNKNOWN, err.text);
	running_task_free(running);
	free(ask);
}

static void
probe_put(struct probe *probe, struct ask *ask)
{
	char id[JOB_SIZE];
	const struct question question = {probe->job, id, ask->node, ask->service, ask->type, probe->parameters->timeout_s};
	struct error err = ask->inquiry->unfit;
	struct running_task *running = NULL;

	snprintf(id, sizeof id, "q%" PRIu64, ++probe->number);
	if (!err.code)
		running = question_task(&ask->inquiry->questions, &question, &probe->logins, &err);
	if (!running) {
		probe_take_answer(probe, ask, PROBE_UNKNOWN, err.text);
		free(ask);
		return;
	}
	running->owner = ask;
	running_task_list_add(&probe->running, running);
	if (secrets_mentioned(running->task.record, running->task.record_length))
		probe_ask_by_child(probe, running);
	else
		streams_give(&probe->streams, "automator", running->task.type, &running->streamed);
}

static void
probe_begin_next(struct probe *probe)
{
	struct probe_subject *subject = probe->parameters->next(probe->parameters->context);
	struct inquiry *inquiry;

	probe->exhausted = !subject;
	if (!subject)
		return;
	inquiry = memory_zeroed(1, sizeof *inquiry);
	inquiry->subject = subject;
	inquiry->nodes = memory_zeroed(subject->layout.node_count, sizeof *inquiry->nodes);
	if (questions_init(&inquiry->questions, &subject->layout, &inquiry->unfit) == 0)
		inquiry->unfit.code = 0;
	inquiry->older = probe->newest;
	probe->newest = inquiry;
	probe->current = subject->layout.node_count > 0 ? inquiry : NULL;
	probe_end_if_over(probe, inquiry);
}

static void
probe_ask_next_node(struct probe *probe)
{
	struct inquiry *inquiry = probe->current;
	const struct layout *layout = &inquiry->subject->layout;
	size_t number = inquiry->next++, at = 0;
	const char *type;

	if (probe_scope_of(inquiry->subject, number) != PROBE_NOTHING)
		while ((type = askable_next(&probe->askable, layout, &layout->nodes[number], &at)))
			probe_push(probe, inquiry, number, NULL, type);
	inquiry->open += inquiry->nodes[number].pending > 0;
	if (inquiry->next == layout->node_count)
		probe->current = NULL;
	probe_end_if_over(probe, inquiry);
}

/* Puts as many questions as there may be at once. */
static void
probe_put_all(struct probe *probe)
{
	while (!probe->signal && probe->running.count < probe->parameters->at_once) {
		struct ask *ask = probe_pop(probe);

		if (ask)
			probe_put(probe, ask);
		else if (probe->current)
			probe_ask_next_node(probe);
		else if (!probe->exhausted)
			probe_begin_next(probe);
		else
			return;
	}
}

static void
probe_collect(struct probe *probe)
{
	struct stream_task *task;

	while ((task = streams_over(&probe->streams)))
		if (task->end == STREAM_TASK_UNSUPPORTED && !probe->signal)
			probe_ask_by_child(probe, task->owner);
		else
			probe_finish(probe, task->owner);
}

/* Waits for the next thing to happen. A signal breaks all questions off. */
static void
probe_wait(struct probe *probe)
{
	int64_t now = clock_monotonic_ms(), until = streams_keep_time(&probe->streams, now);
	struct child *child;
	enum supervise_event event = supervise_next(&probe->supervisor, until == INT64_MAX ? -1 : until - now, &child);

	if (event == SUPERVISE_SIGNAL) {
		probe->signal = probe->supervisor.signal;
		streams_stop(&probe->streams);
		for (struct running_task *running = probe->running.first; running; running = running->next)
			if (running->child.argv)
				supervise_stop(&probe->supervisor, &running->child);
	} else if (event != SUPERVISE_TIME && !streams_child_event(&probe->streams, child, event) && event == SUPERVISE_ENDED) {
		probe_finish(probe, child->owner);
	}
	streams_keep_time(&probe->streams, clock_monotonic_ms());
}

static void
probe_release(struct probe *probe)
{
	struct ask *ask;

	while ((ask = probe_pop(probe)))
		free(ask);
	while (probe->newest)
		probe_drop(probe, probe->newest);
	streams_end(&probe->streams);
	streams_release(&probe->streams);
	login_files_close(&probe->logins);
	supervise_release(&probe->supervisor);
	askable_release(&probe->askable);
	free(probe->argv[0]);
	free(probe->argv[1]);
}

static int
probe_init(struct probe *probe, struct error *err)
{
	uint64_t chance;

	if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
		return error_errno(err, EX_OSERR, "getrandom");
	snprintf(probe->job, sizeof probe->job, "probe-%016" PRIx64, chance);
	if (supervise_init(&probe->supervisor, err) < 0)
		return -1;
	streams_init(&probe->streams, &probe->supervisor);
	probe->argv[0] = location_installed("bin/coopr-exec");
	probe->argv[1] = memory_string("-q");
	return 0;
}

int
probe(const struct probe_options *parameters, struct error *err)
{
	struct probe probe = {.parameters = parameters};

	if (probe_init(&probe, err) < 0)
		return -1;
	for (;;) {
		probe_collect(&probe);
		probe_put_all(&probe);
		if (probe.running.count == 0)
			break;
		if (!probe.streams.over.first)
			probe_wait(&probe);
	}
	probe_release(&probe);
	return probe.signal ? error_set(err, 128 + probe.signal, "interrupted while machines were being asked") : 0;
}
