/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of an operation: its folder, the veto of its hooks, its record in the store; and beginning again one that has
 * begun before.
 */
#ifndef OPERATION_BEGIN_H
#define OPERATION_BEGIN_H

struct error;
struct operation;
struct operation_context;
struct operation_request;
struct preview_basis;

/* Sets the context's digest of what the request's command names. */
int begin_digest(struct operation_context *context, const struct operation_request *request, struct error *err);

/* Returns whether what the command names is still what it was when the operation began: 1, 0 or -1. Of an operation of an
 * earlier version nothing is known: 1. */
int begin_is_same(struct operation_context *context, const struct operation *operation, struct error *err);

/* Writes what is known before anything is planned to the operation's folder: command and was.ndjson. */
int begin_folder(const struct operation_context *context, const struct operation_request *request, struct error *err);

/* Asks the hooks. Fails with EX_NO where one objects. */
int begin_ask(const struct operation_context *context, const struct operation_request *request, struct error *err);

/* Takes what the preview of the plan in the folder has to know beside the plan. */
int begin_basis(const struct operation_context *context, struct preview_basis *basis, struct error *err);

/* Checks, before anybody is asked, that the store would record the operation: fails as begin_record does, above all with EX_NO where
 * the quota forbids it. */
int begin_admit(struct operation_context *context, const struct operation_request *request, struct error *err);

/* Gets the consent of who asks to the plan in the folder, where the options say that it is wanted. While the question waits for its
 * answer, the cluster is not locked. Fails with EX_NO where the answer is no; EX_USAGE where machines would be deleted and nobody
 * can be asked; 128 + the signal that came; EX_TEMPFAIL where the cluster has changed meanwhile, which the context says then. */
int begin_consent(struct operation_context *context, const struct operation_request *request, struct error *err);

/* Records the operation in the store, with the documents that its folder holds. */
int begin_record(struct operation_context *context, const struct operation_request *request, struct error *err);

/* Fails with EX_NO where something is left to do, of an operation that has ended, on machines that are on record as gone: it would be waited for in
 * vain. */
int begin_check_machines(const struct operation_context *context, const struct operation *operation, struct error *err);

/* Makes an operation that has begun before, in whose folder the context is, the context's own; one that failed or was
 * cancelled is reopened, and its job retried. */
int begin_again(struct operation_context *context, const struct operation *operation, struct error *err);

#endif
