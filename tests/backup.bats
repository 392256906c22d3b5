#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-backup(1) and coopr-restore(1).

load case
load sshd

setup() {
	fresh
	unset COOPR_SPOOL
	own_catalogue
	coopr-store init
}

teardown() {
	sshd_stop
}

# The rest of the test is on another machine: it has another state folder, and nothing else of this one.
elsewhere() {
	export COOPR_STATE=$PWD/${1:-elsewhere}
}

a_cluster() { # NAME
	coopr-create "$1" -t hadoop-distributed -n 8 --detach >>jobs
}

# Whether the queue and the store here are as they should be, and what is kept is closed to others.
in_order() {
	run -0 coopr-queue fsck
	same "" "$output"
	run -0 coopr-store fsck
	same "" "$output"
	same "" "$(find "$COOPR_STATE" \( -type d -not -perm 0700 \) -o \( -type f -not -perm 0600 \))"
	[ ! -e "$COOPR_STATE/.restore" ] && [ ! -e "$COOPR_STATE/spool/.restore" ]
}

# Each option of a command but those named, and --server, which has it done elsewhere, with an argument, a line each: options_but COMMAND NAME...
options_but() {
	local command=$1 kind letter option argument rest

	shift
	"$command" --complete-options | tr '\t' '\037' | while IFS=$'\037' read -r kind letter option argument rest; do
		[ "$kind" = option ] || continue
		case " $* help version server " in *" $option "*) continue ;; esac
		case $argument in
		'') echo "--$option" ;;
		N) echo "--$option=3" ;;
		*"|"*) echo "--$option=${argument%%|*}" ;;
		*) echo "--$option=x" ;;
		esac
	done
}

@test "an option that has no effect on what is asked for is refused: the installation, a list, a deletion" {
	local option

	refused() { # WHEN COMMAND...
		for option in $(cat options); do
			run -64 "${@:2}" "$option"
			contains "$output" "${option%%=*}: has no effect with $1"
		done
	}
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	options_but coopr-backup installation key-file force as yes quiet list delete discard-data >options
	[ "$(wc -l <options)" -gt 12 ]
	refused "the backup of an installation" coopr-backup all.tar
	options_but coopr-restore installation key-file dry-run yes quiet >options
	[ "$(wc -l <options)" -gt 12 ]
	refused "the backup of an installation" coopr-restore all.tar
	options_but coopr-backup list tenant as store spool output color yes quiet delete >options
	refused --list coopr-backup --list
	options_but coopr-backup delete discard-data tenant as store yes quiet >options
	refused --delete coopr-backup --delete one
	# Who asks has an effect.
	run -77 coopr-backup --as ann all.tar
	run -77 coopr-backup --as nobody-of-them --key-file key all.tar
	[ ! -e all.tar ] && [ ! -e key ]
	run -0 coopr-backup --as root all.tar
}

@test "what is backed up is restored on another machine: clusters, history, the queue with its logs, files of the state folder" {
	a_cluster shop
	coopr-work --drain
	coopr-reconcile
	coopr-queue limit -P dummy=7
	mkdir -p "$COOPR_STATE/.ssh" "$COOPR_STATE/sandbox/machines/x" "$COOPR_STATE/sandbox-disks"
	truncate -s 20G "$COOPR_STATE/sandbox-disks/20480"
	echo secret >"$COOPR_STATE/.ssh/id_ed25519"
	echo local >"$COOPR_STATE/sandbox/machines/x/console"
	chmod 644 "$COOPR_STATE/.ssh/id_ed25519"
	coopr-history shop -o json >history
	coopr-queue show 00000001-001 --events >events
	coopr-show -o json shop | grep '"kind":"node"' >layout
	run -0 coopr backup --installation all.tar.gz
	contains "$output" "all.tar.gz: 1 cluster, 1 job, "
	same 600 "$(stat -c %a all.tar.gz)"
	same all.tar.gz "$(echo all*)"
	elsewhere
	run --separate-stderr -0 coopr restore all.tar.gz
	same "all.tar.gz: restored 1 cluster and 1 job to $COOPR_STATE" "$output"
	contains "$stderr" "coopr-store installation --confirm"
	in_order
	same "$(cat history)" "$(coopr-history shop -o json)"
	same "$(cat events)" "$(coopr-queue show 00000001-001 --events)"
	same "$(cat layout)" "$(coopr-show -o json shop | grep '"kind":"node"')"
	same secret "$(cat "$COOPR_STATE/.ssh/id_ed25519")"
	contains "$(coopr-queue limit)" 7
	[ ! -e "$COOPR_STATE/sandbox" ]
	[ ! -e "$COOPR_STATE/sandbox-disks" ]
	coopr-doctor -o json >report || true
	same "" "$(jq -r 'select(.name | test("^(spool|store|modes|workers)")) | select(.status != "ok") | .text' report)"
	coopr-reconcile --probe
	coopr-expand shop -n 9 >/dev/null
	in_order
}

