/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/amazon/image.h"

#include <string.h>

#include "base/error.h"
#include "cloud/amazon/account.h"
#include "cloud/amazon/request.h"
#include "cloud/known-id.h"

enum { PAGE = 1000, ACCOUNT_DIGITS = 12, ID_DIGITS = 8 };

struct image_newest {
	struct arena *arena;
	const char *id, *made; /* in the arena */
};

/* Tells whether the word is an id: ami-0123abcd, or emi-0123ABCD in clouds of others. */
static bool
image_is_id(const char *image)
{
	const char *digits = image + strspn(image, "abcdefghijklmnopqrstuvwxyz");

	return digits > image && *digits == '-' && strlen(digits) > ID_DIGITS && !digits[1 + strspn(digits + 1, "0123456789abcdefABCDEF")];
}

/* Returns the length of the owner with which the word begins, before a slash; 0 where it is a name alone, which may have slashes in it. */
static size_t
image_owner(const char *image)
{
	static const char *const known[] = {"self", "amazon", "aws-marketplace", "aws-backup-vault"};
	size_t length = strcspn(image, "/");

	if (!image[length])
		return 0;
	if (length == ACCOUNT_DIGITS && strspn(image, "0123456789") == length)
		return length;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == length && strncmp(known[i], image, length) == 0)
			return length;
	return 0;
}

/* Keeps the newest; of one second, the one whose id is greater. */
static int
image_read(const struct _xmlNode *item, void *data, struct error *err)
{
	struct image_newest *newest = data;
	const char *id = xml_text(item, "imageId", newest->arena), *made = xml_text(item, "creationDate", newest->arena);
	int order;

	(void)err;
	made = made ? made : "";
	order = newest->id ? strcmp(made, newest->made) : 1;
	if (id && (order > 0 || (order == 0 && strcmp(id, newest->id) > 0))) {
		newest->id = id;
		newest->made = made;
	}
	return 0;
}

static const char *
image_search(const struct cloud *cloud, const char *kind, const char *image, const struct stop *stop, struct arena *arena, struct error *err)
{
	size_t length = image_owner(image);
	const char *owner = length ? arena_substring(arena, image, length) : "self", *name = length ? image + length + 1 : image;
	struct image_newest newest = {.arena = arena};
	struct ec2_list list = {.action = "DescribeImages", .set = "imagesSet", .page = PAGE, .read = image_read, .data = &newest};
	struct buffer only = {0};
	int result;

	(void)kind;
	ec2_add(&only, owner, "Owner.1");
	ec2_add(&only, "name", "Filter.1.Name");
	ec2_add(&only, name, "Filter.1.Value.1");
	ec2_add(&only, "state", "Filter.2.Name");
	ec2_add(&only, "available", "Filter.2.Value.1");
	list.only = buffer_string(&only);
	result = ec2_pages(cloud, &list, stop, err);
	buffer_release(&only);
	if (result == 0 && !newest.id)
		error_set(err, EX_CONFIG, "the cloud has no image %s of %s%s", name, length ? "the owner " : "the account's own", length ? owner : "");
	return result == 0 ? newest.id : NULL;
}

const char *
ec2_image(const struct cloud *cloud, const char *image, const struct stop *stop, struct arena *arena, struct error *err)
{
	struct ec2_account *account = cloud->state;

	if (image_is_id(image))
		return arena_string(arena, image);
	return known_id(&account->images, image_search, cloud, "image", image, stop, arena, err);
}
