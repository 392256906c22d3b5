/* SPDX-License-Identifier: Apache-2.0 */
#include "show/saved-plan-show.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "operation/saved-plan.h"
#include "preview/preview.h"
#include "show/login-through.h"

static void
saved_plan_show_origin(const struct saved_plan *plan, const struct account_ask *ask, void (*notice)(const char *text))
{
	const char *server = login_through_server();
	struct buffer text = {0};
	struct error why;

	buffer_printf(&text, "%s: the plan of %s, made by %s at %s", plan->path, plan->said.command, plan->said.by, plan->said.at);
	notice(text.data);
	buffer_clear(&text);
	if (server)
		buffer_printf(&text, "coopr run %s carries out exactly this, or nothing if %s has changed since; %s finds that out", plan->path,
		    plan->said.name, server);
	else if (saved_plan_verify(plan, ask, &why) < 0 || saved_plan_fits(plan, ask, &why) < 0)
		buffer_printf(&text, "it cannot be carried out: %s", why.text);
	else
		buffer_printf(&text, "%s is as it was then; coopr run %s carries out exactly this", plan->said.name, plan->path);
	notice(text.data);
	buffer_release(&text);
}

int
saved_plan_show(const char *path, const struct account_ask *ask, FILE *out, bool colour, void (*notice)(const char *text),
    struct error *err)
{
	struct preview_basis basis = PREVIEW_BASIS_NONE;
	struct preview preview = {0};
	struct saved_plan plan;
	int result = saved_plan_open(&plan, path, err);

	if (result == 0)
		result = preview_parse(&preview, plan.path, plan.records, plan.length, err);
	if (result == 0) {
		saved_plan_basis(&plan, &basis);
		preview_write(&preview, &basis, out, colour);
		fflush(out);
		saved_plan_show_origin(&plan, ask, notice);
	}
	preview_basis_release(&basis);
	preview_release(&preview);
	saved_plan_release(&plan);
	return result;
}
