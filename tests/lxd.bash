# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# An LXD of the test's own, whose instances have no network but that of the test. Needs case and podman, whose image of a machine it takes.
#
#	need_lxd             skips where it cannot be
#	lxd_start            starts it; its socket is $DAEMON, it has an image "node" with sshd, and a network with DHCP
#
# It is ended, asked and entered as a podman is.

need_lxd() {
	need_daemon
	command -v lxd >/dev/null && command -v mksquashfs >/dev/null && command -v busybox >/dev/null ||
		"$COOPR_ROOT/tests/install-packages" lxd lxd-client dnsmasq-base squashfs-tools busybox iptables >installed 2>&1 ||
		skip "needs lxd, which cannot be installed: $(tail -n 1 installed)"
}

# The image of a machine, with an init that asks for an address and starts sshd.
lxd_image() {
	local folder=$BATS_FILE_TMPDIR/lxd-image

	[ ! -e "$folder/meta.tar" ] || return 0
	node_image
	mkdir -p "$folder/root" "$folder/meta"
	tar -C "$folder/root" -xf "$BATS_FILE_TMPDIR/node.tar"
	cp -L "$(type -P busybox)" "$folder/root/usr/bin/busybox"
	ldd "$folder/root/usr/bin/busybox" 2>/dev/null | awk '/=> \// { print $3 }' | while read -r path; do
		cp -nL "$path" "$folder/root/usr${path#/usr}"
	done
	cat >"$folder/root/usr/sbin/init" <<-'END'
		#!/bin/sh
		trap 'exit 0' TERM PWR INT
		busybox ip link set lo up
		mkdir -p /run/sshd
		busybox udhcpc -q -i eth0 -s /etc/udhcpc.sh >/run/udhcpc.log 2>&1
		/usr/sbin/sshd -D -e >/run/sshd.log 2>&1 &
		while :; do wait; sleep 3600 & wait $!; done
	END
	cat >"$folder/root/etc/udhcpc.sh" <<-'END'
		#!/bin/sh
		[ "$1" = bound ] && busybox ip address add "$ip/24" dev eth0 && busybox ip link set eth0 up
	END
	chmod 755 "$folder/root/usr/sbin/init" "$folder/root/etc/udhcpc.sh"
	mksquashfs "$folder/root" "$folder/rootfs.squashfs" -quiet -no-progress -comp lz4 >/dev/null
	printf 'architecture: %s\ncreation_date: 1700000000\nproperties:\n  description: node\n' "$(uname -m)" >"$folder/meta/metadata.yaml"
	mkdir "$folder/meta/templates"
	tar -C "$folder/meta" -cf "$folder/meta.tar" .
	rm -rf "$folder/root"
}

lxd_trusts() {
	daemon /1.0 | jq -e '.metadata.auth == "trusted"'
}

lxd_start() {
	lxd_image
	mkdir -p lxd/state
	DAEMON=$PWD/lxd/state/unix.socket
	cat >lxd/start.sh <<-'END'
		set -eu
		ip link set lo up
		# What it sees of the kernel's network is in /sys.
		mkdir cgroup
		mount --rbind /sys/fs/cgroup cgroup
		mount -t sysfs sysfs /sys
		mount --rbind cgroup /sys/fs/cgroup
		mount -t tmpfs none /run
		export LXD_DIR=$PWD/state
		mkdir tmp
		export TMPDIR=$PWD/tmp
		exec lxd --group root --syslog=false
	END
	daemon_start lxd lxd_trusts
	LXD_DIR=$PWD/lxd/state HOME=$PWD/lxd lxd waitready --timeout 60
	LXD_DIR=$PWD/lxd/state inside lxd init --preseed <<-'END'
		storage_pools:
		- name: default
		  driver: dir
		networks:
		- name: lxdbr0
		  type: bridge
		  config: {ipv4.address: 10.199.0.1/24, ipv4.nat: "false", ipv6.address: none}
		profiles:
		- name: default
		  devices:
		    root: {path: /, pool: default, type: disk}
		    eth0: {name: eth0, network: lxdbr0, type: nic}
	END
	LXD_DIR=$PWD/lxd/state HOME=$PWD/lxd lxc image import "$BATS_FILE_TMPDIR/lxd-image/meta.tar" "$BATS_FILE_TMPDIR/lxd-image/rootfs.squashfs" --alias node >/dev/null
}
