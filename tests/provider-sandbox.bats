#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-sandbox(7): machines from namespaces. Networks are drawn from the pid, so that runs outside of tests/run,
# which gives each file a network namespace of its own, do not meet.

load case
load sandbox

setup() {
	fresh
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip jq unshare flock
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	BRIDGE=coopr-$(IFS=./ && printf '%02x%02x%02x%02x' ${NETWORK%/*})
	links=$(link_names)
	jobs=() # in the background
}

# However a test ends: its machines go, and it fails if they do not. When it is interrupted, what runs in the background
# has not noticed; a create that is at work then is waited for.
teardown() {
	[ -n "${links:-}" ] || return 0
	[ ${#jobs[@]} -eq 0 ] || kill "${jobs[@]}" 2>/dev/null || :
	flock "$BATS_TEST_TMPDIR/held" true
	rm -f "$BATS_TEST_TMPDIR/small/fill"
	sandbox purge >/dev/null
	ip link delete uplink 2>/dev/null || :
	umount "$BATS_TEST_TMPDIR/small" 2>/dev/null || :
	nothing_left
}

# As that of sandbox.bash, but teardown can wait for it.
sandbox() {
	flock -s "$BATS_TEST_TMPDIR/held" "$COOPR_BIN/../libexec/coopr/provider/sandbox" "$@"
}

link_names() {
	ip -o link show | cut -d: -f2 | sort
}

nothing_left() {
	[ ! -e "$COOPR_STATE/sandbox" ] || find "$COOPR_STATE/sandbox" -print -exec false {} +
	same "$links" "$(link_names)"
	! grep -F "$BATS_TEST_TMPDIR" /proc/self/mounts
}

# Makes machines and waits until they answer: up NODENUM...
up() {
	local n

	for n; do
		record "$n" | sandbox create >"$n.created"
		record "$n" | sandbox confirm >"$n.json"
	done
}

# A fact of a machine: fact NODENUM JQ-FILTER
fact() {
	jq -r "$2" "$1.json"
}

# Runs a command in a machine, as root, over ssh: on NODENUM COMMAND...
on() {
	local n=$1 address identity user key

	shift
	read -r address identity user key < <(fact "$n" '"\(.ipaddresses.access_v4) \(.result | "\(."ssh-auth" | "\(.identityfile) \(.user)") \(.ssh_host_keys.ed25519)")"')
	echo "$address $key" >"$n.known"
	ssh -F none -o ConnectTimeout=5 -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile="$PWD/$n.known" \
		-o LogLevel=ERROR -i "$identity" "$user@$address" "$@"
}

# What list says of all machines: the values of a member, one a line.
listed() {
	sandbox list </dev/null | jq -r ".$1"
}

@test "a created machine has its own name, address, process tree and host key" {
	up 1000
	same 0 "$(fact 1000 .status)"
	same "shop42-1000.dev.example.net" "$(fact 1000 .hostname)"
	same "${NETWORK%.0/24}.2" "$(fact 1000 .ipaddresses.bind_v4)"
	same "shop42-1000 shop42-1000 shop42-1000.dev.example.net" "$(on 1000 'echo $(hostname; cat /etc/hostname; hostname -f)')"
	contains "$(on 1000 'ip -o addr show eth0')" "inet ${NETWORK%.0/24}.2/24"
	same init "$(on 1000 'tr "\0" " " </proc/1/cmdline | sed "s/ $//"')"
	same "" "$(on 1000 "ls /proc | grep -x $$")"
	same "$(cat 1000.json)" "$(cat 1000.created)"
}

@test "where the disk is full a machine is deleted nevertheless, which makes room" {
	mkdir small
	mount -t tmpfs -o size=32m none small
	export COOPR_STATE=$PWD/small/state
	mkdir small/state
	up 1000 1001
	cat /dev/zero >small/fill 2>said || true
	contains "$(cat said)" "No space left"
	record 1000 | sandbox delete >deleted
	same running "$(listed state)"
	rm small/fill
}

@test "create twice with one token makes one machine, also at the same time" {
	local i

	for i in 1 2 3 4 5 6; do
		record 1000 | sandbox create >"same.$i" &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	same 1 "$(sort -u same.* | wc -l)"
	same 0 "$(jq .status same.3)"
	same 1 "$(listed providerid | wc -l)"
	record 1000 '.token = "another"' | sandbox create >/dev/null
	same 2 "$(listed providerid | wc -l)"
}

@test "machines made at the same time have different addresses, and all answer" {
	local n

	for n in $(seq 1000 1007); do
		(up "$n" && on "$n" true && touch "$n.up") &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	same 8 "$(find . -name "*.up" | wc -l)"
	same 8 "$(listed address | sort -u | wc -l)"
}

@test "a create that was killed at any instant is completed by the next one" {
	local ms

	for ms in 1 2 3 4 5 6 8 10 12 15 20 30; do
		record 1000 | timeout -s KILL "0.$(printf '%03d' "$ms")" "$COOPR_BIN/../libexec/coopr/provider/sandbox" create >/dev/null || :
		record 1000 | sandbox create >second
		same 0 "$(jq .status second)"
		record 1000 | sandbox delete >/dev/null
		nothing_left
	done
}

@test "what a create or delete left that was killed is listed as half, and deleted" {
	local name

	up 1000
	name=$(fact 1000 .result.providerid)
	record 1000 | sandbox delete >/dev/null
	mkdir -p "$COOPR_STATE/sandbox/machines/$name" "$COOPR_STATE/sandbox/addresses"
	ln -s "$name" "$COOPR_STATE/sandbox/addresses/${NETWORK%.0/24}.2"
	same half "$(listed state)"
	record 1000 | sandbox delete >/dev/null
	nothing_left
	mkdir -p "$COOPR_STATE/sandbox/machines/$name"
	echo "garbage" >"$COOPR_STATE/sandbox/machines/$name/machine"
	same half "$(listed state)"
	up 1000
	same running "$(listed state)"
}

@test "a machine whose processes were killed is dead, and is made anew by create" {
	up 1000
	on 1000 'touch /from-the-first-life'
	kill -KILL "$(listed pid)"
	flock "$COOPR_STATE"/sandbox/machines/*/life true # waits until its init has ended
	same dead "$(listed state)"
	run -69 --separate-stderr sandbox confirm <<<"$(record 1000)"
	contains "$output" "is dead; delete it and create it again"
	up 1000
	run ! on 1000 'ls /from-the-first-life'
}

@test "after a restart of the host, delete removes what the state tells" {
	up 1000
	ip link del "$BRIDGE"
	kill -KILL "$(listed pid)"
	sandbox list </dev/null | sandbox delete
	nothing_left
}

@test "confirm fails for a machine that is not there, and for a wrong host key" {
	run -69 --separate-stderr sandbox confirm <<<"$(record 1000)"
	contains "$output" "00000042-1000: has no machine; create it"
	up 1000
	sed -i 's/^host_key=.*/host_key=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI/' "$COOPR_STATE"/sandbox/machines/*/machine
	run -76 --separate-stderr sandbox confirm <<<"$(record 1000)"
	contains "$output" "answers with another host key than it was made with"
}

@test "delete leaves nothing, finds a machine by its node's id, and may be repeated" {
	up 1000 1001
	on 1000 'mkdir -p /var/lib/x && echo y >/var/lib/x/y; sleep 1000 >/dev/null 2>&1 &'
	record 1000 '.machine.facts = {providerid: "no-such-machine"}' | sandbox delete >/dev/null
	same "00000042-1001" "$(listed id)"
	record 1000 | sandbox delete
	record 1001 | jq --slurpfile r 1001.json '.machine.facts = $r[0].result' | sandbox delete
	nothing_left
	record 1001 | sandbox delete
	nothing_left
}

@test "list shows each machine of a provider once" {
	up 1000 1001
	same "00000042-1000 00000042-1001" "$(sandbox list <<<'{"name": "here"}' | jq -r .id | xargs)"
	same "" "$(sandbox list <<<'{"name": "elsewhere"}')"
	same "running running" "$(listed state | xargs)"
	same "node 00000042 00000042-001:t1000 host here" \
		"$(sandbox list </dev/null | jq -r '"\(.kind) \(.cluster) \(.token) \(.image) \(.provider)"' | head -n 1)"
}

@test "the machines of a cluster reach each other by name, from the moment the other is made" {
	up 1000
	on 1000 'cat /etc/hosts' >before
	up 1001
	record 1002 '.cluster.id = "00000043" | .machine.id = "00000043-1002"' | sandbox create >1002.json
	contains "$(on 1000 'getent hosts shop42-1001.dev.example.net')" "$(fact 1001 .ipaddresses.bind_v4)"
	contains "$(on 1001 'getent hosts shop42-1000')" "$(fact 1000 .ipaddresses.bind_v4)"
	run ! on 1000 'getent hosts shop42-1002'
	contains "$(on 1000 'exec 3<>/dev/tcp/shop42-1001/22; head -c 4 <&3')" SSH-
	record 1001 | sandbox delete >/dev/null
	same "$(cat before)" "$(on 1000 'cat /etc/hosts')"
}

@test "the host's state, scratch files, keys, processes and mounts are not seen in a machine" {
	local mounts

	mkdir "$COOPR_STATE" && echo secret >"$COOPR_STATE/secret"
	mounts=$(cat /proc/self/mounts)
	up 1000
	same "$mounts" "$(cat /proc/self/mounts)"
	run ! on 1000 "ls $COOPR_STATE/secret"
	same "" "$(on 1000 'ls -A /tmp && ls -A /home && ls -A /var/tmp; cat /etc/ssh/ssh_host_rsa_key 2>/dev/null')"
	same ".ssh" "$(on 1000 'ls -A /root')"
	for file in /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow-; do
		same "" "$(on 1000 "cat $file 2>/dev/null" | cut -d: -f2 | grep -vx '\*')"
	done
	same "" "$(on 1000 "grep -F '$BATS_TEST_TMPDIR' /proc/self/mounts")"
	on 1000 'echo changed >/etc/motd'
	run ! grep -x changed /etc/motd
}

@test "the spool that the task comes from is not seen in a machine, wherever it is" {
	mkdir -p elsewhere/jobs/00000042-001
	echo secret >elsewhere/jobs/00000042-001/plan.ndjson
	record 1000 ".nodes = \"$PWD/elsewhere/jobs/00000042-001/nodes.ndjson\"" | sandbox create >created
	record 1000 | sandbox confirm >1000.json
	same "" "$(on 1000 "ls -A $PWD/elsewhere")"
}

@test "root of a machine cannot mount, make devices, set the clock or the kernel's settings" {
	up 1000
	run ! on 1000 'mount -t tmpfs none /mnt'
	run ! on 1000 'mknod /var/tmp/disk b 7 0'
	run ! on 1000 'date -s 2001-01-01'
	run ! on 1000 'echo 1 >/proc/sys/kernel/panic'
	run ! on 1000 'cat /proc/kcore /proc/kallsyms | grep -q .'
	run ! on 1000 'touch /sys/kernel/x'
}

@test "a machine has what daemons expect: /dev, /dev/shm, /run/lock, lo, terminals, users' files" {
	up 1000
	on 1000 'set -e
		for d in null zero full random urandom tty; do test -c /dev/$d; done
		test "$(stat -c %a /dev/shm /tmp /run/lock /var/tmp | xargs)" = "1777 1777 1777 1777"
		test -d /run/sshd
		exec 3<>/dev/tcp/localhost/22
		test "$(echo /dev/fd/0 /dev/stdin)"
		su -s /bin/sh -c "cat /etc/hosts" nobody >/dev/null
		test "$(getent hosts localhost)"'
	contains "$(ssh_tty)" "/dev/pts/0"
}

# A login with a terminal.
ssh_tty() {
	local address

	on 1000 true
	address=$(fact 1000 .ipaddresses.access_v4)
	ssh -F none -tt -o BatchMode=yes -o UserKnownHostsFile="$PWD/1000.known" -o LogLevel=ERROR \
		-i "$COOPR_STATE/ssh/id_ed25519" "root@$address" tty </dev/null
}

@test "shared directories are read only at the same path, and must exist" {
	local shared=$BATS_TEST_TMPDIR/packages

	mkdir packages && echo deb >packages/x.deb && ln -s packages link
	record 1000 ".cluster.provider.provisioner.share = [\"$shared\", \"$BATS_TEST_TMPDIR/link\"]" | sandbox create >1000.json
	record 1000 | sandbox confirm >/dev/null
	same "deb deb" "$(on 1000 "cat $shared/x.deb $BATS_TEST_TMPDIR/link/x.deb" | xargs)"
	run ! on 1000 "touch $shared/y"
	record 1001 ".cluster.provider.provisioner.share = \"$shared:/etc/apt\"" | sandbox create >1001.json
	record 1001 | sandbox confirm >/dev/null
	same deb "$(on 1001 "cat $shared/x.deb")"
	run -78 --separate-stderr sandbox create <<<"$(record 1002 '.cluster.provider.provisioner.share = "/no/such"')"
	contains "$output" "share /no/such: not a directory on this host"
}

# Makes a directory tree with no more in it than sshd and a shell need.
make_tree() {
	local program file

	mkdir -p tree/usr/{bin,sbin,lib,lib64} tree/etc tree/proc tree/run/sshd tree/var
	ln -s usr/bin usr/sbin usr/lib usr/lib64 tree/
	for program in /usr/sbin/sshd /bin/sh /bin/cat; do
		for file in "$program" $(ldd "$program" | grep -o '/[^ )]*'); do
			mkdir -p "tree/$(dirname "$file")"
			cp -L "$file" "tree/$file"
		done
	done
	grep -E '^(root|sshd|nobody):' /etc/passwd | sed 's|:[^:]*$|:/bin/sh|' >tree/etc/passwd
	grep -E '^(root|nogroup):' /etc/group >tree/etc/group
	mkdir -p tree/run/sshd && echo mine >tree/etc/motd
}

@test "an image is the host, or a directory tree; what does not exist is an error" {
	make_tree
	record 1000 ".machine.image = \"$PWD/tree\"" | sandbox create >1000.json
	record 1000 | sandbox confirm >/dev/null
	same "mine shop42-1000" "$(on 1000 'cat /etc/motd /etc/hostname' | xargs)"
	on 1000 'echo theirs >/etc/motd'
	same mine "$(cat tree/etc/motd)"
	rm tree/usr/sbin/sshd
	run -78 --separate-stderr sandbox create <<<"$(record 1001 ".machine.image = \"$PWD/tree\"")"
	contains "$output" "has no /usr/sbin/sshd"
	run -78 --separate-stderr sandbox create <<<"$(record 1001 '.machine.image = "debian"')"
	contains "$output" 'image debian: is neither \"host\" nor the absolute path of a directory tree'
	run -78 --separate-stderr sandbox create <<<"$(record 1001 '.machine.image = "/no/such"')"
	contains "$output" "neither a directory tree nor an archive or OCI layout on this host"
}

@test "a network must be one, and nobody else's" {
	run -78 --separate-stderr sandbox create <<<"$(record 1000 '.cluster.provider.provisioner.network = "10.1.2.3/16"')"
	contains "$output" "is an address in the network 10.1.0.0/16"
	run -78 --separate-stderr sandbox create <<<"$(record 1000 '.cluster.provider.provisioner.network = "lan"')"
	contains "$output" "network lan: not a network"
	up 1000
	COOPR_STATE=$PWD/other run -78 --separate-stderr sandbox create <<<"$(record 1001)"
	contains "$output" "its bridge $BRIDGE belongs to the sandbox machines in network $NETWORK of the COOPR_STATE $COOPR_STATE; delete"
	contains "$output" 'a network of its own in its provisioner'
	alias=$(ip -o link show "$BRIDGE" | sed -n 's/.* alias //p')
	ip link set dev "$BRIDGE" alias "somebody's"
	COOPR_STATE=$PWD/other run -78 --separate-stderr sandbox create <<<"$(record 1001)"
	contains "$output" "its bridge $BRIDGE exists, and is not of coopr: somebody's (\\\"ip -d link show $BRIDGE\\\" tells more)"
	ip link set dev "$BRIDGE" alias "$alias"
	run -78 --separate-stderr sandbox create <<<"$(record 1001 '.cluster.provider.provisioner.network |= sub("0/24"; "128/25")')"
	contains "$output" "the host is in it already, by its interface $BRIDGE"
	run -78 --separate-stderr sandbox create <<<"$(record 1001 '.cluster.provider.provisioner.network |= sub("0/24"; "0/30")')"
	contains "$output" "belongs to the sandbox machines in network $NETWORK of"
}

@test "a network that is full is an error that says so" {
	NETWORK=${NETWORK%/24}/30
	up 1000
	run -69 --separate-stderr sandbox create <<<"$(record 1001)"
	contains "$output" "all its addresses are taken"
	same 1 "$(listed id | wc -l)"
}

@test "without a disk of its own, where the state directory's file system cannot hold an overlay, changes are kept in memory" {
	mkdir layers lower merged
	record 1000 >take.json
	# In memory: also the file system that the tests run on need not be one that can hold an overlay.
	run -0 unshare -m bash -c '
		mount -t tmpfs tmpfs layers && mkdir layers/upper layers/work || exit 99
		mount -t overlay overlay -o lowerdir=lower,upperdir=layers/upper,workdir=layers/work merged || exit 99
		mount --bind /dev/null /dev/loop-control || exit 99
		export COOPR_STATE=$PWD/merged
		"$@" create <take.json 2>&1 >created && "$@" confirm <take.json >confirmed && "$@" purge >/dev/null' \
		- "$COOPR_BIN/../libexec/coopr/provider/sandbox"
	contains "$output" "its disk is not limited: no loop device"
	contains "$output" "changes are kept in memory"
	same "$(cat created)" "$(cat confirmed)"
}

@test "a machine keeps nothing of the process that made it" {
	exec 9>lock
	flock 9
	up 1000 # it returns, so no reader of its output waits for the machine
	exec 9>&-
	flock -n lock true
	same "container=coopr" "$(tr '\0' '\n' <"/proc/$(listed pid)/environ")"
	# The last is what sshd says.
	same "0 1 2 3 4" "$(cd "/proc/$(listed pid)/fd" && echo *)"
}

@test "the installation's key is made once, whoever comes first" {
	local n

	for n in 1000 1001 1002 1003; do
		record "$n" | sandbox create >"$n.json" &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	same 600 "$(stat -c %a "$COOPR_STATE/ssh/id_ed25519")"
	same "id_ed25519 id_ed25519.pub" "$(cd "$COOPR_STATE/ssh" && echo *)"
	for n in 1000 1001 1002 1003; do
		record "$n" | sandbox confirm >/dev/null
		on "$n" true
	done
}

@test "who is not root is told to use sudo" {
	need_program setpriv
	setpriv --reuid=65534 --clear-groups test -x "$COOPR_BIN/../libexec/coopr/provider/sandbox" ||
		skip "needs a checkout that others may read"
	run -77 --separate-stderr env COOPR_SANDBOX_SOCKET=/nowhere setpriv --reuid=65534 --clear-groups \
		"$COOPR_BIN/../libexec/coopr/provider/sandbox" create <<<"$(record 1000)"
	contains "$stderr" "only root can make namespaces and bridges, and there is no helper that does it for others at /nowhere; use sudo"
	same 77 "$(jq .status <<<"$output")"
}

@test "a wrong record gets all its errors, in one result" {
	run -65 --separate-stderr sandbox create <<<'{"kind": "task"}'
	contains "$output" "/token: expected string, found nothing"
	contains "$output" "/machine: expected object, found nothing"
	same "result 65" "$(jq -r '"\(.kind) \(.status)"' <<<"$output")"
	run -65 --separate-stderr sandbox create <<<"$(record 1000 '.machine.id = "../x" | .machine.hostname = "a b"')"
	contains "$output" "/machine/id:"
	contains "$output" "/machine/hostname:"
	run -65 sandbox create <<<'{"kind":'
	run -65 sandbox create </dev/null
	run -65 sandbox delete <<<'[]'
	run -65 sandbox list <<<'{'
}

@test "misuse, a full disk and describe are as everywhere" {
	run -64 sandbox
	run -64 sandbox fly
	run -64 sandbox list more
	up 1000
	run -74 bash -c '"$1" list </dev/null >/dev/full' - "$COOPR_BIN/../libexec/coopr/provider/sandbox"
	contains "$output" "No space left on device"
	same "flavors network route share unconfined" "$(sandbox describe | jq -r '.properties | keys | join(" ")')"
}

# A server at a port, which answers with the address of who asks; in a network namespace of its own with "unshare -n" for PREFIX:
# serve PORT [PREFIX]... Its pid is in $server.
serve() {
	rm -f ready
	mkfifo ready
	"${@:2}" python3 -c '
import socketserver, sys
class Handler(socketserver.BaseRequestHandler):
    def handle(self): self.request.sendall((self.client_address[0] + "\n").encode())
server = socketserver.TCPServer(("", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()' "$1" >ready 3>&- &
	server=$!
	jobs+=("$server")
	same ready "$(head -n 1 ready)"
}

# What is beyond this host: 203.0.113.2, where the host is 203.0.113.1.
go_beyond() {
	serve 8080 unshare -n
	ip link add name uplink type veth peer name eth0 netns "$server"
	ip address add 203.0.113.1/24 dev uplink
	ip link set uplink up
	nsenter --target "$server" --net ip address add 203.0.113.2/24 dev eth0
	nsenter --target "$server" --net ip link set eth0 up
	nsenter --target "$server" --net ip route add "$NETWORK" via 203.0.113.1
}

# Asks a server from a machine: ask NODENUM ADDRESS PORT
ask() {
	on "$1" "exec 3<>/dev/tcp/$2/$3; cat <&3"
}

routed() { # NODENUM
	record "$1" '.cluster.provider.provisioner.route = true'
}

@test "a machine has a route out of the host where its provider gives it one, and nobody comes in by it" {
	need_program nft nsenter python3
	nft list tables >tables || skip "needs nft"
	echo 1 >/proc/sys/net/ipv4/ip_forward 2>/dev/null || skip "needs to set net.ipv4.ip_forward"
	go_beyond
	routed 1000 | sandbox create >1000.json
	routed 1000 | sandbox confirm
	same 203.0.113.1 "$(ask 1000 203.0.113.2 8080)"
	run ! nsenter --target "$server" --net bash -c "exec 3<>/dev/tcp/$(fact 1000 .ipaddresses.bind_v4)/22"
	nft flush ruleset
	routed 1001 | sandbox create >1001.json
	same 203.0.113.1 "$(ask 1000 203.0.113.2 8080)"
	same "$(sed -n 's/^nameserver \([0-9.]*\)$/\1/p' /etc/resolv.conf | grep -v '^127\.')" \
		"$(on 1000 "sed -n 's/^nameserver //p' /etc/resolv.conf")"
	sandbox purge >/dev/null
	same "" "$(nft list tables)"
}

@test "by its route a machine reaches neither other addresses of the host nor the machines of other networks" {
	local other=10.$((216 + $$ / 256 % 32)).$((($$ + 1) % 256)).0/24 number

	need_program nft nsenter python3
	nft list tables || skip "needs nft"
	echo 1 >/proc/sys/net/ipv4/ip_forward 2>/dev/null || skip "needs to set net.ipv4.ip_forward"
	go_beyond
	serve 8081
	routed 1000 | sandbox create >1000.json
	routed 1000 | sandbox confirm
	same "$(fact 1000 .ipaddresses.bind_v4)" "$(ask 1000 "${NETWORK%.0/24}.1" 8081)"
	run ! ask 1000 203.0.113.1 8081
	record 1001 ".cluster.provider.provisioner.network = \"$other\"" | sandbox create >1001.json
	run ! ask 1000 "${other%.0/24}.1" 8081
	run ! ask 1000 "$(fact 1001 .ipaddresses.bind_v4)" 22
	same "" "$(on 1001 'ip route show default')"
	number=$(IFS=./ && printf '%02x%02x%02x%02x' ${other%/*})
	same "0 1" "$(cat "/proc/sys/net/ipv4/conf/coopr-$number/forwarding" "/proc/sys/net/ipv4/conf/$BRIDGE/forwarding" | paste -sd" ")"
	record 1002 | sandbox create >1002.json # the provider has thought better of it
	same 0 "$(cat "/proc/sys/net/ipv4/conf/$BRIDGE/forwarding")"
}

@test "where the host forwards nothing, a provider that gives a route is told how to change that" {
	echo 0 >/proc/sys/net/ipv4/ip_forward 2>/dev/null || skip "needs to set net.ipv4.ip_forward"
	routed 1000 >task
	run --separate-stderr -78 sandbox create <task
	contains "$stderr" 'run "sysctl -w net.ipv4.ip_forward=1", or take "route" out of the provider'
	same "" "$(listed providerid)"
}
