#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The id of an installation, by which providers tell its machines: coopr-store(1), coopr-plugins(7), coopr-restore(1).

load case
load store

setup() {
	fresh
	need_program jq
	unset COOPR_SPOOL
	own_catalogue
	export COOPR_PLUGINS=$PWD/plugins WHERE=$PWD DESCRIBED='"installation":true'
	mkdir -p plugins/provider plugins/automator cloud
	: >told
	: >listed
}

# A provider whose machines are files, each with the tag of its installation, and which notes what it is told.
a_cloud() { # [MODE]
	jq '.providertype = "cloud" | .provisioner = {}' mine/providers/dummy.json >provider.json && mv provider.json mine/providers/dummy.json
	cat >plugins/provider/cloud <<-'END'
		#!/bin/sh
		do_one() {
			task=$(cat)
			printf '%s\n' "$task" >>"$WHERE/told"
			printf '%s' "$task" | jq -r '"\(.action) \(.machine.id).\(.cluster.installation // "nobody")",
				({kind: "result", job, task: .id, attempt, status: 0, ipaddresses: {access_v4: "127.0.0.1"},
				result: ({providerid: .machine.id} + if .cluster.key then {"ssh-auth": {user: "root", key: .cluster.key}} else {} end)} | tojson)' | {
				read -r action name
				case $action in
				create) : >"$WHERE/cloud/$name" ;;
				delete) rm -f "$WHERE/cloud/$name" ;;
				esac
				cat
			}
		}
		case $1 in
		describe) echo "{\"type\":\"object\",\"properties\":{},$DESCRIBED}" ;;
		list)
			entity=$(cat)
			printf '%s\n' "$entity" >>"$WHERE/listed"
			own=$(printf '%s' "$entity" | jq -r .installation)
			for machine in "$WHERE"/cloud/*."$own"; do
				[ ! -e "$machine" ] || { machine=${machine##*/}; printf '{"id":"%s","kind":"node"}\n' "${machine%.*}"; }
			done
			;;
		stream)
			while read -r line; do printf '%s\n' "$line" | do_one; done
			;;
		*) do_one ;;
		esac
	END
	chmod 755 plugins/provider/cloud
}

identity() { # [MEMBER]
	coopr-store installation -o json | jq -r "${1:-.id}"
}

told() { # FILTER
	jq -r "$1" told | sort -u | paste -sd' '
}

machines() {
	(cd cloud && echo *)
}

elsewhere() { # [FOLDER]
	export COOPR_STATE=$PWD/${1:-elsewhere}
}

# An installation with one cluster, and a backup of it.
a_twin() {
	coopr-store init
	a_cloud
	coopr-create shop -t lamp -n 4 >/dev/null 2>&1
	first=$(identity)
	had=$(machines)
	coopr-backup all.tar >/dev/null
	elsewhere
	coopr-restore -q all.tar
}

@test "the id is made with the store, is fit for the tag of any cloud, stays, and is another's nowhere" {
	coopr-store init
	[[ $(identity) =~ ^[0-9a-f]{32}$ ]]
	same "$(identity)" "$(identity)"
	same null "$(identity .former)"
	run -0 coopr-store installation
	contains "$output" "$(identity)"
	[ "$(identity)" != "$(COOPR_STORE=$PWD/other; export COOPR_STORE; coopr-store init; identity)" ]
	coopr-store fsck
}

@test "a store of an earlier version gets its id once" {
	need_program sqlite3
	coopr-store init
	older_store "$COOPR_STATE/store.sqlite3" 23
	first=$(identity)
	[[ $first =~ ^[0-9a-f]{32}$ ]]
	same "$first" "$(identity)"
	coopr-store fsck
}

@test "all tasks of providers and the entity of a list have the id; those of automators have not" {
	coopr-store init
	a_cloud
	printf '%s\n' '#!/bin/sh' '[ "$1" != describe ] || { echo {}; exit; }' 'task=$(cat)' \
		'printf "%s\n" "$task" >>"$WHERE/automated"' 'printf "%s" "$task" | exec "$COOPR_ROOT/libexec/coopr/automator/dummy" "$1"' \
		>plugins/automator/dummy
	chmod 755 plugins/automator/dummy
	coopr-create shop -t lamp -n 4 >/dev/null 2>&1
	same "confirm create" "$(told .action)"
	same "$(identity)" "$(told .cluster.installation)"
	[ -s automated ]
	same null "$(jq -r .cluster.installation automated | sort -u)"
	run -0 coopr-reconcile
	same "$(identity)" "$(jq -r .installation listed | sort -u)"
	coopr-delete -y shop >/dev/null 2>&1
	same "$(identity)" "$(told 'select(.action == "delete").cluster.installation')"
	same "*" "$(machines)"
}

