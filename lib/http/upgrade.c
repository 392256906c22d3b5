/* SPDX-License-Identifier: Apache-2.0 */
#include "http/upgrade.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <gnutls/gnutls.h>
#include <microhttpd.h>

#include "base/buffer.h"
#include "http/exchange.h"
#include "http/listener.h"

/* Returns the session of TLS; NULL where there is none. */
static gnutls_session_t
upgrade_session(const struct http_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = exchange->is_encrypted
	    ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) : NULL;

	return info ? info->tls_session : NULL;
}

static int
upgrade_fd(const struct http_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

int
upgrade_begin(struct http_exchange *exchange, const char *protocol, struct buffer *out)
{
	listener_watch_no_more(exchange);
	buffer_printf(out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", protocol);
	return upgrade_fd(exchange);
}

/* Returns what GnuTLS has returned as read(2) and write(2) would. */
static ssize_t
upgrade_result(ssize_t result)
{
	if (result >= 0)
		return result;
	errno = result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED ? EAGAIN : ECONNRESET;
	return result == GNUTLS_E_PREMATURE_TERMINATION ? 0 : -1;
}

ssize_t
upgrade_read(const struct http_exchange *exchange, void *bytes, size_t size)
{
	gnutls_session_t session = upgrade_session(exchange);

	return session ? upgrade_result(gnutls_record_recv(session, bytes, size)) : recv(upgrade_fd(exchange), bytes, size, MSG_DONTWAIT);
}

ssize_t
upgrade_write(const struct http_exchange *exchange, const void *bytes, size_t length)
{
	gnutls_session_t session = upgrade_session(exchange);

	return session ? upgrade_result(gnutls_record_send(session, bytes, length))
	               : send(upgrade_fd(exchange), bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool
upgrade_has_read(const struct http_exchange *exchange)
{
	gnutls_session_t session = upgrade_session(exchange);

	return session && gnutls_record_check_pending(session) > 0;
}

void
upgrade_end(struct http_exchange *exchange)
{
	gnutls_session_t session = upgrade_session(exchange);

	if (session)
		gnutls_bye(session, GNUTLS_SHUT_WR);
	shutdown(upgrade_fd(exchange), SHUT_WR);
	listener_cut(exchange);
}
