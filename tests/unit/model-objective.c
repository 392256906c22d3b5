/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of objectives: the JSON Schema of templates and coopr-catalogue(5) say the same as it does, and values are
 * listed by name. Files are looked for below the current directory, which is the source tree.
 */
#include "model/objective.h"

#include <fcntl.h>
#include <math.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "tap.h"

static void
test_file_holds(const char *path, const struct buffer *text)
{
	struct buffer file = {0};
	struct error err = {0};

	if (file_read(AT_FDCWD, path, 1 << 20, &file, &err) < 0)
		tap_ok(false, "%s: %s", path, err.text);
	else if (!tap_ok(strstr(file.data, text->data), "%s names the objectives of the table, and no other", path))
		printf("#   expected: %s\n", text->data);
	buffer_release(&file);
}

static void
test_schema(void)
{
	struct buffer list = {0};

	buffer_text(&list, "{\"enum\": [");
	for (enum objective i = 0; i < OBJECTIVE_COUNT; i++)
		buffer_printf(&list, "%s\"%s\"", i ? ", " : "", objective_name(i));
	buffer_text(&list, "]}");
	test_file_holds("share/coopr/schema/clustertemplate.json", &list);
	buffer_release(&list);
}

static void
test_page(void)
{
	struct buffer list = {0};

	buffer_text(&list, ".Bl -tag -width machines -compact\n");
	for (enum objective i = 0; i < OBJECTIVE_COUNT; i++)
		buffer_printf(&list, ".It Cm %s\n%s\n", objective_name(i), objective_row(i)->minimised);
	buffer_text(&list, ".El\n");
	test_file_holds("man/man5/coopr-catalogue.5", &list);
	buffer_release(&list);
}

static void
test_names(void)
{
	struct buffer bounding = {0};

	for (enum objective i = 0; i < OBJECTIVE_COUNT; i++)
		tap_is_number(objective_find(objective_name(i)), i, "%s is found by its name", objective_name(i));
	tap_is_number(objective_find("speed"), OBJECTIVE_COUNT, "what is no objective is not found");
	objective_enumerate(true, "'", &bounding);
	tap_is_text(bounding.data, "'cost' or 'machines'", "those that bound the number of machines are listed");
	buffer_release(&bounding);
}

/* Values that fall with the number of the objective: those of every subset come sorted by name, each with its value. */
static void
test_amounts(void)
{
	bool sorted = true, right = true;

	for (unsigned set = 0; set < 1U << OBJECTIVE_COUNT; set++) {
		double values[OBJECTIVE_COUNT];
		struct arena arena = {0};
		struct amounts amounts;

		for (enum objective i = 0; i < OBJECTIVE_COUNT; i++) {
			values[i] = 10 - i;
			if (!(set >> i & 1))
				values[i] = NAN;
		}
		amounts = objective_amounts(values, &arena);
		right = right && amounts.count == (size_t)__builtin_popcount(set);
		for (size_t i = 0; i < amounts.count; i++) {
			enum objective objective = objective_find(amounts.list[i].resource);

			right = right && (set >> objective & 1) && amounts.list[i].value == values[objective];
			sorted = sorted && (!i || strcmp(amounts.list[i - 1].resource, amounts.list[i].resource) < 0);
		}
		arena_release(&arena);
	}
	tap_ok(sorted, "values are listed by name");
	tap_ok(right, "each value that there is is listed, and no other");
}

int
main(void)
{
	test_schema();
	test_page();
	test_names();
	test_amounts();
	return tap_end();
}