@test "a plugin that streams is told it as well, gets the key of the cluster where it asks for it, and logs in with the private half" {
	export DESCRIBED='"installation":true,"stream":true,"cluster_key":true'
	coopr-store init
	a_cloud
	coopr-create shop -t hadoop-distributed -n 8 >/dev/null 2>&1
	same "$(identity)" "$(told .cluster.installation)"
	same 8 "$(jq -r 'select(.action == "create").cluster.key' told | grep -c '^ssh-ed25519 AAAA')"
	same 1 "$(jq -r 'select(.action == "create").cluster.key' told | sort -u | wc -l)"
	same null "$(told 'select(.action != "create").cluster.key')"
	[[ $(told 'select(.action == "confirm").machine.facts["ssh-auth"].identityfile') == /* ]]
	coopr-create blog -t lamp -n 4 >/dev/null 2>&1
	same 2 "$(jq -r 'select(.action == "create").cluster.key' told | sort -u | wc -l)"
}

@test "a plugin that streams and asks for no key gets none, nor is one made" {
	need_program sqlite3
	export DESCRIBED='"stream":true'
	coopr-store init
	a_cloud
	coopr-create shop -t lamp -n 4 >/dev/null 2>&1
	same "$(identity)" "$(told .cluster.installation)"
	same null "$(told .cluster.key)"
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT count(*) FROM cluster_login')"
}

@test "without a store providers are told none, by themselves or streaming" {
	a_cloud
	export COOPR_SPOOL=$PWD/spool
	for DESCRIBED in '"installation":true' '"installation":true,"stream":true'; do
		export DESCRIBED
		coopr-request -t lamp -n 4 -C mine --name shop | coopr-solve | coopr-plan | coopr-queue put >/dev/null
		coopr-work --drain >/dev/null 2>&1
		same null "$(told .cluster.installation)"
	done
	[ ! -e "$COOPR_STATE/store.sqlite3" ]
	[[ $(machines) == *.nobody* ]]
}

@test "a store that came from a backup has a new id, and the former one until a person says who is who" {
	a_twin
	same "$first" "$(identity .former)"
	[[ $(identity) =~ ^[0-9a-f]{32}$ ]]
	[ "$(identity)" != "$first" ]
	same "$(identity)" "$(identity)"
	second=$(identity)
	coopr-store fsck
	# Another one from the same backup, and one from a backup of a copy.
	elsewhere third
	run -0 coopr-restore all.tar
	contains "$output" "coopr-store installation --confirm"
	same "$first" "$(identity .former)"
	[ "$(identity)" != "$second" ]
	coopr-store backup copy
	COOPR_STORE=$PWD/copy
	export COOPR_STORE
	same "$first" "$(identity .former)"
	# The one that was backed up knows nothing of it.
	unset COOPR_STORE
	elsewhere state
	same "$first null" "$(identity '.id + " " + (.former | tostring)')"
	run -1 coopr-store installation --confirm
	contains "$output" "it came from no backup"
	run -1 coopr-store installation --separate
	run -64 coopr-store installation --confirm --separate
	run -77 coopr-store installation --as nobody-of-them
}

@test "until then nothing is done at providers that tell their machines by the id, and no machine has vanished" {
	a_twin
	: >told
	: >listed
	run --separate-stderr -78 coopr-reconcile --repair --probe --replace-unreachable 0s -o json
	same "" "$output"
	contains "$stderr" "provider dummy of tenant default: cannot be compared: installation $(identity): it came from a backup of installation $first"
	contains "$stderr" "coopr-store installation --confirm"
	same 1 "$(coopr-history shop -o json | jq -s length)"
	same "" "$(cat told listed)"
	# Nor is one replaced that does not answer.
	mkdir -p "$COOPR_STATE/dummy-down"
	touch "$COOPR_STATE/dummy-down/00000001-1000"
	run coopr-reconcile --repair --probe --replace-unreachable 0s
	contains "$output" "node 00000001-1000: does not answer; not repaired: installation $(identity): it came from a backup of installation $first"
	same 1 "$(coopr-history shop -o json | jq -s length)"
	rm "$COOPR_STATE/dummy-down/00000001-1000"
	run coopr-delete -y shop
	[ "$status" -ne 0 ]
	same "" "$(cat told)"
	same "$had" "$(machines)"
	coopr-doctor -o json >report || true
	contains "$(jq -r 'select(.name == "installation") | .status + " " + .text' report)" "doubt it came from a backup of installation $first"
	contains "$(jq -r 'select(.name == "installation") | .remedy' report)" "coopr-store installation --confirm"
}

@test "--confirm: the machines of before are ours again, and the clusters go on" {
	a_twin
	same "$first null" "$(coopr-store installation --confirm -o json | jq -r '.id + " " + (.former | tostring)')"
	run --separate-stderr -0 coopr-reconcile -o json
	same "" "$output$stderr"
	same "$first" "$(jq -r .installation listed | sort -u)"
	coopr-expand shop -n 5 >/dev/null 2>&1
	same "$first" "$(told .cluster.installation)"
	coopr-delete -y shop >/dev/null 2>&1
	same "*" "$(machines)"
	run -1 coopr-store installation --confirm
	coopr-doctor -o json >report || true
	same ok "$(jq -r 'select(.name == "installation") | .status' report)"
}

@test "--separate: the twin keeps its machines, whatever is done here" {
	a_twin
	second=$(identity)
	same "$second null" "$(coopr-store installation --separate -o json | jq -r '.id + " " + (.former | tostring)')"
	run --separate-stderr -1 coopr-reconcile -o json
	same vanished "$(jq -r .what <<<"$output" | sort -u)"
	coopr-delete -y shop >/dev/null 2>&1
	same "$had" "$(machines)"
	coopr-create shop -t lamp -n 4 >/dev/null 2>&1
	same 4 "$(machines | tr ' ' '\n' | grep -c "$second")"
	elsewhere state
	run --separate-stderr -0 coopr-reconcile -o json
	same "" "$output$stderr"
}

@test "providers that do not tell their machines by the id work as before a restore" {
	coopr-store init
	export DESCRIBED='"additionalProperties":true'
	a_cloud
	coopr-create shop -t lamp -n 4 >/dev/null 2>&1
	coopr-backup all.tar >/dev/null
	elsewhere
	coopr-restore -q all.tar
	run --separate-stderr coopr-reconcile -o json
	same "$(identity)" "$(jq -r .installation listed | sort -u | tail -1)"
	coopr-delete -y shop >/dev/null 2>&1
	same "" "$(coopr-list -o name)"
}
