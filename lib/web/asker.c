/* SPDX-License-Identifier: Apache-2.0 */
#include "web/asker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "http/exchange.h"
#include "store/client.h"
#include "web/problem.h"

/* What concerns the person who has started the server, and not the one who asks. */
static const char *const personal[] = {"COOPR_TENANT=", "COOPR_USER=", "COOPR_VOUCHED=", "COOPR_OUTPUT=", "SUDO_", "SSH_",
	"COOPR_MESSAGES=", CLIENT_ASKER, "COOPR_SENT=", "COOPR_SERVER=", "XDG_CONFIG_HOME="};

static bool
asker_is_personal(const char *variable)
{
	for (size_t i = 0; i < sizeof personal / sizeof *personal; i++)
		if (strncmp(variable, personal[i], strlen(personal[i])) == 0)
			return true;
	return false;
}

bool
asker_find(struct asker *asker, struct http_exchange *exchange)
{
	*asker = (struct asker){0};
	if (!exchange->address) {
		asker->user = process_user(exchange->uid);
		return true;
	}
	problem_answer(exchange, 401, "who asks is not known");
	http_field_add(exchange, &exchange->answer.headers, "WWW-Authenticate", "Bearer realm=\"coopr\"");
	return false;
}

void
asker_environment(const struct asker *asker, struct arguments *environment)
{
	for (char **variable = environ; *variable; variable++)
		if (!asker_is_personal(*variable))
			arguments_push(environment, *variable);
	arguments_push(environment, "COOPR_SERVER="); /* whatever contexts there are */
	arguments_printf(environment, "%s=%s", CLIENT_ASKER, asker->user);
}

void
asker_release(struct asker *asker)
{
	free(asker->user);
	*asker = (struct asker){0};
}
