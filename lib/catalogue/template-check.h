/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a cluster template, with all that it extends and includes, against the rest of its catalogue; of a partial template
 * only that the things it names exist.
 */
#ifndef CATALOGUE_TEMPLATE_CHECK_H
#define CATALOGUE_TEMPLATE_CHECK_H

struct check;

/* Adds the errors and warnings about the template of check. */
void check_template(struct check *check);

#endif
