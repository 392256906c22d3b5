#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load examples

setup() {
	fresh
	export COOPR_STORE=$PWD/store COOPR_PLUGINS=$PWD/plugins
	unset COOPR_KEY
	coopr-store init
	mkdir -p plugins/automator
	printf '#!/bin/sh\ncat >handed\necho "{\\"kind\\":\\"result\\",\\"status\\":0}"\n' >plugins/automator/keep
	chmod +x plugins/automator/keep
}

# A take record whose fields, configuration and provider are the arguments.
task() {
	jq -cn --argjson fields "$1" --argjson config "${2:-{\}}" --argjson provider "${3:-null}" --arg tenant "${4:-default}" '
		{kind: "task", id: "t1", job: "00000042-001", attempt: 1, node: "00000042-1000", action: "configure",
			service: "web", type: "keep", fields: $fields, timeout_s: 60, retries: 0, expect_s: 1, rank: 1, after: [],
			cluster: {id: "00000042", name: "shop", tenant: $tenant, config: $config, provider: $provider},
			machine: {kind: "node", id: "00000042-1000", nodenum: 1000, hostname: "n", services: ["web"]},
			token: "00000042-001:t1"}'
}

@test "a secret is encrypted before it reaches the store; the files are their owner's alone" {
	umask 000
	echo swordfish | coopr-secret set database
	run -1 grep -r swordfish .
	same 600 "$(stat -c %a store.key)"
	same '["database",1]' "$(coopr-secret list -o json | jq -c '[.name, .version]')"
}

@test "no command prints a secret, and none shows it in its arguments or environment" {
	echo swordfish | coopr-secret set database
	run -0 bash -c 'coopr-secret list; coopr-secret list -o table; coopr-store export; coopr-store list'
	[[ $output != *swordfish* ]]
}

@test "one newline at the end is taken off; --raw keeps it" {
	printf 'a\n\n' | coopr-secret set one
	printf 'a\n' | coopr-secret set --raw two
	task '{"one": {"secret": "one"}, "two": {"secret": "two"}}' | coopr-exec -q >result
	same '["a\n","a\n"]' "$(jq -c '[.fields.one, .fields.two]' handed)"
}

@test "what is empty, too long, or no UTF-8 text is refused" {
	run -65 coopr-secret set a /dev/null
	contains "$output" "/dev/null: the file is empty"
	run -65 bash -c "head -c 1100000 /dev/zero | tr '\0' x | coopr-secret set a"
	contains "$output" "larger than 1048576 bytes"
	run -65 bash -c "printf 'a\0b' | coopr-secret set a"
	run -65 bash -c "printf 'a\377b' | coopr-secret set a"
	contains "$output" "the value is not UTF-8 text"
	same "" "$(coopr-secret list)"
}

@test "a name that is none, an unknown command and a missing name are misuse" {
	run -64 coopr-secret set ../x
	contains "$output" "invalid name '../x'"
	run -64 coopr-secret sett x
	contains "$output" "did you mean 'set'?"
	run -64 coopr-secret set
	run -64 coopr-secret
}

@test "delete removes secrets, or none where one is not there" {
	for name in a b; do echo x | coopr-secret set "$name"; done
	run -1 coopr-secret delete a nothing
	contains "$output" 'there is no secret "nothing"; coopr secret list shows the secrets'
	same "a b" "$(coopr-secret list -o name | xargs)"
	coopr-secret delete a b
	same "" "$(coopr-secret list -o name)"
}

@test "each tenant has its own secrets" {
	echo x | coopr-secret set a
	same "" "$(coopr-secret list -T superadmin)"
	task '{"a": {"secret": "a"}}' '{}' null superadmin | coopr-exec -q >result
	same 78 "$(jq .status result)"
	[ ! -e handed ]
}

# A cluster shop of bob, and members bob and cid.
clusters() {
	own_catalogue
	coopr member set bob >log 2>&1
	coopr member set cid >log 2>&1
	coopr create --as bob shop -t lamp -n 4 >log 2>&1
}

