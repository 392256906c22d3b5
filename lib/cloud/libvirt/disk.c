/* SPDX-License-Identifier: Apache-2.0 */
#include "cloud/libvirt/disk.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cloud/libvirt/host.h"
#include "cloud/xml.h"

static const char *const parts[] = {"root", "seed"};

static const char *
disks_name(const struct cloud *cloud, const char *node, const char *part, struct arena *arena)
{
	return arena_printf(arena, "coopr-%s-%s-%s", cloud->installation, node, part);
}

/* --- what is there --- */

/* Returns the volume, which the caller frees, or NULL without an error where there is none of that name. */
static virStorageVolPtr
disks_find(virStoragePoolPtr pool, const char *name, struct error *err)
{
	virStorageVolPtr volume = virStorageVolLookupByName(pool, name);

	*err = (struct error){.code = 0};
	if (!volume && libvirt_refused("volume", err) < 0 && err->code == EX_NOINPUT)
		err->code = 0;
	return volume;
}

/* Returns the image, which the caller frees. One that somebody has put into the pool's folder appears where the pool is read anew. */
static virStorageVolPtr
disks_find_image(const struct cloud *cloud, virConnectPtr connection, const char *name, struct error *err)
{
	const struct libvirt *libvirt = cloud->state;
	virStoragePoolPtr pool = libvirt_find_pool(connection, libvirt->image_pool, err);
	virStorageVolPtr image = pool ? disks_find(pool, name, err) : NULL;

	if (pool && !image && err->code == 0) {
		virStoragePoolRefresh(pool, 0);
		image = disks_find(pool, name, err);
		if (!image && err->code == 0)
			error_set(err, EX_CONFIG, "image %s: pool %s has no such volume", name, libvirt->image_pool);
	}
	if (pool)
		virStoragePoolFree(pool);
	return image;
}

int
disks_try_image(const struct cloud *cloud, virConnectPtr connection, const char *name, struct arena *arena, const char **said, struct error *err)
{
	virStorageVolPtr image = disks_find_image(cloud, connection, name, err);
	virStorageVolInfo info;
	int result = image ? 0 : -1;

	if (image && virStorageVolGetInfo(image, &info) < 0)
		result = libvirt_refused("image", err);
	else if (image)
		*said = arena_printf(arena, "%llu MiB", info.capacity >> 20);
	if (image)
		virStorageVolFree(image);
	return result;
}

/* Returns the format of an image, "raw" where its pool knows of none. */
static const char *
disks_format(virStorageVolPtr image, struct arena *arena, struct error *err)
{
	char *xml = virStorageVolGetXMLDesc(image, 0);
	struct buffer text = {0};
	struct _xmlDoc *document;
	const char *format = NULL;

	if (!xml) {
		libvirt_refused("image", err);
		return NULL;
	}
	buffer_text(&text, xml);
	free(xml);
	document = xml_parse("image", &text, err);
	if (document) {
		format = xml_attribute(xml_find(xml_root(document), "target/format"), "type", arena);
		format = format ? format : "raw";
		xml_free(document);
	}
	buffer_release(&text);
	return format;
}

/* --- removed --- */

static int
disks_remove_one(virStoragePoolPtr pool, const char *name, struct error *err)
{
	virStorageVolPtr volume = disks_find(pool, name, err);
	int result = err->code ? -1 : 0;

	if (volume && virStorageVolDelete(volume, 0) < 0) {
		result = libvirt_refused(name, err);
		if (err->code == EX_NOINPUT)
			result = 0;
	}
	if (volume)
		virStorageVolFree(volume);
	return result;
}

int
disks_remove(const struct cloud *cloud, virConnectPtr connection, const char *node, struct error *err)
{
	const struct libvirt *libvirt = cloud->state;
	virStoragePoolPtr pool = libvirt_find_pool(connection, libvirt->pool, err);
	struct arena arena = {0};
	int result = pool ? 0 : -1;

	for (size_t i = 0; result == 0 && i < sizeof parts / sizeof *parts; i++)
		result = disks_remove_one(pool, disks_name(cloud, node, parts[i], &arena), err);
	if (pool)
		virStoragePoolFree(pool);
	arena_release(&arena);
	return result;
}

