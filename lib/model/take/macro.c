/* SPDX-License-Identifier: Apache-2.0 */
#include "model/take/macro.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/document.h"
#include "model/name.h"
#include "model/node.h"

enum { SHOWN_LENGTH = 200 };

struct macro_node
macro_node_of(const struct node *node)
{
	return (struct macro_node){node->id, node->hostname, node->nodenum, node->services, node->ipaddresses};
}

/* Counts bytes that a macro is about to give. What is not given after all has been counted, too: so a text of many macros for
 * which there is no room costs no more than one. */
static int
macro_take_room(const struct macro_context *context, size_t bytes, struct error *err)
{
	if (bytes > *context->room) {
		*context->room = 0;
		return error_set(err, EX_DATAERR, MACRO_TOO_MUCH, MACRO_ROOM >> 20);
	}
	*context->room -= bytes;
	return 0;
}

/* Appends a value as map formats it: "$" stands for the value, "$$" for a dollar. */
static int
macro_append_value(const char *value, const struct macro *macro, const struct macro_context *context, struct buffer *out,
    struct error *err)
{
	const char *p = macro->format.start, *end = p ? p + macro->format.length : NULL;
	size_t length = strlen(value);

	if (!p) {
		if (macro_take_room(context, length, err) < 0)
			return -1;
		buffer_append(out, value, length);
		return 0;
	}
	for (; p < end; p++) {
		bool is_value = *p == '$' && (p + 1 == end || p[1] != '$');

		if (macro_take_room(context, is_value ? length : 1, err) < 0)
			return -1;
		buffer_append(out, is_value ? value : p, is_value ? length : 1);
		if (*p == '$' && !is_value)
			p++;
	}
	return 0;
}

/* Appends what the macro asks of one node. */
static int
macro_append_node(const struct macro *macro, const struct macro_node *node, const struct macro_context *context,
    struct buffer *out, struct error *err)
{
	char *address;
	int result;

	if (macro->source == MACRO_HOST) {
		if (!node->hostname)
			return error_set(err, EX_DATAERR, "the host name of node %s is not known yet", node->id);
		return macro_append_value(node->hostname, macro, context, out, err);
	}
	address = json_get_string(node->ipaddresses, macro->address);
	if (!address)
		return error_set(err, EX_DATAERR, "the address %s of node %s is not known%s", macro->address, node->id,
		    jv_is_valid(node->ipaddresses) ? "" : " yet");
	result = macro_append_value(address, macro, context, out, err);
	free(address);
	return result;
}

static int
macro_append_separator(const struct macro *macro, const struct macro_context *context, struct buffer *out, struct error *err)
{
	struct macro_text text = macro->separator.start ? macro->separator : (struct macro_text){",", 1};

	if (macro_take_room(context, text.length, err) < 0)
		return -1;
	buffer_append(out, text.start, text.length);
	return 0;
}

static int
macro_append_number(const struct macro *macro, size_t number, const struct macro_context *context, struct buffer *out,
    struct error *err)
{
	char text[32];

	snprintf(text, sizeof text, "%zu", number);
	return macro_append_value(text, macro, context, out, err);
}

static int
macro_expand_nodes(const struct macro *macro, const struct macro_context *context, struct buffer *out, struct error *err)
{
	int64_t seen = 0;

	for (size_t i = 0; i < context->node_count; i++) {
		const struct macro_node *node = &context->nodes[i];

		if (!name_set_has(&node->services, macro->service))
			continue;
		if (macro->instance >= 0 && seen++ != macro->instance)
			continue;
		if (macro->instance < 0 && seen++ > 0 && macro_append_separator(macro, context, out, err) < 0)
			return -1;
		if (macro_append_node(macro, node, context, out, err) < 0)
			return -1;
		if (macro->instance >= 0)
			return 0;
	}
	if (seen == 0)
		return error_set(err, EX_DATAERR, "no node has the service %s", macro->service);
	if (macro->instance >= 0)
		return error_set(err, EX_DATAERR, "there is no instance %" PRId64 " of the service %s: it has 0 to %" PRId64,
		    macro->instance, macro->service, seen - 1);
	return 0;
}

/* Appends which instance of the service self is; 0: none. */
static int
macro_append_instance(const struct macro *macro, size_t number, const struct macro_context *context, struct buffer *out,
    struct error *err)
{
	if (number == 0)
		return error_set(err, EX_DATAERR, "node %s does not have the service %s", context->self->id, macro->service);
	return macro_append_number(macro, number, context, out, err);
}

static int
macro_expand_count(const struct macro *macro, const struct macro_context *context, struct buffer *out, struct error *err)
{
	size_t count = 0, own = 0;

	for (size_t i = 0; i < context->node_count; i++)
		if (name_set_has(&context->nodes[i].services, macro->service)) {
			count++;
			if (context->self && context->nodes[i].nodenum == context->self->nodenum)
				own = count;
		}
	if (count == 0)
		return error_set(err, EX_DATAERR, "no node has the service %s", macro->service);
	if (macro->source == MACRO_NUM)
		return macro_append_number(macro, count, context, out, err);
	return macro_append_instance(macro, own, context, out, err);
}

