/* SPDX-License-Identifier: Apache-2.0 */
#include "web/asker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "store/client.h"

/* What concerns the person who has started the server, and not the one who asks. */
static const char *const personal[] = {"COOPR_TENANT=", "COOPR_USER=", "COOPR_VOUCHED=", "COOPR_OUTPUT=", "SUDO_", "SSH_",
	"COOPR_MESSAGES=", CLIENT_ASKER "=", "XDG_CONFIG_HOME="};

static bool
asker_is_personal(const char *variable)
{
	for (size_t i = 0; i < sizeof personal / sizeof *personal; i++)
		if (strncmp(variable, personal[i], strlen(personal[i])) == 0)
			return true;
	return false;
}

void
asker_environment(uid_t uid, struct arguments *environment)
{
	char *user = process_user(uid);

	for (char **variable = environ; *variable; variable++)
		if (!asker_is_personal(*variable))
			arguments_push(environment, *variable);
	arguments_push(environment, "COOPR_MESSAGES=json");
	arguments_printf(environment, "%s=%s", CLIENT_ASKER, user);
	free(user);
}
