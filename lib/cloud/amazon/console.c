/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/console.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/amazon/request.h"
#include "cloud/console.h"

enum { CONSOLE_BYTES = 1024 * 1024 };

/* Asks for the console of this moment, or where instances of its type do not have that, for what the cloud has kept of its start. */
static int
ec2_ask_console(const struct cloud *cloud, const char *id, const struct stop *stop, struct ec2_reply *reply, struct error *err)
{
	static const char *const no_latest[] = {"UnsupportedOperation", "UnknownParameter", "InvalidParameterCombination", NULL};
	struct buffer form = {0};
	int result;

	ec2_begin(&form, "GetConsoleOutput");
	ec2_add(&form, id, "InstanceId");
	buffer_text(&form, "&Latest=true");
	result = ec2_ask(cloud, &form, true, stop, reply, err);
	if (result < 0 && ec2_is_one_of(reply->code, no_latest)) {
		buffer_clear(&form);
		ec2_begin(&form, "GetConsoleOutput");
		ec2_add(&form, id, "InstanceId");
		result = ec2_ask(cloud, &form, true, stop, reply, err);
	}
	buffer_release(&form);
	return result;
}

int
ec2_host_keys(struct cloud *cloud, const struct cloud_machine *machine, const struct stop *stop, struct arena *arena, struct string_list *keys,
    struct error *err)
{
	struct ec2_reply reply = EC2_REPLY_NONE;
	int result = ec2_ask_console(cloud, machine->id, stop, &reply, err);
	const char *encoded = result == 0 ? xml_text(xml_root(reply.document), "output", &reply.arena) : NULL;

	*keys = (struct string_list){0};
	if (encoded && strlen(encoded) <= CONSOLE_BYTES) {
		size_t length = 0;
		char *text = memory_zeroed(strlen(encoded) + 1, 1);

		if (sodium_base642bin((unsigned char *)text, strlen(encoded), encoded, strlen(encoded), " \r\n", &length, NULL,
		        sodium_base64_VARIANT_ORIGINAL) == 0) {
			for (size_t i = 0; i < length; i++)
				text[i] = text[i] ? text[i] : ' ';
			text[length] = '\0';
			console_read_keys(text, arena, keys);
		}
		free(text);
	} else if (result < 0 && reply.code && strcmp(reply.code, "InvalidInstanceID.NotFound") == 0) {
		result = 0;
	}
	ec2_release(&reply);
	return result;
}
