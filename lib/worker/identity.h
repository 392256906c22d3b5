/* SPDX-License-Identifier: Apache-2.0
 *
 * What providers are told of the identity of the installation (store/installation.h), coopr-plugins(7): the member "installation" of the
 * cluster in a take record, and of the entity for a list. Where there is no store, there is none. While a store that came from a
 * backup has a former id, providers that tell their machines by the id ("installation" in their description) are asked for nothing:
 * of a machine with the former id nobody knows whose it is.
 */
#ifndef WORKER_IDENTITY_H
#define WORKER_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "store/installation.h"

struct buffer;
struct error;
struct task;

struct identity { /* what a worker knows of it; zero-initialise */
	char id[INSTALLATION_ID_SIZE]; /* "" without a store */
	bool is_plain;     /* every provider may be told it */
	int64_t read_at;   /* monotonic; 0: it was not read */
};

/* Tells the provider of the task, if it is one's. Fails where it may not be asked now: a creation with EX_TEMPFAIL, all else with
 * EX_CONFIG. */
int identity_tell(const struct task *task, jv *record, struct error *err);

/* Tells a provider, by its entity, before it lists its machines. Fails with EX_CONFIG where it may not be asked now. */
int identity_tell_entity(jv *entity, struct error *err);

/* Fails as identity_tell_entity does for the entity, in JSON. */
int identity_check(const char *entity, struct error *err);

/* Does the same as identity_tell in a record as canonical text. Returns false where the provider may have to be refused, which
 * coopr-exec finds out; the record is unchanged then. */
bool identity_tell_text(struct identity *identity, struct buffer *record);

#endif
