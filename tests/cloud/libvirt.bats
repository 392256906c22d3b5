#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Provider libvirt at a libvirtd of the test's own with real machines, which QEMU runs without the help of a processor: each starts a kernel of
# Debian from its disk, and a small program of ours does there what cloud-init does with the seed, before an sshd that others wrote.

load ../case
load ../provider
load ../cloud
load ../podman
load ../libvirt

IMAGE=node.img POOL=default

setup() {
	fresh
	need_libvirt libvirt-daemon-driver-qemu qemu-system-x86 qemu-utils dnsmasq-base syslinux mtools dosfstools busybox-static dropbear-bin \
		linux-image-cloud-amd64 cpio genisoimage cloud-init
	libvirt_start qemu
	mkdir libvirt/pool
	virsh_of pool-create-as default dir --target "$PWD/libvirt/pool" >/dev/null
	cat >network.xml <<-'END'
		<network><name>default</name><forward mode='open'/><bridge name='virbr0'/>
		<ip address='10.199.0.1' netmask='255.255.255.0'><dhcp><range start='10.199.0.10' end='10.199.0.99'/></dhcp></ip></network>
	END
	virsh_of net-create network.xml >/dev/null
	machine_image libvirt/pool/node.img
	ssh-keygen -q -t ed25519 -N '' -f login
	PROVIDER=$(jq -cn --arg uri "$URI" --arg key "$(cat login.pub)" '{name: "lab", providertype: "libvirt",
		provisioner: {uri: $uri, public_key: $key, poll_s: 0.5, consistency_s: 1, flavors: {large: {memory: 256, disk: 200}}}}')
}

teardown() {
	daemon_end
}

coopr-exec() {
	inside "$COOPR_BIN/coopr-exec" "$@"
}

# What a machine does first: it reads its seed by Linux' own file system.
first_program() {
	cat <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		while read -r module; do insmod "/modules/$module"; done </modules/order
		until [ -b /dev/vdb ]; do sleep 0.1; done
		mount -t iso9660 -o ro /dev/vdb /seed
		hostname "$(sed -n 's/^local-hostname: //p' /seed/meta-data)"
		sed -n 's/^  - //p' /seed/user-data >/root/.ssh/authorized_keys
		sed -n '/ed25519_private/,/ed25519_public/s/^    //p' /seed/user-data >/etc/key
		dropbearconvert openssh dropbear /etc/key /etc/host_key
		ip link set lo up
		ip link set eth0 up
		udhcpc -q -i eth0 -s /lease
		dropbear -E -r /etc/host_key
		while :; do sleep 1000; done
	END
}

# A disk that a BIOS starts, with a kernel and a root in memory: machine_image FILE.
machine_image() {
	local kernel version tree=$PWD/tree path

	kernel=$(printf '%s\n' /boot/vmlinuz-*-cloud-amd64 | tail -n 1)
	version=${kernel#*vmlinuz-}
	mkdir -p "$tree"/{bin,modules,seed,proc,sys,dev,etc,root/.ssh,tmp,var/run}
	cp /bin/busybox /usr/sbin/dropbear /usr/bin/dropbearconvert "$tree/bin"
	ldd /usr/sbin/dropbear /usr/bin/dropbearconvert | awk '/=> \// { print $3 } /^\t\// { print $1 }' | sort -u | while read -r path; do
		mkdir -p "$tree$(dirname "$path")"
		cp -L "$path" "$tree$path"
	done
	for module in virtio_pci virtio_blk virtio_net isofs; do
		modprobe -S "$version" --show-depends "$module"
	done | awk '/^insmod/ && !seen[$2]++ { print $2 }' | while read -r path; do
		cp "$path" "$tree/modules"
		echo "${path##*/}" >>"$tree/modules/order"
	done
	first_program >"$tree/init"
	printf '#!/bin/sh\n[ "$1" != bound ] || ip addr add "$ip/$mask" dev "$interface"\n' >"$tree/lease"
	chmod 755 "$tree/init" "$tree/lease"
	echo root:x:0:0:root:/root:/bin/sh >"$tree/etc/passwd"
	echo /bin/sh >"$tree/etc/shells"
	chmod 700 "$tree/root" "$tree/root/.ssh"
	(cd "$tree" && find . | cpio -o -H newc -R 0:0 2>/dev/null) | gzip -1 >root.gz
	printf '%s\n' 'default linux' 'label linux' 'kernel vmlinuz' 'append initrd=root.gz console=ttyS0 quiet panic=-1' >syslinux.cfg
	truncate -s 48M "$1"
	mkfs.vfat -F 16 "$1" >/dev/null
	syslinux --install "$1"
	mcopy -i "$1" "$kernel" ::vmlinuz
	mcopy -i "$1" root.gz syslinux.cfg ::
}

@test "keeps the contract of providers; a machine starts from its copy of the image, and shows the host key that its seed has" {
	keeps_the_contract
	same "" "$(domains)$(disks)"
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 0 "$(member .status)"
	same "" "$(member .stderr)"
	printf '%s %s\n' "$(member .ipaddresses.access_v4)" "$(member .result.ssh_host_keys.ed25519)" >known_hosts
	same "shop42-1000" "$(inside ssh -F none -i login -o UserKnownHostsFile=known_hosts -o StrictHostKeyChecking=yes -o BatchMode=yes \
		"root@$(member .ipaddresses.access_v4)" hostname)"
	same "00000042-1000 shop42-1000 2" "$(list) $(domains) $(disks | wc -l)"
	same "200.00 MiB" "$(virsh_of vol-info coopr-"$(cat state/libvirt/installation)"-00000042-1000-root --pool default | sed -n 's/Capacity: *//p')"
	# Others read the seed as well, and the key in it is in nothing else.
	virsh_of vol-download --pool default "$(disks | grep seed)" seed.iso
	same CIDATA "$(isoinfo -d -i seed.iso | sed -n 's/^Volume id: //p')"
	isoinfo -i seed.iso -x '/USER-DATA.;1' | python3 -c 'import sys, yaml; print(yaml.safe_load(sys.stdin)["ssh_keys"]["ed25519_private"], end="")' >key
	chmod 600 key
	isoinfo -i seed.iso -x '/USER-DATA.;1' >user-data
	contains "$(cloud-init schema --config-file user-data 2>&1)" "Valid cloud-config"
	same "$(member .result.ssh_host_keys.ed25519)" "$(ssh-keygen -y -f key | cut -d ' ' -f 1,2)"
	run ! grep -rF "$(sed -n 3p key)" state result.json
	run ! grep -F "$(sed -n 3p key)" <<<"$(virsh_of dumpxml shop42-1000)"
	# Stopped by somebody, it runs again, and is the same.
	facts >before
	virsh_of destroy shop42-1000 >/dev/null
	do_task create 1000
	same 0 "$(member .status)"
	same "$(jq .facts.providerid before)" "$(facts | jq .facts.providerid)"
	do_task delete 1000
	same "0 " "$(member .status) $(domains)$(disks)"
	ask test '{"flavors": ["large"], "images": ["node.img"]}' | jq -r '"\(.name) \(.status)"' >trials
	same "credentials ok flavor ok image ok network ok" "$(paste -sd ' ' trials)"
}
