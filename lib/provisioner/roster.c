/* SPDX-License-Identifier: Apache-2.0 */
#include "provisioner/roster.h"

#include <string.h>

#include "account/accounts.h"
#include "base/error.h"
#include "login/provisioners.h"
#include "provisioner/tenant-notice.h"

/* Adds a provisioner as Coopr shows it to a list. */
static int
roster_add(struct store *store, const struct provisioner *its, jv *list, struct error *err)
{
	jv record = jv_object(), assignments = tenant_notice_assignments(store, its, err), usage = jv_invalid(), names;
	double free_ones = (double)its->capacity;
	int result = jv_is_valid(assignments) ? json_parse("usage", its->usage, strlen(its->usage), &usage, err) : -1;

	if (result == 0) {
		names = jv_keys(jv_copy(assignments));
		for (size_t i = 0; i < json_length(names); i++) {
			jv name = json_element(names, i);

			free_ones -= json_get_number(assignments, json_string(name), 0);
			jv_free(name);
		}
		jv_free(names);
		json_set_string(&record, "id", its->id);
		json_set_string(&record, "host", its->host);
		json_set_number(&record, "port", (double)its->port);
		json_set_number(&record, "capacityTotal", (double)its->capacity);
		json_set_number(&record, "capacityFree", free_ones > 0 ? free_ones : 0);
		json_set(&record, "assignments", jv_copy(assignments));
		json_set(&record, "usage", jv_copy(usage));
		*list = jv_array_append(*list, jv_copy(record));
	}
	jv_free(usage);
	jv_free(assignments);
	jv_free(record);
	return result;
}

int
roster_find(const char *id, jv *found, struct error *err)
{
	struct provisioner_list list = {0};
	struct account account;
	int result = account_open(&account, &(struct account_ask){0}, STORE_READ, err);

	if (result == 0)
		result = account_need(&account, ACCOUNT_SUPERADMIN, "provisioners", err);
	if (result == 0)
		result = provisioners_list(account.store, id, &list, err);
	for (size_t i = 0; result == 0 && i < list.count; i++)
		if (list.list[i].heard_ms != PROVISIONERS_LEFT)
			result = roster_add(account.store, &list.list[i], found, err);
	if (result == 0 && id && json_length(*found) == 0)
		result = error_absent(err, "there is no provisioner \"%s\"", id);
	provisioner_list_release(&list);
	account_release(&account);
	return result;
}