/* --- made --- */

static const char *
disks_describe(const char *name, uint64_t bytes, const char *format, struct arena *arena)
{
	struct buffer xml = {0};
	const char *text;

	buffer_text(&xml, "<volume><name>");
	xml_escape(&xml, name);
	buffer_printf(&xml, "</name><capacity unit='bytes'>%llu</capacity><allocation>0</allocation><target><format type='", (unsigned long long)bytes);
	xml_escape(&xml, format);
	buffer_text(&xml, "'/></target></volume>");
	text = arena_string(arena, buffer_string(&xml));
	buffer_release(&xml);
	return text;
}

/* Copies the image. A size that is less than the image's own is an error: what is behind it would be lost. */
static int
disks_copy(virStoragePoolPtr pool, virStorageVolPtr image, const char *name, uint64_t bytes, struct arena *arena, struct disks *disks,
    struct error *err)
{
	virStorageVolInfo info;
	virStorageVolPtr volume;

	if (virStorageVolGetInfo(image, &info) < 0)
		return libvirt_refused("image", err);
	if (bytes > 0 && bytes < info.capacity)
		return error_set(err, EX_CONFIG, "image %s has %llu MiB, and the flavor's disk only %llu", virStorageVolGetName(image), info.capacity >> 20,
		    (unsigned long long)bytes >> 20);
	disks->root_format = disks_format(image, arena, err);
	if (!disks->root_format)
		return -1;
	volume = virStorageVolCreateXMLFrom(pool, disks_describe(name, bytes > 0 ? bytes : info.capacity, disks->root_format, arena), image, 0);
	if (!volume)
		return libvirt_refused(name, err);
	virStorageVolFree(volume);
	disks->root = name;
	return 0;
}

static int
disks_send(virStreamPtr stream, const struct buffer *bytes)
{
	for (size_t sent = 0; sent < bytes->length;) {
		int count = virStreamSend(stream, bytes->data + sent, bytes->length - sent);

		if (count < 0) {
			virStreamAbort(stream);
			return -1;
		}
		sent += (size_t)count;
	}
	return virStreamFinish(stream);
}

static int
disks_upload(virConnectPtr connection, virStoragePoolPtr pool, const char *name, const struct buffer *bytes, struct arena *arena, struct disks *disks,
    struct error *err)
{
	virStorageVolPtr volume = virStorageVolCreateXML(pool, disks_describe(name, bytes->length, "raw", arena), 0);
	virStreamPtr stream = volume ? virStreamNew(connection, 0) : NULL;
	int result = 0;

	if (!stream || virStorageVolUpload(volume, stream, 0, bytes->length, 0) < 0 || disks_send(stream, bytes) < 0)
		result = libvirt_refused(name, err);
	disks->seed = name;
	if (stream)
		virStreamFree(stream);
	if (volume)
		virStorageVolFree(volume);
	return result;
}

int
disks_make(const struct cloud *cloud, virConnectPtr connection, const char *node, const char *image, uint64_t bytes, const struct buffer *seed,
    struct arena *arena, struct disks *disks, struct error *err)
{
	const struct libvirt *libvirt = cloud->state;
	virStorageVolPtr from = disks_find_image(cloud, connection, image, err);
	virStoragePoolPtr pool = from ? libvirt_find_pool(connection, libvirt->pool, err) : NULL;
	int result = pool ? disks_remove(cloud, connection, node, err) : -1;

	*disks = (struct disks){.root = NULL};
	if (result == 0)
		result = disks_copy(pool, from, disks_name(cloud, node, parts[0], arena), bytes, arena, disks, err);
	if (result == 0 && seed)
		result = disks_upload(connection, pool, disks_name(cloud, node, parts[1], arena), seed, arena, disks, err);
	if (pool)
		virStoragePoolFree(pool);
	if (from)
		virStorageVolFree(from);
	return result;
}
