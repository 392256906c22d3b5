/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/change.h against a judge that looks at everything: random catalogues, random changes of them, and each time the
 * same is wrong.
 *
 * AFFECTED_SEED repeats a run; AFFECTED_CASES (default 1500) is how many changes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/change.h"
#include "store/entities.h"
#include "store/entity-input.h"
#include "store/store.h"
#include "tap.h"

enum { NAMES = 7 };

static char folder[] = "/tmp/coopr-affected-XXXXXX";
static struct store *store;
static struct error err;
static uint64_t state;

static uint64_t
random_below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void
fail(const char *what)
{
	printf("Bail out! %s: %s\n", what, err.text);
	exit(1);
}

/* Up to two of the names that begin so, as a JSON list; as objects with a name where wanted. */
static void
add_list(struct buffer *out, const char *member, const char *prefix, bool objects)
{
	uint64_t count = random_below(3), first = random_below(NAMES);

	buffer_printf(out, ",\"%s\":[", member);
	for (uint64_t i = 0; i < count; i++)
		buffer_printf(out, objects ? "%s{\"name\":\"%s%d\"}" : "%s\"%s%d\"", i ? "," : "", prefix,
		    (int)((first + i * 3) % NAMES));
	buffer_text(out, "]");
}

static void
service(struct buffer *out)
{
	buffer_text(out, ",\"dependencies\":{\"local\":[]");
	add_list(out, "provides", "alias", false);
	add_list(out, "conflicts", "service", false);
	buffer_text(out, ",\"install\":{\"local\":[]");
	add_list(out, "requires", random_below(2) ? "service" : "alias", false);
	buffer_text(out, "},\"runtime\":{\"local\":[]");
	add_list(out, "requires", random_below(2) ? "service" : "alias", false);
	buffer_text(out, "}}");
}

static void
template(struct buffer *out, bool partial)
{
	if (!partial && random_below(3) == 0)
		buffer_printf(out, ",\"extends\":{\"name\":\"template%d\"}", (int)random_below(NAMES));
	if (!partial)
		add_list(out, "includes", "partial", true);
	buffer_text(out, ",\"compatibility\":{\"imagetypes\":[]");
	add_list(out, "hardwaretypes", "hardware", false);
	add_list(out, "services", "service", false);
	buffer_printf(out, "},\"defaults\":{\"config\":{\"x\":\"%%ip.service.service%d%%\"},\"hardwaretype\":\"hardware%d\","
	    "\"provider\":\"provider%d\"", (int)random_below(NAMES), (int)random_below(NAMES), (int)random_below(2));
	add_list(out, "services", "service", false);
	buffer_text(out, "}");
}

/* Its text, which the caller releases. */
static struct buffer
document(enum entity_kind kind, const char *name)
{
	struct buffer out = {0};

	buffer_printf(&out, "{\"name\":\"%s\"", name);
	if (kind == ENTITY_PROVIDER)
		buffer_text(&out, ",\"providertype\":\"dummy\"");
	else if (kind == ENTITY_HARDWARETYPE)
		buffer_printf(&out, ",\"providermap\":{\"provider%d\":{\"flavor\":\"x\"}}", (int)random_below(2));
	else if (kind == ENTITY_SERVICE)
		service(&out);
	else
		template(&out, kind == ENTITY_PARTIALTEMPLATE);
	buffer_text(&out, "}");
	return out;
}

