/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/digitalocean/tag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloud/cloud.h"

#define TAG_MACHINE "coopr-machine"

/* Appends ":" and a value. */
static void
do_tag_add(struct buffer *text, const char *value)
{
	buffer_byte(text, ':');
	for (; *value; value++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *value))
			buffer_byte(text, *value);
		else
			buffer_printf(text, "_%02x", (unsigned char)*value);
}

char *
do_tag(const char *name, const char *value)
{
	struct buffer text = {0};

	buffer_text(&text, name);
	do_tag_add(&text, value);
	return buffer_take(&text);
}

char *
do_machine_tag(const char *node, const char *token)
{
	struct buffer text = {0};

	buffer_text(&text, TAG_MACHINE);
	do_tag_add(&text, node);
	do_tag_add(&text, token);
	return buffer_take(&text);
}

/* Makes of a value in place what it stands for. */
static void
do_tag_decode(char *value)
{
	char *to = value;

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
}

static void
do_read_machine_tag(struct cloud_machines *machines, struct cloud_machine *machine, char *node)
{
	char *token = strchr(node, ':'), *number;

	if (!token)
		return;
	*token++ = '\0';
	do_tag_decode(node);
	cloud_machine_tag(machines, machine, CLOUD_TAG_NODE, node);
	cloud_machine_tag(machines, machine, CLOUD_TAG_TOKEN, token);
	number = strrchr(node, '-');
	if (number) {
		*number = '\0';
		cloud_machine_tag(machines, machine, CLOUD_TAG_CLUSTER, node);
	}
}

void
do_read_tag(struct cloud_machines *machines, struct cloud_machine *machine, const char *tag)
{
	char *text = memory_string(tag), *value = strchr(text, ':');

	if (value)
		*value++ = '\0';
	if (value && strcmp(text, TAG_MACHINE) == 0) {
		do_read_machine_tag(machines, machine, value);
	} else if (value) {
		/* Machines of earlier versions have one for each of ours. */
		do_tag_decode(value);
		cloud_machine_tag(machines, machine, text, value);
	}
	free(text);
}
