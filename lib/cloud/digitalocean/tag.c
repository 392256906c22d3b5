/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/tag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloud/cloud.h"

char *
do_tag(const char *name, const char *value)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s:", name);
	for (; *value; value++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *value))
			buffer_byte(&text, *value);
		else
			buffer_printf(&text, "_%02x", (unsigned char)*value);
	return buffer_take(&text);
}

void
do_read_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *tag)
{
	char *text = memory_string(tag), *value = strchr(text, ':'), *to;

	if (value) {
		*value++ = '\0';
		to = value;
		for (const char *at = value; *at; at++) {
			unsigned code;

			if (*at == '_' && sscanf(at + 1, "%2x", &code) == 1 && strlen(at) > 2) {
				*to++ = (char)code;
				at += 2;
			} else {
				*to++ = *at;
			}
		}
		*to = '\0';
		cloud_machine_tag(machines, machine, text, value);
	}
	free(text);
}
