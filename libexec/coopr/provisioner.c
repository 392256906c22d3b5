/* SPDX-License-Identifier: Apache-2.0
 *
 * provisioner: does what a provisioner of Coopr asks the server for, coopr-provisioners(7). Each command reads what was sent as JSON; the
 * environment says with which token it was asked, and from where. Exits with 1 where there is no such provisioner, plugin or resource, 65 for
 * what is malformed, 75 where a result is not wanted, 77 where the token is not for that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/option.h"
#include "base/process.h"
#include "base/subcommand.h"
#include "content/content.h"
#include "json/place.h"
#include "json/record.h"
#include "login/provisioners.h"
#include "model/name.h"
#include "provisioner/errand.h"
#include "provisioner/roster.h"
#include "provisioner/tenant-notice.h"
#include "queue/queue.h"
#include "resource/named.h"
#include "resource/tarball.h"
#include "store/client.h"
#include "store/resources.h"

static const struct option_spec options[] = {
	OPTION_END
};

static const struct command command = {
	"provisioner", "COMMAND", "Do what a provisioner of Coopr asks for.", options, "  provisioner take <order\n"};

struct call { /* of a command */
	struct errand errand;
	char **operands;
	jv order; /* what was read, owned */
};

/* Opens store and queue, for a token of a provisioner. */
static int
provisioner_open(struct errand *errand, struct error *err)
{
	struct rights_limit limit = rights_limit();

	if (!limit.is_set || strcmp(limit.kind, PROVISIONERS_TOKEN) != 0)
		return error_set(err, EX_NOPERM, "a provisioner shows the token that was made for it");
	errand->token = limit.token;
	if (store_open(&errand->store, NULL, STORE_WRITE, NULL, err) < 0)
		return -1;
	store_set_by(errand->store, client_asker());
	errand->queue = queue_open(NULL, QUEUE_WRITE, err);
	return errand->queue ? 0 : -1;
}

static int
provisioner_take(struct call *call, struct error *err)
{
	jv task;
	int result = errand_take(&call->errand, call->order, &task, err);

	if (result == 0 && jv_is_valid(task))
		record_write(task, stdout);
	jv_free(task);
	if (fflush(stdout) != 0 && result == 0)
		result = errand_give_back(&call->errand, call->order, err);
	return result;
}

static int
provisioner_finish(struct call *call, struct error *err)
{
	return errand_finish(&call->errand, call->order, err);
}

/* Tells a provisioner of its tenants. */
static int
provisioner_notify(struct store *store, const char *id, struct error *err)
{
	struct provisioner_list list = {0};
	int result = provisioners_list(store, id, &list, err);

	if (result == 0 && list.count > 0)
		result = tenant_notice_send(store, &list.list[0], err);
	provisioner_list_release(&list);
	return result;
}

/* Returns the address from which the asker comes, in the arena. */
static const char *
provisioner_address(struct arena *arena)
{
	const char *from = getenv(CLIENT_ASKER_FROM);
	char *address = memory_substring(from ? from : "", from ? strcspn(from, " ") : 0);
	const char *kept = arena_string(arena, address);

	free(address);
	return kept;
}

/* A provisioner is where it comes from, whatever it says: nobody else can be made to hear from the server. */
static int
provisioner_register(struct call *call, struct error *err)
{
	struct problems problems = {0};
	struct place root = place_root(call->order, &problems);
	struct arena arena = {0};
	struct provisioner its = {.id = call->operands[0], .token = call->errand.token, .host = provisioner_address(&arena)};
	int result;

	if (place_object(&root, NEED_REQUIRED)) {
		its.port = place_integer(&root, "port", -1, 1024, 65535);
		its.capacity = place_integer(&root, "capacityTotal", -1, 1, 100000);
		if (!name_is_valid(its.id))
			place_problem(&root, "the id \"%s\" is malformed", its.id);
		if (problems.total == 0 && (its.port < 0 || its.capacity < 0))
			place_problem(&root, "port and capacityTotal are required");
	}
	result = problems_error(&problems, "the provisioner", EX_DATAERR, err);
	problems_release(&problems);
	if (result == 0)
		result = provisioners_register(call->errand.store, &its, err);
	if (result == 0)
		result = provisioner_notify(call->errand.store, its.id, err);
	arena_release(&arena);
	return result;
}

/* Since when there was a server that could hear of provisioners; without one, since now. */
static int64_t
provisioner_since(void)
{
	const char *since = getenv("COOPR_SERVING_SINCE");

	return since ? strtoll(since, NULL, 10) : clock_boottime_ms();
}

