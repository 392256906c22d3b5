/* SPDX-License-Identifier: Apache-2.0 */
#include "store/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "catalogue/validate.h"
#include "json/credential.h"
#include "model/action.h"
#include "model/document.h"
#include "model/name.h"
#include "store/entity-input.h"
#include "store/key.h"
#include "store/secrets.h"

struct import_vault { /* where credentials go */
	struct store *store; /* NULL: nowhere, nothing is written */
	struct store_key key;
	bool opened; /* the key is read */
	bool replace; /* what a secret was before */
};

/* Stores a value, unless there is a secret of that name which stays. Returns 1 if that has another value, else 0, or -1. */
static int
import_store_secret(struct import_vault *vault, const char *name, const char *text, struct error *err)
{
	struct secret_value value = {0};
	int result;

	if (!vault->store)
		return 0;
	if (!vault->opened && secrets_key(vault->store, &vault->key, err) < 0)
		return -1;
	vault->opened = true;
	result = secrets_open(vault->store, &vault->key, 0, name, &value, err);
	if (result < 0 && err->code != EX_NO)
		return -1;
	if (result < 0)
		return secrets_set(vault->store, &vault->key, 0, name, text, strlen(text), err);
	result = value.length != strlen(text) || memcmp(value.text, text, value.length) != 0;
	secret_value_release(&value);
	return result && vault->replace ? secrets_set(vault->store, &vault->key, 0, name, text, strlen(text), err) : result;
}

/* Replaces one setting of a provider. */
static int
import_take_credential(struct import_vault *vault, struct entity_input *input, struct input_entity *provider, const char *setting,
    jv *settings, struct error *err)
{
	char *text = json_get_string(*settings, setting), *name = memory_printf("%s.%s", provider->name, setting);
	jv reference = jv_object();
	int result = 0;

	if (!text || !name_is_valid(name)) {
		entity_input_note(input, provider, "%s: stays in clear", setting);
	} else if (*text) {
		result = import_store_secret(vault, name, text, err);
		json_set_string(&reference, "secret", name);
		json_set(settings, setting, jv_copy(reference));
		entity_input_note(input, provider, result > 0 ? "%s: the secret %s exists with another value, which it keeps"
		    : "%s: now the secret %s", setting, name);
		provider->is_notable |= result > 0;
	}
	if (text)
		explicit_bzero(text, strlen(text));
	jv_free(reference);
	free(text);
	free(name);
	return result < 0 ? -1 : 0;
}

static int
import_take_credentials(struct import_vault *vault, struct entity_input *input, struct input_entity *provider, struct error *err)
{
	struct place root = place_root(provider->document, NULL), settings = place_member(&root, "provisioner"), setting;
	struct members members = members_of(&settings);
	jv changed = jv_copy(settings.value);
	int result = 0;

	while (members_next(&members, &setting))
		if (result == 0 && credential_is_clear(setting.name, setting.value))
			result = import_take_credential(vault, input, provider, setting.name, &changed, err);
	if (jv_get_kind(changed) == JV_KIND_OBJECT)
		json_set(&provider->document, "provisioner", changed);
	else
		jv_free(changed);
	return result;
}

int
import_credentials(struct store *store, struct entity_input *input, bool replace, bool dry_run, struct error *err)
{
	struct import_vault vault = {.store = dry_run ? NULL : store, .replace = replace};
	int result = 0;

	for (size_t i = 0; i < input->count && result == 0; i++)
		if (input->list[i].kind == ENTITY_PROVIDER)
			result = import_take_credentials(&vault, input, &input->list[i], err);
	if (vault.opened)
		store_key_release(&vault.key);
	return result;
}

/* Notes that a member has no effect, unless something is noted of it already. */
static void
import_note_unread(struct entity_input *input, struct input_entity *entity, const struct place *member, const char *path)
{
	struct buffer pointer = {0};

	place_pointer(member, &pointer);
	buffer_text(&pointer, ": ");
	if (!entity->note || !strstr(entity->note, pointer.data))
		entity_input_note(input, entity, "%s%s: kept, without effect", path, member->name);
	buffer_release(&pointer);
}

static void
import_note_actions(struct entity_input *input, struct input_entity *service)
{
	struct place root = place_root(service->document, NULL), provisioner = place_member(&root, "provisioner");
	struct place actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action))
		if (action_find(action.name) < 0)
			import_note_unread(input, service, &action, "provisioner.actions.");
}

static bool
import_knows_member(enum entity_kind kind, const char *name)
{
	const struct document *tables[2] = {NULL, NULL};

	validate_tables(entity_kind_name(kind), tables);
	for (size_t i = 0; tables[0] && i < tables[0]->count; i++)
		if (strcmp(tables[0]->members[i].name, name) == 0)
			return true;
	return false;
}

/* Notes the services of a template that a cluster may be without. Coopr's server sends a minimum of 0 where nobody set one. */
static void
import_note_optional(struct entity_input *input, struct input_entity *template)
{
	struct place root = place_root(template->document, NULL), constraints = place_member(&root, "constraints");
	struct place services = place_member(&constraints, "services"), service, quantities;
	struct members members = members_of(&services);
	struct buffer names = {0};

	while (members_next(&members, &service)) {
		quantities = place_member(&service, "quantities");
		if (json_get_number(quantities.value, "min", 1) == 0)
			buffer_printf(&names, "%s%s", names.length ? ", " : "", service.name);
	}
	if (names.length)
		entity_input_note(input, template, "quantities.min is 0, so clusters may be without: %s", names.data);
	buffer_release(&names);
}

/* Notes the passwords and keys in clear. Those of providers have become secrets before. */
static void
import_note_credentials(struct entity_input *input, struct input_entity *entity)
{
	struct problems problems = {0};
	struct place root = place_root(entity->document, &problems);

	credential_check(&root);
	for (size_t i = 0; i < problems.count; i++)
		entity_input_note(input, entity, "%s: %s", problems.list[i].pointer, problems.list[i].text);
	entity->is_notable |= problems.count > 0;
	problems_release(&problems);
}

void
import_note_effects(struct entity_input *input)
{
	for (size_t i = 0; i < input->count; i++) {
		struct input_entity *entity = &input->list[i];
		struct place root = place_root(entity->document, NULL), member;
		struct members members = members_of(&root);

		if (entity->kind == ENTITY_SERVICE)
			import_note_actions(input, entity);
		if (entity->kind == ENTITY_CLUSTERTEMPLATE && entity->is_export)
			import_note_optional(input, entity);
		import_note_credentials(input, entity);
		while (members_next(&members, &member))
			if (!import_knows_member(entity->kind, member.name))
				import_note_unread(input, entity, &member, "");
	}
}
