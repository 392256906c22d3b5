/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan as the queue needs it: read from a stream, checked (ids, links, cycles), made into a state. Nothing is kept
 * of a task but what decides when it is its turn, and where its line stands.
 */
#ifndef QUEUE_JOB_PLAN_LOADER_H
#define QUEUE_JOB_PLAN_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/names.h"
#include "json/place.h"
#include "model/plan.h"
#include "queue/job/state.h"

struct error;
struct record_reader;

struct plan_loader_step {
	uint32_t name;         /* number of its id in names */
	int service;           /* number of it in services, or NAMES_NONE */
	uint32_t node;
	uint64_t offset;       /* of its line */
	uint32_t length;
	uint32_t sum;          /* of that line */
	uint32_t after_first, after_count; /* in after */
	uint32_t record;       /* number in the stream, for messages */
	double expect_s;       /* of a task */
	struct state_step state; /* what the plan says of it; ids and links not yet */
};

struct plan_loader_node {
	const char *id;
	uint64_t offset; /* of its record in node_lines */
	uint32_t length;
	int64_t nodenum;
	uint32_t instances;  /* a bit for each of plan loader->instances that it has */
	bool asked, addressed;
};

struct plan_loader {
	struct arena arena;
	struct job job;
	const char *cluster, *provider; /* its name, "" where it has none */
	bool has_job, has_cluster, macros;
	struct string_list asked;   /* services whose addresses the config asks for */
	struct string_list instances; /* services of which it asks what instance a node is */
	uint64_t job_offset, cluster_offset, size; /* in the plan's lines */
	uint32_t job_length, cluster_length;
	struct plan_loader_step *steps;
	size_t step_count, step_capacity;
	struct plan_loader_node *nodes;
	size_t node_count, node_capacity;
	struct buffer node_lines;   /* what nodes.ndjson starts with */
	struct names names;         /* ids of steps, mentioned or defined */
	struct names node_names, services;
	uint32_t *step_of;          /* by name: link to the step */
	size_t step_of_capacity;
	uint32_t *after;            /* names */
	size_t after_count, after_capacity;
	size_t tasks;
};

/* Reads a plan to the end of the stream. Each record goes to lines, one line each, as it will stand in plan.ndjson (lines may be
 * emptied between, by out: a descriptor it is written to; -1: it is only counted). Problems are listed by
 * "/RECORD/MEMBER". -1 where the stream or out fails; the plan loader is to be released in any case. */
int plan_loader_read(struct plan_loader *loader, struct record_reader *reader, int out, struct problems *problems,
    struct error *err);

/* Makes the state of a sound plan loader (state_create). */
int plan_loader_state(const struct plan_loader *loader, int dir, const char *name, const char *boot,
    struct job_state *state, struct error *err);

void plan_loader_release(struct plan_loader *loader);

#endif