@test "a job that ran when the backup was made continues on the other machine, and its tasks run again" {
	stubborn_service
	mkfifo arrived gate
	touch wait
	coopr-create lamp -t lamp -s stubborn --detach
	coopr-work --drain 2>/dev/null &
	hear arrived line
	coopr-backup running.tar >/dev/null
	rm wait
	exec 6<>arrived 7<>gate
	printf 'go\n%.0s' {1..9} >&7
	wait
	exec 6>&- 7>&-
	elsewhere
	coopr-restore running.tar >/dev/null
	in_order
	same running "$(coopr-list -o json | jq -r .underway.status)"
	coopr-work --drain
	coopr-reconcile
	same active "$(coopr-list -o json | jq -r .status)"
	in_order
}

@test "the key of the secrets is in no backup; it is copied apart, compared, and missed with a remedy" {
	printf topsecret | coopr-secret set word
	key=$(tr -d '\n' <"$COOPR_STATE/store.sqlite3.key")
	run -0 coopr backup a.tar
	contains "$output" "the key of the secrets is not in it"
	run -0 coopr backup --key-file key b.tar
	[[ $output != *"not in it"* ]]
	same 600 "$(stat -c %a key)"
	same "$key" "$(tr -d '\n' <key)"
	run ! grep -aqF "$key" a.tar b.tar
	run ! grep -aqF topsecret a.tar b.tar
	head -c 64 /dev/urandom | od -An -tx1 | tr -d ' \n' | head -c 64 >wrong
	chmod 600 wrong
	run -73 coopr backup --key-file wrong c.tar
	contains "$output" "wrong: another key is there already"
	[ ! -e c.tar ]
	elsewhere without
	run -0 coopr restore a.tar
	contains "$output" "the key of the secrets was not restored"
	run -66 coopr-secret set other <<<x
	contains "$output" "the key of the secrets is missing; copy it there"
	elsewhere with
	run -65 coopr restore --key-file wrong a.tar
	contains "$output" "wrong: it is not the key of this backup"
	[ ! -e with ]
	run -0 coopr restore --key-file key a.tar
	same "a.tar: restored 0 clusters and 0 jobs to $COOPR_STATE" "${lines[-1]}"
	contains "$output" "coopr-store installation --confirm"
	same "" "$(grep "the key of the secrets" <<<"$output")"
	coopr-secret set other <<<x
	in_order
}

@test "a backup replaces no file, unless that is asked for, and is never written into what it saves" {
	run -73 coopr backup "$COOPR_STATE/x.tar"
	contains "$output" "is in a folder that is backed up; name a file outside of $COOPR_STATE"
	echo mine >x.tar
	run -73 coopr backup x.tar
	contains "$output" "x.tar: the file exists already; name another file, or use --force to replace it"
	same mine "$(cat x.tar)"
	coopr backup --force x.tar >/dev/null
	coopr restore --dry-run x.tar || [ $? -eq 73 ]
	run -64 coopr backup ./x.zip
	contains "$output" "ends with .tar, .tar.gz or .tgz"
	run -64 coopr backup
	run -64 coopr backup a.tar b.tar
	run -73 coopr backup nowhere/x.tar
}

@test "only superadmins make a backup" {
	COOPR_USER=somebody run -77 coopr backup x.tar
	[ ! -e x.tar ]
}

