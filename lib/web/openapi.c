/* SPDX-License-Identifier: Apache-2.0 */
#include "web/openapi.h"

#include <ctype.h>
#include <string.h>

#include "admin/command-table.h"
#include "base/buffer.h"
#include "json/dump.h"
#include "json/json.h"
#include "json/schemas.h"
#include "remote/frame.h"
#include "web/call.h"
#include "web/route.h"

#define OPENAPI_PREVIEW "job cluster node task milestone savedplan seal" /* a plan, coopr-plan(5), or one to be carried out later */

/* Returns {"type": TYPE}. */
static jv
openapi_type(const char *type)
{
	return JV_OBJECT(jv_string("type"), jv_string(type));
}

/* Returns the schema of one of some types: "string number". */
static jv
openapi_types(const char *names)
{
	jv schema = jv_object(), list = jv_array();

	for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
		list = jv_array_append(list, jv_string_sized(at, (int)strcspn(at, " ")));
	json_set(&schema, "type", list);
	return schema;
}

/* Returns the schema of what an option takes. */
static jv
openapi_option(const struct command_option *option)
{
	jv schema;

	if (call_is_flag(option))
		schema = openapi_type("boolean");
	else if (strcmp(option->kind, "FILE") == 0)
		schema = openapi_types("object array");
	else
		schema = openapi_types(option->optional ? "string number array boolean" : "string number array");
	if (strcmp(option->name, "secrets") == 0) {
		json_set_string(&schema, "type", "object");
		json_set(&schema, "additionalProperties", openapi_type("string"));
		json_set(&schema, "writeOnly", jv_true());
	}
	json_set_string(&schema, "description", option->help);
	return schema;
}

/* Adds the members that are operands: a string, or several. */
static void
openapi_add_operands(const struct route *route, jv *members)
{
	for (const char *at = route->operands; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		jv name = jv_string_sized(at, (int)strcspn(at, "! "));

		if (*at != '{' && *at != '-')
			json_set(members, jv_string_value(name), openapi_types("string array"));
		jv_free(name);
	}
}

