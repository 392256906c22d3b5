/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/config-spelling.h"

#include <string.h>

#include "base/process.h"
#include "base/suggest.h"

/* Adds the members of the configuration that the actions of a service say that they read. */
static void
config_spelling_add_read(const struct place *service, struct arguments *known)
{
	struct place provisioner = place_member(service, "provisioner"), actions = place_member(&provisioner, "actions"), action;
	struct members members = members_of(&actions);

	while (members_next(&members, &action)) {
		struct place fields = place_member(&action, "fields"), config = place_member(&fields, "config");

		for (size_t i = 0; i < json_length(config.value); i++) {
			struct place element = place_element(&config, i);

			if (json_string(element.value))
				arguments_push(known, json_string(element.value));
		}
	}
}

static void
config_spelling_add_members(const struct place *object, struct arguments *known)
{
	struct members members = members_of(object);
	struct place member;

	while (members_next(&members, &member))
		arguments_push(known, member.name);
}

/* Checks the members of an object, and those of the objects in it of which the defaults know members. */
static void
config_spelling_check_object(const struct place *config, const struct place *defaults, struct arguments *known)
{
	struct members members = members_of(config);
	struct place member;

	config_spelling_add_members(defaults, known);
	while (members_next(&members, &member)) {
		struct place usual = place_member(defaults, member.name);
		struct arguments inner = {0};
		const char *near = NULL;

		if (place_present(&usual))
			config_spelling_check_object(&member, &usual, &inner);
		else if (known->count)
			near = suggest_word(member.name, (const char *const *)known->list);
		if (near && strcmp(near, member.name) != 0)
			place_problem(&member, "nothing knows this member of the configuration; did you mean \"%s\"?", near);
		arguments_release(&inner);
	}
}

void
config_spelling_check(const struct place *request, struct problems *problems)
{
	struct place cluster = place_member(request, "cluster"), config = place_member(&cluster, "config");
	struct place template = place_member(request, "template"), its = place_member(&template, "defaults");
	struct place defaults = place_member(&its, "config"), services = place_member(request, "services");
	struct arguments known = {0};

	config.problems = problems;
	for (size_t i = 0; i < json_length(services.value); i++) {
		struct place service = place_element(&services, i);

		config_spelling_add_read(&service, &known);
	}
	config_spelling_check_object(&config, &defaults, &known);
	arguments_release(&known);
}