@test "an installation that is not empty is refused, and nothing of it is changed" {
	a_cluster shop
	coopr backup all.tar >/dev/null
	run -73 coopr restore all.tar
	contains "$output" "there is a store already; a backup is restored into an empty installation"
	elsewhere jobs-there
	coopr-queue put "$BATS_TEST_TMPDIR/state/clusters/00000001/00000001-001/plan.ndjson" >/dev/null
	run -73 coopr restore all.tar
	contains "$output" "spool: has jobs already (00000001-001)"
	elsewhere log-there
	mkdir log-there
	touch log-there/store.sqlite3-wal
	run -73 coopr restore all.tar
	contains "$output" "store.sqlite3-wal: it belongs to another store; move it away"
	elsewhere file-there
	mkdir -p file-there/clusters/00000001/00000001-001
	echo other >file-there/clusters/00000001/00000001-001/command
	run -73 coopr restore all.tar
	contains "$output" "00000001-001/command: the file exists already, and differs from the one in the backup; move it away"
	same "file-there/clusters/00000001/00000001-001/command" "$(find file-there -type f)"
	elsewhere key-there
	mkdir key-there
	head -c 64 /dev/zero | tr '\0' a >key-there/store.sqlite3.key
	chmod 600 key-there/store.sqlite3.key
	run -73 coopr restore all.tar
	contains "$output" "store.sqlite3.key: it is the key of another store; move it away"
}

@test "a backup is not restored under a worker that runs" {
	coopr backup all.tar >/dev/null
	elsewhere
	coopr-work 2>log 3>&- &
	worker=$!
	until [ -n "$(ls elsewhere/spool/workers 2>/dev/null)" ]; do
		kill -0 "$worker"
		read -r -t 0.05 _ <> <(:) || true
	done
	run -75 coopr restore all.tar
	kill "$worker"
	contains "$output" "1 worker is running; stop all workers, restore, and start them again"
	wait "$worker" || true
	coopr restore all.tar >/dev/null
	in_order
}

@test "a dry run says what would be restored, and changes nothing" {
	a_cluster shop
	coopr backup all.tar >/dev/null
	elsewhere
	run -0 coopr restore --dry-run all.tar
	contains "$output" "backup of $BATS_TEST_TMPDIR/state on $(hostname), made "
	contains "$output" "1 cluster, 1 job"
	contains "$output" "state  $COOPR_STATE"
	[ ! -e "$COOPR_STATE" ]
}

# Makes bad.tar of good.tar: the program that is read from stdin has the entries, as pairs of a header and bytes, in "entries".
remake() {
	cat >change
	python3 - <<-'END'
		import io, tarfile
		entries = []
		with tarfile.open("good.tar") as good:
		    for entry in good:
		        entries.append((entry, good.extractfile(entry).read() if entry.isreg() else b""))
		find = lambda name: next(i for i, e in enumerate(entries) if e[0].name == "coopr-backup/" + name)
		def entry(name, kind=tarfile.REGTYPE, data=b"x", **more):
		    info = tarfile.TarInfo(name)
		    info.type, info.size = kind, len(data) if kind == tarfile.REGTYPE else 0
		    for key, value in more.items():
		        setattr(info, key, value)
		    return info, data
		exec(open("change").read())
		with tarfile.open("bad.tar", "w", format=tarfile.PAX_FORMAT) as bad:
		    for info, data in entries:
		        bad.addfile(info, io.BytesIO(data))
	END
}

refused() {
	run -65 coopr restore bad.tar
	contains "$output" "$1"
	contains "$output" "bad.tar: "
	[ ! -e "$COOPR_STATE" ]
}

