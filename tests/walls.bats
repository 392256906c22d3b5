#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a tenant's documents name is nothing of the host, coopr-security(7): refused when it is written, and again when it is done.

load case
load walls
load examples

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
	own_catalogue
	walls_tenant
	echo canary-of-the-host >canary
}

# What the administrator of the tenant is told of a document: put KIND DOCUMENT
put() {
	COOPR_USER=ann COOPR_TENANT=qa coopr-store put -k "$1" - <<<"$2" 2>&1
}

# A service whose action of that name has these fields: service FIELDS [ACTION]
service() {
	jq -cn --argjson fields "$1" --arg action "${2:-install}" '{name: "evil", provisioner: {actions: {($action): {type: "shell", fields: $fields}}}}'
}

@test "a tenant's provider says nothing of the host, and its services and images name no path" {
	for fields in '{"share":["/proc"]}' '{"share":"/"}' '{"network":"10.0.0.0/8"}' '{"route":true}' '{"unconfined":true}' '{"flavors":{}}'; do
		run -77 put provider "{\"name\":\"p\",\"providertype\":\"sandbox\",\"provisioner\":$fields}"
		contains "$output" "a tenant's document does not say that"
	done
	for fields in '{"machines":"m"}' "{\"machines\":\"$PWD/m\"}" '{"machines":"","identityfile":"k"}'; do
		run -77 put provider "{\"name\":\"p\",\"providertype\":\"static\",\"provisioner\":$fields}"
	done
	for path in /etc/shadow ../x a/../../x ./x '"/etc/shadow"' "'/etc/shadow'" '\/etc/shadow' 'a /etc/shadow' $'a\t/etc/shadow' \~/x '%config.x%/../..' ''; do
		fields=$(jq -cn --arg path "$path" '{script: "web.sh", files: $path}')
		case $path in ''|%*) run put service "$(service "$fields")";; *) run -77 put service "$(service "$fields")";; esac
		run put service "$(service "$(jq -cn --arg path "$path" '{script: $path}')")"
		[ "$status" -eq 77 ] || [ -z "$path" ]
	done
	for path in /etc ../../etc /proc/self/root; do
		run -77 put imagetype "{\"name\":\"i\",\"providermap\":{\"lab\":{\"image\":\"$path\"}}}"
	done
	run -1 coopr-store get -T qa provider p
	run -1 coopr-store get -T qa imagetype i
	run -0 put provider '{"name":"p","providertype":"sandbox"}'
}

@test "a plugin that takes the host is the installation's alone: no tenant stores a document that has it, and what is stored already is not used" {
	local type document way

	need_program sqlite3
	for type in podman lxd libvirt ansible-control; do
		case $type in
		ansible-control) document=$(jq -cn --arg type $type '{kind: "service", name: "evil", provisioner: {actions: {install: {type: $type}}}}') ;;
		*) document=$(jq -cn --arg type $type '{kind: "provider", name: "evil", providertype: $type}') ;;
		esac
		for way in 'store put' 'store import' import; do
			# shellcheck disable=SC2086 # words
			COOPR_USER=ann COOPR_TENANT=qa run -77 coopr $way --force - <<<"$document"
			contains "$output" "only documents that a superadmin has stored have the type \"$type\""
			contains "$output" "or have a superadmin store the document"
		done
		run -1 coopr-store get -T qa "$(jq -r .kind <<<"$document")" evil
		coopr-store put -q --force -T qa - <<<"$document"
		COOPR_USER=ann COOPR_TENANT=qa run -0 coopr-store put -q --force - <<<"$document"
		coopr-store delete -q -y -T qa "$(jq -r .kind <<<"$document")" evil
	done
	# What a tenant had stored before.
	coopr-store put -q -T qa - <<<'{"kind":"provider","name":"evil","providertype":"podman","provisioner":{"endpoint":"unix:///nowhere"}}'
	sqlite3 "$COOPR_STORE" "UPDATE revision SET origin = 'tenant' WHERE document LIKE '%podman%'"
	for way in test 'import-flavors --dry-run'; do
		# shellcheck disable=SC2086 # words
		COOPR_USER=ann COOPR_TENANT=qa run coopr-provider $way evil
		[ "$status" -ne 0 ] && contains "$output" 'only documents that a superadmin has stored have the type "podman"'
	done
	task podman create '{}' | coopr-exec -q >result || true
	same 77 "$(jq .status result)"
	contains "$(jq -r .message result)" 'only documents that a superadmin has stored have the type "podman"'
	task ansible-control install '{}' | coopr-exec -q >result || true
	same 77 "$(jq .status result)"
	contains "$(jq -r .message result)" 'only documents that a superadmin has stored have the type "ansible-control"'
}

