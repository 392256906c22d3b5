/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/words.h"

#include <string.h>

#include "admin/command-table.h"

/* Returns how the value of an option is used. */
static enum word_use
words_use_of(const struct command_option *option)
{
	static const char *const foreign[] = {"catalogue", "key-file", "server", "spool", "specs", "store"};

	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (strcmp(option->name, foreign[i]) == 0)
			return WORD_FOREIGN;
	if (!option->kind)
		return WORD_PLAIN;
	if (strcmp(option->name, "save") == 0)
		return WORD_OUTPUT;
	if (strcmp(option->kind, "DIR") == 0)
		return WORD_FOREIGN;
	return strcmp(option->kind, "FILE") == 0 || strcmp(option->name, "secret") == 0 ? WORD_INPUT : WORD_PLAIN;
}

/* Returns the option that "--name" means, of which length characters are given: the whole name, or its beginning. */
static const struct command_option *
words_long_option(const struct command_table *table, const char *name, size_t length)
{
	const struct command_option *found = NULL;

	for (size_t i = 0; i < table->option_count; i++) {
		const struct command_option *option = &table->options[i];

		if (strncmp(option->name, name, length) != 0)
			continue;
		if (!option->name[length])
			return option;
		if (!found || words_use_of(found) == WORD_PLAIN)
			found = option;
	}
	return found;
}

/* Fills in the word of an option whose value begins in the argument, or is the next. Returns false where it has none. */
static bool
words_take_value(struct words *words, const struct command_option *option, const char *behind, struct word *word)
{
	bool joined = behind != NULL;

	if (!option || !option->kind || (!joined && (option->optional || !words->argv[words->next])))
		return false;
	*word = (struct word){.option = option, .value = joined ? behind : words->argv[words->next], .use = words_use_of(option)};
	if (word->use == WORD_OUTPUT && strcmp(word->value, "-") == 0)
		word->use = WORD_PLAIN;
	word->index = joined ? words->next - 1 : words->next++;
	if (strcmp(option->name, "secret") == 0) {
		const char *equals = strchr(word->value, '=');

		word->value = equals ? equals + 1 : "-";
	}
	return true;
}

/* Reads "--name", "--name=value", and what is behind it. */
static bool
words_take_long(struct words *words, const char *name, struct word *word)
{
	size_t length = strcspn(name, "=");

	return words_take_value(words, words_long_option(words->table, name, length), name[length] ? name + length + 1 : NULL, word);
}

/* Reads the letters of "-abc VALUE" up to one that has a value. */
static bool
words_take_letters(struct words *words, const char *letters, struct word *word)
{
	for (; *letters; letters++) {
		const struct command_option *option = command_table_option(words->table, (const char[]){'-', *letters, '\0'});

		if (option && option->kind)
			return words_take_value(words, option, letters[1] ? letters + 1 : NULL, word);
	}
	return false;
}

static void
words_take_operand(struct words *words, const char *text, struct word *word)
{
	const struct command_table *table = words->table;
	size_t at = words->operands++;
	const struct command_operand *operand = at < table->operand_count ? &table->operands[at]
	    : table->operand_count && table->operands[table->operand_count - 1].repeats ? &table->operands[table->operand_count - 1] : NULL;
	enum word_use use = strcmp(text, "-") == 0 ? WORD_INPUT : WORD_PLAIN;

	if (operand && strcmp(operand->kind, "FILE") == 0)
		use = WORD_INPUT;
	else if (operand && strcmp(operand->kind, "DIR") == 0)
		use = WORD_FOREIGN;
	*word = (struct word){.index = words->next - 1, .value = text, .use = use};
	if (words->operands >= words->operand_max)
		words->all_operands = true;
}

bool
words_next(struct words *words, struct word *word)
{
	const char *text;

	while ((text = words->argv[words->next])) {
		words->next++;
		if (words->all_operands || *text != '-' || !text[1]) {
			words_take_operand(words, text, word);
			return true;
		}
		if (strcmp(text, "--") == 0)
			words->all_operands = true;
		else if (text[1] == '-' ? words_take_long(words, text + 2, word) : words_take_letters(words, text + 1, word))
			return true;
	}
	return false;
}

bool
words_read_input(const struct command_table *table, char *const *argv, size_t operand_max)
{
	struct words words = {.table = table, .argv = argv, .operand_max = operand_max};
	struct word word;

	while (words_next(&words, &word))
		if (word.use == WORD_INPUT && strcmp(word.value, "-") == 0)
			return true;
	for (size_t i = words.operands; i < table->operand_count; i++)
		if (strcmp(table->operands[i].kind, "FILE") == 0)
			return true;
	return false;
}
