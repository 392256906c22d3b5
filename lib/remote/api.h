/* SPDX-License-Identifier: Apache-2.0
 *
 * One request of a server's API and its answer, coopr-api(7): what "coopr login" asks, which no command of the server does for it.
 */
#ifndef REMOTE_API_H
#define REMOTE_API_H

#include "json/json.h"

struct destination;
struct error;

struct api_session { /* of a browser, as which the request is sent; zero-initialise; release it */
	char *cookie; /* "coopr=..."; NULL: there is none */
	char *csrf;
};

/* Sends the request, with the document as its body unless that is null, as the session if it has begun, else with the destination's token.
 * Returns 0 and what was answered, null if that was nothing; -1 where the server is not reached (EX_UNAVAILABLE), or refuses:
 * dial_refused says with what code. A session that the answer begins is taken. */
int api_ask(const struct destination *to, struct api_session *session, const char *method, const char *path, jv document, jv *answer,
    struct error *err);

void api_session_release(struct api_session *session);

#endif
