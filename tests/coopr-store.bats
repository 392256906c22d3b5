#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load examples

setup() {
	fresh
	export COOPR_STORE=$PWD/store
}

# A store with the catalogue that comes with coopr.
filled() {
	coopr-store init
	coopr-store import "$COOPR_ROOT/share/coopr/catalogue" >/dev/null 2>&1
}

# A provider's document: provider NAME [DESCRIPTION]
provider() {
	jq -n --arg name "$1" --arg text "${2:-}" '{name: $name, providertype: "dummy", description: $text}'
}

@test "without a store it says how to make one" {
	run -66 coopr-store list
	contains "$output" "$COOPR_STORE: there is no store; coopr-store init makes one"
}

@test "init makes the store with its folder, for its owner alone from the first moment; again it changes nothing" {
	umask 000
	COOPR_STORE=$PWD/deep/below/store
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -e trace=openat,mkdir,mkdirat -o calls coopr-store init
	run -1 grep -E 'O_CREAT.*0[0-7]?[0-7][1-7][0-7]\)|O_CREAT.*0[0-7]?[0-7][0-7][1-7]\)' calls
	same 600 "$(stat -c %a "$COOPR_STORE")"
	same 700 "$(stat -c %a deep/below)"
	provider one | coopr-store put -k provider
	coopr-store init
	same providers/one "$(coopr-store list -o name)"
}

@test "what is no store of ours is left alone" {
	need_program sqlite3
	sqlite3 "$COOPR_STORE" 'CREATE TABLE mine (x)'
	run -65 coopr-store init
	contains "$output" "the database is not a store"
	same mine "$(sqlite3 "$COOPR_STORE" .tables)"
	echo 'no database' >text
	run -65 coopr-store list --store text
	contains "$output" "text: "
}

@test "a store of a later version is refused" {
	need_program sqlite3
	coopr-store init
	sqlite3 "$COOPR_STORE" 'PRAGMA user_version = 99'
	run -65 coopr-store list
	contains "$output" "it is of version 99"
}

@test "an entity is what its newest version says; put prints what is new, and what is so already gets no version" {
	coopr-store init
	provider one >one.json
	coopr-store put -o json -k provider -m first one.json >new 2>/dev/null
	same '["one",1,"first"]' "$(jq -c '[.name, .version, .why]' new)"
	coopr-store put -o json -k provider one.json >new 2>err
	[ ! -s new ]
	contains "$(cat err)" "0 changed, 1 as before"
	coopr-member set -r admin ann
	provider one 'another' | coopr-store put -o json --as ann -k provider - >new 2>/dev/null
	same '["one",2,"ann"]' "$(jq -c '[.name, .version, .by]' new)"
	same another "$(coopr-store get provider one | jq -r .description)"
	same "" "$(coopr-store get --revision 1 provider one | jq -r .description)"
}

@test "what put stores and nothing reads is told, as by coopr validate, and in the member note; it is stored" {
	coopr-store init
	cat >cloud.json <<-'END'
		{"kind": "provider", "name": "cloud", "providertype": "digitalocean", "zonez": ["a"], "provisioner":
		 {"ssh-auth": {"bastion": {"host": "203.0.113.7", "hostkee": "x", "hostkey": "ssh-ed25519 A", "key": {"secret": "k"}}},
		  "api_token": {"secret": "t"}, "ipv6": "yes", "poll_s": 2, "vpc_uid": "u", "vpc_uuid": "u"}}
	END
	echo '{"kind": "service", "name": "s", "provisioner": {"actions": {"start": {"type": "docker", "fields": {"port": "1"}}}}}' >service.json
	doubts='/zonez: nothing reads this member; did you mean "zones"?
/provisioner/ipv6: expected boolean, found string
/provisioner/ssh-auth/bastion/hostkee: provider "digitalocean" has no field "hostkee"; did you mean "hostkey"?
/provisioner/vpc_uid: provider "digitalocean" has no field "vpc_uid"; did you mean "vpc_uuid"?'
	run --separate-stderr -0 coopr-store put -o json cloud.json
	same "$doubts" "$(jq -r .note <<<"$output" | sed 's/; \//\n\//g')"
	same "$(sed 's|^/|coopr-store put: cloud.json: &|; s|: |: warning: |3' <<<"$doubts")" "$(grep warning <<<"$stderr")"
	run --separate-stderr -0 coopr-validate cloud.json
	same "$(sed 's|^/|coopr-validate: cloud.json: &|; s|: |: warning: |3' <<<"$doubts")" "$stderr"
	run --separate-stderr -0 coopr-store put service.json
	contains "$stderr" 'warning: automator "docker" requires the field "image_name"'
	contains "$stderr" 'warning: automator "docker" has no field "port"'
	coopr-store get provider cloud | jq -e .provisioner.vpc_uid
	run -0 coopr-store put -q --dry-run <<<'{"kind": "provider", "name": "p", "providertype": "sandbox", "provisioner": {"flavrs": {}, "mine": 1}}'
	same "" "$output"
	run --separate-stderr -0 coopr-store put --dry-run <<<'{"kind": "provider", "name": "p", "providertype": "sandbox", "provisioner": {"flavrs": {}, "mine": 1}}'
	contains "$stderr" '/provisioner/flavrs: warning: provider "sandbox" does not know the field "flavrs"; did you mean "flavors"?'
	[[ $stderr != *mine* ]]
	run --separate-stderr -0 coopr-store put -q --dry-run <<<'{"kind": "hardwaretype", "name": "h", "providermap": {"cloud": {"flavour": "s"}}}'
	same "" "$stderr"
}

