#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-sandbox(7), images that are archives or OCI layouts. All are made here, of a small tree with the host's sshd.

load case
load sandbox

setup() {
	fresh
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip jq flock python3 tar gzip sha256sum
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	IMAGES=$COOPR_STATE/sandbox-images
}

teardown() {
	sandbox purge >/dev/null
	[ ! -e "$COOPR_STATE/sandbox" ] || find "$COOPR_STATE/sandbox" -print -exec false {} +
}

# A take record: imaged NODENUM IMAGE
imaged() {
	record "$1" ".machine.image = $(jq -n --arg image "$2" '$image')"
}

# Makes a machine and waits until it answers: up NODENUM IMAGE
up() {
	imaged "$@" | sandbox create >"$1.json"
	imaged "$@" | sandbox confirm >/dev/null
}

# Fails to make one, for a reason that says: refused IMAGE WORDS
refused() {
	run --separate-stderr sandbox create <<<"$(imaged 1999 "$1")"
	[ "$status" -ne 0 ]
	contains "$output" "$2"
}

# Runs a command in a machine, as its root: on NODENUM COMMAND
on() {
	local address key

	read -r address key < <(jq -r '"\(.ipaddresses.access_v4) \(.result.ssh_host_keys.ed25519)"' "$1.json")
	echo "$address $key" >"$1.known"
	ssh -F none -o ConnectTimeout=5 -o BatchMode=yes -o UserKnownHostsFile="$PWD/$1.known" -o LogLevel=ERROR \
		-i "$COOPR_STATE/ssh/id_ed25519" "root@$address" "$2"
}

# Puts a file among the blobs of the layout, and prints its descriptor: blob FILE TYPE
blob() {
	local digest

	digest=$(sha256sum <"$1" | cut -d' ' -f1)
	cp "$1" "layout/blobs/sha256/$digest"
	jq -n -c --arg digest "sha256:$digest" --arg type "$2" --argjson size "$(stat -c %s "$1")" '{mediaType: $type, digest: $digest, size: $size}'
}

# Makes the folder layout, with one more image: layout TAG LAYER...
layout() {
	local tag=$1 layer layers=""

	shift
	mkdir -p layout/blobs/sha256
	echo '{"imageLayoutVersion": "1.0.0"}' >layout/oci-layout
	[ -e layout/index.json ] || echo '{"schemaVersion": 2, "manifests": []}' >layout/index.json
	for layer; do
		layers+=$(blob "$layer" application/vnd.oci.image.layer.v1.tar+gzip)
	done
	echo '{"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}}' >config.json
	jq -n -c --argjson config "$(blob config.json application/vnd.oci.image.config.v1+json)" --argjson layers "$(jq -s . <<<"$layers")" \
		'{schemaVersion: 2, config: $config, layers: $layers}' >manifest.json
	jq -c --arg tag "$tag" --argjson one "$(blob manifest.json application/vnd.oci.image.manifest.v1+json)" \
		'.manifests |= map(select(.annotations["org.opencontainers.image.ref.name"] != $tag)) +
			[$one + {annotations: {"org.opencontainers.image.ref.name": $tag}}]' layout/index.json >index.new
	mv index.new layout/index.json
}

# Trees in the cache.
trees() {
	find "$IMAGES" -mindepth 1 -maxdepth 1 -regextype posix-extended -regex '.*/[0-9a-f]{64}' | wc -l
}

# Writes a tar with Python: tar_of FILE, a program that adds entries to t
tar_of() {
	{ printf 'import io, tarfile\nt = tarfile.open("%s", "w")\ndef add(name, **more):\n' "$1"
		printf '    i = tarfile.TarInfo(name)\n    data = more.pop("data", b"")\n    i.size = len(data)\n'
		printf '    for k, v in more.items(): setattr(i, k, v)\n    t.addfile(i, io.BytesIO(data))\n'
		cat
		echo 't.close()'; } >make.py
	python3 make.py
}

