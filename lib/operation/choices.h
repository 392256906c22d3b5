/* SPDX-License-Identifier: Apache-2.0
 *
 * What was chosen for a cluster, read from its request, as coopr-request is told it.
 */
#ifndef OPERATION_CHOICES_H
#define OPERATION_CHOICES_H

#include "base/process.h"
#include "json/json.h"

struct error;
struct workdir;

/* Adds options for template, provider, types, machines, services and names; the configuration goes to config.json in the folder. */
int choices_of(jv request, const struct workdir *workdir, struct arguments *arguments, struct error *err);

#endif
