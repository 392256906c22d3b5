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

struct question {
	const char *method;
	struct one_reply *reply;
	bool wants_document; /* where it is granted */
};

static int
one_read_document(const char *method, struct one_reply *reply, struct error *err)
{
	struct buffer text = {0};

	buffer_text(&text, reply->value);
	reply->document = xml_parse(method, &text, err);
	buffer_release(&text);
	return reply->document ? 0 : -1;
}

/* Reads (boolean, value, code). */
static int
one_read(struct client_answer *answer, void *data, struct error *err)
{
	const struct question *question = data;
	struct one_reply *reply = question->reply;
	struct _xmlDoc *document = xml_parse(question->method, &answer->body, err);
	const struct _xmlNode *value = document ? xmlrpc_value(document, question->method, &reply->arena, err) : NULL;
	int result = -1;

	if (value && xmlrpc_element(value, 0) && xmlrpc_element(value, 1)) {
		reply->granted = strcmp(xmlrpc_text(xmlrpc_element(value, 0), &reply->arena), "1") == 0;
		reply->value = xmlrpc_text(xmlrpc_element(value, 1), &reply->arena);
		reply->code = reply->granted ? 0 : strtol(xmlrpc_text(xmlrpc_element(value, 2), &reply->arena), NULL, 10);
		result = reply->granted && question->wants_document ? one_read_document(question->method, reply, err) : 0;
	} else if (value) {
		error_set(err, EX_TEMPFAIL, "%s: the answer is none of OpenNebula", question->method);
	}
	xml_free(document);
	return result;
}

static int
one_send(const struct cloud *cloud, struct buffer *call, struct question *question, bool repeatable, const struct stop *stop, struct error *err)
{
	const struct one_account *account = cloud->state;
	struct client_request request = {.method = "POST", .url = account->url, .type = "text/xml", .repeatable = repeatable, .read = one_read,
	    .data = question};
	struct one_reply *reply = question->reply;
	int result;

	xmlrpc_end(call);
	request.body = call->data;
	request.length = call->length;
	one_release(reply);
	result = client_send(cloud->client, &request, stop, &reply->answer, err);
	if (result == 0 && reply->answer.status / 100 != 2)
		result = client_refused(&request, &reply->answer, err);
	else if (result == 0 && !reply->granted)
		result = one_refused(question->method, reply, err);
	/* What failed within may have been done. */
	reply->answer.unknown |= reply->code == ONE_INTERNAL;
	buffer_release(call);
	return result;
}

int
one_ask(const struct cloud *cloud, struct buffer *call, const char *method, bool repeatable, const struct stop *stop, struct one_reply *reply,
    struct error *err)
{
	struct question question = {method, reply, false};

	return one_send(cloud, call, &question, repeatable, stop, err);
}

const struct _xmlNode *
one_ask_document(const struct cloud *cloud, struct buffer *call, const char *method, const struct stop *stop, struct one_reply *reply, struct error *err)
{
	struct question question = {method, reply, true};

	return one_send(cloud, call, &question, true, stop, err) < 0 ? NULL : xml_root(reply->document);
}