@test "a hostile archive is refused before anything is written" {
	need_program python3
	coopr backup good.tar >/dev/null
	elsewhere
	remake <<<'entries.insert(0, entry("coopr-backup/../evil"))'
	refused "coopr-backup/../evil: the name is not allowed"
	remake <<<'entries.insert(0, entry("/coopr-backup/evil"))'
	refused "the name is not allowed"
	remake <<<'entries.insert(0, entry("coopr-backup/state/ssh/../../evil"))'
	refused "the name is not allowed"
	remake <<<'entries.insert(0, entry("evil"))'
	refused "evil: the name is not allowed"
	remake <<<'entries.insert(0, entry("coopr-backup/state/evil", tarfile.SYMTYPE, b"", linkname="/etc"))'
	refused "coopr-backup/state/evil: neither a file nor a folder"
	remake <<<'entries.insert(1, entry("coopr-backup/state/evil", tarfile.LNKTYPE, b"", linkname="coopr-backup/store.sqlite3"))'
	refused "coopr-backup/state/evil: neither a file nor a folder"
	for kind in CHRTYPE BLKTYPE FIFOTYPE; do
		remake <<<"entries.insert(0, entry('coopr-backup/state/evil', tarfile.$kind, b''))"
		refused "coopr-backup/state/evil: neither a file nor a folder"
	done
	remake <<<'entries.insert(1, entries[0])'
	refused "" # by the manifest
	for path in spool/board spool/jobs/x/state spool/tmp/x spool/workers/x state/spool/jobs/x state/store.sqlite3-wal state/.restore/ready \
		state/sandbox/x other; do
		remake <<<"entries.insert(0, entry('coopr-backup/$path'))"
		refused "$path: it does not belong in a backup"
	done
	remake <<<'entries.insert(0, entry("coopr-backup/state/evil"))'
	refused "manifest.ndjson: it names other files than the backup contains"
	remake <<<'entries.append(entry("coopr-backup/state/evil"))'
	refused "data follows the manifest"
	remake <<<'i = find("store.sqlite3"); entries[i] = (entries[i][0], entries[i][1][:-1] + b"x")'
	refused "store.sqlite3: it differs from the manifest"
	remake <<<'del entries[find("manifest.ndjson")]'
	refused "there is no manifest at its end"
	remake <<<'i = find("manifest.ndjson"); d = b"{" * 100; entries[i][0].size = 100; entries[i] = (entries[i][0], d)'
	refused "the manifest"
	remake <<-'END'
		import hashlib
		i = find("manifest.ndjson")
		lines = entries[i][1].replace(b'"format":1', b'"format":9').splitlines(True)[:-1]
		lines.append(b'{"kind":"end","sha256":"%s"}\n' % hashlib.sha256(b"".join(lines)).hexdigest().encode())
		entries[i] = (entries[i][0], b"".join(lines))
	END
	refused "the backup was made by a later version of coopr"
	head -c 100000 /dev/urandom >bad.tar
	refused ""
	: >bad.tar
	refused ""
	mkfifo fifo
	for path in . ./fifo /dev/zero ./nowhere; do
		run -66 coopr restore "$path"
	done
}

@test "an archive that is too large for the disk is refused when its header is read" {
	need_program python3
	coopr backup good.tar >/dev/null
	elsewhere
	python3 - <<-'END'
		import tarfile
		info = tarfile.TarInfo("coopr-backup/state/huge")
		info.size = 1 << 60
		with open("bad.tar", "wb") as bad:
		    bad.write(info.tobuf(tarfile.GNU_FORMAT))
		    bad.write(b"\0" * 10240)
	END
	run -73 coopr restore bad.tar
	contains "$output" "bad.tar: needs more room than the "
	[ ! -e "$COOPR_STATE" ]
}

