# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A podman of the test's own, whose containers have no network but that of the test. Needs case.
#
#	podman_start         starts it; its socket is $DAEMON, it has an image "node" with sshd, and a network "lab"
#	                     with PODMAN_DAEMON=docker that is a dockerd
#	daemon_end           ends it, with all that runs in it
#	inside COMMAND...    does a command where the machines can be reached
#	daemon PATH [...]    asks it for a thing of its API; more are options of curl
#	containers           how many it has
#	volumes_left         how many volumes

# Has what podman keeps be below a folder: podman_settings FOLDER DRIVER. It is run in a mount namespace.
podman_settings() {
	mkdir -p "$1/etc"
	cp -a /etc/containers/. "$1/etc"
	mount --bind "$1/etc" /etc/containers || return
	cat >/etc/containers/storage.conf <<-END
		[storage]
		driver = "$2"
		runroot = "$1/run"
		graphroot = "$1/storage"
	END
	cat >/etc/containers/containers.conf <<-END
		[containers]
		default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		runtime = "runc"
	END
	echo '{"default": [{"type": "insecureAcceptAnything"}]}' >/etc/containers/policy.json
}

# A root of the host's own sshd, shell and tools, as a tar; it is made once for a file of tests.
node_image() {
	local tar=$BATS_FILE_TMPDIR/node.tar tree=$BATS_TEST_TMPDIR/tree folder path

	[ ! -e "$tar" ] || return 0
	mkdir -p "$tree"/{etc/ssh,root,tmp,run,var/log,proc,sys,dev,usr/bin,usr/sbin}
	for folder in bin sbin lib lib32 lib64; do
		[ ! -e "/$folder" ] || { mkdir -p "$tree/usr/$folder" && ln -s "usr/$folder" "$tree/$folder"; }
	done
	for path in bash sh cat ls mkdir rm cp mv ln chmod chown sleep id hostname uname date env true false printf test touch head tail tr cut sed grep \
		awk ps kill tar gzip dd sync df mktemp readlink stat wc sort sha256sum base64 timeout tee find xargs mkfifo setsid flock; do
		path=$(type -P "$path") && cp -L "$path" "$tree/usr/bin/"
	done
	cp -L /usr/sbin/sshd "$tree/usr/sbin/"
	{ ldd "$tree"/usr/bin/* "$tree/usr/sbin/sshd" 2>/dev/null | awk '/=> \// { print $3 } /^\t\// { print $1 }'; ls /lib/*/libnss_files.so.2; } | sort -u |
		while read -r path; do
			mkdir -p "$tree/usr/$(dirname "${path#/usr}")"
			cp -L "$path" "$tree/usr${path#/usr}"
		done
	printf '%s\n' root:x:0:0:root:/root:/bin/sh sshd:x:101:65534::/run/sshd:/bin/false nobody:x:65534:65534::/:/bin/false >"$tree/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$tree/etc/group"
	printf '%s\n' 'root:*:20000:0:99999:7:::' >"$tree/etc/shadow"
	chmod 600 "$tree/etc/shadow"
	chmod 700 "$tree/root"
	chmod 1777 "$tree/tmp"
	: >"$tree/etc/ssh/sshd_config"
	tar -C "$tree" --owner=0 --group=0 -cf "$tar" .
	rm -rf "$tree"
}

# What a daemon and its machines take of the host.
need_daemon() {
	need_root
	need_program unshare nsenter python3 curl
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
}

# Runs FOLDER/start.sh there, in namespaces of its own, and waits until a command succeeds: daemon_start FOLDER COMMAND...
daemon_start() {
	DAEMON_FOLDER=$1
	(cd "$1" && exec unshare -n -m -p -f --mount-proc --kill-child bash start.sh) >"$1.log" 2>&1 3>&- &
	DAEMON_UNSHARE=$!
	until "${@:2}" >/dev/null 2>&1; do
		kill -0 "$DAEMON_UNSHARE" || { cat "$1.log" && return 1; }
		sleep 0.1
	done
	DAEMON_PID=$(cat "/proc/$DAEMON_UNSHARE/task/$DAEMON_UNSHARE/children")
	DAEMON_PID=${DAEMON_PID%% *}
}

# Its file systems go with its namespaces.
daemon_end() {
	[ -n "${DAEMON_UNSHARE-}" ] || return 0
	kill -KILL "$DAEMON_PID" || true
	wait "$DAEMON_UNSHARE" || true
	rm -rf "$DAEMON_FOLDER"
}

need_podman() {
	need_daemon
	command -v podman >/dev/null || "$COOPR_ROOT/tests/install-packages" podman runc netavark aardvark-dns iptables >installed 2>&1 ||
		skip "needs podman, which cannot be installed: $(tail -n 1 installed)"
}

podman_start() {
	node_image
	mkdir -p podman
	DAEMON=$PWD/podman/socket
	# It keeps things in /run, /etc and /dev/shm, and locks by its process ids.
	{ echo 'set -eu' && declare -f podman_settings && cat; } >podman/start.sh <<-'END'
		ip link set lo up
		mount -t tmpfs none /run
		mount -t tmpfs none /dev/shm
		podman_settings "$PWD" overlay
		mkdir tmp
		export TMPDIR=$PWD/tmp
		[ "${PODMAN_DAEMON-}" != docker ] || exec dockerd -H "unix://$PWD/socket" --data-root "$PWD/docker" --exec-root "$PWD/docker-run" \
			--pidfile "$PWD/docker.pid" --iptables=false --ip-masq=false --bridge=none --storage-driver=overlay2 --exec-opt native.cgroupdriver=cgroupfs
		exec podman system service --time=0 "unix://$PWD/socket"
	END
	daemon_start podman daemon /_ping
	daemon '/images/create?fromSrc=-&repo=node&tag=latest' -X POST -H 'Content-Type: application/x-tar' -T "$BATS_FILE_TMPDIR/node.tar" >/dev/null
	daemon /networks/create -H 'Content-Type: application/json' -d '{"Name": "lab", "Driver": "bridge", "IPAM": {"Config": [{"Subnet": "10.198.0.0/24"}]}}' >/dev/null
}

inside() {
	nsenter -t "$DAEMON_PID" -n "$@"
}

daemon() {
	local path=$1

	shift
	curl -sS -f --unix-socket "$DAEMON" "$@" "http://localhost$path"
}

containers() {
	daemon '/containers/json?all=true' | jq length
}

volumes_left() {
	daemon /volumes | jq '.Volumes // [] | length'
}
