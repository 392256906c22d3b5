/* SPDX-License-Identifier: Apache-2.0
 *
 * Why something failed: one sentence for a person, one exit code for a script.
 * A function below the commands fills a struct error and returns -1; the command
 * prints it once (message_error) and exits with its code.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <sysexits.h>

enum { EX_NO = 1 }; /* a true "no": unsatisfiable, empty, not found, differs */

struct error {
	int code;        /* EX_NO or one of sysexits.h */
	char text[2048]; /* "OBJECT: reason; way out", no newline, cut with "..." */
	bool absent;     /* there is nothing of the name that was given */
	bool too_large;  /* what was given has more bytes than are taken */
	bool passing;    /* what is in the way is about to go */
	bool outdated;   /* it was planned from what others have changed meanwhile; a new plan may be carried out */
	const char *option; /* the long name of the option that is the way out, without dashes; NULL: none is */
	size_t reason;      /* where option is not NULL: the bytes of the text before that way out */
};

/* Fills err. Always returns -1. */
int error_set(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does the same with EX_NO, where there is nothing of the name that was given. */
int error_absent(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Does the same with EX_TEMPFAIL, where a plan is of a state that is over. */
int error_outdated(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the way out: how the option, which lives for ever, lets the same be done. Always returns -1. */
int error_way_out(struct error *err, const char *option, const char *text);

/* Does the same as error_set with EX_DATAERR, where what was given, which is called name, has more bytes than limit. */
int error_too_large(struct error *err, const char *name, size_t limit);

/* Does the same, with ": " and the text of errno behind it; where a file system is full also "; make room on", with its folder where
 * the text begins with an absolute path. Leaves errno as it was. */
int error_errno(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills err after read(2) has failed, with errno: EX_NOINPUT if there is nothing to read (a folder, a closed descriptor),
 * else EX_IOERR. Always returns -1. */
int error_read(struct error *err, const char *name);

/* Puts "WHAT: " before the text err already has, unless that begins with it. Always returns -1. */
int error_prefix(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