@test "an archive that is cut off, or damaged, is refused wherever that is" {
	need_program python3
	a_cluster shop
	coopr backup good.tar >/dev/null
	coopr backup good.tar.gz >/dev/null
	elsewhere
	size=$(stat -c %s good.tar.gz)
	for ((at = 1; at < size; at += size / 17)); do
		head -c "$at" good.tar.gz >bad.tar
		refused ""
	done
	# The bytes of value 0 that say nothing are left alone: those behind the end of a file.
	for at in $(python3 -c '
		import random
		good, random = open("good.tar", "rb").read(), random.Random(1)
		print(*random.sample([i for i, byte in enumerate(good) if byte], 40))'); do
		cp good.tar bad.tar
		printf '\1' | dd of=bad.tar bs=1 seek="$at" conv=notrunc status=none
		cmp -s good.tar bad.tar || refused ""
	done
}

@test "while workers work and jobs are put, each backup is whole, and has all that was acknowledged before it" {
	for turn in {1..4}; do
		a_cluster "early$turn"
	done
	coopr-work --drain -j 4 2>/dev/null 3>&- &
	worker=$!
	for turn in {1..4}; do
		a_cluster "late$turn"
		cp jobs "acknowledged$turn"
		mkdir "events$turn"
		for job in $(cat jobs); do
			coopr-queue show "$job" --events >"events$turn/$job"
		done
		coopr-backup "all$turn.tar" >/dev/null
	done
	wait "$worker"
	coopr-work --drain
	in_order
	for turn in {1..4}; do
		elsewhere "machine$turn"
		coopr-restore "all$turn.tar" >/dev/null
		in_order
		for job in $(cat "acknowledged$turn"); do
			coopr-queue show "$job" --events >there
			cmp -n "$(stat -c %s "events$turn/$job")" "events$turn/$job" there
		done
		coopr-work --drain
		coopr-reconcile
		same "" "$(coopr-list -o json | jq -r 'select(.status != "active") | .name')"
		same $((4 + turn)) "$(coopr-list -o name | wc -l)"
		same "" "$(sort "acknowledged$turn" | comm -23 - <(coopr-queue ls -o name | sort))"
		in_order
	done
}

# The command under the shim, killed at its call number $1.
stopped_at() {
	local at=$1

	shift
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at CRASH_COUNT=$PWD/calls \
		"$@" >/dev/null 2>&1
}

@test "backup: killed at any call, the file is whole or not there, and the same command makes it" {
	make_shim
	a_cluster shop
	step=${CRASH_STEP:-23}
	for ((at = 1; at < 2000; at += step)); do
		rm -rf all.tar elsewhere key calls
		stopped_at "$at" coopr-backup all.tar || true
		if [ -e all.tar ]; then
			(elsewhere && coopr-restore all.tar && in_order) >/dev/null
		else
			coopr-backup all.tar >/dev/null
		fi
		same all.tar "$(echo all.tar*)"
		[ ! -e calls ] || break
	done
	[ -e calls ]
	in_order
}

@test "restore: killed at any call, nothing is restored or the same command does the rest" {
	make_shim
	a_cluster shop
	printf x | coopr-secret set word
	coopr-work --drain
	coopr-backup --key-file key all.tar >/dev/null
	elsewhere
	step=${CRASH_STEP:-23}
	for ((at = 1; at < 2000; at += step)); do
		rm -rf "$COOPR_STATE" calls
		stopped_at "$at" coopr-restore --key-file key all.tar || true
		[ -e "$COOPR_STATE/store.sqlite3" ] || run -66 coopr-store fsck
		# Killed between the last two calls, it leaves an empty folder.
		[ -e "$COOPR_STATE/store.sqlite3" ] && [ ! -e "$COOPR_STATE/.restore/ready" ] || coopr-restore --key-file key all.tar >/dev/null
		rmdir "$COOPR_STATE/.restore" 2>/dev/null || true
		in_order
		same shop "$(coopr-list -o name)"
		same 00000001-001 "$(coopr-queue ls -o name)"
		coopr-secret set other <<<y
		[ ! -e calls ] || break
	done
	[ -e calls ]
}

@test "a restore that was interrupted is finished with the same backup only" {
	make_shim
	a_cluster shop
	coopr-backup all.tar >/dev/null
	a_cluster second
	coopr-backup other.tar >/dev/null
	elsewhere
	for ((at = 1; ; at++)); do
		rm -rf "$COOPR_STATE"
		stopped_at "$at" coopr-restore all.tar || true
		[ ! -e "$COOPR_STATE/.restore/ready" ] || break
	done
	run -73 coopr restore other.tar
	contains "$output" "the restore of another backup was interrupted; run it again with that file"
	coopr-doctor -o json >report || true
	same "run coopr restore with the same file again" "$(jq -r 'select(.name == "restore") | .remedy' report)"
	coopr-restore all.tar >/dev/null
	same shop "$(coopr-list -o name)"
	in_order
}

@test "a disk that is full is told of, and leaves nothing behind" {
	need_root
	a_cluster shop
	coopr-backup all.tar >/dev/null
	cat >script <<-'END'
		mkdir small
		mount -t tmpfs -o size=120k tmpfs small
		run() { "$@" 2>&1 || echo "code $?"; }
		run coopr-backup small/all.tar
		ls -A small
		COOPR_STATE=$PWD/small/state run coopr-restore all.tar
		ls -A small
	END
	run -0 unshare -m --propagation private bash script
	contains "$output" "code 74"
	contains "$output" "code 73"
	contains "$output" "needs more room"
	[[ $output != *state$'\n'* ]]
}

@test "on another machine the user and the host name may be others" {
	need_root
	a_cluster shop
	printf x | coopr-secret set word
	coopr-work --drain
	coopr-backup --key-file key all.tar >/dev/null
	need_program setpriv
	mkdir theirs
	cp -R all.tar key mine theirs/
	chown -R 65534 theirs
	cat >script <<-'END'
		hostname elsewhere
		mount -t tmpfs -o mode=755 none /mnt
		mkdir /mnt/here /mnt/out
		mount --bind theirs /mnt/here
		mount --bind "${COOPR_BIN%/bin}" /mnt/out
		cd /mnt/here
		export HOME=$PWD COOPR_STATE=$PWD/state COOPR_CATALOGUE=$PWD/mine PATH=/mnt/out/bin:$PATH
		unset XDG_RUNTIME_DIR
		exec setpriv --reuid 65534 --regid 65534 --clear-groups bash -ec '
			coopr-restore --key-file key all.tar
			coopr-list -o name
			coopr-secret set other <<<y
			coopr-expand shop -n 9 >/dev/null
			coopr-queue fsck
			coopr-backup again.tar
			coopr-restore --dry-run again.tar || true'
	END
	run -0 unshare --uts --mount --propagation private bash script
	contains "$output" "restored 1 cluster and 1 job to /mnt/here/state"
	contains "$output" "shop"
	same "" "$(find theirs/state -not -uid 65534)"
}

# A catalogue at mine/ whose template hello has machines that exist already: sshd_start's, by two names.
static_catalogue() {
	rm -rf mine && cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	mkdir mine/scripts keys
	mv sshd/user keys/user
	printf '%s\n' "127.0.0.1 port=$SSHD_PORT identityfile=$PWD/keys/user" "127.0.0.2 port=$SSHD_PORT identityfile=$PWD/keys/user" \
		>mine/machines
	echo '{"name": "static", "providertype": "static", "provisioner": {"machines": "machines", "user": "root",
		"shared_host_keys": true}}' >mine/providers/static.json
	echo '{"name": "hello", "provisioner": {"actions": {"configure": {"type": "shell", "fields": {"script": "hello.sh"},
		"retries": 0}}}}' >mine/services/hello.json
	echo '{"name": "hello", "defaults": {"services": ["hello"], "provider": "static", "hardwaretype": "small",
		"imagetype": "debian12", "config": {}}}' >mine/clustertemplates/hello.json
	printf '%s\n' '#!/bin/sh' '. ./lib.sh' 'echo "$COOPR_NODENUM $(coopr_config word)"' >mine/scripts/hello.sh
}

