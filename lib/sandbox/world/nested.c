/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/world/nested.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "sandbox/ids.h"
#include "sandbox/image/image.h"
#include "sandbox/machine.h"
#include "sandbox/root.h"
#include "sandbox/state.h"
#include "sandbox/world/relay.h"
#include "sandbox/world/subordinate.h"
#include "sandbox/world/world.h"

static struct {
	int use;    /* what keeps the world, once this process is in it */
	int socket; /* of the host's network, for a relay */
} here = {-1, -1};

bool
nested_is_possible(struct error *err)
{
	return subordinate_check(err) == 0;
}

static int
nested_enter(struct error *err)
{
	if (here.use >= 0)
		return 0;
	here.socket = relay_socket(err);
	if (here.socket >= 0)
		here.use = world_enter(err);
	return here.use < 0 ? -1 : 0;
}

/* Leaves nothing behind when there is no machine any more. */
static void
nested_tidy(void)
{
	char *path = state_path("");

	if (here.use >= 0 && file_is_absent(AT_FDCWD, path)) {
		world_end(here.use);
		here.use = -1;
	}
	free(path);
}

/* Refuses what only root could give. */
static int
nested_check(const struct machine *wanted, struct error *err)
{
	struct stat st;

	if (wanted->route)
		return error_set(err, EX_CONFIG, "%s: machines of a user who is not root have no route out of this host; take \"route\" out of "
		    "the provider \"%s\", or have root start coopr-sandbox.socket", wanted->node, wanted->provider);
	if (wanted->unconfined)
		return error_set(err, EX_NOPERM, "%s: only root makes machines that are unconfined; take that out of the provider \"%s\"",
		    wanted->node, wanted->provider);
	if (*wanted->image == '/' && image_look(wanted->image) == IMAGE_TREE && stat(wanted->image, &st) == 0 && st.st_uid != IDS_NESTED)
		return error_set(err, EX_CONFIG, "image %s: does not belong to the first of this user's subordinate ids, so that a machine's "
		    "root could not write there; make it with: mmdebstrap --mode=unshare", wanted->image);
	return 0;
}

static int
nested_create(struct machine *wanted, char notice[256], struct error *err)
{
	int result = nested_enter(err);

	*notice = '\0';
	wanted->nested = "yes";
	if (result == 0)
		result = nested_check(wanted, err);
	if (result == 0)
		result = machine_maker.create(wanted, notice, err);
	if (result == 0 && !relay_find(wanted))
		result = relay_start(here.socket, world_holder(), wanted, err);
	if (result == 0 && *notice)
		root_tell(notice, "nor their disks, and they share user ids: they are of a user who is not root");
	if (result < 0)
		nested_tidy();
	return result;
}

static int
nested_delete(const char *name, struct error *err)
{
	int result = nested_enter(err);

	if (result == 0)
		result = machine_maker.delete(name, err);
	if (result == 0)
		nested_tidy();
	return result;
}

/* Without a relay a machine is as good as dead. */
static int
nested_find(const char *name, const char *node, struct found_list *found, struct error *err)
{
	char *path = state_path("");
	bool none = file_is_absent(AT_FDCWD, path);

	free(path);
	if (none)
		return 0;
	if (nested_enter(err) < 0 || machine_maker.find(name, node, found, err) < 0)
		return -1;
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].state == MACHINE_RUNNING && !relay_find(&found->list[i].machine))
			found->list[i].state = MACHINE_DEAD;
	return 0;
}

const struct maker nested_maker = {nested_create, nested_delete, nested_find};
