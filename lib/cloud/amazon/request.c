/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/request.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cloud/cloud.h"
#include "cloud/amazon/account.h"
#include "cloud/amazon/credentials.h"
#include "cloud/pace.h"
#include "content/content.h"

enum { SKEW_MS = 60 * 1000 };

void
ec2_add(struct buffer *form, const char *value, const char *format, ...)
{
	va_list ap;
	char *name, *escaped;

	if (!value)
		return;
	va_start(ap, format);
	name = memory_vprintf(format, ap);
	va_end(ap);
	escaped = client_escape(value);
	buffer_printf(form, "&%s=%s", name, escaped);
	free(escaped);
	free(name);
}

void
ec2_begin(struct buffer *form, const char *action)
{
	buffer_printf(form, "Action=%s&Version=2016-11-15", action);
}

void
ec2_release(struct ec2_reply *reply)
{
	xml_free(reply->document);
	arena_release(&reply->arena);
	client_answer_release(&reply->answer);
	*reply = EC2_REPLY_NONE;
}

bool
ec2_is_one_of(const char *code, const char *const *codes)
{
	for (; *codes; codes++)
		if (code && strcmp(code, *codes) == 0)
			return true;
	return false;
}

static bool
ec2_is_throttled(const char *code)
{
	static const char *const codes[] = {"RequestLimitExceeded", "Throttling", "ThrottlingException", NULL};

	return ec2_is_one_of(code, codes);
}

static bool
ec2_is_capacity(const char *code)
{
	static const char *const codes[] = {"InsufficientInstanceCapacity", "InsufficientHostCapacity", "InsufficientCapacity",
	    "InsufficientReservedInstanceCapacity", "SpotMaxPriceTooLow", "InsufficientFreeAddressesInSubnet", NULL};

	return ec2_is_one_of(code, codes);
}

bool
ec2_is_refused(const char *code)
{
	return ec2_is_capacity(code) || ec2_is_throttled(code);
}

static int
ec2_exit_code(const char *code, long status)
{
	static const char *const credentials[] = {"AuthFailure", "UnauthorizedOperation", "InvalidClientTokenId", "SignatureDoesNotMatch",
	    "RequestExpired", "Blocked", "OptInRequired", "ExpiredToken", "MissingAuthenticationToken", NULL};
	static const char *const quota[] = {"InstanceLimitExceeded", "VcpuLimitExceeded", "MaxSpotInstanceCountExceeded", "VolumeLimitExceeded",
	    "AddressLimitExceeded", "NetworkInterfaceLimitExceeded", "PendingVerification", NULL};
	static const char *const later[] = {"Unavailable", "ServiceUnavailable", "InternalError", "InternalFailure", NULL};

	return ec2_is_one_of(code, credentials) ? EX_NOPERM
	    : ec2_is_capacity(code) ? CLOUD_NO_CAPACITY : ec2_is_one_of(code, quota) ? CLOUD_NO_QUOTA
	    : ec2_is_one_of(code, later) || ec2_is_refused(code) || status >= 500 ? EX_TEMPFAIL : EX_CONFIG;
}

struct question {
	const char *action;
	struct ec2_reply *reply;
};

/* Reads an answer to the action, whose element is called like it. */
static int
ec2_read(struct client_answer *answer, void *data, struct error *err)
{
	const struct question *question = data;
	struct _xmlDoc *document = xml_parse(question->action, &answer->body, err);
	const char *root = document ? xml_name(xml_root(document)) : "";
	size_t length = strlen(question->action);

	if (document && strncmp(root, question->action, length) == 0 && strcmp(root + length, "Response") == 0) {
		question->reply->document = document;
		return 0;
	}
	if (document)
		error_set(err, EX_TEMPFAIL, "%s: the answer is none of EC2", question->action);
	xml_free(document);
	return -1;
}

/* Makes an error of what the answer says, in the cloud's words. */
static int
ec2_refused(const char *action, const struct client_request *request, struct ec2_reply *reply, struct error *err)
{
	const struct _xmlNode *error;
	const char *text;
	struct error ignored;

	reply->document = xml_parse(action, &reply->answer.body, &ignored);
	error = reply->document ? xml_find(xml_root(reply->document), "Errors/Error") : NULL;
	if (!error || !(reply->code = xml_text(error, "Code", &reply->arena)))
		return client_refused(request, &reply->answer, err);
	text = xml_text(error, "Message", &reply->arena);
	return error_set(err, ec2_exit_code(reply->code, reply->answer.status), "%s: %s: %.400s", action, reply->code, text ? text : "");
}

