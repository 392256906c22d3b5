/* SPDX-License-Identifier: Apache-2.0
 *
 * What can stand at the cursor of a command line, for the scripts in share/coopr/completions. The commands themselves are asked
 * for their tables of options (--complete-options), so that no option is written down twice.
 */
#ifndef ADMIN_COMPLETION_H
#define ADMIN_COMPLETION_H

struct arguments;
struct error;

/* Prints what can stand in place of the last of words, which may be empty; the first is the program, NULL ends them.
 * bash splits "--output=json" at the "="; that is understood, too.
 *
 * The first line says what it is: "words" or "list" (words with commas between); then each further line is such a word
 * as a whole, a tab, and what it means, which may be nothing. "files" or "folders": the shell knows them. "nothing":
 * nothing can, or it is not known. */
void completion_print_line(char *const *words);

/* Pushes the words that something of this kind can be here and now: names of clusters, of templates, ... None for a kind that
 * it does not know. */
void completion_words(const char *kind, struct arguments *out);

/* Pushes what names nodes of a cluster, each behind before: numbers and "@SERVICE", host names if word begins like one. */
void completion_nodes(const char *cluster, const char *before, const char *word, struct arguments *out);

/* Prints the script for a shell. EX_USAGE if there is none for it. */
int completion_print_script(const char *shell, struct error *err);

#endif