static int
macro_expand_macro(const struct macro *macro, const struct macro_context *context, struct buffer *out, struct error *err)
{
	if (macro->is_malformed)
		return error_set(err, EX_DATAERR, "this is not a macro of coopr-macros(7)");
	if (macro->is_self && !context->self)
		return error_set(err, EX_DATAERR, "there is no node here that \"self\" could mean");
	switch (macro->source) {
	case MACRO_OWNER:
		if (!context->owner)
			return error_set(err, EX_DATAERR, "the cluster has no owner");
		return macro_append_value(context->owner, macro, context, out, err);
	case MACRO_ADDRESS:
		if (!context->address)
			return error_set(err, EX_DATAERR, "the cluster has no address of its own");
		return macro_append_value(context->address, macro, context, out, err);
	case MACRO_NUM:
	case MACRO_INSTANCE:
		return macro_expand_count(macro, context, out, err);
	default:
		return macro->is_self ? macro_append_node(macro, context->self, context, out, err)
		                      : macro_expand_nodes(macro, context, out, err);
	}
}

/* Returns the length of the part of a macro that a message shows: whole characters only. */
static int
macro_shown_length(const struct macro_text *text)
{
	size_t length = text->length < SHOWN_LENGTH ? text->length : SHOWN_LENGTH;

	while (length < text->length && (text->start[length] & 0xc0) == 0x80)
		length--;
	return (int)length;
}

struct instances { /* which instances of services self is */
	const struct macro_instance *list;
	size_t count;
};

static int
macro_append_self(const struct macro *macro, const struct macro_context *context, const struct instances *instances,
    struct buffer *out, struct error *err)
{
	size_t number = 0;

	if (macro->source != MACRO_INSTANCE)
		return macro_append_node(macro, context->self, context, out, err);
	for (size_t i = 0; i < instances->count; i++)
		if (strcmp(instances->list[i].service, macro->service) == 0)
			number = instances->list[i].number;
	return macro_append_instance(macro, number, context, out, err);
}

/* Expands all macros or, where instances are given, those that speak of self. */
static int
macro_expand(const char *text, const struct macro_context *given, const struct instances *instances, struct buffer *out,
    struct error *err)
{
	struct macro_context context = *given;
	size_t room = MACRO_ROOM;
	const char *done = text;
	struct error reason;
	struct macro macro;
	int result = 0;

	if (!context.room)
		context.room = &room;
	while (macro_next(&text, &macro)) {
		size_t length;

		if (instances && (macro.is_malformed || !macro.is_self))
			continue;
		buffer_append(out, done, (size_t)(macro.text.start - done));
		done = text;
		length = out->length;
		if ((instances ? macro_append_self(&macro, &context, instances, out, &reason)
		               : macro_expand_macro(&macro, &context, out, &reason)) == 0)
			continue;
		out->length = length;
		buffer_append(out, macro.text.start, macro.text.length);
		if (result == 0) {
			*err = reason;
			result = error_prefix(err, "%.*s", macro_shown_length(&macro.text), macro.text.start);
		}
	}
	buffer_text(out, done);
	return result;
}

int
macro_expand_text(const char *text, const struct macro_context *context, struct buffer *out, struct error *err)
{
	return macro_expand(text, context, NULL, out, err);
}

int
macro_expand_self(const char *text, const struct macro_node *self, const struct macro_instance *list, size_t count,
    size_t *room, struct buffer *out, struct error *err)
{
	const struct macro_context context = {.self = self, .room = room};
	const struct instances instances = {list, count};

	return macro_expand(text, &context, &instances, out, err);
}

struct asked { /* what a walk over a value finds of one kind of macro */
	enum macro_source source;
	struct arena *arena;
	struct string_list services;
	size_t capacity;
	bool any; /* also of those that name no service */
};

/* Notes the services that macros in the strings of the place ask for. */
static void
macro_find_services(const struct place *place, struct asked *asked)
{
	const char *text = json_string(place->value);
	struct members members;
	struct macro macro;
	struct place part;

	switch (jv_get_kind(place->value)) {
	case JV_KIND_STRING:
		while (macro_next(&text, &macro)) {
			if (macro.is_malformed || macro.source != asked->source)
				continue;
			asked->any = true;
			if (!*macro.service)
				continue;
			ARRAY_ROOM(asked->services.list, asked->services.count, asked->capacity);
			asked->services.list[asked->services.count++] = arena_string(asked->arena, macro.service);
		}
		return;
	case JV_KIND_ARRAY:
		for (size_t i = 0; i < json_length(place->value); i++) {
			part = place_element(place, i);
			macro_find_services(&part, asked);
		}
		return;
	case JV_KIND_OBJECT:
		members = members_of(place);
		while (members_next(&members, &part))
			macro_find_services(&part, asked);
		return;
	default:
		return;
	}
}

struct string_list
macro_services_of(jv value, enum macro_source source, struct arena *arena)
{
	struct asked asked = {.source = source, .arena = arena};
	struct place root = place_root(value, NULL);
	struct string_list services;

	macro_find_services(&root, &asked);
	name_set_make(&asked.services);
	services.count = asked.services.count;
	services.list = arena_alloc(arena, services.count, sizeof *services.list);
	if (services.count)
		memcpy(services.list, asked.services.list, services.count * sizeof *services.list);
	free(asked.services.list);
	return services;
}

bool
macro_asks_for_address(jv value)
{
	struct asked asked = {.source = MACRO_ADDRESS};
	struct place root = place_root(value, NULL);

	macro_find_services(&root, &asked);
	return asked.any;
}

struct string_list
macro_addresses_of(jv value, struct arena *arena)
{
	return macro_services_of(value, MACRO_IP, arena);
}

struct string_list
macro_instances_of(jv value, struct arena *arena)
{
	return macro_services_of(value, MACRO_INSTANCE, arena);
}

bool
macro_speaks_of_self(const char *text)
{
	struct macro macro;

	while (macro_next(&text, &macro))
		if (!macro.is_malformed && macro.is_self)
			return true;
	return false;
}
