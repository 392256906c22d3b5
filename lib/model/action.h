/* SPDX-License-Identifier: Apache-2.0
 *
 * The actions that tasks carry out, each on a node or on a service of it, and those that a plan carries out on a whole
 * cluster: two tables in action.c, whose rows say all that coopr knows of an action.
 */
#ifndef MODEL_ACTION_H
#define MODEL_ACTION_H

#include <stdbool.h>

#include "json/place.h"

/* Files of the spool hold these numbers: a new action goes before ACTION_COUNT. */
enum action {
	ACTION_CREATE,
	ACTION_CONFIRM,
	ACTION_BOOTSTRAP,
	ACTION_INSTALL,
	ACTION_CONFIGURE,
	ACTION_INITIALIZE,
	ACTION_START,
	ACTION_STOP,
	ACTION_REMOVE,
	ACTION_DELETE,
	ACTION_STATUS,
	ACTION_RELOAD,
	ACTION_RESTART,
	ACTION_DRAIN,
	ACTION_CHECK,
	ACTION_BACKUP,
	ACTION_RESTORE,
	ACTION_ATTACH,
	ACTION_MOUNT,
	ACTION_FENCE,
	ACTION_SNAPSHOT,
	ACTION_DISCARD,
	ACTION_COUNT,
	ACTION_NONE = -1,
};

enum {
	ACTION_TIMEOUT_S = 1800, /* by default, */
	ACTION_RETRIES = 2,      /* three attempts in all */
	ACTION_PATIENCE_S = 300, /* so long temporary failures are tried again */
	ACTION_READY_S = 120,    /* so long a service may take until it is healthy */
	ACTION_TIMEOUT_MAX_S = 30 * 86400,
	ACTION_RETRIES_MAX = 100,
	ACTION_PATIENCE_MAX_S = 30 * 86400,
};

#define ACTION_MOUNT_TYPE "shell" /* the automator that mounts */

/* Sets of actions: bits. */
#define ACTION_BIT(action) (1u << (action))

enum {
	ACTIONS_MAKE = ACTION_BIT(ACTION_CREATE) | ACTION_BIT(ACTION_CONFIRM),
	ACTIONS_UNMAKE = ACTION_BIT(ACTION_DELETE),
	/* A node has its volumes from these two on, see volume/volumes.h. */
	ACTIONS_VOLUMES = ACTION_BIT(ACTION_ATTACH) | ACTION_BIT(ACTION_MOUNT),
	ACTIONS_SET_UP = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_INSTALL) | ACTION_BIT(ACTION_CONFIGURE) |
	    ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START) | ACTION_BIT(ACTION_CHECK),
	ACTIONS_TAKE_DOWN = ACTION_BIT(ACTION_DRAIN) | ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_REMOVE),
	ACTIONS_UP = ACTION_BIT(ACTION_START) | ACTION_BIT(ACTION_RELOAD) | ACTION_BIT(ACTION_RESTART), /* the service runs after them */
	ACTIONS_START = ACTION_BIT(ACTION_START) | ACTION_BIT(ACTION_CHECK),
	ACTIONS_STOP = ACTION_BIT(ACTION_STOP),
	/* An archive of what a service holds, and what an archive holds given back. Only plans for them have them. */
	ACTIONS_BACKUP = ACTION_BIT(ACTION_BACKUP),
	ACTIONS_RESTORE = ACTION_BIT(ACTION_RESTORE) | ACTION_BIT(ACTION_CHECK),
	/* What provisioners of Coopr know how to do, coopr-provisioners(7). */
	ACTIONS_OF_PROVISIONERS = ACTIONS_MAKE | ACTIONS_UNMAKE | ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_INSTALL) |
	    ACTION_BIT(ACTION_CONFIGURE) | ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START) | ACTION_BIT(ACTION_STOP) |
	    ACTION_BIT(ACTION_REMOVE),
	ACTIONS_RESTART = ACTIONS_STOP | ACTIONS_START,
	ACTIONS_CONFIGURE = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_CONFIGURE),
	/* Of a service that cannot be reloaded, a restart: action_in_place. */
	ACTIONS_RECONFIGURE = ACTIONS_CONFIGURE | ACTION_BIT(ACTION_RELOAD) | ACTION_BIT(ACTION_CHECK),
	ACTIONS_REDO = ACTIONS_CONFIGURE | ACTIONS_RESTART, /* where it is not known how far a change came */
	ACTIONS_UPGRADE = ACTIONS_CONFIGURE | ACTIONS_RESTART | ACTION_BIT(ACTION_INSTALL), /* what has been initialized stays so */
};