@test "a plugin that is not here is told by put and by import, with the one that is perhaps meant or with all that there are" {
	coopr-store init
	missing='there is no provider "Podman" in the folders of COOPR_PLUGINS and of the installation; did you mean podman?'
	echo '{"kind": "provider", "name": "lab", "providertype": "Podman", "provisioner": {}}' >lab.json
	run --separate-stderr -0 coopr-store put -o json lab.json
	same "/providertype: $missing" "$(jq -r .note <<<"$output")"
	contains "$stderr" "coopr-store put: lab.json: /providertype: warning: $missing"
	run --separate-stderr -0 coopr-validate lab.json
	contains "$stderr" "coopr-validate: lab.json: /providertype: warning: $missing"
	jq '.name = "other"' lab.json >other.json
	run --separate-stderr -0 coopr-store import -o json other.json
	same "/providertype: $missing" "$(jq -r .note <<<"$output")"
	run --separate-stderr -0 coopr-store put -o json <<<'{"kind": "provider", "name": "far", "providertype": "zork"}'
	contains "$(jq -r .note <<<"$output")" 'there is no provider "zork" in the folders of COOPR_PLUGINS and of the installation; there are: aws, digitalocean, dummy, ec2, '
	run --separate-stderr -0 coopr-store put -o json <<<'{"kind": "service", "name": "s", "provisioner": {"actions": {
		"start": {"type": "Shell", "fields": {"script": "s"}}, "stop": {"type": "Shell", "fields": {"script": "s"}}}}}'
	same '/provisioner/actions/start/type: there is no automator "Shell" in the folders of COOPR_PLUGINS and of the installation; did you mean shell?' \
		"$(jq -r .note <<<"$output")"
}

@test "the kind is what --kind says, or the member kind, or the folder; without one put says so" {
	coopr-store init
	mkdir providers
	provider one >providers/one.json
	provider two | jq '.kind = "provider"' >two.json
	provider three >three.json
	coopr-store put providers/one.json two.json 2>/dev/null
	run -65 coopr-store put three.json
	contains "$output" 'three.json: the kind is unknown; add a member "kind"'
	provider three | jq '.kind = "tenant"' >four.json
	run -65 coopr-store put four.json
	contains "$output" 'four.json: the kind is unknown; correct the member "kind"'
	same "providers/one providers/two" "$(coopr-store list -o name | xargs)"
	same null "$(coopr-store get provider two | jq .kind)"
}

@test "a malformed document is refused with all that is wrong, and nothing of what came with it is put" {
	coopr-store init
	provider good >good.json
	echo '{"name": 7, "providertype": []}' >bad.json
	run -65 coopr-store put -k provider good.json bad.json
	contains "$output" "bad.json: /name: "
	contains "$output" "bad.json: /providertype: "
	same "" "$(coopr-store list)"
}