@test "an archive of a root file system is an image, in any compression, unpacked once for all machines of it" {
	make_tree
	tar -C tree --numeric-owner -czf image.tar.gz .
	up 1000 "$PWD/image.tar.gz"
	same "first shop42-1000" "$(on 1000 'cat /etc/motd /etc/hostname' | xargs)"
	same "0 0 1000" "$(on 1000 'stat -c %u / /etc/passwd /var/old' | xargs)"
	inode=$(stat -c %i "$IMAGES"/*/root/etc/motd)
	up 1001 "$PWD/image.tar.gz"
	on 1000 'echo theirs >/etc/motd; touch /usr/new'
	same first "$(on 1001 'cat /etc/motd')"
	same "1 $inode" "$(trees) $(stat -c %i "$IMAGES"/*/root/etc/motd)"
	tar -C tree --numeric-owner -cf image.tar . && touch image.tar # the same in another file
	up 1002 "$PWD/image.tar"
	same 2 "$(trees)"
	if command -v zstd >/dev/null; then
		zstd -q image.tar -o image.tar.zst && up 1003 "$PWD/image.tar.zst"
		same first "$(on 1003 'cat /etc/motd')"
	fi
}

@test "an OCI layout is an image, with its layers and their whiteouts" {
	make_tree
	tar -C tree --numeric-owner -czf base.tgz .
	mkdir -p second/etc second/var/old second/bin
	echo second >second/etc/motd && touch second/etc/.wh.gone second/var/old/.wh..wh..opq && echo new >second/var/old/new
	tar -C second --numeric-owner -czf second.tgz etc/motd etc/.wh.gone var/old/new var/old/.wh..wh..opq
	layout one base.tgz second.tgz
	up 1000 "$PWD/layout"
	same "second new" "$(on 1000 'cat /etc/motd /var/old/new' | xargs)"
	same "" "$(on 1000 'ls /etc/gone /var/old/file /etc/.wh.gone 2>/dev/null; true')"
	layout two base.tgz
	refused "$PWD/layout" "more than one image; name one, as FOLDER:TAG"
	refused "$PWD/layout:three" "has no image three"
	up 1001 "$PWD/layout:two"
	same first "$(on 1001 'cat /etc/motd')"
	same "old gone" "$(on 1001 'cat /var/old/file /etc/gone' | xargs)"
}

@test "a layer puts files where links of the layers before it lead" {
	make_tree
	ln -s /var/old tree/etc/link
	tar -C tree --numeric-owner -czf base.tgz .
	tar_of second.tar <<-'P'
		add("etc/link/through", data=b"in old")
		add("etc/\u0151.pem", data=b"x")
	P
	layout one base.tgz second.tar
	up 1000 "$PWD/layout"
	same "in old" "$(on 1000 'cat /var/old/through')"
	same 1 "$(on 1000 'ls /etc' | grep -c 'pem$')"
}

@test "an image that does not have the digest that it says is refused, and nothing of it is kept" {
	make_tree
	tar -C tree --numeric-owner -czf base.tgz .
	layout one base.tgz
	largest=$(find layout/blobs/sha256 -type f -printf '%s %f\n' | sort -n | tail -n 1 | cut -d' ' -f2)
	printf 'x' | dd of="layout/blobs/sha256/$largest" bs=1 seek=1000 conv=notrunc status=none
	refused "$PWD/layout" "is damaged: its digest is"
	same 0 "$(trees)"
	[ ! -e "$IMAGES/new" ]
	rm "layout/blobs/sha256/$largest"
	refused "$PWD/layout" "blobs/sha256/$largest"
	head -c 100000 base.tgz >cut.tgz
	refused "$PWD/cut.tgz" "truncated"
	echo "no archive" >text
	refused "$PWD/text" "image $PWD/text: archive: "
	same 0 "$(trees)"
	for index in '[]' '{"manifests": 1}' '{"manifests": [1]}' '{"manifests": [{"digest": "sha256:../../x"}]}' '{"manifests": [{"digest": "md5:x"}]}' '{'; do
		echo "$index" >layout/index.json
		refused "$PWD/layout" "image $PWD/layout: "
	done
}