enum action_owner { /* which plugin does an action, and to what */
	OWNER_PROVIDER,  /* the provider, to a node */
	OWNER_AUTOMATOR, /* an automator that a service of the node names, to the node */
	OWNER_SERVICE,   /* the automator that the service names for this action; a service that names none skips it */
};

struct action_row {
	const char *name, *done;  /* "install", "installed" */
	enum action_owner owner;
	int stage;                /* tasks of one service on one node run in this order; 0: it is not such a task */
	double expect_s;          /* how long it takes if nothing is known */
	bool is_check;            /* planned behind a start; plugins are asked for "status", by which services define it */
	bool reads_config;        /* it waits until the addresses in the cluster's configuration are known */
	unsigned redo;            /* the actions that follow if a service that stands defines this one anew */
	struct string_list undo;  /* the actions that a failed task runs before its next attempt */
};

extern const struct action_row action_table[ACTION_COUNT]; /* by action */

/* Returns "install" for ACTION_INSTALL. */
const char *action_name(enum action action);

/* Returns the action of that name; ACTION_NONE if there is none. */
enum action action_of_name(const char *name);

/* The two as a row of a document has them; action_find returns -1 for ACTION_NONE. */
int action_find(const char *name);
const char *action_word(int action);

#define MEMBER_ACTION(structure, field) \
	.word_find = action_find, .word_name = action_word, .what = "not an action", .integer = {.otherwise = ACTION_NONE}, \
	    MEMBER_WORD(structure, field, enum action)

/* Returns the actions that plans have of a service, in the order in which they run on one node; ACTION_NONE ends the list,
 * which is static. */
const enum action *action_chain(void);

/* Returns what a plugin is asked for to do an action: the action itself, or "status" for a check. */
enum action action_asked(enum action action);

/* Returns the names of all actions that a service may define, NULL-terminated; the list is static. */
const char *const *action_service_names(void);

/* Tells whether an action is done to a node as a whole (create, bootstrap), or to a volume, not to a service. */
bool action_is_hardware(enum action action);

/* Tells whether an action prints or reads an archive: backup and restore. */
bool action_moves_archive(enum action action);

/* Tells whether the provider does an action; false for ACTION_NONE. */
bool action_is_providers(enum action action);

/* Returns the actions that are done to a service that stands, of those that should be, if it has some: a reload becomes a restart
 * where it has none or is restarted anyway, stop and start become its own restart, and it drains before it stops. */
unsigned action_in_place(unsigned should, unsigned has);

/* Returns how many seconds an action takes if nothing is known. */
double action_expect_s(enum action action);

/* --- of clusters --- */

struct cluster_action {
	const char *name, *job; /* "restart", "restart_services"; the name of the whole difference is NULL */
	bool adds_nodes, drops_nodes, adds_services, drops_services;
	bool changes;      /* services that stand, as far as they differ from what was */
	unsigned standing; /* the actions that are done to each service that stands */
	bool deletes;      /* each node */
};

/* Returns the names that a user may give, NULL-terminated; the list is static. */
const char *const *cluster_action_names(void);

/* Returns the action of that name; without a name, or for an unknown one, the whole difference. */
const struct cluster_action *cluster_action_find(const char *name);

/* Returns the action that a job record calls so; the whole difference if there is none. */
const struct cluster_action *cluster_action_of_job(const char *job);

/* Tells whether it is about whole nodes, so that single services cannot be chosen. */
bool cluster_action_is_whole_nodes(const struct cluster_action *action);

/* Returns whether nodes may leave by it. */
bool cluster_action_removes_nodes(const struct cluster_action *action);

/* Tells whether it makes new nodes in place of others, and nothing else. */
bool cluster_action_replaces(const struct cluster_action *action);

/* Tells whether it stops services that stand and starts them again. */
bool cluster_action_restarts(const struct cluster_action *action);

/* Tells whether it can be done to a few nodes at a time: it replaces them, or takes down services that come up again. */
bool cluster_action_can_roll(const struct cluster_action *action);

#endif
