/* SPDX-License-Identifier: Apache-2.0
 *
 * v2: answers a request as Cask's Coopr would, coopr-api-v2(7), by what our commands do: it only translates, and knows no rule.
 * "v2 clusters/one 00000042 <body" runs the definition "one" of share/coopr/v2/clusters.jq, a program of jq, on
 *
 *	{"arguments": ["00000042"], "query": {}, "body": {...}, "user": "ann", "tenant": "qa", "now": 1764000000,
 *	    "plugins": {"automator": ["shell", ...], "provider": [...]}, "results": {}}
 *
 * What it raises as {"run": ["status", ...], "input": ..., "body": true} is a command of ours that it wants to know the result of ("plugin",
 * "provider", "sandbox": a plugin): that is added to the results, under the command as text, and the definition begins again. What it gives otherwise, or raises, is the answer,
 * {"status", "json" or "text"}, which is printed with its status and type before it, as CGI has it.
 * Exits with 0, also where the answer is that something is wrong; 64, 70 where a definition is wrong.
 */
#include <dirent.h>
#include <jq.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/toolbox.h"
#include "json/json.h"
#include "json/place.h"
#include "model/name.h"
#include "store/client.h"

enum { V2_OUTPUT_MAX = 256 << 20, V2_COMMANDS_MAX = 1000 };

static struct option_list query;
static bool stream;

static const struct option_spec options[] = {
	OPTION_LIST(0, "query", &query, "NAME=VALUE", "a member of the query; may be repeated"),
	OPTION_FLAG(0, "stream", &stream, "the body is of any size: no definition sees it, and the command that wants it reads it as it comes"),
	OPTION_END
};

static const struct command command = {
	"v2", "[OPTION]... DEFINITION [ARGUMENT]...", "Answer a request as Cask's Coopr does.", options, "  v2 clusters/all\n"};

/* Adds the words of the definition behind its first, and the arguments. */
static jv
v2_arguments(const char *definition, char *const *argv)
{
	jv list = jv_array();

	for (const char *at = strchr(definition, ' '); at; at = strchr(at + 1, ' '))
		list = jv_array_append(list, jv_string_sized(at + 1, (int)strcspn(at + 1, " ")));
	for (; *argv; argv++)
		list = jv_array_append(list, jv_string(*argv));
	return list;
}

static jv
v2_query(void)
{
	jv object = jv_object();

	for (size_t i = 0; i < query.count; i++) {
		const char *equals = strchr(query.list[i], '=');

		if (equals)
			object = jv_object_set(object, jv_string_sized(query.list[i], (int)(equals - query.list[i])), jv_string(equals + 1));
	}
	return object;
}

/* Adds the programs of a folder. */
static void
v2_add_plugins(const char *folder, const char *kind, jv *names)
{
	char *path = memory_printf("%s/%s", folder, kind);
	DIR *dir = opendir(path);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (name_is_valid(entry->d_name) && !strchr(entry->d_name, '.') && !json_array_has(*names, NULL, entry->d_name))
			*names = jv_array_append(*names, jv_string(entry->d_name));
	if (dir)
		closedir(dir);
	free(path);
}

static jv
v2_plugins(const char *kind)
{
	const char *folders = getenv("COOPR_PLUGINS");
	char *own = location_installed("libexec/coopr");
	jv names = jv_array();

	for (char *folder; (folder = location_next(&folders)); free(folder))
		v2_add_plugins(folder, kind, &names);
	v2_add_plugins(own, kind, &names);
	free(own);
	return jv_sort(names, jv_copy(names));
}

/* Makes what a definition is given. A body that is no JSON is null, and "malformed" says why. */
static jv
v2_request(const char *definition, char *const *argv, const struct buffer *body)
{
	jv request = jv_object(), value = jv_null(), plugins = jv_object();
	struct error err;

	json_set(&plugins, "automator", v2_plugins("automator"));
	json_set(&plugins, "provider", v2_plugins("provider"));
	json_set(&request, "plugins", plugins);
	json_set(&request, "arguments", v2_arguments(definition, argv));
	json_set(&request, "query", v2_query());
	if (body->length > 0 && json_parse("the body", body->data, body->length, &value, &err) < 0) {
		json_set_string(&request, "malformed", err.text);
		value = jv_null();
	}
	json_set(&request, "body", value);
	json_set_string(&request, "user", client_asker());
	json_set_string(&request, "tenant", getenv("COOPR_TENANT"));
	json_set_number(&request, "now", (double)time(NULL));
	json_set(&request, "results", jv_object());
	return request;
}

/* Returns the program that the definition is; NULL, with a message that libjq has printed, if there is none. */
static jq_state *
v2_compile(const char *definition)
{
	size_t module = strcspn(definition, "/"), name = strcspn(definition, " ") - module;
	char *folder = location_installed("share/coopr/v2");
	char *program = memory_printf("import \"%.*s\" as m; m::%.*s", (int)module, definition, (int)name - 1, definition + module + 1);
	jq_state *jq = jq_init();

	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array_append(jv_array(), jv_string(folder)));
	if (!jq_compile(jq, program))
		jq_teardown(&jq);
	free(program);
	free(folder);
	return jq;
}

/* Returns the records in a text, or in each line of it that is one. */
static jv
v2_records(const struct buffer *text)
{
	struct jv_parser *parser = jv_parser_new(0);
	jv list = jv_array(), value;

	jv_parser_set_buf(parser, buffer_string(text), (int)text->length, 0);
	while (jv_is_valid(value = jv_parser_next(parser)))
		list = jv_array_append(list, value);
	jv_free(value);
	jv_parser_free(parser);
	return list;
}

