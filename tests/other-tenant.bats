#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What belongs to another tenant does not exist for its users, coopr-tenant(1): every command, as one who has come by sudo(8), and
# as one who has not, against the cluster of others; and what may be read of the files, from the first moment on.

load case

COOPR=64200 JIM=64201 ANN=64202 EVE=64203

# Runs a command with a user's number, where the users are known and nothing above the files is in the way.
# at UID VARIABLE=VALUE... COMMAND...
at() {
	local uid=$1

	shift
	unshare -m --propagation private sh -c '
		set -e
		uid=$1 out=$2 here=$PWD
		shift 2
		mount --bind passwd /etc/passwd
		mount -t tmpfs -o mode=755 none /mnt
		mkdir /mnt/here /mnt/out
		mount --bind "$here" /mnt/here
		mount --bind "$out" /mnt/out
		cd /mnt/here
		exec setpriv --reuid "$uid" --regid "$uid" --clear-groups env -i PATH="/mnt/out/bin:$PATH" LC_ALL=C.UTF-8 \
			COOPR_STATE=/mnt/here/state COOPR_SPOOL=/mnt/here/spool HOME=/mnt/here/home-"$uid" "$@"' \
		sh "$uid" "${COOPR_BIN%/bin}" "$@"
}

# As sudo -u coopr does it for that user: as NAME UID COMMAND...
as() {
	local name=$1 uid=$2

	shift 2
	at $COOPR SUDO_USER="$name" SUDO_UID="$uid" "$@"
}

setup_file() {
	[ "$(id -u)" -eq 0 ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	chmod 755 .
	{
		cat /etc/passwd
		for user in coopr:$COOPR jim:$JIM ann:$ANN eve:$EVE; do
			echo "${user%:*}:x:${user#*:}:${user#*:}::/mnt/here/home-${user#*:}:/bin/sh"
		done
	} >passwd
	install -d -m 700 -o $COOPR -g $COOPR state spool home-$COOPR
	install -d -m 700 -o $EVE -g $EVE home-$EVE
	own_catalogue
	as jim $JIM coopr-store init
	for tenant in qa:ann dev:eve; do
		as jim $JIM coopr-tenant create "${tenant%:*}"
		as jim $JIM coopr-member set -T "${tenant%:*}" -r admin "${tenant#*:}"
		as jim $JIM coopr-store import -T "${tenant%:*}" mine
	done >out 2>err
	{
		echo '{"name":"marked","description":"marker-entity","providertype":"dummy"}' |
			as ann $ANN coopr-store put -k provider -m marker-why
		echo marker-value | as ann $ANN coopr-secret set marked
		as ann $ANN coopr-create hidden -t lamp -n 4 -m marker-why --set marker-key=marker-value
		as ann $ANN coopr-expand --detach -m marker-why hidden
		as eve $EVE coopr-create own -t lamp -n 4
	} >>out 2>>err
}

# All that there is of the others: rows, jobs, files.
everything() {
	at $COOPR X= sqlite3 -readonly state/store.sqlite3 "SELECT * FROM tenant; SELECT * FROM cluster WHERE id = 1;
		SELECT * FROM member WHERE tenant <> (SELECT id FROM tenant WHERE name = 'dev');
		SELECT * FROM login WHERE tenant IS NOT (SELECT id FROM tenant WHERE name = 'dev');
		SELECT * FROM operation WHERE cluster = 1; SELECT id, version FROM entity; SELECT tenant, name, version FROM secret"
	at $COOPR X= sh -c 'coopr-queue ls -o json; cat spool/jobs/00000001-*/events.ndjson'
	(cd state/clusters/00000001 && find . -type f -exec sha256sum {} + | sort)
	find state spool | grep -c .
}

setup() {
	need_root
	need_program setpriv unshare sqlite3 strace
	cd "$BATS_FILE_TMPDIR" || return
	at $COOPR X= test -r /mnt/out/share/coopr/schema || skip "another user cannot read the build"
	cp "$BATS_TEST_DIRNAME/other-tenant/try-all" .
	everything >before
}

teardown() {
	[ ! -e before ] || { cd "$BATS_FILE_TMPDIR" && everything >after && diff before after; }
}

@test "who may sees it" {
	contains "$(as ann $ANN coopr-list -o json)" '"hidden"'
	contains "$(as jim $JIM coopr-list -A -o json)" '"hidden"'
	contains "$(as jim $JIM coopr-queue ls -o json)" 00000001-002
	contains "$(as ann $ANN coopr-config hidden)" marker-value
}

@test "by no command, with no operand and no option, a guest sees or touches what is another tenant's" {
	as eve $EVE bash try-all >found 2>&1 || { cat found; false; }
	contains "$(cat found)" "tried"
}

@test "nor one who says to be another, or of another tenant" {
	as eve $EVE env COOPR_TENANT=qa bash try-all brief >found 2>&1 || { cat found; false; }
	as eve $EVE env COOPR_USER=ann bash try-all brief >found 2>&1 || { cat found; false; }
}

@test "nor a member of no tenant, nor who comes without sudo" {
	as mallory 64299 bash try-all brief >found 2>&1 || { cat found; false; }
	at $EVE X= bash try-all >found 2>&1 || { cat found; false; }
}

# What came of a task of this type and with these fields: task TYPE ACTION FIELDS [PROVIDER]
task() {
	jq -cn --arg type "$1" --arg action "$2" --argjson fields "$3" --argjson provider "${4:-{\}}" '{kind: "task", id: "t1",
		job: "00000002-001", token: "x", attempt: 1, action: $action, service: (if $type == "shell" then "web" else null end), type: $type,
		fields: $fields, timeout_s: 60, cluster: {id: "00000002", name: "own", config: {}, provider: $provider},
		machine: {id: "00000002-1000", nodenum: 1000, hostname: "h", sshuser: "root", ipaddresses: {access_v4: "127.0.0.1"},
			facts: {ssh_host_keys: {ed25519: "ssh-ed25519 AAAA"}}}}' | at $COOPR X= coopr-exec -q | jq -r '"\(.status) \(.message)"'
}

@test "what a tenant's documents name is none of coopr's own files, not by a link either" {
	ln -sfn state/store.sqlite3.key link
	for file in /mnt/here/state/store.sqlite3.key /mnt/here/link /mnt/here/state/clusters/00000001/cluster.ndjson; do
		contains "$(task shell install "{\"script\": \"$file\"}")" "it is coopr's own"
		contains "$(task static create '{}' "{\"name\":\"p\",\"providertype\":\"static\",\"provisioner\":{\"machines\":\"$file\"}}")" \
			"it is coopr's own"
	done
	printf '127.0.0.1\n' >machines
	contains "$(task static create '{}' '{"name":"p","providertype":"static","provisioner":{"machines":"/mnt/here/machines",
		"identityfile":"/mnt/here/state/store.sqlite3.key"}}')" "it is coopr's own"
	ln -sfn state/store.sqlite3.key link
	for file in /mnt/here/state/store.sqlite3.key state/store.sqlite3.key link; do
		printf '127.0.0.1 identityfile=%s\n' "$file" >machines
		contains "$(task static create '{}' '{"name":"p","providertype":"static","provisioner":{"machines":"/mnt/here/machines"}}')" \
			"it is coopr's own"
	done
	rm link machines
}
