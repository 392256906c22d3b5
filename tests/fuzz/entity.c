/* SPDX-License-Identifier: Apache-2.0
 *
 * The parsers of the catalogue's entities, each over the same document: whatever it is, they come back, and
 * every problem has a place.
 */
#include "base/memory.h"
#include "fuzz.h"
#include "model/entity.h"

union entity_struct {
	struct service service;
	struct hardwaretype hardwaretype;
	struct imagetype imagetype;
	struct provider provider;
	struct cluster_template template;
	struct tenant tenant;
};

enum { PARSERS = 6 };

/* Parses with one of the parsers; each struct holds a reference to its source, which is released. */
static void
parse_with(int parser, const struct place *root, struct arena *arena)
{
	union entity_struct entity = {0};

	switch (parser) {
	case 0:
		service_parse(root, arena, &entity.service);
		jv_free(entity.service.source);
		break;
	case 1:
		hardwaretype_parse(root, arena, &entity.hardwaretype);
		jv_free(entity.hardwaretype.source);
		break;
	case 2:
		imagetype_parse(root, arena, &entity.imagetype);
		jv_free(entity.imagetype.source);
		break;
	case 3:
		provider_parse(root, arena, &entity.provider);
		jv_free(entity.provider.source);
		break;
	case 4:
		cluster_template_parse(root, arena, &entity.template);
		jv_free(entity.template.source);
		break;
	default:
		tenant_parse(root, arena, &entity.tenant);
		jv_free(entity.tenant.source);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jv document = fuzz_value(data, size);

	for (int parser = 0; jv_is_valid(document) && parser < PARSERS; parser++) {
		struct problems problems = {0};
		struct arena arena = {0};
		struct place root = place_root(document, &problems);

		parse_with(parser, &root, &arena);
		for (size_t i = 0; i < problems.count; i++)
			fuzz_promise(problems.list[i].pointer && *problems.list[i].text, "a problem has place and text");
		problems_release(&problems);
		arena_release(&arena);
	}
	jv_free(document);
	return 0;
}
