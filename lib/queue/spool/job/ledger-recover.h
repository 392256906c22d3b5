/* SPDX-License-Identifier: Apache-2.0
 *
 * How an index comes to say what the events say, after whatever happened.
 */
#ifndef QUEUE_SPOOL_JOB_LEDGER_RECOVER_H
#define QUEUE_SPOOL_JOB_LEDGER_RECOVER_H

#include "queue/spool/job/ledger.h"

struct blueprint;

/* Makes the files of a new job in the folder dir, which the ledger closes from here on, all but plan.ndjson. The ledger is
 * locked; its first event is still to be recorded. */
int ledger_begin(struct ledger *ledger, const struct spool *spool, struct board *board, int dir,
    struct blueprint *blueprint, struct error *err);

/* Under the lock: maps the index, folds in events that are not yet, cuts off a torn line, or builds all of it anew. */
int ledger_recover(struct ledger *ledger, struct error *err);

/* Builds a new index from plan.ndjson and events.ndjson; in memory only where the ledger is not writable. */
int ledger_rebuild(struct ledger *ledger, struct error *err);

/* Keeps what the event's result says of its node (step is done or failed). Before the event is folded. */
int ledger_learn(struct ledger *ledger, const struct event *event, struct error *err);

#endif