@test "a change that makes something wrong is refused, in what is put and in what refers to what is deleted; --force does it" {
	filled
	run -1 coopr-store delete service nginx
	contains "$output" 'clustertemplates/web.json: /defaults/services/0: there is no service "nginx"'
	coopr-store get clustertemplate web | jq '.defaults.provider = "sandbx"' >web.json
	run -1 coopr-store put -k clustertemplate web.json
	contains "$output" '"sandbx"; did you mean "sandbox"?'
	same 1 "$(coopr-store history -o json clustertemplate web | wc -l)"
	coopr-store put --force -k clustertemplate web.json 2>/dev/null
	same sandbx "$(coopr-store get clustertemplate web | jq -r .defaults.provider)"
}

@test "what was wrong before is no reason to refuse" {
	filled
	coopr-store get clustertemplate web | jq '.defaults.provider = "none"' | coopr-store put --force -k clustertemplate - 2>/dev/null
	provider new | coopr-store put -k provider - 2>/dev/null
	coopr-store get provider new >/dev/null
}

@test "deleting keeps the history, and a later put goes on with it" {
	coopr-store init
	provider one | coopr-store put -k provider - 2>/dev/null
	coopr-store delete -m gone provider one
	run -1 coopr-store get provider one
	contains "$output" 'there is no provider "one"; coopr store list providers shows which there are'
	run -1 coopr-store delete provider one
	provider one back | coopr-store put -k provider - 2>/dev/null
	same "1 false,2 true,3 false" "$(coopr-store history -o json provider one | jq -r '"\(.version) \(.deleted)"' | paste -sd,)"
	run -1 coopr-store get --revision 2 provider one
	contains "$output" "version 2 says that it was deleted"
}

@test "--expect refuses where somebody else was faster" {
	coopr-store init
	provider one | coopr-store put -e 0 -k provider - 2>/dev/null
	provider one x >x.json
	run -75 coopr-store put -e 0 -k provider x.json
	contains "$output" "it is at version 1, not 0"
	coopr-store put -e 1 -k provider x.json 2>/dev/null
	run -75 coopr-store delete -e 1 provider one
	coopr-store delete -e 2 provider one
}

@test "a dry run does all but write" {
	coopr-store init
	provider one >one.json
	run -0 coopr-store put --dry-run -k provider one.json
	contains "$output" "1 would be changed, 0 as before"
	same "" "$(coopr-store list)"
}

@test "diff prints what is different, a line for each place, and ends with 1" {
	coopr-store init
	echo '{"name": "a", "providertype": "dummy", "provisioner": {"x": 1, "y": [1, 2]}}' | coopr-store put -k provider - 2>/dev/null
	echo '{"name": "a", "providertype": "dummy", "provisioner": {"y": [1, 3], "z/": {}}}' | coopr-store put -k provider - 2>/dev/null
	run -1 coopr-store diff provider a
	same $'- /provisioner/x 1\n~ /provisioner/y/1 2 -> 3\n+ /provisioner/z~1 {}' "$output"
	run -0 coopr-store diff provider a 2 2
	same "" "$output"
	run -1 coopr-store diff provider a 2 1
	contains "$output" '+ /provisioner/x 1'
}

@test "an unknown kind, name, version or tenant is said, with one that is spelled nearly so" {
	filled
	run -64 coopr-store get servcie nginx
	contains "$output" "did you mean 'service'?"
	run -1 coopr-store get service ngnix
	contains "$output" 'did you mean "nginx"?'
	run -1 coopr-store get --revision 7 service nginx
	contains "$output" "it has no version 7"
	run -1 coopr-store list -T nobody
	contains "$output" 'no tenant named "nobody"'
}

@test "each tenant has its own entities" {
	coopr-store init
	provider mine | coopr-store put -k provider - 2>/dev/null
	same "" "$(coopr-store list -T superadmin)"
	run -1 coopr-store get -T superadmin provider mine
}

@test "export and import: the records, and the folder, are the same catalogue again" {
	filled
	coopr-store export out
	coopr-validate out
	run -0 coopr-store import --dry-run out
	contains "$output" "0 would be changed"
	coopr-store export | COOPR_STORE=$PWD/other bash -c 'coopr-store init && coopr-store import -' >/dev/null 2>&1
	same "$(coopr-store export)" "$(COOPR_STORE=$PWD/other coopr-store export)"
}