/* Signs the form by the cloud's clock, as far as it is known, and sends it. */
static int
ec2_send(const struct cloud *cloud, const struct buffer *form, bool repeatable, const struct stop *stop, struct ec2_reply *reply, struct error *err)
{
	static const char *const expired[] = {"ExpiredToken", "RequestExpired", "AuthFailure", "InvalidClientTokenId", NULL};
	const struct ec2_account *account = cloud->state;
	char sum[CONTENT_DIGEST_SIZE], *action = memory_substring(form->data + strlen("Action="), strcspn(form->data + strlen("Action="), "&"));
	const struct signature_request signed_request = {.method = "POST", .host = account->host, .path = account->path, .query = "", .sum = sum};
	struct question question = {action, reply};
	struct client_request request = {.method = "POST", .url = account->url, .type = "application/x-www-form-urlencoded; charset=utf-8",
	    .body = form->data, .length = form->length, .repeatable = repeatable, .read = ec2_read, .data = &question};
	struct signature_signer signer;
	int64_t skew_ms;
	int result = ec2_signer(cloud, stop, &reply->arena, &signer, err);

	if (result < 0) {
		free(action);
		return -1;
	}
	stop_lock();
	skew_ms = account->skew_ms;
	stop_unlock();
	content_digest(form->data, form->length, sum);
	signature_add(&signer, &signed_request, clock_wall_ms() + skew_ms, &request.headers);
	result = client_send(cloud->client, &request, stop, &reply->answer, err);
	if (result == 0 && reply->answer.status / 100 != 2)
		result = ec2_refused(action, &request, reply, err);
	reply->renewed = result < 0 && ec2_is_one_of(reply->code, expired) && ec2_signer_renew(cloud, &signer);
	arguments_release(&request.headers);
	free(action);
	return result;
}

/* Tells whether the signature was refused for its time, and remembers what the cloud's clock says. */
static bool
ec2_set_clock(const struct cloud *cloud, const struct ec2_reply *reply)
{
	static const char *const codes[] = {"RequestExpired", "SignatureDoesNotMatch", "AuthFailure", NULL};
	struct ec2_account *account = cloud->state;
	int64_t difference;

	if (!ec2_is_one_of(reply->code, codes))
		return false;
	stop_lock();
	difference = reply->answer.skew_ms - account->skew_ms;
	account->skew_ms = reply->answer.skew_ms;
	stop_unlock();
	return difference > SKEW_MS || difference < -SKEW_MS || strcmp(reply->code, "RequestExpired") == 0;
}

int
ec2_ask(const struct cloud *cloud, const struct buffer *form, bool repeatable, const struct stop *stop, struct ec2_reply *reply, struct error *err)
{
	bool corrected = false, renewed = false;

	for (unsigned number = 1;; number++) {
		int result;

		ec2_release(reply);
		result = ec2_send(cloud, form, repeatable, stop, reply, err);
		if (result == 0 || number == CLIENT_TRIES)
			return result;
		if (!renewed && reply->renewed)
			renewed = true;
		else if (!corrected && ec2_set_clock(cloud, reply))
			corrected = true;
		else if (!ec2_is_throttled(reply->code) || repeatable)
			return result;
		else if (stop_sleep(stop, pace_backoff_ms(number), err) < 0)
			return -1;
	}
}

/* Asks for the page that a token stands for, NULL: the first, and sets *next to that of the page behind it, in the arena, or to NULL. */
static int
ec2_page(const struct cloud *cloud, const struct ec2_list *list, const char **next, struct arena *arena, const struct stop *stop, struct error *err)
{
	struct ec2_reply reply = EC2_REPLY_NONE;
	struct buffer form = {0};
	int result;

	ec2_begin(&form, list->action);
	buffer_printf(&form, "%s&MaxResults=%u", list->only ? list->only : "", list->page);
	ec2_add(&form, *next, "NextToken");
	*next = NULL;
	result = ec2_ask(cloud, &form, true, stop, &reply, err);
	if (result == 0) {
		const struct _xmlNode *root = xml_root(reply.document), *set = xml_child(root, list->set);

		if (!set)
			result = error_set(err, EX_TEMPFAIL, "%s: the answer has no %s", list->action, list->set);
		for (const struct _xmlNode *item = xml_child(set, "item"); result == 0 && item; item = xml_next(item, "item"))
			result = list->read(item, list->data, err);
		*next = xml_text(root, "nextToken", arena);
	}
	buffer_release(&form);
	ec2_release(&reply);
	return result;
}

int
ec2_pages(const struct cloud *cloud, const struct ec2_list *list, const struct stop *stop, struct error *err)
{
	struct arena arena = {0};
	const char *next = NULL;
	int result;

	do
		result = ec2_page(cloud, list, &next, &arena, stop, err);
	while (result == 0 && next);
	arena_release(&arena);
	return result;
}
