/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of entities by subcommands: the change is checked as a whole, what is wrong with it is printed, and it is made or not.
 */
#ifndef BIN_STORE_VERB_CHANGE_H
#define BIN_STORE_VERB_CHANGE_H

#include <stdbool.h>

#include <stddef.h>

#include "store/change.h"
#include "verb.h"

struct entity_input;

struct store_verb_change_options {
	const char *why;
	struct option_change change;
	bool force, dry_run;
};

#define STORE_VERB_CHANGE_OPTIONS(changing) \
	OPTION_CHANGE(&(changing)->change), \
	OPTION_STRING('m', "message", &(changing)->why, "TEXT", "the reason, for the history"), \
	OPTION_FLAG(0, "force", &(changing)->force, "also if that makes something wrong, which is told"), \
	OPTION_RETIRED('f', NULL, "--force"), \
	OPTION_FLAG(0, "dry-run", &(changing)->dry_run, "do all but write"), \
	OPTION_RETIRED('n', NULL, "--dry-run")

/* Begins a change; exits with a message where that fails. */
void store_verb_begin(struct change *change, struct store *store, const struct store_verb_change_options *changing);

/* Returns how many bytes of standard input may be read, before it is known what they are. */
size_t store_verb_input_limit(const struct store *store);

/* Refuses more at once than a tenant may have others wait for, who change something meanwhile. Returns EX_DATAERR or 0. */
int store_verb_check_amount(const struct store *store, const struct entity_input *input);

/* Turns the addresses of machines in a tenant's providers into numbers, inspect/own-addresses.h, before the store is locked: names are looked
 * up. Returns 0, or the exit code of what has failed. */
int store_verb_pin_addresses(struct store *store, struct entity_input *input);

/* Refuses entities in which a tenant names things of the host, or addresses that it has not, unless the installation has written them just so. Returns EX_NOPERM
 * where it refuses any, else 0. */
int store_verb_check_origin(struct store *store, const struct entity_input *input);

/* Ends it: makes it durable, or undoes it where it is refused or a dry run. Returns the exit code: EX_NO where it is
 * refused. */
int store_verb_end(struct change *change, const struct store_verb_change_options *changing);

/* Notes of each entity what is probably not as it was meant: members that are spelled nearly like one that is read, a plugin that is
 * not here, fields that its plugin does not know, or requires and has not. With warns, each is also a message. */
void store_verb_note_doubts(struct store *store, struct entity_input *input, bool warns);

/* Says what is wrong with files or entities, a line each. Returns EX_DATAERR where something is malformed, EX_NO where
 * something is wrong otherwise, else 0. */
int store_verb_report(const struct findings *findings);

#endif
