/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans that are kept in a file, to be carried out later exactly as they are, or not at all. The file is a stream of records,
 * which coopr-run(1) describes: what the plan is of, what it was made from, and the request and the layout that stood in the
 * operation's folder; then the plan as it stood there, so that whoever reads plans reads these, too; then a seal: a MAC over
 * all before it, with a key derived from the store's, since whoever may write such a file must not become able to have anything
 * done that was not planned here.
 */
#ifndef OPERATION_SAVED_PLAN_H
#define OPERATION_SAVED_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jv.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/saved-plan-record.h"

struct account_ask;
struct error;
struct operation_context;
struct store_key;
struct operation_request;
struct preview_basis;

enum { SAVED_MAC_SIZE = 65 }; /* in hexadecimal, with a NUL */

struct saved_plan { /* release it; strings live in arena */
	const char *path;       /* borrowed: of the file */
	struct buffer text;
	jv header;
	struct arena arena;
	struct saved_plan_record said; /* by the header */
	char *command;          /* of the operation: that which was typed, and the plan */
	int64_t id;             /* of the cluster */
	const char *records;    /* the plan, in text */
	size_t length;          /* of that */
	size_t sealed;          /* how many bytes of text the seal is of */
	char mac[SAVED_MAC_SIZE];
};

/* Saves what a dry run has planned to context->options->save: that file is there whole, or what it was; "-" is standard output. Fails
 * with EX_CANTCREAT where another file is there. */
int saved_plan_write(struct operation_context *context, const struct operation_request *request,
    const struct preview_basis *basis, struct error *err);

/* Reads a file ("-": standard input). Fails with EX_DATAERR where it is not a saved plan of this store, or was changed. */
int saved_plan_read(struct saved_plan *plan, const char *path, const struct account_ask *ask, struct error *err);
void saved_plan_release(struct saved_plan *plan);

/* Returns whether a file begins as a saved plan does; standard input is none. */
bool saved_plan_is(const char *path);

/* Reads a file without asking any store. saved_plan_verify then tells, with EX_DATAERR, whether it is as that store's coopr has
 * saved it. */
int saved_plan_open(struct saved_plan *plan, const char *path, struct error *err);
int saved_plan_verify(const struct saved_plan *plan, const struct account_ask *ask, struct error *err);

/* Returns what the preview was printed with, in basis; a file of an earlier coopr does not say. */
void saved_plan_basis(const struct saved_plan *plan, struct preview_basis *basis);

/* Tells whether the cluster is what the plan was made from: 0, or -1 with EX_NO and what has changed. Nothing is locked. */
int saved_plan_fits(const struct saved_plan *plan, const struct account_ask *ask, struct error *err);

/* For an operation_request with the saved plan as its parameters: admits it if the cluster is what the plan was made from
 * (else EX_NO), and takes the plan as it is. */
int saved_plan_admit(struct operation_context *context, const void *saved_plan, struct error *err);
int saved_plan_prepare(struct operation_context *context, const void *saved_plan, struct error *err);

/* Between the parts of this module: the seal of a text, and the digest of a layout. */
void saved_plan_seal(const struct store_key *key, const char *text, size_t length, char mac[SAVED_MAC_SIZE]);
void saved_plan_digest(const char *layout, char digest[SAVED_MAC_SIZE]);

#endif
