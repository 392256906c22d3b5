/* SPDX-License-Identifier: Apache-2.0 */
#include "model/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json.h"
#include "model/facts.h"
#include "model/macro.h"
#include "model/node.h"
#include "model/print.h"

int
setting_add(struct setting *setting, const char *record, size_t length, struct error *err)
{
	ARRAY_ROOM(setting->nodes, setting->count, setting->capacity);
	if (facts_read(record, length, &setting->arena, &setting->nodes[setting->count], err) < 0)
		return -1;
	setting->count++;
	return 0;
}

static int
compare_numbers(const void *a, const void *b)
{
	int64_t x = ((const struct macro_node *)a)->nodenum, y = ((const struct macro_node *)b)->nodenum;

	return (x > y) - (x < y);
}

static struct macro_node *
sorted_nodes(const struct setting *setting)
{
	struct macro_node *nodes = memory_zeroed(setting->count, sizeof *nodes);

	for (size_t i = 0; i < setting->count; i++)
		nodes[i] = macro_node_of(&setting->nodes[i]);
	if (setting->count)
		qsort(nodes, setting->count, sizeof *nodes, compare_numbers);
	return nodes;
}

static void
print_unexpanded(const struct problems *problems, struct buffer *out)
{
	buffer_byte(out, '[');
	for (size_t i = 0; i < problems->count; i++) {
		buffer_text(out, i ? ",{\"pointer\":" : "{\"pointer\":");
		json_quote(problems->list[i].pointer, out);
		buffer_text(out, ",\"text\":");
		json_quote(problems->list[i].text, out);
		buffer_byte(out, '}');
	}
	buffer_byte(out, ']');
}

static void
print_member(struct print *print, const char *name, jv cluster)
{
	jv value = json_get(cluster, name);

	print_value(print, name, value);
	jv_free(value);
}

static void
print_cluster(jv cluster, const struct macro_context *context, struct buffer *out)
{
	jv config = json_get(cluster, "config"), expanded;
	struct problems problems = {0};
	struct print print;

	if (jv_get_kind(config) != JV_KIND_OBJECT) {
		jv_free(config);
		config = jv_object();
	}
	expanded = macro_expand(config, context, &problems);
	print_begin(&print, (jv){0}, out);
	print_member(&print, "catalogue", cluster);
	print_value(&print, "config", expanded);
	print_member(&print, "id", cluster);
	print_member(&print, "name", cluster);
	print_member(&print, "provider", cluster);
	print_member(&print, "tenant", cluster);
	print_name(&print, "unexpanded");
	print_unexpanded(&problems, out);
	print_close(&print);
	problems_release(&problems);
	jv_free(expanded);
	jv_free(config);
}

int
setting_print(struct setting *setting, const char *text, size_t length, const char *self_text, size_t self_length,
    struct buffer *out, struct error *err)
{
	struct arena arena = {0};
	struct macro_context context = {.node_count = setting->count};
	struct macro_node *nodes, self_node;
	struct node self = {0};
	char *owner;
	jv cluster;

	if (json_parse("cluster record", text, length, &cluster, err) < 0)
		return -1;
	if (self_text && facts_read(self_text, self_length, &arena, &self, err) < 0) {
		jv_free(cluster);
		return -1;
	}
	context.nodes = nodes = sorted_nodes(setting);
	context.owner = owner = json_get_string(cluster, "owner");
	self_node = macro_node_of(&self);
	context.self = self_text ? &self_node : NULL;
	print_cluster(cluster, &context, out);
	jv_free(cluster);
	if (self_text)
		jv_free(self.source);
	free(owner);
	free(nodes);
	arena_release(&arena);
	return 0;
}

void
setting_release(struct setting *setting)
{
	for (size_t i = 0; i < setting->count; i++)
		jv_free(setting->nodes[i].source);
	free(setting->nodes);
	arena_release(&setting->arena);
	*setting = (struct setting){0};
}
