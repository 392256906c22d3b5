/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of an operation: its folder, its record in the store; and what it takes to go on with one that has begun
 * before.
 */
#ifndef OPERATION_BEGIN_H
#define OPERATION_BEGIN_H

struct error;
struct operation;
struct operation_context;
struct operation_request;

/* Puts into the operation's folder what is known before anything is planned: command and was.ndjson. */
int begin_folder(const struct operation_context *context, const struct operation_request *order, struct error *err);

/* Asks the hooks. EX_NO where one objects. */
int begin_ask(const struct operation_context *context, const struct operation_request *order, struct error *err);

/* What machines cost, as the request in the folder says, or else the cluster's own: see prices_of. The caller frees it; NULL with a reason. */
char *begin_prices(const struct operation_context *context, struct error *err);

/* Records it in the store, with what the folder says that shall be. */
int begin_record(struct operation_context *context, const struct operation_request *order, struct error *err);

/* Goes on with one that has begun, with the site's operation folder open on it; one that failed is tried again. */
int begin_again(struct operation_context *context, const struct operation *operation, struct error *err);

#endif
