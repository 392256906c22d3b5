/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/upkeep.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/tenants.h"
#include "base/buffer.h"
#include "base/error.h"
#include "cluster/volumes.h"
#include "json/json.h"
#include "model/action.h"
#include "operation/provider-task.h"
#include "store/store.h"

enum { NAMED = 8 }; /* in a message */

/* Has the provider do an action to the volume. */
static int
volume_upkeep_ask(struct account *account, const struct volume *volume, enum action action, struct error *err)
{
	struct provider_task task = {.action = action_name(action), .tenant = volume->tenant, .subject = "volume", .name = volume->id};
	char *entity;
	int result = volumes_provider(account->store, volume, &entity, err);

	if (result == 0)
		result = json_parse(volume->provider, entity, strlen(entity), &task.provider, err);
	free(entity);
	if (result < 0)
		return -1;
	task.about = jv_object();
	json_set_string(&task.about, "id", volume->id);
	if (volume->of)
		json_set_string(&task.about, "of", volume->of);
	json_set_number(&task.about, "size_gb", (double)volume->size_gb);
	json_set(&task.about, "snapshot", jv_bool(volume->is_snapshot));
	if (volume->zone)
		json_set_string(&task.about, "zone", volume->zone);
	result = provider_task_do(&task, err);
	jv_free(task.about);
	jv_free(task.provider);
	return result;
}

/* Finds the volume of that id, which the account may change. */
static int
volume_upkeep_find(struct account *account, const char *id, struct volume_list *list, struct error *err)
{
	return account_need(account, ACCOUNT_USER, "changing volumes", err) < 0 ? -1 : volumes_find(account, id, list, err);
}

/* Deletes what a snapshot that failed may have left, and says whether that was done; of its volume people know the id. */
static int
volume_upkeep_undo(struct account *account, const struct volume *copy, const char *id, struct error *err)
{
	struct error why = *err, ignored; /* the reason is that of the snapshot */

	if (volume_upkeep_ask(account, copy, ACTION_DISCARD, &ignored) == 0 && volumes_remove(account->store, copy->id, &ignored) == 0)
		return error_prefix(err, "%s: no snapshot was made", id);
	return error_set(err, why.code, "%s: the snapshot failed: %s; coopr volume delete %s deletes what was made of it", id, why.text, copy->id);
}

int
volume_upkeep_snapshot(struct account *account, const char *id, struct volume_list *made, struct error *err)
{
	struct volume_list found = {0};
	const struct volume *copy;
	size_t before = made->count;
	int result = volume_upkeep_find(account, id, &found, err);

	if (result == 0 && found.list[0].is_snapshot)
		result = error_set(err, EX_USAGE, "%s: it is a snapshot already", id);
	if (result == 0)
		result = volumes_copy(account->store, &found.list[0], made, err);
	copy = result == 0 ? &made->list[made->count - 1] : NULL;
	if (copy && volume_upkeep_ask(account, copy, ACTION_SNAPSHOT, err) < 0)
		result = volume_upkeep_undo(account, copy, id, err);
	if (copy && result == 0)
		result = volumes_stay(account->store, copy->id, err);
	if (result < 0)
		made->count = before; /* it is none that people may count on */
	else
		made->list[made->count - 1].is_leaving = false;
	volume_list_release(&found);
	return result;
}

int
volume_upkeep_restore(struct account *account, const char *id, const char *cluster, struct volume_list *promised, struct error *err)
{
	struct volume_list found = {0}, copy = {0};
	int result = volume_upkeep_find(account, id, &found, err);

	if (result == 0 && found.list[0].is_leaving)
		result = error_set(err, EX_NO, "%s: %s was cut off; coopr volume delete %s completes its deletion", id,
		    found.list[0].is_snapshot ? "its making, or its deletion," : "its deletion", id);
	if (result == 0 && found.list[0].is_snapshot) {
		result = volumes_copy(account->store, &found.list[0], &copy, err);
		id = result == 0 ? copy.list[0].id : id;
	}
	if (result == 0)
		result = volumes_promise(account->store, id, cluster, err);
	if (result == 0)
		result = volumes_find(account, id, promised, err);
	volume_list_release(&copy);
	volume_list_release(&found);
	return result;
}

/* Says which there are; of many, how many more. */
static int
volume_upkeep_refuse(const char *tenant, const struct volume_list *list, struct error *err)
{
	struct buffer text = {0};

	for (size_t i = 0; i < list->count && i < NAMED; i++)
		buffer_printf(&text, "%s%s (%s of %s, %lld GiB)", i ? ", " : "", list->list[i].id, list->list[i].service, list->list[i].cluster_name,
		    (long long)list->list[i].size_gb);
	if (list->count > NAMED)
		buffer_printf(&text, " and %zu more", list->count - NAMED);
	error_set(err, EX_USAGE, "tenant %s: it has the volumes %s", tenant, text.data);
	buffer_release(&text);
	return error_way_out(err, "discard-data", "; use --discard-data to delete them with it");
}

int
volume_upkeep_delete_all(struct account *account, const char *tenant, bool discards_data, struct error *err)
{
	struct volume_list list = {0};
	int64_t number = 0;
	int got = store_find_tenant(account->store, tenant, &number, err), result = got < 0 ? -1 : 0;

	/* Nothing is lost where the tenant stays. */
	if (got > 0)
		result = tenants_check_delete(account->store, tenant, &number, err);
	if (got > 0 && result == 0)
		result = volumes_of_tenant(account->store, number, &list, err);
	if (result == 0 && list.count && !discards_data)
		result = volume_upkeep_refuse(tenant, &list, err);
	for (size_t i = 0; i < list.count && result == 0; i++)
		result = volume_upkeep_delete(account, list.list[i].id, true, err);
	volume_list_release(&list);
	return result;
}

int
volume_upkeep_delete(struct account *account, const char *id, bool discards_data, struct error *err)
{
	struct volume_list found = {0};
	int result = volume_upkeep_find(account, id, &found, err);

	if (result == 0 && found.list[0].node)
		result = error_set(err, EX_NO, "volume %s: the node %s has it; it is free once the node is deleted", id, found.list[0].node);
	if (result == 0 && !found.list[0].is_snapshot && !discards_data) {
		error_set(err, EX_USAGE, "%s: it has the data of %s of the cluster %s", id, found.list[0].service, found.list[0].cluster_name);
		result = error_way_out(err, "discard-data", "; use --discard-data to delete it all the same");
	}
	if (result == 0)
		result = volumes_leave(account->store, id, err);
	if (result == 0)
		result = volume_upkeep_ask(account, &found.list[0], ACTION_DISCARD, err);
	if (result == 0)
		result = volumes_remove(account->store, id, err);
	volume_list_release(&found);
	return result;
}
