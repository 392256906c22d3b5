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

/* Writes what is known before anything is planned to the operation's folder: command and was.ndjson. */
int begin_folder(const struct operation_context *context, const struct operation_request *request, struct error *err);

/* Asks the hooks. Fails with EX_NO where one objects. */
int begin_ask(const struct operation_context *context, const struct operation_request *request, struct error *err);

/* Returns what machines cost, see prices_of, by the request in the folder, or else by the cluster's own. The caller frees
 * it; NULL with a reason. */
char *begin_prices(const struct operation_context *context, struct error *err);

/* Records the operation in the store, with the documents that its folder holds. */
int begin_record(struct operation_context *context, const struct operation_request *request, struct error *err);

/* Makes an operation that has begun before, in whose folder the context is, the context's own; one that failed or was
 * cancelled is reopened, and its job retried. */
int begin_again(struct operation_context *context, const struct operation *operation, struct error *err);

#endif
