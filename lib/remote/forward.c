/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/forward.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* The commands that are not all done by the server. */
static const struct {
	const char *command, *subcommand; /* subcommand NULL: all */
	enum forward where;
} exceptions[] = {
	{"completion", NULL, FORWARD_HERE}, {"context", NULL, FORWARD_HERE}, {"login", NULL, FORWARD_HERE}, {"packages", NULL, FORWARD_HERE},
	{"plan", NULL, FORWARD_HERE}, {"request", NULL, FORWARD_HERE}, {"solve", NULL, FORWARD_HERE}, {"test", NULL, FORWARD_HERE},
	{"validate", NULL, FORWARD_HERE},
	{"doctor", NULL, FORWARD_NEVER}, {"serve", NULL, FORWARD_NEVER}, {"ssh", NULL, FORWARD_NEVER}, {"store", NULL, FORWARD_NEVER},
	{"work", NULL, FORWARD_NEVER},
	{"queue", "take", FORWARD_NEVER}, {"queue", "done", FORWARD_NEVER}, {"queue", "fail", FORWARD_NEVER},
	{"queue", "fsck", FORWARD_NEVER}, {"queue", "gc", FORWARD_NEVER},
};

static const char *const forwarded[] = {"abort", "add", "apply", "audit", "backup", "clone", "config", "create", "delete", "events",
	"exec", "expand", "export", "history", "hook", "import", "inventory", "lease", "list", "log", "member", "pause", "queue", "quota",
	"reconcile", "remove", "rename", "replace", "report", "resource", "restart", "restore", "resume", "retry", "rollback", "run",
	"scale", "secret", "show", "shrink", "ssh-config", "start", "status", "stop", "tenant", "token", "upgrade", "usage", "user", "whoami"};

/* Returns the first word behind the name that is no option; NULL if there is none. */
static const char *
forward_first_operand(char *const *argv)
{
	for (argv++; *argv; argv++)
		if (**argv != '-' || !(*argv)[1])
			return *argv;
	return NULL;
}

/* Returns whether the operand is a file here, as "show" finds it: a name without a slash is a cluster. */
static bool
forward_is_file(const char *operand)
{
	char *folder = memory_substring(operand, strcspn(operand, "/"));
	bool is_file = strchr(operand, '/') && (access(operand, F_OK) == 0 || (*folder && access(folder, F_OK) == 0));

	free(folder);
	return is_file || strcmp(operand, "-") == 0;
}

/* Returns where "show" and "exec" are done: without a cluster they are filters. */
static enum forward
forward_by_operand(const char *command, const char *operand)
{
	if (!operand)
		return FORWARD_HERE;
	return strcmp(command, "show") == 0 && forward_is_file(operand) ? FORWARD_HERE : FORWARD_SERVER;
}

enum forward
forward_find(char *const *argv)
{
	const char *operand = forward_first_operand(argv);

	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (strcmp(exceptions[i].command, argv[0]) == 0 && (!exceptions[i].subcommand ||
		    (operand && strcmp(exceptions[i].subcommand, operand) == 0)))
			return exceptions[i].where;
	if (strcmp(argv[0], "show") == 0 || strcmp(argv[0], "exec") == 0)
		return forward_by_operand(argv[0], operand);
	for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
		if (strcmp(forwarded[i], argv[0]) == 0)
			return FORWARD_SERVER;
	return FORWARD_HERE;
}

size_t
forward_operands(const char *command)
{
	return strcmp(command, "exec") == 0 ? 2 : SIZE_MAX;
}
