#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the base of a node.

load ../case
load ../sandbox
load ../debian
load ../sshd

teardown() {
	sshd_stop
	debian_down
	[ -z "${LOOP:-}" ] || losetup -d "$LOOP"
}

ssh_as() { # USER NODE COMMAND
	local address

	address=$(coopr-show -o json m | jq -r --arg node "$2" 'select(.kind == "node" and (.id | endswith("-" + $node))).ipaddresses.access_v4')
	ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i key "$1@$address" "$3" </dev/null
}

@test "users, names, clock, firewall, sources and upgrades are as the configuration says, a second run changes nothing, and what is changed by hand is found and repaired" {
	debian_catalogue base
	ssh-keygen -q -t ed25519 -N '' -C ann -f key
	coopr-create m -t base -n 2 --set 'ntp.servers=["%ip.service.ntp[0]%"]' \
		--set "users.accounts=[{\"name\": \"ann\", \"groups\": \"adm\", \"sudo\": true, \"keys\": [\"$(cat key.pub)\"]}]" \
		--set "apt-sources.sources=[\"deb [trusted=yes] file:$DEBIAN_PACKAGES ./\"]" \
		--set 'apt-sources.pins=[{"package": "chrony", "pin": "release *", "priority": 10}]' \
		--set 'unattended-upgrades={"origins": ["origin=Debian"], "blacklist": ["linux-image.*"]}'
	unchanged m
	is_well m

	# Who may log in, and as whom.
	same ann "$(ssh_as ann 1000 'id -un')"
	on m/1000 'visudo -cq -f /etc/sudoers.d/coopr-ann && grep -q "^ann ALL" /etc/sudoers.d/coopr-ann'
	contains "$(ssh_as ann 1000 id)" "(adm)"
	same m1-1001 "$(on m/1001 hostname)"
	contains "$(on m/1001 'getent hosts m1-1000')" "10."
	# The second follows the first.
	same "$(on m/1000 'hostname -I' | xargs)" "$(on m/1001 'chronyc -n -c tracking' | cut -d , -f 2)"
	contains "$(on m/1001 'apt-cache policy chrony')" "file:$DEBIAN_PACKAGES"
	on m/1001 'apt-cache policy chrony' | grep -q ' 10$'
	contains "$(on m/1001 'apt-config dump Unattended-Upgrade::Origins-Pattern')" '"origin=Debian";'
	# A port that nobody declared is closed, also among them.
	on m/1000 'setsid python3 -m http.server 8000 >/dev/null 2>&1 </dev/null & sleep 1'
	address=$(on m/1000 'hostname -I' | xargs)
	run ! curl -s -m 3 "http://$address:8000/"
	coopr-config -y m --set 'firewall.rules=[{"port":"udp/123"},{"port":"8000","from":"%ip.service.firewall%"}]'
	run ! curl -s -m 3 "http://$address:8000/"
	on m/1001 "python3 -c 'import urllib.request; urllib.request.urlopen(\"http://$address:8000/\", timeout=5)'"

	# By hand.
	on m/1000 'nft insert rule inet coopr input tcp dport 9999 accept'
	on m/1001 'userdel -f ann || true; echo other >/etc/hostname'
	run --separate-stderr -1 coopr-reconcile --probe -o json
	same $'firewall\nhostname\nusers' "$(jq -r '.service // empty' <<<"$output" | sort)"
	coopr-reconcile --probe --repair --work || true
	on m/1000 'nft list chain inet coopr input' >rules
	grep -q 'dport 8000' rules
	run -1 grep 9999 rules
	soon ssh_as ann 1001 true

	# A link of the user's leads root nowhere.
	ssh_as ann 1000 'rm -rf .ssh && ln -s /root/.ssh .ssh'
	before=$(on m/1000 'cat /root/.ssh/authorized_keys')
	run ! unchanged m
	same "$before" "$(on m/1000 'cat /root/.ssh/authorized_keys')"
}

# A machine that is this one, but for /etc, which is its own.
own_etc() {
	need_root
	fresh
	# shellcheck disable=SC2016 # in its own mount namespace
	sshd_start sh -c 'mkdir -p etc && mount -t tmpfs none etc && mkdir etc/upper etc/work && touch etc/upper/fstab &&
		mount -t overlay -o "lowerdir=/etc,upperdir=$PWD/etc/upper,workdir=$PWD/etc/work" none /etc'
	cp "$COOPR_ROOT"/share/coopr/catalogues/debian/scripts/*.sh catalogue/scripts/
	echo 'cat /etc/hosts' | script look.sh
	mkdir catalogue/files
	cp "$COOPR_ROOT/share/coopr/catalogues/debian/files/base.sh" catalogue/files/
}

@test "hostname: its lines of /etc/hosts come, change and go, and the others stay" {
	own_etc
	fields='{"script": "hostname.sh", "files": "base.sh", "config": ["hostname"]}'
	while read -r changed seen lines; do
		rm -f log
		task configure "$fields" "{\"hostname\": {\"hosts\": $lines}}" | jq -c --arg host "$(hostname)" '.machine.hostname = $host' >task.json
		coopr-exec -q <task.json >result.json
		same "0 $changed" "$(member '"\(.status) \(.result.changed)"')"
		rm -f log
		do_task configure '{"script": "look.sh", "config": []}'
		same "${seen/-/}" "$(grep -o '192.0.2.[0-9]*' log || true)"
		grep -q localhost log
	done <<-END
		true 192.0.2.9 ["192.0.2.9 ledger.example.net"]
		false 192.0.2.9 ["192.0.2.9 ledger.example.net"]
		true 192.0.2.8 ["192.0.2.8 other.example.net"]
		true - []
	END
}

@test "disks: a blank one gets a file system and is mounted, the second run changes nothing, and one with something else on it is refused" {
	own_etc
	need_program losetup mkfs.ext4 blkid
	truncate -s 64M image
	LOOP=$(losetup -f --show image) || skip "this host has no loop device"
	mkdir data
	config=$(jq -n --arg loop "$LOOP" --arg path "$PWD/data" '{disks: {mounts: [{device: $loop, path: $path, mode: "750"}]}}')
	fields='{"script": "disks.sh", "files": "base.sh", "config": ["disks"]}'

	do_task status "$fields" "$config"
	same 1 "$(member .status)"
	contains "$(member .message)" "a file system on $LOOP"
	do_task configure "$fields" "$config"
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	do_task configure "$fields" "$config"
	same "0 false" "$(member '"\(.status) \(.result.changed)"')"
	do_task status "$fields" "$config"
	same 0 "$(member .status)"
	same ext4 "$(blkid -p -s TYPE -o value "$LOOP")"

	do_task configure "$fields" "$(jq '.disks.mounts[0].type = "xfs"' <<<"$config")"
	same 78 "$(member .status)"
	contains "$(member .message)" "has ext4 on it, and not xfs; nothing is done to it"
}
