/* SPDX-License-Identifier: Apache-2.0
 *
 * coopr-lease: sets for how long a cluster is to be there, counted from now; when that time is over, coopr reconcile
 * deletes it. The template says how long a cluster may be there at all, and by how much more at a time. Who is at a
 * terminal is asked before a cluster is to end sooner, or to stay beyond the template's limit. Exits with 0; 1 where there
 * is no such cluster, that is too long, or the answer was no; 64 on misuse; 128 + signal when interrupted.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "operation/find-cluster.h"
#include "operation/front.h"
#include "preview/consent.h"
#include "preview/question.h"

static struct front front = {.jobs = FRONT_JOBS};
static bool beyond, discards_data;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "force", &beyond, "also beyond the template's limit (for administrators)"),
	OPTION_FLAG(0, "discard-data", &discards_data, "delete it then also with the data of its services"),
	OPTION_RETIRED('f', NULL, "--force"),
	FRONT_PLACES(&front),
	OPTION_END
};

static const struct command command = {
	"coopr-lease", "[OPTION]... CLUSTER [TIME]", "Show when a cluster expires, or change that.", options,
	"  coopr-lease shop\n"
	"  coopr-lease shop 12h\n"
	"  coopr-lease --force shop 0          for ever\n"};

static const char *
lease_end(int64_t expires_ms, char time[CLOCK_RFC3339_SIZE])
{
	return expires_ms ? clock_rfc3339(expires_ms, time) : "never";
}

/* Asks where the cluster is to be deleted sooner than recorded, or stays longer than its template allows. */
static int
lease_consent(const struct cluster_record *cluster, int64_t expires_ms, struct error *err)
{
	const struct consent consent = {.name = cluster->name};
	bool sooner = expires_ms && (!cluster->expires_ms || expires_ms < cluster->expires_ms);
	char was[CLOCK_RFC3339_SIZE], is[CLOCK_RFC3339_SIZE];

	if (front.yes || !(sooner || beyond) || !question_possible())
		return 0;
	fprintf(stderr, "~ deleted: %s -> %s\n", lease_end(cluster->expires_ms, was), lease_end(expires_ms, is));
	return consent_ask(&consent, err);
}

/* Sets the lease of the cluster, from now on; 0: for ever. */
static int
lease_set(struct account *account, const struct cluster_record *cluster, int64_t lease_ms, struct error *err)
{
	int64_t expires_ms = lease_ms ? clock_wall_ms() + lease_ms : 0;

	return lease_consent(cluster, expires_ms, err) < 0 ? -1 : clusters_set_lease(account, cluster->id, expires_ms, beyond, discards_data,
	    err);
}

int
main(int argc, char **argv)
{
	char **operands = argv + option_parse(&command, argc, argv);
	struct operation_options how = front_options(&command, &front);
	struct cluster_list list = {0};
	struct account account;
	char time[CLOCK_RFC3339_SIZE];
	struct error err;
	int64_t lease_ms;
	int result;

	if (!operands[0] || (operands[1] && operands[2]))
		return option_misuse(&command, operands[0] ? "one cluster and one time at most" : "missing argument CLUSTER");
	lease_ms = operands[1] ? front_duration(&command, "TIME", operands[1]) : 0;
	result = find_cluster(&account, &list, &how.ask, operands[1] ? STORE_WRITE : STORE_READ, operands[0], &err);
	if (result == 0 && operands[1])
		result = lease_set(&account, &list.list[0], lease_ms, &err);
	else if (result == 0)
		puts(lease_end(list.list[0].expires_ms, time));
	cluster_list_release(&list);
	account_release(&account);
	return message_end(result < 0 ? message_error(&err) : 0);
}
