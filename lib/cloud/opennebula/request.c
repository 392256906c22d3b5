/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/opennebula/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/opennebula/account.h"
#include "cloud/xmlrpc.h"

void
one_release(struct one_reply *reply)
{
	xml_free(reply->document);
	arena_release(&reply->arena);
	client_answer_release(&reply->answer);
	*reply = ONE_REPLY_NONE;
}

void
one_begin(const struct cloud *cloud, struct buffer *call, const char *method)
{
	const struct one_account *account = cloud->state;

	xmlrpc_begin(call, method);
	xmlrpc_add_string(call, account->session);
}

/* Sets err to what the cloud says is wrong. Quotas are refused as what nobody may do. */
static int
one_refused(const char *method, struct one_reply *reply, struct error *err)
{
	bool quota = strstr(reply->value, "quota") != NULL;
	int code = quota ? CLOUD_NO_QUOTA : reply->code == ONE_AUTHENTICATION || reply->code == ONE_AUTHORIZATION ? EX_NOPERM
	    : reply->code == ONE_NO_EXISTS ? EX_NOINPUT
	    : reply->code == ONE_ACTION || reply->code == ONE_INTERNAL || reply->code == ONE_LOCKED ? EX_TEMPFAIL : EX_CONFIG;

	return error_set(err, code, "%s: %.400s", method, *reply->value ? reply->value : "it failed");
}

/* Reads (boolean, value, code). What is no such answer may be one of somebody in between. */
static int
one_read(const char *method, struct one_reply *reply, struct error *err)
{
	struct _xmlDoc *document = xml_parse(method, &reply->answer.body, err);
	const struct _xmlNode *value = document ? xmlrpc_value(document, method, &reply->arena, err) : NULL;
	bool whole = value && xmlrpc_element(value, 0) && xmlrpc_element(value, 1);
	int result = -1;

	if (whole && strcmp(xmlrpc_text(xmlrpc_element(value, 0), &reply->arena), "1") == 0) {
		result = 0;
	} else if (whole) {
		reply->code = strtol(xmlrpc_text(xmlrpc_element(value, 2), &reply->arena), NULL, 10);
	} else if (value) {
		error_set(err, EX_TEMPFAIL, "%s: the answer is none of OpenNebula", method);
	}
	if (whole) {
		reply->value = xmlrpc_text(xmlrpc_element(value, 1), &reply->arena);
		if (result < 0)
			one_refused(method, reply, err);
	} else {
		reply->answer.unknown = err->code == EX_TEMPFAIL;
	}
	xml_free(document);
	return result;
}

int
one_ask(const struct cloud *cloud, struct buffer *call, const char *method, bool repeatable, const struct stop *stop, struct one_reply *reply,
    struct error *err)
{
	const struct one_account *account = cloud->state;
	struct client_request request = {.method = "POST", .url = account->url, .type = "text/xml", .repeatable = repeatable};
	int result;

	xmlrpc_end(call);
	request.body = call->data;
	request.length = call->length;
	one_release(reply);
	result = client_send(cloud->client, &request, stop, &reply->answer, err);
	if (result == 0 && reply->answer.status / 100 != 2)
		result = client_refused(&request, &reply->answer, err);
	else if (result == 0)
		result = one_read(method, reply, err);
	/* What failed within may have been done. */
	reply->answer.unknown |= reply->code == ONE_INTERNAL;
	buffer_release(call);
	return result;
}

const struct _xmlNode *
one_ask_document(const struct cloud *cloud, struct buffer *call, const char *method, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct buffer text = {0};

	if (one_ask(cloud, call, method, true, stop, reply, err) < 0)
		return NULL;
	buffer_text(&text, reply->value);
	reply->document = xml_parse(method, &text, err);
	buffer_release(&text);
	return reply->document ? xml_root(reply->document) : NULL;
}
