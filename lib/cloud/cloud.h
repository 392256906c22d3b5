/* SPDX-License-Identifier: Apache-2.0
 *
 * What a provider of machines of a cloud has to say of its API, and nothing more: a table of functions that send requests. The life of a
 * machine over them, what is tried again, and what an interrupted task has left are cloud/life.h; many tasks at once are cloud/plugin.h. A
 * function of the table blocks, and may be called from many threads at once.
 */
#ifndef CLOUD_CLOUD_H
#define CLOUD_CLOUD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "cloud/client.h"
#include "cloud/stop.h"
#include "json/place.h"

struct cloud_api;
struct cloud_volume_api;
struct error;

/* The machines of this installation bear these in the cloud's own tags, labels or metadata, under these names: */
#define CLOUD_TAG_INSTALLATION "coopr-installation"
#define CLOUD_TAG_PROVIDER "coopr-provider"
#define CLOUD_TAG_NODE "coopr-node"
#define CLOUD_TAG_CLUSTER "coopr-cluster"
#define CLOUD_TAG_TOKEN "coopr-token"

struct cloud { /* one provider entity; lives until the process ends */
	const struct cloud_api *api;
	struct arena arena;
	const char *name;         /* of the entity */
	const char *installation; /* whose machines are ours */
	struct place fields;      /* "provisioner" of the entity; its values live as long as this */
	bool tenants;             /* a tenant has written it: it reaches only public addresses */
	int64_t window_ms;        /* as that of the api, or as the fields say */
	int64_t poll_ms;          /* between two lists */
	jv bastion;               /* as facts.ssh-auth.bastion has it: machines are reached through it alone; invalid: there is none */
	const char *login;        /* who logs in, whatever the image type says; NULL: as that says */
	const char *cloud_config; /* what cloud-init is to do with each machine, a document of YAML; NULL: nothing */
	struct client *client;
	void *state;              /* the api's, which has read the fields into it; what changes is under the lock of cloud/stop.h */
	struct sightings *sightings;
};

struct cloud_order { /* a machine that is to be made */
	const char *name;     /* for people: the hostname, in characters that every cloud takes */
	const char *flavor, *image, *zone; /* zone may be NULL */
	const char *user;     /* who logs in */
	const char *token;    /* names this machine and no other, for APIs that take such a word */
	const char *user_data;
	const char *key;      /* the public key that opens it */
	const char *const (*tags)[2]; /* names and values */
	size_t tag_count;
};

enum cloud_state {
	CLOUD_PENDING, /* it is being made, or does not run for a while */
	CLOUD_RUNNING,
	CLOUD_STOPPED, /* it does not run, and make with its token goes on with it: it starts it, or makes it anew where it never ran */
	CLOUD_FAILED,  /* it will never run: reason says why */
	CLOUD_GONE,    /* it is being deleted, or was */
};

struct cloud_machine { /* strings live in the arena of the list that it is in; any but id may be NULL */
	const char *id;       /* the cloud's */
	const char *node, *token, *cluster, *provider; /* as its tags say */
	const char *name, *zone;
	const char *access_v4, *access_v6; /* from outside */
	const char *bind_v4, *bind_v6;     /* between machines; NULL: as from outside */
	const char *reason;
	int failure;          /* the code of the error of one that has failed; 0: EX_TEMPFAIL */
	enum cloud_state state;
	bool is_off;          /* it is powered off, and writes nothing until somebody starts it */
	bool is_going;        /* it is being deleted, which may fail yet */
	int64_t made_ms;      /* wall clock of the cloud; 0: it does not say */
};

struct cloud_machines { /* zero-initialise */
	struct arena arena;
	struct cloud_machine *list;
	size_t count, capacity;
};

struct cloud_flavor { /* a size of machines; strings live in the arena of the list that it is in */
	const char *name;
	double cpus, memory_mb, disk_gb; /* 0: unknown, or as the image has it */
	double per_hour;                 /* what a machine costs for an hour, in the currency of the cloud; -1: the API does not say */
};

struct cloud_flavors { /* zero-initialise */
	struct arena arena;
	struct cloud_flavor *list;
	size_t count, capacity;
};

enum cloud_trial { /* what is tried without making anything, in this order */
	CLOUD_TRY_CREDENTIALS, /* they are taken; who that is may be told */
	CLOUD_TRY_QUOTA,       /* there may be another machine; how many there are and may be is told */
	CLOUD_TRY_ZONE,        /* there is a zone of that name; NULL: the one, or the region, that the fields name */
	CLOUD_TRY_FLAVOR,      /* there is one of that name, which machines may have now, where the fields say */
	CLOUD_TRY_IMAGE,       /* there is one of that name or id */
	CLOUD_TRY_NETWORK,     /* what else the fields name is there: networks, security groups, key pairs */
	CLOUD_TRIALS,
};

/* Codes of an error of make, beside those of sysexits.h, where the cloud says that no machine was made: there is no room for one of that flavor in
 * that zone now, and another zone or flavor may do; the account may have no more, and a person has to see to it. */
enum { CLOUD_NO_CAPACITY = 211, CLOUD_NO_QUOTA = 212 };

/* Returns the exit code that stands for the code of such an error, and for that of any other itself; and its class, coopr-result(5). */
int cloud_exit_code(int code);
const char *cloud_error_class(int code);

