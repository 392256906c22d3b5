/* SPDX-License-Identifier: Apache-2.0
 *
 * The page for browsers: the files of share/coopr/www, and the schemas of share/coopr/schema, of which the page makes forms. They are the
 * same for everybody, so nobody is asked who it is.
 */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

struct http_exchange;
struct route_match;

/* Answers a request for "/", a file of the page or a schema. A name of anything else is answered with 404. */
void page_answer(const struct route_match *match, struct http_exchange *exchange);

#endif