@test "import merges: what the store has beyond that stays" {
	filled
	provider mine | coopr-store put -k provider - 2>/dev/null
	run -0 coopr-store import "$COOPR_ROOT/share/coopr/catalogue"
	contains "$output" "0 changed"
	coopr-store get provider mine >/dev/null
}

@test "the published templates import; what is wrong in them is said, and --force takes them as they are" {
	need_shared data/coopr-templates
	coopr-store init
	run -1 coopr-store import "$SHARED/data/coopr-templates"
	contains "$output" "docker-base.json: /compatibility/imagetypes/2: "
	same "" "$(coopr-store list)"
	coopr-store import -o json --force "$SHARED/data/coopr-templates" >new 2>/dev/null
	same 92 "$(wc -l <new)"
}

@test "the same entity twice in one import is an error" {
	coopr-store init
	provider one >one.json
	run -65 coopr-store put -k provider one.json one.json
	contains "$output" 'the provider "one" was given already'
}

@test "a backup is a store, its file the owner's alone; an existing file is not overwritten" {
	filled
	coopr-store backup copy
	same 600 "$(stat -c %a copy)"
	same "$(coopr-store export)" "$(COOPR_STORE=$PWD/copy coopr-store export)"
	run -73 coopr-store backup copy
	COOPR_STORE=$PWD/copy coopr-store fsck
}

@test "fsck finds what no command of ours has written" {
	need_program sqlite3
	filled
	run -0 coopr-store fsck
	same "" "$output"
	sqlite3 "$COOPR_STORE" "UPDATE entity SET present = 0 WHERE name = 'nginx';
		DELETE FROM revision WHERE entity = (SELECT id FROM entity WHERE name = 'web');
		UPDATE revision SET document = json_set(document, '$.name', 'x') WHERE entity = (SELECT id FROM entity WHERE name = 'lamp')"
	run -1 coopr-store fsck
	contains "$output" "default: service nginx: the newest version has a document, but the entity is deleted"
	contains "$output" "refers to a row of table revision that does not exist"
	contains "$output" 'default: clustertemplate lamp, version 1: the name in the document is "x"'
}

@test "many writers at once: nothing is lost, and nobody is told that the database is locked" {
	coopr-store init
	for i in {1..40}; do
		provider "p$((i % 8))" "by $i" | coopr-store put -o json -m "$i" -k provider - >"new$i" 2>"err$i" 3>&- &
	done
	wait
	same 40 "$(cat new* | wc -l)"
	same 40 "$(for i in {0..7}; do coopr-store history -o json provider "p$i"; done | wc -l)"
	run -1 grep -h locked err*
	coopr-store fsck
}

@test "a writer that is killed leaves the old or the new" {
	coopr-store init
	for i in {1..20}; do
		provider one "$i" >one.json
		coopr-store put -k provider one.json >/dev/null 2>&1 3>&- &
		kill -KILL $! 2>/dev/null || true
		wait $! || true
	done
	coopr-store fsck
	provider one end | coopr-store put -k provider - 2>/dev/null
	same end "$(coopr-store get provider one | jq -r .description)"
}

@test "a full disk is an error: 74, and the store stays as it was" {
	need_root
	mkdir small
	unshare -m bash -eu -c 'mount -t tmpfs -o size=400k none small
		export COOPR_STORE=$PWD/small/store
		coopr-store init
		jq -n "{name: \"big\", providertype: \"dummy\", description: (\"x\" * 600000)}" >big.json
		code=0; coopr-store put -k provider big.json 2>err || code=$?
		echo $code >code
		coopr-store fsck
		coopr-store list -o name >names'
	same 74 "$(cat code)"
	same "" "$(cat names)"
}

@test "a list that cannot be written is an error: 74" {
	filled
	run -74 bash -c 'coopr-store list >/dev/full'
	run -74 bash -c 'coopr-store get service nginx >/dev/full'
}

@test "the examples of the pages" {
	commands_of "$COOPR_ROOT/man/man1/coopr-store.1" >examples
	[ -s examples ]
	bash -eu examples >/dev/null 2>&1
	need_program sqlite3
	commands_of "$COOPR_ROOT/man/man5/coopr-store.5" | sed 's/store.sqlite3/"$COOPR_STORE"/' >examples
	bash -eu examples >found
	contains "$(head -1 found)" "a better word"
}

