/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON Schemas of share/coopr/schema as parts of the description of the API: that of documents, a file for each kind, and that of the
 * records of answers, all in records.json. In the description they have no addresses of their own, and refer to each other within it.
 */
#ifndef JSON_SCHEMAS_H
#define JSON_SCHEMAS_H

#include <jv.h>

/* Returns the components of the description: each schema by its name. */
jv schemas_all(void);

/* Returns the schema of one of the named documents or records, with blanks between: a reference to it, or to each. NULL: that of any object. */
jv schemas_of(jv all, const char *names);

#endif
