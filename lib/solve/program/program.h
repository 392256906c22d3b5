/* SPDX-License-Identifier: Apache-2.0
 *
 * A request as the search sees it: numbers and sets of bits, everything in sorted order, so that the order in the
 * request cannot matter. Services that must coexist are one unit; machines are not told apart but by what stands
 * on them already (groups). A pattern is what one machine is: a group, a hardware type and a set of units; a
 * solution says how many machines there are of each pattern.
 */
#ifndef SOLVE_PROGRAM_PROGRAM_H
#define SOLVE_PROGRAM_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/request.h"
#include "solve/program/whole.h"

struct error;
struct demands;
struct pattern;
struct region;

enum {
	SOLVE_MACHINES = 1000000, /* the most that are placed */
	SOLVE_SERVICES = 4096,    /* the most on one cluster */
	SOLVE_LIST = 4096,        /* types, zones, sets, members of a set, at most */
	SOLVE_RULES = 1024,       /* count rules, at most: each is a row of the linear program */
	ANY = -1,
	ZONE_NONE = -2,
	ZONE_OPEN = -3,
};

#define NO_MIN INT64_MIN
#define NO_MAX INT64_MAX

struct unit { /* services that stand on the same machines */
	int *services; /* numbers of program.services, ascending */
	size_t size;
	uint64_t *hardware, *images; /* that all of them may stand on */
	uint64_t *excludes;          /* units that may not stand on the same machine */
	int *nogoods;                /* of program.nogoods, those it is in */
	size_t nogood_count;
	int64_t *consumes;           /* of each resource */
	int64_t min, max;            /* instances */
	int64_t zones_min;           /* that its instances stand in, where there are any */
	bool stays_away;             /* it has fewer instances than before, and comes to no new machine */
	bool everywhere;             /* no constraint names it: it stands on every new machine */
	bool banned;                 /* a rule forbids it on any machine */
	int clique;                  /* units of one clique exclude each other */
	uint64_t *betters;           /* units that fit wherever this one does, in its place; itself too, perhaps */
};

enum departure {
	DEPARTURE_NONE,
	DEPARTURE_ASKED, /* fewer machines are asked for */
	DEPARTURE_MOVE,
};

struct hardware {
	const char *name;                    /* first, as program_find_hardware wants it */
	enum departure departure;            /* not NONE: no type, but what becomes of a present machine that leaves */
	const struct hardwaretype *type;     /* NULL: only present machines are of it, and the request does not know it */
	const struct hardware_offer *offer;  /* NULL where type is */
	bool usable;                         /* for new machines */
	int64_t available;                   /* NO_MAX: any number */
	int64_t *capacity;                   /* of each resource; NO_MAX: any amount */
};

struct image {
	const char *name; /* first, the same */
	const struct imagetype *type;
	const struct image_offer *offer;
	bool usable;
};

struct group { /* machines that are alike before anything is placed; the first are the new ones */
	const struct node **nodes; /* present ones, by nodenum */
	int64_t count;             /* of them; 0 for the new ones */
	uint64_t *stays;           /* units that stand there and stay, or that belong everywhere */
	uint64_t *open;            /* further units that may be placed there */
	uint64_t *hardware, *images;
	int zone;                  /* of program.zones; ZONE_NONE; or ZONE_OPEN: of the first zones_open, each its own */
	int64_t standing;          /* unaffected services there */
	int64_t *moves;            /* a unit there is so many moves more than none; NULL if nothing may move */
	bool broken;               /* what stands there breaks a rule, whatever is added */
	const struct pattern *only; /* what all its machines are, where they can be nothing else (reduced-cost-fixing.h); or NULL */
};

struct linear { /* lo <= sum of coefficient * instances <= hi */
	int64_t *coefficient; /* of each unit */
	int64_t lo, hi;
};

struct weights { /* what a machine adds to an objective that is a sum over types and units (build-objectives.c) */
	int64_t *hardware, *unit; /* of each, never negative; both NULL: it is no such sum; only unit: types add nothing */
	struct scale scale;       /* that weights are counted in */
	bool known;               /* the sum is known, also where it is no objective */
};

struct choice { /* exactly one of these services has instances */
	int *units;
	size_t count;
};

struct program {
	struct arena arena;
	const struct request *request;
	const struct service **services; /* of the cluster, by name */
	size_t service_count;
	int *unit_of; /* each service */
	struct unit *units;
	size_t unit_count, unit_words;
	uint64_t **nogoods; /* sets of three or more units that may not all stand on one machine */
	size_t nogood_count;
	struct hardware *hardware; /* by name */
	size_t hardware_count, hardware_words;
	struct image *images; /* by name */
	size_t image_count, image_words;
	size_t resource_count;
	struct group *groups;
	size_t group_count;
	struct linear *linears;
	size_t linear_count;
	struct choice *choices;
	size_t choice_count;
	const char **zones; /* the provider's, then those of present machines */
	size_t zone_count, zones_open;
	uint64_t *spread;     /* units with zones_min; NULL: none */
	int64_t machines_min, machines_max;
	int64_t present;    /* machines that are there, without those to be replaced */
	int64_t moves_max;  /* that are allowed; NO_MAX: any number */
	enum objective objectives[OBJECTIVE_COUNT];
	size_t objective_count;
	struct weights weights[OBJECTIVE_COUNT];
	bool impossible;      /* an empty set may not coexist: no machine is right */
	bool zones_unlimited; /* as if each new machine had a zone of its own */
	bool shrinks;         /* fewer machines are asked for than are present: then some leave, which is no move */
	bool departs;         /* some present machines may leave since fewer instances are asked for, which is no move either */
	bool unbounded;       /* nothing but SOLVE_MACHINES bounds the number of machines */
	const struct region *condition; /* of which there are so many machines; NULL: no such condition */
	int64_t condition_lo, condition_hi;
};

void program_release(struct program *program);

/* Returns about how many steps it takes to build it. */
unsigned long program_size(const struct program *program);

/* Return the number of a service, a hardware type or an image type, or NAMES_NONE. */
int program_find_service(const struct program *program, const char *name);
int program_find_hardware(const struct program *program, const char *name);
int program_find_image(const struct program *program, const char *name);

/* Sets stands for each service of the program that stands on a node. */
void program_standing(const struct program *program, const struct node *node, bool *stands);

/* Returns the first image that all of a set of units may use in a group, or SIZE_MAX. */
size_t program_image(const struct program *program, int group, const uint64_t *units);

/* Returns the number of a present machine's zone, or ZONE_NONE. */
int program_zone(const struct program *program, const struct node *node);

/* Returns whether a unit, which is not among others, completes a set that may not all stand on one machine. */
bool program_completes_nogood(const struct program *program, const uint64_t *units, size_t unit);

/* Returns which of a set stands for all that are joined: parent leads from each to another one of its set, or for that one to itself. */
int program_root(int *parent, int member);

/* Returns the sum of two counts; NO_MIN and NO_MAX absorb. */
int64_t count_add(int64_t a, int64_t b);

#endif
