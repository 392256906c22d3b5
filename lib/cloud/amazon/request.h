/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of EC2's Query API: forms that are posted, signed by version 4, and answers in XML, with the cloud's words for what is wrong.
 */
#ifndef CLOUD_AMAZON_REQUEST_H
#define CLOUD_AMAZON_REQUEST_H

#include <stdbool.h>

#include "base/memory.h"
#include "cloud/client.h"
#include "cloud/xml.h"

struct cloud;

struct ec2_reply { /* zero-initialise but for its answer */
	struct client_answer answer;
	struct _xmlDoc *document;
	struct arena arena;
	const char *code; /* of the error, "InvalidAMIID.NotFound"; NULL: none */
	bool renewed;     /* the keys that have signed the request are asked for anew */
};

#define EC2_REPLY_NONE ((struct ec2_reply){.answer = {.wait_ms = -1}})

/* Begins a form. */
void ec2_begin(struct buffer *form, const char *action);

/* Adds a parameter to a form, whose name is as printf makes it. What has no value is not added. */
void ec2_add(struct buffer *form, const char *value, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sends the form until the cloud takes it, and reads the answer. The clock is corrected once; too many requests wait for their turn. repeatable
 * as in struct client_request. */
int ec2_ask(const struct cloud *cloud, const struct buffer *form, bool repeatable, const struct stop *stop, struct ec2_reply *reply,
    struct error *err);

void ec2_release(struct ec2_reply *reply);

struct ec2_list {
	const char *action; /* "DescribeVolumes" */
	const char *set;    /* of the answers, which has the items: "volumeSet" */
	const char *only;   /* further parameters, "&Owner.1=self"; NULL: none */
	unsigned page;      /* at most so many items in one answer */
	int (*read)(const struct _xmlNode *item, void *data, struct error *err);
	void *data;
};

/* Reads a list page by page, to its end. */
int ec2_pages(const struct cloud *cloud, const struct ec2_list *list, const struct stop *stop, struct error *err);

/* Tells whether the code of an error is one of the list, up to NULL; code may be NULL. */
bool ec2_is_one_of(const char *code, const char *const *codes);

/* Tells whether the request was refused before anything was done, and may be taken later: there were too many, or there is no room. */
bool ec2_is_refused(const char *code);

#endif
