/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/home.h"
#include "base/location.h"
#include "base/memory.h"
#include "sandbox/helper/reply.h"
#include "sandbox/helper/wish.h"
#include "sandbox/key.h"

#define PATH_DEFAULT "/run/coopr-sandbox.socket"

char *
ask_path(void)
{
	const char *given = home_variable("COOPR_SANDBOX_SOCKET");

	return memory_string(given ? given : PATH_DEFAULT);
}

bool
ask_is_allowed(struct error *err)
{
	char *path = ask_path();
	bool allowed = access(path, W_OK) == 0;

	if (!allowed && (errno == EACCES || errno == EPERM))
		error_set(err, EX_NOPERM, "%s: this user may not ask the helper for machines; root adds it to the socket's group "
		    "(usermod -aG coopr USER)", path);
	else if (!allowed)
		error_set(err, EX_NOPERM, "only root can make namespaces and bridges, and there is no helper that does it for others at "
		    "%s; use sudo, or have root start coopr-sandbox.socket", path);
	free(path);
	return allowed;
}

static int
ask_connect(struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un peer = {.sun_family = AF_UNIX};
	char *path = ask_path();

	if (strlen(path) >= sizeof peer.sun_path)
		errno = ENAMETOOLONG;
	else
		memcpy(peer.sun_path, path, strlen(path) + 1);
	if (fd < 0 || !*peer.sun_path || connect(fd, (struct sockaddr *)&peer, sizeof peer) < 0) {
		error_errno(err, EX_UNAVAILABLE, "%s: the helper does not answer", path);
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

/* Returns what tells this installation from others of the user, which the caller frees. */
static char *
ask_installation(void)
{
	char *state = location_state(), *real = realpath(state, NULL);
	char *mark = memory_printf("%08x", (unsigned)(hash_text(HASH_START, real ? real : state) >> 32));

	free(real);
	free(state);
	return mark;
}

/* Sends the request and reads the reply, which is the caller's to release in any case. */
static int
ask(struct wish *wish, struct reply *reply, struct error *err)
{
	struct buffer out = {0}, in = {0};
	char *installation = ask_installation();
	int fd = ask_connect(err), result = -1;

	*reply = (struct reply){.error = {.code = 0}};
	wish->installation = installation;
	wish_print(wish, &out);
	/* A helper that refuses the request may have answered and gone before it has read all of it. */
	if (fd >= 0 && send(fd, out.data, out.length, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		error_errno(err, EX_UNAVAILABLE, "the helper takes no request");
	else if (fd >= 0) {
		file_read_fd(fd, "the helper's answer", REPLY_LIMIT, &in, err); /* what ended early lacks its end */
		result = reply_parse(buffer_string(&in), in.length, reply, err);
	}
	if (fd >= 0)
		close(fd);
	free(installation);
	buffer_release(&in);
	buffer_release(&out);
	return result;
}

/* Has the key of this installation log in to the machine, unless it shall be another. */
static int
ask_put_login(struct machine *asked, struct error *err)
{
	char *path = asked->login ? NULL : key_login(err), *key = path ? key_public(path, err) : NULL;

	if (key)
		asked->login = arena_string(&asked->arena, key);
	free(path);
	free(key);
	return asked->login ? 0 : -1;
}

/* A machine that this installation's key enters says of none, as one that was not made by the helper. */
static void
ask_take_login(struct machine *found)
{
	char *state = location_state(), *path = memory_printf("%s/ssh/id_ed25519", state);
	struct error ignored;
	char *key = found->login ? key_public(path, &ignored) : NULL;

	if (key && strcmp(key, found->login) == 0)
		found->login = NULL;
	free(key);
	free(path);
	free(state);
}

/* Takes over what the helper says of a machine that is wanted. */
static int
ask_take_made(struct machine *wanted, struct reply *reply, char notice[256], struct error *err)
{
	struct machine *made = reply->found.count == 1 ? &reply->found.list->machine : NULL;

	if (!made || !made->address || !made->host_key)
		return error_set(err, EX_PROTOCOL, "%s: the helper's answer tells of no machine", wanted->node);
	ask_take_login(made);
	memcpy(notice, reply->notice, sizeof reply->notice);
	wanted->name = arena_string(&wanted->arena, made->name);
	wanted->address = arena_string(&wanted->arena, made->address);
	wanted->host_key = arena_string(&wanted->arena, made->host_key);
	wanted->login = made->login ? arena_string(&wanted->arena, made->login) : NULL;
	return 0;
}

static int
ask_create(struct machine *wanted, char notice[256], struct error *err)
{
	struct wish wish = {.verb = WISH_CREATE, .machine = *wanted};
	struct reply reply;
	int result;

	if (wanted->unconfined)
		return error_set(err, EX_NOPERM, "%s: only root makes machines that are unconfined; take that out of the provider \"%s\"",
		    wanted->node, wanted->provider);
	wish.machine.arena = (struct arena){.newest = NULL};
	wish.machine.name = NULL;
	result = ask_put_login(&wish.machine, err);
	if (result == 0) {
		result = ask(&wish, &reply, err);
		if (result == 0)
			result = ask_take_made(wanted, &reply, notice, err);
		reply_release(&reply);
	}
	machine_release(&wish.machine);
	return result;
}

static int
ask_delete(const char *name, struct error *err)
{
	struct wish wish = {.verb = WISH_DELETE, .machine = {.name = name}};
	struct reply reply;
	int result = ask(&wish, &reply, err);

	reply_release(&reply);
	return result;
}

static int
ask_find(const char *name, const char *node, struct found_list *found, struct error *err)
{
	struct wish wish = {.verb = WISH_LIST, .machine = {.name = name, .node = node}};
	struct reply reply;
	int result = ask(&wish, &reply, err);

	for (size_t i = 0; result == 0 && i < reply.found.count; i++) {
		ask_take_login(&reply.found.list[i].machine);
		*found_add(found) = reply.found.list[i];
		reply.found.list[i] = (struct found){.state = MACHINE_HALF};
	}
	reply_release(&reply);
	return result;
}

const struct maker ask_maker = {ask_create, ask_delete, ask_find};
