/* SPDX-License-Identifier: Apache-2.0 */
#include "content/keeper.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/home.h"
#include "base/memory.h"
#include "base/process.h"

void
keeper_push(const char *setting, struct arguments *argv)
{
	char *copy = memory_string(setting), *rest = copy, *word;

	while ((word = strsep(&rest, " \t"))) {
		char *home = strncmp(word, "~/", 2) == 0 ? home_path() : NULL;

		if (home)
			arguments_printf(argv, "%s%s", home, word + 1);
		else if (*word)
			arguments_push(argv, word);
		free(home);
	}
	free(copy);
}

int
keeper_judge(int code, const char *name, const char *verb, const char *what, struct error *err)
{
	if (code <= 0)
		return code;
	if (code == EX_NOINPUT)
		return error_set(err, EX_NOINPUT, "%s %s: there is no such %s", name, verb, what);
	if (code == 124 || code == 137)
		return error_set(err, EX_TEMPFAIL, "%s %s: it was ended after %s s", name, verb, KEEPER_PATIENCE_S);
	return error_set(err, code == EX_TEMPFAIL ? EX_TEMPFAIL : EX_IOERR, "%s %s: it failed with exit code %d", name, verb, code);
}

int
keeper_run(const struct arguments *argv, const void *input, size_t length, struct buffer *out, size_t limit, struct error *err)
{
	struct arguments timed = {0};
	int code;

	arguments_push_all(&timed, "timeout", "--kill-after=5", KEEPER_PATIENCE_S, NULL);
	for (size_t i = 0; i < argv->count; i++)
		arguments_push(&timed, argv->list[i]);
	code = process_run(timed.list, input, length, out, NULL, limit, err);
	arguments_release(&timed);
	return code;
}
