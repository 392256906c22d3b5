/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/mux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

enum {
	VERSION = 4,
	C_HELLO = 0x00000001,
	C_NEW_SESSION = 0x10000002,
	ESCAPE_NONE = -1,
	EXIT_LOST = 255, /* what ssh itself exits with */
	REASON_BYTES = 200,
	MESSAGE_BYTES = 256 * 1024,
};

#define S_PERMISSION_DENIED 0x80000002u
#define S_FAILURE 0x80000003u
#define S_EXIT_MESSAGE 0x80000004u

static void
mux_put_number(struct buffer *out, uint32_t number)
{
	uint32_t bytes = htonl(number);

	buffer_append(out, &bytes, sizeof bytes);
}

static void
mux_put_string(struct buffer *out, const char *text)
{
	mux_put_number(out, (uint32_t)strlen(text));
	buffer_text(out, text);
}

static uint32_t
mux_number_at(const char *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof number);
	return ntohl(number);
}

static int
mux_connect_to(const char *path, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof address.sun_path)
		return error_set(err, EX_UNAVAILABLE, "%s: the path is too long for a socket", path);
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	error_errno(err, errno == ECONNREFUSED || errno == ENOENT ? EX_UNAVAILABLE : EX_TEMPFAIL, "%s", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

bool
mux_answers(const char *socket)
{
	struct error ignored;
	int fd = mux_connect_to(socket, &ignored);

	if (fd >= 0)
		close(fd);
	else if (ignored.code == EX_UNAVAILABLE)
		unlink(socket);
	return fd >= 0;
}

/* Sends a descriptor, with a byte of its own, as the holder of the connection reads it. */
static int
mux_send_descriptor(int socket, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	char byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room,
	    .msg_controllen = sizeof control.room};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* Sends the greeting, and asks for a session without terminal, forwarding or subsystem, whose streams are theirs. */
static int
mux_request(int socket, const char *command, const int theirs[3], struct error *err)
{
	struct buffer text = {0}, body = {0};
	bool sent;

	mux_put_number(&body, C_NEW_SESSION);
	mux_put_number(&body, 0); /* our number for the request */
	mux_put_string(&body, "");
	for (int i = 0; i < 4; i++)
		mux_put_number(&body, 0); /* terminal, X11, agent, subsystem */
	mux_put_number(&body, (uint32_t)ESCAPE_NONE);
	mux_put_string(&body, "");
	mux_put_string(&body, command);

	mux_put_number(&text, 2 * sizeof(uint32_t));
	mux_put_number(&text, C_HELLO);
	mux_put_number(&text, VERSION);
	mux_put_number(&text, (uint32_t)body.length);
	buffer_append(&text, body.data, body.length);
	sent = send(socket, text.data, text.length, MSG_NOSIGNAL) == (ssize_t)text.length;
	for (int i = 0; i < 3 && sent; i++)
		sent = mux_send_descriptor(socket, theirs[i]) == 0;
	buffer_release(&body);
	buffer_release(&text);
	return sent ? 0 : error_errno(err, EX_UNAVAILABLE, "the connection cannot be asked for a session");
}

static void
mux_close_all(const int *fds, int count)
{
	for (int i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int
mux_start(struct supervisor *supervisor, struct child *child, const char *socket, const char *command,
    struct error *err)
{
	int ours[4] = {-1, -1, -1, mux_connect_to(socket, err)}, theirs[3] = {-1, -1, -1}, result = -1;
	int ends[2];

	if (ours[3] < 0)
		return -1;
	for (int i = 0; i < 3; i++) {
		if (pipe2(ends, O_CLOEXEC) < 0) {
			error_errno(err, EX_OSERR, "a pipe for a session");
			break;
		}
		ours[i] = ends[i == 0];
		theirs[i] = ends[i != 0];
	}
	child->wait_status = EXIT_LOST << 8;
	if (theirs[2] >= 0)
		result = mux_request(ours[3], command, theirs, err);
	mux_close_all(theirs, 3);
	if (result == 0)
		return supervise_adopt(supervisor, child, ours, err);
	mux_close_all(ours, 4);
	return -1;
}

/* Takes one message, of which the number that says what it is has been read. */
static enum mux_news
mux_take_message(struct child *child, uint32_t type, const char *body, size_t length, struct error *err)
{
	uint32_t reason;

	if (type == S_EXIT_MESSAGE && length >= 8) {
		child->wait_status = (int)(mux_number_at(body + 4) & 0xff) << 8;
		return MUX_EXITED;
	}
	if ((type != S_FAILURE && type != S_PERMISSION_DENIED) || length < 8)
		return MUX_QUIET;
	reason = mux_number_at(body + 4);
	if (reason > length - 8)
		reason = (uint32_t)length - 8;
	error_set(err, EX_TEMPFAIL, "its connection refused a session: %.*s", reason < REASON_BYTES ? (int)reason : REASON_BYTES,
	    body + 8);
	return MUX_REFUSED;
}

enum mux_news
mux_read(struct child *child, struct error *err)
{
	struct buffer *heard = &child->control;
	enum mux_news news = MUX_QUIET;

	while (news == MUX_QUIET && heard->length >= 8) {
		uint32_t length = mux_number_at(heard->data);

		if (length < 4 || length > MESSAGE_BYTES) {
			error_set(err, EX_UNAVAILABLE, "its connection speaks another protocol");
			return MUX_REFUSED;
		}
		if (heard->length < 4 + (size_t)length)
			break;
		news = mux_take_message(child, mux_number_at(heard->data + 4), heard->data + 8, length - 4, err);
		buffer_drop(heard, 4 + (size_t)length);
	}
	return news;
}
