/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents in which lists that are sets are sorted, so that two which differ in nothing but an order that means nothing are
 * the same text. Lists whose order means something (objective, zones), and what is not ours to know (config, fields), stay.
 */
#ifndef MODEL_ANSWER_CANONICAL_H
#define MODEL_ANSWER_CANONICAL_H

#include <jv.h>

jv canonical_template(jv template);
jv canonical_service(jv service);

#endif