@test "nothing of an archive leaves its tree: names, links, hard links, whiteouts, devices" {
	mkdir victim && echo mine >victim/file
	for path in ../escape a/../../escape "$PWD/victim/../escape" a/./../..; do
		tar_of hostile.tar <<<"add('$path', data=b'x')"
		refused "$PWD/hostile.tar" "leads out of the archive"
	done
	for target in "$PWD/victim" ../../../../../../../../../../../../"$PWD/victim" /proc/self/cwd/victim /proc/self/root"$PWD/victim"; do
		tar_of hostile.tar <<-P
			add("link", type=tarfile.SYMTYPE, linkname="$target")
			add("link/new", data=b"x")
			add("link/file", data=b"theirs")
		P
		run --separate-stderr sandbox create <<<"$(imaged 1999 "$PWD/hostile.tar")"
		[ "$status" -ne 0 ]
	done
	for target in "$PWD/victim/file" ../victim/file; do
		tar_of hostile.tar <<<"add('hard', type=tarfile.LNKTYPE, linkname='$target')"
		refused "$PWD/hostile.tar" "archive: "
	done
	for name in .wh... .wh.. .wh. ; do
		tar_of hostile.tar <<<"add('$name')"
		rm -rf layout && layout one hostile.tar
		refused "$PWD/layout" "it removes no file"
	done
	tar_of hostile.tar <<-P
		add("up", type=tarfile.SYMTYPE, linkname="$PWD")
	P
	tar_of second.tar <<<"add('up/victim/.wh.file')"
	rm -rf layout && layout one hostile.tar second.tar
	run --separate-stderr sandbox create <<<"$(imaged 1999 "$PWD/layout")"
	tar_of hostile.tar <<-'P'
		add("sda", type=tarfile.BLKTYPE, devmajor=8, devminor=0)
		add("mem", type=tarfile.CHRTYPE, devmajor=1, devminor=1)
		add("pipe", type=tarfile.FIFOTYPE)
	P
	refused "$PWD/hostile.tar" "has no /usr/sbin/sshd"
	same "" "$(find "$IMAGES" -type b -o -type c -o -type p)"
	tar_of hostile.tar <<<"add('file', uid=65536)"
	refused "$PWD/hostile.tar" "its owner is none of the users 0 to 65535"
	same "file mine" "$(ls victim) $(cat victim/file)"
	[ ! -e escape ] && [ ! -e ../escape ] && [ ! -e "$IMAGES/escape" ]
}

@test "an image whose folders are links to what is open in the machine's first process changes nothing of the host" {
	make_tree
	mkdir -p victim/etc victim/root && echo 'root:x:' >victim/etc/shadow && cp victim/etc/shadow before
	for folder in etc root; do
		mv "tree/$folder" "kept.$folder"
		for fd in $(seq 6 10); do
			ln -sfn "/proc/self/fd/$fd$PWD/victim/$folder" "tree/$folder"
			imaged 1000 "$PWD/tree" | sandbox create >/dev/null 2>&1 || true
			sandbox purge >/dev/null
		done
		rm "tree/$folder" && mv "kept.$folder" "tree/$folder"
	done
	same "victim/etc/shadow" "$(find victim -type f)"
	cmp before victim/etc/shadow
}

@test "a tree goes with its last machine when the image is another one, or gone" {
	make_tree
	tar -C tree --numeric-owner -cf image.tar .
	up 1000 "$PWD/image.tar"
	sandbox purge >/dev/null
	same 1 "$(trees)" # it is still that image
	up 1000 "$PWD/image.tar"
	echo changed >tree/etc/motd && tar -C tree --numeric-owner -cf new.tar . && mv new.tar image.tar
	up 1001 "$PWD/image.tar"
	same "first changed" "$(on 1000 'cat /etc/motd') $(on 1001 'cat /etc/motd')"
	same 2 "$(trees)"
	sandbox list </dev/null | jq -c 'select(.id == "00000042-1000")' | sandbox delete >/dev/null
	same 1 "$(trees)"
	rm image.tar
	sandbox purge >/dev/null
	same 0 "$(trees)"
}

@test "an unpacking that was killed at any instant is done again" {
	local i

	make_tree
	tar -C tree --numeric-owner -czf image.tgz .
	for i in 0.01 0.05 0.1 0.2 0.4; do
		imaged 1000 "$PWD/image.tgz" | timeout -s KILL "$i" "$COOPR_BIN/../libexec/coopr/provider/sandbox" create >/dev/null || true
	done
	(cd tree && find . -type f ! -path './etc/*' -exec sha256sum {} + | sort) >expected
	for i in 1 2 3 4; do
		imaged "100$i" "$PWD/image.tgz" | sandbox create >/dev/null &
	done
	wait
	# That of 1000 may have been made before it was killed.
	same 4 "$(sandbox list </dev/null | jq -r 'select(.state == "running") | .id' | grep -c -- '-100[1-4]$')"
	same 1 "$(trees)"
	(cd "$IMAGES"/*/root && find . -type f ! -path './etc/*' -exec sha256sum {} + | sort) >found
	cmp expected found
}