@test "no command passes over --as or --tenant: who is nobody there, and a tenant that does not exist, get nothing" {
	local program words option operand value tried=0

	coopr-create -q -T qa one -t lamp -n 4
	COOPR_TENANT=qa coopr-create -q --save plan two -t lamp -n 4
	for program in "$COOPR_BIN"/coopr-*; do
		case $program in *.c | */coopr-work) continue ;; esac # a worker waits for tasks, of whatever tenant
		words=$("$program" --complete-options 2>&1 | sed -n 's/^subcommand\t\([^\t]*\).*/\1/p')
		while read -r words; do
			# shellcheck disable=SC2086 # words
			for option in $({ "$program" $words --complete-options 2>&1 || :; } | cut -f 3 | grep -xE 'as|tenant'); do
				for operand in '' one new.tar mine plan 'clustertemplate lamp' 00000001-001; do
					[ "$option" = as ] && value=mallory || value=nowhere
					tried=$((tried + 1))
					# shellcheck disable=SC2086 # words
					COOPR_TENANT=qa run timeout 60 "$program" $words "--$option=$value" $operand </dev/null
					[ "$status" -ne 0 ] && [ "$status" -ne 124 ] || { echo "$status: $program $words --$option=$value $operand"; false; }
				done
			done
		done <<<"$words"
	done
	[ "$tried" -gt 500 ]
}

@test "an administrator of a tenant has the others wait for 10000 documents, or 8 MiB, at most" {
	local command words

	seq 10001 | jq -c '{kind: "service", name: "s\(.)", provisioner: {actions: {}}}' >many
	jq -cn '{kind: "service", name: "large", description: ("x" * 9000000), provisioner: {actions: {}}}' >large
	for command in coopr-import coopr-store; do
		words=("$command")
		[ "$command" = coopr-import ] || words+=(put)
		COOPR_USER=ann COOPR_TENANT=qa run -65 "${words[@]}" - <many
		contains "$output" "standard input: record 1: 10001 documents at once; an administrator of a tenant changes at most 10000 of them, of 8 MiB"
		COOPR_USER=ann COOPR_TENANT=qa run -65 "${words[@]}" --dry-run - <large
		contains "$output" "1 document at once"
	done
	same "" "$(coopr-store list -T qa -o name service | grep -E '^services/(s1|large)$')"
	head -n 20 many | COOPR_USER=ann COOPR_TENANT=qa coopr-store put -q -
	coopr-store put -q -T qa - <large
}

@test "what the installation has written, a tenant may put again as it is, and not change" {
	document='{"name":"p","providertype":"sandbox","provisioner":{"share":["/usr"]}}'
	coopr-store put -T qa -k provider - <<<"$document"
	run -0 put provider "$document"
	run -77 put provider "$(jq -c '.description = "mine"' <<<"$document")"
	run -77 put provider "$(jq -c '.of = "installation" | .provisioner.share = ["/proc"]' <<<"$document")"
	run -77 put provider "$(jq -c '.provisioner.route = true' <<<"$document")"
}

@test "what a tenant has written before the rule stays the tenant's, also when it has no administrator any more" {
	need_program sqlite3
	document=$(coopr-store get -T qa service apache2 2>/dev/null || coopr-store get -T qa service apache)
	put service "$(jq -c '.description = "ours"' <<<"$document")"
	sqlite3 "$COOPR_STORE" "UPDATE revision SET document = json_set(document, '$.provisioner.actions.install.type', 'shell',
		'$.provisioner.actions.install.fields.script', '$PWD/canary') WHERE origin = 'tenant'"
	COOPR_TENANT=qa run -77 coopr-create one -t lamp -n 4
	coopr-member delete -T qa ann
	COOPR_TENANT=qa COOPR_USER=bob run -77 coopr-create one -t lamp -n 4
	contains "$output" "a tenant's document names no path of the host"
}

