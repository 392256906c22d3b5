/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalogue's entities: what an administrator writes. Field names are those of Coopr 0.9.9, with the
 * additions of coopr-catalogue(5). Every struct keeps its document (source), so that members unknown here
 * are passed on. All strings and lists live in the arena given to the parse function; source is owned and freed
 * by the release function of the document that holds the entity.
 */
#ifndef MODEL_ENTITY_H
#define MODEL_ENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/place.h"
#include "model/action.h"
#include "model/amounts.h"
#include "model/objective.h"

struct arena;
struct document;

struct link {
	const char *label, *url; /* macros not yet expanded */
};

struct links {
	struct link *list;
	size_t count;
};

struct service_reads { /* what scripts say that they read; sets of names, sorted */
	struct string_list nodes;  /* the services that they look up beyond the macros of the configuration: field "nodes" */
	struct string_list config; /* the members of the configuration: field "config" */
	bool tells_config;         /* there is such a field: it names all members */
};

struct service_action {
	bool present;
	const char *type;   /* the automator */
	jv fields;          /* borrowed from the service's source: an object; values are strings, or lists of names; invalid where absent */
	struct service_reads reads;
	const char *digest; /* of the script and the files that the fields name, as the definition was taken over; NULL: not known */
	bool kept;          /* the files of today are others, or were resources: those that were kept under the digest are used */
	struct string_list resources; /* the digests of the resources among them */
	int64_t timeout_s;  /* 1..86400*30; default ACTION_TIMEOUT_S */
	int64_t retries;    /* 0..100: further attempts after the first; default ACTION_RETRIES */
	int64_t patience_s; /* so long temporary failures are tried again; default ACTION_PATIENCE_S */
	double expect_s;    /* how long it takes, for the critical path; default by action */
};

struct backup_policy { /* of the archives of a service */
	int64_t every_ms; /* one is made by itself when the newest is so old; 0: never */
	int64_t keep;     /* so many stay; 0: any number */
	int64_t keep_ms;  /* they stay so long; 0: for ever */
};

enum { VOLUME_MAX_GB = 65536 };

struct volume_wish { /* what a service asks for on each of its nodes */
	const char *name, *path; /* an absolute path of the machine, where it is mounted */
	int64_t size_gb;
	bool keep;               /* it outlives its node and its cluster */
};

struct service {
	const char *name;
	struct string_list provides, conflicts; /* lists as given, names may repeat */
	struct string_list install_requires, install_uses, runtime_requires, runtime_uses;
	struct string_list install_local, runtime_local; /* which of those only concern the own node */
	const struct service_action *actions; /* of each action, install .. remove; check is made of status, where there is a start */
	struct service_action *own_actions; /* the same, while they are read; NULL: it has none of its own */
	struct service_reads reads;  /* all that its actions read, but for install and remove */
	struct string_list data; /* absolute paths of its data on the machine */
	struct volume_wish *volumes; /* in the order given */
	size_t volume_count;
	bool stateful, says_stateful; /* its data must not be lost; whether that is said at all */
	struct backup_policy backup; /* in the place of the template's, where says_backup */
	bool says_backup;
	const char *repair; /* what becomes of a lost machine with its data: "restore", "report"; NULL: as the template says */
	int64_t ready_timeout_s; /* so long it may take after its start until it is healthy */
	struct amounts consumes; /* what one instance takes from its node */
	struct links links;
	const char *of; /* its origin, model/take/origin.h; NULL: it has no mark */
	jv source;
};

struct hardware_offer { /* one provider's entry of a hardware type */
	const char *provider, *flavor; /* flavor NULL: it is not available there */
	struct amounts capacity;
	bool has_cost;
	double cost;        /* >= 0, any one unit */
	int64_t available;  /* -1: any number */
};

struct hardwaretype {
	const char *name;
	struct hardware_offer *offers;
	size_t offer_count;
	jv source;
};

struct image_offer {
	const char *provider, *image; /* image NULL: it is not available there */
	const char *sshuser;          /* default "root" */
};

struct imagetype {
	const char *of; /* who has written it, origin.h; or NULL */
	const char *name;
	struct image_offer *offers;
	size_t offer_count;
	jv source;
};

struct provider {
	const char *name, *providertype;
	struct string_list addresses; /* ranges, address/range.h, that its network leaves to clusters */
	struct string_list zones;
	double volume_cost; /* of a GiB of a volume for an hour */
	double expect_s[ACTION_COUNT]; /* how long its create, confirm, bootstrap and delete take; default by action */
	jv fields; /* its "provisioner" object, borrowed from source; invalid where absent */
	jv source;
};

