# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# volumes.sh [ID PATH BLANK DEVICE]...: mounts volumes that were attached to this machine, for automator/shell. DEVICE is the path of a block
# device, or names of it with blanks between, of which one appears; "-": the provider has mounted the volume. A file system is made only in a
# volume that is said to be blank (true), and only where there is none. What is mounted is mounted again after a restart.
#
# Exit code: 0; 75 a device does not appear; 78 a volume has no file system, though it had one, or is not mounted.

set -u
# shellcheck disable=SC1091
. ./lib.sh

# device_of NAMES: prints the one that appears within a minute.
device_of()
{
	tries=0
	while [ "$tries" -lt 120 ]; do
		for name in $1; do
			[ ! -b "$name" ] || { readlink -f "$name"; return 0; }
		done
		tries=$((tries + 1))
		sleep 0.5
	done
	return 1
}

is_mounted()
{
	place=$(readlink -f "$1") && grep -qs "^[^ ]* $place " /proc/mounts
}

# make_file_system ID DEVICE BLANK: unless there is one; of a volume that is not blank it was lost, and nothing is made in its place.
make_file_system()
{
	[ -z "$(blkid -p -o value -s TYPE "$2")" ] || return 0
	[ "$3" = true ] || coopr_fail "volume $1: there is no file system on $2, which had one"
	mkfs.ext4 -q -F "$2" >&2 || coopr_fail "volume $1: no file system can be made on $2"
}

# mount_device ID PATH BLANK DEVICES
mount_device()
{
	if ! device=$(device_of "$4"); then
		echo "volume $1: none of its devices appears: $4" >&2
		exit 75
	fi
	make_file_system "$1" "$device" "$3"
	mkdir -p "$2" || coopr_fail "volume $1: $2 cannot be made"
	uuid=$(blkid -p -o value -s UUID "$device")
	grep -qs "^UUID=$uuid " /etc/fstab || echo "UUID=$uuid $2 auto defaults,nofail 0 2 # coopr: volume $1" >>/etc/fstab
	mount -o noatime "$device" "$2" || coopr_fail "volume $1: $device cannot be mounted at $2"
}

while [ $# -ge 4 ]; do
	if ! is_mounted "$2"; then
		[ "$4" != - ] || coopr_fail "volume $1: it is not mounted at $2"
		mount_device "$1" "$2" "$3" "$4"
	fi
	# What finds it in its folder takes that for data.
	[ "$3" != true ] || rmdir "$2/lost+found" 2>/dev/null || :
	echo "volume $1 is mounted at $2"
	shift 4
done
