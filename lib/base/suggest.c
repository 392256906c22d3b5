/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { WORDS_NAMED = 10 };

/* Returns how many insertions, deletions, changes and swaps of neighbours lead from a to b. */
static size_t
suggest_distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1, result;
	size_t *rows = memory_zeroed(3 * width, sizeof *rows);
	size_t *before = rows, *last = rows + width, *row = rows + 2 * width;

	for (size_t j = 0; j < width; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j < width; j++) {
			row[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (last[j] + 1 < row[j])
				row[j] = last[j] + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = spare;
	}
	result = last[width - 1];
	free(rows);
	return result;
}

const char *
suggest_word(const char *word, const char *const *list)
{
	size_t length = strlen(word), best = SIZE_MAX, most = length < 5 ? 1 : 1 + length / 4; /* half of a short word is another word */
	const char *nearest = NULL;

	if (length > 64)
		return NULL;
	for (; *list; list++) {
		size_t distance = suggest_distance(word, *list);

		if (length >= 2 && strncmp(word, *list, length) == 0)
			distance = 1;
		if (distance <= most && distance < strlen(*list) && distance < best) {
			best = distance;
			nearest = *list;
		}
	}
	return nearest;
}

/* Commands of kubectl, terraform, docker, git and ConPaaS, also of two words, and ours. A word that is ours in one list is not asked
 * for there. */
static const struct {
	const char *word, *ours[3];
} synonyms[] = {
	{"add_nodes", {"scale", "expand"}}, {"attach", {"ssh"}}, {"autoscale", {"scale"}}, {"bootstrap", {"create"}},
	{"build", {"create"}}, {"cancel", {"abort", "cancel"}}, {"console", {"ssh"}}, {"cordon", {"shrink --node"}},
	{"cp", {"ssh-config"}}, {"deploy", {"create"}}, {"describe", {"show"}}, {"destroy", {"delete"}},
	{"diff", {"apply --dry-run"}}, {"down", {"delete"}}, {"drain", {"replace"}}, {"edit", {"config"}},
	{"get", {"list", "show", "ls"}}, {"graph", {"show -o dot"}}, {"halt", {"stop"}}, {"info", {"show"}},
	{"init", {"store init"}}, {"inspect", {"show"}}, {"jobs", {"queue ls"}}, {"kill", {"abort", "cancel"}},
	{"launch", {"create"}}, {"lint", {"validate"}}, {"list", {"ls"}}, {"login", {"ssh"}}, {"logs", {"log"}}, {"ls", {"list"}},
	{"modify", {"config"}}, {"new", {"create", "put"}}, {"nodes", {"show"}}, {"output", {"show"}}, {"patch", {"config"}},
	{"ping", {"status --probe"}}, {"provision", {"create"}}, {"ps", {"list", "ls"}}, {"reboot", {"restart"}},
	{"refresh", {"reconcile"}}, {"reload", {"restart"}}, {"remove_nodes", {"scale", "shrink"}}, {"resize", {"scale", "expand"}},
	{"revert", {"rollback"}}, {"rm", {"delete"}}, {"rollout", {"upgrade"}}, {"rollout history", {"history"}},
	{"rollout pause", {"pause"}}, {"rollout restart", {"restart"}}, {"rollout resume", {"resume"}},
	{"rollout status", {"status"}}, {"rollout undo", {"rollback"}}, {"rsync", {"ssh-config"}}, {"scale", {"expand"}},
	{"scp", {"ssh-config"}}, {"search", {"help -k"}}, {"set", {"config", "put"}}, {"shell", {"ssh"}}, {"state", {"show"}},
	{"stats", {"usage"}}, {"suspend", {"pause"}}, {"tail", {"log"}}, {"taint", {"replace"}}, {"terminate", {"delete"}},
	{"top", {"status --probe"}}, {"undo", {"rollback"}}, {"up", {"create"}}, {"update", {"upgrade", "change", "put"}},
	{"wait", {"status --wait"}}, {"watch", {"status -w"}}, {"workspace", {"tenant"}},
};

static bool
suggest_has(const char *command, const char *const *list)
{
	size_t length = strcspn(command, " ");

	for (; *list; list++)
		if (strlen(*list) == length && strncmp(*list, command, length) == 0)
			return true;
	return false;
}

const char *
suggest_synonym(const char *word, const char *const *list)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
		const char *const *ours = synonyms[i].ours;

		for (size_t j = 0; strcmp(word, synonyms[i].word) == 0 && j < sizeof synonyms[i].ours / sizeof *ours && ours[j]; j++)
			if (suggest_has(ours[j], list))
				return ours[j];
	}
	return NULL;
}

const char *
suggest_command(const char *word, const char *const *list)
{
	const char *ours = suggest_synonym(word, list);

	return ours ? ours : suggest_word(word, list);
}

int
suggest_in_error(struct error *err, const char *word, const char *const *list)
{
	const char *near = suggest_word(word, list);
	size_t length = strlen(err->text);

	if (near)
		snprintf(err->text + length, sizeof err->text - length, "; did you mean %s?", near);
	return -1;
}

/* Appends to the text; what does not fit is cut. */
static void
suggest_append(struct error *err, const char *before, const char *text)
{
	size_t length = strlen(err->text);

	snprintf(err->text + length, sizeof err->text - length, "%s%s", before, text);
}

int
suggest_or_say(struct error *err, const char *word, const char *const *list, const char *remedy)
{
	if (list && suggest_word(word, list))
		return suggest_in_error(err, word, list);
	suggest_append(err, "; ", remedy);
	return -1;
}

int
suggest_or_name(struct error *err, const char *word, const char *const *list)
{
	size_t count = 0;

	if (!list || suggest_word(word, list))
		return list ? suggest_in_error(err, word, list) : -1;
	for (; list[count] && count < WORDS_NAMED; count++)
		suggest_append(err, count > 0 ? ", " : list[1] ? "; there are " : "; there is only ", list[count]);
	if (list[count])
		suggest_append(err, ", ", "...");
	return -1;
}
