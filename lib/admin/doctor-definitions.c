/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks what living clusters are defined by: plugins and scripts that are not there any more, malformed macros; and passwords in
 * clear, also in the entities of the store.
 */
#include "admin/doctor-check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/plural.h"
#include "cluster/clusters.h"
#include "exec/plugin-find.h"
#include "inspect/fields.h"
#include "inspect/inspect.h"
#include "json/credential.h"
#include "model/request.h"
#include "store/entities.h"

enum { NAMED = 5 }; /* clusters, or places of passwords */

struct definitions { /* what is found */
	struct doctor_report *report;
	struct account account;
	size_t broken, in_clear; /* clusters; entities and clusters */
	struct buffer names;     /* of those in clear, as far as they are named */
};

/* Notes what has passwords in clear. */
static void
doctor_definitions_note_clear(struct definitions *found, const char *kind, const char *name, const struct problems *in_clear)
{
	if (in_clear->total && found->in_clear++ < NAMED)
		buffer_printf(&found->names, "%s%s %s (%s)", found->names.length ? ", " : "", kind, name, in_clear->list[0].pointer);
}

/* Tells the first thing that is wrong with a cluster. */
static void
doctor_definitions_tell(struct definitions *found, const char *cluster, const char *pointer, const char *text)
{
	if (found->broken++ < NAMED)
		doctor_say(found->report, "clusters", DOCTOR_WARNING, "put it back, or coopr upgrade takes over today's definitions; else tasks "
		    "of the cluster fail", "%s: %s: %s", cluster, pointer, text);
}

static void
doctor_definitions_inspect(struct definitions *found, const char *cluster, jv document)
{
	struct problems errors = {0}, warnings = {0}, in_clear = {0}, malformed = {0};
	struct fields_check check = {.warnings = &warnings, .clear = &in_clear};
	struct place root = place_root(document, &errors);
	struct request request;
	struct error err;

	request_parse(document, &request, &malformed);
	if (malformed.total) {
		doctor_definitions_tell(found, cluster, malformed.list[0].pointer, malformed.list[0].text);
	} else if (plugin_find_of_request(&request, &err) < 0) {
		doctor_definitions_tell(found, cluster, "its plugins", err.text);
	} else {
		inspect_document(&check, "request", &root);
		if (errors.total)
			doctor_definitions_tell(found, cluster, errors.list[0].pointer, errors.list[0].text);
	}
	doctor_definitions_note_clear(found, "cluster", cluster, &in_clear);
	request_release(&request);
	fields_check_release(&check);
	problems_release(&errors);
	problems_release(&warnings);
	problems_release(&in_clear);
	problems_release(&malformed);
}

static int
doctor_definitions_of_clusters(struct definitions *found, struct error *err)
{
	const struct cluster_filter all = {.everywhere = found->account.role >= ACCOUNT_SUPERADMIN};
	struct cluster_list list = {0};
	int result = clusters_list(&found->account, &all, &list, err);

	for (size_t i = 0; i < list.count && result == 0; i++) {
		struct cluster_documents documents = {0};
		struct error ignored; /* it is still being created */
		jv request;

		result = clusters_documents(&found->account, list.list[i].id, &documents, err);
		if (result == 0 && cluster_documents_request(&documents, list.list[i].name, &request, &ignored) == 0) {
			doctor_definitions_inspect(found, list.list[i].name, request);
			jv_free(request);
		}
		cluster_documents_release(&documents);
	}
	cluster_list_release(&list);
	return result;
}

/* Looks for passwords in clear in the entities of the tenant. */
static int
doctor_definitions_of_entities(struct definitions *found, struct error *err)
{
	struct revisions list = {0};
	int result = entities_list(found->account.store, ENTITY_NONE, &list, err);

	for (size_t i = 0; i < list.count && result == 0; i++) {
		struct problems in_clear = {0};
		jv document;

		result = json_parse(list.list[i].name, list.list[i].text, strlen(list.list[i].text), &document, err);
		if (result == 0) {
			struct place root = place_root(document, &in_clear);

			credential_check(&root);
			doctor_definitions_note_clear(found, entity_kind_words(list.list[i].kind), list.list[i].name, &in_clear);
			jv_free(document);
		}
		problems_release(&in_clear);
	}
	revisions_release(&list);
	return result;
}

void
doctor_check_definitions(struct doctor_report *report)
{
	const struct account_ask ask = {0};
	struct definitions found = {.report = report};
	char *store = location_store(NULL);
	struct error err;

	if (!file_is_absent(AT_FDCWD, store)) {
		if (account_open(&found.account, &ask, STORE_READ, &err) == 0 && doctor_definitions_of_entities(&found, &err) == 0 &&
		    doctor_definitions_of_clusters(&found, &err) == 0) {
			if (found.broken > NAMED)
				doctor_say(report, "clusters", DOCTOR_WARNING, NULL, "%zu more %s such definitions", found.broken - NAMED,
				    plural(found.broken - NAMED, "cluster has", "clusters have"));
			if (found.in_clear)
				doctor_say(report, "passwords", DOCTOR_WARNING, "write {\"secret\": \"NAME\"} in its place, and store it with coopr "
				    "secret set NAME", "in clear: %s%s", found.names.data, found.in_clear > NAMED ? ", ..." : "");
		}
		account_release(&found.account);
	}
	buffer_release(&found.names);
	free(store);
}
