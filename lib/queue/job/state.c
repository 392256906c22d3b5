/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/job/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static const char magic[8] = "cooprst";

enum { ALIGN = 64 };

enum section { HEADER, STEPS, LIVE, NODES, EDGES, INSTANCES, SLOTS, READY, TIMERS, TEXT, SUMS, SECTION_COUNT };

/* Computes the start of each section from the counts in the header. Returns the size of it all. */
static uint64_t
state_lay_out(const struct state_header *header, uint64_t start[SECTION_COUNT])
{
	const uint64_t sizes[SECTION_COUNT] = {
		[HEADER] = sizeof(struct state_header),
		[STEPS] = header->step_count * (uint64_t)sizeof(struct state_step),
		[LIVE] = header->step_count * (uint64_t)sizeof(struct state_live),
		[NODES] = header->node_count * (uint64_t)sizeof(struct state_node),
		[EDGES] = header->edge_count * (uint64_t)sizeof(uint32_t),
		[INSTANCES] = header->instance_count * (uint64_t)header->node_count * sizeof(uint32_t),
		[SLOTS] = header->slot_count * (uint64_t)sizeof(uint32_t),
		[READY] = header->node_count * (uint64_t)sizeof(uint32_t),
		[TIMERS] = header->step_count * (uint64_t)sizeof(uint32_t),
		[TEXT] = header->text_size,
	};
	uint64_t at = 0;

	for (int i = 0; i < SUMS; i++) {
		start[i] = at;
		at += (sizes[i] + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	}
	start[SUMS] = at;
	return at + checksum_count(at - start[STEPS]) * sizeof(uint32_t);
}

static void
state_attach(struct job_state *state, void *map, size_t size)
{
	uint64_t start[SECTION_COUNT];
	char *base = map;

	state_lay_out(map, start);
	state->map = map;
	state->size = size;
	state->header = map;
	state->steps = (void *)(base + start[STEPS]);
	state->live = (void *)(base + start[LIVE]);
	state->nodes = (void *)(base + start[NODES]);
	state->edges = (void *)(base + start[EDGES]);
	state->instances = (void *)(base + start[INSTANCES]);
	state->slots = (void *)(base + start[SLOTS]);
	state->ready = (void *)(base + start[READY]);
	state->timers = (void *)(base + start[TIMERS]);
	state->text = base + start[TEXT];
}

/* A power of two, at most half full. */
static uint32_t
state_slots_for(uint32_t steps)
{
	uint32_t count = 16;

	while (count < UINT32_C(1) << 31 && count / 2 < steps)
		count *= 2;
	return count;
}

static void *
state_map_new(int dir, const char *name, size_t size, ino_t *inode, struct error *err)
{
	int fd, failed;
	struct stat st;
	void *map;

	*inode = 0;
	if (dir < 0) {
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			error_errno(err, EX_OSERR, "%s", name);
		return map;
	}
	fd = file_open(dir, name, O_RDWR | O_CREAT | O_TRUNC, 0600, err);
	if (fd < 0)
		return MAP_FAILED;
	/* Blocks now, rather than SIGBUS when the disk is full later. */
	failed = posix_fallocate(fd, 0, (off_t)size);
	map = failed ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (failed)
		errno = failed;
	if (map == MAP_FAILED || fstat(fd, &st) < 0)
		error_errno(err, EX_IOERR, "%s", name);
	else
		*inode = st.st_ino;
	close(fd);
	return map;
}

int
state_create(struct job_state *state, int dir, const char *name, const struct state_sizes *sizes, struct error *err)
{
	struct state_header header = {.version = STATE_VERSION, .dirty = 1, .step_count = sizes->steps,
	    .node_count = sizes->nodes, .edge_count = sizes->edges, .slot_count = state_slots_for(sizes->steps),
	    .instance_count = sizes->instances, .text_size = sizes->text};
	uint64_t start[SECTION_COUNT];
	void *map;

	*state = (struct job_state){0};
	memcpy(header.magic, magic, sizeof magic);
	header.size = state_lay_out(&header, start);
	if (getrandom(&header.seed, sizeof header.seed, GRND_NONBLOCK) != sizeof header.seed)
		header.seed = (uint64_t)getpid();
	map = state_map_new(dir, name, header.size, &state->inode, err);
	if (map == MAP_FAILED)
		return -1;
	*(struct state_header *)map = header;
	state_attach(state, map, header.size);
	return 0;
}

static uint32_t
state_sum_of(const struct state_header *header)
{
	const char *start = (const char *)&header->generation;

	return checksum_sum(start, (size_t)((const char *)(header + 1) - start), 0);
}

static void
state_begin(struct job_state *state)
{
	uint64_t start[SECTION_COUNT];

	state_lay_out(state->header, start);
	checksum_begin(&state->checksum, (char *)state->map + start[STEPS], start[SUMS] - start[STEPS],
	    (void *)((char *)state->map + start[SUMS]));
}

void
state_checksum(struct job_state *state)
{
	state_begin(state);
	checksum_all(&state->checksum);
	state->header->sum = state_sum_of(state->header);
}

void
state_close(struct job_state *state)
{
	checksum_close(&state->checksum);
	state->header->sum = state_sum_of(state->header);
}

void
state_forget(struct job_state *state)
{
	checksum_forget(&state->checksum);
}

bool
state_is_sound(struct job_state *state)
{
	state->broken |= state->header->sum != state_sum_of(state->header);
	return !state->broken;
}

bool
state_is_whole(struct job_state *state)
{
	state->broken |= !checksum_check(&state->checksum, 0, checksum_count(state->checksum.size));
	return state_is_sound(state);
}

/* Returns whether the mapped bytes are a state that this program, in this boot, may believe. */
static bool
state_is_usable(const struct state_header *header, size_t size, uint64_t plan_size, const char *boot)
{
	uint64_t start[SECTION_COUNT];

	if (size < sizeof *header || memcmp(header->magic, magic, sizeof magic) != 0 ||
	    header->version != STATE_VERSION || header->dirty || header->size != size ||
	    header->plan_size != plan_size || strncmp(header->boot, boot, sizeof header->boot) != 0)
		return false;
	return header->slot_count == state_slots_for(header->step_count) && header->text_size <= size &&
	    header->instance_count <= STATE_INSTANCES_MAX &&
	    header->timer_count <= header->step_count && header->ready_count <= header->node_count &&
	    state_lay_out(header, start) == size && header->sum == state_sum_of(header);
}

int
state_map(struct job_state *state, int dir, bool shared, uint64_t plan_size, const char *boot, struct error *err)
{
	int fd = openat(dir, "state", (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	struct stat st;
	void *map;

	*state = (struct job_state){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "state");
	if (fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof *state->header) {
		close(fd);
		return 0;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return error_errno(err, EX_OSERR, "state: cannot be mapped");
	if (!state_is_usable(map, (size_t)st.st_size, plan_size, boot)) {
		munmap(map, (size_t)st.st_size);
		return 0;
	}
	state_attach(state, map, (size_t)st.st_size);
	state->inode = st.st_ino;
	state_begin(state);
	if (state->header->text_size > 0 && state->text[state->header->text_size - 1] == '\0')
		return 1;
	state_unmap(state);
	return 0;
}

void
state_unmap(struct job_state *state)
{
	checksum_release(&state->checksum);
	if (state->map)
		munmap(state->map, state->size);
	*state = (struct job_state){0};
}

static uint32_t
state_hash(uint64_t seed, const char *id)
{
	uint64_t h = seed | 1;

	for (; *id; id++) {
		h = (h ^ (unsigned char)*id) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

/* Returns whether what stands there may be believed. */
static bool
state_sound(struct job_state *state, const void *at, size_t length)
{
	checksum_touch(&state->checksum, at, length);
	state->broken |= state->checksum.broken;
	return !state->broken;
}

/* The slot that holds id, or the free one where it would go. At most half are used, so the walk ends soon. */
static uint32_t *
state_slot_of(struct job_state *state, const char *id)
{
	uint32_t mask = state->header->slot_count - 1, start = state_hash(state->header->seed, id);

	for (uint32_t i = 0; i <= mask; i++) {
		uint32_t *slot = &state->slots[(start + i) & mask];

		if (!state_sound(state, slot, sizeof *slot))
			break;
		if (*slot == 0 || strcmp(state_step_id(state, *slot - 1), id) == 0)
			return slot;
	}
	state->broken = true;
	return &state->slots[0];
}

uint32_t
state_find(struct job_state *state, const char *id)
{
	uint32_t link = *state_slot_of(state, id);

	return state->broken ? 0 : link;
}

void
state_enter(struct job_state *state, uint32_t step)
{
	*state_slot_of(state, state_step_id(state, step)) = step + 1;
}

/* Returns the record, or nothing, zeroed, where there is none of that number or it was damaged: then the state is broken. */
static void *
state_record(struct job_state *state, void *record, bool in_range, size_t size, void *nothing)
{
	if (in_range && state_sound(state, record, size))
		return record;
	state->broken = true;
	return memset(nothing, 0, size);
}

struct state_step *
state_step(struct job_state *state, uint32_t step)
{
	static struct state_step nothing;

	return state_record(state, state->steps + step, step < state->header->step_count, sizeof nothing, &nothing);
}

struct state_live *
state_live(struct job_state *state, uint32_t step)
{
	static struct state_live nothing;

	return state_record(state, state->live + step, step < state->header->step_count, sizeof nothing, &nothing);
}

struct state_node *
state_node(struct job_state *state, uint32_t node)
{
	static struct state_node nothing;

	return state_record(state, state->nodes + node, node < state->header->node_count, sizeof nothing, &nothing);
}

uint32_t *
state_number(struct job_state *state, enum state_list list, uint64_t at)
{
	static uint32_t nothing;
	const struct state_header *header = state->header;
	struct {
		uint32_t *first;
		uint64_t count;
	} lists[] = {
		[STATE_EDGES] = {state->edges, header->edge_count},
		[STATE_INSTANCES] = {state->instances, (uint64_t)header->instance_count * header->node_count},
		[STATE_READY] = {state->ready, header->node_count},
		[STATE_TIMERS] = {state->timers, header->step_count},
	};

	return state_record(state, lists[list].first + at, at < lists[list].count, sizeof nothing, &nothing);
}

/* The last byte of text is NUL (state_map looks): an id cannot run out of it. */
const char *
state_text(struct job_state *state, uint32_t at)
{
	if (at < state->header->text_size && state_sound(state, state->text + at, 1) &&
	    state_sound(state, state->text + at, strlen(state->text + at) + 1))
		return state->text + at;
	state->broken = true;
	return "";
}

const char *
state_step_id(struct job_state *state, uint32_t step)
{
	return state_text(state, state_step(state, step)->id);
}

const char *
state_step_service(struct job_state *state, uint32_t step)
{
	return state_text(state, state_step(state, step)->service);
}

const char *
state_node_id(struct job_state *state, uint32_t node)
{
	return state_text(state, state_node(state, node)->id);
}