static int
provisioner_hear(struct call *call, struct error *err)
{
	jv usage = json_get(call->order, "usage");
	struct buffer text = {0};
	int result;

	if (jv_get_kind(usage) == JV_KIND_OBJECT)
		json_dump(usage, &text);
	result = provisioners_hear(call->errand.store, call->errand.token, call->operands[0], text.length ? buffer_string(&text) : NULL, err);
	if (result == 0)
		result = provisioner_notify(call->errand.store, call->operands[0], err);
	if (result == 0)
		result = errand_sweep(&call->errand, provisioner_since(), err);
	buffer_release(&text);
	jv_free(usage);
	return result;
}

static int
provisioner_leave(struct call *call, struct error *err)
{
	if (provisioners_leave(call->errand.store, call->errand.token, call->operands[0], err) < 0)
		return -1;
	return errand_sweep(&call->errand, provisioner_since(), err);
}

static int
provisioner_describe(struct call *call, struct error *err)
{
	struct buffer text = {0};
	int result;

	if (strcmp(call->operands[0], "providertypes") != 0 && strcmp(call->operands[0], "automatortypes") != 0)
		return error_absent(err, "there are no plugins \"%s\"", call->operands[0]);
	if (jv_get_kind(call->order) != JV_KIND_OBJECT || !name_is_valid(call->operands[1]))
		return error_set(err, EX_DATAERR, "plugin %s: expected a name and its description, an object", call->operands[1]);
	json_dump(call->order, &text);
	result = provisioners_describe(call->errand.store, call->operands[0], call->operands[1], buffer_string(&text), err);
	buffer_release(&text);
	return result;
}

/* Makes an archive, whatever it was uploaded as, one that Coopr's provisioners unpack: a tar with gzip, of one folder of that name. */
static int
provisioner_pack(const char *name, struct buffer *bytes, struct error *err)
{
	struct bundle bundle = {0};
	struct buffer packed = {0};
	int result = tarball_read(bytes->data, bytes->length, name, &bundle, err);

	if (result == 0)
		result = tarball_write(&bundle, name, true, &packed, err);
	buffer_release(bytes);
	*bytes = packed;
	bundle_release(&bundle);
	return result;
}

/* Prints what a version of a resource contains, as long as it is the active one. */
static int
provisioner_fetch(struct call *call, struct error *err)
{
	struct arena arena = {0};
	struct buffer bytes = {0};
	struct resource_name name;
	struct resource resource;
	int result = provisioners_enter_tenant(call->errand.store, call->errand.token, call->operands[0], err);

	if (result == 0)
		result = named_parse(call->operands[1], 4, &arena, &name, err);
	if (result == 0)
		result = resources_find_active(call->errand.store, &name, &arena, &resource, err);
	if (result == 0 || (result > 0 && resource.name.version != strtoll(call->operands[2], NULL, 10)))
		result = error_absent(err, "resource %s: version %s is not the active one", call->operands[1], call->operands[2]);
	if (result > 0)
		result = content_read(resource.sum, &bytes, err);
	if (result == 0 && resource.is_archive)
		result = provisioner_pack(name.name, &bytes, err);
	if (result == 0)
		buffer_print(&bytes);
	buffer_release(&bytes);
	arena_release(&arena);
	return result;
}

/* Requests with the token of a provisioner. */
static const struct work {
	const char *name, *synopsis;
	size_t operands;
	bool reads;  /* an order */
	bool prints; /* what it has found, or nothing; else that it is done */
	int (*act)(struct call *call, struct error *err);
} works[] = {
	{"take", "<order", 0, true, true, provisioner_take},
	{"finish", "<result", 0, true, false, provisioner_finish},
	{"register", "PROVISIONER <description", 1, true, false, provisioner_register},
	{"heartbeat", "PROVISIONER <usage", 1, true, false, provisioner_hear},
	{"leave", "PROVISIONER", 1, false, false, provisioner_leave},
	{"describe", "KIND PLUGIN <description", 2, true, false, provisioner_describe},
	{"resource", "TENANT KIND/PLUGIN/TYPE/NAME VERSION", 3, false, true, provisioner_fetch},
	{0}};

/* Reads the order, and acts. */
static int
provisioner_work(const struct work *work, struct call *call, struct error *err)
{
	if (work->reads && json_read_file("-", &call->order, err) < 0)
		return -1;
	if (provisioner_open(&call->errand, err) < 0 || work->act(call, err) < 0)
		return -1;
	if (!work->prints)
		puts("{}");
	return 0;
}

