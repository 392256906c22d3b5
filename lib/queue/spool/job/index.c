/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job/index.h"

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

/* Where each section starts, given the counts in the header. Returns the size of it all. */
static uint64_t
index_lay_out(const struct index_header *header, uint64_t start[SECTION_COUNT])
{
	const uint64_t sizes[SECTION_COUNT] = {
		[HEADER] = sizeof(struct index_header),
		[STEPS] = header->step_count * (uint64_t)sizeof(struct index_step),
		[LIVE] = header->step_count * (uint64_t)sizeof(struct index_live),
		[NODES] = header->node_count * (uint64_t)sizeof(struct index_node),
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
	return at + seal_count(at - start[STEPS]) * sizeof(uint32_t);
}

static void
index_attach(struct index *index, void *map, size_t size)
{
	uint64_t start[SECTION_COUNT];
	char *base = map;

	index_lay_out(map, start);
	index->map = map;
	index->size = size;
	index->header = map;
	index->steps = (void *)(base + start[STEPS]);
	index->live = (void *)(base + start[LIVE]);
	index->nodes = (void *)(base + start[NODES]);
	index->edges = (void *)(base + start[EDGES]);
	index->instances = (void *)(base + start[INSTANCES]);
	index->slots = (void *)(base + start[SLOTS]);
	index->ready = (void *)(base + start[READY]);
	index->timers = (void *)(base + start[TIMERS]);
	index->text = base + start[TEXT];
}

/* A power of two, at most half full. */
static uint32_t
index_slots_for(uint32_t steps)
{
	uint32_t count = 16;

	while (count < UINT32_C(1) << 31 && count / 2 < steps)
		count *= 2;
	return count;
}

static void *
index_map_new(int dir, const char *name, size_t size, ino_t *inode, struct error *err)
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
index_create(struct index *index, int dir, const char *name, const struct index_sizes *sizes, struct error *err)
{
	struct index_header header = {.version = INDEX_VERSION, .dirty = 1, .step_count = sizes->steps,
	    .node_count = sizes->nodes, .edge_count = sizes->edges, .slot_count = index_slots_for(sizes->steps),
	    .instance_count = sizes->instances, .text_size = sizes->text};
	uint64_t start[SECTION_COUNT];
	void *map;

	*index = (struct index){0};
	memcpy(header.magic, magic, sizeof magic);
	header.size = index_lay_out(&header, start);
	if (getrandom(&header.seed, sizeof header.seed, GRND_NONBLOCK) != sizeof header.seed)
		header.seed = (uint64_t)getpid();
	map = index_map_new(dir, name, header.size, &index->inode, err);
	if (map == MAP_FAILED)
		return -1;
	*(struct index_header *)map = header;
	index_attach(index, map, header.size);
	return 0;
}

static uint32_t
index_sum_of(const struct index_header *header)
{
	const char *start = (const char *)&header->generation;

	return seal_sum(start, (size_t)((const char *)(header + 1) - start), 0);
}

static void
index_begin(struct index *index)
{
	uint64_t start[SECTION_COUNT];

	index_lay_out(index->header, start);
	seal_begin(&index->seal, (char *)index->map + start[STEPS], start[SUMS] - start[STEPS],
	    (void *)((char *)index->map + start[SUMS]));
}

void
index_seal(struct index *index)
{
	index_begin(index);
	seal_all(&index->seal);
	index->header->sum = index_sum_of(index->header);
}

void
index_close(struct index *index)
{
	seal_close(&index->seal);
	index->header->sum = index_sum_of(index->header);
}

void
index_forget(struct index *index)
{
	seal_forget(&index->seal);
}

bool
index_is_sound(struct index *index)
{
	index->broken |= index->header->sum != index_sum_of(index->header);
	return !index->broken;
}

bool
index_is_whole(struct index *index)
{
	index->broken |= !seal_check(&index->seal, 0, seal_count(index->seal.size));
	return index_is_sound(index);
}

/* Whether the mapped bytes are an index that this program, in this boot, may believe. */
static bool
index_is_usable(const struct index_header *header, size_t size, uint64_t plan_size, const char *boot)
{
	uint64_t start[SECTION_COUNT];

	if (size < sizeof *header || memcmp(header->magic, magic, sizeof magic) != 0 ||
	    header->version != INDEX_VERSION || header->dirty || header->size != size ||
	    header->plan_size != plan_size || strncmp(header->boot, boot, sizeof header->boot) != 0)
		return false;
	return header->slot_count == index_slots_for(header->step_count) && header->text_size <= size &&
	    header->instance_count <= INDEX_INSTANCES_MAX &&
	    header->timer_count <= header->step_count && header->ready_count <= header->node_count &&
	    index_lay_out(header, start) == size && header->sum == index_sum_of(header);
}

int
index_map(struct index *index, int dir, bool shared, uint64_t plan_size, const char *boot, struct error *err)
{
	int fd = openat(dir, "state", (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	struct stat st;
	void *map;

	*index = (struct index){0};
	if (fd < 0)
		return errno == ENOENT ? 0 : error_errno(err, EX_NOINPUT, "state");
	if (fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof *index->header) {
		close(fd);
		return 0;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return error_errno(err, EX_OSERR, "state: cannot be mapped");
	if (!index_is_usable(map, (size_t)st.st_size, plan_size, boot)) {
		munmap(map, (size_t)st.st_size);
		return 0;
	}
	index_attach(index, map, (size_t)st.st_size);
	index->inode = st.st_ino;
	index_begin(index);
	if (index->header->text_size > 0 && index->text[index->header->text_size - 1] == '\0')
		return 1;
	index_unmap(index);
	return 0;
}

void
index_unmap(struct index *index)
{
	seal_release(&index->seal);
	if (index->map)
		munmap(index->map, index->size);
	*index = (struct index){0};
}

static uint32_t
index_hash(uint64_t seed, const char *id)
{
	uint64_t h = seed | 1;

	for (; *id; id++) {
		h = (h ^ (unsigned char)*id) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

/* Whether what stands there may be believed. */
static bool
index_sound(struct index *index, const void *at, size_t length)
{
	seal_touch(&index->seal, at, length);
	index->broken |= index->seal.broken;
	return !index->broken;
}

/* The slot that holds id, or the free one where it would go. At most half are used, so the walk ends soon. */
static uint32_t *
index_slot_of(struct index *index, const char *id)
{
	uint32_t mask = index->header->slot_count - 1, start = index_hash(index->header->seed, id);

	for (uint32_t i = 0; i <= mask; i++) {
		uint32_t *slot = &index->slots[(start + i) & mask];

		if (!index_sound(index, slot, sizeof *slot))
			break;
		if (*slot == 0 || strcmp(index_step_id(index, *slot - 1), id) == 0)
			return slot;
	}
	index->broken = true;
	return &index->slots[0];
}

uint32_t
index_find(struct index *index, const char *id)
{
	uint32_t link = *index_slot_of(index, id);

	return index->broken ? 0 : link;
}

void
index_enter(struct index *index, uint32_t step)
{
	*index_slot_of(index, index_step_id(index, step)) = step + 1;
}

struct index_step *
index_step(struct index *index, uint32_t step)
{
	static struct index_step nothing;

	if (step < index->header->step_count && index_sound(index, &index->steps[step], sizeof *index->steps))
		return &index->steps[step];
	index->broken = true;
	nothing = (struct index_step){0};
	return &nothing;
}

struct index_live *
index_live(struct index *index, uint32_t step)
{
	static struct index_live nothing;

	if (step < index->header->step_count && index_sound(index, &index->live[step], sizeof *index->live))
		return &index->live[step];
	index->broken = true;
	nothing = (struct index_live){0};
	return &nothing;
}

struct index_node *
index_node(struct index *index, uint32_t node)
{
	static struct index_node nothing;

	if (node < index->header->node_count && index_sound(index, &index->nodes[node], sizeof *index->nodes))
		return &index->nodes[node];
	index->broken = true;
	nothing = (struct index_node){0};
	return &nothing;
}

uint32_t *
index_number(struct index *index, enum index_list list, uint64_t at)
{
	static uint32_t nothing;
	const struct index_header *header = index->header;
	struct {
		uint32_t *first;
		uint64_t count;
	} lists[] = {
		[INDEX_EDGES] = {index->edges, header->edge_count},
		[INDEX_INSTANCES] = {index->instances, (uint64_t)header->instance_count * header->node_count},
		[INDEX_READY] = {index->ready, header->node_count},
		[INDEX_TIMERS] = {index->timers, header->step_count},
	};

	if (at < lists[list].count && index_sound(index, &lists[list].first[at], sizeof nothing))
		return &lists[list].first[at];
	index->broken = true;
	nothing = 0;
	return &nothing;
}

/* The last byte of text is NUL (index_map looks): an id cannot run out of it. */
const char *
index_text(struct index *index, uint32_t at)
{
	if (at < index->header->text_size && index_sound(index, index->text + at, 1) &&
	    index_sound(index, index->text + at, strlen(index->text + at) + 1))
		return index->text + at;
	index->broken = true;
	return "";
}

const char *
index_step_id(struct index *index, uint32_t step)
{
	return index_text(index, index_step(index, step)->id);
}

const char *
index_step_service(struct index *index, uint32_t step)
{
	return index_text(index, index_step(index, step)->service);
}

const char *
index_node_id(struct index *index, uint32_t node)
{
	return index_text(index, index_node(index, node)->id);
}

const char *
index_status_name(enum step_status status)
{
	static const char *const names[] = {"blocked", "ready", "delayed", "running", "done", "failed", "skipped"};

	return status < STEP_STATUS_COUNT ? names[status] : "unknown";
}
