/* SPDX-License-Identifier: Apache-2.0
 *
 * How the answers of a listener are sent. For http/listener.c; nobody else needs it.
 */
#ifndef HTTP_LISTENER_ANSWER_H
#define HTTP_LISTENER_ANSWER_H

#include <microhttpd.h>

struct http_exchange;

/* Hands the answer over to the library; its body is the exchange's until the connection has sent it. */
enum MHD_Result listener_send(struct http_exchange *exchange);

#endif
