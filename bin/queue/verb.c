/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/message.h"

struct queue *
verb_open(const char *spool, enum queue_mode mode)
{
	struct error err;
	struct queue *queue = queue_open(spool, mode, &err);

	if (!queue)
		exit(message_error(&err));
	return queue;
}

size_t
verb_operands(const struct command *command, char *const *operands, size_t min, size_t max)
{
	size_t count = 0;

	while (operands[count])
		count++;
	if (count < min)
		exit(option_misuse(command, "missing argument JOB"));
	if (max && count > max)
		exit(option_misuse(command, "%zu job at a time, found also '%s'", max, operands[max]));
	return count;
}

void
verb_no_operands(const struct command *command, char *const *operands)
{
	if (operands[0])
		exit(option_misuse(command, "it takes no operand, found '%s'; see: coopr-queue show %s", operands[0], operands[0]));
}
