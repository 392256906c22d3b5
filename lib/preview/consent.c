/* SPDX-License-Identifier: Apache-2.0 */
#include "preview/consent.h"

#include <stdlib.h>
#include <sysexits.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "preview/losses.h"
#include "preview/question.h"

/* Asks for the typed name of the cluster: 1, 0 or -1, as question_ask. */
static int
consent_ask_name(const struct consent *consent, struct error *err)
{
	char *question = memory_printf("Data is lost. Type %s to do this all the same:", consent->name);
	int answer = question_ask_word(question, consent->name, err);

	free(question);
	return answer;
}

/* Asks the question of a yes or no. */
static int
consent_ask_yes(const struct consent *consent, struct error *err)
{
	char *question = consent->question ? memory_string(consent->question) : memory_printf("Do this to %s?", consent->name);
	int answer = question_ask(question, err);

	free(question);
	return answer;
}

int
consent_ask(const struct consent *consent, struct error *err)
{
	int answer;

	if (!question_possible())
		return 0;
	answer = consent->loses_data ? consent_ask_name(consent, err) : consent_ask_yes(consent, err);
	if (answer == 0)
		return error_set(err, EX_NO, "%s: %s", consent->name, consent->refused ? consent->refused : "nothing was changed");
	return answer < 0 ? error_prefix(err, "%s", consent->name) : 0;
}

/* Finds out whether the plan loses data to which nobody has consented; fails where nobody can. */
static int
consent_check_data(struct consent *consent, const struct preview *preview, const struct preview_basis *basis, struct error *err)
{
	struct buffer text = {0};
	int result = 0;

	consent->loses_data = !consent->discards_data && losses_describe(&preview->effects, basis->stateful, &text);
	if (consent->loses_data && !(consent->has_person && question_possible()))
		result = error_set(err, EX_USAGE, "%s: data would be lost: %s", consent->name, text.data);
	if (result < 0)
		error_way_out(err, "discard-data", "; use --discard-data to permit that");
	buffer_release(&text);
	return result;
}

int
consent_show(struct consent *consent, const struct preview *preview, const struct preview_basis *basis, struct error *err)
{
	enum effects_impact impact = effects_impact(&preview->effects);
	size_t count = preview->effects.deletions;

	if (consent_check_data(consent, preview, basis, err) < 0)
		return -1;
	if (!consent->loses_data && (consent->is_given || (impact == EFFECTS_HARMLESS && !(consent->always && preview->plan.job.tasks))))
		return 0;
	if (!question_possible())
		return impact < EFFECTS_DELETE ? 0 : error_set(err, EX_USAGE,
		    "%s: %zu machine%s would be deleted, and this is not a terminal; use -y to confirm", consent->name, count,
		    plural(count, "", "s"));
	preview_write(preview, basis, stderr, terminal_colour(consent->colour, stderr));
	return 1;
}
