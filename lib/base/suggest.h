/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean ...?": which of some words somebody meant who has mistyped one.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

struct error;

/* Returns the word of list, which ends with NULL, that is nearest to word in spelling; NULL if none is near. */
const char *suggest_word(const char *word, const char *const *list);

/* Returns the command of list that does what the word of another tool does, such as "get" or "rollout undo" of kubectl; NULL if there
 * is none. */
const char *suggest_synonym(const char *word, const char *const *list);

/* Does the same as suggest_word for a command. A word that other tools have for it, as "get" of kubectl, counts as nearest; the result may be
 * followed by an option, "status --wait". */
const char *suggest_command(const char *word, const char *const *list);

/* Appends "; did you mean X?" to the text of err, if a word of list is near. Always returns -1. */
int suggest_in_error(struct error *err, const char *word, const char *const *list);

/* Does the same; where no word is near, or list is NULL, appends "; REMEDY", which names the command that lists them. */
int suggest_or_say(struct error *err, const char *word, const char *const *list, const char *remedy);

/* Does the same; where no word is near, appends the first words of list: "; there are A, B, ...". */
int suggest_or_name(struct error *err, const char *word, const char *const *list);

#endif
