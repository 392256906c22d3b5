/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person may ask for instead of a change of a cluster that no layout satisfies: commands, each of which was tried.
 */
#ifndef PREPARE_CHANGE_REMEDY_H
#define PREPARE_CHANGE_REMEDY_H

struct error;
struct operation_context;

/* Appends to err, which says why request.json has no layout, the commands that have one: with moves, or another number of machines. */
void change_remedy_append(const struct operation_context *context, struct error *err);

#endif