@test "a plain user sends no secret anywhere that the template does not" {
	coopr-store get -T qa clustertemplate lamp | jq -c '.defaults.config = {db: {pass: {secret: "dbpass"}}}' |
		coopr-store put -T qa -k clustertemplate -
	echo canary-secret | coopr-secret set -T qa dbpass
	export COOPR_TENANT=qa
	for value in '{"secret":"dbpass"}' '{"generated_secret":"dbpass"}' '{"a":[{"secret":"dbpass"}]}'; do
		COOPR_USER=bob run -77 coopr-create one -t lamp -n 4 --set "x=$value"
		contains "$output" 'the secret "dbpass" is not yours to send'
	done
	COOPR_USER=bob run -77 coopr-create one -t lamp -n 4 --set 'db.pass2={"secret":"dbpass"}'
	COOPR_USER=bob coopr-create one -t lamp -n 4
	COOPR_USER=bob run -77 coopr-config one --set 'x={"secret":"dbpass"}'
	COOPR_USER=bob coopr-config one --set x=1
	COOPR_USER=ann coopr-config one --set 'x={"secret":"dbpass"}'
	COOPR_USER=bob coopr-config one --set y=1
}

@test "who may refer to a secret is said by administrators, by name or group, and holds for that secret alone" {
	echo canary-secret | coopr-secret set -T qa dbpass
	echo canary-other | coopr-secret set -T qa other
	coopr-member set -T qa -g dev cid
	export COOPR_TENANT=qa
	refused() { # USER SECRET
		COOPR_USER=$1 run -77 coopr-create "$1-$2" -t lamp -n 4 --set "x={\"secret\":\"$2\"}"
		contains "$output" "the secret \"$2\" is not yours to send"
	}
	refused bob dbpass
	COOPR_USER=bob run -77 coopr-secret allow -u bob dbpass
	COOPR_USER=ann coopr-secret allow -u bob -g dev dbpass
	same 'dbpass ["bob","@dev"] other []' "$(coopr-secret list -o json | jq -r '"\(.name) \(.readers)"' | xargs -d '\n')"
	COOPR_USER=bob coopr-create one -t lamp -n 4 --set 'x={"secret":"dbpass"}'
	COOPR_USER=cid coopr-create two -t lamp -n 4 --set 'x={"secret":"dbpass"}'
	refused bob other
	COOPR_USER=ann coopr-secret allow -u dev dbpass
	refused bob dbpass
	refused cid dbpass
	# What the cluster has already stays.
	COOPR_USER=bob coopr-config one --set y=1
	COOPR_USER=ann coopr-secret allow dbpass
	same '[]' "$(coopr-secret list -o json | jq -sc '.[0].readers')"
	run -1 coopr-secret allow -u bob dbpas
	contains "$output" 'there is no secret "dbpas"; did you mean dbpass?'
	run -64 coopr-secret allow -u '@dev' dbpass
}

@test "a user refers to secrets of the own cluster, which are never the tenant's" {
	echo canary-secret | coopr-secret set -T qa dbpass
	export COOPR_TENANT=qa COOPR_USER=bob
	coopr-create one -t lamp -n 4
	echo of-bob | coopr-secret set --cluster one dbpass
	for value in '{"secret":"cluster/dbpass"}' '{"generated_secret":"cluster/dbpass"}' '{"secret":"operation/dbpass"}'; do
		coopr-config one --set "x=$value"
	done
	for value in '{"secret":"clusters/dbpass"}' '{"secret":"/dbpass"}' '{"secret":"./dbpass"}' '{"secret":"cluster"}'; do
		run -77 coopr-config one --set "x=$value"
	done
	coopr-secret delete -y --cluster one dbpass
	coopr-config one --set 'x={"generated_secret":"cluster/dbpass"}'
	run -1 coopr-config one --set 'x={"secret":"cluster/dbpass"}'
	contains "$output" 'the cluster has no secret "dbpass"'
}

# A task with what a tenant has written: task TYPE ACTION FIELDS
task() {
	jq -cn --arg type "$1" --arg action "$2" --argjson fields "$3" '{kind: "task", id: "t1", job: "00000002-001", token: "x", attempt: 1,
		action: $action, service: (if $type == "shell" then "web" else null end), type: $type, fields: $fields, timeout_s: 60, of: "tenant",
		cluster: {id: "00000002", name: "own", config: {}, provider: {name: "p", of: "tenant", providertype: $type, provisioner: $fields}},
		machine: {id: "00000002-1000", nodenum: 1000, hostname: "h", sshuser: "root", ipaddresses: {access_v4: "127.0.0.1"},
			facts: {ssh_host_keys: {ed25519: "ssh-ed25519 AAAA"}}}}'
}

