/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a secret: from a file or a pipe, or from a person, whose terminal does not show it.
 */
#ifndef OPERATION_SECRET_INPUT_H
#define OPERATION_SECRET_INPUT_H

#include <stdbool.h>

#include <jv.h>

struct error;
struct secret_value;

/* Reads a value of at most SECRET_BYTES from path ("-": standard input) into locked memory. raw: with the newline at its
 * end, if there is one. A person is asked for what it is: "password". EX_DATAERR where it is empty, too long, or no text that JSON can hold. */
int secret_input(const char *path, bool raw, const char *what, struct secret_value *value, struct error *err);

/* Reads secrets as one line from path ("-": standard input, of which nothing behind the line is read): an object of names and texts, which the
 * caller frees. */
int secret_input_line(const char *path, jv *object, struct error *err);

/* Makes a value of a text, as secret_input does; name is of what it is. */
int secret_input_text(const char *name, const char *text, struct secret_value *value, struct error *err);

#endif