@test "nodes that exist already are reached from the other machine, with their host keys, once their private key and the catalogue are there" {
	need_root
	sshd_start
	static_catalogue
	printf x | coopr-secret set word
	coopr-create hello -t hello -n 2 >/dev/null
	pinned=$(coopr-show hello -o json | jq -c 'select(.kind == "node") | .facts.ssh_host_keys')
	contains "$pinned" "$(cut -d' ' -f2 sshd/host.pub)"
	coopr-backup --key-file key all.tar.gz >/dev/null
	mkdir there there/home
	mv mine all.tar.gz key there
	mv state gone
	mv keys apart
	export HOME=$PWD/there/home COOPR_CATALOGUE=$PWD/there/mine
	elsewhere there/state
	coopr-restore --key-file there/key there/all.tar.gz >/dev/null
	in_order
	same "$pinned" "$(coopr-show hello -o json | jq -c 'select(.kind == "node") | .facts.ssh_host_keys')"
	run -1 coopr-reconcile --probe
	contains "$output" "since the private key $PWD/keys/user cannot be read: No such file or directory; put the key there"
	mv apart keys
	coopr-reconcile --probe
	coopr-upgrade --catalogue "$COOPR_CATALOGUE" hello -y >/dev/null
	same $'hello1-1000 | up\nhello1-1001 | up' "$(coopr-exec hello echo up | sort)"
	coopr-config hello --set word=second -y >/dev/null
	contains "$(coopr-log hello/1001)" "1001 second"
	coopr-reconcile --probe
	coopr-delete -y hello >/dev/null
	same "" "$(coopr-store claims)"
	in_order
}

@test "a backup whose store is of a later version is refused before anything is in its place" {
	need_program python3
	coopr backup good.tar >/dev/null
	elsewhere
	remake <<-'END'
		import hashlib, json
		i = find("store.sqlite3")
		data = entries[i][1][:60] + (9999).to_bytes(4, "big") + entries[i][1][64:]
		entries[i] = (entries[i][0], data)
		m = find("manifest.ndjson")
		lines = [json.loads(line) for line in entries[m][1].splitlines()[:-1]]
		for line in lines:
		    if line.get("path") == "store.sqlite3":
		        line["sha256"] = hashlib.sha256(data).hexdigest()
		text = b"".join(json.dumps(line, sort_keys=True, separators=(",", ":")).encode() + b"\n" for line in lines)
		text += b'{"kind":"end","sha256":"%s"}\n' % hashlib.sha256(text).hexdigest().encode()
		entries[m][0].size = len(text)
		entries[m] = (entries[m][0], text)
	END
	run -65 coopr restore bad.tar
	contains "$output" "bad.tar: "
	contains "$output" "it is of version 9999, this program knows up to"
	[ ! -e "$COOPR_STATE/store.sqlite3" ]
	[ -z "$(find "$COOPR_STATE" -type f -name 'store*')" ]
}
