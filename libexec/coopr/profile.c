/* SPDX-License-Identifier: Apache-2.0
 *
 * profile: what clients of Cask's Coopr keep of a user, for the server: see account/profiles.h.
 *
 *	profile get      prints it
 *	profile set      reads it, an object
 *	profile delete
 *
 * Exits with 1 where there is none to be printed, 65 for anything but an object that is short enough.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/accounts.h"
#include "account/profiles.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message.h"
#include "base/option.h"
#include "base/subcommand.h"
#include "json/json.h"

enum { PROFILE_INPUT_MAX = 8 << 20 };

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"profile", "COMMAND", "Keep what a client of Cask's Coopr says of a user.", options, "  profile get\n"};

/* Reads an object from standard input, as canonical text. */
static int
profile_read(struct buffer *text, struct error *err)
{
	struct buffer input = {0};
	jv object = jv_null();
	int result = file_read_fd(STDIN_FILENO, "the profile", PROFILE_INPUT_MAX, &input, err);

	if (result == 0)
		result = json_parse("the profile", input.data, input.length, &object, err);
	if (result == 0 && jv_get_kind(object) != JV_KIND_OBJECT)
		result = error_set(err, EX_DATAERR, "the profile: expected an object");
	if (result == 0)
		json_dump(object, text);
	jv_free(object);
	buffer_release(&input);
	return result;
}

static int
profile_print(struct account *account, struct error *err)
{
	char *document = NULL;
	int result = profiles_get(account, &document, err);

	if (result == 0)
		puts(document);
	free(document);
	return result;
}

static int
profile_run(int argc, char **argv)
{
	const struct command its = {"profile get|set|delete", "", "See coopr-api-v2(7).", options, ""};
	bool sets = strcmp(argv[0], "set") == 0, gets = strcmp(argv[0], "get") == 0;
	struct buffer text = {0};
	struct account account = {0};
	struct error err;
	int result;

	if (argv[option_parse(&its, argc, argv)])
		return option_misuse(&its, "unexpected argument");

	result = sets ? profile_read(&text, &err) : 0;
	if (result == 0)
		result = account_open(&account, &(struct account_ask){0}, gets ? STORE_READ : STORE_WRITE, &err);
	if (result == 0)
		result = gets ? profile_print(&account, &err) : sets ? profiles_set(&account, buffer_string(&text), &err) :
		    profiles_delete(&account, &err);
	account_release(&account);
	buffer_release(&text);
	return message_end(result < 0 ? message_error(&err) : 0);
}

static const struct subcommand subcommands[] = {
	{"get", profile_run, "print it"},
	{"set", profile_run, "set it to an object"},
	{"delete", profile_run, "delete it"},
	{0}};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