@test "a cluster has secrets of its own, which come before the tenant's, and are deleted with it" {
	clusters
	echo of-tenant | coopr-secret set one
	echo of-tenant | coopr-secret set two
	echo of-cluster | coopr-secret set --cluster shop one
	task '{"one": {"secret": "one"}, "two": {"secret": "two"}}' | jq -c '.cluster.id = "00000001"' | coopr-exec -q >result
	same '["of-cluster","of-tenant"]' "$(jq -c '[.fields.one, .fields.two]' handed)"
	task '{"one": {"secret": "one"}}' | coopr-exec -q >result
	same '["of-tenant"]' "$(jq -c '[.fields.one]' handed)"
	same one "$(coopr-secret list --cluster shop -o name)"
	same "one two" "$(coopr-secret list -o name | paste -sd ' ')"
	run -1 coopr-secret delete -y --cluster shop two
	contains "$output" 'there is no secret "two" of the cluster'
	coopr delete -y shop >log 2>&1
	same 0 "$(sqlite3 "$COOPR_STORE" 'SELECT count(*) FROM cluster_secret')"
	run -1 coopr-secret list --cluster shop
	run -1 coopr-secret list --cluster 00000001
	contains "$output" "it is terminated"
}

@test "cluster/NAME is the cluster's alone, operation/NAME the operation's, and null where that has none" {
	clusters
	echo of-tenant | coopr-secret set one
	ask() { # REFERENCE
		task "$(jq -cn --argjson reference "$1" '{one: $reference}')" | jq -c '.cluster.id = "00000001" | .job = "00000001-001"' | coopr-exec -q >result
		jq -c '[.fields.one, .secrets]' handed
	}
	rm -f handed
	run ask '{"secret": "cluster/one"}'
	[ ! -e handed ]
	contains "$(cat result)" 'the cluster has no secret \"one\"; coopr secret set --cluster CLUSTER one makes it'
	same '[null,null]' "$(ask '{"secret": "operation/one"}')"
	same '["of-tenant",["/fields/one"]]' "$(ask '{"secret": "one"}')"
	generated=$(ask '{"generated_secret": "cluster/one"}')
	[[ $generated =~ ^\[\"[0-9a-f]{32}\" ]]
	echo of-cluster | coopr-secret set --cluster shop one
	for reference in '{"secret": "cluster/one"}' '{"generated_secret": "cluster/one"}' '{"secret": "one"}'; do
		same '["of-cluster",["/fields/one"]]' "$(ask "$reference")"
	done
	same '[null,null]' "$(ask '{"secret": "operation/one"}')"
}

@test "a generated secret is the same for all tasks of a cluster, another for each cluster, and what is set comes before it" {
	rm -f store*
	ask() { # ID
		task '{"one": {"generated_secret": "one"}}' | jq -c --arg id "$1" '.cluster.id = $id' | coopr-exec -q >result
		jq -r .fields.one handed
	}
	first=$(ask 00000001)
	[[ $first =~ ^[0-9a-f]{32}$ ]]
	same "$first" "$(ask 00000001)"
	[ "$first" != "$(ask 00000002)" ]
	echo mine | coopr-secret set one
	same mine "$(ask 00000001)"
	coopr-secret delete -y one
	same "$first" "$(ask 00000001)"
	run -1 grep -r "$first" store result
}

@test "the owner of a cluster sets its secrets, other users do not" {
	clusters
	echo of-bob | coopr-secret set --as bob --cluster shop one
	same bob "$(coopr-secret list --as bob --cluster shop -o json | jq -r .by)"
	run -1 bash -c 'echo x | coopr-secret set --as cid --cluster shop one'
	run -1 coopr-secret list --as cid --cluster shop
	coopr-secret delete -y --as bob --cluster shop one
	same "" "$(coopr-secret list --cluster shop -o name)"
	coopr member set -g web cid >log 2>&1
	coopr member set -g web bob >log 2>&1
	coopr create --as bob --group web other -t lamp -n 4 >log 2>&1
	run -77 bash -c 'echo x | coopr-secret set --as cid --cluster other one'
	contains "$output" "only its owner, bob, or an admin of the tenant"
}

@test "the plugin's record has the value, in the provider, the configuration and the fields, however deep, and nothing else has it" {
	echo swordfish | coopr-secret set db
	task '{"deep": [{"er": {"secret": "db"}}]}' '{"pass": {"secret": "db"}}' \
		'{"name": "p", "providertype": "dummy", "provisioner": {"key": {"secret": "db"}, "secret": "no reference"}}' >task.json
	jq -c '.log = "log"' task.json | coopr-exec >result 2>said
	same '["swordfish","swordfish","swordfish","no reference"]' \
		"$(jq -c '[.fields.deep[0].er, .cluster.config.pass, .cluster.provider.provisioner.key, .cluster.provider.provisioner.secret]' handed)"
	run -1 grep -c swordfish result said log
}

@test "what an action does not read of the configuration keeps the names, and so does all of it where no service is concerned" {
	echo swordfish | coopr-secret set db
	config='{"one": {"secret": "db"}, "two": [{"secret": "db"}], "three": 3}'
	asked() { # JQ-FILTER of the task
		task '{}' "$config" | jq -c "$1" | coopr-exec -q >result
		jq -c '[.cluster.config.one, .cluster.config.two[0], .secrets]' handed
	}
	same '["swordfish","swordfish",["/cluster/config/one","/cluster/config/two/0"]]' "$(asked .)"
	same '[{"secret":"db"},"swordfish",["/cluster/config/two/0"]]' "$(asked '.fields.config = ["two", "three"]')"
	same '[{"secret":"db"},{"secret":"db"},null]' "$(asked '.fields.config = []')"
	same '[{"secret":"db"},{"secret":"db"},null]' "$(asked '.action = "bootstrap" | .service = null')"
	# It has to be there nevertheless: better before there are machines than after.
	coopr-secret delete -y db
	task '{}' "$config" | jq -c '.action = "bootstrap" | .service = null' | coopr-exec -q >result
	same 78 "$(jq .status result)"
}

@test "a secret that is not there fails the task for good, by name" {
	echo x | coopr-secret set other
	task '{"a": {"secret": "nothing"}}' | coopr-exec -q >result
	same 78 "$(jq .status result)"
	contains "$(jq -r .message result)" 'there is no secret "nothing"; coopr-secret set nothing makes it'
}

@test "a worker hands it on, and neither spool nor log has it" {
	echo swordfish | coopr-secret set db
	task '{"pass": {"secret": "db"}}' >task.json
	jq -c '{kind: "job", id: null, cluster: "00000042", tenant: "default", action: "cluster_configure", tasks: 1, critical_path_s: 1},
		(.cluster | {kind: "cluster", id, name, tenant, services: ["web"], config: {}, definitions: [{name: "web"}],
			provider: {name: "none", providertype: "dummy"}}),
		(.machine | .was = ["web"]), (del(.cluster, .machine, .job, .attempt, .token))' task.json | coopr-queue put
	coopr-work --drain
	same swordfish "$(jq -r .fields.pass handed)"
	run -1 grep -r swordfish "$COOPR_SPOOL"
}

@test "a plugin that says what it was given says its name: in log, result and facts, also piece by piece" {
	printf 'sword\nfish"and\nchips of this line' | coopr-secret set db
	cat >plugins/automator/keep <<-'END'
		#!/bin/sh
		record=$(cat)
		secret=$(printf '%s' "$record" | jq -r .fields.pass)
		printf '%s\n' "$record" >&2
		printf 'a %.7s' "$secret" >&2
		sync
		printf '%s b\n' "${secret#???????}" >&2
		printf '%s' "$secret" | jq -Rsc '{kind: "result", status: 1, message: "not \(.)", stdout: ., result: {pass: .}}'
		exit 1
	END
	task '{"pass": {"secret": "db"}}' | jq -c '.log = "log"' | coopr-exec >result 2>said
	run -1 grep -e chips -e 'fish' result said log
	same "not [secret db]" "$(jq -r .message result)"
	same "[secret db]" "$(jq -r .result.pass result)"
	same "a [secret db] b" "$(tail -n 1 log)"
	same "$(cat log)" "$(cat said)"
	same "$(cat log)" "$(jq -r .stderr result)"
}

@test "a plugin that prints no result, but a secret, does not get it into the message" {
	echo swordfish | coopr-secret set db
	printf '#!/bin/sh\njq -r .fields.pass\necho it is swordfish >&2\n' >plugins/automator/keep
	task '{"pass": {"secret": "db"}}' | coopr-exec -q >result
	same 70 "$(jq .status result)"
	contains "$(jq -r .message result)" '"[secret db]"; the last line of its log: it is [secret db]'
}

@test "what has a secret in its memory dumps no core" {
	echo swordfish | coopr-secret set db
	printf '#!/bin/sh\ncat >/dev/null\nulimit -c >limit\necho "{\\"kind\\":\\"result\\",\\"status\\":0}"\n' >plugins/automator/keep
	ulimit -S -c "$(ulimit -H -c)"
	task '{"one": {"secret": "db"}}' | coopr-exec -q >result
	same 0 "$(cat limit)"
}

@test "without a reference no store is needed" {
	rm store
	task '{"a": "b"}' | coopr-exec -q >result
	same 0 "$(jq .status result)"
}

@test "a key that others might read is refused: 77" {
	echo x | coopr-secret set a
	chmod 640 store.key
	run -77 bash -c 'echo y | coopr-secret set b'
	contains "$output" "others might read the key of the secrets"
}

@test "a store with secrets never gets a second key" {
	echo x | coopr-secret set a
	mv store.key away
	run -66 bash -c 'echo y | coopr-secret set b'
	[ ! -e store.key ]
	coopr-store init --store other
	echo x | coopr-secret set --store other a
	cp other.key store.key
	run -65 bash -c 'echo y | coopr-secret set b'
	contains "$output" "encrypted with another key"
	task '{"a": {"secret": "a"}}' | coopr-exec -q >result
	contains "$(jq -r .message result)" 'the secret "a" cannot be decrypted'
	mv away store.key
	echo y | coopr-secret set b
}

@test "no row can be put in the place of another" {
	need_program sqlite3
	for name in cheap dear; do echo "$name" | coopr-secret set "$name"; done
	sqlite3 store "UPDATE secret SET sealed = (SELECT sealed FROM secret WHERE name = 'cheap') WHERE name = 'dear'"
	task '{"a": {"secret": "dear"}}' | coopr-exec -q >result
	contains "$(jq -r .message result)" "the store was changed"
}

@test "many at once: the key is made once, and nothing is lost" {
	for i in {1..12}; do
		echo "$i" | coopr-secret set "s$i" 3>&- &
	done
	wait
	same 12 "$(coopr-secret list -o json | wc -l)"
	task "$(jq -cn '[range(1; 13) | {secret: "s\(.)"}] | {all: .}')" | coopr-exec -q >result
	same "$(seq -s ' ' 12)" "$(jq -r '.fields.all | join(" ")' handed)"
	same "" "$(find . -name 'store.key.*')"
}

# What tasks get for the secret "a", the cluster's generated "g".
values() {
	task '{"a": {"secret": "a"}, "g": {"generated_secret": "g"}}' | coopr-exec -q >result
	jq -r '.fields | .a + " " + .g' handed
}

@test "store rekey encrypts all secrets with a new key, which alone opens them then; generated values stay" {
	need_program sqlite3
	echo swordfish | coopr-secret set a
	coopr-tenant create qa
	echo tuna | coopr-secret set -T qa b
	values >before
	sqlite3 store "SELECT hex(sealed) FROM secret" >sealed
	coopr-store rekey 2>log
	contains "$(cat log)" "2 secrets are encrypted with a new key"
	same 2 "$(wc -l <store.key)"
	same 600 "$(stat -c %a store.key)"
	run -1 grep -f sealed <(sqlite3 store "SELECT hex(sealed) FROM secret")
	values | diff before -
	same 1 "$(coopr-secret list -o json | jq .version)"
	sed -n 1p store.key >new && sed -n 2p store.key >old
	cat new >store.key
	same swordfish "$(values | cut -d ' ' -f 1)"
	cat old >store.key
	task '{"a": {"secret": "a"}}' | coopr-exec -q >result
	contains "$(jq -r .message result)" 'the secret "a" cannot be decrypted'
	cat new old >store.key
	run -77 coopr-store rekey --as somebody
	coopr-audit --verify
}

@test "rekey that is killed at any call leaves all secrets readable, and the next one finishes it" {
	make_shim
	for secret in a b c; do echo "of $secret" | coopr-secret set "$secret"; done
	values >before
	cp store first && cp store.key first.key
	for ((at = 1; at < 1000; at++)); do
		rm -f store-wal store-shm calls
		cp first store && cp first.key store.key
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at CRASH_COUNT=$PWD/calls \
			coopr-store rekey >/dev/null 2>&1 || true
		values | diff before -
		[ ! -e calls ] || break
		coopr-store rekey 2>/dev/null
		values | diff before -
		head -n 1 store.key >only && mv only store.key && chmod 600 store.key
		same "of a" "$(values | cut -d ' ' -f 1,2)"
	done
	[ "$at" -gt 5 ]
	coopr-store fsck
}

@test "rotate draws new values, which nobody sees, and keeps those of others" {
	echo x | coopr-secret set a
	echo y | coopr-secret set b
	run -1 coopr-secret rotate a new
	contains "$output" 'there is no secret "new"'
	same "a 1,b 1" "$(coopr-secret list -o json | jq -r '"\(.name) \(.version)"' | paste -sd,)"
	run -0 coopr-secret rotate a
	same "" "$output"
	same "a 2,b 1" "$(coopr-secret list -o json | jq -r '"\(.name) \(.version)"' | paste -sd,)"
	[[ $(values) =~ ^[0-9a-f]{32}\ [0-9a-f]{32}$ ]]
	values >before
	echo z | coopr-secret set g
	coopr-secret rotate g
	values >after
	same "$(cut -d ' ' -f 1 before)" "$(cut -d ' ' -f 1 after)"
	[ "$(cut -d ' ' -f 2 before)" != "$(cut -d ' ' -f 2 after)" ]
	run -64 coopr-secret rotate ../x
	run -77 coopr-secret rotate --as somebody a
}

@test "the key comes from a descriptor, a credential of systemd or an executable, and is in no file then" {
	echo swordfish | coopr-secret set a
	mkdir credentials
	mv store.key credentials/master
	chmod 440 credentials/master
	values_of() { same swordfish "$(values | cut -d ' ' -f 1)"; }

	COOPR_KEY=fd:8 values_of 8<credentials/master
	COOPR_KEY=credential:master CREDENTIALS_DIRECTORY=$PWD/credentials values_of
	printf '#!/bin/sh\ncat %s\n' "$PWD/credentials/master" >kms
	chmod 755 kms
	COOPR_KEY=exec:$PWD/kms values_of
	[ ! -e store.key ]

	export COOPR_KEY
	COOPR_KEY=exec:$PWD/kms
	run -78 coopr-store rekey
	contains "$output" "put one before the present one"
	(head -c 32 /dev/urandom | od -An -v -tx1 | tr -d " \n"; echo; cat credentials/master) >both
	mv -f both credentials/master
	coopr-store rekey
	head -n 1 credentials/master >one && mv -f one credentials/master
	values_of
	chmod 777 kms
	run -77 bash -c 'echo x | coopr-secret set b'
	contains "$output" "others might write it"
	COOPR_KEY=exec:/nonexistent/kms
	run -78 bash -c 'echo x | coopr-secret set b'
	COOPR_KEY=credential:../master CREDENTIALS_DIRECTORY=$PWD/credentials
	run -78 bash -c 'echo x | coopr-secret set b'
	COOPR_KEY=fd:99
	run -74 bash -c 'echo x | coopr-secret set b'
	COOPR_KEY=fd:x
	run -78 bash -c 'echo x | coopr-secret set b'
}

@test "the examples of the page" {
	rm -f store*
	commands_of "$COOPR_ROOT/man/man1/coopr-secret.1" >examples
	[ -s examples ]
	bash -eu examples >/dev/null
	same shop-database "$(jq -r .cluster.config.shop.database.password.secret request.json)"
}