/* Returns the names of the members that a body has to have. */
static jv
openapi_required(const struct route *route)
{
	jv names = jv_array();

	for (const char *at = route->operands; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (at[strcspn(at, " ") - 1] == '!')
			names = jv_array_append(names, jv_string_sized(at, (int)strcspn(at, "!")));
	return names;
}

/* Returns a parameter; the description may be NULL. */
static jv
openapi_parameter(jv name, const char *place, const char *description, jv schema)
{
	jv one = jv_object();

	json_set(&one, "name", name);
	json_set_string(&one, "in", place);
	if (description)
		json_set_string(&one, "description", description);
	if (strcmp(place, "path") == 0)
		json_set(&one, "required", jv_true());
	json_set(&one, "schema", schema);
	return one;
}

/* Returns the parameters of a route: what stands in its path and, unless they are members of its body, what its command takes. */
static jv
openapi_parameters(const struct route *route, const struct command_table *table)
{
	jv list = jv_array(), members = jv_object();

	for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{'))
		list = jv_array_append(list, openapi_parameter(jv_string_sized(at + 1, (int)strcspn(at + 1, "}")), "path", NULL,
		    openapi_type("string")));
	if (route->body != ROUTE_OPTIONS)
		openapi_add_operands(route, &members);
	jv_object_foreach(members, name, schema)
		list = jv_array_append(list, openapi_parameter(name, "query", NULL, schema));
	jv_free(members);
	for (size_t i = 0; table && route->body != ROUTE_OPTIONS && i < table->option_count; i++) {
		const struct command_option *option = &table->options[i];

		if (call_takes(route, table, option) && (call_is_flag(option) || strcmp(option->kind, "FILE") != 0))
			list = jv_array_append(list, openapi_parameter(jv_string(option->name), "query", option->help,
			    openapi_type(call_is_flag(option) ? "boolean" : "string")));
	}
	if (table && route_has_fields(route))
		list = jv_array_append(list, openapi_parameter(jv_string(ROUTE_FIELDS), "query",
		    "Of each record these members alone: their names, with commas between", openapi_type("string")));
	if (strcmp(route->method, "GET") != 0) {
		list = jv_array_append(list, openapi_parameter(jv_string("If-Match"), "header",
		    "The ETag that GET has answered, or *: it is changed only if that is still so", openapi_type("string")));
		list = jv_array_append(list, openapi_parameter(jv_string("Idempotency-Key"), "header",
		    "What is sent again with the same key within a day is done once", openapi_type("string")));
	}
	return list;
}

/* Returns the schema of the body of a route that has options as its members. */
static jv
openapi_members(const struct route *route, const struct command_table *table)
{
	jv schema = openapi_type("object"), members = jv_object();

	for (size_t i = 0; table && i < table->option_count; i++)
		if (call_takes(route, table, &table->options[i]))
			json_set(&members, table->options[i].name, openapi_option(&table->options[i]));
	openapi_add_operands(route, &members);
	json_set(&schema, "properties", members);
	json_set(&schema, "required", openapi_required(route));
	json_set(&schema, "additionalProperties", jv_false());
	return schema;
}

static jv
openapi_content(const char *type, jv schema)
{
	jv media = jv_object(), content = jv_object();

	json_set(&media, "schema", schema);
	json_set(&content, type, media);
	return content;
}

static jv
openapi_response(const char *description, const char *type, jv schema)
{
	jv response = jv_object();

	json_set_string(&response, "description", description);
	json_set(&response, "content", openapi_content(type, schema));
	return response;
}

/* Returns the schema of a list. */
static jv
openapi_list(jv of)
{
	jv list = openapi_type("array");

	json_set(&list, "items", of);
	return list;
}

/* Returns the schema of a list of records. */
static jv
openapi_records(jv schemas, const char *names)
{
	jv records = openapi_type("object");

	json_set(&records, "properties", JV_OBJECT(jv_string("items"), openapi_list(schemas_of(schemas, names))));
	json_set(&records, "required", json_strings((const char *const[]){"items"}, 1));
	return records;
}

/* Adds what is answered with a status, JSON of a schema; or, without one, nothing. */
static void
openapi_add(jv *responses, const char *status, const char *description, jv schema)
{
	json_set(responses, status, jv_is_valid(schema) ? openapi_response(description, "application/json", schema)
	                                                : JV_OBJECT(jv_string("description"), jv_string(description)));
}

static jv
openapi_responses(const struct route *route, jv schemas)
{
	jv responses = jv_object(), problem = jv_object();

	switch (route->answer) {
	case ROUTE_RECORDS:
	case ROUTE_RECORDS_EVENTS:
		openapi_add(&responses, "200", "The records", openapi_records(schemas, route->records));
		break;
	case ROUTE_BEGUN:
		openapi_add(&responses, "200", "What the operation would do", openapi_records(schemas, OPENAPI_PREVIEW));
		openapi_add(&responses, "202", "The operation has begun", schemas_of(schemas, "begun"));
		if (strcmp(route->method, "DELETE") == 0)
			openapi_add(&responses, "204", "It is deleted: no machine of it was there", jv_invalid());
		break;
	case ROUTE_DONE:
		openapi_add(&responses, "204", "It is done", jv_invalid());
		if (route->records)
			openapi_add(&responses, "200", "It is done, and these are records of it", openapi_records(schemas, route->records));
		break;
	case ROUTE_BYTES:
		json_set(&responses, "200", openapi_response("What it contains", "application/octet-stream", jv_object()));
		break;
	case ROUTE_EVENTS:
		json_set(&responses, "200", openapi_response("Events", "text/event-stream", openapi_type("string")));
		break;
	case ROUTE_FILE:
		json_set(&responses, "200", openapi_response("The file", "*/*", jv_object()));
		break;
	case ROUTE_RUN:
		json_set(&responses, "200", openapi_response("Frames, as they come", FRAME_TYPE, jv_object()));
		openapi_add(&responses, "204", "It was told", jv_invalid());
		break;
	case ROUTE_TUNNEL:
		openapi_add(&responses, "101", "The connection is one to the node", jv_invalid());
		break;
	case ROUTE_TEXT:
		json_set(&responses, "200", openapi_response("Text", "text/plain", openapi_type("string")));
		break;
	case ROUTE_SESSION_ENDED:
		openapi_add(&responses, "204", "It is done", jv_invalid());
		break;
	default:
		openapi_add(&responses, "200", "The record", schemas_of(schemas, route->records));
	}
	json_set_string(&problem, "$ref", "#/components/schemas/problem");
	json_set(&responses, "default", openapi_response("It cannot be done", "application/problem+json", problem));
	return responses;
}

/* Returns "post-clusters-cluster-scale". */
static jv
openapi_id(const struct route *route)
{
	struct buffer id = {0};
	jv text;

	for (const char *at = route->method; *at; at++)
		buffer_byte(&id, (char)tolower((unsigned char)*at));
	for (const char *at = route->path; *at; at++)
		if (isalnum((unsigned char)*at))
			buffer_byte(&id, *at);
		else if (*at == '/')
			buffer_byte(&id, '-');
	text = jv_string(buffer_string(&id));
	buffer_release(&id);
	return text;
}

static jv
openapi_operation(const struct route *route, jv schemas)
{
	const struct command_table *table = route->command ? call_table(route) : NULL;
	jv operation = jv_object(), body;

	json_set_string(&operation, "summary", route->summary);
	if (route->command)
		json_set(&operation, "x-command", jv_string_fmt("coopr %s", route->command));
	json_set(&operation, "operationId", openapi_id(route));
	json_set(&operation, "parameters", openapi_parameters(route, table));
	json_set(&operation, "responses", openapi_responses(route, schemas));
	if (route->body == ROUTE_NO_BODY)
		return operation;
	body = jv_object();
	if (route->body == ROUTE_OPTIONS)
		json_set(&body, "content", openapi_content("application/json", openapi_members(route, table)));
	else
		json_set(&body, "content", openapi_content("application/octet-stream", jv_object()));
	json_set(&operation, "requestBody", body);
	return operation;
}

/* Returns the schema of RFC 9457, with our members. */
static jv
openapi_problem(void)
{
	jv schema = openapi_type("object"), members = jv_object(), error = openapi_type("object");

	json_set(&error, "properties", JV_OBJECT(jv_string("pointer"), openapi_type("string"), jv_string("detail"), openapi_type("string"), jv_string("permits"),
	    openapi_type("boolean")));
	json_set(&error, "required", json_strings((const char *const[]){"pointer", "detail"}, 2));
	json_set(&members, "status", openapi_type("integer"));
	json_set(&members, "title", openapi_type("string"));
	json_set(&members, "detail", openapi_types("string null"));
	json_set(&members, "exit_code", openapi_type("integer"));
	json_set(&members, "messages", openapi_list(openapi_type("string")));
	json_set(&members, "errors", openapi_list(error));
	json_set(&schema, "properties", members);
	json_set(&schema, "required", json_strings((const char *const[]){"status", "title"}, 2));
	json_set(&schema, "additionalProperties", jv_false());
	return schema;
}

static void
openapi_make(struct buffer *out)
{
	jv document = jv_object(), paths = jv_object(), schemas = schemas_all();

	json_set_string(&document, "openapi", "3.1.0");
	json_set(&document, "info", JV_OBJECT(jv_string("title"), jv_string("coopr"), jv_string("version"), jv_string(COOPR_VERSION)));
	for (const struct route *route = routes; route->method; route++) {
		jv path = json_get(paths, route->path);
		char word[8] = "";

		for (size_t i = 0; i < sizeof word - 1 && route->method[i]; i++)
			word[i] = (char)tolower((unsigned char)route->method[i]);
		if (!jv_is_valid(path)) {
			jv_free(path);
			path = jv_object();
		}
		json_set(&path, word, openapi_operation(route, schemas));
		json_set(&paths, route->path, path);
	}
	json_set(&document, "paths", paths);
	json_set(&schemas, "problem", openapi_problem());
	json_set(&document, "components", JV_OBJECT(jv_string("schemas"), schemas));
	json_dump(document, out);
	buffer_byte(out, '\n');
	jv_free(document);
}

void
openapi_print(struct buffer *out)
{
	static struct buffer made; /* all commands are asked for it */

	if (made.length == 0)
		openapi_make(&made);
	buffer_append(out, made.data, made.length);
}