@test "what a plugin would get of the host is refused before it gets it" {
	for path in "$PWD/canary" ../canary a/../../canary /proc/self/environ; do
		for fields in "{\"script\":\"$path\"}" "{\"script\":\"web.sh\",\"files\":\"$path\"}"; do
			task shell install "$fields" | coopr-exec -q >result || true
			same 77 "$(jq .status result)"
			contains "$(jq -r .message result)" "a tenant's document names no path of the host"
		done
	done
	for fields in '{"share":["/proc"]}' '{"network":"10.0.0.0/8"}' '{"unconfined":true}'; do
		task sandbox create "$fields" | coopr-exec -q >result || true
		same 77 "$(jq .status result)"
	done
	printf '127.0.0.1\n' >machines
	task static create "{\"machines\":\"$PWD/machines\"}" | coopr-exec -q >result || true
	same 77 "$(jq .status result)"
}

@test "a machine's image that a tenant has named is no path of the host, also when its task is done" {
	local name

	for image in /etc ../../etc "$PWD/canary" /proc/self/root; do
		task sandbox create '{}' | jq -c --arg image "$image" '.cluster.provider.of = "installation" | .machine.of = "tenant" |
			.machine.image = $image' | coopr-exec -q >result || true
		same 77 "$(jq .status result)"
		contains "$(jq -r .message result)" "a tenant's document names no path of the host"
	done
	# Whose it is, the layout says, and so each task that makes a machine of it.
	COOPR_TENANT=qa run -0 --separate-stderr coopr-create one -t lamp -n 4 --dry-run -o json
	same "null" "$(jq -c 'select(.kind == "node") | .of' <<<"$output" | sort -u)"
	for name in $(coopr-store list -T qa -o json imagetype | jq -r .name); do
		put imagetype "$(coopr-store get -T qa imagetype "$name" | jq -c '.description = "ours"')"
	done
	COOPR_TENANT=qa run -0 --separate-stderr coopr-create one -t lamp -n 4 --dry-run -o json
	same '"tenant"' "$(jq -c 'select(.kind == "node") | .of' <<<"$output" | sort -u)"
}

@test "a link in a folder of scripts leads a tenant's service nowhere" {
	mkdir -p here/scripts/folder
	ln -s "$PWD/canary" here/scripts/link
	ln -s "$PWD/canary" here/scripts/folder/link
	ln -s "$PWD" here/scripts/up
	echo : >here/scripts/a.sh
	for files in link folder up/canary up; do
		task shell install "{\"script\":\"a.sh\",\"files\":\"$files\"}" | jq -c --arg here "$PWD/here" '.cluster.catalogue = $here' |
			coopr-exec -q >result || true
		contains "$(jq -r '"\(.status) \(.message)"' result)" "77 "
		contains "$(jq -r .message result)" "a link leads there, which is followed for no tenant"
	done
}

@test "a cluster from before the rule is stopped and deleted, and otherwise refused with the remedy" {
	need_program sqlite3
	coopr-create -q -T qa old -t lamp -n 4
	# Those of before have no marks; and what the installation has not written is refused today.
	sqlite3 "$COOPR_STORE" 'SELECT layout FROM cluster_document' | jq -cS 'if .kind == "cluster" then del(.provider.of) |
		.definitions |= map(del(.of) | if .name == "apache2" or .name == "apache" then .provisioner.actions.configure = {type: "shell", fields: {script: "/etc/shadow"}}
		else . end) else . end' >layout
	contains "$(cat layout)" /etc/shadow
	sqlite3 "$COOPR_STORE" "UPDATE cluster_document SET layout = CAST(readfile('layout') AS TEXT)"
	coopr-status -T qa old
	run -77 coopr-restart -T qa old -y
	contains "$output" "a tenant's document names no path of the host"
	contains "$output" "coopr upgrade"
	coopr-stop -q -T qa old -y
	coopr-delete -q -T qa old -y
}

@test "each test that coopr-security(7) names is there" {
	sed -n 's/^\.Dl //p' "$COOPR_ROOT/man/man7/coopr-security.7" >named
	[ "$(wc -l <named)" -gt 10 ]
	while IFS= read -r line; do
		file=$COOPR_ROOT/tests/${line%%: *} title=${line#*: }
		grep -qF -e "@test \"$title\"" -e "\"$title\"" "$file" || { echo "not there: $line"; false; }
	done <named
}