struct service_constraint { /* constraints.services.NAME */
	const char *service;
	struct string_list hardwaretypes, imagetypes; /* empty: any */
	bool has_min, has_max;
	int64_t min, max; /* instances; where absent 0 and INT64_MAX */
};

struct service_sets { /* [["a","b"],["c"]]: in the order given, each sorted, without doubles, maybe empty */
	struct string_list *list;
	size_t count;
};

struct count_rule { /* min <= sum of coefficient * instances <= max */
	const char *name;
	struct {
		const char *service;
		double coefficient;
	} *terms;
	size_t term_count;
	double min, max; /* absent: -INFINITY, INFINITY */
};

struct spread_rule {
	struct string_list services;
	const char *over; /* "zone" */
	int64_t min;
};

struct default_service { /* "name" or {"name","config"} */
	const char *name;
	jv config; /* borrowed; invalid where absent */
};

struct cluster_template { /* also a partial template */
	const char *name;
	struct string_list compatible_hardwaretypes, compatible_imagetypes, compatible_services; /* empty: all */
	struct default_service *default_services;
	size_t default_service_count;
	const char *default_provider, *default_hardwaretype, *default_imagetype, *default_dns_suffix; /* or NULL */
	jv default_config; /* borrowed; invalid where absent */
	int64_t size_min, size_max; /* >= 0, default 1 and INT64_MAX; min may be over max, as in the quantities */
	struct service_constraint *constraints;
	size_t constraint_count;
	struct service_sets mustcoexist, cantcoexist, mutuallyexclusive, oneof;
	struct count_rule *counts;
	size_t count_count;
	struct spread_rule *spreads;
	size_t spread_count;
	struct string_list fallback; /* sorted: what of a machine may be another where the provider has no room: "hardwaretype", "zone" */
	enum objective objectives[OBJECTIVE_COUNT]; /* first to last; default moves, dense */
	size_t objective_count;
	int64_t lease_initial_ms, lease_max_ms, lease_step_ms; /* 0: for ever, for ever, any */
	const char *extends;           /* or NULL */
	struct string_list includes;
	bool immutable; /* partial templates */
	struct backup_policy backup; /* of services that say none */
	const char *repair; /* the same; or NULL: "report" */
	const char *max_unavailable; /* in rolling changes a service may be down on so many nodes, see model/unavailable.h; or NULL */
	struct links links;
	jv source;
};

struct tenant {
	const char *name;
	int64_t max_clusters, max_nodes; /* -1: any number */
	double max_cost;                 /* of an hour; -1: any */
	int64_t max_archives;            /* bytes of the archives of services; -1: any */
	int64_t max_volumes;             /* GiB of its volumes and their snapshots; -1: any */
	int64_t max_uploads;             /* bytes of what coopr-resource keeps; -1: any */
	struct amounts max_resources;    /* of those not listed, any */
	struct string_list addresses;    /* ranges, address/range.h: what its own machines may have; none: it has no machines of its own */
	jv source;
};

/* Each fills entity from the object at place, listing in place->problems all that is wrong; takes a reference to
 * the object as source. Names match [A-Za-z0-9_.-]{1,255}. */
void service_parse(const struct place *place, struct arena *arena, struct service *service);
void hardwaretype_parse(const struct place *place, struct arena *arena, struct hardwaretype *hardwaretype);
void imagetype_parse(const struct place *place, struct arena *arena, struct imagetype *imagetype);
void provider_parse(const struct place *place, struct arena *arena, struct provider *provider);
void cluster_template_parse(const struct place *place, struct arena *arena, struct cluster_template *template);
void tenant_parse(const struct place *place, struct arena *arena, struct tenant *tenant);

extern const struct document backup_policy_table;
extern const struct document service_table, hardwaretype_table, imagetype_table, provider_table,
    cluster_template_table, tenant_table;
extern const struct document link_table; /* an element of "links" */

/* Compares two services by name, for qsort and bsearch. */
/* Tells whether text says what becomes of a lost machine with data. */
bool service_is_repair(const char *text);

int service_compare_names(const void *a, const void *b);

/* Tells whether the service says if it has data that must not be lost; and whether it has. */
bool service_says_data(const struct service *service);
bool service_has_data(const struct service *service);

/* Tells whether a volume of the service outlives the node. */
bool service_keeps_volumes(const struct service *service);

/* Tells whether all data of the service lies on volumes that are kept, so that it outlives the node. */
bool service_is_on_volumes(const struct service *service);

/* Tells whether any document of a list of services asks for volumes. */
bool services_ask_for_volumes(jv services);

/* Returns the offer of a type at a provider, NULL where the type is not available from it. */
const struct hardware_offer *hardwaretype_offer(const struct hardwaretype *hardwaretype, const char *provider);
const struct image_offer *imagetype_offer(const struct imagetype *imagetype, const char *provider);

#endif