struct cloud_api {
	const char *name;   /* "digitalocean" */
	const char *schema; /* what describe prints */
	const char *user;   /* who logs in where the image type does not say */
	double per_second;  /* requests, where the field requests_per_second does not say */
	bool takes_token;   /* asked twice with one token it makes one machine */
	int64_t window_ms;  /* a machine that was made may be missing in the list for so long */

	/* Reads the fields into cloud->state, with problems for what is wrong, and says in settings what its client is to be. */
	void (*open)(struct cloud *cloud, struct client_settings *settings);
	/* Asks for the machine. Sets what is known of it; *unknown where it may have been made although this fails. */
	int (*make)(struct cloud *cloud, const struct cloud_order *order, const struct stop *stop, struct cloud_machines *made, bool *unknown,
	    struct error *err);
	/* Adds all machines that bear the tag of this installation; where node is set, at least those of that node. */
	int (*list)(struct cloud *cloud, const char *node, const struct stop *stop, struct cloud_machines *found, struct error *err);
	/* Gives a machine that runs, and has no address from outside, one. NULL: a machine has it by itself. */
	int (*give_address)(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err);
	/* Deletes what was made for a node beside its machines, which are gone: addresses. NULL: all goes with the machine. */
	int (*clear)(struct cloud *cloud, const char *node, const struct stop *stop, struct error *err);
	/* Deletes what bore the token of a machine of the node, which has been deleted: words for tags. That fails at times does no harm. NULL: there is
	 * nothing of the kind. */
	int (*forget)(struct cloud *cloud, const char *node, const char *token, const struct stop *stop, struct error *err);
	/* Deletes it, with its disks and addresses. One that is gone is no error. */
	int (*remove)(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct error *err);
	const struct cloud_volume_api *volumes; /* cloud/volume.h; NULL: the cloud has none, and describe does not say that it has */
	/* Sets the host keys that the machine has reported through the cloud, "ssh-ed25519 AAAA...", and returns 0; none yet: count 0. Returns 1 where
	 * it will never report any. NULL: the cloud has no way for that. */
	int (*host_keys)(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena,
	    struct string_list *keys, struct error *err);
	/* Asks the cloud about one of these without making or changing anything; name is what it is about, or NULL. Returns 0 where all is well, and
	 * sets *said to what is worth telling, one phrase in the arena ("12 of 25 droplets"), or leaves it NULL; 1 where the cloud cannot be asked that,
	 * or the fields name nothing of the kind; -1 with the cloud's words. What many trials ask alike (a list of all flavors) it may keep. NULL:
	 * all that is tried is the list of machines. */
	int (*try)(struct cloud *cloud, enum cloud_trial trial, const char *name, const struct stop *stop, struct arena *arena, const char **said,
	    struct error *err);
	/* Adds the flavors that machines may have, where the fields say. NULL: the API has none; else the schema has "flavors":true. */
	int (*flavors)(struct cloud *cloud, const struct stop *stop, struct cloud_flavors *flavors, struct error *err);
};

/* Adds a machine to the list and returns it, empty. */
struct cloud_machine *cloud_machines_add(struct cloud_machines *machines);
void cloud_machines_release(struct cloud_machines *machines);

/* Reads a list that has several pages, and anew where it has changed meanwhile. read adds what is in all of its pages, and returns 0; 1 where there are
 * others by now; or -1. what names the list in the error of one that never stands still. */
int cloud_list_whole(struct cloud *cloud, int (*read)(struct cloud *cloud, const struct stop *stop, struct cloud_machines *found, struct error *err),
    const char *what, const struct stop *stop, struct cloud_machines *found, struct error *err);

/* Sets what a tag of that name says of the machine, if it is one of ours; both are copied. Does so for each text that is a member of an object. */
void cloud_machine_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *name, const char *value);
void cloud_machine_tags(struct cloud_machines *machines, struct cloud_machine *machine, jv tags);

/* Adds a flavor to the list and returns it: without a name and a price. */
struct cloud_flavor *cloud_flavors_add(struct cloud_flavors *flavors);
void cloud_flavors_release(struct cloud_flavors *flavors);

/* Returns the text of a member of an answer, in the arena; NULL where it is absent or "". */
const char *cloud_text(jv object, const char *name, struct arena *arena);

/* Returns the wall clock of a time as clouds tell it, "2026-01-01T00:00:00Z"; 0 for what is none, and for NULL. */
int64_t cloud_time(const char *text);

/* Appends what cloud-init is to do: what the provider's document says, and merged behind it what keeps the machine ours: to admit the key (NULL: none), for
 * root and for the image's own user, and more, lines of YAML that may be secret. Host keys it reports on the console by itself. Appends nothing
 * where there is nothing to do. */
void cloud_user_data(const struct cloud *cloud, const char *key, const char *more, struct buffer *out);

/* Returns what opens the machine: the cluster's key, or else what the provider has in that field for clusters without one, a key or the name of one.
 * NULL with EX_CONFIG where there is neither. */
const char *cloud_key(const struct cloud_order *order, const char *own, const char *field, struct error *err);

/* Returns the text of a field, in the cloud's arena; NULL where it is absent or "", as Coopr's documents have what is absent. */
const char *cloud_field(struct cloud *cloud, const char *name);

#endif
