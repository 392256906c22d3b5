/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare/restore-choice.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/process.h"
#include "cluster/archives.h"
#include "model/layout.h"
#include "model/name.h"
#include "operation/context.h"

struct restore_choice {
	struct operation_context *context;
	const struct layout *layout;
	const char *archive; /* that was asked for, or NULL */
	size_t count;        /* of instances that it was for */
	struct arguments *plan;
};

/* Returns the best of the archives of a service, the newest first, for that node; NULL where there is none. */
static const struct archive *
restore_choice_best(const struct layout *layout, const struct archive_list *archives, const char *node)
{
	const struct archive *gone = NULL;

	for (size_t i = 0; i < archives->count; i++) {
		if (strcmp(archives->list[i].node, node) == 0)
			return &archives->list[i];
		if (!gone && !layout_node(layout, archives->list[i].node))
			gone = &archives->list[i];
	}
	return gone ? gone : archives->count ? &archives->list[0] : NULL;
}

static int
restore_choice_push_one(struct restore_choice *choice, const char *node, const char *service, struct error *err)
{
	struct account *account = &choice->context->account;
	struct archive_list archives = {0};
	const struct archive *best = NULL;
	struct archive asked;
	char at[CLOCK_RFC3339_SIZE];
	int result;

	if (choice->archive && choice->count++)
		return error_set(err, EX_USAGE, "archive %s: it is for one instance, and several were chosen; name the node", choice->archive);
	if (choice->archive) {
		result = archives_find(account, choice->archive, &archives.arena, &asked, err);
		best = &asked;
		if (result == 0 && strcmp(asked.service, service) != 0)
			result = error_set(err, EX_NO, "archive %s: it is of %s, not of %s; coopr backup --list shows which there are",
			    asked.id, asked.service, service);
	} else {
		result = archives_of_service(account->store, choice->context->id, service, &archives, err);
		best = result == 0 ? restore_choice_best(choice->layout, &archives, node) : NULL;
		if (result == 0 && !best)
			result = error_set(err, EX_NO, "%s on %s: there is no archive of it; coopr backup --list shows which there are", service, node);
	}
	if (result == 0) {
		arguments_printf(choice->plan, "--archive=%s/%s=%s", node, service, best->id);
		message("%s on %s gets back archive %s of %s; what was written since is lost", service, node, best->id,
		    clock_seconds(best->ended_ms, at));
	}
	archive_list_release(&archives);
	return result;
}

int
restore_choice_push(struct operation_context *context, const struct string_list *nodes, const struct string_list *services,
    const char *archive, struct arguments *plan, struct error *err)
{
	struct restore_choice choice = {.context = context, .archive = archive, .plan = plan};
	struct layout layout;
	int result = layout_parse_text(context->documents.layout ? context->documents.layout : "", &layout, err);

	choice.layout = &layout;
	for (size_t i = 0; result == 0 && i < layout.node_count; i++) {
		const struct node *node = &layout.nodes[i];

		for (size_t j = 0; result == 0 && j < node->services.count && (!nodes->count || name_list_has(nodes, node->id)); j++) {
			const char *service = node->services.list[j];
			const struct service *definition = cluster_definition(&layout.cluster, service);

			if (definition && definition->actions[ACTION_RESTORE].present && (!services->count || name_list_has(services, service)))
				result = restore_choice_push_one(&choice, node->id, service, err);
		}
	}
	layout_release(&layout);
	return result;
}
