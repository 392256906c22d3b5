# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A libvirtd of the test's own, in namespaces of its own. Needs case and podman.
#
#	need_libvirt [PACKAGE...]   skips where it cannot be, or has not these packages
#	libvirt_start DRIVER        starts it; its host is at $URI. DRIVER is test, which is libvirt's own fake of a host, or qemu
#	virsh_of COMMAND...         asks it as a client that others wrote
#	domains                     the names of what it says is there, sorted
#	disks                       those of the volumes that are no image
#
# It is ended and entered as a podman is.

need_libvirt() {
	need_daemon
	"$COOPR_ROOT/tests/install-packages" libvirt-daemon libvirt-clients "$@" >installed 2>&1 ||
		skip "needs libvirt, which cannot be installed: $(tail -n 1 installed)"
}

# It reaps none of its own, so that it is not the first process there; and it has no KVM, which not every machine has.
libvirt_start() {
	mkdir libvirt
	cat >libvirt/start.sh <<-'END'
		set -eu
		ip link set lo up
		mkdir -p /var/lib/libvirt /var/cache/libvirt /etc/libvirt
		for folder in /run /var/lib/libvirt /var/cache/libvirt /etc/libvirt; do
			mount -t tmpfs none "$folder"
		done
		cp /etc/passwd /etc/group .
		grep -q ^libvirt-qemu: passwd || echo libvirt-qemu:x:64055:64055::/:/bin/false >>passwd
		grep -q ^libvirt-qemu: group || echo libvirt-qemu:x:64055: >>group
		mount --bind passwd /etc/passwd
		mount --bind group /etc/group
		[ ! -e /dev/kvm ] || mount --bind /dev/null /dev/kvm
		printf '%s\n' "unix_sock_dir = \"$PWD\"" 'auth_unix_ro = "none"' 'auth_unix_rw = "none"' >libvirtd.conf
		printf '%s\n' 'user = "root"' 'group = "root"' 'security_driver = "none"' 'cgroup_controllers = [ ]' 'namespaces = [ ]' \
			'remember_owner = 0' 'stdio_handler = "file"' >/etc/libvirt/qemu.conf
		libvirtd --config "$PWD/libvirtd.conf" &
		wait
	END
	URI="$1+unix:///$([ "$1" = test ] && echo default || echo system)?socket=$PWD/libvirt/libvirt-sock"
	daemon_start libvirt virsh_of version
	[ "$1" = test ] || return 0
	# A fake host is there as long as somebody is connected to it.
	mkfifo libvirt/held
	virsh -q -c "$URI" <libvirt/held >libvirt/said 2>&1 3>&- 8>&- &
	exec 8>libvirt/held
	echo hostname >&8
	until [ -s libvirt/said ]; do sleep 0.05; done
}

virsh_of() {
	virsh -q -c "$URI" "$@"
}

domains() {
	virsh_of list --all --name | sed '/^$/d; /^test$/d' | sort
}

disks() {
	virsh_of vol-list "${POOL-default-pool}" | awk '$1 ~ /^coopr-/ { print $1 }' | sort
}
