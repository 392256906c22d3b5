/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks which living clusters have data of which their definitions say nothing, since they are older than those members; and whether a
 * person has to say yet whose the machines of before a restore are.
 */
#include "admin/doctor-check.h"

#include <fcntl.h>
#include <stdlib.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "cluster/clusters.h"
#include "cluster/stateful.h"
#include "model/layout.h"
#include "store/installation.h"

enum { NAMED = 5 }; /* clusters */

/* Appends the cluster, if the catalogue says today that services of it have data: 1, 0, or -1. */
static int
doctor_data_of(struct account *account, const struct cluster_record *cluster, bool is_named, struct buffer *text, struct error *err)
{
	struct cluster_documents documents = {0};
	struct layout layout = {.cluster.source = jv_invalid()};
	jv names = jv_invalid();
	int result = clusters_documents(account, cluster->id, &documents, err);

	if (result == 0)
		result = layout_parse_text(documents.layout ? documents.layout : "", &layout, err);
	if (result == 0)
		result = stateful_today(account->store, &layout.cluster, documents.request, &names, err);
	if (result == 0 && json_length(names) > 0) {
		result = 1;
		if (is_named)
			buffer_printf(text, "%s%s", text->length ? ", " : "", cluster->name);
	}
	jv_free(names);
	layout_release(&layout);
	cluster_documents_release(&documents);
	return result;
}

static int
doctor_data_list(struct account *account, struct buffer *text, size_t *found, struct error *err)
{
	const struct cluster_filter all = {.everywhere = account->role >= ACCOUNT_SUPERADMIN};
	struct cluster_list list = {0};
	int result = clusters_list(account, &all, &list, err), one;

	for (size_t i = 0; i < list.count && result == 0; i++) {
		one = doctor_data_of(account, &list.list[i], *found < NAMED, text, err);
		*found += one > 0;
		result = one < 0 ? -1 : 0;
	}
	cluster_list_release(&list);
	return result;
}

void
doctor_check_data(struct doctor_report *report)
{
	const struct account_ask ask = {0};
	char *store = location_store(NULL);
	struct account account;
	struct buffer text = {0};
	struct error err;
	size_t found = 0;

	if (!file_is_absent(AT_FDCWD, store)) {
		if (account_open(&account, &ask, STORE_READ, &err) == 0 && doctor_data_list(&account, &text, &found, &err) == 0 && found)
			doctor_say(report, "data", DOCTOR_WARNING, "nothing is lost: today's definitions in the catalogue count; coopr upgrade "
			    "takes them over", "data of which the own definitions of the cluster say nothing: %s%s", text.data,
			    found > NAMED ? ", ..." : "");
		account_release(&account);
	}
	buffer_release(&text);
	free(store);
}

void
doctor_check_identity(struct doctor_report *report)
{
	struct installation installation;
	char *path = location_store(NULL);
	struct store *store = NULL;
	struct error ignored; /* the check of the store says it */

	if (!file_is_absent(AT_FDCWD, path) && store_open(&store, NULL, STORE_READ, NULL, &ignored) == 0 &&
	    installation_find(store, &installation, &ignored) == 0) {
		if (*installation.former)
			doctor_say(report, "installation", DOCTOR_WARNING, "say coopr-store installation --confirm if the installation of the "
			    "backup is gone, --separate if it lives on", "it came from a backup of installation %s; nothing is done at clouds where "
			    "machines have that id", installation.former);
		else
			doctor_say(report, "installation", DOCTOR_OK, NULL, "%s", installation.id);
	}
	store_release(store);
	free(path);
}