static int
verb_work(int argc, char **argv)
{
	const struct work *work = works;
	struct call call = {.order = jv_null()};
	struct command its = {.synopsis = NULL};
	struct error err;
	size_t count = 0;
	int result;

	while (strcmp(work->name, argv[0]) != 0)
		work++;
	its = (struct command){memory_printf("provisioner %s", work->name), work->synopsis, "See coopr-provisioners(7).", options, ""};
	call.operands = argv + option_parse(&its, argc, argv);
	while (call.operands[count])
		count++;
	if (count != work->operands)
		return option_misuse(&its, "expected %zu operands, found %zu", work->operands, count);

	result = provisioner_work(work, &call, &err);
	queue_close(call.errand.queue);
	store_release(call.errand.store);
	jv_free(call.order);
	return message_end(result < 0 ? message_error(&err) : 0);
}

/* The server has this done from time to time, and nobody else. */
static int
verb_sweep(int argc, char **argv)
{
	static const struct command its = {"provisioner sweep", "", "Make the tasks of dead provisioners ready again.", options,
		"  provisioner sweep\n"};
	struct errand errand = {0};
	struct error err;
	int result = 0;

	argv += option_parse(&its, argc, argv);
	if (*argv)
		return option_misuse(&its, "unexpected argument '%s'", *argv);

	if (client_asker())
		result = error_set(&err, EX_NOPERM, "only the server sweeps");
	if (result == 0)
		result = store_open(&errand.store, NULL, STORE_WRITE, NULL, &err);
	if (result == 0 && !(errand.queue = queue_open(NULL, QUEUE_WRITE, &err)))
		result = -1;
	if (result == 0)
		result = errand_sweep(&errand, provisioner_since(), &err);
	queue_close(errand.queue);
	store_release(errand.store);
	return message_end(result < 0 ? message_error(&err) : 0);
}

/* Prints a whole answer, with status and type before it. */
static int
verb_list(int argc, char **argv)
{
	static const struct command its = {"provisioner list", "[PROVISIONER]", "List the provisioners.", options, "  provisioner list\n"};
	struct error err;
	jv found = jv_array();

	argv += option_parse(&its, argc, argv);
	if (argv[0] && argv[1])
		return option_misuse(&its, "unexpected argument '%s'", argv[1]);

	if (roster_find(argv[0], &found, &err) < 0) {
		printf("Status: %d\nContent-Type: text/plain\n\n%s\n", err.code == EX_NO ? 404 : err.code == EX_NOPERM ? 403 : 500, err.text);
	} else {
		jv one = argv[0] ? json_element(found, 0) : jv_copy(found);

		puts("Status: 200\nContent-Type: application/json\n");
		record_write(one, stdout);
		jv_free(one);
	}
	jv_free(found);
	return message_end(0);
}

/* Prints the descriptions to whoever is in the tenant: they are no secret. */
static int
verb_plugins(int argc, char **argv)
{
	static const struct command its = {"provisioner plugins", "providertypes|automatortypes", "Print what provisioners have said of their plugins.",
		options, "  provisioner plugins providertypes\n"};
	struct arguments documents = {0};
	struct account account;
	struct error err;
	int result;

	argv += option_parse(&its, argc, argv);
	if (!argv[0] || argv[1])
		return option_misuse(&its, "expected one kind");

	result = account_open(&account, &(struct account_ask){0}, STORE_READ, &err);
	if (result == 0)
		result = provisioners_descriptions(account.store, argv[0], &documents, &err);
	for (size_t i = 0; result == 0 && i < documents.count; i++)
		puts(documents.list[i]);
	account_release(&account);
	return message_end(result < 0 ? message_error(&err) : 0);
}

static const struct subcommand subcommands[] = {
	{"take", verb_work, "take a task"},
	{"finish", verb_work, "record its result"},
	{"register", verb_work, "register a provisioner"},
	{"heartbeat", verb_work, "record that it lives"},
	{"leave", verb_work, "record that it leaves"},
	{"describe", verb_work, "record what a plugin needs"},
	{"resource", verb_work, "get what a resource contains"},
	{"list", verb_list, "list the provisioners"},
	{"plugins", verb_plugins, "print what they have said of their plugins"},
	{"sweep", verb_sweep, "make the tasks of the dead ready again"},
	{0}};

int
main(int argc, char **argv)
{
	return subcommand_main(&command, subcommands, argc, argv);
}
