/* SPDX-License-Identifier: Apache-2.0
 *
 * What the API answers where it cannot do what is asked: RFC 9457, application/problem+json. An exit code of a command is one status.
 */
#ifndef WEB_PROBLEM_H
#define WEB_PROBLEM_H

#include <stdbool.h>

struct buffer;
struct error;
struct http_exchange;
struct problems;

/* Answers with a status and a sentence; NULL: what the status is called. */
void problem_answer(struct http_exchange *exchange, int status, const char *detail);

/* Answers 422 with all that is wrong with the body and the query. */
void problem_answer_all(struct http_exchange *exchange, const struct problems *problems);

/* Answers with the reason why something cannot be shown. */
void problem_answer_error(struct http_exchange *exchange, const struct error *err);

/* Answers with what a command has said on stderr, which exited with that code. looks: it was to show something. */
void problem_answer_exit(struct http_exchange *exchange, int code, bool looks, const struct buffer *said);

/* Does the same with another status than that of the code. */
void problem_answer_status(struct http_exchange *exchange, int status, int code, const struct buffer *said);

/* Makes the problem that an exchange is answered with a text, as Cask's Coopr says it; another answer stays. */
void problem_make_text(struct http_exchange *exchange);

#endif
