/* SPDX-License-Identifier: Apache-2.0 */
#include "web/session.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "event/supervise.h"
#include "http/exchange.h"
#include "json/dump.h"
#include "json/json.h"
#include "login/entrance.h"
#include "web/answer.h"
#include "web/asker.h"
#include "web/problem.h"
#include "web/route.h"

bool
session_is_answer(const struct route *route)
{
	return route->answer == ROUTE_SESSION || route->answer == ROUTE_SESSION_BEGUN ||
	    route->answer == ROUTE_SESSION_PROVIDER || route->answer == ROUTE_SESSION_ENDED;
}

void
session_order_end(const struct asker *asker, struct buffer *order)
{
	jv record = jv_object();

	json_set_string(&record, "session", asker->session ? asker->session : asker->bearer ? asker->bearer : "");
	json_dump(record, order);
	jv_free(record);
}

/* Sets the cookie, for so many seconds; 0: it is removed. */
static void
session_set_cookie(struct http_exchange *exchange, const char *session, int64_t lasts_s)
{
	char *cookie = memory_printf("%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%lld%s", exchange->is_encrypted ? ASKER_COOKIE_TLS : ASKER_COOKIE,
	    session, (long long)lasts_s, exchange->is_encrypted ? "; Secure" : "");

	http_field_add(exchange, &exchange->answer.headers, "Set-Cookie", cookie);
	free(cookie);
}

/* Answers with the record, and what is to be shown besides the session. */
static void
session_send(struct http_exchange *exchange, jv record, const char *session)
{
	char csrf[ASKER_CSRF_SIZE];
	jv body = jv_copy(record);

	if (session)
		json_set_string(&body, "csrf", asker_csrf(session, csrf));
	json_dump(body, &exchange->answer.body);
	buffer_byte(&exchange->answer.body, '\n');
	exchange->answer.status = 200;
	exchange->answer.type = "application/json";
	http_field_add(exchange, &exchange->answer.headers, "Cache-Control", "no-store");
	jv_free(body);
}

/* Answers that nobody is logged in, and when that may be tried again. */
static void
session_refuse(const struct route *route, struct http_exchange *exchange, const struct child *child, int code, jv record)
{
	double wait_s = json_get_number(record, "wait_s", 0);
	char *wait = memory_printf("%.0f", wait_s);

	problem_answer_status(exchange, code == EX_NOPERM && route->answer == ROUTE_SESSION_BEGUN ? 401 : wait_s > 0 ? 429 : 0, code, &child->err);
	if (wait_s > 0)
		http_field_add(exchange, &exchange->answer.headers, "Retry-After", wait);
	free(wait);
}

void
session_answer(const struct route *route, struct http_exchange *exchange, const struct child *child, const char *session)
{
	int code = process_exit_code(child->wait_status);
	struct error ignored; /* then there is no record */
	char *begun;
	jv record;

	if (json_parse("the answer", buffer_string(&child->out), child->out.length, &record, &ignored) < 0)
		record = jv_object();
	if (child->timed_out) {
		problem_answer(exchange, 504, "that has taken too long");
	} else if (code != 0) {
		session_refuse(route, exchange, child, code, record);
	} else if (route->answer == ROUTE_SESSION_BEGUN) {
		begun = json_get_string(record, "session");
		session_set_cookie(exchange, begun ? begun : "", ENTRANCE_SESSION_MS / 1000);
		record = jv_object_delete(record, jv_string("session"));
		session_send(exchange, record, begun);
		free(begun);
	} else if (route->answer == ROUTE_SESSION_ENDED) {
		session_set_cookie(exchange, "", 0);
		exchange->answer.status = 204;
	} else {
		session_send(exchange, record, session);
	}
	jv_free(record);
}