# What fsck says of a store with a cluster that these statements have changed: damaged SQL
damaged() {
	cp whole "$COOPR_STORE"
	rm -f "$COOPR_STORE-wal" "$COOPR_STORE-shm"
	sqlite3 "$COOPR_STORE" "PRAGMA ignore_check_constraints = ON; $1"
	run -1 coopr-store fsck
}

@test "fsck finds what does not agree in clusters and their operations" {
	need_program sqlite3
	coopr-store init
	sqlite3 "$COOPR_STORE" "
		UPDATE allotment SET last = 1;
		INSERT INTO cluster (id, tenant, name, owner, status, created_ms, changed_ms, nodes, peak_nodes, operation)
			SELECT 1, id, 'shop', 'bob', 'active', 1, 1, 1, 1, 1 FROM tenant WHERE name = 'default';
		INSERT INTO cluster_document VALUES (1, '{}', '');
		INSERT INTO operation (cluster, number, action, user, begun_ms, ended_ms, status, job, was)
			VALUES (1, 1, 'create', 'bob', 1, 2, 'complete', '00000001-001', 'absent');
		INSERT INTO operation_document VALUES (1, 1, '{}', '', '', '{}');
		INSERT INTO node_use VALUES (1, '00000001-1000', 'small', 0.5, '{}', 1, NULL);
		INSERT INTO operation_file VALUES (1, 1, 'events.ndjson', x'');
		INSERT INTO observation VALUES (1, '00000001-1000', '', 'unreachable', NULL, 'reconcile', 5, 5);
		INSERT INTO claim VALUES ('192.0.2.9:22', '00000001-1000', 'rack', '00000001', NULL, 5),
			('192.0.2.8:22', 'other', 'rack', '00000007', NULL, 5);
		INSERT INTO hook_message (id, hook, event, operation, body, told_ms)
			VALUES ('00000001-001.success', 'mail', 'success', 'create', '{\"cluster\":{\"id\":\"00000001\"},\"job\":\"00000001-001\"}', 5);
		PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
	coopr-store fsck
	cp "$COOPR_STORE" whole
	damaged "UPDATE allotment SET last = 0"
	contains "$output" "cluster 00000001, shop: the number was never allotted"
	damaged "DELETE FROM cluster_document"
	contains "$output" "cluster 00000001, shop: there are no documents"
	damaged "UPDATE cluster SET status = 'pending'"
	contains "$output" "pending, but no operation is running"
	damaged "UPDATE operation SET ended_ms = 0, status = 'running'"
	contains "$output" "active, but an operation is running"
	damaged "UPDATE cluster SET operation = 2"
	contains "$output" "the operations are not 1 to 2"
	damaged "DELETE FROM operation_document"
	contains "$output" "operation 1 has a job, but no documents"
	damaged "UPDATE node_use SET to_ms = 5"
	contains "$output" "number of nodes: the record says 1, but it is 0"
	damaged "UPDATE cluster SET status = 'terminated'"
	contains "$output" "number of nodes: terminated, but it is 1"
	damaged "UPDATE cluster SET peak_nodes = 0"
	contains "$output" "the amounts counted against the quota are wrong"
	gone="UPDATE cluster SET status = 'terminated', nodes = 0, peak_nodes = 0; UPDATE node_use SET to_ms = 5;
		DELETE FROM claim; DELETE FROM observation; DELETE FROM operation_file"
	damaged "$gone; INSERT INTO operation_file VALUES (1, 1, 'command', CAST('coopr create shop' AS BLOB))"
	contains "$output" "cluster 00000001, shop: terminated, but keeps files of its operations"
	damaged "INSERT INTO operation_file VALUES (1, 2, 'command', CAST('coopr create shop' AS BLOB))"
	contains "$output" "table operation_file, row 2: refers to a row of table operation that does not exist"
	damaged "$gone; INSERT INTO observation VALUES (1, '00000001-1000', '', 'unreachable', NULL, 'reconcile', 5, 5)"
	contains "$output" "cluster 00000001, shop: terminated, but has observations"
	damaged "INSERT INTO observation VALUES (2, '00000002-1000', '', 'unreachable', NULL, 'reconcile', 5, 5)"
	contains "$output" "refers to a row of table cluster that does not exist"
	damaged "$gone; INSERT INTO claim VALUES ('192.0.2.1:22', '00000001-1000', 'rack', '00000001', NULL, 5)"
	contains "$output" "cluster 00000001, shop: terminated, but the node 00000001-1000 has machine 192.0.2.1:22"
	damaged "INSERT INTO claim VALUES ('192.0.2.1:22', '00000002-1000', 'rack', '00000001', NULL, 5)"
	contains "$output" "machine 192.0.2.1:22: the node 00000002-1000 is not one of cluster 00000001"
	damaged "INSERT INTO hook_message (id, hook, event, operation, body, told_ms) VALUES ('00000001-002.success', 'mail', 'success',
		'expand', '{\"cluster\":{\"id\":\"00000001\"},\"job\":\"00000001-002\"}', 5)"
	contains "$output" "cluster 00000001, shop: hook mail has a message of job 00000001-002, but no operation has this job"
	damaged "UPDATE tenant SET deleted_ms = 5 WHERE name = 'default'; INSERT INTO tenant (name) VALUES ('qa')"
	contains "$output" "no tenant named"
	COOPR_TENANT=qa run -1 coopr-store fsck
	contains "$output" "tenant default: deleted, but has cluster 00000001"
}

