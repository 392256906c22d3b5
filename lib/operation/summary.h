/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a cluster that was created or changed for a person.
 */
#ifndef OPERATION_SUMMARY_H
#define OPERATION_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

struct error;
struct efficiency;
struct output;

/* Prints hosts with their addresses and services, the links, the time that it took, and the next commands. path is a layout
 * with the facts of its nodes; name is the cluster's, which may have changed since the layout was made. */
int summary_print(const char *path, const char *name, const struct efficiency *efficiency, FILE *out, bool colour, struct error *err);

/* Prints the records of a file. */
int summary_copy(const char *path, struct output *output, struct error *err);

#endif
