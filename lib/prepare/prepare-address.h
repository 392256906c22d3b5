/* SPDX-License-Identifier: Apache-2.0
 *
 * The address of a cluster whose configuration has %cluster.address%: which it is, is known before the layout is.
 */
#ifndef PREPARE_PREPARE_ADDRESS_H
#define PREPARE_PREPARE_ADDRESS_H

#include "json/json.h"

struct error;
struct operation_context;

/* Sets in the request's cluster the address that it has or is to get, where its configuration asks for one: it is the cluster's from when the operation
 * begins. Returns 1 where it was set, 0, or -1: EX_CONFIG where the provider names no addresses, EX_NO where all are taken. */
int prepare_address(const struct operation_context *context, jv *request, struct error *err);

#endif
