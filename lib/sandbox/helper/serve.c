/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/helper/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/message.h"
#include "sandbox/helper/allowance.h"
#include "sandbox/helper/reply.h"
#include "sandbox/helper/wish.h"
#include "sandbox/machine.h"

enum {
	EXCHANGE_S = 10,
	GROUPS = 65536, /* NGROUPS_MAX */
	REQUESTS = 64,  /* so many are answered at once: MaxConnections of the unit */
};

/* Returns the group that may connect to the socket: that of its file. */
static int
serve_group(int fd, gid_t *group, struct error *err)
{
	struct sockaddr_un own = {.sun_family = AF_UNSPEC};
	socklen_t length = sizeof own - 1;
	struct stat st;

	if (getsockname(fd, (struct sockaddr *)&own, &length) < 0 || own.sun_family != AF_UNIX || stat(own.sun_path, &st) < 0)
		return error_errno(err, EX_OSERR, "socket: has no file");
	*group = st.st_gid;
	return 0;
}

static bool
serve_is_in(int fd, gid_t group)
{
	static gid_t groups[GROUPS];
	socklen_t length = sizeof groups;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0)
		return false;
	for (size_t i = 0; i < length / sizeof *groups; i++)
		if (groups[i] == group)
			return true;
	return false;
}

/* Finds out who is at the other end. Who is not of the socket's group is refused here, too: its file may have any mode. */
static int
serve_check_peer(int fd, uid_t *uid, struct error *err)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	gid_t group = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return error_errno(err, EX_OSERR, "socket: does not tell who is there");
	if (serve_group(fd, &group, err) < 0)
		return -1;
	*uid = peer.uid;
	if (peer.uid == 0 || peer.gid == group || serve_is_in(fd, group))
		return 0;
	return error_set(err, EX_NOPERM, "uid %u: is not in the group %u of the socket", (unsigned)peer.uid, (unsigned)group);
}

static int
serve_read(int fd, struct buffer *text, struct error *err)
{
	while (!wish_is_whole(buffer_string(text), text->length) && text->length <= WISH_LIMIT) {
		ssize_t n = read(fd, buffer_room(text, WISH_LIMIT), WISH_LIMIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, EX_IOERR, "request");
		if (n == 0)
			break;
		text->length += (size_t)n;
		text->data[text->length] = '\0';
	}
	return 0;
}

static bool
serve_begins(const char *name, const char *prefix)
{
	return name && strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Counts the machines of a user, of all installations. */
static int
serve_count(uid_t uid, size_t *count, struct error *err)
{
	char *prefix = memory_printf("%u-", (unsigned)uid);
	struct found_list all = {.list = NULL};
	int result = machine_maker.find(NULL, NULL, &all, err);

	*count = 0;
	for (size_t i = 0; i < all.count; i++)
		*count += serve_begins(all.list[i].machine.name, prefix);
	found_release(&all);
	free(prefix);
	return result;
}

/* Waits for the user's turn: what another request of theirs is making would not be counted. Returns a descriptor, which ends the turn when it
 * is closed, or -1. */
static int
serve_take_turn(uid_t uid, struct error *err)
{
	char *state = location_state(), *path = memory_printf("%s/turns.lock", state);
	struct flock turn = {.l_type = F_WRLCK, .l_start = (off_t)uid, .l_len = 1};
	int fd = file_make_dirs(AT_FDCWD, state, 0700, err) < 0 ? -1 : file_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, err), taken = 0;

	while (fd >= 0 && (taken = fcntl(fd, F_OFD_SETLKW, &turn)) < 0 && errno == EINTR)
		continue;
	if (taken < 0) {
		error_errno(err, EX_OSERR, "%s", path);
		close(fd);
		fd = -1;
	}
	free(path);
	free(state);
	return fd;
}

/* Refuses a machine more than the user may have. *turn is open while it is to be made before another one is counted. */
static int
serve_check_count(uid_t uid, const struct allowance *allowance, int *turn, struct error *err)
{
	size_t count, most = allowance_machines(allowance);

	*turn = serve_take_turn(uid, err);
	if (*turn < 0 || serve_count(uid, &count, err) < 0)
		return -1;
	if (count >= most)
		return error_set(err, EX_UNAVAILABLE, "uid %u: has as many machines as %s of this host allows, %zu; delete some", (unsigned)uid,
		    allowance->path, most);
	if (count + REQUESTS < most) {
		close(*turn);
		*turn = -1;
	}
	return 0;
}

/* Hides what is nobody's business from the machine, should one of the folders that root shares lead there. */
static const char *
serve_masks(struct arena *arena)
{
	char *state = location_state();
	const char *masks = arena_printf(arena, "/etc/coopr:/var/lib/coopr:%s", state);

	free(state);
	return masks;
}

