/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/google/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cloud/google/account.h"
#include "cloud/google/request.h"
#include "cloud/known-id.h"

/* Returns the project that publishes images of such a name; NULL where nobody is known. */
static const char *
image_publisher(const char *name)
{
	static const char *const publishers[][2] = {{"debian-", "debian-cloud"}, {"ubuntu-", "ubuntu-os-cloud"}, {"centos-", "centos-cloud"},
	    {"rhel-", "rhel-cloud"}, {"rocky-linux-", "rocky-linux-cloud"}, {"almalinux-", "almalinux-cloud"}, {"cos-", "cos-cloud"},
	    {"coreos-", "coreos-cloud"}, {"fedora-coreos-", "fedora-coreos-cloud"}, {"fedora-cloud-", "fedora-cloud"}, {"sles-", "suse-cloud"},
	    {"opensuse-", "opensuse-cloud"}, {"oracle-linux-", "oracle-linux-cloud"}, {"freebsd-", "freebsd-org-cloud-dev"}};

	for (size_t i = 0; i < sizeof publishers / sizeof *publishers; i++)
		if (strncmp(name, publishers[i][0], strlen(publishers[i][0])) == 0)
			return publishers[i][1];
	return NULL;
}

/* Asks for one path, and returns that of the image that is there, in the arena; NULL with an error, which is EX_NOINPUT where there is none. */
static const char *
image_ask(const struct cloud *cloud, const char *path, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct google_reply reply = GOOGLE_REPLY_NONE;
	const char *link = NULL, *from;

	if (google_ask(cloud, "GET", path, NULL, true, stop, &reply, err) == 0) {
		link = json_arena_string(reply.value, "selfLink", arena);
		from = link ? strstr(link, "projects/") : NULL;
		link = from;
		if (!link)
			error_set(err, EX_TEMPFAIL, "Google's answer to GET %s has no selfLink", path);
	} else if (reply.answer.status == 404 || reply.answer.status == 403) {
		/* A project that one may not look into is one that has it not. */
		err->code = EX_NOINPUT;
	}
	google_release(&reply);
	return link;
}

/* Looks for a name and a family in the account's project, that which the fields name, and the publisher's. */
static const char *
google_image_search(const struct cloud *cloud, const char *kind, const char *image, const struct stop *stop, struct arena *arena, struct error *err)
{
	const struct google_account *account = cloud->state;
	const char *publisher = image_publisher(image);
	const char *const projects[] = {account->image_project ? account->image_project : publisher, account->project};
	static const char *const folders[] = {"", "family/"};

	(void)kind;
	for (size_t project = 0; project < sizeof projects / sizeof *projects; project++)
		for (size_t folder = 0; projects[project] && folder < sizeof folders / sizeof *folders; folder++) {
			char *escaped = client_escape(image), *path = memory_printf("projects/%s/global/images/%s%s", projects[project], folders[folder], escaped);
			const char *found = image_ask(cloud, path, stop, arena, err);

			free(path);
			free(escaped);
			if (found || err->code != EX_NOINPUT)
				return found;
		}
	error_set(err, EX_CONFIG, "Google has no image or family %s in the project %s%s%s", image, projects[0] ? projects[0] : "",
	    projects[0] ? " or " : "", account->project);
	return NULL;
}

const char *
google_image(const struct cloud *cloud, const char *image, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct google_account *account = cloud->state;
	const char *from = strstr(image, "projects/");

	/* A path of an image is taken as it is: the cloud says if there is none. */
	if (strchr(image, '/'))
		return from ? arena_string(arena, from) : arena_printf(arena, "projects/%s/global/images/%s", account->project,
		    strncmp(image, "global/images/", strlen("global/images/")) == 0 ? image + strlen("global/images/") : image);
	return known_id(&account->images, google_image_search, cloud, "image", image, stop, arena, err);
}
