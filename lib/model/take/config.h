/* SPDX-License-Identifier: Apache-2.0
 *
 * The config of a cluster: a free JSON object, from a template and changed by hand.
 */
#ifndef MODEL_TAKE_CONFIG_H
#define MODEL_TAKE_CONFIG_H

#include "json/json.h"

struct error;

/* The config that a cluster template gives by default: defaults.config, and below the name of each default service that
 * has a config of its own, that. Owned. */
jv config_of_template(jv template);

/* Changes one value: assignment is PATH=VALUE. PATH is a JSON Pointer ("/site/fs.default"), or names with dots between
 * ("site.port"); objects on the way are made, an element of a list is meant by its number. VALUE is JSON, and where it is none
 * a string. -1 with EX_USAGE where the path leads through something else or there is no "=". */
int config_set(jv *config, const char *assignment, struct error *err);

/* Fails with EX_DATAERR where the config has a value that was hidden from who wrote it. */
int config_check_hidden(jv config, struct error *err);

#endif