static int
serve_create(struct wish *wish, const char *prefix, uid_t uid, const struct allowance *allowance, struct reply *reply,
    struct error *err)
{
	struct machine *wanted = &wish->machine;
	struct found *made;
	int turn, result;

	if (allowance_admit(allowance, wanted, err) < 0)
		return -1;
	wanted->cluster = arena_printf(&wanted->arena, "%s%s", prefix, wanted->cluster);
	wanted->node = arena_printf(&wanted->arena, "%s%s", prefix, wanted->node);
	wanted->masks = serve_masks(&wanted->arena);
	result = serve_check_count(uid, allowance, &turn, err);
	if (result == 0)
		result = machine_maker.create(wanted, reply->notice, err);
	if (turn >= 0)
		close(turn);
	if (result < 0)
		return -1;
	made = found_add(&reply->found);
	made->state = MACHINE_RUNNING;
	made->machine = *wanted;
	wish->machine = (struct machine){.name = NULL};
	return 0;
}

static int
serve_delete(const struct wish *wish, const char *prefix, struct error *err)
{
	if (!serve_begins(wish->machine.name, prefix))
		return error_set(err, EX_NOPERM, "%s: is no machine of yours", wish->machine.name);
	return machine_maker.delete(wish->machine.name, err);
}

static int
serve_list(struct wish *wish, const char *prefix, struct reply *reply, struct error *err)
{
	const char *name = wish->machine.name, *node = wish->machine.node;
	struct found_list all = {.list = NULL};
	int result = 0;

	if (node)
		node = arena_printf(&wish->machine.arena, "%s%s", prefix, node);
	if (!name || serve_begins(name, prefix))
		result = machine_maker.find(name, node, &all, err);
	for (size_t i = 0; i < all.count; i++)
		if (serve_begins(all.list[i].machine.name, prefix)) {
			*found_add(&reply->found) = all.list[i];
			all.list[i] = (struct found){.state = MACHINE_HALF};
		}
	found_release(&all);
	return result;
}

/* Takes the prefix off what the user calls otherwise; names of machines are the helper's. */
static void
serve_take_off(const char *prefix, struct reply *reply)
{
	char *text = reply->error.text;

	if (serve_begins(text, prefix))
		memmove(text, text + strlen(prefix), strlen(text) - strlen(prefix) + 1);
	for (size_t i = 0; i < reply->found.count; i++) {
		struct machine *machine = &reply->found.list[i].machine;

		if (serve_begins(machine->cluster, prefix))
			machine->cluster += strlen(prefix);
		if (serve_begins(machine->node, prefix))
			machine->node += strlen(prefix);
	}
}

static int
serve_act(struct wish *wish, uid_t uid, const struct allowance *allowance, struct reply *reply, struct error *err)
{
	char *prefix = memory_printf("%u-%s.", (unsigned)uid, wish->installation);
	int result;

	if (wish->verb == WISH_CREATE)
		result = serve_create(wish, prefix, uid, allowance, reply, err);
	else if (wish->verb == WISH_DELETE)
		result = serve_delete(wish, prefix, err);
	else
		result = serve_list(wish, prefix, reply, err);
	if (wish->verb != WISH_LIST)
		message("uid %u: %s %s: %s", (unsigned)uid, wish_verb_name(wish->verb),
		    reply->found.count ? reply->found.list->machine.name : wish->machine.name ? wish->machine.name : "",
		    result < 0 ? err->text : "done");
	serve_take_off(prefix, reply);
	free(prefix);
	return result;
}

/* Whoever sends slowly, or does not read, is left after a while: SIGALRM ends this process. What is done between is not cut short. */
int
serve_request(int socket, const struct allowance *allowance, struct error *err)
{
	struct reply reply = {.error = {.code = 0, .text = ""}};
	struct wish wish = {.verb = WISH_LIST};
	struct buffer in = {0}, out = {0};
	uid_t uid = 0;
	int result;

	alarm(EXCHANGE_S);
	result = serve_check_peer(socket, &uid, &reply.error);
	if (result == 0)
		result = serve_read(socket, &in, &reply.error);
	if (result == 0)
		result = wish_parse(buffer_string(&in), in.length, &wish, &reply.error);
	alarm(0);
	if (result == 0)
		result = serve_act(&wish, uid, allowance, &reply, &reply.error);
	else
		message_error(&reply.error);
	reply.error.code = result < 0 ? reply.error.code : 0;
	reply_print(&reply, &out);
	alarm(EXCHANGE_S);
	result = file_write_all(socket, out.data, out.length);
	if (result < 0)
		error_errno(err, EX_IOERR, "the answer: cannot be sent");
	buffer_release(&in);
	buffer_release(&out);
	machine_release(&wish.machine);
	reply_release(&reply);
	return result;
}