@test "fsck finds triggers, tables, members and tenants that no command of ours has made so" {
	need_program sqlite3
	coopr-store init
	coopr-member set -g dev jim
	coopr-tenant create later
	coopr-store fsck
	sqlite3 "$COOPR_STORE" "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
	cp "$COOPR_STORE" whole
	damaged "DROP TRIGGER audit_kept"
	contains "$output" "trigger audit_kept: it is missing"
	damaged "DROP TRIGGER audit_kept; CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT 1; END"
	contains "$output" "trigger audit_kept: it is not what was made here"
	damaged "CREATE TRIGGER later AFTER INSERT ON secret BEGIN UPDATE member SET role = 'admin' WHERE user = 'eve'; END"
	contains "$output" "trigger later: it is not of coopr"
	damaged "DROP INDEX member_user"
	contains "$output" "index member_user: it is missing"
	damaged "ALTER TABLE member ADD COLUMN more TEXT"
	contains "$output" "table member: it is not what was made here"
	damaged "INSERT INTO member VALUES (1, 'eve', 'admin', '[]')"
	contains "$output" "tenant superadmin: member eve: the record of changes says no member, the table admin []"
	damaged "UPDATE member SET role = 'admin' WHERE user = 'jim'"
	contains "$output" 'tenant default: member jim: the record of changes says user ["dev"], the table admin ["dev"]'
	damaged "UPDATE member SET groups = '[]' WHERE user = 'jim'"
	contains "$output" 'tenant default: member jim: the record of changes says user ["dev"], the table user []'
	damaged "DELETE FROM member WHERE user = 'jim'"
	contains "$output" "tenant default: member jim: the record of changes has this member, and the table has not"
	damaged "UPDATE tenant SET document = '{\"quota\":{}}' WHERE name = 'later'"
	contains "$output" "tenant later: the document is not the one of the record of changes"
}

@test "a refused fsync is an error, 74; the next change first brings to disk what was refused" {
	need_program strace
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	coopr-store init
	strace -f -o trace -e inject=fsync,fdatasync:error=EIO coopr-store put -k provider - < <(provider one) >now 2>said && code=0 || code=$?
	grep -q INJECTED trace
	same 74 "$code"
	same "" "$(cat now)"
	contains "$(cat said)" "$COOPR_STORE-wal: cannot be synced: Input/output error"
	provider two | strace -f -o trace -e trace=pwrite64,fsync coopr-store put -k provider - 2>/dev/null
	coopr-store get provider two
	# All of the log is written again, from its beginning, before the fsync that is the answer.
	grep -oE '(pwrite64\([0-9]+, .*, [0-9]+, 0\) += [0-9]{4,}$|fsync\()' trace | sed 's/(.*//' | paste -sd, | grep -q 'pwrite64,.*fsync$\|pwrite64,fsync'
	coopr-store fsck
}
