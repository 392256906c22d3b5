/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads what was chosen for a cluster from its request, as arguments of coopr-request.
 */
#ifndef PREPARE_CHOICES_H
#define PREPARE_CHOICES_H

#include "base/process.h"
#include "json/json.h"

struct error;
struct workdir;

/* Adds options for template, provider, types, machines, services and names; the configuration goes to config.json in the
 * folder. */
int choices_of(jv request, const struct workdir *workdir, struct arguments *arguments, struct error *err);

#endif
