/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of OpenNebula's XML-RPC API, and what its errors mean.
 */
#ifndef CLOUD_OPENNEBULA_REQUEST_H
#define CLOUD_OPENNEBULA_REQUEST_H

#include "cloud/cloud.h"
#include "cloud/xml.h"

struct buffer;

/* Codes of errors. */
enum { ONE_AUTHENTICATION = 0x100, ONE_AUTHORIZATION = 0x200, ONE_NO_EXISTS = 0x400, ONE_ACTION = 0x800, ONE_INTERNAL = 0x2000, ONE_LOCKED = 0x8000 };

struct one_reply { /* zero-initialise but for its answer */
	struct client_answer answer;
	struct arena arena;
	const char *value;       /* a number, or a document as text */
	struct _xmlDoc *document; /* of that text, where one is read */
	bool granted;            /* what was asked was done; else value says why not */
	long code;               /* of an error of OpenNebula */
};

#define ONE_REPLY_NONE ((struct one_reply){.answer = {.wait_ms = -1}})

void one_release(struct one_reply *reply);

/* Begins a call, whose first parameter says who asks. */
void one_begin(const struct cloud *cloud, struct buffer *call, const char *method);

/* Ends the call and sends it. repeatable as in struct client_request. */
int one_ask(const struct cloud *cloud, struct buffer *call, const char *method, bool repeatable, const struct stop *stop, struct one_reply *reply,
    struct error *err);

/* Does the same for a value that is a document. Returns its root; NULL with an error. */
const struct _xmlNode *one_ask_document(const struct cloud *cloud, struct buffer *call, const char *method, const struct stop *stop,
    struct one_reply *reply, struct error *err);

#endif
