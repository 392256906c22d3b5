/* SPDX-License-Identifier: Apache-2.0
 *
 * stage, recall, delete and sync: all that is named, or nothing.
 */
#include "resource-verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/message.h"
#include "cluster/digest-user.h"
#include "verb.h"

static bool dry_run;
static struct option_change change;

static const struct option_spec change_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command stage_command = {
	"coopr-resource stage", "[OPTION]... KIND/PLUGIN/TYPE/NAME[@VERSION]...",
	"Choose versions that the next sync makes active (default: the newest).", change_options,
	"  coopr-resource stage automator/shell/scripts/web.sh@2 && coopr-resource sync\n"};

static const struct command recall_command = {
	"coopr-resource recall", "[OPTION]... KIND/PLUGIN/TYPE/NAME...",
	"Have the next sync make resources inactive; what was only staged is so at once.", change_options,
	"  coopr-resource recall automator/shell/scripts/web.sh && coopr-resource sync\n"};

static const struct option_spec delete_options[] = {
	OPTION_CHANGE(&change),
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command delete_command = {
	"coopr-resource delete", "[OPTION]... KIND/PLUGIN/TYPE/NAME[@VERSION]...",
	"Delete versions (default: all) that are inactive, and that no cluster uses.", delete_options,
	"  coopr-resource delete automator/shell/scripts/web.sh@1\n"};

static const struct option_spec sync_options[] = {
	OPTION_FLAG(0, "dry-run", &dry_run, "only print what would change"),
	OPTION_CHANGE(&change),
	STORE_VERB_OUTPUT,
	STORE_VERB_WHERE,
	OPTION_END
};

static const struct command sync_command = {
	"coopr-resource sync", "[OPTION]...",
	"Make all staged versions of the tenant active and all recalled ones inactive, at one instant.", sync_options,
	"  coopr-resource sync --dry-run\n"};

/* Stages or recalls all that is named, and prints its versions. */
static int
resource_verb_change(const struct command *command, int (*act)(struct store *store, const struct resource_name *name, struct error *err),
    int argc, char **argv)
{
	struct resource_list list = {0};
	struct output output;
	struct store *store;
	struct error err;
	int result, code = 0;

	argv += option_parse(command, argc, argv);
	store_verb_operands(command, argv, 1, 1 << 20, "a resource");
	output = store_verb_output();
	for (size_t i = 0; argv[i]; i++)
		resource_verb_name(command, argv[i], 4);
	store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);

	result = store_begin(store, &err);
	if (result < 0)
		exit(message_error(&err));
	for (size_t i = 0; argv[i] && result == 0; i++) {
		struct resource_name name = resource_verb_name(command, argv[i], 4);

		result = act(store, &name, &err);
	}
	if (result == 0)
		result = resources_list_pending(store, &list, &err);
	if (store_finish(store, result, &err) < 0)
		code = message_error(&err);
	else if (!change.quiet)
		resource_verb_print(list.list, list.count, &output);

	resource_list_release(&list);
	store_release(store);
	return message_end(code);
}

int
resource_verb_stage(int argc, char **argv)
{
	return resource_verb_change(&stage_command, resources_stage, argc, argv);
}

int
resource_verb_recall(int argc, char **argv)
{
	return resource_verb_change(&recall_command, resources_recall, argc, argv);
}

/* Deletes one version, of which no cluster is made. What other tenants make of the same bytes is not asked: it would tell of them, and
 * their bytes stay in any case. Clusters of all tenants may be made with what superadmin has. */
static int
resource_verb_delete_one(struct account *account, const struct resource *version, struct error *err)
{
	const struct resource_name *name = &version->name;
	char *user = NULL;
	int used = digest_user_find(account, strcmp(version->tenant, "superadmin") == 0 ? 0 : store_tenant(account->store), version->sum,
	    &user, err);

	if (used > 0)
		error_set(err, EX_TEMPFAIL, "resource %s/%s/%s@%" PRId64 ": cluster %s is made with it, or can be rolled back to it; it stays",
		    name->plugin, name->type, name->name, name->version, user);
	free(user);
	return used ? -1 : resources_delete(account->store, name, err);
}

/* Deletes what an operand names: a version, or all of them. */
static int
resource_verb_delete_named(struct account *account, const struct resource_name *name, struct error *err)
{
	struct resource_list list = {0};
	int result = resources_list(account->store, name, RESOURCE_ANY, false, &list, err);

	if (result == 0 && list.count == 0)
		result = resources_delete(account->store, name, err); /* says that there is none */
	for (size_t i = 0; i < list.count && result == 0; i++)
		result = resource_verb_delete_one(account, &list.list[i], err);
	resource_list_release(&list);
	return result;
}

int
resource_verb_delete(int argc, char **argv)
{
	struct account account;
	struct error err;
	int result, code = 0;

	argv += option_parse(&delete_command, argc, argv);
	store_verb_operands(&delete_command, argv, 1, 1 << 20, "a resource");
	for (size_t i = 0; argv[i]; i++)
		resource_verb_name(&delete_command, argv[i], 4);
	store_verb_account(&account, STORE_WRITE, ACCOUNT_ADMIN, "changing resources");

	result = store_verb_consent(argv, change.yes, &err);
	if (result == 0)
		result = store_begin(account.store, &err);
	if (result < 0)
		exit(message_error(&err));
	for (size_t i = 0; argv[i] && result == 0; i++) {
		struct resource_name name = resource_verb_name(&delete_command, argv[i], 4);

		result = resource_verb_delete_named(&account, &name, &err);
	}
	if (store_finish(account.store, result, &err) < 0)
		code = message_error(&err);

	account_release(&account);
	return message_end(code);
}

int
resource_verb_sync(int argc, char **argv)
{
	struct resource_list list = {0};
	struct output output;
	struct store *store;
	struct error err;
	int result, code = 0;

	argv += option_parse(&sync_command, argc, argv);
	store_verb_operands(&sync_command, argv, 0, 0, "no operand");
	output = store_verb_output();
	store_verb_open(&store, STORE_WRITE, ACCOUNT_ADMIN);

	result = store_begin(store, &err);
	if (result < 0)
		exit(message_error(&err));
	result = resources_list_pending(store, &list, &err);
	if (result == 0 && !dry_run)
		result = resources_sync(store, &err);
	if (store_finish(store, result, &err) < 0)
		code = message_error(&err);
	/* What they are from now on. */
	for (size_t i = 0; i < list.count && !dry_run; i++)
		list.list[i].state = list.list[i].state == RESOURCE_STAGED ? RESOURCE_ACTIVE : RESOURCE_INACTIVE;
	if (code == 0 && !change.quiet)
		resource_verb_print(list.list, list.count, &output);

	resource_list_release(&list);
	store_release(store);
	return message_end(code);
}
