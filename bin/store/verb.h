/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands of coopr-store. Each is a command of its own: it parses its options, acts, prints, and returns the
 * exit code. argv[0] is the subcommand's name.
 */
#ifndef BIN_STORE_VERB_H
#define BIN_STORE_VERB_H

#include <stdbool.h>

#include "account/accounts.h"
#include "base/option.h"
#include "model/show/list.h"
#include "store/entities.h"

int store_verb_init(int argc, char **argv);
int store_verb_put(int argc, char **argv);
int store_verb_import(int argc, char **argv);
int store_verb_export(int argc, char **argv);
int store_verb_get(int argc, char **argv);
int store_verb_list(int argc, char **argv);
int store_verb_delete(int argc, char **argv);
int store_verb_history(int argc, char **argv);
int store_verb_diff(int argc, char **argv);
int store_verb_fsck(int argc, char **argv);
int store_verb_backup(int argc, char **argv);
int store_verb_migrate(int argc, char **argv);
int store_verb_rekey(int argc, char **argv);
int store_verb_claims(int argc, char **argv);
int store_verb_installation(int argc, char **argv);

/* The same under the name of a command, with its examples. */
int store_verb_import_as(const char *name, const char *examples, int argc, char **argv);
int store_verb_export_as(const char *name, const char *examples, int argc, char **argv);

/* The options that subcommands have in common: which store, which tenant, who asks, and how a list is printed. */
extern struct store_verb_given {
	const char *store, *tenant, *by, *format, *colour;
	bool hides; /* who asks may not see passwords and keys in clear; known once the store is open */
} store_verb_given;

#define STORE_VERB_STORE OPTION_STRING(0, "store", &store_verb_given.store, "FILE", "the store (default: $COOPR_STORE)")
#define STORE_VERB_BY \
	OPTION_STRING(0, "as", &store_verb_given.by, "USER", "with this user's rights: for admins (default: $COOPR_USER)")
#define STORE_VERB_WHERE \
	STORE_VERB_STORE, \
	OPTION_STRING('T', "tenant", &store_verb_given.tenant, "TENANT", "whose entities (default: $COOPR_TENANT, else default)"), \
	STORE_VERB_BY
#define STORE_VERB_OUTPUT OUTPUT_OPTIONS(&store_verb_given.format, &store_verb_given.colour, OUTPUT_NAMES)

/* The options of subcommands that have none of their own: STORE_VERB_WHERE, for lists with STORE_VERB_OUTPUT. */
extern const struct option_spec store_verb_options[], store_verb_list_options[];

/* Opens the store for who asks; exits with a message where that fails, and with EX_NOPERM where they do not have that role:
 * what, which they may not do, is in the message. */
void store_verb_account(struct account *account, enum store_mode mode, enum account_role role, const char *what);

/* The same, of which only the store is of interest: it is to be released. */
void store_verb_open(struct store **store, enum store_mode mode, enum account_role role);

/* Returns the kind that an operand names; exits with 64 where there is none of that name. */
enum entity_kind store_verb_kind(const struct command *command, const char *operand);

/* Exits with 64 where there are fewer or more operands. Returns how many there are. */
size_t store_verb_operands(const struct command *command, char *const *operands, size_t min, size_t max, const char *wanted);

/* Returns the output that the options ask for. */
struct output store_verb_output(void);

/* Asks who is at a terminal whether what has these names is to be deleted, of which no version is kept; yes is consent.
 * Returns 0, or -1. */
int store_verb_consent(char *const *names, bool yes, struct error *err);

/* Prints revisions on stdout, each with its change. */
void store_verb_print(const struct revisions *list);

#endif
