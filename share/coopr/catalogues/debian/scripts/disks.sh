#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Disks and where they are mounted: the actions configure, start, which does the same and repairs, and status.
#
# Configuration: disks/mounts, a list of {device, path, type (ext4), options (defaults), owner (root:root), mode (755)}. A disk that is blank
# gets a file system; one with anything on it is mounted as it is, and refused if that is not of this type.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

# What is on the device: a type of file system, "blank", or what else there is.
content()
{
	found=$(blkid -p -o export "$device") || { [ $? -eq 2 ] && echo blank && return || exit 1; }
	type_found=$(echo "$found" | sed -n 's/^TYPE=//p')
	echo "${type_found:-$(echo "$found" | sed -n 's/^PTTYPE=/partitions /p')}"
}

# By its own name: a device may be called otherwise after the next start.
in_fstab()
{
	{
		grep -v "[[:space:]]${path}[[:space:]]" /etc/fstab || true
		echo "UUID=$(blkid -p -s UUID -o value "$device") $path $type $options,nofail 0 2"
	} | put /etc/fstab
}

mounted()
{
	mkdir -p "$path"
	mount "$path"
}

owned()
{
	chown "$owner" "$path"
	chmod "$mode" "$path"
}

disk()
{
	device=$(coopr_config "$1/device")
	path=$(coopr_config "$1/path")
	type=$(coopr_config "$1/type" ext4)
	options=$(coopr_config "$1/options" defaults)
	owner=$(coopr_config "$1/owner" root:root)
	mode=$(coopr_config "$1/mode" 755)
	[ -e "$device" ] || later "there is no $device yet"
	case $(content) in
	blank) act "a file system on $device" "mkfs.$type" -q "$device" ;;
	"$type") ;;
	*) coopr_fail "$device has $(content) on it, and not $type; nothing is done to it" ;;
	esac
	in_fstab
	mountpoint -q "$path" || act "$path is mounted" mounted
	[ "$(stat -c %U:%G:%a "$path")" = "$owner:$mode" ] || act "the owner and mode of $path" owned
}

case $COOPR_ACTION in
configure | start | status)
	each disks/mounts device disk
	finish
	;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
