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
	{"completion", NULL, FORWARD_HERE}, {"context", NULL, FORWARD_HERE}, {"login", NULL, FORWARD_HERE}, {"logout", NULL, FORWARD_HERE},
	{"packages", NULL, FORWARD_HERE},
	{"plan", NULL, FORWARD_HERE}, {"request", NULL, FORWARD_HERE}, {"solve", NULL, FORWARD_HERE}, {"test", NULL, FORWARD_HERE},
	{"validate", NULL, FORWARD_HERE},
	{"exec", NULL, FORWARD_CLUSTER}, {"show", NULL, FORWARD_CLUSTER},
	{"inventory", NULL, FORWARD_LOGIN}, {"ssh", NULL, FORWARD_LOGIN}, {"ssh-config", NULL, FORWARD_LOGIN},
	{"doctor", NULL, FORWARD_NEVER}, {"serve", NULL, FORWARD_NEVER}, {"store", NULL, FORWARD_NEVER},
	{"work", NULL, FORWARD_NEVER},
	{"queue", "take", FORWARD_NEVER}, {"queue", "done", FORWARD_NEVER}, {"queue", "fail", FORWARD_NEVER},
	{"queue", "fsck", FORWARD_NEVER}, {"queue", "gc", FORWARD_NEVER},
};

static const char *const forwarded[] = {"abort", "add", "apply", "audit", "backup", "clone", "config", "create", "delete", "events",
	"expand", "export", "history", "hook", "import", "lease", "list", "log", "member", "pause", "provider", "queue", "quota",
	"reconcile", "remove", "rename", "replace", "report", "resource", "restart", "restore", "resume", "retry", "rollback", "run",
	"scale", "secret", "shrink", "ssh-certificate", "start", "status", "stop", "tenant", "token", "upgrade", "usage", "user", "volume", "whoami"};

/* Returns whether the operand is a file here, as "show" finds it: a name without a slash is a cluster. */
static bool
forward_is_file(const char *operand)
{
	char *folder = memory_substring(operand, strcspn(operand, "/"));
	bool is_file = strchr(operand, '/') && (access(operand, F_OK) == 0 || (*folder && access(folder, F_OK) == 0));

	free(folder);
	return is_file || strcmp(operand, "-") == 0;
}

bool
forward_names_cluster(char *const *argv, const char *operand)
{
	if (!operand)
		return false;
	if (strcmp(argv[0], "show") != 0)
		return true;
	for (argv++; *argv; argv++)
		if (strcmp(*argv, "-c") == 0 || strcmp(*argv, "--cluster") == 0)
			return true;
	return !forward_is_file(operand);
}

enum forward
forward_find(char *const *argv)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (strcmp(exceptions[i].command, argv[0]) == 0 && (!exceptions[i].subcommand ||
		    (argv[1] && strcmp(exceptions[i].subcommand, argv[1]) == 0)))
			return exceptions[i].where;
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