/* Puts or deletes one at random. */
static void
alter(struct change *change)
{
	static const struct {
		enum entity_kind kind;
		const char *prefix;
	} kinds[] = {{ENTITY_PROVIDER, "provider"}, {ENTITY_HARDWARETYPE, "hardware"}, {ENTITY_SERVICE, "service"},
		{ENTITY_SERVICE, "service"}, {ENTITY_CLUSTERTEMPLATE, "template"}, {ENTITY_PARTIALTEMPLATE, "partial"}};
	size_t which = random_below(sizeof kinds / sizeof *kinds);
	char name[32];
	struct buffer text;
	int64_t version;
	jv value;

	snprintf(name, sizeof name, "%s%d", kinds[which].prefix, (int)random_below(NAMES));
	if (random_below(4) == 0) {
		if (change_delete(change, kinds[which].kind, name, VERSION_ANY, &err) < 0 && err.code != EX_NO)
			fail("delete");
		return;
	}
	text = document(kinds[which].kind, name);
	if (json_parse(name, text.data, text.length, &value, &err) < 0 ||
	    change_put(change, &(struct input_entity){.kind = kinds[which].kind, .name = name, .source = name, .document = value},
	    VERSION_ANY, &version, &err) < 0)
		fail("put");
	jv_free(value);
	buffer_release(&text);
}

static void
look_at_all(struct catalogue *catalogue, struct findings *findings)
{
	if (entities_catalogue(store, catalogue, findings, &err) < 0)
		fail("gather");
	catalogue_check(catalogue, findings);
}

/* Which name is the nearest to one that is wrong may change with others. */
static bool
has(const struct findings *findings, const struct finding *one)
{
	const char *near = strstr(one->text, "; did you mean");
	size_t length = near ? (size_t)(near - one->text) : strlen(one->text);

	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].file, one->file) == 0 && strcmp(findings->list[i].pointer, one->pointer) == 0 &&
		    strncmp(findings->list[i].text, one->text, length) == 0)
			return true;
	return false;
}

/* How many faults there are in now that before does not have. */
static size_t
new_faults(const struct findings *before, const struct findings *now)
{
	size_t count = 0;

	for (size_t i = 0; i < now->count; i++)
		count += now->list[i].severity < SEVERITY_SUSPECT && !has(before, &now->list[i]);
	return count;
}

/* One change, kept where it is right, and now and then all the same. Returns whether it was refused, -1 where the judge says
 * otherwise. */
static int
one_change(void)
{
	struct catalogue old, new;
	struct findings before = {0}, after = {0};
	struct change change;
	int result;

	look_at_all(&old, &before);
	if (change_begin(&change, store, &err) < 0)
		fail("begin");
	for (uint64_t i = 0; i <= random_below(2); i++)
		alter(&change);
	look_at_all(&new, &after);
	if (change_check(&change, &err) < 0)
		fail("check");
	result = new_faults(&before, &after) == change.faults.count ? change.faults.count > 0 : -1;
	if ((result == 0 || random_below(12) == 0) && change_commit(&change, &err) < 0)
		fail("commit");
	change_release(&change);
	findings_release(&before);
	findings_release(&after);
	catalogue_release(&old);
	catalogue_release(&new);
	return result;
}

int
main(void)
{
	const char *seed = getenv("AFFECTED_SEED"), *cases = getenv("AFFECTED_CASES");
	long count = cases ? strtol(cases, NULL, 10) : 1500, refused = 0, wrong = 0;

	state = seed ? strtoull(seed, NULL, 10) : 20261121;
	printf("# AFFECTED_SEED=%llu\n", (unsigned long long)state);
	if (!mkdtemp(folder) || chdir(folder) < 0 || store_open(&store, "store", STORE_CREATE, "default", &err) < 0)
		fail(folder);
	store_set_by(store, "judge");
	for (long i = 0; i < count; i++) {
		int result = one_change();

		refused += result > 0;
		wrong += result < 0;
	}
	store_release(store);
	tap_is_number(wrong, 0, "a change is refused for what a look at everything says it makes wrong, and for nothing else");
	tap_ok(refused > count / 20 && refused < count * 19 / 20, "many are refused, and many are not (%ld of %ld)", refused, count);
	if (unlink("store") < 0 || unlink("store.lock") < 0 || unlink("store-wal") < 0 || unlink("store-shm") < 0 || rmdir(folder) < 0)
		perror(folder);
	return tap_end();
}