/* Pushes a command of ours, or a plugin, with its arguments. Returns false if there is none of that name. */
static bool
v2_push_command(jv words, struct arguments *argv)
{
	struct arena arena = {0};
	struct place place = place_root(words, NULL);
	struct string_list list = place_read_strings(&place, &arena);
	bool is_plugin = list.count >= 3 && strcmp(list.list[0], "plugin") == 0;
	char *path = is_plugin ? location_plugin(list.list[1], list.list[2]) : list.count ? toolbox_find_internal(list.list[0]) : NULL;
	bool found = path && list.count == json_length(words);

	if (path)
		arguments_push(argv, path);
	for (size_t i = is_plugin ? 3 : 1; i < list.count; i++)
		arguments_push(argv, list.list[i]);
	free(path);
	arena_release(&arena);
	return found;
}

/* Runs a command. Returns what came of it: {"code", "out", "said"}. */
static int
v2_run(jv wish, const struct buffer *body, jv *result, struct error *err)
{
	jv words = json_get(wish, "run"), input = json_get(wish, "input"), whole = json_get(wish, "body");
	struct arguments argv = {0};
	struct buffer text = {0}, out = {0}, said = {0};
	bool streams = stream && jv_is_valid(whole);
	int code = -1;

	if (jv_is_valid(input))
		json_dump(input, &text);
	else if (jv_is_valid(whole))
		buffer_append(&text, body->data, body->length);
	if (!v2_push_command(words, &argv))
		error_set(err, EX_SOFTWARE, "a command is missing");
	else
		code = process_run(argv.list, buffer_string(&text), streams ? PROCESS_OUR_INPUT : text.length, &out, &said, V2_OUTPUT_MAX, err);
	*result = jv_object();
	json_set_number(result, "code", code);
	json_set(result, "out", v2_records(&out));
	json_set(result, "said", v2_records(&said));
	buffer_release(&text);
	buffer_release(&out);
	buffer_release(&said);
	arguments_release(&argv);
	jv_free(words);
	jv_free(input);
	jv_free(whole);
	return code < 0 ? -1 : 0;
}

/* Has the definition begin on the request. Returns what it gives, or raises. */
static jv
v2_begin(jq_state *jq, jv request)
{
	jv value;

	jq_start(jq, jv_copy(request), 0);
	value = jq_next(jq);
	return jv_is_valid(value) ? value : jv_invalid_get_msg(value);
}

/* Adds the result of a command to those of the request. */
static int
v2_learn(jv *request, jv wish, const struct buffer *body, struct error *err)
{
	jv words = json_get(wish, "run"), key = jv_dump_string(words, 0), results = json_get(*request, "results"), result;
	int code = v2_run(wish, body, &result, err);

	json_set(request, "results", jv_object_set(results, key, result));
	return code;
}

/* Finds the answer, by as many commands as that takes. */
static int
v2_answer(jq_state *jq, jv *request, const struct buffer *body, jv *answer, struct error *err)
{
	int result = 0;

	for (int i = 0; i < V2_COMMANDS_MAX && result == 0; i++) {
		jv words;

		jv_free(*answer);
		*answer = v2_begin(jq, *request);
		words = json_get(*answer, "run");
		if (!jv_is_valid(words))
			return 0;
		jv_free(words);
		result = v2_learn(request, *answer, body, err);
	}
	return result < 0 ? -1 : error_set(err, EX_SOFTWARE, "a request takes too many commands");
}

static int
v2_print(jv answer, struct error *err)
{
	jv json = json_get(answer, "json");
	char *text = json_get_string(answer, "text");
	double status = json_get_number(answer, "status", 0);
	struct buffer out = {0};

	if (status < 200) {
		json_dump(answer, &out);
		error_set(err, EX_SOFTWARE, "no answer: %.200s", buffer_string(&out));
		buffer_release(&out);
		jv_free(json);
		free(text);
		return -1;
	}
	buffer_printf(&out, "Status: %d\nContent-Type: %s\n\n", (int)status, jv_is_valid(json) ? "application/json" : "text/plain; charset=utf-8");
	if (jv_is_valid(json))
		json_dump(json, &out);
	else
		buffer_text(&out, text ? text : "");
	buffer_print(&out);
	jv_free(json);
	free(text);
	return 0;
}

int
main(int argc, char **argv)
{
	struct buffer body = {0};
	struct error err;
	jv request = jv_null(), answer = jv_null();
	jq_state *jq;
	int result;

	argv += option_parse(&command, argc, argv);
	if (!*argv)
		return option_misuse(&command, "missing argument DEFINITION");
	setenv("COOPR_MESSAGES", "json", 1); /* the definitions read what our commands say */
	jq = v2_compile(*argv);
	if (!jq)
		return EX_SOFTWARE;

	result = stream ? 0 : file_read_fd(STDIN_FILENO, "the body", V2_OUTPUT_MAX, &body, &err);
	if (result == 0) {
		request = v2_request(*argv, argv + 1, &body);
		result = v2_answer(jq, &request, &body, &answer, &err);
	}
	if (result == 0)
		result = v2_print(answer, &err);
	jq_teardown(&jq);
	jv_free(answer);
	jv_free(request);
	buffer_release(&body);
	return message_end(result < 0 ? message_error(&err) : 0);
}
