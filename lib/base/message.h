/* SPDX-License-Identifier: Apache-2.0
 *
 * What a command says to the person who runs it: on stderr, one line a fact, the
 * program's name first. The text is made printable, so that a hostile name in a document
 * cannot drive a terminal. With COOPR_MESSAGES=json in the environment each line is a record, coopr-output(7), for programs.
 */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdbool.h>

struct error;

/* Sets the name that stands before each message; kept, not copied. */
void message_program(const char *name);

/* Returns that name; borrowed. */
const char *message_program_name(void);

/* Prints "PROGRAM: TEXT" on stderr. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets a line with the time stand before the first message, if all output is appended to a file: the log of many runs. */
void message_begin_log(void);

/* Prints "PROGRAM: TEXT"; commands hand it to modules that have something to tell, but do not print. */
void message_notice(const char *text);

/* Drops from now on what message_notice tells and what is written to standard output: an option --quiet. */
void message_quiet(void);

/* Returns what a program has said in a line, without its name before it; that of a plugin, KIND/NAME, may be of any NAME: it may be called by others. */
const char *message_own_words(const char *name, const char *line);

/* Prints err's text; returns err's code, so that a command says: return message_error(&err). */
int message_error(const struct error *err);

/* Lets the reader of stdout go away when it has seen enough, as head(1) and grep -q do, which is then no trouble: what is printed
 * behind its back is lost without a word. For commands of which people read what they print; what a program takes must not be lost
 * so. Programs that are started later do not inherit this. */
void message_reader_may_leave(void);

/* Returns whether it may, and has left: stdout is a pipe or a socket that nobody reads any more. */
bool message_reader_left(void);

/* Flushes stdout, and remembers why that failed for message_end. Returns 0 or -1. */
int message_flush(void);

/* Flushes stdout. Returns code, or EX_IOERR with a message if anything written there was lost, unless its reader left and may. */
int message_end(int code);

#endif
