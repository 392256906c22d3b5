/* SPDX-License-Identifier: Apache-2.0 */
#include "http/head.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "http/client-certificate.h"
#include "http/exchange.h"

enum { HEAD_BLANKS = 4096 }; /* behind a colon, at most */

/* Adds a header. Of one on several lines the library appends what follows to the name, "X: v" and " -User" are "X-User: v", and the value is
 * not behind the name any more: its name is empty, which nothing has. */
static enum MHD_Result
head_add_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value, size_t length)
{
	struct http_exchange *exchange = context;
	uintptr_t end = (uintptr_t)name + name_length + 1, start = (uintptr_t)value;
	bool is_whole = start >= end && start - end <= HEAD_BLANKS && strspn(name + name_length + 1, " \t") >= start - end;

	(void)kind;
	(void)length;
	http_field_add(exchange, &exchange->headers, !value || is_whole ? name : "", value ? value : "");
	return MHD_YES;
}

/* Adds a part of the query, decoded; one that is malformed becomes an empty name, which nothing has. */
static enum MHD_Result
head_add_query(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct http_exchange *exchange = context;
	const char *decoded_name = http_decode(&exchange->arena, name, strlen(name));
	const char *decoded_value = value ? http_decode(&exchange->arena, value, strlen(value)) : "";

	(void)kind;
	if (!decoded_name || !decoded_value)
		decoded_name = decoded_value = "";
	http_field_add(exchange, &exchange->query, decoded_name, decoded_value);
	return MHD_YES;
}

/* Returns the user at the other end; (uid_t)-1, who is nobody, where the kernel does not say. */
static uid_t
head_find_peer(int fd)
{
	struct ucred user = {.uid = (uid_t)-1};
	socklen_t size = sizeof user;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
		return (uid_t)-1;
	return user.uid;
}

/* Fills in who is at the other end. */
static void
head_find_asker(struct http_exchange *exchange, int fd)
{
	struct sockaddr_storage peer = {0};
	socklen_t size = sizeof peer;
	char address[INET6_ADDRSTRLEN] = "";

	exchange->uid = (uid_t)-1;
	if (fd < 0 || getpeername(fd, (struct sockaddr *)&peer, &size) < 0)
		return;
	if (peer.ss_family == AF_UNIX)
		exchange->uid = head_find_peer(fd);
	else if (getnameinfo((struct sockaddr *)&peer, size, address, sizeof address, NULL, 0, NI_NUMERICHOST) == 0)
		exchange->address = arena_string(&exchange->arena, address);
}

/* Returns the path of a target, which a client may send as it would to a proxy: RFC 9112, section 3.2.2. */
static const char *
head_find_path(const char *target)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < 2; i++)
		if (strncasecmp(target, schemes[i], strlen(schemes[i])) == 0) {
			target = strchr(target + strlen(schemes[i]), '/');
			return target ? target : "/";
		}
	return target;
}

void
head_find_certificate(struct http_exchange *exchange, const struct client_authority *clients)
{
	const union MHD_ConnectionInfo *shown = clients
	    ? MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION) : NULL;

	if (shown)
		client_certificate_look(clients, shown->tls_session, exchange);
}

void
head_read(struct http_exchange *exchange, const char *method, const char *path, int fd, const struct client_authority *clients)
{
	exchange->method = arena_string(&exchange->arena, method);
	exchange->path = arena_string(&exchange->arena, head_find_path(path));
	MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, head_add_header, exchange);
	MHD_get_connection_values(exchange->connection, MHD_GET_ARGUMENT_KIND, head_add_query, exchange);
	head_find_asker(exchange, fd);
	head_find_certificate(exchange, clients);
}

/* Returns how many headers have that name. */
static size_t
head_count(const struct http_fields *headers, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < headers->count; i++)
		count += strcasecmp(headers->list[i].name, name) == 0;
	return count;
}

/* Returns whether the value of a header has a character that others take for the end of its line. */
static bool
head_has_control(const char *value)
{
	for (; *value; value++)
		if (iscntrl((unsigned char)*value) && *value != '\t')
			return true;
	return false;
}

/* RFC 9112, sections 3.2, 5.1, 5.2, 5.5 and 6.3. The library is more tolerant. */
bool
head_is_malformed(const struct http_exchange *exchange, const char *version)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const struct http_fields *headers = &exchange->headers;
	const char *coding = http_field_find(headers, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	size_t hosts = head_count(headers, MHD_HTTP_HEADER_HOST), lengths = head_count(headers, MHD_HTTP_HEADER_CONTENT_LENGTH);

	for (size_t i = 0; i < headers->count; i++)
		if (!*headers->list[i].name || headers->list[i].name[strspn(headers->list[i].name, token)] ||
		    head_has_control(headers->list[i].value))
			return true;
	return hosts > 1 || (hosts == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0) || lengths > 1 ||
	    head_count(headers, MHD_HTTP_HEADER_TRANSFER_ENCODING) > 1 || (coding && (lengths > 0 || strcasecmp(coding, "chunked") != 0));
}
