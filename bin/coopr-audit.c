/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-audit: lists who has changed what, and from where, or checks that no record of that was altered or removed. It changes
 * nothing. Exits with 0; 1 where --verify finds a fault; 64 on misuse; 66 where there is no store; 77 where one may not see it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "cluster/period.h"
#include "model/show/list.h"
#include "store/audit.h"

static const char *start, *end, *format, *colour, *head;
static struct account_ask asked;
static struct audit_filter filter;
static bool everywhere, verify;
static long limit;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "verify", &verify, "check that no record was altered or removed"),
	OPTION_STRING(0, "head", &head, "HASH", "with --verify: a hash that it printed earlier has to be there, too"),
	OPTION_STRING('c', "cluster", &filter.cluster, "CLUSTER", "only this cluster, by name or id"),
	OPTION_STRING('u', "user", &filter.user, "USER", "only what was done as this user"),
	OPTION_STRING(0, "start", &start, "TIME", "start of the time range: 2026-11-01, now-7d"),
	OPTION_STRING('e', "end", &end, "TIME", "end of the time range"),
	OPTION_NUMBER('l', "limit", &limit, "N", "list only the newest N"),
	OPTION_FLAG('A', "all-tenants", &everywhere, "include all tenants (for superadmins)"),
	OPTION_STRING('T', "tenant", &asked.tenant, "TENANT", "the tenant (default: $COOPR_TENANT)"),
	OPTION_STRING(0, "as", &asked.user, "USER", "with this user's rights: for admins (default: $COOPR_USER)"),
	OPTION_STRING(0, "store", &asked.store, "FILE", "the store (default: $COOPR_STORE)"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST),
	OPTION_END
};

static const struct command command = {
	"coopr-audit", "[OPTION]...", "List who has changed what, and from where.", options,
	"  coopr-audit -c shop\n"
	"  coopr-audit --all-tenants --start now-1d -o json\n"
	"  coopr-audit --verify\n"};

#define AT(type, member) LIST_AT(type, struct audit_record, member)

static const struct list_column columns[] = {
	{"NUMBER", "number", AT(INTEGER, id), .when = LIST_WIDE},
	{"TIME", "at", AT(TIME, at_ms)},
	{"TENANT", "tenant", AT(TEXT, tenant)},
	{"USER", "user", AT(TEXT, user)},
	{"LOGIN", "login", AT(TEXT, login)},
	{"HOST", "host", AT(TEXT, host), .when = LIST_WIDE},
	{"ADDRESS", "address", AT(TEXT, address), .when = LIST_FILLED},
	{"VIA", "via", AT(TEXT, via), .when = LIST_WIDE},
	{"PROGRAM", "program", AT(TEXT, program), .when = LIST_WIDE},
	{"ACTION", "action", AT(TEXT, action)},
	{"OBJECT", "object", AT(TEXT, object)},
	{"CLUSTER", "cluster", AT(TEXT, cluster), .when = LIST_WIDE},
	{"REASON", "reason", AT(TEXT, reason), .when = LIST_FILLED},
	{NULL, "hash", AT(TEXT, hash)},
	{0}};

static const struct list records = {.kind = "auditrecord", .rows = "records", .columns = columns,
	.row_size = sizeof(struct audit_record)};

static int64_t
audit_read_time(const char *option, const char *text)
{
	int64_t ms = text ? period_time(text, clock_wall_ms()) : 0;

	if (ms < 0)
		exit(option_misuse(&command, "--%s: expected now-7d, 2026-11-21, RFC 3339 or seconds since 1970, found '%s'", option,
		    text));
	return ms;
}

static void
audit_say(const char *fault, void *unused)
{
	(void)unused;
	message("%s", fault);
}

static int
audit_check(struct account *account)
{
	char last[AUDIT_HASH_SIZE];
	struct error err;
	int faults = audit_verify(account->store, head, audit_say, NULL, last, &err);

	if (faults < 0)
		return message_error(&err);
	if (*last)
		puts(last);
	return faults > 0 ? EX_NO : 0;
}

static int
audit_print(struct account *account, struct output *output)
{
	struct audit_list list = {0};
	struct error err;
	int code = 0;

	filter.tenant = everywhere ? 0 : store_tenant(account->store);
	filter.limit = limit;
	if (audit_list(account->store, &filter, &list, &err) < 0)
		code = message_error(&err);
	else
		list_print(&records, list.list, list.count, output);
	audit_list_release(&list);
	return code;
}

int
main(int argc, char **argv)
{
	struct account account;
	struct output output;
	struct error err;
	int code;

	argv += option_parse(&command, argc, argv);
	if (*argv)
		return option_misuse(&command, "unexpected argument '%s'", *argv);
	if (head && !verify)
		return option_misuse(&command, "--head: only with --verify");
	option_excludes(&command, "tenant", "all-tenants");
	if (verify)
		option_only_with(&command, "with --verify", (const char *const[]){"verify", "head", "as", "store", NULL});
	filter.start_ms = audit_read_time("start", start);
	filter.end_ms = audit_read_time("end", end);
	output = output_open(format, colour);

	if (account_open(&account, &asked, STORE_READ, &err) < 0 ||
	    account_need(&account, everywhere || verify ? ACCOUNT_SUPERADMIN : ACCOUNT_ADMIN, "the audit log", &err) < 0)
		code = message_error(&err);
	else
		code = verify ? audit_check(&account) : audit_print(&account, &output);

	account_release(&account);
	return message_end(code);
}
