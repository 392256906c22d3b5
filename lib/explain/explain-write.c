/* SPDX-License-Identifier: Apache-2.0
 *
 * An explanation in words, and as a record.
 */
#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "check/layout/check.h"
#include "explain/explain.h"
#include "model/node.h"
#include "model/print.h"

void
explanation_write(const struct explanation *e, FILE *stream)
{
	static const char *const verdicts[][2] = {
		[EXPLAIN_FORCED] = {"It cannot", "It has to"},
		[EXPLAIN_NEEDED] = {"", "Some machine has to have it"},
		[EXPLAIN_PREFERRED] = {"It could", "It need not"},
		[EXPLAIN_UNKNOWN] = {"Perhaps it could", "Perhaps it need not"},
	};
	struct buffer out = {0};
	int there = 0;

	buffer_printf(&out, "%s %s on %s", e->service, e->stands ? "stands" : "does not stand", e->node->id);
	if (e->node->hardwaretype && e->node->imagetype)
		buffer_printf(&out, ", %s with %s", e->node->hardwaretype, e->node->imagetype);
	for (size_t i = 0; i < e->node->services.count && !e->node->leaves; i++)
		if (strcmp(e->node->services.list[i], e->service) != 0)
			buffer_printf(&out, "%s%s", there++ ? ", " : "; there: ", e->node->services.list[i]);
	buffer_printf(&out, ".\n%s: %s", verdicts[e->verdict][e->stands], e->because);
	if (!e->now.count && e->rules.count)
		buffer_printf(&out, " (%s)", e->rules.list[0]);
	buffer_text(&out, ".\n");
	for (size_t i = 0; i < e->rules.count && e->now.count; i++)
		buffer_printf(&out, "  %s (%s)\n", e->words.list[i], e->rules.list[i]);
	for (size_t i = 0; i < e->otherwise.count; i++) {
		const struct amount *otherwise = &e->otherwise.list[i], *now = amounts_find(&e->now, otherwise->resource);

		if (now && fabs(otherwise->value - now->value) >= 1e-6)
			buffer_printf(&out, "  %s: %.12g, otherwise %.12g\n", now->resource, now->value, otherwise->value);
	}
	if (e->now.count)
		buffer_text(&out, e->alone ? "If only this were otherwise:\n"
		    : "If only this were otherwise, no rule would be broken.\n");
	for (const struct fault *fault = e->alone; fault; fault = fault->next)
		buffer_printf(&out, "  %s: %s%s%s%s\n", fault->where, fault->text, fault->pointer ? " (" : "",
		    fault->pointer ? fault->pointer : "", fault->pointer ? ")" : "");
	fwrite(out.data, 1, out.length, stream);
	buffer_release(&out);
}

static void
explain_print_alone(struct print *print, const struct explanation *e)
{
	print_name(print, "alone");
	buffer_byte(print->out, '[');
	for (const struct fault *fault = e->alone; fault; fault = fault->next) {
		struct print members;

		print_begin(&members, (jv){0}, print->out);
		print_string(&members, "pointer", fault->pointer);
		print_string(&members, "text", fault->text);
		print_string(&members, "where", fault->where);
		print_close(&members);
		if (fault->next)
			buffer_byte(print->out, ',');
	}
	buffer_byte(print->out, ']');
}

void
explanation_write_record(const struct explanation *e, FILE *stream)
{
	static const char *const verdicts[] = {"forced", "needed", "preferred", "unknown"};
	struct buffer out = {0};
	struct print print;

	print_begin(&print, (jv){0}, &out);
	explain_print_alone(&print, e);
	print_string(&print, "because", e->because);
	print_string(&print, "kind", "explanation");
	print_string(&print, "node", e->node->id);
	print_amounts(&print, "now", &e->now);
	print_amounts(&print, "otherwise", &e->otherwise);
	print_strings(&print, "rules", &e->rules);
	print_string(&print, "service", e->service);
	print_json(&print, "stands", e->stands ? "true" : "false");
	print_string(&print, "verdict", verdicts[e->verdict]);
	print_strings(&print, "words", &e->words);
	print_end(&print);
	fwrite(out.data, 1, out.length, stream);
	buffer_release(&out);
}
