/* SPDX-License-Identifier: Apache-2.0
 *
 * One request of a server's API and its answer, coopr-api(7): what "coopr login" asks, which no command of the server does for it.
 */
#ifndef REMOTE_API_H
#define REMOTE_API_H

#include "json/json.h"

struct destination;
struct error;

/* Sends the request with the destination's token, and with the document as its body unless that is null. Returns 0 and what was answered,
 * null if that was nothing; -1 where the server is not reached (EX_UNAVAILABLE), or refuses: dial_refused says with what code. session,
 * unless it is NULL, is set to the text of one that the answer begins (the caller's to free), else to NULL. */
int api_ask(const struct destination *to, const char *method, const char *path, jv document, jv *answer, char **session, struct error *err);

#endif
