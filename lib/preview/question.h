/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the person at the terminal. The question goes to stderr and the answer comes from stdin, so that standard output
 * stays for data and a script is never asked.
 */
#ifndef PREVIEW_QUESTION_H
#define PREVIEW_QUESTION_H

#include <stdbool.h>

struct error;

/* Returns whether somebody can be asked: stdin and stderr are terminals, the command is not in the background, and the
 * environment does not say CI. */
bool question_possible(void);

/* Asks "QUESTION [y/N] ". Returns 1 for y or yes; 0 for any other answer and for the end of the input; -1 with 128 + the
 * signal where it was interrupted. */
int question_ask(const char *question, struct error *err);

/* Asks "QUESTION ". Returns 1 where exactly the word is typed, else as question_ask. */
int question_ask_word(const char *question, const char *word, struct error *err);

#endif
