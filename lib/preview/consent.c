/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/consent.h"

#include <stdlib.h>
#include <sysexits.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "preview/question.h"

int
consent_ask(const struct consent *consent, struct error *err)
{
	char *question;
	int answer;

	if (!question_possible())
		return 0;
	question = consent->question ? memory_string(consent->question) : memory_printf("Do this to %s?", consent->name);
	answer = question_ask(question, err);
	free(question);
	if (answer == 0)
		return error_set(err, EX_NO, "%s: %s", consent->name, consent->refused ? consent->refused : "nothing was changed");
	return answer < 0 ? error_prefix(err, "%s", consent->name) : 0;
}

int
consent_show(const struct consent *consent, const struct preview *preview, const struct preview_basis *basis, struct error *err)
{
	enum effects_impact impact = effects_impact(&preview->effects);
	size_t count = preview->effects.deletions;

	if (impact == EFFECTS_HARMLESS && !(consent->always && preview->plan.job.tasks))
		return 0;
	if (!question_possible())
		return impact < EFFECTS_DELETE ? 0 : error_set(err, EX_USAGE,
		    "%s: %zu machine%s would be deleted, and this is not a terminal; use -y to confirm", consent->name, count,
		    count == 1 ? "" : "s");
	preview_write(preview, basis, stderr, terminal_colour(consent->colour, stderr));
	return 1;
}
